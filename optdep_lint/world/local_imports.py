"""Functions that import something themselves and go on where it is missing."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from optdep_lint.facts import syntax
from optdep_lint.facts.syntax import Block
from optdep_lint.facts.walk import expressions, imported_names, is_within, last_name, parts_of, statements

_ABSENCE = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})
_SAYING = frozenset(
    {"print", "warn", "warning", "info", "debug", "exception", "log", "append", "add", "write", "setdefault"}
)
"""What a handler calls only to say, or to keep, what it has caught: other calls may not come back."""


def goes_on_without(block: Block, absent: Collection[str]) -> bool:
    """A block imports one of these dotted names where a handler or `suppress` lets it go on without."""
    return any(_survives(statement, absent) for statement in statements(block))


def _survives(statement: syntax.Statement, absent: Collection[str]) -> bool:
    match statement:
        case syntax.Try():
            return (
                any(map(_comes_back, statement.handlers))
                and not any(map(_may_leave, statement.handlers))
                and _imports(statement.body, absent)
            )
        case syntax.With():
            suppressing = any(
                isinstance(item.context, syntax.Call) and last_name(item.context.function) == "suppress"
                for item in statement.items
            )
            return suppressing and _imports(statement.body, absent)
    return False


def _comes_back(handler: syntax.Handler) -> bool:
    """It catches an absence, and does not raise in the end."""
    names = {last_name(part) for part in expressions(handler.type)} if handler.type is not None else _ABSENCE
    return not names.isdisjoint(_ABSENCE) and not (handler.body and isinstance(handler.body[-1], syntax.Raise))


def _may_leave(handler: syntax.Handler) -> bool:
    """It ends with a call that perhaps never comes back, as `parser.error(...)`."""
    last = handler.body[-1] if handler.body else None
    while isinstance(last, (syntax.If, syntax.With, syntax.For)):
        last = last.body[-1] if last.body else None
    if not isinstance(last, syntax.Evaluate) or not isinstance(last.value, syntax.Call):
        return False
    function = last.value.function
    if last_name(function) in _SAYING:
        return False
    return not (isinstance(function, syntax.Attribute) and "log" in last_name(function.value).lower())


def _imports(block: Block, absent: Collection[str]) -> bool:
    return any(
        is_within(name, one) for statement in _plain(block) for name in imported_names(statement) for one in absent
    )


def _plain(block: Block) -> Iterator[syntax.Statement]:
    """The statements of a block and of those in it, but for what another `try` looks after."""
    for statement in block:
        yield statement
        if not isinstance(statement, (syntax.Try, syntax.Class)):
            for _, inner in parts_of(statement):
                yield from _plain(inner)
