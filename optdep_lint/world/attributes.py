"""What names and attributes stand for."""

from __future__ import annotations

import builtins
import importlib
import types
from typing import TYPE_CHECKING

from optdep_lint.facts import syntax
from optdep_lint.world.enumerations import member_of
from optdep_lint.world.exceptions import is_exception, text_of
from optdep_lint.world.frames import Frame
from optdep_lint.world.listing import FIELDS
from optdep_lint.world.origins import ORIGIN
from optdep_lint.world.questions import Questions
from optdep_lint.world.truth import Truth
from optdep_lint.world.values import (
    COLLECTIONS,
    Choice,
    ClassValue,
    Constant,
    Descriptor,
    External,
    Failure,
    FunctionValue,
    Instance,
    Items,
    Known,
    Method,
    ModuleValue,
    Raised,
    Table,
    Unbound,
    Unknown,
    Value,
    builtin,
    caused,
    typed,
)

if TYPE_CHECKING:
    pass

_BUILTINS = frozenset(dir(builtins)) | {
    "ExceptionGroup",
    "BaseExceptionGroup",
    "aiter",
    "anext",
    "WindowsError",
    "reveal_type",
}


_VERSION_PARTS = ("major", "minor", "micro", "releaselevel", "serial")


class Attributes(Questions):
    """Looks up names and attributes."""

    def _name(self, node: syntax.Name, frame: Frame) -> Value:
        value = self.lookup(node.id, frame)
        if value is None:
            declared = node.id in frame.module.declared and self._evaluation.cautious
            unseen = frame.module.dynamic and not self.is_local(node.id, frame)
            if unseen:
                self.perhaps_unbound(node.id, node.at, frame)
            if unseen or declared:
                return Unknown()
            value = Unbound()
        return self.bound(value, node.id, node.at, frame, is_read=True)

    def is_local(self, name: str, frame: Frame) -> bool:
        """A function around has a name of its own like that."""
        scope: Frame | None = frame if name not in frame.globals else None
        while scope is not None and scope.kind != "module":
            function = scope.function if scope.kind == "function" else None
            if function is not None and name in self._evaluation.locals_of(function):
                return True
            scope = scope.enclosing
        return False

    def perhaps_unbound(self, name: str, at: int, frame: Frame) -> None:
        """A module whose names cannot be seen may not have one: with caution, it is taken to be there."""
        self.perhaps_missing("name", "NameError", f"name '{name}' is not defined", frame, at)

    def bound(self, value: Value, name: str, at: int, frame: Frame, *, is_read: bool = False) -> Value:
        """The value that a name is bound to; where it is only read, Python's own names are there, too.

        Raises:
            Raised: where it is bound to none.
        """
        value = frame.state.settle(value)
        if isinstance(value, Choice):
            if holds_unbound(value):
                return self.choose(value, lambda one: self.bound(one, name, at, frame, is_read=is_read), frame)
            return value
        if isinstance(value, Known) and value.model == "lazy import":
            return self._resolved(value, at, frame)
        if isinstance(value, Unknown) and value.doubt == "name":
            self.perhaps_unbound(name, at, frame)
            return typed(caused(Unknown(value.condition, None, "kind"), value.cause), value.type)
        if isinstance(value, Unbound):
            message = f"name '{name}' is not defined"
            cause = value.cause or self._evaluation.operations.cause_of(name, frame)
            local = frame.function is not None and name in self._evaluation.locals_of(frame.function)
            if is_read and name in _BUILTINS and not local:
                return Unknown()  # what the module does not bind after all, Python does
            type_ = builtin("UnboundLocalError" if local and frame.kind == "function" else "NameError")
            certain = self._evaluation.is_never_bound(frame.module, name)
            raise Raised(self.failure(frame, at, "name", message, cause, type_, subject=name, certain=certain))
        return value

    def _resolved(self, lazy: Known, at: int, frame: Frame) -> Value:
        """What a lazy import gives when its name is first read (PEP 810)."""
        module, last, name = lazy.parts
        value = self._evaluation.imports.import_dotted(module, last, frame, at)
        return value if name is None else self._evaluation.imports.import_name(value, name, frame, at)

    def lookup(self, name: str, frame: Frame) -> Value | None:
        """What a name is bound to, by Python's scopes; None where it cannot be told."""
        if name not in frame.globals:
            scope: Frame | None = frame
            while scope is not None and scope.kind != "module":
                if name in scope.state.names and scope.kind != "class":
                    return scope.state.names[name]
                if name in scope.state.names and scope is frame:
                    found = scope.state.names[name]
                    return _or_else(found, self._global(name, frame)) if holds_unbound(found) else found
                if scope is frame and name in frame.own:
                    break
                if (
                    scope.function is not None
                    and scope.kind == "function"
                    and name in self._evaluation.locals_of(scope.function)
                ):
                    return None
                scope = scope.enclosing
        return self._global(name, frame)

    def _global(self, name: str, frame: Frame) -> Value | None:
        """What a name of the module, or else of Python, is bound to."""
        if frame.kind != "module":
            self._evaluation.read(frame.module, name)
        value = frame.module.names.get(name)
        if value is not None:
            return value
        if name in frame.module.implicit:
            return frame.module.implicit[name]
        if name == "__debug__":
            return Constant(True)
        return builtin(name) if name in _BUILTINS else None

    def _attribute(self, node: syntax.Attribute, frame: Frame) -> Value:
        return self.attribute(self.evaluate(node.value, frame), node.name, frame, node.at)

    def attribute(self, value: Value, name: str, frame: Frame, at: int) -> Value:
        """`value.name`

        Raises:
            Raised: where there is no such attribute for certain.
        """
        value = frame.state.settle(value)
        match value:
            case Choice():
                return self.choose(value, lambda one: self.attribute(one, name, frame, at), frame)
            case ModuleValue():
                return self._evaluation.imports.module_attribute(
                    self._evaluation.current(value.module), name, frame, at
                )
            case External():
                return self._evaluation.known.attribute(value, name, frame, at)
            case ClassValue():
                return self._class_attribute(value, name, frame, at)
            case Instance():
                return self._instance_attribute(value, name, frame, at)
            case Constant() if not hasattr(value.value, name):
                raise Raised(self.no_attribute(value, name, frame, at))
            case Unknown(type=type() as type_) if not hasattr(type_, name):
                raise Raised(self.no_attribute(value, name, frame, at))
            case Known():
                return self._evaluation.known.member(value, name)
            case Items(kind="tuple") if name in _VERSION_PARTS and len(value.elements) == len(_VERSION_PARTS):
                return value.elements[_VERSION_PARTS.index(name)]
            case Items(kind="ModuleInfo") if name in FIELDS:
                return value.elements[FIELDS.index(name)]
            case Items() | Table() if not hasattr(
                COLLECTIONS[value.kind if isinstance(value, Items) else "dict"], name
            ):
                raise Raised(self.no_attribute(value, name, frame, at))
            case Items() | Table() | Constant():
                return Known("member", value, name)
            case FunctionValue(dispatches=True) if name == "register":
                return Known("dispatcher", value)
            case FunctionValue() if name in value.attributes:
                return value.attributes[name]
            case FunctionValue() if name == "__name__":
                return Constant(value.name)
            case FunctionValue(memoised=True) if name == "__wrapped__":
                return value
            case FunctionValue() if self._is_bare(value) and not hasattr(types.FunctionType, name):
                raise Raised(self._lacking("'function' object", value, name, frame, at))
            case Unknown() if value.doubt and not hasattr(object, name):
                self.perhaps_missing("attribute", "AttributeError", f"it has no attribute '{name}'", frame, at)
        key = self.key(value)
        if name == "__module__" and key is None:
            return ORIGIN
        return self.unknown(f"{key}.{name}" if key else None, value.cause)

    def _is_bare(self, function: FunctionValue) -> bool:
        """A function without more attributes than any has: with caution concluded of one that stands in for what is absent."""
        cautious = self._evaluation.cautious and function.cause is None
        wrapped = function.dispatches or function.memoised
        return not (cautious or wrapped or function.module.name in self._evaluation.blurred)

    def no_attribute(self, value: Value, name: str, frame: Frame, at: int) -> Failure:
        """What asking a value of Python's own for an attribute that it has not raises."""
        return self._lacking(f"'{kind_of(value)}' object", value, name, frame, at)

    def _lacking(self, what: str, value: Value, name: str, frame: Frame, at: int) -> Failure:
        message = f"{what} has no attribute '{name}'"
        certain = frame.module.name not in self._evaluation.blurred
        type_ = builtin("AttributeError")
        return self.failure(frame, at, "attribute", message, value.cause, type_, subject=name, certain=certain)

    def class_member(self, class_: ClassValue, name: str) -> Value | None:
        """An attribute by the order of bases; None where it is not found."""
        found = class_.names.get(name)
        if found is not None:
            return found
        for base in class_.bases:
            if isinstance(base, ClassValue):
                found = self.class_member(base, name)
                if found is not None:
                    return found
        return None

    def is_closed(self, class_: ClassValue) -> bool:
        """All its bases are known, so that what is not found is not there."""
        return class_.metaclass is None and all(
            self.is_closed(base)
            if isinstance(base, ClassValue)
            else isinstance(base, External) and base.path.startswith("builtins.")
            for base in class_.bases
        )

    def knows_all_of(self, class_: ClassValue) -> bool:
        """What is not found in a class is not there: with caution concluded only of one that stands in for what is absent."""
        cautious = self._evaluation.cautious and class_.cause is None
        return not cautious and class_.module.name not in self._evaluation.blurred and self.is_closed(class_)

    def takes_nothing(self, class_: ClassValue) -> bool:
        """Making an instance out of arguments fails."""
        return self.knows_all_of(class_) and _has_only_what_object_has(class_, {"__init__", "__new__"})

    def is_generic(self, class_: ClassValue) -> bool:
        """`class_[...]` does not fail."""
        own = class_.metaclass is not None or self.class_member(class_, "__class_getitem__") is not None
        return own or not self.knows_all_of(class_) or _is_inherited(class_, "__class_getitem__")

    def is_plain(self, class_: ClassValue) -> bool:
        """Its instances are equal to nothing but themselves."""
        return self.knows_all_of(class_) and _has_only_what_object_has(class_, {"__eq__"})

    def _class_attribute(self, class_: ClassValue, name: str, frame: Frame, at: int) -> Value:
        found = self.class_member(class_, name)
        if found is None and isinstance(class_.metaclass, ClassValue):
            given = self.class_member(class_.metaclass, name)
            if isinstance(given, FunctionValue):
                return Method(given, class_)
            if given is not None and not isinstance(given, (Descriptor, Unbound)):
                return given
        if isinstance(found, Descriptor):
            return Method(found.function, class_) if found.kind == "classmethod" else found.function
        if name == "__name__":
            return Constant(class_.name)
        if found is None or isinstance(found, Unbound):
            if self.knows_all_of(class_) and not _is_inherited(class_, name) and not hasattr(type, name):
                raise Raised(self._lacking(f"type object '{class_.name}'", class_, name, frame, at))
            return Unknown()
        return member_of(class_, name, found)

    def _instance_attribute(self, value: Instance, name: str, frame: Frame, at: int) -> Value:
        found = value.attributes.get(name)
        if found is not None:
            return caused(found, value.cause)
        if name == "__class__":
            return value.type
        if name == "args" and is_exception(value.type):
            return Items("tuple", value.arguments)
        if not isinstance(value.type, ClassValue):
            if isinstance(value.type, External) and lacks(value.type.path, name):
                raise Raised(self._lacking(f"'{text_of(value.type)}' object", value, name, frame, at))
            return Unknown()
        found = self.class_member(value.type, name)
        calls = self._evaluation.calls
        if isinstance(found, Descriptor):
            if found.kind == "property":
                return calls.call(found.function, (value,), {}, frame, at)
            return Method(found.function, value.type) if found.kind == "classmethod" else found.function
        if isinstance(found, FunctionValue) or (isinstance(found, Known) and found.model == "decorated"):
            return caused(Method(found, value), value.cause)
        if found is not None:
            return caused(found, value.cause) if not isinstance(found, Unbound) and not value.vague else Unknown()
        hook = self.class_member(value.type, "__getattr__") if not value.vague else None
        if isinstance(hook, FunctionValue):
            return calls.call(Method(hook, value), (Constant(name),), {}, frame, at, value.cause)
        known = self.knows_all_of(value.type) and not value.vague
        if known and not _is_inherited(value.type, name) and not hasattr(object, name):
            raise Raised(self._lacking(f"'{value.type.name}' object", value, name, frame, at))
        key = self.key(value)
        return self.unknown(f"{key}.{name}" if key and not value.arguments else None, value.cause)


def _has_only_what_object_has(class_: ClassValue, names: set[str]) -> bool:
    """Nothing in a class, in what it derives from or in their decorators gives one of the names another meaning."""
    if names & class_.names.keys() or class_.node is None or class_.node.decorators:
        return False
    return all(
        _has_only_what_object_has(base, names)
        if isinstance(base, ClassValue)
        else isinstance(base, External) and base.path == "builtins.object"
        for base in class_.bases
    )


def _is_inherited(class_: ClassValue, name: str) -> bool:
    """A builtin that a class derives from has an attribute of that name."""
    return any(
        _is_inherited(base, name)
        if isinstance(base, ClassValue)
        else isinstance(base, External) and hasattr(getattr(builtins, base.path.rpartition(".")[2], None), name)
        for base in class_.bases
    )


def lacks(path: str, name: str) -> bool:
    """Instances of that class of Python's own have no such attribute."""
    module, _, last = path.rpartition(".")
    if module not in ("builtins", "importlib.metadata"):
        return False
    class_ = getattr(importlib.import_module(module), last, None)
    return isinstance(class_, type) and not any(name in vars(base) for base in class_.__mro__)


def _or_else(value: Value, other: Value | None) -> Value:
    """In a class body, a name that is not bound there is the module's."""
    if isinstance(value, Choice) and holds_unbound(value):
        return Choice(value.condition, _or_else(value.yes, other), _or_else(value.no, other))
    return other if isinstance(value, Unbound) and other is not None else value


def kind_of(value: Value) -> str:
    """The name of the builtin type of a value, as messages give it."""
    match value:
        case Constant():
            return type(value.value).__name__
        case Items():
            return value.kind
        case ModuleValue():
            return "module"
        case Unknown(type=type() as type_):
            return type_.__name__
    return "dict"


def may_be_unbound(value: Value) -> Truth:
    """Whether a name that is bound to the value is bound to none."""
    if isinstance(value, Choice) or (isinstance(value, Unknown) and value.doubt == "name"):
        return Truth.MAYBE
    return Truth.of(isinstance(value, Unbound))


def holds_unbound(value: Value) -> bool:
    """Reading a name that is bound to the value can fail."""
    if isinstance(value, Choice):
        return holds_unbound(value.yes) or holds_unbound(value.no)
    return may_be_unbound(value) is not Truth.NO
