"""Functions and decorators that the configuration names as guards: they answer or refuse where something is absent."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from optdep_lint.facts import syntax
from optdep_lint.facts.walk import statements
from optdep_lint.world.frames import Frame
from optdep_lint.world.literals import NotPython, to_python
from optdep_lint.world.machinery import normalized
from optdep_lint.world.values import (
    Cause,
    ClassValue,
    Constant,
    External,
    Failure,
    FunctionValue,
    Known,
    Raised,
    Value,
    builtin,
    caused,
)

if TYPE_CHECKING:
    from optdep_lint.world.evaluation import Evaluation

_ANSWERING = re.compile(r"^_*(is|has|have|can|supports?)_|(^|_)(available|installed|enabled|present)(_|$)|^_*[A-Z]")
"""What functions of other projects are called that answer; all others raise."""
_REQUIREMENT = re.compile(r"[A-Za-z0-9][\w.-]*")


class Guards:
    """Answers calls and decorators that are guards by configuration."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        self._named: Mapping[str, tuple[str, ...]] = evaluation.world.guards

    def __bool__(self) -> bool:
        """There are any."""
        return bool(self._named)

    def call(
        self, function: Value, arguments: tuple[Value, ...], keywords: Mapping[str, Value], frame: Frame, at: int
    ) -> Value | None:
        """What a guard answers; None where the function is none, or nothing that it asks for is absent.

        Raises:
            Raised: where it is one that refuses.
        """
        cause = self._missing(function, (*arguments, *keywords.values()), frame, at)
        if cause is None:
            return None
        if _answers(function):
            return caused(Constant(False), cause)
        raise Raised(self._refusal(cause, frame, at))

    def decorator(self, node: syntax.Expression, frame: Frame) -> Value | None:
        """What `@guard` or `@guard("name")` stands for; None where it is no guard.

        Raises:
            Raised: where evaluating it fails.
        """
        expressions = self._evaluation.expressions
        written = node.function if isinstance(node, syntax.Call) else node
        if not isinstance(written, (syntax.Name, syntax.Attribute)):
            return None
        function = frame.state.settle(expressions.evaluate(written, frame))
        if self._roots(function) is None:
            return None
        passed: tuple[Value, ...] = ()
        if isinstance(node, syntax.Call):
            given = (*node.arguments, *(keyword.value for keyword in node.keywords))
            passed = tuple(expressions.evaluate(argument, frame) for argument in given)
        cause = self._missing(function, passed, frame, getattr(node, "at", 0))
        return Known("refusing", cause) if cause is not None else Known("decorator", "typing.final")

    def refuse(self, refused: Known, frame: Frame, at: int) -> Value:
        """Call what a guard was put on, where it refuses.

        Raises:
            Raised: always.
        """
        cause = Cause(refused.parts[0].missing, frame.module.source.path, at)
        raise Raised(self._refusal(cause, frame, at))

    def _refusal(self, cause: Cause, frame: Frame, at: int) -> Failure:
        message = f"a guard refuses: no {cause.missing}"
        return self._evaluation.expressions.failure(frame, at, "raise", message, cause, builtin("ImportError"))

    def _missing(self, function: Value, passed: tuple[Value, ...], frame: Frame, at: int) -> Cause | None:
        roots = self._roots(function)
        if roots is None:
            return None
        world = self._evaluation.world
        for name in roots or tuple(_names_in(passed, frame)):
            self._evaluation.feel(name)
            self._evaluation.feel(f"{normalized(name)} (distribution)")
            missing = world.missing(name) or world.missing_distribution(normalized(name))
            if missing is not None:
                return Cause(missing, frame.module.source.path, at)
        return None

    def _roots(self, function: Value) -> tuple[str, ...] | None:
        """The roots that a guard answers for, none where it is told by its arguments; None for what is no guard."""
        dotted = _dotted(function)
        if not dotted:
            return None
        for name, roots in self._named.items():
            if dotted == name or dotted.endswith(f".{name}") or self._is_bound_as(name, function):
                return roots
        return None

    def _is_bound_as(self, name: str, function: Value) -> bool:
        """A module exports the function under the configured name."""
        holder, _, last = name.rpartition(".")
        module = self._evaluation.modules.get(holder)
        node = getattr(function, "node", None)
        return module is not None and node is not None and getattr(module.names.get(last), "node", None) is node


def _dotted(function: Value) -> str:
    match function:
        case FunctionValue(module=module, name=name, owner=owner):
            return f"{module.name}.{owner.name}.{name}" if owner is not None else f"{module.name}.{name}"
        case ClassValue(module=module, name=name):
            return f"{module.name}.{name}"
        case External(path=path):
            return path
        case Known(model="decorated", parts=(Value() as inner, *_)):
            return _dotted(inner)
    return ""


def _answers(function: Value) -> bool:
    """It returns what it finds out; otherwise it raises."""
    if isinstance(function, Known):
        function = function.parts[0]
    if isinstance(function, FunctionValue) and isinstance(function.node, syntax.Function):
        body = list(statements(function.module.source.summary.body_of(function.node.body)))
        returns = any(isinstance(one, syntax.Return) and one.value is not None for one in body)
        return returns and not any(isinstance(one, syntax.Raise) for one in body)
    return _ANSWERING.search(_dotted(function).rpartition(".")[2]) is not None


def _names_in(passed: tuple[Value, ...], frame: Frame) -> Iterator[str]:
    """The names in the arguments: texts, and lists of texts."""
    for value in passed:
        python = to_python(frame.state.settle(value))
        if python is NotPython:
            continue
        for text in python if isinstance(python, (tuple, list, frozenset, dict)) else (python,):
            match = _REQUIREMENT.match(text) if isinstance(text, str) else None
            if match is not None:
                yield match[0]
