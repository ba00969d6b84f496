"""What displays, comprehensions and subscripts give."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable
from typing import Any

from optdep_lint.facts import syntax
from optdep_lint.world.attributes import holds_unbound
from optdep_lint.world.frames import Frame, State
from optdep_lint.world.literals import NotPython, hashable, to_python
from optdep_lint.world.modules import Module
from optdep_lint.world.questions import Questions
from optdep_lint.world.truth import Truth, assume
from optdep_lint.world.values import (
    COLLECTIONS,
    Cause,
    Choice,
    ClassValue,
    Constant,
    External,
    Items,
    Known,
    ModuleValue,
    Raised,
    Table,
    Unbound,
    Unknown,
    Value,
    builtin,
    caused,
    elements_of,
)

_PERHAPS = Unknown()
"""An element of a comprehension that there may be."""


class Displays(Questions):
    """Evaluates collections and their items."""

    @abstractmethod
    def is_generic(self, class_: ClassValue) -> bool:
        """`class_[...]` does not fail."""

    def _collection(self, node: syntax.Collection, frame: Frame) -> Value:
        elements: list[Value] = []
        exact = True
        for part in node.elements:
            value = self.evaluate(part, frame)
            if isinstance(part, syntax.Starred):
                inner = elements_of(frame.state.settle(value))
                exact = exact and inner is not None
                elements += inner or ()
            else:
                elements.append(value)
        return Items(node.kind, tuple(elements)) if exact else Unknown()

    def _mapping(self, node: syntax.Mapping, frame: Frame) -> Value:
        entries: dict[Any, Value] = {}
        complete = True
        for key, part in zip(node.keys, node.values, strict=True):
            value = self.evaluate(part, frame)
            if key is None:
                inner = frame.state.settle(value)
                complete = complete and isinstance(inner, Table) and inner.complete
                entries.update(inner.entries if isinstance(inner, Table) else {})
                continue
            found = to_python(frame.state.settle(self.evaluate(key, frame)))
            if found is NotPython:
                complete = False
            elif hashable(found):
                entries[found] = value
            else:
                self.as_python(TypeError(f"unhashable type: {type(found).__name__}"), frame, getattr(key, "at", 0))
                complete = False
        return Table(entries, complete)

    def iterate(
        self, node: syntax.Comprehension, frame: Frame, causes: list[Cause] | None = None
    ) -> Iterable[Value] | None:
        """The elements of a comprehension one by one, evaluated as they are asked for; None where they cannot be told.

        The absences for which elements are in it, or are not, are added to `causes`.
        """
        first = node.generators[0]
        elements = elements_of(frame.state.settle(self.evaluate(first.iterable, frame)))
        if elements is None or len(node.generators) > 1 or len(elements) > 400:
            return None
        return self._each(node, first, elements, _scope_of(frame), causes if causes is not None else [])

    def _each(
        self, node: syntax.Comprehension, generator: syntax.Generator, elements: tuple[Value, ...], frame: Frame,
        causes: list[Cause],
    ) -> Iterable[Value]:  # fmt: skip
        for element in elements:
            self._evaluation.count_step()
            names, frame.state.names = frame.state.names, frame.state.names.copy()
            try:
                self._evaluation.statements.assign(generator.target, element, frame)
                answers = [self.test(test, frame) for test in generator.tests]
                truths = [truth for truth, _, _ in answers]
                causes += (cause for truth, _, cause in answers if cause is not None and truth is not Truth.MAYBE)
                if min(truths, default=Truth.YES) is Truth.NO:
                    continue
                value = self._made(node, frame)
                if min(truths, default=Truth.YES) is Truth.MAYBE:
                    value = _PERHAPS
            finally:
                frame.state.names = names
            yield value

    def _made(self, node: syntax.Comprehension, frame: Frame) -> Value:
        """One element of a comprehension, as a pair where it has a key."""
        if node.key is None:
            return self.evaluate(node.element, frame)
        return Items("tuple", (self.evaluate(node.key, frame), self.evaluate(node.element, frame)))

    def _comprehension(self, node: syntax.Comprehension, frame: Frame) -> Value:
        causes: list[Cause] = []
        found = self.iterate(node, frame, causes)
        values = tuple(found) if found is not None else (_PERHAPS,)
        if _PERHAPS in values:
            if found is None:
                self.typical(node, frame)
            return Unknown(type_=COLLECTIONS[node.kind])
        whole = table_of(values) if node.key is not None else Items(node.kind, values)
        return caused(whole, next(iter(causes), None))

    def typical(self, node: syntax.Comprehension, frame: Frame) -> Value:
        """What all elements of a comprehension are like, if there are any."""
        outer, frame = frame, _scope_of(frame)
        names, frame.state.names = frame.state.names, frame.state.names.copy()
        try:
            for generator in node.generators:
                scope = outer if generator is node.generators[0] else frame
                self.under(None, True, lambda part=generator, at=scope: self.evaluate(part.iterable, at), scope)  # type: ignore[misc]
                self._evaluation.statements.assign(generator.target, Unknown(), frame)
            return self.under(None, True, lambda: self._once(node, frame), frame)
        finally:
            frame.state.names = names

    def _once(self, node: syntax.Comprehension, frame: Frame) -> Value:
        for generator in node.generators:
            for test in generator.tests:
                truth, condition, _ = self.test(test, frame)
                if truth is Truth.NO:
                    return Unknown()
                if condition is not None:
                    assume(condition, True, frame.state.assumed)
        if node.key is not None:
            self.evaluate(node.key, frame)
        return self.evaluate(node.element, frame)

    def _subscript(self, node: syntax.Subscript, frame: Frame) -> Value:
        value = self.evaluate(node.value, frame)
        index = self.evaluate(node.index, frame)
        return self.item(value, index, frame, node.at)

    def item(self, value: Value, index: Value, frame: Frame, at: int) -> Value:
        """`value[index]`"""
        value, index = frame.state.settle(value), frame.state.settle(index)
        if isinstance(value, Choice):
            return self.choose(value, lambda one: self.item(one, index, frame, at), frame)
        key = to_python(index)
        match value:
            case ClassValue() if self.is_generic(value):
                return value
            case ClassValue():
                return self.as_python(TypeError(f"type '{value.name}' is not subscriptable"), frame, at, value)
            case Constant(value=None) if value.cause is not None:
                message = "'NoneType' object is not subscriptable"
                raise Raised(self.failure(frame, at, "call", message, value.cause, builtin("TypeError")))
            case ModuleValue() | External() if isinstance(value, ModuleValue) or self._evaluation.calls.is_module(
                value
            ):
                return self.as_python(TypeError("'module' object is not subscriptable"), frame, at, value)
            case External(path="sys.modules"):
                return self._evaluation.imports.loaded(key if isinstance(key, str) else None, frame, at)
            case Known(model="namespace") if isinstance(key, str):
                return self._of_namespace(value.parts[0], key, frame, at)
            case Known(model="environment") if isinstance(key, str):
                return self._evaluation.known.variable(key, None, frame, at)
            case Known(model="origin"):
                return value
            case Table() if key is not NotPython and hashable(key) and key in value.entries:
                return value.entries[key]
            case Items() | Constant() if isinstance(index, Known) and index.model == "slice":
                return _slice(value, index)
            case Table(complete=True) if key is not NotPython and hashable(key):
                return self.as_python(KeyError(key), frame, at, value)
            case Items() | Constant() if isinstance(key, int):
                return self._numbered(value, key, frame, at)
            case Constant() if not isinstance(value.value, str):
                return self.as_python(TypeError("it is not subscriptable"), frame, at)
        base, text = self.key(value), self.key(index)
        return self.unknown(f"{base}[{text}]" if base and text else None, value.cause)

    def _of_namespace(self, module: Module, name: str, frame: Frame, at: int) -> Value:
        """`globals()[name]`"""
        found = frame.state.settle(module.names.get(name) or module.implicit.get(name) or Unbound())
        if isinstance(found, Unbound) and not module.dynamic:
            return self.as_python(KeyError(name), frame, at, found)
        if holds_unbound(found):
            self.perhaps_missing("call", "KeyError", f"globals() has no '{name}'", frame, at)
        return found if not holds_unbound(found) else Unknown()

    def _numbered(self, value: Items | Constant, number: int, frame: Frame, at: int) -> Value:
        """`value[number]`"""
        python = value.elements if isinstance(value, Items) else value.value
        unordered = isinstance(value, Items) and value.kind not in ("tuple", "list", "ModuleInfo")
        if unordered or not isinstance(python, (tuple, str)):
            return self.as_python(TypeError("it is not subscriptable"), frame, at)
        if not -len(python) <= number < len(python):
            return self.as_python(IndexError("index out of range"), frame, at)
        element = python[number]
        return element if isinstance(element, Value) else Constant(element)


def _scope_of(frame: Frame) -> Frame:
    """Where all of a comprehension but its first iterable is evaluated: the names of a class body are not seen there."""
    if frame.kind != "class":
        return frame
    inner = Frame("function", frame.module, State({}, frame.state.assumed), frame)
    inner.exits, inner.guards, inner.causes, inner.caught = frame.exits, frame.guards, frame.causes, frame.caught
    inner.uncertain, inner.protected, inner.depth = frame.uncertain, frame.protected, frame.depth
    return inner


def table_of(pairs: Iterable[Value]) -> Table:
    """The dictionary of pairs."""
    entries: dict[Any, Value] = {}
    complete = True
    for pair in pairs:
        key, value = pair.elements if isinstance(pair, Items) and len(pair.elements) == 2 else (Unknown(), Unknown())
        python = to_python(key)
        if python is NotPython or not hashable(python):
            complete = False
        else:
            entries[python] = value
    return Table(entries, complete)


def _slice(value: Items | Constant, index: Known) -> Value:
    """`value[a:b:c]`"""
    bounds = [to_python(part) for part in index.parts]
    python = value.elements if isinstance(value, Items) else value.value
    if not isinstance(python, (tuple, str)) or not all(part is None or isinstance(part, int) for part in bounds):
        return Unknown()
    taken = python[slice(*bounds)]
    return (
        Constant(taken)
        if isinstance(taken, str)
        else Items(value.kind, taken)
        if isinstance(value, Items)
        else Unknown()
    )
