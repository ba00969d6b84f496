"""Statements that repeat: `for` and `while`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from optdep_lint.facts import syntax
from optdep_lint.world.blocks import Blocks
from optdep_lint.world.bound import bound_names
from optdep_lint.world.frames import Frame, State
from optdep_lint.world.truth import Truth, assume
from optdep_lint.world.values import (
    Unknown,
    elements_of,
)

if TYPE_CHECKING:
    pass

_MOST_UNROLLED = 200


class Loops(Blocks):
    """Runs loops element by element where that is known, else once and perhaps never."""

    def _for(self, node: syntax.For, frame: Frame) -> bool:
        iterable = frame.state.settle(self._evaluation.expressions.evaluate(node.iterable, frame))
        elements = elements_of(iterable)
        if elements is None or len(elements) > _MOST_UNROLLED:
            return self._repeat(node, lambda: self.assign(node.target, Unknown(), frame), frame)
        outer, frame.exits = frame.exits, []
        frame.left = frame.left or bool(outer)
        before, breaks = frame.state, []
        running = True
        for element in elements:
            self.assign(node.target, element, frame)
            running = self.run(node.body, frame)
            ends = [frame.state] if running else []
            ends += self._loop_exits("continue", frame)
            breaks += self._loop_exits("break", frame)
            running = self.meet(ends, frame.state, frame)
            if not running:
                break
        outer += frame.exits
        frame.exits = outer
        if running:
            running = self.run(node.orelse, frame)
        return self.meet(([frame.state] if running else []) + breaks, before, frame)

    def _loop_exits(self, kind: str, frame: Frame) -> list[State]:
        """Take the exits of a kind out of the frame's exits."""
        states = [exit_.state for exit_ in frame.exits if exit_.kind == kind]
        frame.exits = [exit_ for exit_ in frame.exits if exit_.kind != kind]
        return states

    def _repeat(
        self, node: syntax.For | syntax.While, start: Callable[[], None], frame: Frame, certain: bool = False
    ) -> bool:
        """Run a body that is repeated an unknown number of times: once, and perhaps never."""
        outer, frame.exits = frame.exits, []
        frame.left = frame.left or bool(outer)
        before = frame.state
        frame.state = before.copy()
        if not certain:
            assume(self.place(node.at, frame), True, frame.state.assumed)
            frame.uncertain += 1
        start()
        running = self.run(node.body, frame)
        ends = ([frame.state] if running else []) + self._loop_exits("continue", frame)
        breaks = self._loop_exits("break", frame)
        if not certain:
            frame.uncertain -= 1
            ends.append(before)
        outer += frame.exits
        frame.exits = outer
        running = self.meet(ends, before, frame)
        if running:
            running = self.run(node.orelse, frame)
        return self.meet(([frame.state] if running else []) + breaks, before, frame)

    def _while(self, node: syntax.While, frame: Frame) -> bool:
        truth, _, cause = self._evaluation.expressions.test(node.test, frame)
        if truth is Truth.NO:
            falls = self.run(node.orelse, frame)
            if falls and cause is not None:
                self.mark(bound_names(node.body), None, cause, frame)
            return falls
        return self._repeat(node, lambda: None, frame, certain=truth is Truth.YES)
