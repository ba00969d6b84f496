"""Which names a block binds, whichever way it is run through."""

from __future__ import annotations

from collections.abc import Iterator

from optdep_lint.facts import syntax
from optdep_lint.facts.summary import Summary
from optdep_lint.facts.syntax import Block, Statement
from optdep_lint.facts.walk import definitions, expressions, names_read, parts_of, statements


def bound_names(block: Block) -> Iterator[str]:
    """The names that the statements of a block, and of the blocks in it, bind; those of star imports are not known."""
    for statement in block:
        yield from _bound(statement)


def _bound(statement: Statement) -> Iterator[str]:
    match statement:
        case syntax.Import():
            for alias in statement.names:
                yield alias.asname or alias.name.partition(".")[0]
        case syntax.ImportFrom():
            yield from (alias.asname or alias.name for alias in statement.names if alias.name != "*")
        case syntax.Assign():
            for target in statement.targets:
                yield from target_names(target)
        case syntax.Annotated():
            if statement.value is not None:
                yield from target_names(statement.target)
        case syntax.Augmented():
            yield from target_names(statement.target)
        case syntax.Function() | syntax.Class() | syntax.AliasStatement():
            yield statement.name
        case syntax.If() | syntax.While():
            yield from bound_names(statement.body + statement.orelse)
        case syntax.For():
            yield from target_names(statement.target)
            yield from bound_names(statement.body + statement.orelse)
        case syntax.With():
            for item in statement.items:
                if item.target is not None:
                    yield from target_names(item.target)
            yield from bound_names(statement.body)
        case syntax.Try():
            yield from bound_names(statement.body + statement.orelse + statement.final)
            for handler in statement.handlers:
                yield from bound_names(handler.body)
        case syntax.Match():
            for case in statement.cases:
                yield from case.pattern.names
                yield from bound_names(case.body)


def binds_by_text(summary: Summary) -> bool:
    """Some function of a file binds names of the module by `globals()[name] = ...` or `globals().update(...)`."""
    if not any(b"globals" in body for body in summary.bodies if isinstance(body, bytes)):
        return False
    return any(
        _writes_globals(statement)
        for definition in definitions(summary)
        for statement in statements(summary.body_of(definition.node.body))
    )


def _writes_globals(statement: Statement) -> bool:
    match statement:
        case syntax.Assign():
            return any(isinstance(one, syntax.Subscript) and _is_globals(one.value) for one in statement.targets)
        case syntax.Evaluate(value=syntax.Call(function=syntax.Attribute(name="update" | "setdefault") as function)):
            return _is_globals(function.value)
    return False


def _is_globals(node: syntax.Expression) -> bool:
    return isinstance(node, syntax.Call) and isinstance(node.function, syntax.Name) and node.function.id == "globals"


def names_from(block: Block, at: int) -> Iterator[str]:
    """The names that a block binds from the position `at` on; all that it binds where that stands elsewhere."""
    begun = [number for number, statement in enumerate(block) if _is_before(statement, at)]
    if not begun:
        yield from bound_names(block)
        return
    statement, rest = block[begun[-1]], block[begun[-1] + 1 :]
    parts = [(part, inner) for part, inner in parts_of(statement) if inner and _is_before(inner[0], at)]
    if not parts or isinstance(statement, (syntax.For, syntax.While, syntax.Class)):
        yield from _bound(statement)
    else:
        yield from names_from(parts[-1][1], at)
        if isinstance(statement, syntax.Try):
            yield from bound_names((statement.orelse if parts[-1][0] == "body" else ()) + statement.final)
    yield from bound_names(rest)


def _is_before(statement: Statement, at: int) -> bool:
    """A statement begins at a position or before it."""
    return (getattr(statement, "at", at) >> 32) <= at >> 32


def target_names(target: syntax.Target) -> Iterator[str]:
    """The plain names in an assignment's target."""
    match target:
        case syntax.Name():
            yield target.id
        case syntax.Starred():
            yield from target_names(target.value)  # type: ignore[arg-type]  # what is starred in a target is a target
        case syntax.Collection():
            for element in target.elements:
                yield from target_names(element)  # type: ignore[arg-type]


def all_names(block: Block) -> frozenset[str]:
    """The names that a block binds or unbinds anywhere, in expressions and for the length of a handler, too."""
    return frozenset((*bound_names(block), *_passing_names(block)))


def local_names(body: Block) -> frozenset[str]:
    """The names that are local to a function with this body, its parameters aside."""
    declared = {name for statement in _nested(body) if isinstance(statement, syntax.Scope) for name in statement.names}
    annotated = (statement.target for statement in _nested(body) if isinstance(statement, syntax.Annotated))
    return all_names(body).union(*map(target_names, annotated)) - declared


def free_names(summary: Summary, function: syntax.Function | syntax.Lambda) -> frozenset[str]:
    """The names that a function, or a function or lambda in it, reads from without."""

    def own(one: syntax.Function | syntax.Lambda) -> frozenset[str]:
        return local_names(summary.body_of(one.body)).union(parameter.name for parameter in one.parameters)

    return names_read(summary, summary.body_of(function.body), own) - own(function)


def _passing_names(block: Block) -> Iterator[str]:
    for statement in _nested(block):
        if isinstance(statement, syntax.Delete):
            for target in statement.targets:
                yield from target_names(target)
        elif isinstance(statement, syntax.Try):
            yield from (handler.name for handler in statement.handlers if handler.name is not None)
        yield from (part.target for part in expressions(statement) if isinstance(part, syntax.Walrus))


def _nested(block: Block) -> Iterator[Statement]:
    for statement in block:
        yield statement
        for field in ("body", "orelse", "final"):
            inner = getattr(statement, field, None)
            if isinstance(inner, tuple) and not isinstance(statement, (syntax.Class, syntax.Function)):
                yield from _nested(inner)
        for branch in getattr(statement, "handlers", ()) or getattr(statement, "cases", ()):
            yield from _nested(branch.body)
