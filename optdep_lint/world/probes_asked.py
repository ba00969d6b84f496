"""Where a project first asks for each optional root."""

from __future__ import annotations

from collections.abc import Iterator

from optdep_lint.facts import syntax
from optdep_lint.facts.walk import all_expressions, definitions, statements
from optdep_lint.world.modules import Source
from optdep_lint.world.survey import Survey

LIBRARIES = ("importlib", "pkgutil", "imp.")
"""The modules with whose functions one probes and imports what is named only in strings."""


def asking_sources(survey: Survey) -> Iterator[Source]:
    """The judged files that import or probe for something optional: only in these does a guard for it make sense."""
    return (source for source in _asking(survey) if source.name in survey.judged)


def _asking(survey: Survey) -> Iterator[Source]:
    declared = survey.declared
    for source in survey.tree.sources.values():
        if any(
            declared.root_of(name) in declared.optional or name.startswith(LIBRARIES) for name in source.summary.asks
        ):
            yield source


def first_askings(survey: Survey) -> Iterator[tuple[str, str, int]]:
    """For each optional root, the first import or probe of it, as (root, path, at), in order of files and lines."""
    seen: set[str] = set()
    for source in sorted(_asking(survey), key=lambda one: one.path):
        for at, name in sorted(_askings(source)):
            root = survey.declared.root_of(name)
            if root in survey.declared.optional and root not in seen and not survey.tree.owns(name):
                seen.add(root)
                yield root, source.path, at


def _askings(source: Source) -> Iterator[tuple[int, str]]:
    blocks = [source.summary.body, *(source.summary.body_of(one.node.body) for one in definitions(source.summary))]
    asks = frozenset(source.summary.asks)
    for block in blocks:
        for statement in statements(block):
            match statement:
                case syntax.Import():
                    yield from ((statement.at, alias.name) for alias in statement.names)
                case syntax.ImportFrom(level=0):
                    yield from ((statement.at, f"{statement.module}.{alias.name}") for alias in statement.names)
        for part in all_expressions(block):
            if isinstance(part, syntax.Call) and part.arguments:
                first = part.arguments[0]
                if isinstance(first, syntax.Constant) and isinstance(first.value, str) and first.value in asks:
                    yield part.at, first.value
