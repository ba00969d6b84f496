"""Builtins that Python itself computes where all that they are given is known, and of what type their results are."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from optdep_lint.world.frames import Frame
from optdep_lint.world.literals import NotPython, from_python, to_python
from optdep_lint.world.values import Unknown, Value

if TYPE_CHECKING:
    from optdep_lint.world.known import KnownThings

_PURE: dict[str, Callable[..., Any]] = {
    one.__name__: one for one in (abs, chr, divmod, max, min, ord, round, sorted, sum)
}  # fmt: skip

TYPES: dict[str, type] = {
    f"builtins.{name}": type_
    for type_, names in (
        (bool, ("all", "any", "bool", "callable", "hasattr", "isinstance", "issubclass")),
        (int, ("int", "len", "ord")), (str, ("chr", "repr", "str")), (list, ("list", "sorted")), (tuple, ("tuple",)),
    )
    for name in names
}  # fmt: skip
"""What is always of one type, whatever it is made of."""


def _computing(
    function: Callable[..., Any],
) -> Callable[[KnownThings, tuple[Value, ...], Mapping[str, Value], Frame, int], Value]:
    def answer(
        known: KnownThings, arguments: tuple[Value, ...], keywords: Mapping[str, Value], frame: Frame, at: int
    ) -> Value:
        python = [to_python(frame.state.settle(argument)) for argument in arguments]
        if NotPython in python or keywords:
            return Unknown()
        try:
            return from_python(function(*python))
        except (TypeError, ValueError, ArithmeticError) as error:
            return known.evaluation.expressions.as_python(error, frame, at)

    return answer


COMPUTED = {f"builtins.{name}": _computing(function) for name, function in _PURE.items()}
