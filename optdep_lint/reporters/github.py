"""Commands that GitHub Actions turns into annotations."""

from __future__ import annotations

from optdep_lint.reporters import Sheet

_LEVELS = {"error": "error", "warning": "warning", "info": "notice"}


def render(sheet: Sheet) -> str:
    """`::error title=...,file=...,line=...::path:line:column: CODE message`, one a line."""
    lines = []
    for finding in sheet.findings:
        span = finding.span
        place = f"file={_property(finding.path)},line={span.line},col={span.column}"
        end = f"endLine={span.end_line},endColumn={span.end_column}"
        text = _data(f"{finding.path}:{span.line}:{span.column}: {finding.code} {finding.message}")
        level = _LEVELS[sheet.severity(finding.code)]
        lines.append(f"::{level} title=optdep-lint ({finding.code}),{place},{end}::{text}\n")
    return "".join(lines)


def _data(text: str) -> str:
    return text.replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")
