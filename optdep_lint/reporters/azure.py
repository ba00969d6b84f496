"""Commands that Azure Pipelines turns into annotations."""

from __future__ import annotations

from optdep_lint.reporters import Sheet


def render(sheet: Sheet) -> str:
    """`##vso[task.logissue type=...]CODE message`, one a line; there is no level below `warning`."""
    lines = []
    for finding in sheet.findings:
        level = "error" if sheet.severity(finding.code) == "error" else "warning"
        place = f"sourcepath={finding.path};linenumber={finding.span.line};columnnumber={finding.span.column}"
        lines.append(f"##vso[task.logissue type={level};{place};code={finding.code};]{finding.message}\n")
    return "".join(lines)
