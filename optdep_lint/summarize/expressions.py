"""From the tree's expressions to the facts' expressions."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from typing import Any

from optdep_lint.facts import syntax as facts
from optdep_lint.facts.position import pack
from optdep_lint.facts.syntax import Expression, Target
from optdep_lint.summarize.parse import Columns

_LONGEST_TEXT = 400
"""Longer strings are data, not names: no condition or import depends on them."""

_ASKING = re.compile(
    r"import_module|__import__|find_spec|find_loader|importorskip|distribution|_?(lazy|try|optional|guard(ed)?|safe)_import\w*"
    r"|\w*_available|_?(has|is|have|check|require|import|load)_\w*(module|package|spec|lib|librar|backend|dependenc|install|import|optional)\w*"
    r"|_?import_\w+|_?has(_\w+)?|_?module_\w+|_?require[sd]?|Lazy\w*|\w*Requirement\w*"
)
"""What functions are called that ask for a module by name."""
_DOTTED = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*")
_OPERATORS = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.Is: "is",
    ast.IsNot: "is not", ast.In: "in", ast.NotIn: "not in", ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/",
    ast.FloorDiv: "//", ast.Mod: "%", ast.Pow: "**", ast.LShift: "<<", ast.RShift: ">>", ast.BitOr: "|",
    ast.BitXor: "^", ast.BitAnd: "&", ast.MatMult: "@",
}  # fmt: skip


class Expressions:
    """Summarizes the expressions of one file; lambdas put their bodies into `bodies`."""

    def __init__(self, columns: Columns, bodies: list[facts.Block | bytes]) -> None:
        self._columns = columns
        self._trivial = columns.trivial
        self.bodies = bodies
        self.asks: set[str] = set()
        """The absolute dotted names that are imported or probed."""
        self.yields = False
        """The function at hand contains a yield."""
        self._convert: dict[type[ast.AST], Callable[[Any], Expression]] = {
            ast.Constant: self._constant,
            ast.Name: self._name,
            ast.Attribute: self._attribute,
            ast.Call: self._call,
            ast.Subscript: self._subscript,
            ast.Slice: self._slice,
            ast.Starred: lambda node: facts.Starred(self.expression(node.value)),
            ast.UnaryOp: self._unary,
            ast.BoolOp: self._boolean,
            ast.Compare: self._compare,
            ast.BinOp: self._binary,
            ast.IfExp: lambda node: facts.Conditional(
                self.expression(node.test), self.expression(node.body), self.expression(node.orelse)
            ),
            ast.Tuple: lambda node: facts.Collection("tuple", self.expressions(node.elts)),
            ast.List: lambda node: facts.Collection("list", self.expressions(node.elts)),
            ast.Set: lambda node: facts.Collection("set", self.expressions(node.elts)),
            ast.Dict: self._mapping,
            ast.ListComp: lambda node: self._comprehension("list", node.elt, None, node),
            ast.SetComp: lambda node: self._comprehension("set", node.elt, None, node),
            ast.GeneratorExp: lambda node: self._comprehension("generator", node.elt, None, node),
            ast.DictComp: self._dict_comprehension,
            ast.Lambda: self._lambda,
            ast.NamedExpr: lambda node: facts.Walrus(node.target.id, self.expression(node.value), self.at(node)),
            ast.JoinedStr: self._format,
            ast.Yield: self._yield,
            ast.YieldFrom: self._yield,
        }

    def at(self, node: Any, last: Any = None) -> int:
        """The packed position of a node, or of all from `node` to `last`."""
        last = last or node
        if self._trivial:
            line, column = node.lineno, node.col_offset + 1
            height, end = last.end_lineno - line, last.end_col_offset + 1
            if column <= 0xFFFF and height <= 0xFFFF and end <= 0xFFFF:  # most of all positions: no call
                return line << 48 | column << 32 | height << 16 | end  # type: ignore[no-any-return]
            return pack(line, column, last.end_lineno, end)
        of = self._columns.of
        return pack(
            node.lineno,
            of(node.lineno, node.col_offset),
            last.end_lineno,
            of(last.end_lineno, last.end_col_offset),
        )

    def expression(self, node: ast.expr) -> Expression:
        """Summarize one expression."""
        convert = self._convert.get(type(node))
        return convert(node) if convert else self._opaque(node)

    def expressions(self, nodes: list[ast.expr]) -> tuple[Expression, ...]:
        """Summarize each."""
        return tuple(map(self.expression, nodes))

    def optional(self, node: ast.expr | None) -> Expression | None:
        """Summarize what may be missing."""
        return None if node is None else self.expression(node)

    def target(self, node: ast.expr) -> Target:
        """Summarize what stands left of an assignment."""
        return self.expression(node)  # type: ignore[return-value]  # the grammar admits no other

    def parameters(self, arguments: ast.arguments) -> facts.Parameters:
        """Summarize the parameters of a function, in order."""
        positional = [*arguments.posonlyargs, *arguments.args]
        defaults: list[ast.expr | None] = [None] * (len(positional) - len(arguments.defaults))
        defaults += arguments.defaults
        kinds = ["positional"] * len(arguments.posonlyargs) + ["either"] * len(arguments.args)
        rows = list(zip(positional, kinds, defaults, strict=True))
        if arguments.vararg:
            rows.append((arguments.vararg, "*", None))
        rows += [
            (arg, "keyword", default) for arg, default in zip(arguments.kwonlyargs, arguments.kw_defaults, strict=True)
        ]
        if arguments.kwarg:
            rows.append((arguments.kwarg, "**", None))
        return tuple(
            facts.Parameter(arg.arg, kind, self.optional(arg.annotation), self.optional(default))
            for arg, kind, default in rows
        )

    def operator(self, node: ast.AST) -> str:
        """How an operator is written."""
        return _OPERATORS[type(node)]

    def _opaque(self, node: ast.AST) -> Expression:
        parts = (self.expression(child) for child in ast.iter_child_nodes(node) if isinstance(child, ast.expr))
        return facts.Opaque(tuple(part for part in parts if not isinstance(part, facts.Constant) and part != _ANY))

    def _constant(self, node: ast.Constant) -> Expression:
        value = node.value
        if isinstance(value, str):
            return facts.Constant(value) if len(value) <= _LONGEST_TEXT else _ANY
        return facts.Constant(value) if value is None or isinstance(value, (bool, int, float)) else _ANY

    def _name(self, node: ast.Name) -> Expression:
        return facts.Name(node.id, self.at(node))

    def _attribute(self, node: ast.Attribute) -> Expression:
        return facts.Attribute(self.expression(node.value), node.attr, self.at(node))

    def _call(self, node: ast.Call) -> Expression:
        if node.args and isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            text = node.args[0].value
            if _ASKING.fullmatch(name) and _DOTTED.fullmatch(text):
                self.asks.add(text)
        return facts.Call(
            self.expression(node.func), self.expressions(node.args), self.keywords(node.keywords), self.at(node)
        )

    def keywords(self, nodes: list[ast.keyword]) -> tuple[facts.Keyword, ...]:
        """Summarize keyword arguments."""
        return tuple(facts.Keyword(node.arg, self.expression(node.value)) for node in nodes)

    def _subscript(self, node: ast.Subscript) -> Expression:
        return facts.Subscript(self.expression(node.value), self.expression(node.slice), self.at(node))

    def _slice(self, node: ast.Slice) -> Expression:
        """`a:b:c`, which is the call that it stands for."""
        at = self.at(node)
        nothing = facts.Constant(None)
        parts = (self.optional(part) or nothing for part in (node.lower, node.upper, node.step))
        return facts.Call(facts.Name("slice", at), tuple(parts), (), at)

    def _unary(self, node: ast.UnaryOp) -> Expression:
        operand = self.expression(node.operand)
        if isinstance(node.op, ast.Not):
            return facts.Not(operand)
        if (
            isinstance(node.op, ast.USub)
            and isinstance(operand, facts.Constant)
            and isinstance(operand.value, (int, float))
        ):
            return facts.Constant(-operand.value)
        return facts.Opaque((operand,))

    def _boolean(self, node: ast.BoolOp) -> Expression:
        return facts.Boolean("and" if isinstance(node.op, ast.And) else "or", self.expressions(node.values))

    def _compare(self, node: ast.Compare) -> Expression:
        operators = tuple(_OPERATORS[type(op)] for op in node.ops)
        return facts.Compare(self.expression(node.left), operators, self.expressions(node.comparators))

    def _binary(self, node: ast.BinOp) -> Expression:
        return facts.Binary(
            _OPERATORS[type(node.op)], self.expression(node.left), self.expression(node.right), self.at(node)
        )

    def _mapping(self, node: ast.Dict) -> Expression:
        return facts.Mapping(tuple(map(self.optional, node.keys)), self.expressions(node.values))

    def _dict_comprehension(self, node: ast.DictComp) -> Expression:
        """`{k: v for ...}`, and `{**d for ...}`, of which the tree has no value (3.15) or no key."""
        parts: tuple[ast.expr | None, ast.expr | None] = (node.key, node.value)
        key, value = parts if None not in parts else (None, parts[0] or parts[1])
        assert value is not None
        return self._comprehension("dict", value, key, node)

    def _comprehension(self, kind: str, element: ast.expr, key: ast.expr | None, node: Any) -> Expression:
        generators = tuple(
            facts.Generator(self.target(part.target), self.expression(part.iter), self.expressions(part.ifs))
            for part in node.generators
        )
        return facts.Comprehension(kind, self.expression(element), self.optional(key), generators)

    def _lambda(self, node: ast.Lambda) -> Expression:
        parameters, yields = self.parameters(node.args), self.yields
        self.bodies.append((facts.Return(self.expression(node.body), self.at(node.body)),))
        self.yields = yields
        return facts.Lambda(parameters, len(self.bodies) - 1, self.at(node))

    def _yield(self, node: ast.Yield | ast.YieldFrom) -> Expression:
        self.yields = True
        return facts.Yield(self.optional(node.value), self.at(node))

    def _format(self, node: ast.JoinedStr) -> Expression:
        return facts.Format(tuple(map(self._format_part, node.values)))

    def _format_part(self, node: ast.expr) -> Expression:
        if not isinstance(node, ast.FormattedValue):
            return self.expression(node)
        value = self.expression(node.value)
        if node.format_spec is not None:
            self.yields = self.yields or any(isinstance(part, ast.Yield) for part in ast.walk(node.format_spec))
        return value if node.conversion in (-1, 115) and node.format_spec is None else facts.Opaque((value,))


_ANY = facts.Opaque(())
