"""Which parts of a function run once, or only on the way to an error, however often it is called."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from optdep_lint.facts import syntax
from optdep_lint.facts.syntax import Block, Expression, Statement
from optdep_lint.facts.walk import expressions, statements
from optdep_lint.world.hot_scope import Scopes
from optdep_lint.world.hot_sites import Site
from optdep_lint.world.values import Descriptor, External, FunctionValue

Kept = tuple[str, str]
"""Something that outlives a call: `("global", name)` or `("attribute", name)`."""

_MUTATING = frozenset({"add", "append", "extend", "update", "setdefault", "insert", "set"})
_LEAVING = (syntax.Return, syntax.Raise, syntax.Break, syntax.Continue)
_ESCAPING = (syntax.Return, syntax.Break, syntax.Continue)
_DEEPEST = 2


class Latches:
    """Answers for the parts of functions whether a call after the first one comes there again."""

    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes
        self._stored: dict[int, frozenset[Kept]] = {}
        self._all_stored: dict[int, frozenset[Kept]] = {}
        """What a function stores anywhere, by the identity of its node."""

    # --- errors --------------------------------------------------------------------------------------------------

    def ends_in_error(self, block: Block, site: Site, depth: int = 0) -> bool:
        """Whoever runs these statements ends in an exception."""
        return self.error_from(block, site, depth) == 0

    def error_from(self, block: Block, site: Site, depth: int = 0) -> int:
        """The index of the statement from which on a block ends in an exception for sure; its length where it does not."""
        if not block or not self._raises(block[-1], site, depth):
            return len(block) or 1
        first = len(block) - 1
        while first and not any(isinstance(inner, _ESCAPING) for inner in statements(block[first - 1 : first])):
            first -= 1
        return first

    def _raises(self, statement: Statement, site: Site, depth: int) -> bool:
        match statement:
            case syntax.Raise():
                return True
            case syntax.If(body=body, orelse=orelse):
                return self.ends_in_error(body, site, depth) and self.ends_in_error(orelse, site, depth)
            case syntax.Try(body=body, handlers=handlers, orelse=orelse, final=final):
                ways = [orelse or body, *(handler.body for handler in handlers)]
                return self.ends_in_error(final, site, depth) or all(
                    self.ends_in_error(way, site, depth) for way in ways
                )
            case syntax.With(body=body):
                return self.ends_in_error(body, site, depth)
            case syntax.Evaluate(value=syntax.Call() as call) if depth < _DEEPEST:
                return any(self._always_raises(callee, depth) for callee in self._callees(call, site))
        return False

    def _always_raises(self, callee: FunctionValue | External, depth: int) -> bool:
        if isinstance(callee, External):
            return callee.path in ("sys.exit", "builtins.exit", "os._exit", "os.abort")
        inner = self._scopes.site_of(callee)
        return inner is not None and self.ends_in_error(self._scopes.body(inner), inner, depth + 1)

    def _callees(self, call: syntax.Call, site: Site) -> Iterator[FunctionValue | External]:
        for value in self._scopes.meanings(call.function, site):
            function = value.function if isinstance(value, Descriptor) else value
            if isinstance(function, (FunctionValue, External)):
                yield function

    # --- latches -------------------------------------------------------------------------------------------------

    def shuts(self, test: Expression, taken: Iterable[Expression | Statement], site: Site) -> bool:
        """What is taken under the test stores what the test reads, so that it is not taken again."""
        return self._is_stored(self._reads(test, site), taken, site)

    def shuts_after(self, statement: Statement, rest: Block, site: Site) -> bool:
        """The statement returns what is stored already; the rest stores it."""
        match statement:
            case syntax.If(test=test, body=body) if body and isinstance(body[-1], _LEAVING):
                return self.shuts(test, rest, site)
            case syntax.Try(body=body, handlers=handlers) if body and isinstance(body[-1], syntax.Return):
                if all(_is_lookup(handler) for handler in handlers):
                    return self._is_stored(self._reads(body[-1], site), rest, site)
        return False

    def _is_stored(self, asked: Iterable[Kept], nodes: Iterable[Expression | Statement], site: Site) -> bool:
        """Some part of a function stores something of what another asks for."""
        stored = self._all_stored.get(id(site.node))
        if stored is None:
            stored = self._all_stored[id(site.node)] = frozenset(self._stores(self._scopes.body(site), site, 0))
        wanted = stored and stored.intersection(asked)
        return bool(wanted) and not wanted.isdisjoint(self._stores(nodes, site, 0))

    def _reads(self, node: Any, site: Site, depth: int = 0) -> Iterator[Kept]:
        match node:
            case syntax.Name(id=name) if not self._scopes.is_local(name, site):
                if self._scopes.may_change(name, site):
                    yield "global", name
            case syntax.Name(id=name) if depth < _DEEPEST:
                for source in self._scopes.assigned_to(name, site):
                    yield from self._reads(source, site, depth + 1)
            case syntax.Attribute(value=held, name=name):
                if not (isinstance(held, syntax.Name) and self._scopes.is_foreign(held.id, site)):
                    yield "attribute", name
                    yield from self._reads(held, site, depth)
            case syntax.Call(function=function, arguments=arguments):
                match node:
                    case syntax.Call(
                        function=syntax.Name(id="hasattr" | "getattr"),
                        arguments=(_, syntax.Constant(value=str(name)), *_),
                    ):
                        yield "attribute", name
                if isinstance(function, syntax.Attribute):
                    yield from self._reads(function.value, site, depth)
                for argument in arguments:
                    yield from self._reads(argument, site, depth)
            case tuple():
                for part in node:
                    if isinstance(part, tuple):
                        yield from self._reads(part, site, depth)

    def _stores(self, nodes: Iterable[Expression | Statement], site: Site, depth: int) -> Iterator[Kept]:
        for node in nodes:
            inner = statements((node,)) if _is_statement(node) else (node,)  # type: ignore[arg-type]
            for one in inner:
                yield from self._stored_by(one, site)
                for part in expressions(one):
                    if isinstance(part, syntax.Call):
                        yield from self._stored_by_call(part, site, depth)

    def _stored_by(self, statement: Expression | Statement, site: Site) -> Iterator[Kept]:
        targets: tuple[Expression, ...] = ()
        match statement:
            case syntax.Assign():
                targets = statement.targets
            case syntax.Annotated() | syntax.Augmented():
                targets = (statement.target,)
            case syntax.Import() | syntax.ImportFrom():
                names = (alias.asname or alias.name.partition(".")[0] for alias in statement.names)
                yield from (("global", name) for name in names if not self._scopes.is_local(name, site))
        for target in targets:
            yield from self._stored_in(target, site)

    def _stored_in(self, target: Expression, site: Site) -> Iterator[Kept]:
        match target:
            case syntax.Name(id=name) if not self._scopes.is_local(name, site):
                yield "global", name
            case syntax.Attribute(name=name):
                yield "attribute", name
            case syntax.Subscript(value=held):
                yield from self._stored_in(held, site)
            case syntax.Collection(elements=elements):
                for element in elements:
                    yield from self._stored_in(element, site)

    def _stored_by_call(self, call: syntax.Call, site: Site, depth: int) -> Iterator[Kept]:
        match call:
            case syntax.Call(function=syntax.Attribute(value=held, name=name)) if name in _MUTATING:
                yield from self._stored_in(held, site)
            case syntax.Call(function=syntax.Name(id="setattr"), arguments=(_, syntax.Constant(value=str(name)), *_)):
                yield "attribute", name
        if depth < _DEEPEST:
            for callee in self._callees(call, site):
                inner = self._scopes.site_of(callee) if isinstance(callee, FunctionValue) else None
                if inner is not None:
                    yield from self._stored_within(inner, depth)

    def _stored_within(self, site: Site, depth: int) -> frozenset[Kept]:
        known = self._stored.get(id(site.node))
        if known is None:
            self._stored[id(site.node)] = frozenset()
            known = self._stored[id(site.node)] = frozenset(self._stores(self._scopes.body(site), site, depth + 1))
        return known


def _is_lookup(handler: syntax.Handler) -> bool:
    return isinstance(handler.type, syntax.Name) and handler.type.id in (
        "KeyError",
        "AttributeError",
        "LookupError",
        "NameError",
    )


def _is_statement(node: Expression | Statement) -> bool:
    return isinstance(node, syntax.Statement.__args__)
