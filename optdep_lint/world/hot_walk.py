"""What happens on every call of a function: imports, calls and reads, with the loops and handlers around them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from optdep_lint.facts import syntax
from optdep_lint.facts.position import line_of
from optdep_lint.facts.syntax import Block, Expression, Statement
from optdep_lint.facts.walk import statements
from optdep_lint.world.bound import bound_names, target_names
from optdep_lint.world.hot_latches import Latches
from optdep_lint.world.hot_scope import Scopes
from optdep_lint.world.hot_sites import Site
from optdep_lint.world.hot_switches import Switches


class Attempt(NamedTuple):
    """A `try` or `with suppress(...)` that goes on without what could not be imported."""

    at: int
    first: Statement
    """The first statement of its body."""
    explicit: bool
    """It names ImportError; otherwise it catches everything."""


class Region(NamedTuple):
    """What stands around something that happens."""

    loop: int | None = None
    """The line of the innermost loop that runs it."""
    sometimes: bool = False
    """Only on those turns of the loop on which a condition holds."""
    turning: frozenset[str] = frozenset()
    """The names that change from turn to turn."""
    attempts: tuple[Attempt, ...] = ()
    """Outermost first."""


class Happening(NamedTuple):
    """An import, a call, or an attribute that is read."""

    node: syntax.Import | syntax.ImportFrom | syntax.Call | syntax.Attribute
    region: Region


class Walk:
    """Goes through functions; what runs once only, or on the way to an error, is left out."""

    def __init__(self, scopes: Scopes, latches: Latches) -> None:
        self._scopes, self._latches, self._switches = scopes, latches, Switches(scopes)
        self._known: dict[int, list[Happening]] = {}

    def of(self, site: Site) -> list[Happening]:
        """What happens on every call."""
        found = self._known.get(id(site.node))
        if found is None:
            body = self._scopes.body(site)
            found = self._known[id(site.node)] = list(self._block(body, Region(), site))
        return found

    def _block(self, block: Block, region: Region, site: Site) -> Iterator[Happening]:
        if region.loop is not None and _leaves(block):
            region = region._replace(loop=None)
        for index, statement in enumerate(block[: self._latches.error_from(block, site)]):
            yield from self._statement(statement, region, site)
            if self._switches.leaves(statement, site) or self._latches.shuts_after(statement, block[index + 1 :], site):
                return

    def _statement(self, statement: Statement, region: Region, site: Site) -> Iterator[Happening]:
        match statement:
            case syntax.Import() | syntax.ImportFrom():
                yield Happening(statement, region)
            case syntax.If():
                yield from self._if(statement, region, site)
            case syntax.Try():
                yield from self._try(statement, region, site)
            case syntax.With():
                for item in statement.items:
                    yield from self._expression(item.context, region, site)
                yield from self._block(statement.body, self._suppressed(statement, region, site), site)
            case syntax.For():
                yield from self._expression(statement.iterable, region, site)
                turning = frozenset((*target_names(statement.target), *bound_names(statement.body)))
                yield from self._block(statement.body, _turn(region, line_of(statement.at), turning), site)
                yield from self._block(statement.orelse, region, site)
            case syntax.While():
                inner = _turn(region, line_of(statement.at), frozenset(bound_names(statement.body)))
                yield from self._expression(statement.test, inner, site)
                yield from self._block(statement.body, inner, site)
                yield from self._block(statement.orelse, region, site)
            case syntax.Match():
                yield from self._expression(statement.subject, region, site)
                for case in statement.cases:
                    yield from self._block(case.body, region, site)
            case syntax.Function():
                yield from self._expression((statement.decorators, statement.parameters), region, site)
            case syntax.Class():
                yield from self._expression((statement.decorators, statement.bases), region, site)
                yield from self._block(statement.body, region, site)
            case _:
                yield from self._expression(statement, region, site)

    def _if(self, statement: syntax.If, region: Region, site: Site) -> Iterator[Happening]:
        yield from self._expression(statement.test, region, site)
        for block in self._switches.live(statement.test, statement.body, statement.orelse, site):
            if not self._latches.shuts(statement.test, block, site) and not _is_for_checkers(statement.test):
                yield from self._block(block, region._replace(sometimes=region.loop is not None), site)

    def _try(self, statement: syntax.Try, region: Region, site: Site) -> Iterator[Happening]:
        caught = [handler for handler in statement.handlers if catches(handler) is not None]
        going_on = [handler for handler in caught if not self._latches.ends_in_error(handler.body, site)]
        inner = region
        if going_on and statement.body:
            explicit = any(catches(handler) for handler in going_on)
            attempt = Attempt(statement.at, statement.body[0], explicit)
            inner = region._replace(attempts=(*region.attempts, attempt))
        body = inner
        if region.loop is not None and (_leaves(statement.body) or _leaves(statement.orelse)):
            body = inner._replace(loop=None)
        yield from self._block(statement.body, body, site)
        for handler in going_on:
            if catches(handler):
                yield from self._block(handler.body, inner, site)
        yield from self._block(statement.orelse, region, site)
        yield from self._block(statement.final, region, site)

    def _suppressed(self, statement: syntax.With, region: Region, site: Site) -> Region:
        for item in statement.items:
            match item.context:
                case syntax.Call(function=function, arguments=arguments) if arguments and statement.body:
                    paths = {getattr(value, "path", "") for value in self._scopes.meanings(function, site)}
                    names = {name for argument in arguments for name in _names(argument)}
                    if "contextlib.suppress" in paths and names & (_MISSING | _EVERYTHING):
                        attempt = Attempt(statement.at, statement.body[0], bool(names & _MISSING))
                        return region._replace(attempts=(*region.attempts, attempt))
        return region

    # --- expressions ---------------------------------------------------------------------------------------------

    def _expression(self, node: Any, region: Region, site: Site) -> list[Happening]:
        """What evaluating it does; the bodies of lambdas are not evaluated here."""
        found: list[Happening] = []
        self._collect(node, region, site, found)
        return found

    def _collect(self, node: Any, region: Region, site: Site, found: list[Happening]) -> None:
        """No generator, since much of the time goes by here."""
        kind = type(node)
        if kind is syntax.Lambda:
            return
        if kind is syntax.Comprehension:
            self._comprehension(node, region, site, found)
        elif kind is syntax.Conditional:
            self._collect(node.test, region, site, found)
            for branch in self._switches.live(node.test, node.body, node.orelse, site):
                if not self._latches.shuts(node.test, (branch,), site):
                    self._collect(branch, region, site, found)
        elif kind is syntax.Boolean:
            first, *others = node.operands
            self._collect(first, region, site, found)
            for operand in others:
                if not self._latches.shuts(first, (operand,), site):
                    self._collect(operand, region, site, found)
        else:
            if kind is syntax.Call or kind is syntax.Attribute:
                found.append(Happening(node, region))
            for part in node:
                if isinstance(part, tuple):
                    self._collect(part, region, site, found)

    def _comprehension(self, node: syntax.Comprehension, region: Region, site: Site, found: list[Happening]) -> None:
        first, *others = node.generators
        self._collect(first.iterable, region, site, found)
        names = frozenset(name for generator in node.generators for name in target_names(generator.target))
        line = next((line_of(part) for part in _positions(node)), None)
        inner = _turn(region, line, names)
        for part in (node.element, node.key, first.tests, *others):
            if isinstance(part, tuple):
                self._collect(part, inner, site, found)


def catches(handler: syntax.Handler) -> bool | None:
    """Whether a handler catches ImportError: True by name, False with everything else, None not at all."""
    if handler.type is None:
        return False
    names = set(_names(handler.type))
    if names & _MISSING:
        return True
    return False if names & _EVERYTHING else None


_MISSING = frozenset({"ImportError", "ModuleNotFoundError", "PackageNotFoundError"})
_EVERYTHING = frozenset({"Exception", "BaseException"})


def _names(node: Expression) -> Iterator[str]:
    match node:
        case syntax.Name(id=name) | syntax.Attribute(name=name):
            yield name
        case syntax.Collection(elements=elements):
            for element in elements:
                yield from _names(element)


def _turn(region: Region, line: int | None, names: frozenset[str]) -> Region:
    return region._replace(loop=line or region.loop or 0, sometimes=False, turning=region.turning | names)


def _leaves(block: Block) -> bool:
    """A loop that has run these statements does not turn again."""
    if not block or not isinstance(block[-1], (syntax.Break, syntax.Return, syntax.Raise)):
        return False
    return not any(isinstance(inner, syntax.Continue) for inner in statements(block))


def _is_for_checkers(test: Expression) -> bool:
    return "TYPE_CHECKING" in _names(test)


def _positions(node: Any) -> Iterator[int]:
    position = getattr(node, "at", None)
    if isinstance(position, int):
        yield position
    if isinstance(node, tuple):
        for part in node:
            yield from _positions(part)
