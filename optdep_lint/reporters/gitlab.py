"""GitLab's code quality report."""

from __future__ import annotations

import hashlib
import json
from collections import Counter

from optdep_lint.reporters import Sheet

_LEVELS = {"error": "major", "warning": "minor", "info": "info"}


def render(sheet: Sheet) -> str:
    """An array of issues; the fingerprint does not depend on the line, so that moved code stays known."""
    seen: Counter[tuple[str, ...]] = Counter()
    issues = []
    for finding in sheet.findings:
        identity = (finding.code, finding.path, finding.absent or "", finding.message)
        seen[identity] += 1
        digest = hashlib.sha256("\0".join((*identity, str(seen[identity]))).encode()).hexdigest()
        span = finding.span
        begin = {"line": span.line, "column": span.column}
        end = {"line": span.end_line, "column": span.end_column}
        issues.append(
            {
                "check_name": finding.code,
                "description": f"{finding.code}: {finding.message}",
                "severity": _LEVELS[sheet.severity(finding.code)],
                "fingerprint": digest,
                "location": {"path": finding.path, "positions": {"begin": begin, "end": end}},
            }
        )
    return json.dumps(issues, indent=2, ensure_ascii=False) + "\n"
