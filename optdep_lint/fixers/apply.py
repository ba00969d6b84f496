"""Repairs projects in memory, and offers fixes for findings without applying them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from optdep_lint.config import Config
from optdep_lint.discovery import Project
from optdep_lint.engine import Looked, Report, look
from optdep_lint.findings import Finding
from optdep_lint.fixers import load_repairs
from optdep_lint.fixers.passes import Passes, build, key_of
from optdep_lint.fixers.workshop import Workshop
from optdep_lint.registry import load_registry


@dataclass(frozen=True, slots=True)
class FixResult:
    """What a run of fixes made of the files."""

    files: Mapping[Path, tuple[bytes, bytes]] = field(default_factory=dict)
    """Old and new bytes of each file that changed."""
    applied: tuple[Finding, ...] = ()
    """The findings that were repaired, with the fixes, whose offsets count in the file as it then was."""
    refused: Mapping[tuple[str, str, str, str], str] = field(default_factory=dict)
    """Why a finding was left, by `passes.key_of`."""
    faults: tuple[str, ...] = ()
    """Mistakes of optdep-lint itself."""


def apply_fixes(
    report: Report, projects: Sequence[Project], config: Config, *, unsafe: bool, jobs: int = 1
) -> FixResult:
    """Repair projects in memory; nothing is written.

    Args:
        report: What was found; where it is empty, nothing is evaluated again.
        projects: The projects; only files that are reported on are starting points of fixes.
        config: Its `fixable` and `unfixable` settings count.
        unsafe: Also apply what may change behaviour.
        jobs: In so many copies of this process the edited projects may be evaluated.
    """
    codes = load_repairs().keys() & load_registry().fixable(config)
    if not any(finding.code in codes for finding in report.findings):
        return FixResult()
    enabled = {rule.code for rule in load_registry().enabled(config)}
    files: dict[Path, tuple[bytes, bytes]] = {}
    applied: list[Finding] = []
    refused: dict[tuple[str, str, str, str], str] = {}
    faults = []
    for project in projects:
        looked = _look(report, project, config, jobs)
        outcome = Passes(looked, config, fixable=codes & enabled, unsafe=unsafe, jobs=jobs).run()
        by_path = {file.relative: file.path for file in project.files}
        files |= {by_path[path]: (old, new) for path, old, new in outcome.changed()}
        applied += outcome.applied
        refused |= outcome.refused
        if outcome.fault is not None:
            faults.append(f"{project.root}: {outcome.fault}")
    return FixResult(files, tuple(applied), refused, tuple(faults))


def offer_fixes(report: Report, project: Project, config: Config) -> Report:
    """The report with a fix, not yet proved, or the reason why there is none, on each finding that has neither."""
    repairs = load_repairs()
    if not any(finding.code in repairs and finding.fix is None for finding in report.findings):
        return report
    workshop = Workshop(_look(report, project, config), config, report.findings)
    findings = []
    for finding in report.findings:
        fix = build(finding, workshop, repairs) if finding.fix is None else None
        if isinstance(fix, str):
            findings.append(replace(finding, refused=fix))
        else:
            findings.append(replace(finding, fix=fix) if fix is not None else finding)
    return replace(report, findings=tuple(findings))


def _look(report: Report, project: Project, config: Config, jobs: int = 1) -> Looked:
    """The project as the report has seen it, or evaluated now."""
    known = next((looked for looked in report.looked if looked.project == project), None)
    return known or look(project, config, cache=report.cache, jobs=jobs)


__all__ = ["FixResult", "apply_fixes", "key_of", "offer_fixes"]
