"""Lines of code moved to another indentation, with their comments, and strings left as they are."""

# mypy: disable-error-code="type-abstract"
from __future__ import annotations

import re

import libcst as cst

from optdep_lint.fixers.source import Source


def moved(source: Source, start: int, end: int, old: str, new: str) -> str:
    """The whole lines of a range with the indentation `new` in the place of `old`, plain newlines, none at the end.

    Lines within strings stay as they are, but for docstrings, whose indentation nobody sees.
    """
    fixed = _string_lines(source, start, end, old)
    result = []
    number = source.line_of(start)
    for line in re.split(r"\r\n|\r|\n", source.text[start:end]):
        if number in fixed or not line.strip():
            result.append(line if number in fixed else line.strip(" \t"))
        else:
            pages = line[: len(line) - len(line.lstrip("\f"))]
            rest = line[len(pages) :]
            result.append(pages + new + (rest[len(old) :] if rest.startswith(old) else rest.lstrip(" \t")))
        number += 1
    while result and not result[-1]:
        result.pop()
    return "\n".join(result)


def _string_lines(source: Source, start: int, end: int, old: str) -> set[int]:
    """The lines that begin within a string that is not a docstring."""
    fixed: set[int] = set()
    for node, first, last, lines in _long_strings(source):
        if start <= first and last <= end and not (_is_docstring(source, node) and _hangs(source, lines, old)):
            fixed |= set(lines)
    return fixed


def _long_strings(source: Source) -> list[tuple[cst.CSTNode, int, int, range]]:
    """The strings on several lines: where each begins and ends, and its lines but the first."""
    found: list[tuple[cst.CSTNode, int, int, range]] | None = source.kept.get("long strings")
    if found is None:
        found = source.kept["long strings"] = []
        for node in source.all(cst.CSTNode):
            if isinstance(node, (cst.SimpleString, cst.FormattedString)):
                first, last = source.span(node)
                lines = range(source.line_of(first) + 1, source.line_of(last) + 1)
                if lines:
                    found.append((node, first, last, lines))
    return found


def _is_docstring(source: Source, node: cst.CSTNode) -> bool:
    holder = source.parent(node)
    line = source.parent(holder) if isinstance(holder, cst.Expr) else None
    block = source.parent(line) if isinstance(line, cst.SimpleStatementLine) else None
    return isinstance(block, (cst.IndentedBlock, cst.Module)) and block.body[0] is line


def _hangs(source: Source, lines: range, indent: str) -> bool:
    """Every line is indented at least as far as the code."""
    for number in lines:
        start = source.offset(number, 1)
        text = source.text[start : source.line_end(start)]
        if text.strip() and not text.startswith(indent):
            return False
    return True


def set_apart(source: Source, start: int, end: int, text: str) -> str:
    """A compound statement in the place of an import's lines, with the blank lines that isort wants around it."""
    tail = "\n" if source.text[end - 1 : end] in ("\r", "\n") else ""
    above = source.text[source.line_start(start - 1) : start] if start else ""
    below = source.text[end : source.line_end(end)]
    lead = "\n" if above.lstrip().startswith(("import ", "from ")) else ""
    return lead + text + tail + ("\n" if below.lstrip().startswith(("import ", "from ")) else "")
