"""Where a guard asks for one thing, and what it guards uses another."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from optdep_lint.facts import syntax
from optdep_lint.facts.walk import (
    Definition,
    all_expressions,
    expressions,
    imported_names,
    is_within,
    last_name,
    parts_of,
    statements,
)
from optdep_lint.world.bound import bound_names
from optdep_lint.world.modules import Module, Source
from optdep_lint.world.probes import Inquirer, Unit, failure_of, inquirer
from optdep_lint.world.probes_asked import asking_sources, functions_spelling, optional_words
from optdep_lint.world.probes_census import census, is_question
from optdep_lint.world.probes_origins import Origins
from optdep_lint.world.survey import Survey
from optdep_lint.world.values import External, Failure, FunctionValue

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
    """An import in a function, after or under some `if`, or under a decorator that is called."""

    source: Source
    definition: Definition
    at: int
    name: str
    tests: tuple[syntax.Expression, ...]
    """The conditions of every `if` of the function, up to the import, and what decorates it."""


def drifts(survey: Survey) -> Iterator[Drift]:
    """Guarded imports whose guard asks for something else, each place once."""
    judge = _Judge(survey)
    for source in asking_sources(survey):
        for definition in functions_spelling(survey, source, optional_words(survey, source)):
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
    tests: list[syntax.Expression] = [one for one in definition.node.decorators if isinstance(one, syntax.Call)]

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
        if not probed or not self._is_met(use):
            return None
        if any(self._spells_out(test, root, use.source) for test in use.tests):
            return None
        for absent in dict.fromkeys((root, use.name)):
            others = [name for name in probed if self._is_other(name, probed, absent, use, root)]
            if others and self._fails(use, {absent}):
                for name in others:
                    atom = (
                        name
                        if name.partition(".")[0] == root.partition(".")[0]
                        else self._survey.declared.root_of(name)
                    )
                    if self._passes(use, {absent, atom}) or self._is_refused(use, {absent, atom}, name):
                        return Drift(use.source.path, use.at, use.name, root, name)
        return None

    def _spells_out(self, test: syntax.Expression, root: str, source: Source) -> bool:
        """The condition, or a function that it calls, compares something with the root's name: who runs is known then."""
        parts = [test]
        module = self._survey.base.modules[source.name]
        for part in expressions(test):
            name = part.function.id if isinstance(part, syntax.Call) and isinstance(part.function, syntax.Name) else ""
            called = module.namespace.get(name)
            if isinstance(called, FunctionValue):
                parts += all_expressions(called.module.source.summary.body_of(called.node.body))
        return any(
            isinstance(side, syntax.Constant) and side.value == root
            for part in parts
            if isinstance(part, syntax.Compare) and not {"in", "not in"} & {*part.operators}
            for side in (part.left, *part.rights)
        )

    def _probed(self, use: _Use) -> list[str]:
        """What the conditions before an import ask for, directly, through functions or through flags."""
        asked = {name: None for test in use.tests for name in self._origins.of(test, use.source, use.definition)}
        asked |= dict.fromkeys(self._named_by_decorators(use))
        if not asked and not self._may_ask(use):
            return []
        _, askings = self._asker.ask(Unit(use.source.name, use.definition))
        places = {(use.source.path, at) for at in self._tested(use)}
        asked |= {one.name: None for one in askings if one.kind != "import" and not places.isdisjoint(one.places)}
        return list(dict.fromkeys(root for name in asked for root in self._absentable(name)))[:_MOST_PROBES]

    def _named_by_decorators(self, use: _Use) -> list[str]:
        """The optional roots that the decorators of a function are given."""
        declared = self._survey.declared
        texts = (
            part.value
            for decorator in use.definition.node.decorators
            if isinstance(decorator, syntax.Call)
            for part in expressions(decorator)
            if isinstance(part, syntax.Constant) and isinstance(part.value, str)
        )
        return [text for text in texts if declared.root_of(text) in declared.optional]

    def _absentable(self, name: str) -> list[str]:
        """What can be absent of what a name asks for: itself, or the roots of the distribution of that name."""
        declared = self._survey.declared
        if self._survey.tree.owns(name):
            return []
        if all(map(str.isidentifier, name.split("."))) and declared.can_be_absent(declared.root_of(name)):
            return [name]
        return [root for root in declared.metadata.roots_of(name) if declared.can_be_absent(root)]

    def _tested(self, use: _Use) -> Iterator[int]:
        """The positions of the calls and names in the conditions before an import, and in what local names there stand for."""
        names = {part.id for test in use.tests for part in expressions(test) if isinstance(part, syntax.Name)}
        body = statements(use.source.summary.body_of(use.definition.node.body))
        assigned = (one for one in body if isinstance(one, syntax.Assign) and not names.isdisjoint(bound_names((one,))))
        parts = [*use.tests, *(one.value for one in assigned)]
        yield from (part.at for one in parts for part in expressions(one) if isinstance(part, syntax.Call))

    def _may_ask(self, use: _Use) -> bool:
        """The function calls what probes, or a condition in it calls or reads what is named for a question."""
        site = census(self._survey).probing.get(id(use.definition.node))
        if site is not None and site.finds:
            return True
        module = self._survey.base.modules[use.source.name]
        return any(
            is_question(last_name(part)) and not self._is_foreign(part, module, use.definition)
            for test in use.tests
            for part in expressions(test)
            if isinstance(part, (syntax.Call, syntax.Attribute))
        )

    def _is_foreign(self, node: syntax.Call | syntax.Attribute, module: Module, definition: Definition) -> bool:
        function = node.function if isinstance(node, syntax.Call) else node
        return isinstance(census(self._survey).resolve(function, module, {}, definition), External)

    def _is_met(self, use: _Use) -> bool:
        """The import is come to where everything is there: otherwise no guard lets the code through to it."""
        _, asked = self._asker.ask(Unit(use.source.name, use.definition))
        return any(one.kind == "import" and one.places[-1] == (use.source.path, use.at) for one in asked)

    def _is_other(self, name: str, probed: list[str], absent: str, use: _Use, root: str) -> bool:
        """The probe says nothing about what is used."""
        own = self._survey.declared.root_of(name)
        if absent == root:
            return own != root and not self._come_together(own, root, use)
        if own != root:
            return False
        names = census(self._survey).probed
        if use.name.startswith(f"{name}."):
            return any(is_within(use.name, one) for one in names.difference(probed) if one.startswith(f"{name}."))
        if name == use.name or name.startswith(f"{use.name}.") or "." not in name:
            return False
        # to import one part is a way to ask for the whole, unless the other is where that part was or will be
        return name in names or name.rpartition(".")[2] == use.name.rpartition(".")[2]

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
        used = {
            self._survey.declared.root_of(name) for statement in statements(body) for name in imported_names(statement)
        }
        return probed in used and not (extras and other_extras)

    def _fails(self, use: _Use, absent: set[str]) -> bool:
        failure = self._failure(use, absent)
        return (
            failure is not None
            and failure.kind == "import"
            and failure.at == use.at
            and failure.path == use.source.path
        )

    def _passes(self, use: _Use, absent: set[str]) -> bool:
        """The function comes to its end: its guard has turned the import away."""
        answer, _ = self._asker.ask(Unit(use.source.name, use.definition), absent)
        return not isinstance(answer, Failure) and bool(answer) and failure_of(answer) is None

    def _is_refused(self, use: _Use, absent: set[str], name: str) -> bool:
        """A decorator that was given this very name does not let the function run."""
        failure = self._failure(use, absent) if name in self._named_by_decorators(use) else None
        return failure is not None and failure.kind == "raise" and failure.path != use.source.path

    def _failure(self, use: _Use, absent: set[str]) -> Failure | None:
        return failure_of(self._asker.ask(Unit(use.source.name, use.definition), absent)[0])
