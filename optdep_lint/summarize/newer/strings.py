"""From libcst's strings to Python's: implicit concatenation, f-strings and t-strings.

What stands in braces has the place that Python 3.12 and later give. The text that `{x=}` puts before its value, and
format specifications, have the place of their braces: no fact holds it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from typing import Any

import libcst as cst

from optdep_lint.summarize.newer import nodes
from optdep_lint.summarize.newer.places import Places

_ESCAPED = re.compile(r'\\(?:.|\Z)|"', re.DOTALL)
_NEWLINE = re.compile(r"\r\n?|\n")


class Strings:
    """Lowers the strings of one file; `expression` lowers what stands in braces."""

    def __init__(self, places: Places, expression: Callable[[Any], ast.expr]) -> None:
        self._places = places
        self._expression = expression

    def string(self, node: Any) -> ast.expr:
        """Lower a string, or several side by side."""
        literals = list(_literals(node))
        if any(isinstance(literal, cst.TemplatedString) for literal in literals):
            if not all(isinstance(literal, cst.TemplatedString) for literal in literals):
                raise self._places.refuse(node, "cannot mix t-string literals with string or bytes literals")
            template: ast.expr = nodes.build(nodes.TemplateStr, self._values(literals))
            return self._places.at(template, node)
        if any(isinstance(literal, cst.FormattedString) for literal in literals):
            return self._places.at(ast.JoinedStr(values=self._values(literals)), node)
        values = list(map(self._literal, literals))
        kind = "u" if literals[0].value.startswith("u") else None
        return self._places.at(ast.Constant(value=values[0][:0].join(values), kind=kind), node)

    def _literal(self, node: cst.SimpleString) -> Any:
        try:
            return ast.literal_eval(node.value)
        except SyntaxError as error:
            raise self._places.refuse(node, error.msg) from None

    def _values(self, literals: list[Any]) -> list[ast.expr]:
        """The texts and values of strings side by side; texts that meet are one, and the empty ones none."""
        values: list[ast.expr] = []
        for part in (part for literal in literals for part in self._parts(literal)):
            last = values[-1] if values else None
            if not isinstance(part, ast.Constant):
                values.append(part)
            elif isinstance(last, ast.Constant):
                last.value = str(last.value) + str(part.value)
                last.end_lineno, last.end_col_offset = part.end_lineno, part.end_col_offset
            elif part.value:
                values.append(part)
        return values

    def _parts(self, literal: Any) -> Iterator[ast.expr]:
        if isinstance(literal, cst.SimpleString):
            kind = "u" if literal.value.startswith("u") else None
            yield self._places.at(ast.Constant(value=self._literal(literal), kind=kind), literal)
        else:
            raw = "r" in literal.prefix
            for content in literal.parts:
                yield from self._content(content, raw=raw)

    def _content(self, content: Any, *, raw: bool) -> Iterator[ast.expr]:
        if isinstance(content, (cst.FormattedStringText, cst.TemplatedStringText)):
            yield self._places.at(ast.Constant(value=self._text(content, raw=raw), kind=None), content)
            return
        conversion = ord(content.conversion) if content.conversion else -1
        if content.equal is not None:
            told = _code(content.whitespace_before_expression) + _code(content.expression) + _code(content.equal)
            yield self._places.at(ast.Constant(value=told, kind=None), content)
            if conversion == -1 and content.format_spec is None:
                conversion = ord("r")
        value = self._expression(content.expression)
        form = None if content.format_spec is None else self._format(content, raw=raw)
        if isinstance(content, cst.FormattedStringExpression):
            yield self._places.at(ast.FormattedValue(value=value, conversion=conversion, format_spec=form), content)
        else:
            told = _code(content.expression)
            yield self._places.at(nodes.build(nodes.Interpolation, value, told, conversion, form), content)

    def _format(self, content: Any, *, raw: bool) -> ast.JoinedStr:
        values = [part for piece in content.format_spec for part in self._content(piece, raw=raw)]
        return self._places.at(ast.JoinedStr(values=values), content)

    def _text(self, content: Any, *, raw: bool) -> str:
        text = content.value.replace("{{", "{").replace("}}", "}")
        if raw or "\\" not in text:
            return _NEWLINE.sub("\n", text)
        try:
            return str(ast.literal_eval(f'"""{_ESCAPED.sub(_quoted, text)}"""'))
        except SyntaxError as error:
            raise self._places.refuse(content, error.msg) from None


def _literals(node: Any) -> Iterator[Any]:
    while isinstance(node, cst.ConcatenatedString):
        yield node.left
        node = node.right
    yield node


def _quoted(match: re.Match[str]) -> str:
    """An escape stays what it is; a quote, or a backslash that ends the text, becomes one."""
    return match[0] if len(match[0]) == 2 else "\\" + match[0]


def _code(node: cst.CSTNode) -> str:
    return str(cst.Module([]).code_for_node(node))
