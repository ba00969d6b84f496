"""Which names a distribution lets one import, and who says so."""

from __future__ import annotations

import functools
from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

from optdep_lint.metadata.names import normalized

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from optdep_lint.metadata.installed import InstalledNames
    from optdep_lint.metadata.model import RootsSource


@dataclass(frozen=True, slots=True)
class ImportNames:
    """Looks import roots up: user's map, then installed metadata, shipped table, a guess."""

    by_user: Mapping[str, tuple[str, ...]]
    """Normalized distribution to import roots."""
    installed: InstalledNames | None = None

    @classmethod
    def with_user_map(
        cls, name_map: Mapping[str, Sequence[str]], installed: InstalledNames | None = None
    ) -> ImportNames:
        """Take the user's map, whose distributions may be spelled in any way."""
        by_user = {
            normalized(name): (roots,) if isinstance(roots, str) else tuple(roots) for name, roots in name_map.items()
        }
        return cls(by_user, installed)

    def roots_of(self, distribution: str, specifier: str | None = None) -> tuple[tuple[str, ...], RootsSource]:
        """Return the import roots of a distribution as it is written, and where they come from.

        With the specifier of a requirement, only the roots that every version it admits brings.

        The spelling matters to the guess alone: ``ruamel.yaml`` keeps its dot. No roots means
        that the distribution is known to be none that one imports (stubs, tools).
        """
        name = normalized(distribution)
        if name in self.by_user:
            return self.by_user[name], "user"
        if self.installed is not None and name in self.installed.roots:
            return self.installed.roots[name], "installed"
        known = known_roots(name)
        if known is not None:
            return _kept(known, name, specifier), "table"
        return (guessed_root(distribution),), "guess"


@functools.cache
def namespace_roots() -> frozenset[str]:
    """First names under which several distributions of the shipped table put their modules."""
    from optdep_lint.metadata.known_import_names import NAMESPACES, ROOTS

    firsts = [root.partition(".")[0] for roots in ROOTS.values() for root in roots.split() if "." in root]
    return frozenset(first for first, count in Counter(firsts).items() if count > 1) | {
        namespace.partition(".")[0] for namespace in NAMESPACES.values()
    }


def _kept(roots: tuple[str, ...], name: str, specifier: str | None) -> tuple[str, ...]:
    """The roots that no admitted version of the distribution has lost."""
    from optdep_lint.metadata.known_import_names import LOST

    if specifier is None or name not in LOST:
        return roots
    from packaging.specifiers import InvalidSpecifier, SpecifierSet

    try:
        admitted = SpecifierSet(specifier)
    except InvalidSpecifier:
        return roots
    lost = {
        root for root, since in LOST[name] if admitted.contains(since, prereleases=True) or admitted.contains("9999")
    }
    return tuple(root for root in roots if root not in lost)


def lost_since(distribution: str, root: str) -> str | None:
    """The version from which on a distribution, by its normalized name, does not bring a root any more."""
    from optdep_lint.metadata.known_import_names import LOST

    return dict(LOST.get(distribution, ())).get(root)


def known_roots(name: str) -> tuple[str, ...] | None:
    """Return the roots that the shipped table has for a normalized distribution, or None."""
    from optdep_lint.metadata.known_import_names import (
        DEEP_NAMESPACES,
        NAMESPACES,
        ROOTS,
    )

    if name in ROOTS:
        return tuple(ROOTS[name].split())
    if name.startswith("types-") or name.endswith("-stubs"):
        return ()
    for prefix in sorted(NAMESPACES, key=len, reverse=True):
        if name.startswith(prefix) and name != prefix:
            rest = name[len(prefix) :].replace("-", "." if prefix in DEEP_NAMESPACES else "_")
            return (NAMESPACES[prefix] + rest,)
    return None


def guessed_root(distribution: str) -> str:
    """Guess an import root: hyphens become underscores; with a dot, the rest stays."""
    root = distribution.replace("-", "_")
    return root if "." in root else root.lower()
