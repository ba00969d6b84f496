"""The objects of the json format, one a line."""

from __future__ import annotations

from optdep_lint.reporters import Sheet
from optdep_lint.reporters.json import dump


def render(sheet: Sheet) -> str:
    """One JSON object a line."""
    return "".join(f"{dump(finding)}\n" for finding in sheet.findings)
