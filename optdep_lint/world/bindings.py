"""How names, attributes and items are bound."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

from optdep_lint.facts import syntax
from optdep_lint.facts.syntax import Target
from optdep_lint.world.frames import Frame, is_same, join_values
from optdep_lint.world.values import (
    ClassValue,
    Constant,
    External,
    FunctionValue,
    Instance,
    Items,
    Known,
    ModuleValue,
    Raised,
    Table,
    Unbound,
    Unknown,
    Value,
    caused,
    elements_of,
)

if TYPE_CHECKING:
    from optdep_lint.world.evaluation import Evaluation


class Bindings(ABC):
    """Binds values in frames."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        self.altered: dict[str, set[str]] = {}
        """The attributes that the project has bound to what is not its own, by dotted path."""

    def bind(self, name: str, value: Value, frame: Frame) -> None:
        """Bind a name where the frame's scope says."""
        value = caused(value, frame.cause)
        if name in frame.globals:
            self.bind_global(name, value, frame)
        elif name in frame.nonlocals:
            self._evaluation.effects += 1
            holder = frame.enclosing
            while holder is not None and name not in holder.state.names:
                holder = holder.enclosing
            (holder or frame).state.names[name] = value
        else:
            frame.state.names[name] = value

    def bind_global(self, name: str, value: Value, frame: Frame) -> None:
        """Bind a name of the module, from wherever evaluation stands."""
        names = frame.module.names
        if frame.kind == "module":
            names[name] = value
            return
        if frame.uncertain and name in names:
            value = join_values(None, value, names[name])
        elif (frame.uncertain and not self._evaluation.cautious) or self.may_have_left(frame):
            value = join_values(None, value, names.get(name) or Unbound())
        if not _is_no_other(value, names.get(name)):
            self._evaluation.change(names, name)
            names[name] = value

    def may_have_left(self, frame: Frame, *, module: bool = False) -> bool:
        """A call, or one around it, may have raised before: with caution, it is taken not to have unless for an absence.

        Args:
            frame: The frame of the call.
            module: Ask also of the `try` in the module around all calls.
        """
        cautious = self._evaluation.cautious
        around: Frame | None = frame
        while around is not None and (around.kind == "function" or (module and around.protected)):
            if any(exit_.failure and (exit_.failure.cause or not cautious) for exit_ in around.exits):
                return True
            around = around.called[0] if around.called is not None else None
        return False

    def rebind(self, name: str, value: Value, frame: Frame) -> None:
        """Bind a name anew in the scope that it is read from: what it holds has been changed in place."""
        value = caused(value, frame.cause)
        scope: Frame | None = frame
        while scope is not None and (name not in scope.state.names or scope.kind == "module"):
            scope = scope.enclosing
        names = scope.state.names if scope is not None else frame.module.names
        if names is not frame.state.names:
            self._evaluation.change(names, name)
            if frame.uncertain:
                value = join_values(None, value, names.get(name) or Unbound())
        names[name] = value

    def assign(self, target: Target, value: Value, frame: Frame) -> None:
        """Assign to a target, as `=` does."""
        match target:
            case syntax.Name():
                self.bind(target.id, value, frame)
            case syntax.Collection():
                self._unpack(target, value, frame)
            case syntax.Attribute():
                self._assign_attribute(target, value, frame)
            case syntax.Subscript():
                self._assign_item(target, value, frame)

    def _unpack(self, target: syntax.Collection, value: Value, frame: Frame) -> None:
        """`a, *b, c = value`"""
        value = frame.state.settle(value)
        elements = elements_of(value)
        targets = target.elements
        star = next((index for index, part in enumerate(targets) if isinstance(part, syntax.Starred)), None)
        parts: list[Value] | None = None
        if elements is not None and star is not None and len(elements) >= len(targets) - 1:
            end = len(elements) - (len(targets) - 1 - star)
            parts = [*elements[:star], Items("list", elements[star:end]), *elements[end:]]
        elif elements is not None and len(elements) == len(targets):
            parts = list(elements)
        elif elements is not None:
            error = ValueError(f"wrong number of values to unpack (expected {len(targets)})")
            self._evaluation.expressions.as_python(error, frame, getattr(targets[0], "at", 0), value)
        elif isinstance(value, Constant) and not isinstance(value.value, (str, bytes)):
            refused = TypeError(f"cannot unpack non-iterable {type(value.value).__name__} object")
            self._evaluation.expressions.as_python(refused, frame, getattr(targets[0], "at", 0), value)
        for position, part in enumerate(targets):
            whole = part.value if isinstance(part, syntax.Starred) else part
            self.assign(whole, parts[position] if parts else caused(Unknown(), value.cause), frame)  # type: ignore[arg-type]

    def _assign_attribute(self, target: syntax.Attribute, value: Value, frame: Frame) -> None:
        holder = frame.state.settle(self._evaluation.expressions.evaluate(target.value, frame))
        self.put_attribute(holder, target.name, value, frame, target.at)

    def put_attribute(self, holder: Value, name: str, value: Value, frame: Frame, at: int) -> None:
        """`holder.name = value`

        Raises:
            Raised: where the holder takes no attributes.
        """
        value = caused(value, frame.cause)
        if isinstance(holder, ModuleValue):
            if self._evaluation.is_shared(holder.module):
                return
            self._evaluation.change(holder.module.names, name)
            self._put(holder.module.names, name, value, frame)
            if name == "__class__":
                holder.module.dynamic = True
        elif isinstance(holder, ClassValue):
            if name not in _TELLING:
                self._evaluation.change(holder.names, name)
            self._put(holder.names, name, value, frame)
        elif isinstance(holder, Instance):
            self._put(holder.attributes, name, value, frame)
        elif isinstance(holder, (Constant, Items, Table)):
            raise Raised(self._evaluation.expressions.no_attribute(holder, name, frame, at))
        elif isinstance(holder, External):
            self.altered.setdefault(holder.path, set()).add(name)
        elif isinstance(holder, FunctionValue):
            holder.attributes = {**holder.attributes, name: value if not frame.uncertain else Unknown()}

    def _put(self, names: dict[str, Value], name: str, value: Value, frame: Frame) -> None:
        """Bind an attribute, for sure or perhaps."""
        names[name] = join_values(None, value, names.get(name) or Unbound()) if frame.uncertain else value

    def _assign_item(self, target: syntax.Subscript, value: Value, frame: Frame) -> None:
        expressions = self._evaluation.expressions
        holder = frame.state.settle(expressions.evaluate(target.value, frame))
        index = frame.state.settle(expressions.evaluate(target.index, frame))
        key = index.value if isinstance(index, Constant) else None
        if isinstance(holder, External) and holder.path == "sys.modules":
            self._evaluation.inject(key if isinstance(key, str) else None, value, frame)
        elif isinstance(holder, Known) and holder.model == "namespace":
            module = holder.parts[0]
            if isinstance(key, str):
                self.bind_global(key, caused(value, frame.cause), frame)
            else:
                module.dynamic = True
        elif isinstance(holder, Table) and isinstance(target.value, syntax.Name):
            entries = {**holder.entries, key: value} if key is not None else holder.entries
            self.rebind(target.value.id, Table(entries, holder.complete and key is not None), frame)

    def take_out(self, target: Target, frame: Frame) -> None:
        """`del` of an attribute or an item, as far as that is known."""
        expressions = self._evaluation.expressions
        match target:
            case syntax.Collection():
                for element in target.elements:
                    self._delete_one(element, frame)  # type: ignore[arg-type]  # what stands in a target is one
            case syntax.Attribute():
                holder = frame.state.settle(expressions.evaluate(target.value, frame))
                names = names_of(holder)
                if names is not None and target.name in names:
                    self._evaluation.change(names, target.name)
                    if frame.uncertain:
                        names[target.name] = Unknown()
                    else:
                        del names[target.name]
                elif names is not None:
                    expressions.attribute(holder, target.name, frame, target.at)
                else:
                    message = f"it has no attribute '{target.name}'"
                    expressions.perhaps_missing("attribute", "AttributeError", message, frame, target.at)
            case syntax.Subscript():
                self._take_item(target, frame)

    def _take_item(self, target: syntax.Subscript, frame: Frame) -> None:
        """`del holder[index]`, which fails where there is no such item."""
        expressions = self._evaluation.expressions
        holder = frame.state.settle(expressions.evaluate(target.value, frame))
        index = frame.state.settle(expressions.evaluate(target.index, frame))
        if isinstance(holder, (Items, Table, Known)):
            expressions.item(holder, index, frame, target.at)
        else:
            expressions.perhaps_missing("call", "TypeError", "it does not support item deletion", frame, target.at)
        key = index.value if isinstance(index, Constant) else None
        if isinstance(holder, Known) and holder.model == "namespace" and isinstance(key, str):
            holder.parts[0].names.pop(key, None)
        elif isinstance(target.value, syntax.Name) and isinstance(holder, (Items, Table)):
            self.rebind(target.value.id, without(holder, key), frame)

    @abstractmethod
    def _delete_one(self, target: Target, frame: Frame) -> None:
        """`del target`"""


def without(holder: Items | Table, key: object) -> Value:
    """A collection from which an item has been taken."""
    if isinstance(holder, Items):
        known = isinstance(key, int) and holder.kind == "list" and -len(holder.elements) <= key < len(holder.elements)
        at = key % len(holder.elements) if known and isinstance(key, int) else 0
        return Items("list", (*holder.elements[:at], *holder.elements[at + 1 :])) if known else Unknown(type_=list)
    entries = {other: value for other, value in holder.entries.items() if other != key}
    return Table(entries, holder.complete and key is not None)


def names_of(holder: Value) -> dict[str, Value] | None:
    """The attributes of a module, class or instance of the project."""
    match holder:
        case ModuleValue():
            return holder.module.names
        case ClassValue():
            return holder.names
        case Instance():
            return holder.attributes
    return None


_TELLING = frozenset({"__doc__", "__name__", "__qualname__"})
"""Attributes of a class that only tell what it is: nothing hangs on them."""


def _is_no_other(value: Value, before: Value | None) -> bool:
    """As little is known of a value as of what it replaces: a cache that is filled again."""
    return isinstance(value, Unknown) and before is not None and is_same(value, before) and value.cause == before.cause
