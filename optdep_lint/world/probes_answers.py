"""How the answers of probing code are compared."""

from __future__ import annotations

from optdep_lint.world.values import Choice, Constant, Items, Known, Table, Unbound, Unknown, Value


def can_be_true(value: Value | None) -> bool:
    """Some way of taking what is open makes the value true."""
    match value:
        case None | Unbound():
            return False
        case Choice():
            return can_be_true(value.yes) or can_be_true(value.no)
        case Constant():
            return bool(value.value)
        case Items():
            return bool(value.elements)
        case Table():
            return bool(value.entries) or not value.complete
    return True


def shape(value: Value | None, depth: int = 4) -> object:
    """Something that is equal for values that are the same for a caller."""
    match value:
        case None | Unbound():
            return None
        case Constant():
            return ("constant", value.value)
        case Choice() if depth:
            yes, no = shape(value.yes, depth - 1), shape(value.no, depth - 1)
            return yes if yes == no else ("choice", value.condition, yes, no)
        case Items() if depth:
            return ("items", *(shape(element, depth - 1) for element in value.elements))
        case Table() if depth:
            return ("table", *((repr(key), shape(part, depth - 1)) for key, part in value.entries.items()))
        case Known():
            return ("known", value.model)
        case Unknown():
            return ("unknown", value.condition)
    return ("other", getattr(value, "path", None) or getattr(value, "name", None))
