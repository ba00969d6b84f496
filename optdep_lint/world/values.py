"""The abstract values that evaluation works with, and why each is as it is."""

from __future__ import annotations

import copy
import types
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from optdep_lint.findings import Step

if TYPE_CHECKING:
    from optdep_lint.facts import syntax
    from optdep_lint.world.frames import Frame
    from optdep_lint.world.modules import Module
    from optdep_lint.world.truth import Condition


@dataclass(frozen=True, slots=True)
class Cause:
    """The absence that something goes back to."""

    missing: str
    """The dotted name whose absence was met."""
    path: str
    """The file in which it was met."""
    at: int
    """The position of the statement or call that met it."""


class Value:
    """Something that a name can be bound to. `cause` is set where it is so only because something is absent."""

    __slots__ = ("cause",)
    cause: Cause | None

    def __init__(self) -> None:
        self.cause = None


V = TypeVar("V", bound=Value)


def caused(value: V, cause: Cause | None) -> V:
    """The value, going back to `cause` unless it already goes back to another."""
    if cause is None or value.cause is not None:
        return value
    copied = copy.copy(value)
    copied.cause = cause
    return copied


class Unknown(Value):
    """Any value; `condition` is the condition for it to be true, where that can be asked again."""

    __slots__ = ("condition", "doubt", "type")

    def __init__(self, condition: Condition | None = None, type_: type | None = None, doubt: str = "") -> None:
        super().__init__()
        self.condition, self.type = condition, type_
        """`type`: the builtin type that it is of, where that much is known."""
        self.doubt = doubt
        """What may fail, since it is one of several things: `name` to read it, else `kind` what is done with it; empty for neither."""


def typed(value: Value, type_: type | None) -> Value:
    """The value; one of which nothing else is known is of that type."""
    if type_ is None or not isinstance(value, Unknown) or value.type is not None:
        return value
    return caused(Unknown(value.condition, type_, value.doubt and "kind"), value.cause)


def doubted(value: Value) -> Value:
    """The value; one of which nothing is known is perhaps of another kind than what it is used for."""
    if not isinstance(value, Unknown) or value.doubt:
        return value
    return caused(Unknown(value.condition, value.type, "kind"), value.cause)


class Unbound(Value):
    """No value: reading the name fails."""

    __slots__ = ()


class Constant(Value):
    """A literal."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


COLLECTIONS: dict[str, type] = {
    "tuple": tuple, "list": list, "set": set, "dict": dict, "generator": types.GeneratorType, "ModuleInfo": tuple,
    "dict_keys": type({}.keys()), "dict_values": type({}.values()), "dict_items": type({}.items()),
}  # fmt: skip
"""The types of displays and comprehensions, and of what `pkgutil` lists."""


class Items(Value):
    """A tuple, list or set whose elements are known one by one."""

    __slots__ = ("elements", "kind")

    def __init__(self, kind: str, elements: tuple[Value, ...]) -> None:
        super().__init__()
        self.kind, self.elements = kind, elements


class Table(Value):
    """A dictionary whose keys are known; `complete` is False where there may be others."""

    __slots__ = ("complete", "entries")

    def __init__(self, entries: dict[Any, Value], complete: bool = True) -> None:
        super().__init__()
        self.entries, self.complete = entries, complete


class External(Value):
    """A module that is not the project's own, or something in one, by its dotted path; builtins are `builtins.x`."""

    __slots__ = ("path",)

    def __init__(self, path: str) -> None:
        super().__init__()
        self.path = path


class ModuleValue(Value):
    """A module of the project."""

    __slots__ = ("module",)

    def __init__(self, module: Module) -> None:
        super().__init__()
        self.module = module


_NO_ATTRIBUTES: dict[str, Value] = {}


class FunctionValue(Value):
    """A function of the project."""

    __slots__ = ("attributes", "closure", "defaults", "dispatches", "memoised", "module", "name", "node", "owner")

    def __init__(self, module: Module, name: str, node: syntax.Function | syntax.Lambda, closure: Frame | None) -> None:
        super().__init__()
        self.module, self.name, self.node, self.closure = module, name, node, closure
        self.defaults: dict[str, Value] = {}
        self.attributes: dict[str, Value] = _NO_ATTRIBUTES
        """What has been bound to it as an attribute."""
        self.owner: ClassValue | None = None
        """The class in whose body it stands."""
        self.dispatches = False
        """Others are registered with it by the types that their annotations name (`functools.singledispatch`)."""
        self.memoised = False
        """Its result is computed once per process."""


class Method(Value):
    """A function bound to its first argument."""

    __slots__ = ("function", "receiver")

    def __init__(self, function: Value, receiver: Value) -> None:
        super().__init__()
        self.function, self.receiver = function, receiver


class Descriptor(Value):
    """A function in a class body under `property`, `staticmethod` or `classmethod`."""

    __slots__ = ("function", "kind")

    def __init__(self, kind: str, function: Value) -> None:
        super().__init__()
        self.kind, self.function = kind, function


class ClassValue(Value):
    """A class of the project."""

    __slots__ = ("bases", "metaclass", "module", "name", "names", "node")

    def __init__(self, module: Module, name: str, bases: tuple[Value, ...], names: dict[str, Value]) -> None:
        super().__init__()
        self.module, self.name, self.bases, self.names = module, name, bases, names
        self.metaclass: Value | None = None
        self.node: syntax.Class | None = None


class Instance(Value):
    """An instance of a class of the project, or of an exception class."""

    __slots__ = ("arguments", "attributes", "failure", "type", "vague")

    def __init__(self, type_: Value, arguments: tuple[Value, ...] = ()) -> None:
        super().__init__()
        self.type = type_
        self.arguments = arguments
        self.attributes: dict[str, Value] = {}
        self.failure: Failure | None = None
        """Of an exception that was caught: how it came."""
        self.vague = False
        """It may have attributes that cannot be seen."""


class Choice(Value):
    """`yes` where the condition holds, `no` where it does not."""

    __slots__ = ("condition", "no", "yes")

    def __init__(self, condition: Condition, yes: Value, no: Value) -> None:
        super().__init__()
        self.condition, self.yes, self.no = condition, yes, no


class Known(Value):
    """Something whose calls a model answers: `model` names it, `parts` are what it closes over."""

    __slots__ = ("model", "parts")

    def __init__(self, model: str, *parts: Any) -> None:
        super().__init__()
        self.model, self.parts = model, parts


@dataclass(frozen=True, slots=True)
class Guard:
    """Something that stands between an import and the outside: an `if`, or a `try` that does not catch."""

    kind: str
    """`if`, `try`, `with`; `passed` for an `if` whose taken branch has been run to its end before."""
    at: int
    condition: Condition | None = None
    """What an `if` leaves open."""
    cause: Cause | None = None
    """The absence that decided it."""
    holds: bool = True


@dataclass(frozen=True, slots=True, eq=False)
class Failure:
    """An exception on its way."""

    type: Value
    """Its class."""
    cause: Cause | None
    """The absence that it goes back to; None where none is known."""
    kind: str
    """What failed: `import`, `name`, `attribute`, `call`, `probe`, `raise`, `operation`."""
    path: str
    """The file of the statement that failed first."""
    at: int
    """Its position."""
    message: str
    chain: tuple[Step, ...] = ()
    """From the outermost import or call to the statement that failed."""
    places: tuple[tuple[str, int], ...] = ()
    """The positions that the chain's steps stand at, as (path, at)."""
    guards: tuple[Guard, ...] = ()
    """What stood around the statement that failed, in its own file, outermost first."""
    arguments: tuple[Value, ...] = ()
    subject: str | None = None
    """The name that was asked for."""
    conditions: tuple[Condition, ...] = ()
    """What must hold for it to happen; empty where it is certain."""
    certain: bool = False
    """It happens for sure, though no absence is behind it."""

    @property
    def origin(self) -> tuple[str, int, str | None]:
        """Where it failed first, and for which absence."""
        return self.path, self.at, self.cause.missing if self.cause is not None else None

    @property
    def concludes(self) -> bool:
        """It ends what it happens in: what evaluation merely fails to understand does not."""
        return self.certain or self.cause is not None


class Raised(Exception):
    """A failure met while an expression is evaluated."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(failure.message)
        self.failure = failure


def type_of(value: Value) -> type | None:
    """The builtin type of a value, where it is of one and that is known."""
    match value:
        case Constant():
            return type(value.value)
        case Items():
            return COLLECTIONS[value.kind]
        case Table():
            return dict
        case Unknown():
            return value.type
    return None


def builtin(name: str) -> External:
    """A builtin by its name."""
    return External(f"builtins.{name}")


def is_none(value: Value) -> bool:
    """It is the constant None."""
    return isinstance(value, Constant) and value.value is None


def elements_of(value: Value) -> tuple[Value, ...] | None:
    """What iterating over a value gives, where that is known."""
    if isinstance(value, Items):
        return value.elements
    if isinstance(value, Table) and value.complete:
        return tuple(Constant(key) for key in value.entries)
    if isinstance(value, Constant) and isinstance(value.value, str):
        return tuple(Constant(letter) for letter in value.value)
    return None
