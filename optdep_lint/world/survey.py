"""Every way in which the absence of something breaks a project, each once: what the rules put into words."""

from __future__ import annotations

import fnmatch
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from optdep_lint.config import Config
from optdep_lint.pool import apart, deeply
from optdep_lint.world.askers import Askers
from optdep_lint.world.calltime import CallTime, Functions, Use
from optdep_lint.world.declared import Declared
from optdep_lint.world.deferred import Deferred, needless_failures
from optdep_lint.world.evaluation import Evaluation
from optdep_lint.world.exports import Loss, losses
from optdep_lint.world.modules import Module, Tree, parents_of
from optdep_lint.world.operations_uses import OperationUses
from optdep_lint.world.references import References
from optdep_lint.world.surroundings import TYPING_ONLY
from optdep_lint.world.through_modules import reading_through_modules
from optdep_lint.world.values import Failure, Unknown
from optdep_lint.world.variation import Readers, vary
from optdep_lint.world.words import Words
from optdep_lint.world.worlds import World


@dataclass(frozen=True, slots=True)
class Breakage:
    """Importing a module fails, or may, because a root is absent."""

    root: str
    """The optional import root."""
    failure: Failure
    module: str
    """The module whose import fails."""
    world: str
    certain: bool
    """It fails; otherwise only under conditions that the world leaves open."""
    reached: bool
    """An entry of the project imports it."""

    @property
    def origin(self) -> tuple[str, int]:
        """Where it failed first."""
        return self.failure.path, self.failure.at

    @property
    def imports(self) -> tuple[tuple[str, int], ...]:
        """The import statements on the way, outermost first."""
        steps = zip(self.failure.chain, self.failure.places, strict=True)
        return tuple(place for step, place in steps if step.message.startswith("imports"))


@dataclass(frozen=True, slots=True)
class Survey:
    """A project in all its worlds."""

    tree: Tree
    config: Config
    declared: Declared
    base: Evaluation
    """The world in which everything is there."""
    breakages: tuple[Breakage, ...] = ()
    uses: tuple[tuple[str, str, Use], ...] = ()
    """Failures at call time, as (root, world, use); for an operation that no root decides, it stands in the root's place."""
    losses: tuple[tuple[str, Loss], ...] = ()
    """Exports that vanish silently, each with its root."""
    deferred: tuple[tuple[str, Deferred], ...] = ()
    """Functions that fail for want of what they do not use, each with its root."""
    areas: dict[str, frozenset[str]] = field(default_factory=dict)
    """For each root, its feature area: the modules that import it unguarded themselves, and the packages whose `__init__` does."""
    survived: dict[str, frozenset[str]] = field(default_factory=dict)
    """For each root, the modules that fail without it while one that imports them goes on."""
    statuses: dict[str, dict[str, str]] = field(default_factory=dict)
    """For each world, the modules that do not import, or may not."""
    judged: frozenset[str] = frozenset()
    """The modules and scripts whose faults are told."""
    kept: dict[str, Any] = field(default_factory=dict, compare=False, repr=False)
    """What a rule has worked out from all this, for the next rule that asks the same."""

    def source_of(self, path: str) -> str | None:
        """The module at a path."""
        by_path: dict[str, str] | None = self.kept.get("modules by path")
        if by_path is None:
            sources = reversed(list(self.tree.sources.items()))
            by_path = self.kept["modules by path"] = {source.path: name for name, source in sources}
        return by_path.get(path)


def survey(
    tree: Tree, declared: Declared, config: Config, subjects: frozenset[str], judged: frozenset[str] | None = None,
    jobs: int = 1,
) -> Survey:  # fmt: skip
    """Evaluate a project in all its worlds.

    Args:
        tree: The project's modules.
        declared: What it declares.
        config: What is asked for.
        subjects: The modules whose faults are of interest.
        judged: These and the scripts that nothing can import; all else is evaluated as far as these import it.
        jobs: In so many copies of this process the worlds may be evaluated.
    """
    judged = judged if judged is not None else frozenset(tree.sources)
    surveyor = deeply(lambda: _Surveyor(tree, declared, config, subjects, judged))
    worlds = tuple(surveyor.declared.worlds())
    jobs = min(jobs, len(worlds)) or 1
    shares = [partial(deeply, partial(surveyor.look, worlds[first::jobs])) for first in range(jobs)]
    seen = {one.world: one for share in apart(shares, jobs) for one in share}
    for world in worlds:
        surveyor.note(seen[world.name])
    return surveyor.result()


@dataclass(slots=True)
class _Seen:
    """What is to be seen in one world; it goes from one process to another, so it holds no modules."""

    world: str
    breakages: list[Breakage] = field(default_factory=list)
    uses: list[tuple[str, Use]] = field(default_factory=list)
    """Each with its root."""
    losses: list[tuple[str, Loss]] = field(default_factory=list)
    """Each with its root."""
    deferred: list[tuple[str, Deferred]] = field(default_factory=list)
    """Each with its root."""
    statuses: dict[str, str] = field(default_factory=dict)
    survived: set[tuple[str, str]] = field(default_factory=set)
    """Each root with the modules that fail without it while one that imports them goes on."""


class _Surveyor:
    """Evaluates the world in which everything is there, then others, and collects what breaks."""

    def __init__(
        self, tree: Tree, declared: Declared, config: Config, subjects: frozenset[str], judged: frozenset[str]
    ) -> None:
        self._tree, self.declared, self._config = tree, declared, config
        self._subjects, self._judged = subjects, judged
        self._breakages: dict[tuple[str, int, str, str], Breakage] = {}
        self._uses: dict[tuple[str, int, str], tuple[str, str, Use]] = {}
        self._losses: dict[tuple[str, int, str], tuple[str, Loss]] = {}
        self._deferred: dict[tuple[str, int, str], tuple[str, Deferred]] = {}
        self._areas: dict[str, set[str]] = defaultdict(set)
        self._survived: dict[str, set[str]] = defaultdict(set)
        self._statuses: dict[str, dict[str, str]] = {}
        self._known: set[tuple[str, int, str]] = set()
        """The uses, as in `_uses`, that need not be looked into again."""
        self._asking: dict[str, set[str]] = defaultdict(set)
        """The modules that ask for names of another project, by the first parts of these."""
        for name, source in tree.sources.items():
            for asked in source.summary.asks:
                self._asking[asked.partition(".")[0]].add(name)
        self._functions, self._words = Functions(), Words()
        self._references: References | None = None
        """Those of the world in which everything is there."""
        self._entries = frozenset(self._find_entries())
        self._base = base = Evaluation(tree, declared.world("everything"))
        for name in tree.sources:
            if name in judged:
                base.outcome(name)
            base.module(name)  # also where a package above it fails, so that its import is never tried
        self.declared = declared.asking_for(name for module in base.modules.values() for name in module.asked.felt)
        self.note(self._look_at(base, base.modules))
        self._readers = Readers(base)

    def look(self, worlds: Iterable[World]) -> list[_Seen]:
        """What is to be seen in some worlds."""
        found = []
        for world in worlds:
            varied = vary(self._base, self._readers, world, self._judged)
            found.append(self._look_at(varied, varied.modules.keys() - varied.shared))
        return found

    def note(self, seen: _Seen) -> None:
        """Add what is to be seen in a world to what was seen in those before it."""
        self._statuses[seen.world] = seen.statuses
        for one in seen.breakages:
            if one.certain and not one.imports:
                self._areas[one.root].add(one.module)
            key = (*one.origin, one.root, one.module)
            known = self._breakages.get(key)
            if known is None or (one.certain and not known.certain):
                self._breakages[key] = one
        for root, name in seen.survived:
            self._survived[root].add(name)
        for root, loss in seen.losses:
            self._losses.setdefault((loss.path, loss.at, root), (root, loss))
        for root, late in seen.deferred:
            self._deferred.setdefault((late.failure.path, late.failure.at, root), (root, late))
        for root, use in seen.uses:
            self._uses.setdefault((*use.place, root), (root, seen.world, use))

    def _look_at(self, evaluation: Evaluation, names: Iterable[str]) -> _Seen:
        """What breaks in a world, among the modules that can differ in it."""
        names = sorted(names)
        seen = _Seen(evaluation.world.name)
        for name in names:
            self._note_failures(evaluation.modules[name], seen)
        self._note_survivors(evaluation, names, seen)
        single = evaluation.world.name != "bare" and "extra" not in evaluation.world.name
        if single:
            operations = OperationUses(evaluation, self._functions, self._words, self._subjects, self._references)
            self._references = self._references or operations.references
            seen.uses += self._operations(operations)
            own = [name for name in names if name not in evaluation.carried]
            seen.uses += self._failing_uses(evaluation, own, operations.references)
            seen.losses += self._lost(evaluation, own)
            seen.deferred += self._needless(evaluation, own, operations.references)
        return seen

    def _note_failures(self, module: Module, seen: _Seen) -> None:
        certain = module.status == "raises"
        failures = [module.failure] if certain else module.maybe
        if certain or failures:
            seen.statuses[module.name] = "raises" if certain else "maybe"
        for failure in failures:
            if failure is None or failure.cause is None:
                continue
            if failure.cause.missing == TYPING_ONLY:
                if certain and failure.path == module.source.path and module.name in self._subjects:
                    seen.uses.append((TYPING_ONLY, Use(module.name, "", _plain(failure), certain)))
            else:
                root = self._root(failure.cause.missing)
                if root:
                    reached = module.name in self._entries and certain
                    seen.breakages.append(Breakage(root, _plain(failure), module.name, seen.world, certain, reached))

    def _note_survivors(self, evaluation: Evaluation, names: Iterable[str], seen: _Seen) -> None:
        for module in map(evaluation.modules.__getitem__, names):
            for name in module.imports if module.status == "ok" else ():
                imported = evaluation.modules.get(name)
                failure = imported.failure if imported is not None and imported.status == "raises" else None
                if failure is not None and failure.cause is not None:
                    seen.survived.add((self._root(failure.cause.missing), name))

    def _root(self, missing: str) -> str:
        root = self.declared.root_of(missing)
        return root if root in self.declared.optional or root in self._config.without else ""

    def _operations(self, operations: OperationUses) -> Iterator[tuple[str, Use]]:
        for use in operations.uses():
            cause = use.failure.cause
            assert cause is not None
            root = self._root(cause.missing) or cause.missing
            self._known.add((*use.place, root))
            yield root, replace(use, failure=_plain(use.failure))

    def _failing_uses(
        self, evaluation: Evaluation, names: Iterable[str], references: References
    ) -> Iterator[tuple[str, Use]]:
        calltime = CallTime(evaluation, self._functions, self._base)
        base = self._references or references
        askers = Askers(evaluation, calltime, self._words, self._subjects, references, base)
        own = frozenset(names)
        asking = {name for root in evaluation.world.absent for name in self._asking[root.partition(".")[0]]}
        for name, uses in self._called(evaluation, calltime, own, asking, base):
            module = evaluation.modules[name]
            for use in uses:
                cause = use.failure.cause
                if cause is None or use.failure.path != module.source.path or use.failure.chain:
                    continue
                root = cause.missing if cause.missing == TYPING_ONLY else self._root(cause.missing)
                key = (*use.place, root)
                if root in self.declared.usually_brought:
                    continue
                if root and key not in self._known and (root == TYPING_ONLY or not askers.ask(name, use.function)):
                    self._known.add(key)
                    yield root, replace(use, failure=_plain(use.failure))

    def _called(
        self, evaluation: Evaluation, calltime: CallTime, own: frozenset[str], asking: set[str], base: References
    ) -> Iterator[tuple[str, Iterator[Use]]]:
        """For each module, the failures of those of its functions that can feel a world's absences."""
        for name in sorted(own | asking):
            module = evaluation.modules[name]
            if module.status == "ok" and name in self._subjects:
                yield name, calltime.uses(module) if name in own else calltime.local_uses(module)
        if evaluation is not self._base:
            for module, one in reading_through_modules(evaluation, self._base, own, self._words, base):
                uses = calltime.call(module, one)
                yield module.name, (use for use in uses if not _imports_late(use.failure))

    def _lost(self, evaluation: Evaluation, names: Iterable[str]) -> Iterator[tuple[str, Loss]]:
        for loss in losses(evaluation, self._base, (name for name in names if name in self._subjects)):
            root = self._root(loss.cause.missing)
            if root and root not in self.declared.usually_brought:
                yield root, loss

    def _needless(
        self, evaluation: Evaluation, names: Iterable[str], references: References
    ) -> Iterator[tuple[str, Deferred]]:
        if evaluation is self._base:
            return
        for one in needless_failures(evaluation, self._base, self._functions, names, references):
            assert one.failure.cause is not None
            root = self._root(one.failure.cause.missing)
            if root:
                yield root, replace(one, failure=_plain(one.failure))

    def _find_entries(self) -> Iterator[str]:
        for name, source in self._tree.sources.items():
            if name not in self._subjects:
                continue
            in_namespaces = source.is_package and all(parent in self._tree.namespaces for parent in parents_of(name))
            if "." not in name or name.endswith(".__main__") or in_namespaces:
                yield name
        for point in self.declared.metadata.entry_points:
            if point.group in ("console_scripts", "gui_scripts") and not point.extras:
                module = point.value.partition(":")[0].strip()
                if module in self._tree.sources:
                    yield module
        for pattern in self._config.must_import:
            yield from fnmatch.filter(self._tree.sources, pattern)

    def result(self) -> Survey:
        """All that was seen."""
        return Survey(
            self._tree, self._config, self.declared, self._base, tuple(self._breakages.values()), tuple(self._uses.values()),
            tuple(self._losses.values()), tuple(self._deferred.values()),
            {root: frozenset(names) for root, names in self._areas.items()},
            {root: frozenset(names) for root, names in self._survived.items()}, self._statuses,
            self._judged,
        )  # fmt: skip


def _imports_late(failure: Failure) -> bool:
    """A function imports a name that is not there: as with an absent root, that says what is missing when it is called."""
    return failure.kind == "name" and "cannot import name" in failure.message


def _plain(failure: Failure) -> Failure:
    """A failure without the values in it, which hold whole modules."""
    return replace(failure, type=Unknown(), arguments=())
