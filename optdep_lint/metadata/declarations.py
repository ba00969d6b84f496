"""What one kind of metadata file declares, before import names and extras are worked out."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeVar

from optdep_lint.metadata.model import EntryPoint, MetadataError, MetadataProblem

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from optdep_lint.metadata.dependency_syntax import Dependency


_T = TypeVar("_T")
_NAMED_PYTHON = re.compile(r"\s*Programming Language\s*::\s*Python\s*::\s*(\d+\.\d+)\s*")


def named_pythons(classifiers: Iterable[str]) -> tuple[str, ...]:
    """Return the minor versions of Python that trove classifiers name."""
    found = (_NAMED_PYTHON.fullmatch(one) for one in classifiers)
    return tuple(match[1] for match in found if match is not None)


@dataclass(frozen=True, slots=True)
class Declared:
    """A dependency, where it stands, and the extra or group that it stands under."""

    dependency: Dependency
    path: str
    line: int
    extra: str | None = None
    group: str | None = None


@dataclass(frozen=True, slots=True)
class Declarations:
    """What one source declares; joined with others by `joined`."""

    name: str | None = None
    version: str | None = None
    requires_python: str | None = None
    named_pythons: tuple[str, ...] = ()
    """The versions of Python that its classifiers name."""
    declared: tuple[Declared, ...] = ()
    entry_points: tuple[EntryPoint, ...] = ()
    extras: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()
    package_dirs: tuple[tuple[str, str], ...] = ()
    top_level: tuple[str, ...] = ()
    problems: tuple[MetadataProblem, ...] = ()
    settles: frozenset[str] = field(default_factory=frozenset)
    """The PEP 621 fields that it answers for good: lower sources are not asked."""

    def joined(self, other: Declarations) -> Declarations:
        """Add a source that ranks lower: it fills gaps, and adds what is not settled yet."""
        return Declarations(
            name=self.name or other.name,
            version=self.version or other.version,
            requires_python=self.requires_python or other.requires_python,
            named_pythons=self.named_pythons or other.named_pythons,
            declared=self.declared + other.unsettled(self.settles).declared,
            entry_points=_unique(self.entry_points + (() if "entry-points" in self.settles else other.entry_points)),
            extras=_unique(self.extras + other.unsettled(self.settles).extras),
            sources=_unique(self.sources + other.sources),
            package_dirs=_unique(self.package_dirs + other.package_dirs),
            top_level=_unique(self.top_level + other.top_level),
            problems=self.problems + other.problems,
            settles=self.settles | other.settles,
        )

    def unsettled(self, settled: frozenset[str]) -> Declarations:
        """Leave out the plain requirements and the extras that are settled elsewhere."""
        kept = tuple(
            one
            for one in self.declared
            if one.group is not None
            or ("dependencies" if one.extra is None else "optional-dependencies") not in settled
        )
        extras = () if "optional-dependencies" in settled else self.extras
        return replace(self, declared=kept, extras=extras)


def _unique(items: tuple[_T, ...]) -> tuple[_T, ...]:
    return tuple(dict.fromkeys(items))


def shown_path(path: Path, root: Path) -> str:
    """Spell a path as findings do: POSIX, relative to ``root`` where it lies inside."""
    return path.relative_to(root).as_posix() if path.is_relative_to(root) else path.as_posix()


def read_text(path: Path, root: Path) -> str:
    """Read a metadata file; an unreadable one is a `MetadataError`."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise MetadataError(shown_path(path, root), error.strerror or str(error)) from error
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:
        return content.decode("latin-1")


def entry_point(group: str, name: str, written: str) -> EntryPoint:
    """Parse ``module:attribute [extra, extra]``."""
    value, _, bracket = written.partition("[")
    extras = tuple(part.strip() for part in bracket.rstrip("] \t").split(",") if part.strip())
    return EntryPoint(group, name.strip(), "".join(value.split()), extras)


def entry_points_from_lines(group: str, lines: Iterable[str]) -> tuple[EntryPoint, ...]:
    """Parse ``name = module:attribute`` lines; others are passed over."""
    found = []
    for line in lines:
        name, equals, value = line.partition("=")
        if equals and not line.lstrip().startswith(("#", ";")):
            found.append(entry_point(group, name, value))
    return tuple(found)
