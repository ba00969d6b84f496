"""What evaluation asks of values: whether they are true, whether they are the same, and what happens if they are one of two."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING

from optdep_lint.facts.syntax import Expression
from optdep_lint.world.frames import Exit, Frame, State, join_values
from optdep_lint.world.surroundings import TYPING_ONLY
from optdep_lint.world.truth import Atom, Condition, Truth, assume, decide, every, negate, some
from optdep_lint.world.values import (
    Cause,
    Choice,
    ClassValue,
    Constant,
    External,
    Failure,
    FunctionValue,
    Instance,
    Items,
    Method,
    ModuleValue,
    Raised,
    Table,
    Unbound,
    Unknown,
    Value,
    builtin,
    caused,
)

if TYPE_CHECKING:
    from optdep_lint.world.evaluation import Evaluation

_LONGEST_KEY = 200


class Questions(ABC):
    """Answers questions about values, and notes what fails."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation

    @abstractmethod
    def evaluate(self, node: Expression, frame: Frame) -> Value:
        """Evaluate an expression."""

    def failure(
        self, frame: Frame, at: int, kind: str, message: str, cause: Cause | None, type_: Value,
        arguments: tuple[Value, ...] = (), subject: str | None = None, certain: bool = False,
    ) -> Failure:  # fmt: skip
        """An exception raised here; while another is being handled, it goes back to what that goes back to."""
        if self._evaluation.cautious and (frame.kind == "function" or kind in ("attribute", "call")):
            certain = False
        unexplained = cause is None or cause.missing == TYPING_ONLY
        if frame.caught and (certain if unexplained else kind in ("name", "attribute", "call")):
            cause = frame.caught[-1].cause or cause
        if certain and cause is None:
            cause = _cause_of_call(frame)
        return Failure(
            type_, cause, kind, frame.module.source.path, at, message, (), (), frame.guards, arguments, subject,
            certain=certain,
        )  # fmt: skip

    def as_python(self, error: Exception, frame: Frame, at: int, because: Value | None = None) -> Value:
        """What Python raises for values that are known, as `{}["a"]`, for the cause of one of them: with caution, nothing is concluded without such a cause.

        Raises:
            Raised: without caution, or where there is a cause.
        """
        cause = because.cause if because is not None else None
        if (self._evaluation.cautious and cause is None) or frame.module.name in self._evaluation.blurred:
            self.perhaps_missing("call", type(error).__name__, str(error), frame, at)
            return Unknown()
        type_ = builtin(type(error).__name__)
        raise Raised(self.failure(frame, at, "call", str(error), cause, type_, certain=True))

    def may_fail(self, failure: Failure, condition: Condition | None, frame: Frame) -> None:
        """Note an exception that is raised under a condition; evaluation goes on where it does not hold."""
        if not failure.concludes and not frame.protected:
            return
        if condition is None:
            condition = _failing(failure)
        if decide(condition, frame.state.assumed) is Truth.NO:
            return
        state = frame.state.copy()
        assume(condition, True, state.assumed)
        assume(condition, False, frame.state.assumed)
        frame.exits.append(Exit("raise", state, failure=failure))

    def perhaps_missing(self, kind: str, type_: str, message: str, frame: Frame, at: int) -> None:
        """Note that something may not be there of which that cannot be seen: with caution, it is taken to be."""
        if not self._evaluation.cautious:
            failure = self.failure(frame, at, kind, message, None, builtin(type_), certain=True)
            self.may_fail(failure, Atom(message), frame)

    def choose(self, choice: Choice, act: Callable[[Value], Value], frame: Frame) -> Value:
        """Act on both values of a choice."""
        results: list[Value | None] = []
        failures: list[Failure] = []
        before = frame.state.assumed
        for value, holds in ((choice.yes, True), (choice.no, False)):
            frame.state.assumed = dict(before)
            assume(choice.condition, holds, frame.state.assumed)
            frame.uncertain += 1
            try:
                results.append(act(value))
            except Raised as raised:
                failures.append(raised.failure)
                results.append(None)
            finally:
                frame.uncertain -= 1
                frame.state.assumed = before
        yes, no = results
        if yes is None and no is None:
            raise Raised(next((failure for failure in failures if failure.cause is not None), failures[0]))
        if yes is not None and no is not None:
            return join_values(choice.condition, yes, no)
        condition = choice.condition if yes is None else negate(choice.condition)
        self.may_fail(failures[0], condition, frame)
        return yes or no or Unknown()

    def under(self, condition: Condition | None, holds: bool, act: Callable[[], Value], frame: Frame) -> Value:
        """Do what is done only where an open condition holds (or does not)."""
        before, guards, names = frame.state.assumed, frame.guards, frame.state.names.copy()
        frame.state.assumed = dict(before)
        if condition is not None:
            assume(condition, holds, frame.state.assumed)
        frame.uncertain += 1
        try:
            return act()
        except Raised as raised:
            failure = raised.failure
            if failure.concludes:
                state = State(frame.state.names.copy(), dict(frame.state.assumed))
                if condition is None:
                    assume(_failing(failure), True, state.assumed)
                frame.exits.append(Exit("raise", state, failure=failure))
            return Unknown()
        finally:
            frame.uncertain -= 1
            frame.state.assumed, frame.guards = before, guards
            taken = condition if condition is None or holds else negate(condition)
            for name, value in [item for item in frame.state.names.items() if names.get(item[0]) is not item[1]]:
                frame.state.names[name] = join_values(taken, value, names.get(name) or Unbound())

    def test(self, node: Expression, frame: Frame) -> tuple[Truth, Condition | None, Cause | None]:
        """Whether an expression is true, on what that hangs, and which absence decided it."""
        value = self.evaluate(node, frame)
        truth, condition = self.truth(value, frame)
        return truth, condition, frame.state.settle(value).cause

    def truth(self, value: Value, frame: Frame) -> tuple[Truth, Condition | None]:
        """Whether a value is true; where that is open, the condition for it."""
        truth, condition = self._truth(frame.state.settle(value), frame)
        if truth is Truth.MAYBE and condition is not None:
            truth = decide(condition, frame.state.assumed)
        return truth, condition

    def _truth(self, value: Value, frame: Frame) -> tuple[Truth, Condition | None]:
        match value:
            case Constant():
                return Truth.of(bool(value.value)), None
            case Unknown():
                return Truth.MAYBE, value.condition
            case Items():
                return Truth.of(bool(value.elements) or value.kind == "generator"), None
            case Table():
                return (Truth.YES if value.entries else Truth.of(False) if value.complete else Truth.MAYBE), None
            case External():
                return self._truth_of_external(value)
            case Instance():
                return self._evaluation.calls.truth_of_instance(value, frame)
            case Choice():
                return self._truth_of_choice(value, frame)
        return Truth.YES, None

    def _truth_of_external(self, value: External) -> tuple[Truth, Condition | None]:
        last = value.path.rpartition(".")[2]
        if value.path in self._evaluation.imported or (
            last.lower() == last and not last.startswith(("has_", "is_", "_has"))
        ):
            return Truth.YES, None
        return (
            (Truth.MAYBE, Atom(value.path))
            if last.isupper() or last.startswith(("has_", "is_", "_has"))
            else (Truth.YES, None)
        )

    def _truth_of_choice(self, value: Choice, frame: Frame) -> tuple[Truth, Condition | None]:
        yes, yes_condition = self._truth(value.yes, frame)
        no, no_condition = self._truth(value.no, frame)
        yes = _given(yes, yes_condition, value.condition, True)
        no = _given(no, no_condition, value.condition, False)
        if yes is no and yes is not Truth.MAYBE:
            return yes, None
        if (yes is Truth.MAYBE and yes_condition is None) or (no is Truth.MAYBE and no_condition is None):
            return Truth.MAYBE, None
        ways: list[Condition] = []
        for truth, inner, outer in ((yes, yes_condition, value.condition), (no, no_condition, negate(value.condition))):
            if truth is not Truth.NO:
                ways.append(every([outer, inner] if inner is not None and truth is Truth.MAYBE else [outer]) or outer)
        return Truth.MAYBE, ways[0] if len(ways) == 1 else some(*ways)

    def key(self, value: Value) -> str | None:
        """A text that is the same whenever the same thing is asked again, or None."""
        match value:
            case Constant():
                return repr(value.value)
            case External():
                return value.path
            case ModuleValue():
                return value.module.name
            case FunctionValue():
                return f"{value.module.name}.{value.name}"
            case ClassValue():
                return f"{value.module.name}.{value.name}"
            case Method():
                receiver = self.key(value.receiver)
                function = value.function
                return f"{receiver}.{function.name}" if receiver and isinstance(function, FunctionValue) else None
            case Instance():
                keys = [self.key(argument) for argument in value.arguments]
                return None if None in keys else f"{self.key(value.type)}({', '.join(map(str, keys))})"
            case Unknown(condition=Atom(key=key)):
                return key
            case Items():
                keys = [self.key(element) for element in value.elements]
                return None if None in keys else f"({', '.join(map(str, keys))})"
        return None

    def unknown(self, text: str | None, cause: Cause | None = None) -> Value:
        """An unknown value that can be asked for again by the text."""
        return caused(Unknown(Atom(text) if text and len(text) < _LONGEST_KEY else None), cause)


def _cause_of_call(frame: Frame) -> Cause | None:
    """The absence that a function's call goes back to."""
    while frame.called is not None:
        frame = frame.called[0]
        if frame.cause is not None:
            return frame.cause
    return None


def _given(truth: Truth, condition: Condition | None, given: Condition, holds: bool) -> Truth:
    """What hangs on a condition, where it is known whether another holds."""
    if truth is not Truth.MAYBE or condition is None:
        return truth
    known: dict[Condition, bool] = {}
    assume(given, holds, known)
    return decide(condition, known)


def _failing(failure: Failure) -> Atom:
    """The condition that an exception is raised of which only is known where it is."""
    return Atom(f"{failure.path}@{failure.at} fails")
