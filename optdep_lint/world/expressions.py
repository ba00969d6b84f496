"""What each expression gives, and whether it fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from optdep_lint.facts import syntax
from optdep_lint.facts.syntax import Expression
from optdep_lint.world.attributes import Attributes
from optdep_lint.world.displays import Displays
from optdep_lint.world.frames import Frame
from optdep_lint.world.operators import Operators
from optdep_lint.world.values import (
    Constant,
    Raised,
    Unknown,
    Value,
)

if TYPE_CHECKING:
    from optdep_lint.world.evaluation import Evaluation


class Expressions(Attributes, Operators, Displays):
    """Evaluates expressions in frames."""

    def __init__(self, evaluation: Evaluation) -> None:
        super().__init__(evaluation)
        self._evaluate: dict[type, Callable[[Any, Frame], Value]] = {
            syntax.Constant: lambda node, frame: Constant(node.value),
            syntax.Name: self._name,
            syntax.Attribute: self._attribute,
            syntax.Call: lambda node, frame: evaluation.calls.evaluate(node, frame),  # noqa: PLW0108  # made later
            syntax.Subscript: self._subscript,
            syntax.Starred: lambda node, frame: self.evaluate(node.value, frame),
            syntax.Not: self._not,
            syntax.Boolean: self._boolean,
            syntax.Compare: self._compare,
            syntax.Binary: lambda node, frame: self.binary(
                node.operator, self.evaluate(node.left, frame), self.evaluate(node.right, frame), frame, node.at
            ),
            syntax.Conditional: self._conditional,
            syntax.Collection: self._collection,
            syntax.Mapping: self._mapping,
            syntax.Comprehension: self._comprehension,
            syntax.Lambda: lambda node, frame: evaluation.statements.function_value("<lambda>", node, frame),
            syntax.Walrus: self._walrus,
            syntax.Format: self._format,
            syntax.Yield: self._yield,
            syntax.Opaque: self._opaque,
        }

    def evaluate(self, node: Expression, frame: Frame) -> Value:
        """Evaluate an expression.

        Raises:
            Raised: where it fails for certain.
        """
        return self._evaluate[type(node)](node, frame)

    def tell_of_reads(self, told: Callable[[str, Value, Frame], None] | None) -> None:
        """From now on, tell of every value that a name or an attribute gives, with that name; None to stop."""
        plain: tuple[tuple[type, str, Callable[[Any, Frame], Value]], ...] = (
            (syntax.Name, "id", self._name), (syntax.Attribute, "name", self._attribute),
        )  # fmt: skip
        for kind, field, evaluate in plain:
            self._evaluate[kind] = evaluate if told is None else _telling(evaluate, field, told)

    def _walrus(self, node: syntax.Walrus, frame: Frame) -> Value:
        value = self.evaluate(node.value, frame)
        self._evaluation.statements.bind(node.target, value, frame)
        return value

    def _format(self, node: syntax.Format, frame: Frame) -> Value:
        text = self._evaluation.known.text
        parts = [text(self.evaluate(part, frame), frame) for part in node.parts]
        if all(isinstance(part, Constant) for part in parts):
            return Constant("".join(str(part.value) for part in parts if isinstance(part, Constant)))
        return Unknown(type_=str)

    def _yield(self, node: syntax.Yield, frame: Frame) -> Value:
        if node.value is not None:
            self.evaluate(node.value, frame)
        if frame.thrown is not None:
            raise Raised(frame.thrown)
        return Unknown()

    def _opaque(self, node: syntax.Opaque, frame: Frame) -> Value:
        cause = None
        for part in node.parts:
            cause = cause or self.evaluate(part, frame).cause
        return Unknown()


def _telling(
    plain: Callable[[Any, Frame], Value], field: str, told: Callable[[str, Value, Frame], None]
) -> Callable[[Any, Frame], Value]:
    def evaluate(node: Any, frame: Frame) -> Value:
        value = plain(node, frame)
        told(getattr(node, field), value, frame)
        return value

    return evaluate
