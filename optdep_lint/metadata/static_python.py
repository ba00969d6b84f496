"""What expressions of a ``setup.py`` say without running it: strings, dicts, files it reads."""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

_FILE_ENDINGS = (".txt", ".in", ".pip", ".req")
_COPIES = frozenset({"list", "sorted", "tuple", "set", "dict"})

Entry: TypeAlias = "str | Path | tuple[Path, ...]"
"""A string; a file that is read for more; or files of which one is read, nobody knows which."""


@dataclass(frozen=True, slots=True)
class Item:
    """One entry of a list, and the line of ``setup.py`` that it stands on."""

    entry: Entry
    line: int


@dataclass(frozen=True, slots=True)
class _Binding:
    """A value that a name is given, or extended by; ``key`` when one of its items is."""

    value: ast.expr
    conditional: bool
    key: ast.expr | None = None


@dataclass(frozen=True, slots=True)
class Scope:
    """The names of a module, or of a function and the module around it."""

    root: Path
    """Files are looked for here, and in its ``requirements`` folder."""
    bindings: dict[str, list[_Binding]] = field(default_factory=dict)
    functions: dict[str, ast.FunctionDef] = field(default_factory=dict)
    depth: int = 0
    """How many names and calls were followed to get here: ends the chase in circular code."""

    def extended(self, body: Iterable[ast.stmt]) -> Scope:
        """Return a scope that also has the names that the statements bind."""
        inner = Scope(
            self.root,
            {name: list(bound) for name, bound in self.bindings.items()},
            dict(self.functions),
            self.depth,
        )
        _bind(inner, body, conditional=False)
        return inner

    def deeper(self) -> Scope | None:
        """Return this scope one step further along a chase, or None where that has to end."""
        most = 12
        if self.depth >= most:
            return None
        return Scope(self.root, self.bindings, self.functions, self.depth + 1)

    def bound(self, name: str) -> list[_Binding]:
        """Return the values that count for ``name``: the unconditional ones where there are any."""
        bound = self.bindings.get(name, [])
        return [one for one in bound if not one.conditional] or bound


def _bind(scope: Scope, body: Iterable[ast.stmt], *, conditional: bool) -> None:
    """Take the names that statements bind; under a test, in a loop or handler, conditionally."""
    for statement in body:
        if isinstance(statement, ast.FunctionDef):
            scope.functions[statement.name] = statement
        elif isinstance(statement, ast.With | ast.If | ast.Try | ast.For | ast.While):
            _bind_block(scope, statement, conditional=conditional)
        else:
            _bind_simple(scope, statement, conditional=conditional)


def _bind_simple(scope: Scope, statement: ast.stmt, *, conditional: bool) -> None:
    match statement:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                _bind_target(scope, target, value, conditional=conditional)
        case ast.AnnAssign(target=target, value=ast.expr() as value):
            _bind_target(scope, target, value, conditional=conditional)
        case ast.AugAssign(target=target, value=value):
            _bind_target(scope, target, value, conditional=conditional)
        case ast.Expr(
            value=ast.Call(
                func=ast.Attribute(value=ast.Name() as name, attr="append" | "extend" | "update"),
                args=[value],
            )
        ):
            _bind_target(scope, name, value, conditional=conditional)
        case _:
            pass


def _bind_block(scope: Scope, block: ast.With | ast.If | ast.Try | ast.For | ast.While, *, conditional: bool) -> None:
    match block:
        case ast.With(items=items):
            for item in items:
                if item.optional_vars is not None:
                    _bind_target(scope, item.optional_vars, item.context_expr, conditional=conditional)
            _bind(scope, block.body, conditional=conditional)
        case ast.If(test=test):
            main = any(isinstance(n, ast.Name) and n.id == "__name__" for n in ast.walk(test))
            _bind(scope, block.body, conditional=conditional or not main)
            _bind(scope, block.orelse, conditional=True)
        case ast.Try(handlers=handlers):
            inner = [*block.body, *block.orelse, *block.finalbody]
            _bind(scope, inner, conditional=conditional)
            for handler in handlers:
                _bind(scope, handler.body, conditional=True)
        case ast.For(target=target, iter=items):
            _bind_target(scope, target, items, conditional=conditional)
            _bind(scope, block.body, conditional=True)
        case ast.While():
            _bind(scope, block.body, conditional=True)


def _bind_target(scope: Scope, target: ast.expr, value: ast.expr, *, conditional: bool) -> None:
    match target:
        case ast.Name(id=name):
            scope.bindings.setdefault(name, []).append(_Binding(value, conditional))
        case ast.Subscript(value=ast.Name(id=name), slice=key):
            scope.bindings.setdefault(name, []).append(_Binding(value, conditional, key))
        case _:
            pass


def text_of(node: ast.expr | None, scope: Scope | None) -> str | None:
    """Return the string that an expression is, or None when that is not plain to see."""
    match node:
        case ast.Constant(value=str(text)):
            return text
        case ast.Name(id=name) if scope is not None:
            bound = scope.bound(name)
            return text_of(bound[0].value, scope.deeper()) if len(bound) == 1 else None
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            parts = text_of(left, scope), text_of(right, scope)
            return None if parts[0] is None or parts[1] is None else parts[0] + parts[1]
        case _:
            return None


def items_of(node: ast.expr, scope: Scope | None) -> Iterator[Item]:
    """Yield the strings of a list expression and the files that it reads; the rest is given up."""
    if scope is None:
        return
    match node:
        case ast.Constant(value=str(text)):
            yield from (Item(line, node.lineno) for line in text.splitlines() if line.strip())
        case ast.List(elts=elements) | ast.Tuple(elts=elements) | ast.Set(elts=elements):
            for element in elements:
                yield from items_of(element, scope)
        case ast.Starred(value=value):
            yield from items_of(value, scope)
        case ast.BinOp():
            yield from _items_of_sum(node, scope)
        case ast.Name(id=name):
            yield from _items_of_name(name, node.lineno, scope)
        case ast.Subscript(slice=ast.Constant(value=str(key))):
            for found, inner in pairs_of(node.value, scope):
                if found == key:
                    yield from items_of(inner, scope.deeper())
        case ast.Call():
            yield from _items_of_call(node, scope)
        case ast.ListComp() | ast.GeneratorExp() | ast.Attribute():
            yield from _items_of_files(node, scope)
        case _:
            return


def _items_of_sum(node: ast.BinOp, scope: Scope) -> Iterator[Item]:
    text = text_of(node, scope)
    if text is not None:
        yield Item(text, node.lineno)
    elif isinstance(node.op, ast.Add):
        yield from items_of(node.left, scope)
        yield from items_of(node.right, scope)


def _items_of_name(name: str, line: int, scope: Scope) -> Iterator[Item]:
    bound = [one for one in scope.bound(name) if one.key is None]
    if any(one.conditional for one in bound):
        files = [tuple(_files(one.value, scope)) for one in bound]
        read = tuple(dict.fromkeys(file for several in files for file in several))
        if read and all(files):
            yield Item(read if len(read) > 1 else read[0], line)
        return
    for one in bound:
        yield from items_of(one.value, scope.deeper())


def _items_of_call(call: ast.Call, scope: Scope) -> Iterator[Item]:
    match call:
        case ast.Call(func=ast.Name(id=name), args=[argument, *_]) if name in _COPIES:
            yield from items_of(argument, scope)
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str(text)), attr="split")):
            yield from (Item(word, call.lineno) for word in _split(text, call))
        case ast.Call(func=ast.Attribute(value=value, attr="splitlines" | "copy" | "strip")) if not _reads_files(
            value, scope
        ):
            yield from items_of(value, scope)
        case _ if _reads_files(call, scope):
            yield from _items_of_files(call, scope)
        case ast.Call(func=ast.Name(id=name)) if name in scope.functions:
            inner = scope.extended(scope.functions[name].body).deeper()
            for returned in _returns(scope.functions[name]):
                yield from items_of(returned, inner)
        case _:
            return


def _split(text: str, call: ast.Call) -> list[str]:
    separator = text_of(call.args[0], None) if call.args else None
    return [word.strip() for word in text.split(separator or None) if word.strip()]


def _returns(function: ast.FunctionDef) -> list[ast.expr]:
    """Return what a function returns at its end; a return under a condition is given up."""
    last = function.body[-1]
    if isinstance(last, ast.With):
        last = last.body[-1]
    return [last.value] if isinstance(last, ast.Return) and last.value is not None else []


def _reads_files(node: ast.expr, scope: Scope) -> bool:
    return next(_files(node, scope), None) is not None


def _items_of_files(node: ast.expr, scope: Scope) -> Iterator[Item]:
    for file in dict.fromkeys(_files(node, scope)):
        yield Item(file, node.lineno)


def _files(node: ast.expr, scope: Scope) -> Iterator[Path]:
    """Yield the requirements files that an expression names, names it uses included."""
    waiting, seen = [node], set[str]()
    while waiting:
        inside = list(ast.walk(waiting.pop(0)))
        texts = [one.value for one in inside if isinstance(one, ast.Constant) and isinstance(one.value, str)]
        for text in texts:
            if text.endswith(_FILE_ENDINGS):
                places = (scope.root / folder / text for folder in ("", *texts, "requirements"))
                yield from islice(filter(_is_file, places), 1)
        names = sorted({one.id for one in inside if isinstance(one, ast.Name)} - seen)
        seen.update(names)
        waiting += [bound.value for name in names for bound in scope.bound(name)]


def _is_file(place: Path) -> bool:
    try:
        return place.is_file()
    except (OSError, ValueError):
        return False


def pairs_of(node: ast.expr, scope: Scope | None) -> Iterator[tuple[str, ast.expr]]:
    """Yield the (key, value expression) pairs of a dict expression; the rest is given up."""
    if scope is None:
        return
    match node:
        case ast.Dict(keys=keys, values=values):
            for key, value in zip(keys, values, strict=True):
                yield from _pairs_of_item(key, value, scope)
        case ast.Name(id=name):
            for one in scope.bound(name):
                yield from _pairs_of_item(one.key, one.value, scope.deeper())
        case ast.Call(func=ast.Name(id="dict"), args=arguments, keywords=keywords):
            for argument in arguments:
                yield from pairs_of(argument, scope)
            for keyword in keywords:
                key = None if keyword.arg is None else ast.Constant(keyword.arg)
                yield from _pairs_of_item(key, keyword.value, scope)
        case ast.Call(func=ast.Name(id=name)) if name in scope.functions:
            inner = scope.extended(scope.functions[name].body).deeper()
            for returned in _returns(scope.functions[name]):
                yield from pairs_of(returned, inner)
        case _:
            return


def _pairs_of_item(key: ast.expr | None, value: ast.expr, scope: Scope | None) -> Iterator[tuple[str, ast.expr]]:
    """Yield the pair of a key and a value, or all pairs of a value without a key (``**value``)."""
    text = text_of(key, scope)
    if text is not None:
        yield text, value
    elif key is None:
        yield from pairs_of(value, scope)
