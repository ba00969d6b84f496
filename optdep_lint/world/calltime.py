"""What fails when the functions of a project are called in a world, with arguments that nobody knows."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace

from optdep_lint.facts import syntax
from optdep_lint.facts.summary import Summary
from optdep_lint.facts.walk import Definition, all_expressions, is_private, is_within
from optdep_lint.world.bound import free_names
from optdep_lint.world.constructors import after_making, made
from optdep_lint.world.evaluation import Evaluation
from optdep_lint.world.following import GiveUp
from optdep_lint.world.frames import Exit, Frame, State
from optdep_lint.world.local_imports import goes_on_without
from optdep_lint.world.modules import Module
from optdep_lint.world.truth import Condition, Truth, assume, decide, every, negate
from optdep_lint.world.values import (
    Choice,
    ClassValue,
    Descriptor,
    Failure,
    FunctionValue,
    Instance,
    Known,
    Method,
    ModuleValue,
    Raised,
    Unbound,
    Unknown,
    Value,
    is_none,
)
from optdep_lint.world.variation import goes_back
from optdep_lint.world.words import Outer

_MOST_STEPS = 800
"""For one function, the calls that it makes included."""


@dataclass(frozen=True, slots=True)
class Use:
    """A failure inside a function, when it is called, or at the top of a module that no world can import."""

    module: str
    function: str
    """Dotted name within its module; empty where importing the module fails."""
    failure: Failure
    certain: bool
    """Every call fails; otherwise only some do."""

    @property
    def place(self) -> tuple[str, int]:
        """Path and position of what fails."""
        return self.failure.path, self.failure.at


class Functions:
    """The functions of every module, and the names that each reads of its module."""

    def __init__(self) -> None:
        self._outer = Outer()
        self._names: dict[int, frozenset[str]] = {}

    def spelling(self, summary: Summary, words: Collection[str]) -> list[Definition]:
        """The functions at the top of a file and in its classes that may spell one of these words."""
        return self._outer.spelling(summary, words)

    def reading(self, summary: Summary, names: Collection[str]) -> Iterator[Definition]:
        """The functions at the top of a file and in its classes that read one of these names."""
        for definition in self._outer.spelling(summary, names):
            read = self._names.get(id(definition.node))
            if read is None:
                read = self._names[id(definition.node)] = free_names(summary, definition.node)
            if not read.isdisjoint(names):
                yield definition

    def methods(self, summary: Summary, owner: syntax.Class, attributes: Collection[str]) -> Iterator[Definition]:
        """The methods of a class that read one of these attributes of something."""
        for definition in self._outer.spelling(summary, attributes):
            if definition.owner is owner and any(
                isinstance(part, syntax.Attribute) and part.name in attributes
                for part in all_expressions(summary.body_of(definition.node.body))
            ):
                yield definition

    def importing(self, summary: Summary, absent: Collection[str]) -> Iterator[Definition]:
        """The functions that import one of these names themselves and go on without it."""
        for definition in self._outer.spelling(summary, {one.partition(".")[0] for one in absent}):
            if goes_on_without(summary.body_of(definition.node.body), absent):
                yield definition

    def calling(self, summary: Summary, function: Definition) -> Iterator[Definition]:
        """The functions of a file that call one of it; of a method, only those of its class."""
        name = function.node.name
        if function.owner is not None:
            yield from self.methods(summary, function.owner, {name})
        else:
            yield from self.reading(summary, {name})


class CallTime:
    """Calls the functions that can feel a world's absences."""

    def __init__(self, evaluation: Evaluation, functions: Functions, base: Evaluation | None = None) -> None:
        """With `base`, the world in which everything is there, what fails for its own reasons there is left to it."""
        self._evaluation, self._functions = evaluation, functions
        self._base = base if base is not evaluation else None
        self._made: dict[int, Mapping[Condition, bool] | None] = {}
        self._instances: dict[int, Instance] = {}
        """Of classes whose constructors keep what is not there, what they make, by the class's identity."""
        self.result: Value | None = None
        """What the last call gave, where it came to an end."""
        self.followed = True
        """The last call was followed to its end, or can never be made."""

    def uses(self, module: Module) -> Iterator[Use]:
        """The failures of a module's functions that go back to something absent."""
        before = self._base.modules[module.name].namespace if self._base is not None else {}
        touched = {name for name, value in module.namespace.items() if self._is_felt(value, before.get(name))}
        if not touched:
            return
        reading = list(self._functions.reading(module.source.summary, touched))
        reading += self._reading_instances(module, reading)
        reading += self._reading_classes(module, touched, reading)
        for definition in reading:
            if not self._is_put_under_a_stand_in(module, definition, before):
                yield from self.call(module, definition)
        yield from self.local_uses(module, reading)

    def _is_put_under_a_stand_in(self, module: Module, definition: Definition, before: Mapping[str, Value]) -> bool:
        """What decorates a function is had from an object that stands for what is absent: only the real thing would run it."""
        for decorator in definition.node.decorators:
            held = decorator.function if isinstance(decorator, syntax.Call) else decorator
            if isinstance(held, syntax.Attribute) and isinstance(held.value, syntax.Name):
                value = module.namespace.get(held.value.id)
                if isinstance(value, Instance) and self._is_felt(value, before.get(held.value.id)):
                    return True
        return False

    def local_uses(self, module: Module, done: Collection[Definition] = ()) -> Iterator[Use]:
        """The failures of functions that import what is absent themselves, or call one of the same file that does."""
        absent = self._evaluation.world.absent
        if not any(is_within(asked, one) for asked in module.source.summary.asks for one in absent):
            return
        importing = list(self._functions.importing(module.source.summary, absent))
        for definition in importing:
            self.result = None
            if definition not in done:
                yield from self.call(module, definition)
            if self._gave_none() or definition in done:
                for caller in self._functions.calling(module.source.summary, definition):
                    if caller not in done and caller not in importing:
                        yield from self.call(module, caller)

    def _gave_none(self) -> bool:
        """The last call gave None, or nothing: whoever made it asks for that, or should."""
        return self.result is not None and is_none(self.result)

    def _reading_instances(self, module: Module, reading: Collection[Definition]) -> Iterator[Definition]:
        """The other methods that read what a constructor among these functions has kept of what is not there."""
        for definition in reading:
            if definition.owner is None or definition.name != f"{definition.owner.name}.__init__":
                continue
            class_ = module.namespace.get(definition.owner.name)
            if not isinstance(class_, ClassValue) or self._after_making(class_, module) is None:
                continue
            instance = made(self._evaluation, class_, module)
            kept = {name for name, value in instance.attributes.items() if goes_back(value)}
            if kept:
                self._instances[id(class_)] = instance
                methods = self._functions.methods(module.source.summary, definition.owner, kept)
                yield from (one for one in methods if one not in reading)

    def _reading_classes(
        self, module: Module, touched: Collection[str], reading: Collection[Definition]
    ) -> Iterator[Definition]:
        """The other methods that read what their class has kept of what is not there."""
        for name in sorted(touched):
            class_ = module.namespace.get(name)
            if isinstance(class_, ClassValue) and class_.module is module and class_.node is not None:
                kept = {name for name, value in class_.names.items() if is_none(value) and value.cause is not None}
                methods = self._functions.methods(module.source.summary, class_.node, kept) if kept else ()
                yield from (one for one in methods if one not in reading)

    def _is_felt(self, value: Value, before: Value | None) -> bool:
        """The value is not what it is where everything is there; in that world, only what is never bound counts."""
        if not self._evaluation.world.absent:
            return isinstance(value, Unbound) and value.cause is not None
        if isinstance(value, ModuleValue):
            return not self._evaluation.is_shared(value.module)
        return goes_back(value, before)

    def call(self, module: Module, definition: Definition) -> Iterator[Use]:
        """The failures of one function, called as its module has come to be."""
        state = State(module.namespace, dict(module.assumed))
        self.followed = False
        function, receiver = self._find(module, definition, state)
        if function is None:
            return
        self.followed = True
        frame = Frame("module", module, state)
        arguments = (receiver,) if receiver is not None else ()
        before = dict(module.namespace)
        self._evaluation.budget, self._evaluation.foresees = _MOST_STEPS, True
        try:
            with self._evaluation.imagined():
                failures = self._run(function, arguments, frame, module)
        except GiveUp:
            self.followed, failures = False, []
        finally:
            self._evaluation.budget, self._evaluation.foresees = None, False
            module.namespace.clear()
            module.namespace.update(before)
        for failure, certain in failures:
            yield Use(module.name, definition.name, failure, certain)

    def assumed_in(self, module: Module, definition: Definition) -> Mapping[Condition, bool]:
        """What holds wherever the function can be called: its module was imported, its instance made."""
        state = State(module.namespace, dict(module.assumed))
        self._find(module, definition, state)
        return state.assumed

    def _find(self, module: Module, definition: Definition, state: State) -> tuple[Value | None, Value | None]:
        """The function's value as the module binds it, if it does, and the instance that a method is called on."""
        holder: dict[str, Value] = module.namespace
        owner: ClassValue | None = None
        parts = definition.name.split(".")
        for part in parts[:-1]:
            found = _where_bound(holder.get(part), state)
            if not isinstance(found, ClassValue):
                return None, None
            owner, holder = found, found.names
        value = _where_bound(holder.get(parts[-1]), state)
        kind = None
        if isinstance(value, Descriptor):
            kind, value = value.kind, value.function
        if isinstance(value, Known) and value.model in ("decorated", "context factory", "partial"):
            value = value.parts[0]
        if not isinstance(value, (FunctionValue, Method)):
            return None, None
        if owner is None:
            return value, None
        without_instance = kind in ("classmethod", "staticmethod")
        receiver = owner if kind == "classmethod" else None
        if without_instance and not is_private(parts[-1]):
            return value, receiver
        holds = self._after_making(owner, module)
        if holds is None:
            self.followed = True
            return None, None
        if without_instance:
            return value, receiver
        state.assumed.update(holds)
        instance = Instance(owner)
        if id(owner) in self._instances:
            instance.attributes |= self._instances[id(owner)].attributes
        return value, instance

    def _after_making(self, class_: ClassValue, module: Module) -> Mapping[Condition, bool] | None:
        """What holds once there is an instance; None where the constructor always refuses."""
        key = id(class_)
        if key not in self._made:
            self._made[key] = after_making(self._evaluation, class_, module)
        return self._made[key]

    def _run(
        self, function: Value, arguments: tuple[Value, ...], frame: Frame, module: Module
    ) -> list[tuple[Failure, bool]]:
        calls = self._evaluation.calls
        open_ended: dict[str, Value] = {"**": Instance(function)}
        entry = dict(frame.state.assumed)
        found: list[tuple[Failure, bool]] = []
        try:
            if isinstance(function, FunctionValue):
                self.result = calls.run_function(function, arguments, open_ended, frame, 0)
            else:
                self.result = calls.call(function, arguments, open_ended, frame, 0)
            self._call_given(self.result, function, frame)
        except Raised as raised:
            found.append((raised.failure, True))
        found += [(self._under(exit_, entry), False) for exit_ in frame.exits if exit_.failure is not None]
        return [(self._trimmed(failure), certain) for failure, certain in found]

    def _call_given(self, given: Value, function: Value, frame: Frame) -> None:
        """Call a function that was defined in the one that was called, and is what that gives."""
        if (
            isinstance(given, FunctionValue)
            and isinstance(given.node, syntax.Function)
            and given.node.kind == "plain"
            and given.closure is not None
            and given.closure.function is function
        ):
            self._evaluation.calls.run_function(given, (), {"**": Unknown()}, frame, 0)

    def _under(self, exit_: Exit, entry: Mapping[Condition, bool]) -> Failure:
        assert exit_.failure is not None
        new = (answer for answer in exit_.state.assumed.items() if answer not in entry.items())
        told = dict(new)
        conditions: list[Condition] = [
            key if holds else negate(key) for key, holds in told.items() if not _follows(key, told)
        ]
        whole = every(conditions)
        return replace(exit_.failure, conditions=tuple(conditions) if whole is not None else ())

    def _trimmed(self, failure: Failure) -> Failure:
        """Without the step of the call that nobody made."""
        return replace(failure, chain=failure.chain[1:], places=failure.places[1:])


def _follows(condition: Condition, told: Mapping[Condition, bool]) -> bool:
    """What is told of the other conditions settles this one."""
    return decide(condition, {key: holds for key, holds in told.items() if key != condition}) is not Truth.MAYBE


def _where_bound(value: Value | None, state: State) -> Value | None:
    """What a name is bound to where it is bound at all; the state assumes that it is."""
    while isinstance(value, Choice):
        value = state.settle(value)
        if not isinstance(value, Choice):
            break
        bound = isinstance(value.no, Unbound)
        if not bound and not isinstance(value.yes, Unbound):
            break
        assume(value.condition, bound, state.assumed)
        value = value.yes if bound else value.no
    return value


def by_place(uses: Iterator[Use]) -> dict[tuple[str, int], list[Use]]:
    """Uses that fail at the same place together."""
    found: dict[tuple[str, int], list[Use]] = defaultdict(list)
    for use in uses:
        found[use.failure.path, use.failure.at].append(use)
    return found
