"""Abstract values as Python values, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from optdep_lint.world.values import (
    Constant,
    Items,
    Table,
    Value,
)

if TYPE_CHECKING:
    pass


class NotPython:
    """What `to_python` gives for a value that has no one Python value."""


_COLLECTED: dict[str, Callable[[list[Any]], Any]] = {
    "list": list, "set": frozenset, "dict_keys": lambda parts: dict.fromkeys(parts).keys(),
    "dict_values": lambda parts: dict(enumerate(parts)).values(), "dict_items": lambda parts: dict(parts).items(),
}  # fmt: skip


def to_python(value: Value) -> Any:
    """The Python value of a constant or of a collection of constants, else NotPython."""
    if isinstance(value, Constant):
        return value.value
    if isinstance(value, Items):
        parts = [to_python(element) for element in value.elements]
        if NotPython in parts:
            return NotPython
        return _COLLECTED.get(value.kind, tuple)(parts)
    if isinstance(value, Table) and value.complete:
        return dict.fromkeys(value.entries)
    return NotPython


def from_python(value: Any) -> Value:
    """The abstract value of a Python value."""
    if isinstance(value, (tuple, list)):
        return Items("tuple" if isinstance(value, tuple) else "list", tuple(map(from_python, value)))
    if isinstance(value, (set, frozenset)):
        return Items("set", tuple(map(from_python, value)))
    return Constant(value)


def hashable(value: Any) -> bool:
    """It can be the key of a dictionary."""
    try:
        hash(value)
    except TypeError:
        return False
    return True
