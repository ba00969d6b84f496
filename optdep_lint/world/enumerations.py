"""Members of enumerations: what their classes bind is their value, not they."""

from __future__ import annotations

from optdep_lint.world.values import ClassValue, Constant, External, Instance, Items, Value

_ENUMERATIONS = frozenset({"Enum", "IntEnum", "StrEnum", "Flag", "IntFlag", "ReprEnum"})


def member_of(class_: ClassValue, name: str, value: Value) -> Value:
    """What `class_.name` is, where the class binds `name` to `value`: a member, if the class is an enumeration."""
    if name.startswith("_") or not isinstance(value, (Constant, Items)) or not _is_enumeration(class_):
        return value
    member = Instance(class_, (Constant(name),))
    member.attributes = {"value": value, "_value_": value, "name": Constant(name), "_name_": Constant(name)}
    member.vague = True
    return member


def _is_enumeration(class_: ClassValue) -> bool:
    for base in class_.bases:
        if isinstance(base, External):
            holder, _, name = base.path.rpartition(".")
            if name in _ENUMERATIONS and holder in ("enum", "strenum", "aenum", "backports.strenum"):
                return True
        elif isinstance(base, ClassValue) and _is_enumeration(base):
            return True
    return False


def are_equal(left: Value, right: Value) -> bool | None:
    """Whether two values are equal of which at least one is a member; None where this room does not know."""
    values = [_value_of(value) for value in (left, right)]
    members = [value for value in (left, right) if isinstance(value, Instance)]
    if not members or None in values:
        return None
    first, second = values
    if len(members) == 2 and left.type is right.type:  # type: ignore[attr-defined]  # both are members
        return first == second
    return first == second if all(_is_mixed(member) for member in members) else False


def _value_of(value: Value) -> object | None:
    if isinstance(value, Instance) and isinstance(value.type, ClassValue) and _is_enumeration(value.type):
        value = value.attributes.get("value", value)
    return value.value if isinstance(value, Constant) else None


def _is_mixed(member: Instance) -> bool:
    """The members of its class are texts or numbers themselves."""

    def mixes(class_: Value) -> bool:
        if isinstance(class_, External):
            return class_.path.startswith("builtins.") or class_.path.rpartition(".")[2] in _MIXED
        return isinstance(class_, ClassValue) and any(mixes(base) for base in class_.bases)

    return mixes(member.type)


_MIXED = frozenset({"IntEnum", "StrEnum", "IntFlag"})
