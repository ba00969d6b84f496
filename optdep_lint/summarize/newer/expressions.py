"""From libcst's expressions to Python's."""

from __future__ import annotations

import ast
import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

import libcst as cst

from optdep_lint.summarize.newer import nodes
from optdep_lint.summarize.newer.places import Places
from optdep_lint.summarize.newer.strings import Strings

_OPERATORS: dict[str, type[Any]] = {
    "Add": ast.Add, "Subtract": ast.Sub, "Multiply": ast.Mult, "MatrixMultiply": ast.MatMult, "Divide": ast.Div,
    "FloorDivide": ast.FloorDiv, "Modulo": ast.Mod, "Power": ast.Pow, "LeftShift": ast.LShift,
    "RightShift": ast.RShift, "BitOr": ast.BitOr, "BitAnd": ast.BitAnd, "BitXor": ast.BitXor, "And": ast.And,
    "Or": ast.Or, "Not": ast.Not, "Plus": ast.UAdd, "Minus": ast.USub, "BitInvert": ast.Invert, "Equal": ast.Eq,
    "NotEqual": ast.NotEq, "LessThan": ast.Lt, "LessThanEqual": ast.LtE, "GreaterThan": ast.Gt,
    "GreaterThanEqual": ast.GtE, "Is": ast.Is, "IsNot": ast.IsNot, "In": ast.In, "NotIn": ast.NotIn,
}  # fmt: skip
"""libcst's names of operators; the augmented ones end in `Assign`."""

_CONSTANTS = {"None": None, "True": True, "False": False}


class Expressions:
    """Lowers the expressions of one file."""

    def __init__(self, places: Places) -> None:
        self.places = places
        string = Strings(places, self.expression).string
        self._lower: dict[type[cst.CSTNode], Callable[[Any], ast.expr]] = {
            cst.Name: self._name,
            cst.Integer: self._number,
            cst.Float: self._number,
            cst.Imaginary: self._number,
            cst.Ellipsis: lambda _: ast.Constant(value=..., kind=None),
            cst.SimpleString: string,
            cst.ConcatenatedString: string,
            cst.FormattedString: string,
            cst.TemplatedString: string,
            cst.Attribute: lambda node: ast.Attribute(
                value=self.expression(node.value), attr=named(node.attr), ctx=ast.Load()
            ),
            cst.Subscript: lambda node: ast.Subscript(
                value=self.expression(node.value), slice=self._index(node.slice), ctx=ast.Load()
            ),
            cst.Call: self._call,
            cst.Await: lambda node: ast.Await(value=self.expression(node.expression)),
            cst.UnaryOperation: lambda node: ast.UnaryOp(
                op=operator(node.operator), operand=self.expression(node.expression)
            ),
            cst.BinaryOperation: lambda node: ast.BinOp(
                left=self.expression(node.left), op=operator(node.operator), right=self.expression(node.right)
            ),
            cst.BooleanOperation: self._boolean,
            cst.Comparison: self._comparison,
            cst.IfExp: lambda node: ast.IfExp(
                test=self.expression(node.test), body=self.expression(node.body), orelse=self.expression(node.orelse)
            ),
            cst.NamedExpr: lambda node: ast.NamedExpr(
                target=self.target(node.target), value=self.expression(node.value)
            ),
            cst.Lambda: lambda node: ast.Lambda(args=self.parameters(node.params), body=self.expression(node.body)),
            cst.Yield: self._yield,
            cst.StarredElement: lambda node: ast.Starred(value=self.expression(node.value), ctx=ast.Load()),
            cst.Tuple: lambda node: ast.Tuple(elts=self._elements(node), ctx=ast.Load()),
            cst.List: lambda node: ast.List(elts=self._elements(node), ctx=ast.Load()),
            cst.Set: lambda node: ast.Set(elts=self._elements(node)),
            cst.Dict: self._mapping,
            cst.ListComp: lambda node: ast.ListComp(elt=self.expression(node.elt), generators=self._generators(node)),
            cst.SetComp: lambda node: ast.SetComp(elt=self.expression(node.elt), generators=self._generators(node)),
            cst.GeneratorExp: lambda node: ast.GeneratorExp(
                elt=self.expression(node.elt), generators=self._generators(node)
            ),
            cst.DictComp: lambda node: ast.DictComp(
                key=self.expression(node.key), value=self.expression(node.value), generators=self._generators(node)
            ),
            # As in a dictionary display, no key; 3.15 has no value there, and puts what is unpacked into `key`.
            cst.StarredDictComp: lambda node: nodes.build(
                ast.DictComp, None, self.expression(node.value), self._generators(node)
            ),
        }  # fmt: skip

    def expression(self, node: Any) -> ast.expr:
        """Lower one expression."""
        tree = self._lower[type(node)](node)
        parenthesized = isinstance(node, (cst.Tuple, cst.GeneratorExp))
        return self.places.within(tree, node) if parenthesized else self.places.at(tree, node)

    def optional(self, node: Any) -> ast.expr | None:
        """Lower what may be missing."""
        return self.expression(node) if isinstance(node, cst.CSTNode) else None

    def target(self, node: Any, context: type[ast.expr_context] = ast.Store) -> Any:
        """Lower what is bound or deleted."""
        return _bound(self.expression(node), context)

    def arguments(self, parts: Sequence[cst.Arg]) -> tuple[list[ast.expr], list[ast.keyword]]:
        """Lower the arguments of a call, or the bases of a class."""
        positional: list[ast.expr] = []
        keywords: list[ast.keyword] = []
        for node in parts:
            value = self.expression(node.value)
            if node.keyword or node.star == "**":
                keywords.append(self.places.at(ast.keyword(arg=named(node.keyword), value=value), node))
            elif node.star:
                positional.append(self.places.at(ast.Starred(value=value, ctx=ast.Load()), node))
            else:
                positional.append(value)
        return positional, keywords

    def parameters(self, node: cst.Parameters) -> ast.arguments:
        """Lower the parameters of a function."""
        star = node.star_arg if isinstance(node.star_arg, cst.Param) else None
        defaults = (self.optional(param.default) for param in (*node.posonly_params, *node.params))
        return ast.arguments(
            posonlyargs=list(map(self._parameter, node.posonly_params)),
            args=list(map(self._parameter, node.params)),
            vararg=None if star is None else self._parameter(star),
            kwonlyargs=list(map(self._parameter, node.kwonly_params)),
            kw_defaults=[self.optional(param.default) for param in node.kwonly_params],
            kwarg=None if node.star_kwarg is None else self._parameter(node.star_kwarg),
            defaults=[default for default in defaults if default],
        )

    def _parameter(self, node: cst.Param) -> ast.arg:
        annotation = node.annotation and node.annotation.annotation
        tree = ast.arg(arg=named(node.name), annotation=self.optional(annotation), type_comment=None)
        return self.places.around(tree, node.name, annotation)

    def _name(self, node: cst.Name) -> ast.expr:
        if node.value in _CONSTANTS:
            return ast.Constant(value=_CONSTANTS[node.value], kind=None)
        return ast.Name(id=named(node), ctx=ast.Load())

    def _number(self, node: Any) -> ast.expr:
        try:
            return ast.Constant(value=ast.literal_eval(node.value), kind=None)
        except (SyntaxError, ValueError) as error:
            raise self.places.refuse(node, str(error)) from None

    def _index(self, elements: Sequence[cst.SubscriptElement]) -> ast.expr:
        trees: list[Any] = [self._element_of_index(element.slice) for element in elements]
        last = elements[-1]
        comma = last.comma if isinstance(last.comma, cst.Comma) else None
        if len(trees) == 1 and not comma and not isinstance(trees[0], ast.Starred):
            return trees[0]  # type: ignore[no-any-return]
        end = self.places.end(comma or last)
        if isinstance(trees[-1], ast.Slice) and not comma:  # libcst counts the space after its colon, Python does not
            end = trees[-1].end_lineno, trees[-1].end_col_offset  # type: ignore[assignment]
        return self.places.start(ast.Tuple(elts=trees, ctx=ast.Load()), elements[0], end)

    def _element_of_index(self, node: cst.BaseSlice) -> ast.expr:
        if isinstance(node, cst.Slice):
            bounds = (node.lower, node.first_colon, node.upper, node.second_colon, node.step)
            written = [part for part in bounds if isinstance(part, cst.CSTNode)]
            lower, upper, step = map(self.optional, bounds[::2])
            return self.places.around(ast.Slice(lower=lower, upper=upper, step=step), written[0], written[-1])
        assert isinstance(node, cst.Index)
        value = self.expression(node.value)
        return self.places.at(ast.Starred(value=value, ctx=ast.Load()), node) if node.star else value

    def _call(self, node: cst.Call) -> ast.expr:
        arguments, keywords = self.arguments(node.args)
        if len(arguments) == 1 and isinstance(arguments[0], ast.GeneratorExp) and not node.args[0].value.lpar:
            self.places.after(arguments[0], node.whitespace_after_func, node)  # the call's parentheses are its own
        return ast.Call(func=self.expression(node.func), args=arguments, keywords=keywords)

    def _boolean(self, node: cst.BooleanOperation) -> ast.expr:
        """Operands of one operator side by side are one operation."""
        kind = type(node.operator)
        operands = [node.right]
        left = node.left
        while isinstance(left, cst.BooleanOperation) and type(left.operator) is kind and not left.lpar:
            operands.append(left.right)
            left = left.left
        values = list(map(self.expression, [left, *reversed(operands)]))
        return ast.BoolOp(op=operator(node.operator), values=values)

    def _comparison(self, node: cst.Comparison) -> ast.expr:
        return ast.Compare(
            left=self.expression(node.left),
            ops=[operator(part.operator) for part in node.comparisons],
            comparators=[self.expression(part.comparator) for part in node.comparisons],
        )

    def _yield(self, node: cst.Yield) -> ast.expr:
        if isinstance(node.value, cst.From):
            return ast.YieldFrom(value=self.expression(node.value.item))
        return ast.Yield(value=self.optional(node.value))

    def _elements(self, node: Any) -> list[ast.expr]:
        return [
            self.expression(element.value if isinstance(element, cst.Element) else element)
            for element in node.elements
        ]  # fmt: skip

    def _mapping(self, node: cst.Dict) -> ast.expr:
        return ast.Dict(
            keys=[self.optional(getattr(element, "key", None)) for element in node.elements],
            values=[self.expression(element.value) for element in node.elements],
        )

    def _generators(self, node: Any) -> list[ast.comprehension]:
        generators = []
        part: cst.CompFor | None = node.for_in
        while part:
            generators.append(
                ast.comprehension(
                    target=self.target(part.target),
                    iter=self.expression(part.iter),
                    ifs=[self.expression(condition.test) for condition in part.ifs],
                    is_async=int(part.asynchronous is not None),
                )
            )
            part = part.inner_for_in
        return generators


def named(node: Any) -> Any:
    """The name as Python knows it, if there is one: other ways to write the same characters are one name."""
    if node is None or node.value.isascii():
        return node and node.value
    return unicodedata.normalize("NFKC", node.value)


def operator(node: cst.CSTNode) -> Any:
    """Lower an operator."""
    return _OPERATORS[type(node).__name__.removesuffix("Assign")]()


def _bound(tree: ast.expr, context: type[ast.expr_context]) -> ast.expr:
    """Make the tree of what is read that of what is bound."""
    if hasattr(tree, "ctx"):
        tree.ctx = context()
    for part in tree.elts if isinstance(tree, (ast.Tuple, ast.List)) else ():
        _bound(part, context)
    if isinstance(tree, ast.Starred):
        _bound(tree.value, context)
    return tree
