"""For people: message, excerpt, and the chain of steps that leads there."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator

from optdep_lint.findings import Finding, Span
from optdep_lint.reporters import Sheet
from optdep_lint.reporters.concise import footer, headline, paint

_MAX_LINES = 6
"""Of a longer statement the excerpt shows the beginning."""


def render(sheet: Sheet) -> str:
    """A block for each finding, closed by an empty line, and a footer."""
    texts: dict[str, list[str]] = {}
    lines: list[str] = []
    for finding in sheet.findings:
        if finding.path not in texts:
            texts[finding.path] = (sheet.read(finding.path) or "").split("\n")
        lines += _block(finding, texts[finding.path], sheet)
    return "".join(f"{line}\n" for line in (*lines, *footer(sheet)))


def _block(finding: Finding, text: list[str], sheet: Sheet) -> Iterator[str]:
    span = finding.span
    last = min(max(span.end_line, span.line), span.line + _MAX_LINES - 1)
    shown = [number for number in range(span.line - 1, last + 2) if 1 <= number <= len(text)]
    while shown and shown[-1] > last and not text[shown[-1] - 1].strip():
        shown.pop()
    width = len(str(shown[-1])) if shown else 1
    bar = paint("|", "1;34", sheet)
    yield headline(finding, sheet)
    yield f"{' ' * width}{paint('-->', '1;34', sheet)} {finding.path}:{span.line}:{span.column}"
    if shown:
        yield f"{' ' * width} {bar}"
    for number in shown:
        line = _expand(text[number - 1].rstrip("\r"))
        yield f"{paint(f'{number:>{width}}', '1;34', sheet)} {bar} {line}".rstrip()
        carets = _carets(text[number - 1].rstrip("\r"), number, span)
        if carets:
            yield f"{' ' * width} {bar} {paint(carets, '1;31', sheet)}"
    if shown:
        yield f"{' ' * width} {bar}"
    yield from (f"{' ' * width} {paint('=', '1;34', sheet)} {note}" for note in _notes(finding))
    yield ""


def _notes(finding: Finding) -> Iterator[str]:
    for step in finding.because:
        yield f"because: {step.path}:{step.line}: {step.message}"
    if finding.fix is not None:
        unsafe = "" if finding.fix.applicability == "safe" else " (unsafe fix)"
        yield f"help: {finding.fix.message}{unsafe}"
    if finding.refused is not None:
        yield f"no fix: {finding.refused}"


def _carets(line: str, number: int, span: Span) -> str:
    """Carets below what the span covers of that line, less its indentation."""
    if not span.line <= number <= max(span.end_line, span.line):
        return ""
    start = span.column - 1 if number == span.line else len(line) - len(line.lstrip())
    end = span.end_column - 1 if number == span.end_line else len(line)
    before, below = _expand(line[:start]), _expand(line[start : max(end, start + 1)]).rstrip()
    return " " * _columns(before) + "^" * max(1, _columns(below))


def _expand(text: str) -> str:
    return text.replace("\t", "    ")


def _columns(text: str) -> int:
    """Cells of a terminal: wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    wide = sum(unicodedata.east_asian_width(letter) in "WF" for letter in text)
    return len(text) + wide - sum(unicodedata.combining(letter) != 0 for letter in text)
