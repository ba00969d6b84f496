"""What one file says: the facts that evaluation and rules work from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from optdep_lint.facts.syntax import Block


class Fault(NamedTuple):
    """Why a file could not be read: a line and column from 1, and a message."""

    line: int
    column: int
    message: str


@dataclass(slots=True)
class Summary:
    """The summary of one file.

    Function bodies are kept apart and decoded when first asked for: most are never followed.
    """

    body: Block = ()
    """The statements that run when the file is imported."""
    bodies: list[Block | bytes] = field(default_factory=list)
    """The bodies of functions and lambdas, by the index that their node carries; encoded, but in a summary that is new."""
    asks: tuple[str, ...] = ()
    """The absolute dotted names that it imports or probes anywhere, also in functions, in order of the alphabet."""
    future_annotations: bool = False
    """It has `from __future__ import annotations`."""
    lines: int = 0
    """How many lines the file has."""
    fault: Fault | None = None
    """Set where the file could not be read or parsed; then all else is empty."""
    decode: Callable[[bytes], Block] | None = None
    """How to decode a body; set by the codec."""
    decoded: dict[int, Block] = field(default_factory=dict, compare=False, repr=False)
    """The bodies that have been asked for; they stay encoded as well, for it is there that words are looked for."""

    def may_spell(self, word: bytes, bodies: slice = slice(None)) -> bool:
        """Some of these bodies may spell a word; cheap, and wrong on the safe side: nothing is decoded."""
        for body in self.bodies[bodies]:  # noqa: SIM110  # a generator would take as long as the search
            if not isinstance(body, bytes) or word in body:
                return True
        return False

    def body_of(self, index: int) -> Block:
        """The statements of a function, decoded once."""
        body = self.bodies[index]
        if not isinstance(body, bytes):
            return body
        found = self.decoded.get(index)
        if found is None:
            assert self.decode is not None
            found = self.decoded[index] = self.decode(body)
        return found
