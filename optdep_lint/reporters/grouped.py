"""The findings below the name of their file."""

from __future__ import annotations

from itertools import groupby

from optdep_lint.reporters import Sheet
from optdep_lint.reporters.concise import footer, headline, paint


def render(sheet: Sheet) -> str:
    """A heading for each file, then `line:column CODE message`."""
    blocks = []
    for path, group in groupby(sheet.findings, key=lambda finding: finding.path):
        rows = [(f"{finding.span.line}:{finding.span.column}", headline(finding, sheet)) for finding in group]
        width = max(len(place) for place, _ in rows)
        blocks.append(f"{paint(path, '1', sheet)}:")
        blocks += [f"  {place:<{width}} {text}" for place, text in rows]
        blocks.append("")
    return "".join(f"{line}\n" for line in (*blocks, *footer(sheet)))
