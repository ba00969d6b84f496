"""The marks of text reports: which findings a fix could be built for, as far as that is quickly known.

A fix is proved only when it is to be applied, so a mark is an offer. Building fixes takes libcst, and time: what was built
once is remembered by the file and its findings, and where too much would have to be built there are no marks.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from optdep_lint import __version__
from optdep_lint.cache import Cache, cache_key
from optdep_lint.cli.settings import open_cache
from optdep_lint.findings import Finding, Fix
from optdep_lint.recall import digest_of

if TYPE_CHECKING:
    from optdep_lint.cli.check import Checked
    from optdep_lint.discovery import Project

_MOST_BYTES = 128 * 1024
"""Of the files to build fixes in: reading a kilobyte with libcst takes five milliseconds."""
_MOST_FILES = 500
"""Of a project: how it asks for things is looked up in all of it."""


def mark(checked: Sequence[Checked], options: argparse.Namespace) -> Sequence[Checked]:
    """The reports with fixes, without their edits, on the findings that can have one, or as they are."""
    if not any(each.report.findings for each in checked):
        return checked
    cache = open_cache([each.job.project.root for each in checked], options)
    marked = [_mark(each, cache) for each in checked]
    if cache is not None:
        cache.flush()
    return marked


def _mark(checked: Checked, cache: Cache | None) -> Checked:
    if not hasattr(checked.report, "looked"):
        return checked
    project = checked.job.project
    by_path: dict[str, list[Finding]] = {}
    for finding in checked.report.findings:
        by_path.setdefault(finding.path, []).append(finding)
    keys = _keys(project, by_path)
    fixes = {path: _remembered(cache, key) for path, key in keys.items()}
    missing = {path for path, found in fixes.items() if found is None}
    if missing:
        if not _is_quick(project, missing):
            return checked
        for path, built in _build(checked, missing).items():
            fixes[path] = built
            if cache is not None:
                cache.put(keys[path], json.dumps([fix and [fix.applicability, fix.message] for fix in built]).encode())
    left = {path: iter(found or ()) for path, found in fixes.items()}
    findings = (
        replace(finding, fix=next(left[finding.path])) if finding.path in left else finding
        for finding in checked.report.findings
    )
    return replace(checked, report=replace(checked.report, findings=tuple(findings)))


def _keys(project: Project, by_path: Mapping[str, Sequence[Finding]]) -> dict[str, bytes]:
    """What the fixes of each file's findings are remembered by."""
    keys = {}
    for file in project.files:
        if file.relative in by_path:
            said = repr([(finding.code, finding.span, finding.message) for finding in by_path[file.relative]])
            keys[file.relative] = cache_key(f"marks {__version__}", digest_of(file), said.encode())
    return keys


def _remembered(cache: Cache | None, key: bytes) -> Sequence[Fix | None] | None:
    data = cache.get(key) if cache is not None else None
    try:
        offers: list[Any] | None = json.loads(data) if data is not None else None
        return [None if offer is None else Fix(offer[0], offer[1], ()) for offer in offers] if offers else None
    except (ValueError, TypeError, IndexError):
        return None


def _is_quick(project: Project, paths: Iterable[str]) -> bool:
    """Few enough bytes to read, in a small enough project."""
    if len(project.files) > _MOST_FILES:
        return False
    wanted, size = set(paths), 0
    for file in project.files:
        if file.relative in wanted:
            try:
                size += len(file.content) if file.content is not None else file.path.stat().st_size
            except OSError:
                return False
    return size <= _MOST_BYTES


def _build(checked: Checked, paths: set[str]) -> dict[str, list[Fix | None]]:
    """The fixes of the findings in some files."""
    from optdep_lint.fixers.apply import offer_fixes

    findings = tuple(finding for finding in checked.report.findings if finding.path in paths)
    offered = offer_fixes(replace(checked.report, findings=findings), checked.job.project, checked.job.config)
    built: dict[str, list[Fix | None]] = {}
    for finding in offered.findings:
        built.setdefault(finding.path, []).append(finding.fix and replace(finding.fix, edits=()))
    return built
