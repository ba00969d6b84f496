"""What is called without a call being written: decorators, and context managers as they are entered and left."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from optdep_lint.facts import syntax
from optdep_lint.world.exceptions import is_subclass
from optdep_lint.world.following import PATIENCE, Following, GiveUp
from optdep_lint.world.frames import Frame
from optdep_lint.world.machinery import FINDERS
from optdep_lint.world.modules import Asked
from optdep_lint.world.truth import Truth
from optdep_lint.world.values import (
    Choice,
    ClassValue,
    Constant,
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
    Unknown,
    Value,
    caused,
)

if TYPE_CHECKING:
    pass


class Calls(Following):
    """Evaluates calls, decorators and context managers."""

    def decorators(self, nodes: tuple[syntax.Expression, ...], frame: Frame) -> list[Value]:
        """What the decorators of a definition are."""
        expressions, guards = self._evaluation.expressions, self._evaluation.guards
        if not guards:
            return [expressions.evaluate(node, frame) for node in nodes]
        return [guards.decorator(node, frame) or expressions.evaluate(node, frame) for node in nodes]

    def decorate(self, decorator: Value, value: Value, frame: Frame, at: int) -> Value:
        """`@decorator` over a function or class."""
        decorator = frame.state.settle(decorator)
        if isinstance(decorator, Known) and decorator.model == "refusing":
            return caused(Known("refused", *decorator.parts), decorator.parts[0])
        if isinstance(decorator, Known) and decorator.model == "dispatcher" and isinstance(value, FunctionValue):
            return self._registered(value, frame, at)
        plain = isinstance(decorator, Unknown) and decorator.type is not None
        makes = isinstance(decorator, ClassValue) and not self._evaluation.cautious
        if plain or makes or isinstance(decorator, (Constant, Items, Table, ModuleValue)):
            return self.call(decorator, (value,), {}, frame, at)
        if isinstance(decorator, (FunctionValue, Method, Choice, Instance)) or (
            isinstance(decorator, Known) and decorator.model not in ("decorated", "generator")
        ):
            kept = self._evaluation.cautious and not isinstance(decorator, (FunctionValue, Instance))
            if isinstance(value, ClassValue) and kept:
                return value
            result = self._decorate(decorator, value, frame, at)
            return result if not isinstance(result, Unknown) else self._decorated(value, result)
        if isinstance(decorator, External) and (self.is_module(decorator) or decorator.path in FINDERS):
            return self.call(decorator, (value,), {}, frame, at)
        if isinstance(decorator, External):
            return self._evaluation.known.decorate(decorator.path, value)
        if isinstance(decorator, Unknown) and decorator.doubt:
            self.call(decorator, (value,), {}, frame, at)
        return self._decorated(value, decorator)

    def _decorated(self, value: Value, by: Value) -> Value:
        """What something unknown was wrapped around: with caution, a class is taken to stay itself, and a function to be one."""
        if not self._evaluation.cautious:
            return Unknown()
        return value if isinstance(value, ClassValue) else caused(Known("decorated", value), by.cause)

    def _decorate(self, decorator: Value, value: Value, frame: Frame, at: int) -> Value:
        """Call a decorator; one that has given back what it was put on, and done no more, is not followed for ever."""
        evaluation = self._evaluation
        shape = _shape_of(decorator, value)
        times, asked = (self._keeping.get(shape) if shape is not None else None) or (0, Asked())
        if times >= PATIENCE:
            if evaluation.running:
                evaluation.running[-1].include(asked)
            return value
        before, asked = (evaluation.effects, len(frame.exits)), asked.with_all_of(Asked())
        evaluation.running.append(asked)
        try:
            result = self.call(decorator, (value,), {}, frame, at)
        finally:
            evaluation.running.pop()
            if evaluation.running:
                evaluation.running[-1].include(asked)
        if shape is not None:
            kept = result is value and before == (evaluation.effects, len(frame.exits))
            self._keeping.put(shape, times + 1 if kept else 0, asked)
        return result

    def _registered(self, function: FunctionValue, frame: Frame, at: int) -> Value:
        """A function registered by its annotations, which are read at once, however late they are else."""
        hints = [parameter.annotation for parameter in function.node.parameters if parameter.annotation is not None]
        if isinstance(function.node, syntax.Function) and function.node.returns is not None:
            hints.append(function.node.returns)
        types = [frame.state.settle(self._evaluation.expressions.evaluate(hint, frame)) for hint in hints]
        if types and isinstance(types[0], Constant) and isinstance(types[0].value, (bool, int)):
            raise Raised(self._not_callable(f"{types[0].value!r} is not a class", types[0], frame, at))
        return function

    def entered(self, manager: Value, frame: Frame, at: int) -> Value:
        """What `with manager as x` binds."""
        if isinstance(manager, Instance) and isinstance(manager.type, ClassValue):
            enter = self._evaluation.expressions.class_member(manager.type, "__enter__")
            if isinstance(enter, FunctionValue):
                return self.call(Method(enter, manager), (), {}, frame, at)
        return Unknown()

    def may_swallow(self, manager: Value) -> bool:
        """Leaving the `with` by an exception may go on after it."""
        if isinstance(manager, Known):
            return manager.model in ("suppress", "generator context")
        return isinstance(manager, Instance) and isinstance(manager.type, ClassValue)

    def swallows(self, manager: Value, failure: Failure, frame: Frame, at: int) -> Truth:
        """Whether the context manager stops the exception.

        Raises:
            Raised: where it raises another in its place.
        """
        if isinstance(manager, Known) and manager.model == "suppress":
            return max(
                (is_subclass(failure.type, frame.state.settle(wanted)) for wanted in manager.parts[0]), default=Truth.NO
            )
        if isinstance(manager, Known) and manager.model == "generator context":
            return self._generator_swallows(manager, failure, frame, at)
        if isinstance(manager, Instance) and isinstance(manager.type, ClassValue):
            return self._exit_swallows(manager, manager.type, failure, frame, at)
        return Truth.NO

    def leave(self, managers: Sequence[Value], frame: Frame, at: int) -> None:
        """Leave a `with` by its end.

        Raises:
            Raised: where a context manager raises.
        """
        for manager in reversed(managers):
            if isinstance(manager, Instance) and isinstance(manager.type, ClassValue):
                member = self._evaluation.expressions.class_member(manager.type, "__exit__")
                if isinstance(member, FunctionValue):
                    self.call(Method(member, manager), (Constant(None),) * 3, {}, frame, at)

    def _generator_swallows(self, manager: Known, failure: Failure, frame: Frame, at: int) -> Truth:
        function, arguments, keywords = manager.parts
        if not isinstance(function, FunctionValue):
            return Truth.NO
        try:
            self.run_function(function, arguments, keywords, frame, at, thrown=failure)
        except Raised as raised:
            if (raised.failure.path, raised.failure.at) != (failure.path, failure.at):
                raise
            return Truth.NO
        except GiveUp:
            return Truth.MAYBE
        return Truth.YES

    def _exit_swallows(self, manager: Instance, type_: ClassValue, failure: Failure, frame: Frame, at: int) -> Truth:
        leave = self._evaluation.expressions.class_member(type_, "__exit__")
        if not isinstance(leave, FunctionValue):
            return Truth.NO
        exception = caused(Instance(failure.type, failure.arguments), failure.cause)
        frame.caught.append(failure)
        try:
            answer = self.call(Method(leave, manager), (failure.type, exception, Unknown()), {}, frame, at)
        except GiveUp:
            return Truth.MAYBE
        finally:
            frame.caught.pop()
        return self._evaluation.expressions.truth(answer, frame)[0]


def _shape_of(decorator: Value, value: Value) -> tuple[object, ...] | None:
    """What a decorator of the project does is told by its code and by the kinds of what it closes over; else None."""
    if not isinstance(decorator, FunctionValue) or value.cause is not None or decorator.cause is not None:
        return None
    names = decorator.closure.state.names if decorator.closure is not None else {}
    kinds = [
        (name, type(one), one.cause, bool(one.value) if isinstance(one, Constant) else None)
        for name, one in names.items()
    ]
    return (id(decorator.node), type(value), *kinds)
