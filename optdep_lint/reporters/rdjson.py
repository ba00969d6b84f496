"""reviewdog's diagnostic format."""

from __future__ import annotations

import json

from optdep_lint.findings import Finding
from optdep_lint.reporters import Sheet, url

_LEVELS = {"error": "ERROR", "warning": "WARNING", "info": "INFO"}


def render(sheet: Sheet) -> str:
    """One object; reviewdog counts columns in UTF-8 bytes, so they are taken from the text."""
    texts: dict[str, list[str]] = {}
    diagnostics = []
    for finding in sheet.findings:
        if finding.path not in texts:
            texts[finding.path] = (sheet.read(finding.path) or "").split("\n")
        diagnostics.append(_diagnostic(finding, texts[finding.path], sheet))
    source = {"name": "optdep-lint", "url": "https://github.com/optdep-lint/optdep-lint"}
    content = {"source": source, "severity": "WARNING", "diagnostics": diagnostics}
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def _diagnostic(finding: Finding, text: list[str], sheet: Sheet) -> dict[str, object]:
    span = finding.span
    start = {"line": span.line, "column": _byte_column(text, span.line, span.column)}
    end = {"line": span.end_line, "column": _byte_column(text, span.end_line, span.end_column)}
    return {
        "code": {"value": finding.code, "url": url(finding)},
        "location": {"path": finding.path, "range": {"start": start, "end": end}},
        "message": finding.message,
        "severity": _LEVELS[sheet.severity(finding.code)],
    }


def _byte_column(text: list[str], line: int, column: int) -> int:
    if not 1 <= line <= len(text):
        return column
    return len(text[line - 1][: column - 1].encode("utf-8", "replace")) + 1
