"""Which parts of a project are about an optional dependency, so that they are meant to fail without it."""

from __future__ import annotations

import fnmatch
from collections import Counter
from collections.abc import Iterator

from optdep_lint.facts import syntax
from optdep_lint.facts.walk import expressions, imported_names, is_within, last_name, parts_of, statements
from optdep_lint.world.modules import Module
from optdep_lint.world.survey import Survey
from optdep_lint.world.values import Instance, Table

_FEWEST = 10
"""How many modules a package must have to be about what most of them need."""
_SHORT = 4
"""A word must have more letters than this for a longer name to be taken for the same."""
_SEVERAL = 3
"""How many it must have, itself included, to be about what every one of them, itself aside, needs."""


class FeatureAreas:
    """The feature area of each root: what needs it by design."""

    def __init__(self, survey: Survey) -> None:
        self._survey = survey
        self._sizes = Counter(package for name in survey.tree.sources for package in packages_of(name))
        self._imported_early: set[str] | None = None
        self._failing: dict[str, Counter[str]] = {}
        """By root, how many modules of each package fail without it and ask for it themselves."""
        for root, module in {(one.root, one.module) for one in survey.breakages if one.certain}:
            asks = survey.tree.sources[module].summary.asks
            if any(survey.declared.root_of(name) == root for name in asks):
                self._failing.setdefault(root, Counter()).update(packages_of(module))

    def holds(self, module: str, root: str) -> bool:
        """A module lies in the area, or some module imports it and goes on without it."""
        return self.is_about(module, root) or self.is_survived(module, root)

    def is_about(self, module: str, root: str) -> bool:
        """A module imports the root unguarded, or lies in a package that does, or of which most modules need it."""
        area = self._survey.areas.get(root, frozenset())
        parts = module.split(".")
        prefixes = (".".join(parts[:length]) for length in range(1, len(parts) + 1))
        sources = self._survey.tree.sources
        inside = any(
            prefix in area and (prefix == module or sources[prefix].is_package)
            for prefix in prefixes
            if prefix in sources
        )
        return (
            inside or self.is_named_after(module, root) or self._lies_among_needy(module, root)
            or self.is_hosted(module, root) or self.is_configured(module, root)
        )  # fmt: skip

    def is_named_after(self, module: str, root: str) -> bool:
        """A module, or a package below the top in which it lies, bears the name of the root, or of an extra that brings it."""
        names = {root.partition(".")[0], *self._survey.declared.extras_bringing(root)}
        wanted = {name.lower().replace("-", "_").replace(".", "_").strip("_") for name in names}
        return any(not wanted.isdisjoint(_words_of(part)) for part in module.lower().split(".")[1:])

    def is_hosted(self, module: str, root: str) -> bool:
        """An entry point of a group of the root's, as `pytest11` or `hatch`, names the module: only the root imports it."""
        if root == "setuptools" and module.endswith(".setup"):  # a script that builds a part of the package
            return True
        points = self._survey.declared.metadata.entry_points
        return any(
            point.value.partition(":")[0].strip() == module and _is_group_of(point.group, root) for point in points
        )

    def _lies_among_needy(self, module: str, root: str) -> bool:
        """A package below the top in which the module lies is about the root: all of its modules need it, or most of many."""
        failing = self._failing.get(root, Counter())
        needy = ((self._sizes[package], failing[package]) for package in packages_of(module))
        return any(
            (size >= _FEWEST and 2 * needing > size) or (size >= _SEVERAL and needing >= size - 1)
            for size, needing in needy
        )

    def is_configured(self, module: str, root: str) -> bool:
        """The configuration says that the module may fail."""
        patterns = self._survey.config.feature_modules.get(root, ())
        return any(fnmatch.fnmatch(module, pattern) for pattern in patterns)

    def is_survived(self, module: str, root: str) -> bool:
        """The module, or a package that it lies in, is imported by a module that goes on without it."""
        survived = self._survey.survived.get(root, frozenset())
        return module in survived or not survived.isdisjoint(packages_of(module))

    def is_only_asked_for_late(self, module: str) -> bool:
        """A private module that no other imports while it is imported itself: whoever needs it asks for it when called."""
        if not any(part.startswith("_") for part in module.split(".")):
            return False
        if self._imported_early is None:
            modules = self._survey.base.modules.items()
            self._imported_early = {imported for name, one in modules for imported in one.imports if imported != name}
        return module not in self._imported_early

    def is_guarded(self, module: str, root: str) -> bool:
        """The module itself means to live without the root: it guards another import of it."""
        found = self._survey.base.modules.get(module)
        return found is not None and guards_elsewhere(found, root)

    def is_other_name(self, module: str, target: str) -> bool:
        """The module does nothing but give what another of the same last name has: it stands where that was."""
        if module.rpartition(".")[2] != target.rpartition(".")[2]:
            return False
        body = self._survey.tree.sources[module].summary.body
        return all(isinstance(one, (syntax.ImportFrom, syntax.Evaluate)) or _names_exports(one) for one in body)

    def is_handed_out(self, module: str) -> bool:
        """The package of the module puts something in its own place that finds out by itself what to hand out, and when."""
        package = self._survey.base.modules.get(module.rpartition(".")[0])
        replaced = package.replaced if package is not None else None
        return isinstance(replaced, Instance) and not any(isinstance(one, Table) for one in replaced.arguments)


def _is_group_of(group: str, root: str) -> bool:
    """A group begins with the root's name, or with that name without an ending: `hatch` is `hatchling`'s."""
    if group.startswith(root) and not group[len(root) :][:1].isalpha():
        return True
    word = group.partition(".")[0]
    return len(word) > _SHORT and word.isalpha() and root.startswith(word)


def _names_exports(statement: syntax.Statement) -> bool:
    """`__all__ = ...`"""
    return isinstance(statement, syntax.Assign) and all(
        isinstance(target, syntax.Name) and target.id == "__all__" for target in statement.targets
    )


def _words_of(name: str) -> Iterator[str]:
    """A name, and all runs of its words: `pg_fast`, `pg` and `fast` of `pg_fast`."""
    words = name.strip("_").split("_")
    for first in range(len(words)):
        for last in range(first, len(words)):
            yield "_".join(words[first : last + 1])


def packages_of(module: str) -> tuple[str, ...]:
    """The packages below the top that a module lies in, itself included; a plain module is only told by its own."""
    parts = module.split(".")
    return tuple(".".join(parts[:length]) for length in range(2, len(parts) + 1))


def guards_elsewhere(module: Module, root: str) -> bool:
    """The module has another import of the root under a guard, or asks for it when imported: it means to live without it.

    A guarded import of a submodule says nothing of that where another part of the root is imported without a guard: it is
    there in some releases only.
    """
    guarded: set[str] = set()
    bare: set[str] = set()

    def look(block: syntax.Block, inside: bool) -> None:
        for statement in block:
            (guarded if inside else bare).update(name for name in imported_names(statement) if is_within(name, root))
            if isinstance(statement, syntax.Class):
                continue
            for part, inner in parts_of(statement):
                if part == "body" and isinstance(statement, syntax.If) and last_name(statement.test) == "TYPE_CHECKING":
                    continue
                guards = isinstance(statement, syntax.Try) and part == "body" and _goes_on(statement)
                look(inner, inside or guards)

    look(module.source.summary.body, False)
    return _asks(module.source.summary.body, root) or (
        bool(guarded) and (not bare or root in guarded or not guarded.isdisjoint(bare))
    )


def _asks(block: syntax.Block, root: str) -> bool:
    """`find_spec` of the root in the module's own code."""
    return any(
        isinstance(part, syntax.Call)
        and last_name(part.function) == "find_spec"
        and any(isinstance(one, syntax.Constant) and one.value == root for one in part.arguments)
        for statement in statements(block)
        for part in expressions(statement)
    )


def _goes_on(statement: syntax.Try) -> bool:
    """At least one handler lets the module go on."""
    return not all(_refuses(handler.body) for handler in statement.handlers)


def _refuses(block: syntax.Block) -> bool:
    """It raises in the end, on either way through an `if`."""
    last = block[-1] if block else None
    return isinstance(last, syntax.Raise) or (
        isinstance(last, syntax.If) and _refuses(last.body) and _refuses(last.orelse)
    )
