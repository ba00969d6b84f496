"""Ways through a summary's statements and expressions."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, NamedTuple

from optdep_lint.facts import syntax
from optdep_lint.facts.position import end_line_of, line_of
from optdep_lint.facts.summary import Summary
from optdep_lint.facts.syntax import Block, Expression, Statement


class Place(NamedTuple):
    """One step of the way from a file's top to a statement: a statement, and which of its blocks the way goes into."""

    statement: Statement
    part: str
    """`body`, `orelse`, `final`, `handler 0` ..., `case 0` ..., or empty for the statement that is looked for."""


class Definition(NamedTuple):
    """A function of a file, wherever it stands."""

    name: str
    """Dotted: `Class.method`, `outer.inner`."""
    node: syntax.Function
    owner: syntax.Class | None
    """The class in whose body it stands directly."""
    outer: syntax.Function | None
    """The function in whose body it, or its class, stands."""
    way: tuple[Place, ...]
    """From the top of the file, or of the outer function, to it."""


def parts_of(statement: Statement) -> Iterator[tuple[str, Block]]:
    """The blocks of a compound statement that run where it stands; functions have none."""
    match statement:
        case syntax.If() | syntax.For() | syntax.While():
            yield "body", statement.body
            yield "orelse", statement.orelse
        case syntax.Try():
            yield "body", statement.body
            for index, handler in enumerate(statement.handlers):
                yield f"handler {index}", handler.body
            yield "orelse", statement.orelse
            yield "final", statement.final
        case syntax.With() | syntax.Class():
            yield "body", statement.body
        case syntax.Match():
            for index, case in enumerate(statement.cases):
                yield f"case {index}", case.body


def statements(block: Block) -> Iterator[Statement]:
    """Every statement of a block and of the blocks in it, class bodies included, function bodies not."""
    for statement in block:
        yield statement
        for _, inner in parts_of(statement):
            yield from statements(inner)


def way_to(block: Block, at: int) -> tuple[Place, ...]:
    """The way to the statement that holds the position `at`; empty where there is none."""
    line = line_of(at)
    for statement in block:
        for part, inner in parts_of(statement):
            way = way_to(inner, at)
            if way:
                return (Place(statement, part), *way)
        position = getattr(statement, "at", None)
        if (
            position is not None
            and line_of(position) <= line <= end_line_of(position)
            and (position == at or _covers(position, at))
        ):
            return (Place(statement, ""),)
    return ()


def _covers(outer: int, inner: int) -> bool:
    start, end = (line_of(outer), (outer >> 32) & 0xFFFF), (end_line_of(outer), outer & 0xFFFF)
    return start <= (line_of(inner), (inner >> 32) & 0xFFFF) and (end_line_of(inner), inner & 0xFFFF) <= end


def definitions(summary: Summary) -> Iterator[Definition]:
    """Every function of a file, outer ones before those in them."""
    yield from _definitions(summary, summary.body, "", None, None, ())


def outer_definitions(summary: Summary) -> Iterator[Definition]:
    """The functions at the top of a file and in its classes; no body is decoded."""
    yield from _definitions(None, summary.body, "", None, None, ())


def inner_definitions(summary: Summary, definition: Definition) -> Iterator[Definition]:
    """The functions in a function, outer ones before those in them."""
    body = summary.body_of(definition.node.body)
    yield from _definitions(summary, body, f"{definition.name}.", None, definition.node, ())


def _definitions(
    summary: Summary | None,
    block: Block,
    prefix: str,
    owner: syntax.Class | None,
    outer: syntax.Function | None,
    way: tuple[Place, ...],
) -> Iterator[Definition]:
    for statement in block:
        if isinstance(statement, syntax.Function):
            name = f"{prefix}{statement.name}"
            yield Definition(name, statement, owner, outer, way)
            if summary is not None:
                yield from _definitions(summary, summary.body_of(statement.body), f"{name}.", None, statement, ())
            continue
        for part, inner in parts_of(statement):
            is_class = isinstance(statement, syntax.Class)
            inner_prefix = f"{prefix}{statement.name}." if isinstance(statement, syntax.Class) else prefix
            inner_owner = statement if isinstance(statement, syntax.Class) else owner
            yield from _definitions(
                summary,
                inner,
                inner_prefix,
                inner_owner if is_class or owner else None,
                outer,
                (*way, Place(statement, part)),
            )


def expressions(node: object) -> Iterator[Expression]:
    """Every expression in a node, a statement's own only (not those of the blocks in it), outer before inner."""
    found: list[Expression] = []
    if isinstance(node, tuple):
        _collect(node, found)
    return iter(found)


def _collect(node: Any, found: list[Expression]) -> None:
    """Append the expressions in a node; no generator, since rules spend much of their time here."""
    kind: Any = type(node)
    parts: Iterable[Any]
    if kind is tuple:
        parts = node
    elif kind is syntax.Try:
        parts = [handler.type for handler in node.handlers]
    elif kind is syntax.Match:
        parts = [node.subject, *(case.guard for case in node.cases)]
    else:
        if kind in _EXPRESSIONS:
            found.append(node)
        parts = map(node.__getitem__, _FOLLOWED[kind])
    for part in parts:
        if type(part) in _LEAVES:
            found.append(part)
        elif part and isinstance(part, tuple):
            _collect(part, found)


def all_expressions(block: Block) -> Iterator[Expression]:
    """Every expression of a block and of the blocks in it, function bodies left out."""
    for statement in statements(block):
        yield from expressions(statement)


def names_read(
    summary: Summary, block: Block, own: Callable[[syntax.Function | syntax.Lambda], Collection[str]] = lambda _: ()
) -> frozenset[str]:
    """The plain names that a function's block reads, also in functions and lambdas within it, there less what is their `own`.

    Annotations of local variables never run, and those of functions do not where they are postponed.
    """
    found: set[str] = set()
    for statement in statements(block):
        read: object = statement
        if isinstance(statement, syntax.Annotated):
            read = (statement.target, statement.value)
        elif isinstance(statement, syntax.Function):
            found |= names_read(summary, summary.body_of(statement.body), own).difference(own(statement))
            if summary.future_annotations:
                read = (statement.decorators, tuple(parameter.default for parameter in statement.parameters))
        for expression in expressions(read):
            if isinstance(expression, syntax.Name):
                found.add(expression.id)
            elif isinstance(expression, syntax.Lambda):
                found |= names_read(summary, summary.body_of(expression.body), own).difference(own(expression))
    return frozenset(found)


def imported_names(statement: Statement) -> tuple[str, ...]:
    """The modules of other projects that a statement imports, as far as it tells module from name."""
    match statement:
        case syntax.Import():
            return tuple(alias.name for alias in statement.names)
        case syntax.ImportFrom(level=0):
            return (statement.module,)
    return ()


def is_within(name: str, whole: str) -> bool:
    """A dotted name is another, or lies below it."""
    return name == whole or name.startswith(f"{whole}.")


def is_private(name: str) -> bool:
    """A method of that name is called by its own class, as a rule."""
    return name.startswith("_") and not name.startswith("__")


def last_name(node: Expression) -> str:
    """The last part of a dotted name, that of a call's function included; empty for anything else."""
    match node:
        case syntax.Name(id=name) | syntax.Attribute(name=name):
            return name
        case syntax.Call(function=held) | syntax.Subscript(value=held):
            return last_name(held)
    return ""


def _fields_of(node: Any) -> tuple[str, ...]:
    fields: tuple[str, ...] = node._fields
    return fields


_EXPRESSIONS = frozenset({
    syntax.Constant, syntax.Name, syntax.Attribute, syntax.Call, syntax.Subscript, syntax.Starred, syntax.Not,
    syntax.Boolean, syntax.Compare, syntax.Binary, syntax.Conditional, syntax.Collection, syntax.Mapping,
    syntax.Comprehension, syntax.Lambda, syntax.Walrus, syntax.Format, syntax.Yield, syntax.Opaque,
})  # fmt: skip
_LEAVES = frozenset({syntax.Constant, syntax.Name})
"""Expressions without others in them."""
_BLOCKS = frozenset({"body", "orelse", "final"})
"""Fields that hold statements, but in a conditional expression."""
_FOLLOWED: dict[type, tuple[int, ...]] = {
    node: tuple(
        number for number, field in enumerate(_fields_of(node)) if field not in _BLOCKS or node is syntax.Conditional
    )
    for node in syntax.NODES
}
"""By type, the numbers of the fields that can hold expressions."""
