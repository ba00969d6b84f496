"""From libcst's `match` patterns to Python's."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

import libcst as cst

from optdep_lint.summarize.newer.expressions import Expressions, named


class Patterns:
    """Lowers the patterns of one file."""

    def __init__(self, expressions: Expressions) -> None:
        self._expression = expressions.expression
        self._places = expressions.places
        self._lower: dict[type[cst.CSTNode], Callable[[Any], ast.pattern]] = {
            cst.MatchValue: lambda node: ast.MatchValue(value=self._expression(node.value)),
            cst.MatchSingleton: lambda node: ast.MatchSingleton(value=ast.literal_eval(node.value.value)),
            cst.MatchTuple: lambda node: ast.MatchSequence(patterns=self._each(node.patterns)),
            cst.MatchList: lambda node: ast.MatchSequence(patterns=self._each(node.patterns)),
            cst.MatchStar: lambda node: ast.MatchStar(name=named(node.name)),
            cst.MatchMapping: self._mapping,
            cst.MatchClass: self._class,
            cst.MatchAs: lambda node: ast.MatchAs(
                pattern=node.pattern and self.pattern(node.pattern), name=named(node.name)
            ),
            cst.MatchOr: lambda node: ast.MatchOr(patterns=self._each(node.patterns)),
        }

    def pattern(self, node: Any) -> ast.pattern:
        """Lower one pattern."""
        tree = self._lower[type(node)](node)
        return self._places.within(tree, node) if isinstance(node, cst.MatchTuple) else self._places.at(tree, node)

    def _each(self, elements: Sequence[Any]) -> list[ast.pattern]:
        """Lower the elements of a sequence or of alternatives."""
        return [
            self.pattern(
                element.value if isinstance(element, cst.MatchSequenceElement)
                else element.pattern if isinstance(element, cst.MatchOrElement)
                else element
            )
            for element in elements
        ]  # fmt: skip

    def _mapping(self, node: cst.MatchMapping) -> ast.pattern:
        return ast.MatchMapping(
            keys=[self._expression(element.key) for element in node.elements],
            patterns=[self.pattern(element.pattern) for element in node.elements],
            rest=named(node.rest),
        )

    def _class(self, node: cst.MatchClass) -> ast.pattern:
        return ast.MatchClass(
            cls=self._expression(node.cls),
            patterns=self._each(node.patterns),
            kwd_attrs=[named(element.key) for element in node.kwds],
            kwd_patterns=[self.pattern(element.pattern) for element in node.kwds],
        )
