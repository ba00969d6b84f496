"""What the absence of a requirement says about the Python and the platform it is absent on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from optdep_lint.metadata.environments import (
    KNOWN_VERSIONS,
    OTHER_PLATFORM,
    PythonVersion,
    can_all_be_false,
    environments,
    falsifying,
)
from optdep_lint.metadata.markers import parse_marker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from optdep_lint.metadata.model import Requirement


@dataclass(frozen=True, slots=True)
class MarkerFacts:
    """What must be so where a requirement is absent; a field without a fact is None or empty."""

    python_min: PythonVersion | None = None
    """The lowest minor version that remains."""
    python_max: PythonVersion | None = None
    """The highest minor version that remains."""
    platforms_excluded: frozenset[str] = frozenset()
    """Values of ``sys.platform`` that are ruled out."""
    platforms_only: frozenset[str] | None = None
    """The only values of ``sys.platform`` that remain."""


def marker_can_be_false(requirement: Requirement, python_versions: Sequence[PythonVersion]) -> bool:
    """Tell whether the marker is false on some platform with one of ``python_versions``."""
    return can_all_be_false([requirement.marker], python_versions)


def marker_facts(requirement: Requirement) -> MarkerFacts:
    """Return what the absence of ``requirement`` implies, read off its marker alone.

    Exact for one comparison. For compound markers each field holds in every environment in which
    the marker is false, and says nothing where no such bound exists.
    """
    return absence_facts([requirement.marker], KNOWN_VERSIONS)


def absence_facts(markers: Sequence[str | None], versions: Sequence[PythonVersion]) -> MarkerFacts:
    """Return what holds in every environment with one of ``versions`` that falsifies all markers.

    No markers, or markers that cannot all be false, give no facts.
    """
    absent = list(falsifying(markers, versions)) if markers else []
    if not absent:
        return MarkerFacts()
    trees = [parse_marker(one) for one in markers if one is not None]
    possible = {one["sys_platform"] for one in environments(trees, versions)}
    remaining = {one["sys_platform"] for one in absent}
    closed = remaining != possible and OTHER_PLATFORM not in remaining
    pythons = [_minor(one["python_version"]) for one in absent]
    return MarkerFacts(
        python_min=min(pythons) if min(pythons) > min(versions) else None,
        python_max=max(pythons) if max(pythons) < max(versions) else None,
        platforms_excluded=frozenset() if closed else frozenset(possible - remaining),
        platforms_only=frozenset(remaining) if closed else None,
    )


def _minor(text: str) -> PythonVersion:
    major, minor = text.split(".")
    return int(major), int(minor)
