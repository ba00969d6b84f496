"""Where a guard asks for one thing, and what it guards uses another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from optdep_lint.facts import syntax
from optdep_lint.facts.walk import Definition, all_expressions, definitions, expressions, parts_of, statements
from optdep_lint.world.bound import bound_names
from optdep_lint.world.modules import Source
from optdep_lint.world.probes import Inquirer, Unit, failure_of, inquirer
from optdep_lint.world.probes_census import census
from optdep_lint.world.survey import Survey
from optdep_lint.world.values import Failure

_MOST_PROBES = 8


@dataclass(frozen=True, slots=True)
class Drift:
    """An import in a function under a guard for something else."""

    path: str
    at: int
    used: str
    """The dotted name that is imported."""
    root: str
    """Its optional root."""
    probed: str
    """What the guard asks for."""


@dataclass(frozen=True, slots=True)
class _Use:
    """An import in a function, after or under some `if`."""

    source: Source
    definition: Definition
    at: int
    name: str
    tests: tuple[syntax.Expression, ...]
    """The conditions of every `if` of the function, up to the import."""


def drifts(survey: Survey) -> Iterator[Drift]:
    """Guarded imports whose guard asks for something else, each place once."""
    judge = _Judge(survey)
    for source in survey.tree.sources.values():
        if not source.summary.asks:
            continue
        for definition in definitions(source.summary):
            if definition.outer is not None:
                continue
            seen: set[int] = set()
            for use in _uses(survey, source, definition):
                if use.at not in seen:
                    found = judge.judge(use)
                    if found is not None:
                        seen.add(use.at)
                        yield found


def _uses(survey: Survey, source: Source, definition: Definition) -> Iterator[_Use]:
    tests: list[syntax.Expression] = []

    def walk(block: syntax.Block) -> Iterator[_Use]:
        for statement in block:
            if isinstance(statement, syntax.If):
                tests.append(statement.test)
            for name in imported_names(statement):
                if tests and survey.declared.root_of(name) in survey.declared.optional:
                    yield _Use(source, definition, statement.at, name, tuple(tests))  # type: ignore[union-attr]
            for _, inner in parts_of(statement):
                yield from walk(inner)

    yield from walk(source.summary.body_of(definition.node.body))


def imported_names(statement: syntax.Statement) -> tuple[str, ...]:
    """The modules of other projects that a statement imports, as far as it tells module from name."""
    match statement:
        case syntax.Import():
            return tuple(alias.name for alias in statement.names)
        case syntax.ImportFrom(level=0):
            return (statement.module,)
    return ()


class _Judge:
    """Asks, for an import under a guard, which absences the guard stops and which it does not."""

    def __init__(self, survey: Survey) -> None:
        self._survey = survey
        self._asker: Inquirer = inquirer(survey)
        self._origins = Origins(survey)

    def judge(self, use: _Use) -> Drift | None:
        """The drift that an import suffers from, if any."""
        root = self._survey.declared.root_of(use.name)
        probed = self._probed(use)
        if not probed:
            return None
        for absent in dict.fromkeys((root, use.name)):
            others = [name for name in probed if self._is_other(name, absent, use, root)]
            if others and self._fails(use, {absent}):
                for name in others:
                    atom = name if name.partition(".")[0] == root.partition(".")[0] else self._survey.declared.root_of(name)
                    if self._passes(use, {absent, atom}):
                        return Drift(use.source.path, use.at, use.name, root, name)
        return None

    def _probed(self, use: _Use) -> list[str]:
        """What the conditions before an import ask for, directly, through functions or through flags."""
        asked = {name: None for test in use.tests for name in self._origins.of(test, use.source, use.definition)}
        _, askings = self._asker.ask(Unit(use.source.name, use.definition))
        asked |= {one.name: None for one in askings if one.kind != "import"}
        declared = self._survey.declared
        return [name for name in asked if declared.can_be_absent(declared.root_of(name))][:_MOST_PROBES]

    def _is_other(self, probed: str, absent: str, use: _Use, root: str) -> bool:
        """The probe says nothing about what is used."""
        own = self._survey.declared.root_of(probed)
        if absent == root:
            return own != root and not self._come_together(own, root, use)
        if own != root:
            return False
        if use.name.startswith(f"{probed}."):
            return any(use.name == name or use.name.startswith(f"{name}.") for name in census(self._survey).names if name.startswith(f"{probed}."))
        return probed != use.name and not probed.startswith(f"{use.name}.") and "." in probed

    def _come_together(self, probed: str, root: str, use: _Use) -> bool:
        """Who has the one has the other, or the guarded code needs both."""
        metadata = self._survey.declared.metadata
        mine, others = metadata.requirements_of(probed), metadata.requirements_of(root)
        if {one.distribution for one in mine} & {one.distribution for one in others}:
            return True
        extras, other_extras = ({one.extra for one in part if one.extra} for part in (mine, others))
        if extras & other_extras:
            return True
        left, right = (name.replace("_", "").replace(".", "").lower() for name in (probed, root))
        if left.startswith(right) or right.startswith(left):
            return True
        body = use.source.summary.body_of(use.definition.node.body)
        used = {self._survey.declared.root_of(name) for statement in statements(body) for name in imported_names(statement)}
        return probed in used and not (extras and other_extras)

    def _fails(self, use: _Use, absent: set[str]) -> bool:
        failure = self._failure(use, absent)
        return failure is not None and failure.kind == "import" and failure.at == use.at and failure.path == use.source.path

    def _passes(self, use: _Use, absent: set[str]) -> bool:
        """The function comes to its end: its guard has turned the import away."""
        answer, _ = self._asker.ask(Unit(use.source.name, use.definition), absent)
        return not isinstance(answer, Failure) and bool(answer) and failure_of(answer) is None

    def _failure(self, use: _Use, absent: set[str]) -> Failure | None:
        return failure_of(self._asker.ask(Unit(use.source.name, use.definition), absent)[0])


class Origins:
    """What a flag or a function stands for: the dotted names that it was made from."""

    def __init__(self, survey: Survey) -> None:
        self._survey = survey
        self._known: dict[tuple[str, str], tuple[str, ...]] = {}

    def of(self, test: syntax.Expression, source: Source, definition: Definition | None = None) -> Iterator[str]:
        """The names that an expression asks for."""
        for part in expressions(test):
            if isinstance(part, syntax.Name):
                yield from self.of_name(source.name, part.id)
            elif isinstance(part, syntax.Constant) and isinstance(part.value, str) and part.value in census(self._survey).names:
                yield part.value
            elif isinstance(part, syntax.Attribute) and isinstance(part.value, syntax.Name) and part.value.id in ("self", "cls"):
                yield from self._of_attribute(part.name, source, definition)

    def _of_attribute(self, name: str, source: Source, definition: Definition | None) -> Iterator[str]:
        """`self.has_x`, as the class's methods set it."""
        if definition is None or definition.owner is None:
            return
        for other in definitions(source.summary):
            if other.owner is definition.owner and other.name.endswith("__init__"):
                for statement in statements(source.summary.body_of(other.node.body)):
                    if isinstance(statement, syntax.Assign) and any(
                        isinstance(target, syntax.Attribute) and target.name == name for target in statement.targets
                    ):
                        yield from self.of(statement.value, source)

    def of_name(self, module: str, name: str, depth: int = 4) -> tuple[str, ...]:
        """The names that a module's flag or function asks for."""
        key = module, name
        if key not in self._known:
            self._known[key] = ()
            source = self._survey.tree.sources.get(module)
            if source is not None and depth:
                self._known[key] = tuple(dict.fromkeys(self._find(source, name, depth)))
        return self._known[key]

    def _find(self, source: Source, name: str, depth: int) -> Iterator[str]:
        for statement in statements(source.summary.body):
            match statement:
                case syntax.Assign() | syntax.Annotated() if statement.value is not None and name in _targets(statement):
                    yield from self._asked_in(source, statement.value, depth)
                case syntax.Function() if statement.name == name:
                    body = source.summary.body_of(statement.body)
                    for inner in statements(body):
                        yield from imported_names(inner)
                    for part in all_expressions(body):
                        yield from self._asked_in(source, part, depth, whole=False)
                case syntax.ImportFrom():
                    for alias in statement.names:
                        if (alias.asname or alias.name) == name:
                            yield from self.of_name(_absolute(statement, source), alias.name, depth - 1)
                case syntax.Try():
                    own = [inner for inner in statement.body if imported_names(inner) and name in bound_names((inner,))]
                    if own or any(name in _targets(inner) for inner in statements(statement.body + statement.orelse)):
                        for inner in own or statement.body:
                            yield from imported_names(inner)

    def _asked_in(self, source: Source, node: syntax.Expression, depth: int, *, whole: bool = True) -> Iterator[str]:
        for part in expressions(node) if whole else (node,):
            if isinstance(part, syntax.Constant) and isinstance(part.value, str) and part.value in census(self._survey).names:
                yield part.value
            elif isinstance(part, syntax.Name):
                yield from self.of_name(source.name, part.id, depth - 1)


def _targets(statement: syntax.Statement) -> frozenset[str]:
    match statement:
        case syntax.Assign():
            return frozenset(target.id for target in statement.targets if isinstance(target, syntax.Name))
        case syntax.Annotated(target=syntax.Name(id=name)):
            return frozenset({name})
    return frozenset()


def _absolute(node: syntax.ImportFrom, source: Source) -> str:
    if node.level == 0:
        return node.module
    parts = source.name.split(".")
    keep = len(parts) - node.level + source.is_package
    return ".".join([*parts[: max(keep, 0)], *([node.module] if node.module else [])])
