"""What the methods that change a collection in place make of one whose contents are known."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from optdep_lint.world.displays import table_of
from optdep_lint.world.literals import NotPython, hashable, to_python
from optdep_lint.world.values import Constant, Items, Table, Unknown, Value

MUTATING = frozenset({"append", "extend", "update", "add", "insert", "remove", "discard", "pop", "clear", "setdefault"})


def refused(held: Items | Table, name: str, arguments: Sequence[Value]) -> Exception | None:
    """What Python raises for the call of a method, where all is known that hangs on; None where nothing."""
    python, given = to_python(held), [to_python(argument) for argument in arguments]
    if name not in ("pop", "remove") or NotPython in (python, *given):
        return None
    try:
        getattr(set(python) if isinstance(held, Items) and held.kind == "set" else python, name)(*given)
    except (LookupError, ValueError, TypeError, AttributeError) as error:
        return error
    return None


def changed(
    held: Items | Table, name: str, arguments: Sequence[Value], keywords: Mapping[str, Value]
) -> tuple[Value, Value]:
    """The collection after a call of its method, and what the call gives; unknown where that cannot be told."""
    if isinstance(held, Table):
        return _table(held, name, arguments, keywords)
    return _items(held, name, arguments)


def _items(held: Items, name: str, arguments: Sequence[Value]) -> tuple[Value, Value]:
    elements, none = held.elements, Constant(None)
    match name, tuple(arguments):
        case (("append" | "add"), (one,)):
            return Items(held.kind, (*elements, one)), none
        case (("extend" | "update"), (Items() as others,)):
            return Items(held.kind, elements + others.elements), none
        case "insert", (Constant(value=int() as number), one):
            return Items(held.kind, (*elements[:number], one, *elements[number:])), none
        case "pop", () if elements and held.kind == "list":
            return Items(held.kind, elements[:-1]), elements[-1]
        case "clear", ():
            return Items(held.kind, ()), none
        case (("discard" | "remove"), (one,)):
            python = [to_python(element) for element in (*elements, one)]
            if NotPython not in python and (name == "discard" or python[-1] in python[:-1]):
                left = [element for element, known in zip(elements, python, strict=False) if known != python[-1]]
                return (Items(held.kind, tuple(left)), none) if len(left) >= len(elements) - 1 else (Unknown(), none)
    return Unknown(), none if name != "pop" else Unknown()


def _table(held: Table, name: str, arguments: Sequence[Value], keywords: Mapping[str, Value]) -> tuple[Value, Value]:
    first = arguments[0] if arguments else Table({})
    if name == "update" and len(arguments) < 2:
        pairs = table_of(first.elements) if isinstance(first, Items) else Table({}, complete=False)
        more = first if isinstance(first, Table) else pairs
        named = {key: value for key, value in keywords.items() if key != "**"}
        complete = held.complete and more.complete and "**" not in keywords
        return Table({**held.entries, **more.entries, **named}, complete), Constant(None)
    if name == "clear":
        return Table({}), Constant(None)
    key = to_python(first)
    if name in ("setdefault", "pop") and arguments and hashable(key) and key is not NotPython:
        return _entry(held, name, key, arguments[1] if len(arguments) > 1 else None)
    return Table(held.entries, complete=False), Unknown()


def _entry(held: Table, name: str, key: Any, default: Value | None) -> tuple[Value, Value]:
    """`held.setdefault(key, default)`, `held.pop(key, default)`"""
    if key in held.entries:
        rest = {other: value for other, value in held.entries.items() if other != key or name == "setdefault"}
        return Table(rest, held.complete), held.entries[key]
    given = default or (Constant(None) if name == "setdefault" else Unknown())
    if name == "pop":
        return held, given if held.complete else Unknown()
    return Table({**held.entries, key: given if held.complete else Unknown()}, held.complete), given
