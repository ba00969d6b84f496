"""From libcst's statements to Python's."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

import libcst as cst

from optdep_lint.summarize.newer import nodes
from optdep_lint.summarize.newer.expressions import Expressions, named, operator
from optdep_lint.summarize.newer.patterns import Patterns
from optdep_lint.summarize.newer.places import Places

_Tree = TypeVar("_Tree")

_TYPE_PARAMETERS: dict[type, Any] = {
    cst.TypeVar: nodes.TypeVar, cst.TypeVarTuple: nodes.TypeVarTuple, cst.ParamSpec: nodes.ParamSpec
}  # fmt: skip


def lower(module: cst.Module, source: bytes) -> ast.Module:
    """The tree that Python would give for a module.

    Raises:
        NotNewer: where it would find an error that no grammar shows.
    """
    statements = Statements(Expressions(Places(module, source)))
    return ast.Module(body=statements.block(module.body), type_ignores=[])


class Statements:
    """Lowers the statements of one file."""

    def __init__(self, expressions: Expressions) -> None:
        self._expressions = expressions
        self._places = expressions.places
        self._pattern = Patterns(expressions).pattern
        self._end = (1, 0)
        """Where the block lowered last ends: there ends the statement around it, too."""
        self._eager = ""
        """What encloses the statement at hand in which no import may be lazy; empty where one may."""
        expression, optional, target = expressions.expression, expressions.optional, expressions.target
        self._simple: dict[type[cst.CSTNode], Callable[[Any], ast.stmt]] = {
            cst.Expr: lambda node: ast.Expr(value=expression(node.value)),
            cst.Assign: lambda node: ast.Assign(
                targets=[target(part.target) for part in node.targets], value=expression(node.value), type_comment=None
            ),
            cst.AnnAssign: lambda node: ast.AnnAssign(
                target=target(node.target), annotation=expression(node.annotation.annotation),
                value=optional(node.value), simple=int(isinstance(node.target, cst.Name) and not node.target.lpar),
            ),
            cst.AugAssign: lambda node: ast.AugAssign(
                target=target(node.target), op=operator(node.operator), value=expression(node.value)
            ),
            cst.Import: lambda node: ast.Import(names=self._aliases(node.names)),
            cst.ImportFrom: self._import_from,
            cst.LazyImport: self._lazy_import,
            cst.LazyImportFrom: self._lazy_import_from,
            cst.Return: lambda node: ast.Return(value=optional(node.value)),
            cst.Raise: lambda node: ast.Raise(
                exc=optional(node.exc), cause=optional(node.cause and node.cause.item)
            ),
            cst.Assert: lambda node: ast.Assert(test=expression(node.test), msg=optional(node.msg)),
            cst.Del: self._delete,
            cst.Global: lambda node: ast.Global(names=[named(item.name) for item in node.names]),
            cst.Nonlocal: lambda node: ast.Nonlocal(names=[named(item.name) for item in node.names]),
            cst.Pass: lambda _: ast.Pass(),
            cst.Break: lambda _: ast.Break(),
            cst.Continue: lambda _: ast.Continue(),
            cst.TypeAlias: lambda node: nodes.build(
                nodes.TypeAlias, target(node.name), self._type_parameters(node.type_parameters), expression(node.value)
            ),
        }  # fmt: skip
        self._compound: dict[type[cst.CSTNode], Callable[[Any], ast.stmt]] = {
            cst.If: lambda node: ast.If(
                test=expression(node.test), body=self._body(node), orelse=self._otherwise(node.orelse)
            ),
            cst.While: lambda node: ast.While(
                test=expression(node.test), body=self._body(node), orelse=self._otherwise(node.orelse)
            ),
            cst.For: lambda node: (ast.AsyncFor if node.asynchronous else ast.For)(
                target=target(node.target), iter=expression(node.iter), body=self._body(node),
                orelse=self._otherwise(node.orelse), type_comment=None,
            ),
            cst.With: lambda node: (ast.AsyncWith if node.asynchronous else ast.With)(
                items=list(map(self._item, node.items)), body=self._body(node), type_comment=None
            ),
            cst.Try: lambda node: self._try(ast.Try, node),
            cst.TryStar: lambda node: self._try(nodes.TryStar, node),
            cst.Match: lambda node: ast.Match(subject=expression(node.subject), cases=list(map(self._case, node.cases))),
            cst.FunctionDef: self._function,
            cst.ClassDef: self._class,
        }  # fmt: skip

    def block(self, parts: Sequence[Any]) -> list[ast.stmt]:
        """Lower the lines and compound statements of a block."""
        trees: list[ast.stmt] = []
        for part in parts:
            if isinstance(part, cst.SimpleStatementLine):
                trees += self._line(part)
            else:
                trees.append(self._closed(self._compound[type(part)](part), part))
        return trees

    def _line(self, line: cst.SimpleStatementLine | cst.SimpleStatementSuite) -> list[ast.stmt]:
        trees = [self._placed(self._simple[type(node)](node), node) for node in line.body]
        last: Any = line.body[-1]
        self._end = self._places.end(last.semicolon if isinstance(last.semicolon, cst.Semicolon) else last)
        return trees

    def _placed(self, tree: _Tree, node: Any) -> _Tree:
        if isinstance(node, cst.TypeAlias):  # libcst counts the semicolon to it, and to no other statement
            return self._places.around(tree, node, node.value)
        return self._places.at(tree, node)

    def _closed(self, tree: _Tree, node: cst.CSTNode) -> _Tree:
        """Give a tree the place from the start of its node to the end of its last block."""
        return self._places.start(tree, node, self._end)

    def _body(self, node: Any) -> list[ast.stmt]:
        """Lower the block that a node has as its body."""
        suite = node.body
        return self._line(suite) if isinstance(suite, cst.SimpleStatementSuite) else self.block(suite.body)

    def _otherwise(self, node: cst.If | cst.Else | cst.Finally | None) -> list[ast.stmt]:
        """Lower an `elif`, `else` or `finally`."""
        if node is None:
            return []
        return self.block([node]) if isinstance(node, cst.If) else self._body(node)

    def _import_from(self, node: Any) -> ast.stmt:
        names = node.names
        star = isinstance(names, cst.ImportStar)
        aliases = [self._places.at(ast.alias(name="*", asname=None), names)] if star else self._aliases(names)
        return ast.ImportFrom(module=node.module and _dotted(node.module), names=aliases, level=len(node.relative))

    def _aliases(self, names: Sequence[Any]) -> list[ast.alias]:
        return [
            self._places.at(
                ast.alias(name=_dotted(node.name), asname=named(node.asname.name) if node.asname else None), node
            )
            for node in names
        ]  # fmt: skip

    def _lazy_import(self, node: cst.LazyImport) -> Any:
        return self._lazy(ast.Import(names=self._aliases(node.names)), node, "import")

    def _lazy_import_from(self, node: cst.LazyImportFrom) -> Any:
        tree = self._import_from(node)
        if isinstance(node.names, cst.ImportStar):
            raise self._places.refuse(node, "lazy from ... import * is not allowed")
        if isinstance(node.module, cst.Name) and node.module.value == "__future__" and not node.relative:
            raise self._places.refuse(node, "lazy from __future__ import is not allowed")
        return self._lazy(tree, node, "from ... import")

    def _lazy(self, tree: Any, node: cst.CSTNode, form: str) -> Any:
        """Mark an import as 3.15 does, where it allows that (PEP 810)."""
        if self._eager:
            raise self._places.refuse(node, f"lazy {form} not allowed inside {self._eager}")
        tree.is_lazy = 1
        return tree

    @contextmanager
    def _inside(self, eager: str) -> Iterator[None]:
        before, self._eager = self._eager, eager
        yield
        self._eager = before

    def _delete(self, node: cst.Del) -> ast.stmt:
        tree = self._expressions.target(node.target, ast.Del)
        bare = isinstance(node.target, cst.Tuple) and not node.target.lpar
        return ast.Delete(targets=tree.elts if bare else [tree])

    def _item(self, node: cst.WithItem) -> ast.withitem:
        name = None if node.asname is None else self._expressions.target(node.asname.name)
        return ast.withitem(context_expr=self._expressions.expression(node.item), optional_vars=name)

    def _try(self, kind: Any, node: Any) -> Any:
        with self._inside("try/except blocks"):
            return kind(
                body=self._body(node),
                handlers=list(map(self._handler, node.handlers)),
                orelse=self._otherwise(node.orelse),
                finalbody=self._otherwise(node.finalbody),
            )

    def _handler(self, node: Any) -> ast.ExceptHandler:
        name = named(node.name.name) if node.name else None
        tree = ast.ExceptHandler(type=self._expressions.optional(node.type), name=name, body=self._body(node))
        return self._closed(tree, node)

    def _case(self, node: cst.MatchCase) -> ast.match_case:
        guard = self._expressions.optional(node.guard)
        return ast.match_case(pattern=self._pattern(node.pattern), guard=guard, body=self._body(node))

    def _function(self, node: cst.FunctionDef) -> Any:
        with self._inside("functions"):
            tree: Any = (ast.AsyncFunctionDef if node.asynchronous else ast.FunctionDef)(
                name=named(node.name),
                args=self._expressions.parameters(node.params),
                body=self._body(node),
                decorator_list=[self._expressions.expression(part.decorator) for part in node.decorators],
                returns=self._expressions.optional(node.returns and node.returns.annotation),
                type_comment=None,
            )
        tree.type_params = self._type_parameters(node.type_parameters)
        return tree

    def _class(self, node: cst.ClassDef) -> Any:
        bases, keywords = self._expressions.arguments([*node.bases, *node.keywords])
        with self._inside("classes"):
            tree: Any = ast.ClassDef(
                name=named(node.name),
                bases=bases,
                keywords=keywords,
                body=self._body(node),
                decorator_list=[self._expressions.expression(part.decorator) for part in node.decorators],
            )
        tree.type_params = self._type_parameters(node.type_parameters)
        return tree

    def _type_parameters(self, node: cst.TypeParameters | None) -> list[Any]:
        return [self._type_parameter(part) for part in node.params] if node else []

    def _type_parameter(self, node: Any) -> Any:
        param = node.param
        default = self._expressions.optional(node.default)
        if default and node.star:
            default = self._places.around(ast.Starred(value=default, ctx=ast.Load()), node.default)
        bound = [self._expressions.optional(param.bound)] if isinstance(param, cst.TypeVar) else []
        tree = nodes.build(_TYPE_PARAMETERS[type(param)], named(param.name), *bound, default)
        return self._places.around(tree, param, node.default or param)


def _dotted(node: Any) -> str:
    """The name of a module, without the spaces that may stand in it."""
    return f"{_dotted(node.value)}.{named(node.attr)}" if isinstance(node, cst.Attribute) else named(node)
