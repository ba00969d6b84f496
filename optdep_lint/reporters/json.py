"""One array with one object for each finding: a contract that scores and editors rely on."""

from __future__ import annotations

import json

from optdep_lint.findings import Finding, Fix
from optdep_lint.reporters import Sheet


def render(sheet: Sheet) -> str:
    """An array, one finding a line."""
    return "[" + ",".join(f"\n  {dump(finding)}" for finding in sheet.findings) + "\n]\n"


def dump(finding: Finding) -> str:
    """One finding on one line."""
    return json.dumps(as_object(finding), ensure_ascii=False)


def as_object(finding: Finding) -> dict[str, object]:
    """Lines and columns from 1, columns in code points, the end exclusive; edits in byte offsets."""
    return {
        "code": finding.code,
        "name": finding.name,
        "path": finding.path,
        "line": finding.span.line,
        "column": finding.span.column,
        "end_line": finding.span.end_line,
        "end_column": finding.span.end_column,
        "message": finding.message,
        "absent": finding.absent,
        "extra": finding.extra,
        "because": [{"path": step.path, "line": step.line, "message": step.message} for step in finding.because],
        "fix": None if finding.fix is None else _fix(finding.fix),
    }


def _fix(fix: Fix) -> dict[str, object]:
    edits = [{"path": edit.path, "start": edit.start, "end": edit.end, "content": edit.content} for edit in fix.edits]
    return {"applicability": fix.applicability, "edits": edits}
