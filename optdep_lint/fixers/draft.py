"""A fix in the making: pieces of text put into files, each where its statement or expression stands."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise

import libcst as cst

from optdep_lint.findings import Applicability, Edit, Fix
from optdep_lint.fixers import Refusal
from optdep_lint.fixers.source import Source, Statement


@dataclass(slots=True)
class ImportPlace:
    """Where import lines go: an offset, and the isort sections of the lines above and below."""

    offset: int
    above: object = None
    below: object = None
    lead: str = ""
    """Blank lines before the first import of a file."""
    tail: str = ""
    """Blank lines after it."""
    lines: dict[tuple[object, ...], str] = field(default_factory=dict)
    """The lines by their isort keys, which begin with the section."""

    def text(self) -> str:
        """The lines in order, sections set apart, without the last newline."""
        result, last = self.lead, self.above
        for key in sorted(self.lines):
            if last is not None and last != key[0]:
                result += "\n"
            result += self.lines[key] + "\n"
            last = key[0]
        if self.below is not None and self.below != last:
            result += "\n"
        return (result + self.tail).removesuffix("\n")


class Draft:
    """Collects the edits of one fix. Text is given with plain newlines and without indentation of its place."""

    def __init__(self) -> None:
        self._edits: dict[Edit, None] = {}
        self._imports: dict[tuple[Source, int], ImportPlace] = {}
        self.unsafe: list[str] = []
        """Why the fix is not safe."""
        self.settled: set[tuple[str, str]] = set()
        """The names, each with its file, that type checkers will take to be always there."""

    def replace(self, source: Source, start: int, end: int, content: str) -> None:
        """Put text in the place of a range.

        Raises:
            Refusal: where the file gives a name that the text uses a meaning of its own.
        """
        if "ImportError" in content and source.rebinds("ImportError"):
            raise Refusal("the file gives `ImportError` a meaning of its own")
        self._edits[source.edit(start, end, content)] = None

    def replace_node(self, source: Source, node: cst.CSTNode, content: str | cst.CSTNode) -> None:
        """Put text or a new node in the place of a node."""
        start, end = source.span(node)
        text = content if isinstance(content, str) else source.module.code_for_node(content)
        self.replace(source, start, end, text)

    def insert(self, source: Source, offset: int, content: str) -> None:
        """Put text at an offset."""
        self.replace(source, offset, offset, content)

    def insert_before(self, source: Source, statement: Statement, lines: str) -> None:
        """Put statements before one, in its block, whatever shares a line with it; its comments stay with it.

        Before an `elif` there is no place: they go before the first `if`.
        """
        while isinstance(above := source.parent(statement), cst.If) and above.orelse is statement:
            statement = above
        start, _ = source.span(statement)
        line, suite, index = _place_of(source, statement)
        indent = _indent_of(source, statement)
        if index > 0:
            separator = _after_previous(source, line, index)
            self.replace(source, separator, start, f"\n{indented(lines, indent)}\n{indent}")
            if suite is not None:
                self.break_suite(source, suite)
        elif suite is not None:
            colon = _after_colon(source, start)
            self.replace(source, colon, start, f"\n{indented(lines, indent)}\n{indent}")
        else:
            at = source.leading_start(statement)
            self.insert(source, at, indented(lines, indent) + "\n")

    def insert_after(self, source: Source, statement: Statement, lines: str) -> None:
        """Put statements after one, in its block."""
        _, end = source.span(statement)
        line, suite, index = _place_of(source, statement)
        indent = _indent_of(source, statement)
        small = getattr(line, "body", None)
        if isinstance(small, (list, tuple)) and index + 1 < len(small):
            following = source.span(small[index + 1])[0]
            self.replace(source, end, following, f"\n{indented(lines, indent)}\n{indent}")
            if suite is not None:
                self.break_suite(source, suite)
            return
        if suite is not None:
            self.break_suite(source, suite)
        self.insert_line(source, source.block_end(statement), indented(lines, indent))

    def give_lines(
        self, source: Source, line: cst.SimpleStatementLine, part: list[cst.BaseSmallStatement], lines: str
    ) -> None:
        """Put lines in the place of statements of a line that follow each other; those before and behind get their own.

        A comment behind the last of them is in the lines.
        """
        first, last = (next(i for i, small in enumerate(line.body) if small is one) for one in (part[0], part[-1]))
        start, end = source.span(part[0])[0], source.span(part[-1])[1]
        indent = _indent_of(source, part[0])
        text = indented(lines, indent)[len(indent) :]
        if first > 0:
            start, text = source.span(line.body[first - 1])[1], f"\n{indent}{text}"
        if last + 1 < len(line.body):
            end, text = source.span(line.body[last + 1])[0], f"{text}\n{indent}"
        elif line.trailing_whitespace.comment is not None:
            end = source.span(line.trailing_whitespace.comment)[1]
        self.replace(source, start, end, text)

    def break_suite(self, source: Source, suite: cst.SimpleStatementSuite) -> None:
        """Give the statements after a colon a line of their own."""
        start = source.span(suite.body[0])[0]
        indent = _indent_of(source, suite.body[0])
        self.replace(source, _after_colon(source, start), start, f"\n{indent}")

    def insert_line(self, source: Source, offset: int, lines: str) -> None:
        """Put whole lines at the beginning of a line, or behind a file that does not end in a newline."""
        ends = offset == 0 or source.text[offset - 1] in "\r\n"
        self.insert(source, offset, f"{lines}\n" if ends else f"\n{lines}")

    def remove_lines(self, source: Source, start: int, end: int) -> None:
        """Take out whole lines."""
        self.replace(source, start, end, "")

    def add_import(self, source: Source, place: ImportPlace, text: str, key: tuple[object, ...]) -> None:
        """Put an import line somewhere; all that go to the same place are put in order in the end."""
        known = self._imports.setdefault((source, place.offset), place)
        known.lines[key] = text

    def imports_at(self, source: Source, offset: int) -> bool:
        """Whether import lines go to a place."""
        return (source, offset) in self._imports

    def _place_imports(self) -> None:
        """Imports stand before whatever else goes to the same place."""
        others, self._edits = self._edits, {}
        for (source, offset), place in self._imports.items():
            self.insert_line(source, offset, place.text())
        self._edits |= others
        self._imports.clear()

    def finish(self, message: str, applicability: Applicability | None = None) -> Fix:
        """The fix; raises Refusal where there is nothing to edit, or pieces of it overlap."""
        self._place_imports()
        edits = sorted(self._edits, key=lambda edit: (edit.path, edit.start, edit.end))
        if not edits:
            raise Refusal("there is nothing to change")
        for left, right in pairwise(edits):
            if left.path == right.path and left.end > right.start:
                raise Refusal("its parts get in each other's way")
        return Fix(applicability or ("unsafe" if self.unsafe else "safe"), message, tuple(edits))


def indented(lines: str, indent: str) -> str:
    """Lines moved to an indentation; empty ones stay empty."""
    return "\n".join(f"{indent}{line}" if line else line for line in lines.split("\n"))


def comment_behind(line: cst.SimpleStatementLine, statement: cst.BaseSmallStatement) -> str:
    """The comment behind a statement that is the last of its line, set apart from it."""
    comment = line.trailing_whitespace.comment
    return f"  {comment.value}" if comment is not None and line.body[-1] is statement else ""


def _place_of(source: Source, statement: Statement) -> tuple[cst.CSTNode | None, cst.SimpleStatementSuite | None, int]:
    """What holds a statement, that again where it is the suite after a colon, and the how-manieth it is there."""
    holder = source.parent(statement)
    if isinstance(holder, (cst.SimpleStatementLine, cst.SimpleStatementSuite)) and isinstance(
        statement, cst.BaseSmallStatement
    ):
        index = next(number for number, one in enumerate(holder.body) if one is statement)
        return holder, holder if isinstance(holder, cst.SimpleStatementSuite) else None, index
    return holder, None, 0


def _indent_of(source: Source, statement: Statement) -> str:
    """The indentation of a statement's block, though the line it stands on may begin in the middle of another."""
    line, suite, _ = _place_of(source, statement)
    if suite is not None:
        head = source.parent(suite)
        assert head is not None
        return source.indent_at(source.span(head)[0]) + source.unit
    first = line.body[0] if isinstance(line, cst.SimpleStatementLine) else statement
    return source.indent_at(source.span(first)[0])


def _after_previous(source: Source, line: cst.CSTNode | None, index: int) -> int:
    assert isinstance(line, (cst.SimpleStatementLine, cst.SimpleStatementSuite))
    return source.span(line.body[index - 1])[1]


def _after_colon(source: Source, start: int) -> int:
    """The offset after the colon before a suite on the same line."""
    while start > 0 and source.text[start - 1] in " \t\f":
        start -= 1
    return start
