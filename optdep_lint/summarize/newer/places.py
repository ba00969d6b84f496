"""Where libcst's nodes stand, told as the running Python's tree tells it."""

from __future__ import annotations

import re
from typing import Any, TypeVar

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider

from optdep_lint.summarize.newer import NotNewer

_NEWLINE = re.compile(r"\r\n?|\n")
_Tree = TypeVar("_Tree")


class Places:
    """The places of one module's nodes: lines from 1, columns in UTF-8 bytes from 0."""

    def __init__(self, module: cst.Module, source: bytes) -> None:
        wrapper = MetadataWrapper(module, unsafe_skip_copy=True)  # the parser gives no node twice
        self._ranges: Any = wrapper.resolve(PositionProvider)
        text = source.decode(module.encoding)
        self._lines = None if text.isascii() else _NEWLINE.split(text)
        self._dropped = _dropped(module, text) if "\f" in text else {}

    def at(self, tree: _Tree, first: cst.CSTNode, last: cst.CSTNode | None = None) -> _Tree:
        """Give the tree the place from `first` to `last`, without their parentheses."""
        return self._set(tree, self._ranges[first], self._ranges[last or first])

    def around(self, tree: _Tree, first: cst.CSTNode, last: cst.CSTNode | None = None) -> _Tree:
        """Give the tree the place from `first` to `last`, with their parentheses."""
        left, right = getattr(first, "lpar", ()), getattr(last or first, "rpar", ())
        return self.at(tree, left[0] if left else first, right[-1] if right else last or first)

    def within(self, tree: _Tree, node: Any) -> _Tree:
        """Give the tree the place of a node to which its innermost parentheses belong."""
        return self.at(tree, node.lpar[-1], node.rpar[0]) if node.lpar else self.at(tree, node)

    def after(self, tree: _Tree, first: cst.CSTNode, last: cst.CSTNode) -> _Tree:
        """Give the tree the place from the end of `first` to the end of `last`."""
        end = self._ranges[first].end
        return self._set(tree, CodeRange(end, end), self._ranges[last])

    def start(self, tree: _Tree, node: cst.CSTNode, end: tuple[int, int]) -> _Tree:
        """Give the tree the place from the start of a node to `end`."""
        placed: Any = self.at(tree, node)
        placed.end_lineno, placed.end_col_offset = end
        return tree

    def end(self, node: cst.CSTNode) -> tuple[int, int]:
        """The line and column at which a node ends."""
        end = self._ranges[node].end
        return end.line, self._column(end.line, end.column)

    def refuse(self, node: cst.CSTNode, message: str) -> NotNewer:
        """The error that a newer Python finds in a node."""
        start = self._ranges[node].start
        return NotNewer(start.line, start.column + 1, message, parsed=True)

    def _set(self, tree: _Tree, first: CodeRange, last: CodeRange) -> _Tree:
        placed: Any = tree
        start, end = first.start, last.end
        placed.lineno, placed.col_offset = start.line, self._column(start.line, start.column)
        placed.end_lineno, placed.end_col_offset = end.line, self._column(end.line, end.column)
        return tree

    def _column(self, line: int, column: int) -> int:
        column += self._dropped.get(line, 0)
        return column if self._lines is None else len(self._lines[line - 1][:column].encode("utf-8", "surrogatepass"))


def _dropped(module: cst.Module, text: str) -> dict[int, int]:
    """How many leading form feeds of each line libcst leaves out of what it generates, from which the places come."""
    pairs = enumerate(zip(_NEWLINE.split(text), _NEWLINE.split(module.code), strict=False), 1)
    return {line: len(ours) - len(theirs) for line, (ours, theirs) in pairs if ours != theirs}
