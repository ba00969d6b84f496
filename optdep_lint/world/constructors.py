"""What making an instance of a class says about the world: a constructor may refuse."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from optdep_lint.facts import syntax
from optdep_lint.facts.walk import definitions, expressions, names_read, statements
from optdep_lint.world.evaluation import Evaluation
from optdep_lint.world.following import GiveUp
from optdep_lint.world.frames import Frame, State
from optdep_lint.world.modules import Module
from optdep_lint.world.truth import Condition
from optdep_lint.world.values import ClassValue, FunctionValue, Instance, Raised, Unknown

_MOST_STEPS = 2000


def after_making(evaluation: Evaluation, class_: ClassValue, module: Module) -> Mapping[Condition, bool] | None:
    """What holds once there is an instance; None where its constructor always refuses."""
    found: dict[Condition, bool] = {}
    for constructor in constructors(class_):
        frame = Frame("module", module, State(module.namespace, dict(module.assumed)))
        ways = _ways_through(evaluation, constructor, Instance(class_), frame)
        if ways is None:
            continue
        if not ways:
            return None
        first, *others = (way.assumed for way in ways)
        found.update((key, holds) for key, holds in first.items() if all(other.get(key) is holds for other in others))
    return found


def chooses_by(class_: ClassValue, differs: Callable[[FunctionValue, str], bool]) -> bool:
    """A constructor asks, by a name that is not what it is where everything is there, what to store in the instance."""
    for constructor in constructors(class_):
        for statement in statements(constructor.module.source.summary.body_of(constructor.node.body)):
            if isinstance(statement, syntax.If) and any(map(_stores, statements(statement.body + statement.orelse))):
                names = {part.id for part in expressions(statement.test) if isinstance(part, syntax.Name)}
                if any(differs(constructor, name) for name in names):
                    return True
    return False


def _stores(statement: syntax.Statement) -> bool:
    return isinstance(statement, syntax.Assign) and any(
        isinstance(target, syntax.Attribute) and isinstance(target.value, syntax.Name) for target in statement.targets
    )


def constructors(class_: ClassValue) -> Iterator[FunctionValue]:
    """A class's own constructor, and those of its bases where it calls them or has none."""
    own = class_.names.get("__init__")
    if isinstance(own, FunctionValue):
        yield own
        if "super" not in names_read(own.module.source.summary, own.module.source.summary.body_of(own.node.body)):
            return
    for base in class_.bases:
        if isinstance(base, ClassValue):
            yield from constructors(base)


def made(evaluation: Evaluation, class_: ClassValue, module: Module) -> Instance:
    """An instance with what its constructor surely gives it, as far as no other method may give it something else."""
    instance = Instance(class_)
    for constructor in constructors(class_):
        frame = Frame("module", module, State(module.namespace, dict(module.assumed)))
        ways = _ways_through(evaluation, constructor, instance, frame)
        if ways is None or len(ways) != 1 or frame.exits:
            return Instance(class_)
    changing = _changed(class_)
    for name in [name for name, value in instance.attributes.items() if isinstance(value, Unknown) or name in changing]:
        del instance.attributes[name]
    return instance


def _changed(class_: ClassValue) -> frozenset[str]:
    """The attributes that something in a class's module, other than a constructor, assigns to or deletes."""
    summary = class_.module.source.summary
    bodies = [summary.body_of(one.node.body) for one in definitions(summary) if not one.name.endswith(".__init__")]
    return frozenset(
        target.name
        for body in (summary.body, *bodies)
        for statement in statements(body)
        for target in _written(statement)
    )


def _written(statement: syntax.Statement) -> Iterator[syntax.Attribute]:
    """The attributes that a statement assigns to or deletes."""
    targets: list[syntax.Expression] = []
    match statement:
        case syntax.Assign() | syntax.Delete():
            targets += statement.targets
        case syntax.Annotated() | syntax.Augmented() | syntax.For():
            targets.append(statement.target)
        case syntax.With():
            targets += (item.target for item in statement.items if item.target is not None)
    while targets:
        target = targets.pop()
        if isinstance(target, syntax.Attribute):
            yield target
        elif isinstance(target, syntax.Collection):
            targets += target.elements
        elif isinstance(target, syntax.Starred):
            targets.append(target.value)


def _ways_through(
    evaluation: Evaluation, constructor: FunctionValue, receiver: Instance, frame: Frame
) -> list[State] | None:
    """The states in which a constructor comes to its end; None where it cannot be followed."""
    inner = evaluation.calls.frame_of(constructor, frame, None)
    evaluation.calls.bind_parameters(constructor, (receiver,), {"**": receiver}, inner)
    evaluation.budget = _MOST_STEPS
    try:
        falls = evaluation.statements.run(constructor.module.source.summary.body_of(constructor.node.body), inner)
    except (GiveUp, Raised):
        return None
    finally:
        evaluation.budget = None
    return [inner.state] * falls + [exit_.state for exit_ in inner.exits if exit_.kind == "return"]
