"""Functions that read, of another module of the project, a name that is not there or that nothing stands behind."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator

from optdep_lint.facts.walk import Definition
from optdep_lint.world.evaluation import Evaluation
from optdep_lint.world.modules import Module
from optdep_lint.world.references import References
from optdep_lint.world.values import Choice, ModuleValue, Unbound, Value, is_none
from optdep_lint.world.words import Words


def reading_through_modules(
    evaluation: Evaluation, base: Evaluation, differing: Iterable[str], words: Words, references: References
) -> Iterator[tuple[Module, Definition]]:
    """The functions to call, each with its module.

    Args:
        evaluation: A world.
        base: The world in which everything is there.
        differing: The modules that are not as they are in `base`.
        words: The words of all functions.
        references: Those of `base`, which know the files that spell a word.
    """
    lacking: dict[str, set[str]] = defaultdict(set)
    """For each name, the modules that lack it."""
    for name in differing:
        module = evaluation.modules[name]
        for one in _lacking(module, base.modules[name]) if module.status == "ok" else ():
            lacking[one].add(name)
    for reader, spelled in references.spelling(lacking):
        module = evaluation.modules[reader]
        summary = module.source.summary
        for definition in words.spelling(summary, spelled) if module.status == "ok" else ():
            here = words.of(summary, definition).intersection(spelled)
            if _reaches(module, definition, words, {one for word in here for one in lacking[word]} - {reader}):
                yield module, definition


def _lacking(module: Module, base: Module) -> Iterator[str]:
    """The names that a module has where everything is there, and here has not, or has None for."""
    for name, before in base.namespace.items():
        if isinstance(before, Unbound) or is_none(before):
            continue
        value = module.namespace.get(name)
        if value is None or _stands_for_nothing(value):
            yield name


def _stands_for_nothing(value: Value) -> bool:
    if isinstance(value, Choice):
        return _stands_for_nothing(value.yes) or _stands_for_nothing(value.no)
    return value.cause is not None and (isinstance(value, Unbound) or is_none(value))


def _reaches(module: Module, definition: Definition, words: Words, wanted: set[str]) -> bool:
    """A function reads one of some modules by the name that its own module has for it, or imports from one itself."""
    summary = module.source.summary
    for word in words.of(summary, definition) if wanted else ():
        held = module.namespace.get(word)
        if isinstance(held, ModuleValue) and held.module.name in wanted:
            return True
    return bool(wanted) and module.source.imports_any(summary.body_of(definition.node.body), wanted)
