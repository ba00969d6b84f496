"""Where every node of a tree stands, and what lies in what: found in one go, while the tree is spelled."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import libcst as cst
from libcst._nodes.internal import CodegenState

from optdep_lint.fixers import Refusal


@dataclass(slots=True)
class Places:
    """What is known of the nodes of a tree."""

    nodes: list[cst.CSTNode] = field(default_factory=list)
    """All of them, in the order of the text."""
    spans: dict[cst.CSTNode, tuple[int, int]] = field(default_factory=dict)
    """Where each begins and ends, without the white space and comments around it."""
    inside: dict[cst.CSTNode, tuple[int, int]] = field(default_factory=dict)
    """Which part of `nodes` each consists of, itself first."""
    parents: dict[cst.CSTNode, cst.CSTNode] = field(default_factory=dict)
    """What each lies in."""


def places_of(module: cst.Module, text: str) -> Places:
    """The places of a tree in the text that it was parsed from, form feeds left out.

    Raises:
        Refusal: where the tree is nested too deeply, or is not spelled as the text is.
    """
    speller = _Speller(module.default_indent, module.default_newline)
    try:
        module._codegen(speller)  # noqa: SLF001  # what its `code` is made by
    except RecursionError as error:
        raise Refusal("the file is nested too deeply") from error
    pages = [index for index, letter in enumerate(text) if letter == "\f"] if "\f" in text else []
    if "".join(speller.tokens) != (text.replace("\f", "") if pages else text):
        raise Refusal("the file is written in a syntax that the fixer cannot spell")
    if pages:
        steps = [index - number for number, index in enumerate(pages)]
        speller.places.spans = {
            node: (start + bisect_right(steps, start), end + bisect_right(steps, end))
            for node, (start, end) in speller.places.spans.items()
        }
    return speller.places


class _Speller(CodegenState):
    """Counts letters while libcst writes them: what its metadata providers find out takes three passes and lines."""

    def __init__(self, indent: str, newline: str) -> None:
        super().__init__(indent, newline)
        self.places = Places()
        self._offset = 0
        self._stack: list[tuple[cst.CSTNode, int, int]] = []

    def add_indent_tokens(self) -> None:
        self.tokens.extend(self.indent_tokens)
        self._offset += sum(map(len, self.indent_tokens))

    def add_token(self, value: str) -> None:
        self.tokens.append(value)
        self._offset += len(value)

    def before_codegen(self, node: cst.CSTNode) -> None:
        if self._stack:
            self.places.parents[node] = self._stack[-1][0]
        self._stack.append((node, self._offset, len(self.places.nodes)))
        self.places.nodes.append(node)

    def after_codegen(self, node: cst.CSTNode) -> None:
        _, start, index = self._stack.pop()
        self.places.spans.setdefault(node, (start, self._offset))
        self.places.inside[node] = index, len(self.places.nodes)

    @contextmanager
    def record_syntactic_position(
        self, node: cst.CSTNode, *, start_node: cst.CSTNode | None = None, end_node: cst.CSTNode | None = None
    ) -> Iterator[None]:
        """Called by nodes that have white space or comments of their own around them."""
        start = self._offset
        yield
        spans = self.places.spans
        spans[node] = (
            spans[start_node][0] if start_node is not None else start,
            spans[end_node][1] if end_node is not None else self._offset,
        )
