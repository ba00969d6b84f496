"""Three-valued truth, and the small algebra of conditions that a world leaves open."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from enum import IntEnum
from typing import NamedTuple, TypeAlias


class Truth(IntEnum):
    """Kleene's three values, in order."""

    NO = 0
    MAYBE = 1
    YES = 2

    @classmethod
    def of(cls, value: bool) -> Truth:
        """A settled truth."""
        return cls.YES if value else cls.NO

    def negated(self) -> Truth:
        """`not`"""
        return Truth(2 - self)


class Atom(NamedTuple):
    """One question that cannot be answered here, such as `acme.platform.is_rocm()`; asked twice, it answers alike."""

    key: str


class Negation(NamedTuple):
    """`not operand`"""

    operand: Condition
    sign: str = "not"


class Every(NamedTuple):
    """All of the operands hold."""

    operands: tuple[Condition, ...]
    sign: str = "and"


class Some(NamedTuple):
    """At least one of the operands holds."""

    operands: tuple[Condition, ...]
    sign: str = "or"


Condition: TypeAlias = Atom | Negation | Every | Some
Assumptions: TypeAlias = Mapping[Condition, bool]

_LARGEST = 16
"""Of how many questions a condition may consist."""


def negate(condition: Condition) -> Condition:
    """The opposite of a condition."""
    return condition.operand if isinstance(condition, Negation) else Negation(condition)


def every(conditions: Iterable[Condition]) -> Condition | None:
    """The conjunction of conditions; None (always true) where there are none."""
    operands = tuple(dict.fromkeys(conditions))
    if len(operands) < 2:
        return operands[0] if operands else None
    return _bounded(Every(operands))


def some(*operands: Condition) -> Condition:
    """The disjunction of conditions."""
    return _bounded(Some(operands))


def _bounded(condition: Every | Some) -> Condition:
    """The condition, or a question of its own where it has grown too large to look into."""
    return condition if _size(condition) <= _LARGEST else Atom(f"#{hash(condition)}")


def _size(condition: Condition) -> int:
    match condition:
        case Negation():
            return _size(condition.operand)
        case Every() | Some():
            return sum(map(_size, condition.operands))
    return 1


def decide(condition: Condition, assumptions: Assumptions) -> Truth:
    """What the assumptions say about a condition."""
    if not assumptions:
        return Truth.MAYBE
    settled = assumptions.get(condition)
    if settled is not None:
        return Truth.of(settled)
    match condition:
        case Negation():
            return decide(condition.operand, assumptions).negated()
        case Every():
            return min(decide(operand, assumptions) for operand in condition.operands)
        case Some():
            return max(decide(operand, assumptions) for operand in condition.operands)
    return Truth.MAYBE


def assume(condition: Condition, holds: bool, assumptions: dict[Condition, bool]) -> None:
    """Add that a condition holds, or does not, and what follows from it."""
    assumptions[condition] = holds
    match condition:
        case Negation():
            assume(condition.operand, not holds, assumptions)
        case Every() if holds:
            for operand in condition.operands:
                assume(operand, True, assumptions)
        case Some() if not holds:
            for operand in condition.operands:
                assume(operand, False, assumptions)
        case Every() | Some():
            _resolve_last(condition, holds, assumptions)


def _resolve_last(condition: Every | Some, holds: bool, assumptions: dict[Condition, bool]) -> None:
    """A conjunction that fails through its only open operand, or a disjunction that holds through it."""
    neutral = Truth.of(not holds)
    open_operands = [operand for operand in condition.operands if decide(operand, assumptions) is not neutral]
    if len(open_operands) == 1 and open_operands[0] not in assumptions:
        assume(open_operands[0], holds, assumptions)
