"""The parseable format of pylint, which many tools read."""

from __future__ import annotations

from optdep_lint.reporters import Sheet


def render(sheet: Sheet) -> str:
    """`path:line: [CODE] message`, one a line."""
    return "".join(
        f"{finding.path}:{finding.span.line}: [{finding.code}] {finding.message}\n" for finding in sheet.findings
    )
