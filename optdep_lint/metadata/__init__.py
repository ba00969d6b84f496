"""What a project declares: requirements, extras, markers, entry points and import names."""

from __future__ import annotations

from optdep_lint.metadata.environments import KNOWN_VERSIONS, PythonVersion, marker_holds
from optdep_lint.metadata.import_names import ImportNames
from optdep_lint.metadata.installed import InstalledNames
from optdep_lint.metadata.model import (
    EntryPoint,
    MetadataError,
    MetadataProblem,
    ProjectMetadata,
    Requirement,
    RootsSource,
)
from optdep_lint.metadata.names import normalized
from optdep_lint.metadata.read_project import read_project
from optdep_lint.metadata.requirement_facts import MarkerFacts, marker_can_be_false, marker_facts

__all__ = [
    "KNOWN_VERSIONS",
    "EntryPoint",
    "ImportNames",
    "InstalledNames",
    "MarkerFacts",
    "MetadataError",
    "MetadataProblem",
    "ProjectMetadata",
    "PythonVersion",
    "Requirement",
    "RootsSource",
    "marker_can_be_false",
    "marker_facts",
    "marker_holds",
    "normalized",
    "read_project",
]
