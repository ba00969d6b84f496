"""What a project exports only where something is there, so that whoever imports it by name is not told what is missing."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from optdep_lint.facts import syntax
from optdep_lint.facts.syntax import Block, Statement
from optdep_lint.facts.walk import all_expressions, statements, way_to
from optdep_lint.world.evaluation import Evaluation
from optdep_lint.world.modules import Module
from optdep_lint.world.values import Cause, Constant, Unbound, Value


@dataclass(frozen=True, slots=True)
class Loss:
    """Names of a module that vanish without a word where something is absent."""

    module: str
    names: tuple[str, ...]
    """In the order in which they are bound."""
    path: str
    at: int
    """The statement that binds the first of them where everything is there."""
    cause: Cause
    listed: bool
    """`__all__` lists them all the same."""


def losses(evaluation: Evaluation, base: Evaluation, names: Iterable[str]) -> Iterator[Loss]:
    """What these modules export in `base`, the world in which everything is there, and silently do not in this one."""
    lost: dict[str, dict[str, Value | None]] = {}
    for name in names:
        module, before = evaluation.modules[name], base.modules[name]
        if module.status == before.status == "ok" and "__all__" in before.namespace:
            found = dict(_lost_names(module, before))
            if found:
                lost[name] = found
    public = {name: found.keys() for name, found in lost.items() if _is_public(name)}
    for name, found in lost.items():
        handing = [shown for other, shown in public.items() if other == name or name in base.modules[other].imports]
        shown = {
            one: value.cause for one, value in found.items()
            if value is not None and value.cause is not None and any(one in names for names in handing)
        }  # fmt: skip
        yield from _losses_of(evaluation.modules[name], shown)


def _lost_names(module: Module, before: Module) -> Iterator[tuple[str, Value | None]]:
    """The exported names that are there no more, each with what stands in its place; none where the module may still hand them out."""
    if "__getattr__" in module.namespace or module.dynamic or module.replaced is not None or _tells(module):
        return
    for name, value in before.namespace.items():
        now = module.namespace.get(name)
        if not isinstance(value, Unbound) and before.exports(name) and (now is None or isinstance(now, Unbound)):
            yield name, now


def _tells(module: Module) -> bool:
    """A public flag of its own says that something is absent."""
    return any(
        isinstance(value, Constant) and value.value is False and value.cause is not None
        for name, value in module.namespace.items() if not name.startswith("_")
    )  # fmt: skip


def _is_public(module: str) -> bool:
    return not any(part.startswith("_") for part in module.split("."))


def _losses_of(module: Module, found: dict[str, Cause]) -> Iterator[Loss]:
    """The losses of one module: names that the same statement takes with it are told together."""
    body = module.source.summary.body
    groups: dict[tuple[int, str], list[tuple[str, int]]] = defaultdict(list)
    for statement in statements(body):
        for name, at in _bindings_of(statement):
            around = _silent_try(body, at) if name in found else None
            if around is not None:
                groups[around, found[name].missing].append((name, at))
    told: set[str] = set()
    for bindings in groups.values():
        names = tuple(dict.fromkeys(name for name, _ in bindings if name not in told))
        told.update(names)
        if names:
            cause = found[names[0]]
            yield Loss(module.name, names, module.source.path, bindings[0][1], cause, module.exports(names[0]))


def _bindings_of(statement: Statement) -> Iterator[tuple[str, int]]:
    """The names that a statement binds, each with where it stands: definitions, imports and assignments."""
    match statement:
        case syntax.Function(name=name, at=at) | syntax.Class(name=name, at=at):
            yield name, at
        case syntax.Import(at=at) | syntax.ImportFrom(at=at):
            yield from ((alias.asname or alias.name, at) for alias in statement.names)
        case syntax.Assign(at=at):
            yield from ((target.id, at) for target in statement.targets if isinstance(target, syntax.Name))


def _silent_try(body: Block, at: int) -> int | None:
    """The innermost `try` around a position, by its own; None without any, where a handler says something, or under an `if` that asks."""
    for place in reversed(way_to(body, at)):
        statement = place.statement
        if isinstance(statement, syntax.Try) and place.part in ("body", "orelse") and statement.handlers:
            says = any(_says_something(handler.body) for handler in statement.handlers)
            return None if says else statement.at
        if isinstance(statement, syntax.If):
            return None
    return None


def _says_something(block: Block) -> bool:
    """A block calls something: it warns, logs or hands something out."""
    return any(isinstance(part, syntax.Call) for part in all_expressions(block))
