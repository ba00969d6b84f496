"""The module that a value's class says it comes from: nothing comes from what is absent."""

from __future__ import annotations

from typing import TYPE_CHECKING

from optdep_lint.world.frames import Frame
from optdep_lint.world.literals import to_python
from optdep_lint.world.values import Cause, Constant, Known, Unknown, Value, caused

if TYPE_CHECKING:
    from optdep_lint.world.evaluation import Evaluation
    from optdep_lint.world.machinery import Arguments

ORIGIN = Known("origin")
"""`type(value).__module__`, of a value that nothing is known of, or a part of it."""


def is_origin(value: Value) -> bool:
    """The value is a module's name that is not known."""
    return isinstance(value, Known) and value.model == "origin"


def comes_from(evaluation: Evaluation, given: Value, exactly: bool = True) -> Value:
    """Whether an origin is one of the names, or starts with one: it does not where all are absent."""
    names = to_python(given)
    missing = None
    for name in names if isinstance(names, (tuple, list, frozenset)) else (names,):
        if not isinstance(name, str) or not name.strip("."):
            return Unknown()
        dotted = name.strip(".")
        evaluation.feel(dotted)
        missing = evaluation.world.missing(dotted)
        if missing is None or not (exactly or name.endswith(".") or _is_alone(dotted, evaluation)):
            return Unknown()
    return caused(Constant(False), Cause(missing, "", 0)) if missing is not None else Unknown()


def _is_alone(prefix: str, evaluation: Evaluation) -> bool:
    """Nothing that is there is called so and goes on."""
    return not any(root.startswith(prefix) for root in evaluation.world.present or ())


def call_member(evaluation: Evaluation, name: str, arguments: Arguments, frame: Frame) -> Value:
    """`origin.startswith(...)`, `origin.split(".")`"""
    if name == "startswith" and arguments:
        return comes_from(evaluation, frame.state.settle(arguments[0]), exactly=False)
    return ORIGIN if name in ("split", "partition", "lower") else Unknown()
