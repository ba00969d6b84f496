"""One line for each finding, and a footer."""

from __future__ import annotations

from optdep_lint.findings import Finding
from optdep_lint.reporters import Sheet, applicable


def render(sheet: Sheet) -> str:
    """Lines such as `path:line:column: CODE [*] message`."""
    lines = [_line(finding, sheet) for finding in sheet.findings]
    return "".join(f"{line}\n" for line in (*lines, *footer(sheet)))


def _line(finding: Finding, sheet: Sheet) -> str:
    place = f"{finding.path}:{finding.span.line}:{finding.span.column}:"
    return f"{paint(place, '1', sheet)} {headline(finding, sheet)}"


def headline(finding: Finding, sheet: Sheet) -> str:
    """`CODE [*] message`; the star where `--fix` would repair it."""
    star = f"[{paint('*', '36', sheet)}] " if applicable(finding, sheet) else ""
    return f"{paint(finding.code, '1;31', sheet)} {star}{finding.message}"


def paint(text: str, code: str, sheet: Sheet) -> str:
    """`text` in a colour, as an ANSI code, where the run wants colours."""
    return f"\x1b[{code}m{text}\x1b[0m" if sheet.colour else text


def footer(sheet: Sheet) -> list[str]:
    """How many were found, and how many of them `--fix` would repair."""
    if not sheet.footer:
        return []
    count = len(sheet.findings)
    if not count:
        return [f"Fixed {_errors(sheet.fixed)}, none remaining." if sheet.fixed else "All checks passed!"]
    fixed = f" ({sheet.fixed} fixed, {count} remaining)" if sheet.fixed else ""
    return [f"Found {_errors(count + sheet.fixed)}{fixed}.", *_fix_hint(sheet)]


def _fix_hint(sheet: Sheet) -> list[str]:
    ready = sum(applicable(finding, sheet) for finding in sheet.findings)
    repairable = sum(finding.fix is not None and finding.code in sheet.fixable for finding in sheet.findings)
    unsafe = repairable - ready
    more = f"{unsafe} unsafe fix{'es' * (unsafe != 1)} available with `--fix --unsafe-fixes`"
    if ready:
        return [f"[{paint('*', '36', sheet)}] {ready} fixable with `--fix`" + (f" ({more})." if unsafe else ".")]
    return [f"No fixes available ({more})."] if unsafe else []


def _errors(count: int) -> str:
    return f"{count} error{'s' * (count != 1)}"
