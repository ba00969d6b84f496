"""What a plain installation guarantees, what is optional, and which worlds follow from that."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain

from optdep_lint.config import Config
from optdep_lint.metadata import ProjectMetadata, normalized
from optdep_lint.metadata.import_names import namespace_roots
from optdep_lint.metadata.known_requirements import usually_brought
from optdep_lint.metadata.likely_names import with_likely_names
from optdep_lint.metadata.model import Requirement
from optdep_lint.world.modules import Tree
from optdep_lint.world.stdlib import is_stdlib_root
from optdep_lint.world.worlds import World

_PLATFORM_OF = {"win32": "win32", "cygwin": "win32", "darwin": "darwin", "linux": "linux"}
_PREFERRED_PYTHON, _OLDEST_LIVING, _OLDEST_PYTHON = (3, 11), (3, 10), (3, 8)


@dataclass(frozen=True, slots=True)
class OptionalRoot:
    """An import root that a plain installation does not guarantee."""

    root: str
    """Dotted where several distributions share the first name."""
    source: str
    """`extra`, `group`, `marker`, `configuration`, `guarded` or `undeclared`."""
    requirement: Requirement | None = None
    """What would bring it."""

    @property
    def extra(self) -> str | None:
        """The extra that brings it."""
        return self.requirement.extra if self.requirement is not None else None


_MIXED_EXTRAS = frozenset({
    "all", "complete", "dev", "devel", "develop", "doc", "docs", "extra", "extras", "full", "lint", "optional", "recommended",
    "standard", "test", "testing", "tests", "typing",
})  # fmt: skip
"""What extras are called that are about no one thing."""


class Declared:
    """A project's metadata, held against what its modules ask for."""

    def __init__(
        self, metadata: ProjectMetadata, tree: Tree, config: Config, guarded: frozenset[str] = frozenset()
    ) -> None:
        asked = {name for source in tree.sources.values() for name in source.summary.asks if not tree.owns(name)}
        asking = [
            {name.partition(".")[0] for name in source.summary.asks if name in asked}
            for source in tree.sources.values()
        ]
        firsts = Counter(chain.from_iterable(asking))
        metadata = with_likely_names(metadata, {name: firsts[name] for name in firsts if not is_stdlib_root(name)})
        self.metadata, self._tree, self._config = metadata, tree, config
        self._bringing = _by_root((*metadata.requirements, *_along(metadata)))
        self._brought = frozenset(_brought(metadata))
        plain = [one for one in metadata.required if one.marker is None]
        self.usually_brought = frozenset(root for one in plain for root in _brought_by(one))
        """The import roots that well-known plain requirements bring: a project that does not declare them relies on these."""
        self._roots: dict[str, str] = {}
        self.has_metadata = bool(metadata.sources)
        roots = {self.root_of(name) for name in asked} - {""}
        self.optional: Mapping[str, OptionalRoot] = {
            root: found for root in sorted(roots) if (found := self._classify(root, guarded)) is not None
        }
        """Every optional import root that the project asks for anywhere."""

    @cached_property
    def _guards(self) -> Mapping[str, tuple[str, ...]]:
        return {name: given or tuple(self._named_in(name)) for name, given in self._config.guards.items()}

    def asking_for(self, names: Iterable[str]) -> Declared:
        """The same, with the extras' roots among names that no file spells where it asks, as when it goes through a table.

        So are those of the distributions among them that are only asked for their metadata.
        """
        names = set(names)
        roots = {self.root_of(name) for name in names if not self._tree.owns(name)}
        roots |= {
            root
            for root, ones in self._bringing.items()
            if any(f"{one.distribution} (distribution)" in names for one in ones)
        }
        found = {root: self._classify(root, frozenset()) for root in roots - {""}}
        new = {root: one for root, one in found.items() if one is not None and one.source == "extra"}
        if new.keys() <= self.optional.keys():
            return self
        more = copy(self)
        more.optional = dict(sorted({**self.optional, **new}.items()))
        return more

    def _named_in(self, guard: str) -> Iterator[str]:
        """The optional roots that the name of a guard speaks of, as `has_torch` does."""
        words = f"_{guard.rpartition('.')[2].lower()}_"
        for root in self.optional:
            if f"_{root.lower().replace('.', '_').strip('_')}_" in words:
                yield root

    def root_of(self, dotted: str) -> str:
        """The import root of a dotted name: declared roots by their longest match, else its first part; empty for Python's own."""
        root = self._roots.get(dotted)
        if root is None:
            root = self._roots[dotted] = self._find_root(dotted)
        return root

    def _find_root(self, dotted: str) -> str:
        if is_stdlib_root(dotted.partition(".")[0]):
            return ""
        parts = dotted.split(".")
        for length in range(len(parts), 1, -1):
            prefix = ".".join(parts[:length])
            if prefix in self._bringing:
                return prefix
        shared = [root for root in self._bringing if root.startswith(f"{parts[0]}.")]
        if shared and parts[0] not in self._bringing and len(parts) > 1:
            width = min(len(parts), shared[0].count(".") + 1)
            return ".".join(parts[:width])
        return parts[0]

    def can_be_absent(self, root: str) -> bool:
        """A plain installation does not guarantee a root, whether or not anything imports it."""
        return bool(root) and (root in self.optional or self._classify(root, frozenset({root})) is not None)

    def _classify(self, root: str, guarded: frozenset[str]) -> OptionalRoot | None:
        requirements = self._bringing.get(root, [])
        if root in self._config.optional:
            return OptionalRoot(root, "configuration", requirements[0] if requirements else None)
        plain = [one for one in requirements if one.extra is None and one.group is None]
        if plain:
            return OptionalRoot(root, "marker", plain[0]) if not self.metadata.is_guaranteed(root) else None
        extras = [one for one in requirements if one.extra is not None]
        if requirements and root in self.usually_brought:
            return None
        if extras:
            return OptionalRoot(root, "extra", extras[0])
        if root in self._brought or root in self.usually_brought:
            return None
        if requirements:
            return OptionalRoot(root, "group", requirements[0])
        if not self.has_metadata:
            return OptionalRoot(root, "guarded") if root in guarded else None
        return OptionalRoot(root, "undeclared")

    # --- worlds --------------------------------------------------------------------------------------------------

    def worlds(self) -> Iterator[World]:
        """The worlds to look at: one per optional root, one per extra, and the bare one."""
        seen: set[frozenset[str]] = set()
        for name, absent in self._absences():
            if absent and absent not in seen:
                seen.add(absent)
                yield self.world(name, absent)

    def _absences(self) -> Iterator[tuple[str, frozenset[str]]]:
        if self._config.without:
            yield "without " + ", ".join(self._config.without), frozenset(self._config.without)
            return
        by_extra: dict[str, set[str]] = {}
        for root, found in self.optional.items():
            extras = {one.extra for one in self._bringing.get(root, ()) if one.extra is not None}
            if len(extras) == 1:
                by_extra.setdefault(extras.pop(), set()).add(root)
            if not (found.source == "extra" and self._config.atomic_extras):
                yield f"without {root}", self._together(root)
        for extra, roots in sorted(by_extra.items()):
            yield f"without extra {extra}", frozenset(roots)
        yield "bare", frozenset(self.optional)

    def _together(self, root: str) -> frozenset[str]:
        """The roots that are absent when a root is: those of the same distribution, and of such as require it."""
        brought = {other for one in self._bringing.get(root, ()) for other in one.roots if other in self.optional}
        return frozenset({root, *brought, *self._requiring(root)})

    def extras_bringing(self, root: str) -> frozenset[str]:
        """The extras that are about a root: they bring it, be it along with something that needs it."""
        extras = {one.extra for one in self._bringing.get(root, ()) if one.extra is not None}
        return frozenset(extra for extra in extras if extra.lower() not in _MIXED_EXTRAS)

    def _requiring(self, root: str) -> Iterator[str]:
        """The optional roots whose distributions are known to bring another."""
        return (other for other, brought in self._bringing_along.items() if root in brought and other != root)

    @cached_property
    def _bringing_along(self) -> Mapping[str, frozenset[str]]:
        """For each optional root, those that the distributions which bring it are known to bring, too."""
        distributions = {
            root: {one.distribution for one in self._bringing.get(root, ()) if one.roots_source != "brought"}
            or {normalized(root)}
            for root in self.optional
        }
        return {root: frozenset(_roots_of(usually_brought(names))) for root, names in distributions.items()}

    def world(self, name: str, absent: Iterable[str] = ()) -> World:
        """A world in which these roots are absent, with the Python and platform that this implies."""
        absent = frozenset(absent)
        python, platform = self.python, self._config.target_platform
        for root in absent:
            found = self.optional.get(root)
            if found is None or found.source != "marker" or len(absent) > 1:
                continue
            facts = self.metadata.absence_of(root)
            if facts.python_min is not None and python < facts.python_min:
                python = facts.python_min
            if facts.python_max is not None and python > facts.python_max:
                python = facts.python_max
            if platform in facts.platforms_excluded or (facts.platforms_only and platform not in facts.platforms_only):
                platform = _other_platform(facts.platforms_excluded, facts.platforms_only)
        absent = self._not_implied(absent, python, platform)
        return World(
            name, absent, portions=absent & namespace_roots(), distributions=self._distributions(absent),
            open_environment=True, guards=self._guards, python=python, platform=platform,
        )  # fmt: skip

    def _not_implied(self, absent: frozenset[str], python: tuple[int, int], platform: str) -> frozenset[str]:
        """In a world of many absences, those that only another Python or platform could explain stay present."""
        if len(absent) < 2:
            return absent
        from optdep_lint.metadata import marker_holds

        def is_there(root: str) -> bool:
            found = self.optional.get(root)
            return (
                found is not None and found.source == "marker" and found.requirement is not None
                and marker_holds(found.requirement.marker, python, platform)
            )  # fmt: skip

        return frozenset(root for root in absent if not is_there(root))

    @property
    def python(self) -> tuple[int, int]:
        """The Python to evaluate for: as configured, else the one in the middle of the supported range.

        What was written for older ones only is followed in the newest of these of which enough is known.
        """
        if self._config.target_python is not None:
            return self._config.target_python
        newest = self.metadata.newest_python()
        if newest is not None and newest < _OLDEST_LIVING:
            return max(newest, _OLDEST_PYTHON)
        supported = [version for version in self.metadata.python_versions() if version >= _OLDEST_LIVING] or [
            _PREFERRED_PYTHON
        ]
        return min(max(_PREFERRED_PYTHON, min(supported)), max(supported))

    def _distributions(self, absent: frozenset[str]) -> dict[str, str]:
        found = {one.distribution: root for root in absent for one in self._bringing.get(root, ())}
        return {normalized(root): root for root in absent} | found


def _other_platform(excluded: frozenset[str], only: frozenset[str] | None) -> str:
    for platform in ("linux", "darwin", "win32"):
        if platform not in excluded and (not only or platform in only):
            return platform
    return "linux"


def _by_root(requirements: Iterable[Requirement]) -> dict[str, list[Requirement]]:
    found: dict[str, list[Requirement]] = {}
    for one in requirements:
        for root in one.roots:
            found.setdefault(root, []).append(one)
    return found


def _roots_of(distributions: Iterable[str]) -> Iterator[str]:
    from optdep_lint.metadata.import_names import ImportNames

    names = ImportNames.with_user_map({}, None)
    for distribution in distributions:
        yield from names.roots_of(distribution)[0]


def _along(metadata: ProjectMetadata) -> Iterator[Requirement]:
    """The requirements of extras again, with each root that they are known to bring along."""
    for one in metadata.requirements:
        if one.extra is not None:
            for root in sorted(_brought_by(one) - set(one.roots)):
                yield replace(one, roots=(root,), roots_source="brought")


def _brought_by(requirement: Requirement) -> frozenset[str]:
    """The import roots that come with a distribution: those of what it is known to require, and of what its requested extras are named after."""
    named = map(normalized, requirement.requested_extras)
    return frozenset(_roots_of((*usually_brought([requirement.distribution]), *named)))


def _brought(metadata: ProjectMetadata) -> Iterator[str]:
    """The import roots that plain requirements are known to bring."""
    yield from _roots_of(distribution for one in metadata.required for distribution in metadata.brought_by(one))
