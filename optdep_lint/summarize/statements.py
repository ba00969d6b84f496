"""From the tree's statements to the facts' statements."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from optdep_lint.facts import syntax as facts
from optdep_lint.facts.summary import Summary
from optdep_lint.facts.syntax import Block, Statement
from optdep_lint.summarize.expressions import Expressions
from optdep_lint.summarize.newer.nodes import TryStar, TypeAlias
from optdep_lint.summarize.parse import Columns


def summarize_tree(tree: ast.Module, columns: Columns) -> Summary:
    """Summarize a parsed file.

    Raises:
        RecursionError: where it is nested too deeply.
    """
    bodies: list[Block | bytes] = []
    expressions = Expressions(columns, bodies)
    body = _Statements(expressions).block(tree.body)
    future = any(
        isinstance(node, facts.ImportFrom)
        and node.module == "__future__"
        and any(alias.name == "annotations" for alias in node.names)
        for node in body
    )
    return Summary(body, bodies, tuple(sorted(expressions.asks)), future)


class _Statements:
    """Summarizes the statements of one file."""

    def __init__(self, expressions: Expressions) -> None:
        self._expressions = expressions
        self._convert: dict[type[ast.AST], Callable[[Any], Statement | None]] = {
            ast.Import: self._import,
            ast.ImportFrom: self._import_from,
            ast.Assign: self._assign,
            ast.AnnAssign: self._annotated,
            ast.AugAssign: self._augmented,
            ast.Expr: self._evaluate,
            ast.If: self._if,
            ast.Try: self._try,
            ast.With: self._with,
            ast.AsyncWith: self._with,
            ast.For: self._for,
            ast.AsyncFor: self._for,
            ast.While: self._while,
            ast.Match: self._match,
            ast.FunctionDef: self._function,
            ast.AsyncFunctionDef: self._function,
            ast.ClassDef: self._class,
            ast.Return: lambda node: facts.Return(expressions.optional(node.value), expressions.at(node)),
            ast.Raise: lambda node: facts.Raise(
                expressions.optional(node.exc), expressions.optional(node.cause), expressions.at(node)
            ),
            ast.Assert: lambda node: facts.Assert(
                expressions.expression(node.test), expressions.optional(node.msg), expressions.at(node)
            ),
            ast.Delete: lambda node: facts.Delete(tuple(map(expressions.target, node.targets)), expressions.at(node)),
            ast.Global: lambda node: facts.Scope("global", tuple(node.names)),
            ast.Nonlocal: lambda node: facts.Scope("nonlocal", tuple(node.names)),
            ast.Break: lambda node: facts.Break(expressions.at(node)),
            ast.Continue: lambda node: facts.Continue(expressions.at(node)),
            ast.Pass: lambda node: None,
            TryStar: self._try,
            TypeAlias: self._alias,
        }

    def block(self, nodes: list[ast.stmt]) -> Block:
        """Summarize statements; `pass` and lone constants say nothing and are left out."""
        converted = []
        for node in nodes:
            statement = self._convert[type(node)](node)
            if statement is not None:
                converted.append(statement)
        return tuple(converted)

    def _import(self, node: ast.Import) -> Statement:
        self._expressions.asks.update(alias.name for alias in node.names)
        return facts.Import(_aliases(node.names), getattr(node, "is_lazy", 0) == 1, self._expressions.at(node))

    def _import_from(self, node: ast.ImportFrom) -> Statement:
        lazy = getattr(node, "is_lazy", 0) == 1
        if node.level == 0 and node.module:
            self._expressions.asks.update(f"{node.module}.{alias.name}".removesuffix(".*") for alias in node.names)
        return facts.ImportFrom(node.module or "", node.level, _aliases(node.names), lazy, self._expressions.at(node))

    def _assign(self, node: ast.Assign) -> Statement:
        targets = tuple(map(self._expressions.target, node.targets))
        return facts.Assign(targets, self._expressions.expression(node.value), self._expressions.at(node))

    def _annotated(self, node: ast.AnnAssign) -> Statement:
        expressions = self._expressions
        return facts.Annotated(
            expressions.target(node.target),
            expressions.expression(node.annotation),
            expressions.optional(node.value),
            expressions.at(node),
        )

    def _augmented(self, node: ast.AugAssign) -> Statement:
        expressions = self._expressions
        operator = expressions.operator(node.op)
        return facts.Augmented(
            expressions.target(node.target), operator, expressions.expression(node.value), expressions.at(node)
        )

    def _evaluate(self, node: ast.Expr) -> Statement | None:
        if isinstance(node.value, ast.Constant):
            return None
        return facts.Evaluate(self._expressions.expression(node.value), self._expressions.at(node))

    def _if(self, node: ast.If) -> Statement:
        test = self._expressions.expression(node.test)
        return facts.If(test, self.block(node.body), self.block(node.orelse), self._expressions.at(node, node.test))

    def _try(self, node: Any) -> Statement:
        expressions = self._expressions
        handlers = tuple(
            facts.Handler(
                expressions.optional(handler.type), handler.name, self.block(handler.body), expressions.at(handler, handler.type) if handler.type else _head(expressions.at(handler), 6),
            )
            for handler in node.handlers
        )  # fmt: skip
        star = type(node).__name__ == "TryStar"
        return facts.Try(
            self.block(node.body), handlers, self.block(node.orelse), self.block(node.finalbody), star,
            _head(expressions.at(node), 3),
        )  # fmt: skip

    def _with(self, node: ast.With | ast.AsyncWith) -> Statement:
        expressions = self._expressions
        items = tuple(
            facts.Item(
                expressions.expression(item.context_expr),
                expressions.target(item.optional_vars) if item.optional_vars else None,
            )
            for item in node.items
        )
        last = node.items[-1].optional_vars or node.items[-1].context_expr
        return facts.With(items, self.block(node.body), expressions.at(node, last))

    def _for(self, node: ast.For | ast.AsyncFor) -> Statement:
        expressions = self._expressions
        return facts.For(
            expressions.target(node.target), expressions.expression(node.iter), self.block(node.body),
            self.block(node.orelse), expressions.at(node, node.iter),
        )  # fmt: skip

    def _while(self, node: ast.While) -> Statement:
        test = self._expressions.expression(node.test)
        return facts.While(test, self.block(node.body), self.block(node.orelse), self._expressions.at(node, node.test))

    def _match(self, node: ast.Match) -> Statement:
        expressions = self._expressions
        cases = tuple(
            facts.Case(self._pattern(case.pattern), expressions.optional(case.guard), self.block(case.body))
            for case in node.cases
        )
        return facts.Match(expressions.expression(node.subject), cases, expressions.at(node, node.subject))

    def _pattern(self, node: ast.pattern) -> facts.Pattern:
        match node:
            case ast.MatchValue(value=value):
                return facts.Pattern("value", self._expressions.expression(value), (), ())
            case ast.MatchSingleton(value=value):
                return facts.Pattern("value", facts.Constant(value), (), ())
            case ast.MatchOr(patterns=patterns):
                return facts.Pattern("either", None, tuple(map(self._pattern, patterns)), ())
            case ast.MatchAs(pattern=None, name=name):
                return facts.Pattern("any", None, (), (name,) if name else ())
            case ast.MatchAs(pattern=ast.pattern() as inner, name=name):
                inside = self._pattern(inner)
                return inside._replace(names=(*inside.names, name)) if name else inside
        named = (getattr(part, "name", None) or getattr(part, "rest", None) for part in ast.walk(node))
        return facts.Pattern("other", None, (), tuple(name for name in named if name))

    def _function(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> Statement:
        expressions = self._expressions
        parameters = expressions.parameters(node.args)
        decorators = expressions.expressions(node.decorator_list)
        returns = expressions.optional(node.returns)
        outer, expressions.yields = expressions.yields, False
        expressions.bodies.append(self.block(node.body))
        kind = "generator" if expressions.yields else ""
        if isinstance(node, ast.AsyncFunctionDef):
            kind = f"async {kind}".rstrip()
        expressions.yields = outer
        generic = bool(getattr(node, "type_params", ()))
        at = _head(expressions.at(node), len("async def ") * isinstance(node, ast.AsyncFunctionDef) or len("def "))
        return facts.Function(
            node.name,
            parameters,
            decorators,
            returns,
            len(expressions.bodies) - 1,
            kind or "plain",
            generic,
            at + len(node.name),
        )

    def _class(self, node: ast.ClassDef) -> Statement:
        expressions = self._expressions
        generic = tuple(part.name for part in getattr(node, "type_params", ()))
        return facts.Class(
            node.name, expressions.expressions(node.bases), expressions.keywords(node.keywords),
            expressions.expressions(node.decorator_list), self.block(node.body), generic,
            _head(expressions.at(node), len("class ") + len(node.name)),
        )  # fmt: skip

    def _alias(self, node: Any) -> Statement:
        return facts.AliasStatement(node.name.id, self._expressions.at(node))


def _aliases(names: list[ast.alias]) -> tuple[facts.Alias, ...]:
    return tuple(facts.Alias(alias.name, alias.asname) for alias in names)


def _head(at: int, width: int) -> int:
    """The position of the first `width` characters of what stands at `at`."""
    column = (at >> 32) & 0xFFFF
    return ((at >> 32) << 32) | min(column + width, 0xFFFF)
