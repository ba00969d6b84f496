"""Where a project first asks for each optional root."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from optdep_lint.facts import syntax
from optdep_lint.facts.walk import Definition, all_expressions, statements
from optdep_lint.world.modules import Source
from optdep_lint.world.survey import Survey
from optdep_lint.world.values import External
from optdep_lint.world.words import Outer, spelling_any

LIBRARIES = ("importlib", "pkgutil", "imp.")
"""The modules with whose functions one probes and imports what is named only in strings."""


IMPORTERS = frozenset({"importlib.import_module", "builtins.__import__"})


def asking_sources(survey: Survey) -> Iterator[Source]:
    """The judged files that import or probe for something optional: only in these does a guard for it make sense."""
    return (source for source in _asking(survey) if source.name in survey.judged)


def _asking(survey: Survey) -> list[Source]:
    found: list[Source] | None = survey.kept.get("asking sources")
    if found is None:
        found = survey.kept["asking sources"] = [
            source
            for source in survey.tree.sources.values()
            if any(name.startswith(LIBRARIES) for name in source.summary.asks) or optional_words(survey, source)
        ]
    return found


def optional_words(survey: Survey, source: Source) -> frozenset[str]:
    """The first parts of the optional names that a file asks for: code that imports one of them spells such a word."""
    declared = survey.declared
    return frozenset(
        name.partition(".")[0] for name in source.summary.asks if declared.root_of(name) in declared.optional
    )


def asking_words(survey: Survey, source: Source) -> frozenset[str]:
    """These, and by which names the file calls what imports by a name."""
    module = survey.base.modules.get(source.name)
    names = module.namespace.items() if module is not None else ()
    aliases = (name for name, value in names if isinstance(value, External) and value.path in IMPORTERS)
    return optional_words(survey, source).union(("import_module", "__import__"), aliases)


def functions_spelling(survey: Survey, source: Source, words: Collection[str]) -> Iterator[Definition]:
    """The functions of a file, those in functions too, whose own code may spell one of these words."""
    return functions_holding(survey, source, spelling_any(words)) if words else iter(())


def functions_holding(survey: Survey, source: Source, concerns: Callable[[bytes], object]) -> Iterator[Definition]:
    """The functions of a file, those in functions too, whose own code may be of concern, as its encoded form tells."""
    outer: Outer = survey.kept.setdefault("functions", Outer())
    return outer.holding(source.summary, concerns)


def first_askings(survey: Survey) -> Iterator[tuple[str, str, int]]:
    """For each optional root, the first import or probe of it, as (root, path, at), in order of files and lines."""
    seen: set[str] = set()
    for source in sorted(_asking(survey), key=lambda one: one.path):
        new = {root for name in source.summary.asks if (root := survey.declared.root_of(name)) not in seen}
        new &= survey.declared.optional.keys()
        for at, name in sorted(_askings(survey, source, new)) if new else ():
            root = survey.declared.root_of(name)
            if root in survey.declared.optional and root not in seen and not survey.tree.owns(name):
                seen.add(root)
                yield root, source.path, at


def _askings(survey: Survey, source: Source, roots: Collection[str]) -> Iterator[tuple[int, str]]:
    """The imports and probes of a file, at least those of some roots."""
    functions = functions_spelling(survey, source, {root.partition(".")[0] for root in roots})
    blocks = [source.summary.body, *(source.summary.body_of(one.node.body) for one in functions)]
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
