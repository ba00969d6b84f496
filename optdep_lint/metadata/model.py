"""The words of the metadata room: requirement, entry point, problem, project."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, TypeAlias

from optdep_lint.metadata.environments import can_all_be_false, supported_versions
from optdep_lint.metadata.names import normalized
from optdep_lint.metadata.requirement_facts import MarkerFacts, absence_facts

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

RootsSource: TypeAlias = Literal["table", "user", "installed", "guess", "likely", "brought"]


class MetadataError(Exception):
    """A metadata file that cannot be read; ``str()`` is one line with the file and the key."""

    def __init__(self, path: str, message: str, *, line: int | None = None, key: str | None = None) -> None:
        """Say which file (as shown to the user), which line (1-based) and which key is wrong."""
        super().__init__(path, message, line, key)
        self.path = path
        self.message = " ".join(message.split())
        self.line = line
        self.key = key

    def __str__(self) -> str:
        place = self.path if self.line is None else f"{self.path}:{self.line}"
        return f"{place}: {self.key}: {self.message}" if self.key else f"{place}: {self.message}"

    def __reduce__(self) -> tuple[object, ...]:
        return _rebuilt_error, (self.path, self.message, self.line, self.key)


def _rebuilt_error(path: str, message: str, line: int | None, key: str | None) -> MetadataError:
    return MetadataError(path, message, line=line, key=key)


@dataclass(frozen=True, slots=True)
class MetadataProblem:
    """Something that was skipped while reading: the rest of the metadata still counts."""

    path: str
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Requirement:
    """One distribution that the project asks for, under one extra, one group or neither."""

    distribution: str
    """Normalized name (PEP 503)."""
    specifier: str
    """Version specifier or ``@ url``; empty when any version will do."""
    marker: str | None
    """Environment marker without its extra clause."""
    extra: str | None
    """The extra that brings it, spelled as declared."""
    group: str | None
    """The dependency group (PEP 735, poetry, pdm, uv) that brings it: never there at run time."""
    roots: tuple[str, ...]
    """What it lets one import; dotted below a namespace package (``google.cloud.storage``)."""
    roots_source: RootsSource
    """Where ``roots`` comes from."""
    path: str
    """The declaring file: POSIX, relative to the project's root where it lies inside."""
    line: int
    """Line of the declaration, from 1; the best that could be found."""
    requested_extras: tuple[str, ...] = ()
    """The extras it asks of the distribution, as in ``uvicorn[standard]``."""


@dataclass(frozen=True, slots=True)
class EntryPoint:
    """One entry point: ``value`` is ``module:attribute`` without its extras."""

    group: str
    name: str
    value: str
    extras: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ProjectMetadata:
    """What a project declares, from whichever files declare it."""

    root: Path
    name: str | None = None
    version: str | None = None
    requires_python: str | None = None
    named_pythons: tuple[str, ...] = ()
    """The versions of Python that classifiers name, as ``3.4``."""
    requirements: tuple[Requirement, ...] = ()
    entry_points: tuple[EntryPoint, ...] = ()
    extras: tuple[str, ...] = ()
    """Names of the extras, spelled and ordered as declared."""
    sources: tuple[str, ...] = ()
    """The files read, spelled like ``Requirement.path``."""
    package_dirs: tuple[tuple[str, str], ...] = ()
    """(package, or "" for the top, and its POSIX folder relative to ``root``)."""
    top_level: tuple[str, ...] = ()
    """Import names that built metadata says the project itself installs."""
    bring: Mapping[str, frozenset[str]] = field(default_factory=dict, hash=False)
    """``name`` or ``name[extra]`` to what it brings, as lock file and installed metadata say."""
    platform_requirements: Mapping[str, tuple[Requirement, ...]] = field(default_factory=dict, hash=False)
    """Platform word (``rocm``) to what its own requirements files ask for: facts, not required."""
    problems: tuple[MetadataProblem, ...] = ()
    """What was skipped."""

    @property
    def required(self) -> tuple[Requirement, ...]:
        """The plain requirements, of no extra and no group; their markers may be false."""
        return tuple(one for one in self.requirements if one.extra is None and one.group is None)

    @property
    def groups(self) -> tuple[str, ...]:
        """The dependency groups that ask for something, in order."""
        return tuple(dict.fromkeys(one.group for one in self.requirements if one.group is not None))

    def optional(self, extra: str) -> tuple[Requirement, ...]:
        """Return what ``extra`` (any spelling) brings."""
        wanted = normalized(extra)
        return tuple(one for one in self.requirements if one.extra is not None and normalized(one.extra) == wanted)

    def in_group(self, group: str) -> tuple[Requirement, ...]:
        """Return what the dependency group (any spelling) brings."""
        wanted = normalized(group)
        return tuple(one for one in self.requirements if one.group is not None and normalized(one.group) == wanted)

    def roots_of(self, distribution: str) -> tuple[str, ...]:
        """Return the import roots of a declared distribution (any spelling), or nothing."""
        wanted = normalized(distribution)
        return tuple(
            dict.fromkeys(root for one in self.requirements if one.distribution == wanted for root in one.roots)
        )

    def requirements_of(self, root: str) -> tuple[Requirement, ...]:
        """Return every requirement, optional ones included, that lets one import ``root``."""
        return tuple(one for one in self.requirements if root in one.roots)

    def import_roots_required(self) -> dict[str, list[Requirement]]:
        """Map each import root of the plain requirements to those that bring it."""
        return _by_root(self.required)

    def import_roots_optional(self) -> dict[str, list[Requirement]]:
        """Map each import root of an extra or a group to the requirements that bring it."""
        return _by_root(tuple(one for one in self.requirements if one.extra is not None or one.group is not None))

    def is_guaranteed(self, root: str) -> bool:
        """Tell whether a plain install brings ``root`` on every supported Python and platform."""
        markers = [one.marker for one in self.required if root in one.roots]
        return bool(markers) and not can_all_be_false(markers, self.python_versions())

    def absence_of(self, root: str) -> MarkerFacts:
        """Return what the absence of ``root`` says of Python and platform."""
        markers = [one.marker for one in self.required if root in one.roots]
        return absence_facts(markers, self.python_versions())

    def brought_by(self, requirement: Requirement) -> frozenset[str]:
        """Return the distributions that ``requirement`` is known to bring, itself excluded."""
        plain = self.bring.get(requirement.distribution, frozenset())
        return self.bring.get(bring_key(requirement.distribution, requirement.requested_extras), plain)

    def python_versions(self) -> tuple[tuple[int, int], ...]:
        """Return the minor versions from 3.8 to 3.15 that ``requires-python`` admits."""
        return supported_versions(self.requires_python)

    def newest_python(self) -> tuple[int, int] | None:
        """Return the newest Python that the project names, where nothing else limits it."""
        if self.requires_python is not None or not self.named_pythons:
            return None
        return max((int(major), int(minor)) for major, _, minor in (one.partition(".") for one in self.named_pythons))


def bring_key(distribution: str, extras: tuple[str, ...]) -> str:
    """Return the key of ``ProjectMetadata.bring`` for a distribution with requested extras."""
    names = sorted(normalized(extra) for extra in extras)
    return f"{distribution}[{','.join(names)}]" if names else distribution


def _by_root(requirements: tuple[Requirement, ...]) -> dict[str, list[Requirement]]:
    by_root: dict[str, list[Requirement]] = {}
    for one in requirements:
        for root in one.roots:
            by_root.setdefault(root, []).append(one)
    return by_root
