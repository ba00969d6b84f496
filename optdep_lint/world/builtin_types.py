"""What Python's own types derive from, and what instances of them are instances of."""

from __future__ import annotations

import builtins
import collections.abc
from collections.abc import Callable, Iterator

from optdep_lint.world.truth import Truth
from optdep_lint.world.values import ClassValue, Constant, External, Items, Known, Value

_HOLDERS = {"builtins": builtins, "collections.abc": collections.abc}


def is_of(python: type, wanted: Value, is_closed: Callable[[ClassValue], bool]) -> Truth:
    """Whether instances of a type are instances of a class, or of one of several.

    Args:
        python: A type of Python's own.
        wanted: The class, a tuple of classes or a union.
        is_closed: Whether all is known that a class of the project derives from.
    """
    return max((_derives(python, one, is_closed) for one in _alternatives(wanted)), default=Truth.NO)


def union(left: Value, right: Value) -> Known | None:
    """`left | right` of classes; None where they are not known to be any."""
    if any(map(_is_own_type, (left, right))) and all(map(_may_be_class, (left, right))):
        return Known("union", left, right)
    return None


def _alternatives(wanted: Value) -> Iterator[Value]:
    """The classes of a tuple or union, however nested."""
    parts = wanted.elements if isinstance(wanted, Items) else ()
    parts = wanted.parts if isinstance(wanted, Known) and wanted.model == "union" else parts
    if not parts:
        yield wanted
    for part in parts:
        if not (isinstance(wanted, Items) and isinstance(part, Constant)):  # None is a class in unions only
            yield from _alternatives(part)


def _derives(python: type, wanted: Value, is_closed: Callable[[ClassValue], bool]) -> Truth:
    if isinstance(wanted, ClassValue):
        return Truth.NO if is_closed(wanted) else Truth.MAYBE
    if isinstance(wanted, Constant) and wanted.value is None:
        return Truth.of(python is type(None))
    class_ = _class_of(wanted)
    return Truth.of(issubclass(python, class_)) if class_ is not None else Truth.MAYBE


def _class_of(value: Value) -> type | None:
    module, _, name = value.path.rpartition(".") if isinstance(value, External) else ("", "", "")
    found = getattr(_HOLDERS.get(module), name, None)
    return found if isinstance(found, type) else None


def _is_own_type(value: Value) -> bool:
    return _class_of(value) is not None or (isinstance(value, Known) and value.model == "union")


def _may_be_class(value: Value) -> bool:
    none = isinstance(value, Constant) and value.value is None
    return none or _is_own_type(value) or isinstance(value, (ClassValue, External))
