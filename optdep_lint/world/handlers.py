"""Statements that stop exceptions: `try` and `with`."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from optdep_lint.facts import syntax
from optdep_lint.facts.walk import all_expressions, expressions, last_name, statements
from optdep_lint.world.blocks import Blocks
from optdep_lint.world.bound import bound_names, names_from
from optdep_lint.world.exceptions import is_subclass
from optdep_lint.world.frames import Exit, Frame, State
from optdep_lint.world.truth import Atom, Truth, assume
from optdep_lint.world.values import (
    Constant,
    Failure,
    Guard,
    Instance,
    Items,
    Raised,
    Unknown,
    Value,
    builtin,
    caused,
)

if TYPE_CHECKING:
    pass

_PLAIN = (syntax.Assign, syntax.Annotated, syntax.Augmented, syntax.Evaluate, syntax.Return, syntax.For, syntax.With)
"""Statements that come to their end unless something in them fails."""
_OPENING = frozenset({"open", "read_text", "read_bytes"})
_NO_FILE = frozenset({"OSError", "IOError", "EnvironmentError", "FileNotFoundError"})
_NO_MODULE = re.compile(r"No module named '([^']*)'")


class Handlers(Blocks):
    """Takes exceptions through handlers and context managers."""

    def _try(self, node: syntax.Try, frame: Frame) -> bool:
        outer, frame.exits = frame.exits, []
        frame.left = frame.left or bool(outer)
        before, entry = dict(frame.state.names), frame.state
        known = {**{name: frame.module.names[name] for name in frame.globals if name in frame.module.names}, **before}
        entry_assumed = dict(entry.assumed)
        guards = frame.guards
        frame.guards = (*guards, Guard("try", node.at))
        frame.protected += bool(node.handlers)
        falls = self.run(node.body, frame)
        frame.protected -= bool(node.handlers)
        frame.guards = guards
        met, frame.exits = frame.exits, outer
        raised = [exit_ for exit_ in met if exit_.kind == "raise"]
        pending = [exit_ for exit_ in met if exit_.kind != "raise"]
        if not falls and raised:
            self._doubt_file(node, raised, State(dict(before), entry_assumed), frame)
        if self._evaluation.foresees and not any(exit_.failure and exit_.failure.cause for exit_ in raised):
            self._foresee(node, State(dict(before), entry_assumed), frame)
        outer_count = len(outer)
        ends: list[State] = []
        if falls and self.run(node.orelse, frame):
            ends.append(frame.state)
        certain = not falls and len(raised) + len(pending) == 1
        for exit_ in raised:
            frame.uncertain += not certain
            self._handle(node, exit_, known, frame, ends)
            frame.uncertain -= not certain
        frame.exits += pending
        running = self.meet(ends, State(dict(before), entry_assumed), frame)
        return self._finally(node, running, outer_count, frame)

    def _foresee(self, node: syntax.Try, entry: State, frame: Frame) -> None:
        """What the handlers catch is asked for where the body fails, which any call may; some such thing may not be there."""
        plain = all(isinstance(one, _PLAIN) for one in statements(node.body))
        if not plain or not any(isinstance(part, syntax.Call) for part in all_expressions(node.body)):
            return
        after, frame.state = frame.state, entry
        assume(self.place(node.at, frame), True, entry.assumed)
        frame.uncertain += 1
        for handler in node.handlers:
            if handler.type is None:
                break
            try:
                self._evaluation.expressions.evaluate(handler.type, frame)
            except Raised as raised:
                if raised.failure.cause is not None:
                    frame.exits.append(Exit("raise", entry, failure=raised.failure))
                break
        frame.uncertain -= 1
        frame.state = after

    def _doubt_file(self, node: syntax.Try, raised: list[Exit], entry: State, frame: Frame) -> None:
        """A handler waits for a file that is not there: what fails after it was opened perhaps is never come to."""
        if not any(handler.type is not None and _names(handler.type) & _NO_FILE for handler in node.handlers):
            return
        opening = (part for part in all_expressions(node.body) if isinstance(part, syntax.Call))
        if any(last_name(part.function) in _OPENING for part in opening):
            there = Atom(f"{self.place(node.at, frame).key} opens")
            for exit_ in raised:
                assume(there, True, exit_.state.assumed)
            assume(there, False, entry.assumed)
            type_ = builtin("FileNotFoundError")
            failure = self._evaluation.expressions.failure(frame, node.at, "call", "no such file", None, type_)
            raised.append(Exit("raise", entry, failure=failure))

    def _finally(self, node: syntax.Try, running: bool, outer_count: int, frame: Frame) -> bool:
        if not node.final:
            return running
        leaving, frame.exits = frame.exits[outer_count:], frame.exits[:outer_count]
        after = frame.state
        open_ = running + len(leaving) > 1
        frame.uncertain += open_
        for exit_ in leaving:
            if self._leave_through(node, exit_, frame):
                frame.exits.append(exit_)
        frame.uncertain -= open_
        frame.state = after
        return running and self.run(node.final, frame)

    def _leave_through(self, node: syntax.Try, exit_: Exit, frame: Frame) -> bool:
        """Run `finally` on one way out; whether that way goes on after it."""
        flying = exit_.failure
        frame.state = exit_.state = exit_.state.copy()
        if flying is not None:
            frame.caught.append(flying)
            frame.causes.append(flying.cause)
        falls = self.run(node.final, frame)
        if flying is not None:
            frame.caught.pop()
            frame.causes.pop()
        exit_.state = frame.state
        return falls

    def _handle(self, node: syntax.Try, exit_: Exit, before: dict[str, Value], frame: Frame, ends: list[State]) -> None:
        """Take one exception through the handlers of its `try`."""
        failure = exit_.failure
        assert failure is not None
        for handler in node.handlers:
            frame.state = exit_.state
            frame.caught.append(failure)
            try:
                truth = self._catches(handler, failure, frame)
            except Raised as raised:
                frame.exits.append(Exit("raise", exit_.state, failure=raised.failure))
                return
            finally:
                frame.caught.pop()
            if truth is Truth.NO:
                continue
            frame.state = exit_.state.copy()
            left = len(frame.exits)
            falls = self._run_handler(handler, failure, frame)
            after = [frame.state] if falls else []
            ends += after
            if failure.cause is not None:
                after += [way.state for way in frame.exits[left:] if way.kind in ("break", "continue")]
                self._mark_all(after, node, failure, before, frame)
            if truth is Truth.YES:
                return
        frame.exits.append(exit_)

    def _mark_all(
        self, states: list[State], node: syntax.Try, failure: Failure, before: dict[str, Value], frame: Frame
    ) -> None:
        """Note in the states after a handler what its `try` did not come to."""
        assert failure.cause is not None
        unmet = [*names_from(node.body, _place_of(failure)), *bound_names(node.orelse)]
        for frame.state in states:
            self.mark(unmet, before, failure.cause, frame)
        if states:
            self.pass_by(node.body + node.orelse, failure.cause, frame)

    def _catches(self, handler: syntax.Handler, failure: Failure, frame: Frame) -> Truth:
        if handler.type is None:
            return Truth.YES
        try:
            wanted = frame.state.settle(self._evaluation.expressions.evaluate(handler.type, frame))
        except Raised as raised:
            if raised.failure.cause is not None or not self._evaluation.cautious:
                raise
            return Truth.MAYBE
        return is_subclass(failure.type, wanted)

    def _run_handler(self, handler: syntax.Handler, failure: Failure, frame: Frame) -> bool:
        frame.caught.append(failure)
        frame.causes.append(failure.cause)
        if handler.name is not None:
            self.bind(handler.name, _exception(failure), frame)
        before = len(frame.exits)
        falls = self.run(handler.body, frame)
        frame.causes.pop()
        frame.caught.pop()
        if handler.name is not None:
            for state in (frame.state, *(exit_.state for exit_ in frame.exits[before:])):
                state.names.pop(handler.name, None)
        return falls

    def _with(self, node: syntax.With, frame: Frame) -> bool:
        calls = self._evaluation.calls
        managers: list[Value] = []
        for item in node.items:
            manager = frame.state.settle(self._evaluation.expressions.evaluate(item.context, frame))
            managers.append(manager)
            if item.target is not None:
                self.assign(item.target, calls.entered(manager, frame, node.at), frame)
        if not any(calls.may_swallow(manager) for manager in managers):
            return self.run(node.body, frame)
        outer, frame.exits = frame.exits, []
        frame.left = frame.left or bool(outer)
        before = dict(frame.state.names)
        entry = frame.state.copy()
        guards = frame.guards
        frame.guards = (*guards, Guard("with", node.at))
        frame.protected += 1
        falls = self.run(node.body, frame)
        frame.protected -= 1
        frame.guards = guards
        met, frame.exits = frame.exits, outer
        several = falls + sum(exit_.failure is not None for exit_ in met) > 1
        frame.uncertain += several  # what one way does to a manager it does not do to it on the others
        falls = falls and self._left(managers, frame, node.at)
        ends = [frame.state] if falls else []
        for exit_ in met:
            if exit_.failure is None:
                frame.exits.append(exit_)
                continue
            frame.state = exit_.state
            try:
                swallowed = max(calls.swallows(manager, exit_.failure, frame, node.at) for manager in managers)
            except Raised as raised:
                frame.exits.append(Exit("raise", exit_.state, failure=raised.failure))
                continue
            if swallowed is not Truth.NO:
                frame.state = exit_.state.copy()
                if exit_.failure.cause is not None:
                    unmet = names_from(node.body, _place_of(exit_.failure))
                    self.mark(unmet, before, exit_.failure.cause, frame)
                    if not falls and len(met) == 1:
                        self.pass_by(node.body, exit_.failure.cause, frame)
                ends.append(frame.state)
            if swallowed is not Truth.YES:
                frame.exits.append(exit_)
        frame.uncertain -= several
        return self.meet(ends, entry, frame)

    def _left(self, managers: list[Value], frame: Frame, at: int) -> bool:
        """Leave a `with` by its end; whether evaluation goes on after it."""
        try:
            self._evaluation.calls.leave(managers, frame, at)
        except Raised as raised:
            if raised.failure.concludes or frame.protected:
                frame.exits.append(Exit("raise", frame.state, failure=raised.failure))
                return False
        return True


def _names(node: syntax.Expression) -> set[str]:
    return {part.id for part in expressions(node) if isinstance(part, syntax.Name)}


def _place_of(failure: Failure) -> int:
    """Where, in the code that is running, what fails stands."""
    return failure.places[0][1] if failure.places else failure.at


def _exception(failure: Failure) -> Instance:
    """The exception object that a handler is given."""
    arguments = failure.arguments
    missing = _NO_MODULE.fullmatch(failure.message) if failure.kind in ("import", "probe") else None
    if missing is not None:
        arguments = (Constant(failure.message),)
    exception = caused(Instance(failure.type, arguments), failure.cause)
    exception.failure = failure
    if missing is not None:
        exception.attributes.update(name=Constant(missing[1]), path=Constant(None), msg=arguments[0])
    exception.attributes["args"] = Items("tuple", arguments) if arguments else Unknown()
    return exception
