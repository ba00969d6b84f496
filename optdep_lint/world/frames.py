"""Where evaluation stands: the names that are bound, what is assumed, what surrounds, and which ways out were met."""

from __future__ import annotations

from typing import TYPE_CHECKING

from optdep_lint.world.truth import Condition, Truth, decide
from optdep_lint.world.values import Cause, Choice, Constant, Failure, Guard, Unbound, Unknown, Value, type_of

if TYPE_CHECKING:
    from optdep_lint.world.modules import Module
    from optdep_lint.world.values import FunctionValue

_DEEPEST_CHOICE = 6


class State:
    """The bindings of one scope at one point, under what is assumed there."""

    __slots__ = ("assumed", "names")

    def __init__(self, names: dict[str, Value], assumed: dict[Condition, bool]) -> None:
        self.names, self.assumed = names, assumed

    def copy(self) -> State:
        """A state that can go its own way."""
        return State(self.names.copy(), self.assumed.copy())

    def settle(self, value: Value) -> Value:
        """A value with the choices taken that are assumed here."""
        while isinstance(value, Choice) and self.assumed:
            truth = decide(value.condition, self.assumed)
            if truth is Truth.MAYBE:
                break
            value = value.yes if truth is Truth.YES else value.no
        return value


class Exit:
    """One way out of a block other than its end."""

    __slots__ = ("failure", "kind", "state", "value")

    def __init__(self, kind: str, state: State, value: Value | None = None, failure: Failure | None = None) -> None:
        self.kind = kind
        """`raise`, `return`, `break` or `continue`."""
        self.state, self.value, self.failure = state, value, failure


class Frame:
    """One activation of a module, class body or function."""

    __slots__ = (
        "called", "caught", "causes", "depth", "enclosing", "exits", "function", "globals", "guards", "kind", "left",
        "module", "nonlocals", "own", "passed", "protected", "state", "thrown", "uncertain",
    )  # fmt: skip

    def __init__(self, kind: str, module: Module, state: State, enclosing: Frame | None = None) -> None:
        self.kind = kind
        """`module`, `class` or `function`."""
        self.module, self.state, self.enclosing = module, state, enclosing
        self.function: FunctionValue | None = None
        self.called: tuple[Frame, int, tuple[Value, ...]] | None = None
        """Of a function: the frame that calls it, at which position, and with what."""
        self.exits: list[Exit] = []
        self.left = False
        """There are ways out before the block that evaluation is in."""
        self.causes: list[Cause | None] = []
        """The absences that decided the branches and handlers that evaluation is in."""
        self.guards: tuple[Guard, ...] = ()
        self.globals: frozenset[str] = frozenset()
        self.nonlocals: frozenset[str] = frozenset()
        self.own: frozenset[str] = frozenset()
        """Of a class body: the names it binds, which it never takes from functions around it."""
        self.passed: Cause | None = None
        """Of a function: the absence for which a `return` before was not taken."""
        self.caught: list[Failure] = []
        """The exceptions being handled, innermost last."""
        self.thrown: Failure | None = None
        """What a `yield` raises here, in a context manager's generator."""
        self.uncertain = 0
        """How many branches that may not be taken evaluation is in."""
        self.protected = 0
        """How many `try` bodies and swallowing `with` bodies evaluation is in."""
        self.depth = 0

    @property
    def cause(self) -> Cause | None:
        """The innermost absence that evaluation is here because of."""
        return next((cause for cause in reversed(self.causes) if cause is not None), None)


def join(condition: Condition | None, yes: State, no: State) -> State:
    """The state after two ways meet: of which `yes` was taken where the condition held."""
    names: dict[str, Value] = {}
    for name in {**yes.names, **no.names}:
        left, right = yes.names.get(name), no.names.get(name)
        names[name] = left if left is right and left else join_values(condition, left or Unbound(), right or Unbound())
    assumed = {key: holds for key, holds in yes.assumed.items() if no.assumed.get(key) is holds}
    return State(names, assumed)


def join_values(condition: Condition | None, yes: Value, no: Value) -> Value:
    """One of two values."""
    if yes is no or is_same(yes, no):
        return yes
    if condition is None or _depth(yes) + _depth(no) > _DEEPEST_CHOICE:
        return Unknown(None, type_of(yes) if type_of(yes) is type_of(no) else None, _doubt(yes, no))
    return Choice(condition, yes, no)


def _doubt(*values: Value) -> str:
    """What may fail with one of several things, of which it is not known which it is."""
    doubts = [_doubt(one.yes, one.no) if isinstance(one, Choice) else getattr(one, "doubt", None) for one in values]
    if "name" in doubts or any(isinstance(one, Unbound) for one in values):
        return "name"
    return "" if all(doubt == "" for doubt in doubts) else "kind"


def is_same(left: Value, right: Value) -> bool:
    """Nothing tells two values apart, but perhaps what an unknown one goes back to."""
    if type(left) is not type(right):
        return False
    if isinstance(left, Constant) and isinstance(right, Constant):
        return left.value == right.value and type(left.value) is type(right.value) and left.cause == right.cause
    if isinstance(left, Unbound):
        return left.cause == right.cause
    if isinstance(left, Unknown) and isinstance(right, Unknown):
        return left.condition == right.condition and left.type is right.type and left.doubt == right.doubt
    return getattr(left, "path", None) is not None and left.path == getattr(right, "path", None)  # type: ignore[attr-defined]


def _depth(value: Value) -> int:
    return 1 + max(_depth(value.yes), _depth(value.no)) if isinstance(value, Choice) else 0
