"""How does the project itself ask whether an optional root is there: its flags and probes, found by evaluating them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from optdep_lint.facts import syntax
from optdep_lint.world.evaluation import Evaluation
from optdep_lint.world.following import GiveUp
from optdep_lint.world.frames import Frame, State
from optdep_lint.world.modules import Module
from optdep_lint.world.survey import Survey
from optdep_lint.world.values import Constant, External, FunctionValue, Known, Raised, Value
from optdep_lint.world.variation import Readers, vary
from optdep_lint.world.worlds import World

_LOADS = re.compile(r"import|require", re.IGNORECASE)
_ABSENCE = ("ImportError", "ModuleNotFoundError")


@dataclass(frozen=True, slots=True)
class Probe:
    """A name of the project that is true exactly where a root is there."""

    module: str
    name: str
    is_function: bool
    importable: bool = True
    """Its module can be imported where the root is absent."""

    @property
    def expression(self) -> str:
        """How it is asked, where the name is bound."""
        return f"{self.name}()" if self.is_function else self.name


class Availability:
    """Finds probes and flags."""

    def __init__(self, survey: Survey) -> None:
        self._survey = survey
        self._worlds: dict[str, Evaluation] = {}
        self._found: dict[str, tuple[Probe, ...]] = {}
        self._loaders: dict[str, tuple[Probe, ...]] = {}

    def probes(self, root: str) -> tuple[Probe, ...]:
        """Every flag and every function without parameters that answers for this root alone, in order of modules."""
        found = self._found.get(root)
        if found is None:
            found = self._found[root] = tuple(self._find(root))
        return found

    def loaders(self, root: str) -> tuple[Probe, ...]:
        """Every function that is given a root's name and imports it, or says what to install: `import_optional_dependency`."""
        found = self._loaders.get(root)
        if found is None:
            found = self._loaders[root] = tuple(self._find_loaders(root))
        return found

    def _find_loaders(self, root: str) -> Iterator[Probe]:
        without = self.without(root)
        for name, source in sorted(self._survey.tree.sources.items()):
            module, base = without.modules.get(name), self._survey.base.modules.get(name)
            if module is None or base is None or base.status != "ok" or module.status != "ok":
                continue
            for statement in source.summary.body:
                if isinstance(statement, syntax.Function) and _LOADS.search(statement.name) and _takes_one(statement):
                    there, absent = base.namespace.get(statement.name), module.namespace.get(statement.name)
                    if (
                        isinstance(there, FunctionValue)
                        and isinstance(absent, FunctionValue)
                        and isinstance(_call(self._survey.base, base, there, root), External)
                        and _refuses(without, module, absent, root)
                    ):
                        yield Probe(name, statement.name, is_function=True)

    def without(self, root: str) -> Evaluation:
        """The world in which a root is absent."""
        found = self._worlds.get(root)
        if found is None:
            found = self._worlds[root] = vary(self._survey.base, self._readers, self._world(root))
        return found

    @cached_property
    def _readers(self) -> Readers:
        return Readers(self._survey.base)

    def _world(self, root: str) -> World:
        declared = self._survey.declared
        named = next((world for world in declared.worlds() if world.name == f"without {root}"), None)
        return named or declared.world(f"without {root}", {root})

    def _find(self, root: str) -> Iterator[Probe]:
        without = self.without(root)
        for name, word, function in self._saying_yes:
            module = without.modules.get(name)
            absent = module.namespace.get(word) if module is not None else None
            if module is None or absent is None:
                continue
            if function and (other := _function_of(absent)) is not None:
                answer = _call(without, module, other)
            else:
                answer = None if function else absent
            if answer is not None and self._is_false_for(answer, root):
                yield Probe(name, word, function, importable=module.status == "ok")

    @cached_property
    def _saying_yes(self) -> list[tuple[str, str, bool]]:
        """The flags and the functions without parameters, True for these, that answer yes where all is there."""
        found = []
        for name, source in sorted(self._survey.tree.sources.items()):
            base = self._survey.base.modules.get(name)
            if base is None or base.status != "ok":
                continue
            own = {statement.name for statement in source.summary.body if isinstance(statement, syntax.Function)}
            own |= _assigned(source.summary.body)
            for word, value in [(word, value) for word, value in base.namespace.items() if word in own]:
                function = _function_of(value)
                if word.startswith("__"):
                    continue
                if function is None and _is_true(value):
                    found.append((name, word, False))
                elif function is not None and self._says_yes(function, base):
                    found.append((name, word, True))
        return found

    def _says_yes(self, function: FunctionValue, base: Module) -> bool:
        node = function.node
        if not isinstance(node, syntax.Function) or node.parameters or node.kind != "plain":
            return False
        answer = _call(self._survey.base, base, function)
        return answer is not None and _is_true(answer)

    def _is_false_for(self, value: Value, root: str) -> bool:
        if not isinstance(value, Constant) or value.value is not False or value.cause is None:
            return False
        return self._survey.declared.root_of(value.cause.missing) == root and value.cause.missing == root


def _assigned(body: syntax.Block) -> set[str]:
    from optdep_lint.facts.walk import statements

    found = set()
    for statement in statements(body):
        if isinstance(statement, syntax.Assign):
            found |= {target.id for target in statement.targets if isinstance(target, syntax.Name)}
        elif isinstance(statement, syntax.Annotated) and isinstance(statement.target, syntax.Name):
            found.add(statement.target.id)
    return found


def _function_of(value: Value | None) -> FunctionValue | None:
    if isinstance(value, Known) and value.model == "decorated":
        value = value.parts[0]
    return value if isinstance(value, FunctionValue) else None


def _is_true(value: Value) -> bool:
    return isinstance(value, Constant) and value.value is True


def _takes_one(function: syntax.Function) -> bool:
    """It can be called with a name alone."""
    first, *others = function.parameters or (None,)
    return (
        function.kind == "plain"
        and first is not None
        and first.kind in ("positional", "either")
        and all(one.default is not None or one.kind in ("*", "**") for one in others)
    )


def _call(evaluation: Evaluation, module: Module, function: FunctionValue, *arguments: str) -> Value | None:
    """What a call returns, or None where nobody knows."""
    try:
        return _run(evaluation, module, function, arguments)
    except (Raised, GiveUp):
        return None


def _refuses(evaluation: Evaluation, module: Module, function: FunctionValue, root: str) -> bool:
    """Called with a root's name it raises an ImportError, since that is absent."""
    try:
        _run(evaluation, module, function, (root,))
    except Raised as raised:
        cause, kind = raised.failure.cause, raised.failure.type
        is_import_error = isinstance(kind, External) and kind.path.rpartition(".")[2] in _ABSENCE
        return is_import_error and cause is not None and cause.missing == root
    except GiveUp:
        pass
    return False


def _run(evaluation: Evaluation, module: Module, function: FunctionValue, arguments: tuple[str, ...]) -> Value:
    frame = Frame("module", module, State(module.namespace, {}))
    evaluation.budget = 500
    try:
        with evaluation.imagined():
            values = tuple(Constant(argument) for argument in arguments)
            return evaluation.calls.run_function(function, values, {}, frame, 0)
    finally:
        evaluation.budget = None
