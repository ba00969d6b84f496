"""What all statements that hold blocks share: conditions by place, and where ways part and meet."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import TYPE_CHECKING

from optdep_lint.facts import syntax
from optdep_lint.facts.syntax import Block
from optdep_lint.world.bindings import Bindings
from optdep_lint.world.frames import Frame, State, join
from optdep_lint.world.surroundings import TYPING_ONLY
from optdep_lint.world.truth import Atom, every, negate
from optdep_lint.world.values import (
    Cause,
    Unbound,
    Value,
    caused,
)

if TYPE_CHECKING:
    pass


class Blocks(Bindings, ABC):
    """Runs blocks, and joins what they leave."""

    @abstractmethod
    def run(self, block: Block, frame: Frame) -> bool:
        """Run statements in order; whether evaluation can reach the end of the block."""

    def place(self, at: int, frame: Frame) -> Atom:
        """A condition that is known only by where it stands."""
        return Atom(f"{frame.module.source.path}@{at}")

    def mark(self, unmet: Iterable[str], before: dict[str, Value] | None, cause: Cause, frame: Frame) -> None:
        """Note on the names that code would have bound that they are as they are because it did not run."""
        names = frame.module.names if frame.globals else frame.state.names
        for name in unmet:
            scope = names if name in frame.globals else frame.state.names
            value = scope.get(name)
            if value is None:
                if frame.kind != "function" or name not in frame.globals:
                    unbound = Unbound()
                    unbound.cause = cause
                    scope[name] = unbound
            elif before is None or before.get(name) is value:
                scope[name] = caused(value, cause)

    def pass_by(self, block: Block, cause: Cause | None, frame: Frame) -> None:
        """What a function gives after a `return` goes back to the absence for which that is not taken."""
        leaves = bool(block) and isinstance(block[-1], (syntax.Return, syntax.Raise))
        known = cause is not None and cause.missing != TYPING_ONLY
        if known and leaves and frame.kind == "function" and not frame.uncertain:
            frame.passed = frame.passed or cause

    def meet(self, ends: list[State], before: State, frame: Frame) -> bool:
        """Go on from where several ways meet."""
        frame.state = ends[0] if ends else before
        for other in ends[1:]:
            condition = every(
                key if holds else negate(key) for key, holds in other.assumed.items() if key not in before.assumed
            )
            frame.state = join(condition, other, frame.state)
        return bool(ends)
