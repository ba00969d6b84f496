"""One source file as text, syntax tree and bytes: where a node stands, and which bytes that is."""

# mypy: disable-error-code="type-abstract"
from __future__ import annotations

import bisect
import io
import re
import tokenize
from collections.abc import Collection, Iterator
from functools import cached_property
from typing import Any, TypeVar

import libcst as cst

from optdep_lint.findings import Edit
from optdep_lint.fixers import Refusal
from optdep_lint.fixers.places import Places, places_of

N = TypeVar("N", bound=cst.CSTNode)
Statement = cst.BaseSmallStatement | cst.BaseCompoundStatement

_NEWLINE = re.compile(r"\r\n|\r|\n")
_BOM = b"\xef\xbb\xbf"


class Source:
    """A file and its tree. Offsets count code points of `text`; only edits count bytes."""

    def __init__(self, path: str, content: bytes) -> None:
        """Read a file's bytes.

        Raises:
            Refusal: where the file cannot be decoded or parsed.
        """
        self.path, self.content = path, content
        self.text, self.encoding, self._bom = _decode(content)
        self.newline = _prevailing_newline(self.text)
        self.kept: dict[str, Any] = {}
        """What has been worked out of the tree, for whoever asks the same again."""
        self._kinds: dict[type[cst.CSTNode], list[int]] = {}
        self._starts = [0, *(match.end() for match in _NEWLINE.finditer(self.text))]

    @cached_property
    def module(self) -> cst.Module:
        """The tree. Form feeds are left out, which libcst would lose: they are white space, or text of no interest."""
        try:
            return cst.parse_module(self.text.replace("\f", ""))
        except (cst.ParserSyntaxError, SyntaxError, UnicodeError, RecursionError) as error:
            raise Refusal("the file is written in a syntax that the fixer cannot read") from error

    @cached_property
    def _places(self) -> Places:
        return places_of(self.module, self.text)

    # --- places ------------------------------------------------------------------------------------------------------

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and a column from 1."""
        return self._starts[min(line, len(self._starts)) - 1] + column - 1

    def line_of(self, offset: int) -> int:
        """The line, from 1, of an offset."""
        return bisect.bisect_right(self._starts, offset)

    def span(self, node: cst.CSTNode) -> tuple[int, int]:
        """Where a node begins and ends; decorators belong to what they decorate."""
        start, end = self._places.spans[node]
        if isinstance(node, (cst.FunctionDef, cst.ClassDef)) and node.decorators:
            start = self._places.spans[node.decorators[0]][0]
        return start, self._without_line_end(start, end) if isinstance(node, cst.BaseCompoundStatement) else end

    def whole(self, node: cst.BaseExpression) -> tuple[int, int]:
        """Where an expression begins and ends with its parentheses."""
        start, end = self.span(node)
        return (
            self.span(node.lpar[0])[0] if node.lpar else start,
            self.span(node.rpar[-1])[1] if node.rpar else end,
        )

    def _without_line_end(self, start: int, end: int) -> int:
        """A compound statement ends where its last statement does, not after the newline and comments that follow."""
        while end > start and self.text[end - 1] in "\r\n\f \t":
            end -= 1
        return end

    def code(self, node: cst.CSTNode) -> str:
        """The text of a node as it is written."""
        start, end = self.span(node)
        return self.text[start:end]

    def line_start(self, offset: int) -> int:
        """The offset at which the line of an offset begins."""
        return self._starts[self.line_of(offset) - 1]

    def line_end(self, offset: int) -> int:
        """The offset after the newline of the line of an offset."""
        line = self.line_of(offset)
        return self._starts[line] if line < len(self._starts) else len(self.text)

    def indent_at(self, offset: int) -> str:
        """The white space at the beginning of the line of an offset."""
        start = self.line_start(offset)
        match = re.compile(r"[ \t\f]*").match(self.text, start)
        return match[0].rpartition("\f")[2] if match else ""

    @cached_property
    def unit(self) -> str:
        """One step of indentation."""
        return self.module.default_indent or "    "

    def leading_start(self, node: cst.CSTNode) -> int:
        """Where the lines of a statement begin, comments that stand directly above it included.

        Comments above the first statement belong to the file.
        """
        start = self.line_start(self.span(node)[0])
        if self.module.body and start <= self.span(self.module.body[0])[0]:
            return start
        indent = self.indent_at(start)
        while start > 0:
            above = self.line_start(start - 1)
            line = self.text[above:start]
            if not line.startswith(f"{indent}#") or _is_header(line, above):
                break
            start = above
        return start

    def block_end(self, node: cst.CSTNode) -> int:
        """The offset after the last line of a statement, its trailing comment included."""
        return self.line_end(max(self.span(node)[1] - 1, 0))

    # --- nodes -------------------------------------------------------------------------------------------------------

    def parent(self, node: cst.CSTNode) -> cst.CSTNode | None:
        """The node around a node."""
        return self._places.parents.get(node)

    def ancestors(self, node: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """The nodes around a node, innermost first."""
        current = self.parent(node)
        while current is not None:
            yield current
            current = self.parent(current)

    def enclosing(self, node: cst.CSTNode, kind: type[N]) -> N | None:
        """The innermost node of a kind around a node."""
        return next((one for one in self.ancestors(node) if isinstance(one, kind)), None)

    def at(self, line: int, column: int, kind: type[N]) -> N | None:
        """The outermost node of a kind that begins at a line and a column from 1."""
        wanted = self.offset(line, column)
        spans = self._places.spans
        found = [node for node in self.all(kind) if wanted in (spans[node][0], self.span(node)[0])]
        return max(found, key=lambda node: self.span(node)[1]) if found else None

    def covering(self, offset: int, kind: type[N]) -> N | None:
        """The innermost node of a kind that covers an offset."""
        spans = self._places.spans
        found = [node for node in self.all(kind) if spans[node][0] <= offset < spans[node][1]]
        return min(found, key=lambda node: self.span(node)[1] - self.span(node)[0]) if found else None

    def statement_at(self, line: int, column: int) -> Statement:
        """The innermost statement that covers a line and a column from 1; raises Refusal where there is none."""
        offset = self.offset(line, column)
        found: Statement | None = self.covering(offset, cst.BaseSmallStatement) or self.covering(
            offset, cst.BaseCompoundStatement
        )
        if found is None:
            raise Refusal("the statement was not found again")
        return found

    def all(
        self, kind: type[N], within: cst.CSTNode | None = None, but: tuple[type[cst.CSTNode], ...] = ()
    ) -> Iterator[N]:
        """Every node of a kind, in the order of the text, in a node or the whole file.

        Args:
            kind: The class.
            within: Where to look.
            but: Kinds of nodes into which it is not looked.
        """
        nodes, inside = self._places.nodes, self._places.inside
        index, end = inside[within] if within is not None else (0, len(nodes))
        if not but:
            numbers = self._of_kind(kind)
            first, last = bisect.bisect_left(numbers, index), bisect.bisect_left(numbers, end)
            yield from (nodes[number] for number in numbers[first:last])  # type: ignore[misc]  # found by their types
            return
        while index < end:
            node = nodes[index]
            if isinstance(node, kind):
                yield node
            index = inside[node][1] if isinstance(node, but) else index + 1

    def _of_kind(self, kind: type[cst.CSTNode]) -> list[int]:
        """The numbers of the nodes of a kind, in the order of the text: most questions are for few of very many."""
        found = self._kinds.get(kind)
        if found is None:
            types = [one for one in self._types if issubclass(one, kind)]
            found = self._kinds[kind] = sorted(number for one in types for number in self._types[one])
        return found

    @cached_property
    def _types(self) -> dict[type[cst.CSTNode], list[int]]:
        """The numbers of the nodes of each type."""
        found: dict[type[cst.CSTNode], list[int]] = {}
        for number, node in enumerate(self._places.nodes):
            found.setdefault(type(node), []).append(number)
        return found

    @cached_property
    def spelled(self) -> dict[str, list[cst.Name]]:
        """Every identifier in the file, with the nodes that spell it, in the order of the text."""
        found: dict[str, list[cst.Name]] = {}
        for node in self.all(cst.Name):
            found.setdefault(node.value, []).append(node)
        return found

    @property
    def names(self) -> Collection[str]:
        """Every identifier in the file."""
        return self.spelled.keys()

    def rebinds(self, name: str) -> bool:
        """Somewhere in the file a name is given another meaning than the one that all files share."""
        for node in self.spelled.get(name, ()):
            around = self.parent(node)
            if isinstance(around, (cst.AssignTarget, cst.AsName, cst.Param)):
                return True
            if isinstance(around, (cst.ClassDef, cst.FunctionDef, cst.ImportAlias)) and around.name is node:
                return True
        return False

    def fresh_name(self, *wanted: str) -> str:
        """The first of the wanted names that the file does not use yet, or a variation of the last."""
        for name in wanted:
            if name not in self.names:
                return name
        return next(name for number in range(2, 1000) if (name := f"{wanted[-1]}_{number}") not in self.names)

    # --- bytes -------------------------------------------------------------------------------------------------------

    def edit(self, start: int, end: int, content: str) -> Edit:
        """The edit that puts `content`, written with plain newlines, in the place of a range of text.

        Raises:
            Refusal: where the file's encoding has no bytes for the content.
        """
        content = content.replace("\n", self.newline)
        try:
            content.encode(self.encoding)
        except UnicodeEncodeError as error:
            raise Refusal(f"the fix cannot be written in {self.encoding}") from error
        return Edit(self.path, self._byte_of(start), self._byte_of(end), content)

    def _byte_of(self, offset: int) -> int:
        line = self.line_of(offset) - 1
        return self._byte_starts[line] + len(self.text[self._starts[line] : offset].encode(self.encoding))

    @cached_property
    def _byte_starts(self) -> list[int]:
        starts, position = [], self._bom
        for start, end in zip(self._starts, [*self._starts[1:], len(self.text)], strict=True):
            starts.append(position)
            position += len(self.text[start:end].encode(self.encoding))
        if position != len(self.content):
            raise Refusal(f"a file in {self.encoding} cannot be edited piece by piece")
        return starts


def encoding_of(content: bytes) -> str:
    """The encoding of a file's text after its BOM; raises Refusal where Python could not read it."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
    except (SyntaxError, LookupError) as error:
        raise Refusal("the file cannot be decoded") from error
    return "utf-8" if encoding == "utf-8-sig" else encoding


def _decode(content: bytes) -> tuple[str, str, int]:
    """The text, its encoding and how many bytes stand before it."""
    encoding = encoding_of(content)
    bom = len(_BOM) if content.startswith(_BOM) else 0
    try:
        text = content[bom:].decode(encoding)
        if text.encode(encoding) != content[bom:]:
            raise Refusal(f"the file is not in canonical {encoding}")
    except UnicodeError as error:
        raise Refusal("the file cannot be decoded") from error
    return text, encoding, bom


def _prevailing_newline(text: str) -> str:
    counts = {"\n": 0, "\r\n": 0, "\r": 0}
    for match in _NEWLINE.finditer(text):
        counts[match[0]] += 1
    return max(counts, key=lambda newline: counts[newline])


def _is_header(line: str, offset: int) -> bool:
    """A comment that must stay the first of its file."""
    return (offset == 0 and line.startswith("#!")) or (bool(re.match(r"[ \t\f]*#.*?coding[:=]", line)) and offset < 200)
