"""Who in the project imports a name of one of its modules, or reads it as an attribute of that module."""

# mypy: disable-error-code="type-abstract"
from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

import libcst as cst

from optdep_lint.facts import syntax
from optdep_lint.facts.position import line_of
from optdep_lint.facts.walk import statements
from optdep_lint.fixers.imports import spelled
from optdep_lint.fixers.uses import when
from optdep_lint.fixers.workshop import Workshop
from optdep_lint.world.probes_asked import functions_spelling


class Importing(NamedTuple):
    """One import of a name."""

    importer: str
    """The module."""
    path: str
    statement: syntax.ImportFrom
    alias: str
    """What the import names: the name itself, or `*`."""
    local: str
    """How the importer calls it."""
    deferred: bool
    """It stands in a function."""

    @property
    def line(self) -> int:
        """Where it stands."""
        return line_of(self.statement.at)


class Reading(NamedTuple):
    """A name that is read as an attribute of its module."""

    path: str
    line: int
    code: str
    when: str
    """As `NameUse` has it."""


class _AtTop(NamedTuple):
    """The imports outside of functions, by what is imported and the module that imports it."""

    statements: dict[tuple[str, str], list[syntax.ImportFrom]]
    names: dict[tuple[str, str], set[str]]
    """By which names the importer knows a module, if it is one."""


class Importings:
    """The imports of a project."""

    def __init__(self, workshop: Workshop) -> None:
        self._workshop = workshop

    def of(self, target: str, wanted: str) -> Iterator[Importing]:
        """The from-imports of a name of a module, also by star."""
        survey = self._workshop.survey
        top = self._at_top.statements
        for name, source in self._workshop.modules.items():
            found = [(statement, False) for statement in top.get((target, name), ())]
            for definition in functions_spelling(survey, source, (wanted,)):
                found += [
                    (one, True)
                    for one in statements(source.summary.body_of(definition.node.body))
                    if isinstance(one, syntax.ImportFrom) and self.target(name, one) == target
                ]
            for statement, deferred in found:
                for alias in statement.names:
                    if alias.name == wanted or (alias.name == "*" and not wanted.startswith("_")):
                        local = wanted if alias.name == "*" else alias.asname or alias.name
                        yield Importing(name, source.path, statement, alias.name, local, deferred)

    def readings(self, target: str, wanted: str) -> Iterator[Reading]:
        """Where a name of a module is read as an attribute of what an import of the module has bound."""
        for name, source in self._workshop.modules.items():
            spellings = {f"{local}.{wanted}" for local in self._names_of(name, target)} if name != target else ()
            text = self._workshop.source(source.path) if spellings else None
            if text is None or f".{wanted}" not in text.text:
                continue
            for node in text.all(cst.Attribute):
                if node.attr.value == wanted and (code := spelled(node)) in spellings:
                    yield Reading(source.path, text.line_of(text.span(node)[0]), code, when(text, node))

    def _names_of(self, importer: str, target: str) -> Iterator[str]:
        """By which names a module knows another."""
        yield from self._at_top.names.get((target, importer), ())
        source = self._workshop.modules[importer]
        for definition in functions_spelling(self._workshop.survey, source, (target.rpartition(".")[2],)):
            for statement in statements(source.summary.body_of(definition.node.body)):
                yield from (local for module, local in self._modules_of(importer, statement) if module == target)

    def _modules_of(self, importer: str, statement: syntax.Statement) -> Iterator[tuple[str, str]]:
        """What an import may bind to a module, each with its name there."""
        if isinstance(statement, syntax.Import):
            yield from ((alias.name, alias.asname or alias.name) for alias in statement.names)
        elif isinstance(statement, syntax.ImportFrom):
            module = self.target(importer, statement)
            yield from ((f"{module}.{alias.name}", alias.asname or alias.name) for alias in statement.names)

    @property
    def _at_top(self) -> _AtTop:
        found: _AtTop | None = self._workshop.survey.kept.get("imports at top")
        if found is None:
            found = self._workshop.survey.kept["imports at top"] = _AtTop(defaultdict(list), defaultdict(set))
            for name, source in self._workshop.modules.items():
                for statement in statements(source.summary.body):
                    if isinstance(statement, syntax.ImportFrom):
                        found.statements[self.target(name, statement), name].append(statement)
                    for module, local in self._modules_of(name, statement):
                        found.names[module, name].add(local)
        return found

    def target(self, importer: str, statement: syntax.ImportFrom) -> str:
        """The module that a from-import names."""
        return self._workshop.modules[importer].absolute(statement) or ""
