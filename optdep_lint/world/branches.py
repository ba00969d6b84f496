"""Statements that choose a way: `if` and `match`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from optdep_lint.facts import syntax
from optdep_lint.world.blocks import Blocks
from optdep_lint.world.bound import bound_names
from optdep_lint.world.frames import Frame, State, join
from optdep_lint.world.operations_unreached import look_ahead
from optdep_lint.world.truth import Atom, Condition, Truth, assume
from optdep_lint.world.values import (
    Guard,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    pass


class Branches(Blocks):
    """Runs the branches that may be taken."""

    def _if(self, node: syntax.If, frame: Frame) -> bool:
        truth, condition, cause = self._evaluation.expressions.test(node.test, frame)
        if truth is Truth.MAYBE:
            return self._either(node, condition or self.place(node.at, frame), frame)
        holds = truth is Truth.YES
        taken, skipped = (node.body, node.orelse) if holds else (node.orelse, node.body)
        if cause is None and skipped:
            look_ahead(self._evaluation, node.test, skipped, frame)
        guards = frame.guards
        frame.guards = (*guards, Guard("if", node.at, None, cause, holds))
        frame.causes.append(cause)
        falls = self.run(taken, frame)
        frame.causes.pop()
        frame.guards = guards
        if falls and cause is not None:
            self.mark(bound_names(skipped), None, cause, frame)
            self.pass_by(skipped, cause, frame)
            if taken:
                frame.guards = (*guards, Guard("passed", node.at, None, cause, holds))
        return falls

    def _either(self, node: syntax.If, condition: Condition, frame: Frame) -> bool:
        """Run both branches of an open condition."""
        before, guards = frame.state, frame.guards
        ends: list[State | None] = []
        frame.uncertain += 1
        for block, holds in ((node.body, True), (node.orelse, False)):
            frame.state = before.copy()
            assume(condition, holds, frame.state.assumed)
            frame.guards = (*guards, Guard("if", node.at, condition, None, holds))
            ends.append(frame.state if self.run(block, frame) else None)
            if isinstance(ends[-1], State):
                ends[-1] = frame.state
        frame.uncertain -= 1
        frame.guards = guards
        yes, no = ends
        if yes is not None and no is not None:
            frame.state = join(condition, yes, no)
        else:
            frame.state = yes or no or before
        return yes is not None or no is not None

    def _match(self, node: syntax.Match, frame: Frame) -> bool:
        """A match is a chain of ifs, as far as its patterns can be decided."""
        subject = self._evaluation.expressions.evaluate(node.subject, frame)
        cause = frame.state.settle(subject).cause
        entry = before = frame.state
        guards = frame.guards
        ends: list[State] = []
        frame.uncertain += 1
        frame.causes.append(cause)
        falls_through = True
        for number, case in enumerate(node.cases):
            truth = self._matches(case.pattern, subject, frame)
            if truth is Truth.NO:
                continue
            frame.state, before = before.copy(), before.copy()
            truth = min(truth, self._fits(case, frame))
            if truth is Truth.NO:
                before = frame.state
                continue
            certain = truth is Truth.YES
            taken = None if certain else Atom(f"{self.place(node.at, frame).key}#{number}")
            if taken is not None:
                assume(taken, True, frame.state.assumed)
                assume(taken, False, before.assumed)
            if case.pattern.kind != "any" or case.guard is not None:
                frame.guards = (*guards, Guard("if", node.at, taken, cause))
            sure = certain and not ends
            frame.uncertain -= sure
            falls = self.run(case.body, frame)
            frame.uncertain += sure
            frame.guards = guards
            if falls:
                ends.append(frame.state)
            if certain:
                falls_through = False
                break
        frame.uncertain -= 1
        frame.causes.pop()
        if falls_through:
            ends.append(before)
        return self.meet(ends, entry, frame)

    def _fits(self, case: syntax.Case, frame: Frame) -> Truth:
        """Bind what a pattern binds, and ask what is asked after it."""
        for name in case.pattern.names:
            self.bind(name, Unknown(), frame)
        if case.guard is None:
            return Truth.YES
        truth, condition, cause = self._evaluation.expressions.test(case.guard, frame)
        if truth is Truth.MAYBE and condition is not None:
            assume(condition, True, frame.state.assumed)
        if truth is Truth.NO and cause is not None:
            self.mark(bound_names(case.body), None, cause, frame)
        return truth

    def _matches(self, pattern: syntax.Pattern, subject: Value, frame: Frame) -> Truth:
        if pattern.kind == "any":
            return Truth.YES
        if pattern.kind == "either":
            return max(self._matches(part, subject, frame) for part in pattern.parts)
        if pattern.kind == "value" and pattern.value is not None:
            expressions = self._evaluation.expressions
            constant = pattern.value.value if isinstance(pattern.value, syntax.Constant) else ""
            same = "is" if constant is None or isinstance(constant, bool) else "=="
            equal = expressions.compare(same, subject, expressions.evaluate(pattern.value, frame), frame)
            return expressions.truth(equal, frame)[0]
        return Truth.MAYBE
