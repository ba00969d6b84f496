"""What operators give: boolean ones, comparisons, arithmetic, conditional expressions."""

from __future__ import annotations

import operator
from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from optdep_lint.facts import syntax
from optdep_lint.facts.syntax import Expression
from optdep_lint.facts.walk import expressions as parts_of
from optdep_lint.world.builtin_types import union
from optdep_lint.world.enumerations import are_equal
from optdep_lint.world.frames import Frame, join_values
from optdep_lint.world.literals import NotPython, from_python, to_python
from optdep_lint.world.origins import comes_from, is_origin
from optdep_lint.world.questions import Questions
from optdep_lint.world.truth import Atom, Condition, Truth, every, negate, some
from optdep_lint.world.values import (
    Cause,
    Choice,
    ClassValue,
    Constant,
    External,
    FunctionValue,
    Instance,
    Items,
    Known,
    ModuleValue,
    Table,
    Unknown,
    Value,
    caused,
    doubted,
    is_none,
    type_of,
    typed,
)

if TYPE_CHECKING:
    pass

_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "in": lambda left, right: left in right, "not in": lambda left, right: left not in right,
}  # fmt: skip

_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "%": operator.mod, "//": operator.floordiv, "/": operator.truediv,
    "&": operator.and_, "|": operator.or_,
}  # fmt: skip

_ALWAYS_BOOLEAN = frozenset({"is", "is not", "in", "not in"})
"""What gives a truth value whatever the operands are; the others may be defined otherwise."""

_PLACED = (syntax.Name, syntax.Attribute, syntax.Call, syntax.Subscript, syntax.Binary)
"""Expressions that know where they stand."""


class Operators(Questions):
    """Evaluates operators."""

    @abstractmethod
    def class_member(self, class_: ClassValue, name: str) -> Value | None:
        """An attribute of a class."""

    @abstractmethod
    def is_plain(self, class_: ClassValue) -> bool:
        """Its instances are equal to nothing but themselves."""

    def _not(self, node: syntax.Not, frame: Frame) -> Value:
        value = self.evaluate(node.operand, frame)
        truth, condition = self.truth(value, frame)
        cause = frame.state.settle(value).cause
        if truth is not Truth.MAYBE:
            return caused(Constant(truth is Truth.NO), cause)
        return caused(Unknown(negate(condition) if condition is not None else None, bool), cause)

    def _boolean(self, node: syntax.Boolean, frame: Frame) -> Value:
        return self._short_circuit(node.operator, node.operands, frame)

    def _short_circuit(self, operator_: str, operands: tuple[Expression, ...], frame: Frame) -> Value:
        value = self.evaluate(operands[0], frame)
        if len(operands) == 1:
            return value
        goes_on = operator_ == "and"
        truth, condition = self.truth(value, frame)
        if truth is Truth.of(not goes_on):
            return frame.state.settle(value)
        if truth is not Truth.MAYBE:
            rest = self._short_circuit(operator_, operands[1:], frame)
            return rest if operator_ == "and" else caused(rest, frame.state.settle(value).cause)
        asked = condition or _asked_here(operands[0], frame)
        rest = self.under(asked, goes_on, lambda: self._short_circuit(operator_, operands[1:], frame), frame)
        value = frame.state.settle(value)
        if isinstance(value, Unknown) and value.type is bool:
            value = join_values(asked, Constant(True), Constant(False))
        if isinstance(value, Choice) and self._is_decided_by(value, frame):
            first = self.truth(value.yes, frame)[0] is Truth.of(goes_on)
            yes, no = (rest, value.no) if first else (value.yes, rest)
            return join_values(value.condition, yes, no)
        result = self._combine(operator_, value, condition, rest, (asked, _asked_here(operands[1], frame)), frame)
        result = doubted(result)
        alike = isinstance(value, Unknown) and isinstance(rest, Unknown) and value.type is rest.type
        return typed(result, value.type if alike and isinstance(value, Unknown) else None)

    def _is_decided_by(self, value: Choice, frame: Frame) -> bool:
        """Which of the two it is decides whether it is true."""
        return {self.truth(value.yes, frame)[0], self.truth(value.no, frame)[0]} == {Truth.YES, Truth.NO}

    def _combine(
        self,
        operator_: str,
        value: Value,
        condition: Condition | None,
        rest: Value,
        asked: tuple[Condition | None, Condition | None],
        frame: Frame,
    ) -> Value:
        """`value and rest`, `value or rest`, where the first is open; `asked` are the questions whether each holds."""
        here, unnamed = asked
        rest_truth, rest_condition = self.truth(rest, frame)
        if condition is None:
            settles = Truth.of(operator_ == "or")
            if rest_truth is settles:
                false = join_values(here, rest, Constant(False)) if operator_ == "and" else rest
                return caused(Unknown(), rest.cause) if operator_ == "or" else _or_false(false)
            return caused(Unknown(), rest.cause)
        if operator_ == "and":
            if rest_truth is Truth.NO:
                return caused(Choice(condition, rest, Constant(False)), rest.cause)
            if rest_truth is Truth.YES:
                return Choice(condition, rest, Constant(False))
            return caused(
                Unknown(every((condition, known)) if (known := rest_condition or unnamed) else None), rest.cause
            )
        if rest_truth is Truth.YES:
            return Choice(condition, Unknown(condition), rest)
        if rest_truth is Truth.NO:
            return caused(
                Choice(condition, Unknown(condition) if not isinstance(value, Choice) else Constant(True), rest),
                rest.cause,
            )
        return caused(Unknown(some(condition, rest_condition) if rest_condition else None), rest.cause)

    def _compare(self, node: syntax.Compare, frame: Frame) -> Value:
        left = self.evaluate(node.left, frame)
        results: list[Value] = []
        for operator_, right_node in zip(node.operators, node.rights, strict=True):
            right = self.evaluate(right_node, frame)
            results.append(self.compare(operator_, left, right, frame, getattr(right_node, "at", 0)))
            left = right
        if len(results) == 1:
            return results[0]
        truths = [self.truth(result, frame)[0] for result in results]
        return Constant(min(truths) is Truth.YES) if min(truths) is not Truth.MAYBE else Unknown()

    def compare(self, operator_: str, left: Value, right: Value, frame: Frame, at: int = 0) -> Value:
        """`left op right`"""
        result = self._compared(operator_, left, right, frame, at)
        settled = None not in (type_of(frame.state.settle(left)), type_of(frame.state.settle(right)))
        if settled or operator_ in _ALWAYS_BOOLEAN:
            return typed(result, bool)
        return doubted(result)

    def _compared(self, operator_: str, left: Value, right: Value, frame: Frame, at: int) -> Value:
        left, right = frame.state.settle(left), frame.state.settle(right)
        if isinstance(left, Choice):
            return self.choose(left, lambda one: self.compare(operator_, one, right, frame, at), frame)
        if isinstance(right, Choice):
            return self.choose(right, lambda one: self.compare(operator_, left, one, frame, at), frame)
        cause = left.cause or right.cause
        equal = are_equal(left, right) if operator_ in ("==", "!=", "is", "is not") else None
        if equal is not None:
            return caused(Constant(equal is (operator_ in ("==", "is"))), cause)
        answer = self._own_answer(left, right, frame) if operator_ in ("==", "!=") else None
        if answer is not None:
            return answer if operator_ == "==" else negated(answer)
        if operator_ in ("is", "is not"):
            result = self._identical(left, right)
            return caused(result if operator_ == "is" else negated(result), cause)
        if operator_ in ("in", "not in") and isinstance(right, External) and right.path == "sys.modules":
            result = self._evaluation.imports.is_loaded(left)
            return caused(result if operator_ == "in" else negated(result), result.cause or cause)
        if operator_ in ("in", "not in") and isinstance(right, Known) and right.model in ("namespace", "environment"):
            result = self._evaluation.known.contains(right, left, frame)
            return caused(result if operator_ == "in" else negated(result), result.cause or cause)
        if operator_ in ("==", "!=", "in", "not in") and is_origin(left):
            result = comes_from(self._evaluation, right)
            return caused(result if operator_ in ("==", "in") else negated(result), result.cause or cause)
        if operator_ in ("in", "not in") and isinstance(right, Table) and not right.complete:
            return Unknown()
        if operator_ in ("in", "not in") and is_none(left) and isinstance(right, Items):
            result = self._has_none(right, frame)
            return result if operator_ == "in" else negated(result)
        left_python, right_python = to_python(left), to_python(right)
        if left_python is not NotPython and right_python is not NotPython:
            try:
                return caused(Constant(bool(_COMPARISONS[operator_](left_python, right_python))), cause)
            except (TypeError, ValueError) as error:
                return self.as_python(error, frame, at)
        return self._open_comparison(operator_, left, right, cause)

    def _has_none(self, items: Items, frame: Frame) -> Value:
        """`None in [...]`: at least one of them is None."""
        conditions: list[Condition | None] = []
        for element in items.elements:
            same = self.compare("is", element, Constant(None), frame)
            truth, condition = self.truth(same, frame)
            if truth is Truth.YES:
                return caused(Constant(True), same.cause)
            if truth is Truth.MAYBE:
                conditions.append(condition)
        known = [condition for condition in conditions if condition is not None]
        if not conditions:
            return Constant(False)
        return Unknown(some(*known)) if len(known) == len(conditions) else Unknown()

    def _own_answer(self, left: Value, right: Value, frame: Frame) -> Value | None:
        """What the class of one of them says of equality; None where none does."""
        for value, other in ((left, right), (right, left)):
            if isinstance(value, Instance) and isinstance(value.type, ClassValue):
                member = self.class_member(value.type, "__eq__")
                if isinstance(member, FunctionValue):
                    return self._evaluation.calls.call(member, (value, other), {}, frame, 0)
        return None

    def _open_comparison(self, operator_: str, left: Value, right: Value, cause: Cause | None) -> Value:
        if operator_ in ("!=", "not in"):
            return negated(self._open_comparison("==" if operator_ == "!=" else "in", left, right, cause))
        if operator_ == "==" and any(self._is_itself(one) for one in (left, right)):
            other = left if self._is_itself(right) else right
            if isinstance(other, Constant):
                return caused(Constant(False), cause)
        left_key, right_key = self.key(left), self.key(right)
        return self.unknown(f"{left_key} {operator_} {right_key}" if left_key and right_key else None, cause)

    def _is_itself(self, value: Value) -> bool:
        """It is equal to nothing but itself: a module, a function."""
        if isinstance(value, External):
            return "." not in value.path and value.path in self._evaluation.imported
        if isinstance(value, Instance) and isinstance(value.type, ClassValue):
            return self.is_plain(value.type) and not value.vague
        is_spec = isinstance(value, Known) and value.model == "spec"
        return is_spec or isinstance(value, (ModuleValue, FunctionValue))

    def _identical(self, left: Value, right: Value) -> Value:
        if isinstance(left, Constant) and not isinstance(right, Constant):
            left, right = right, left
        if isinstance(right, Constant) and (right.value is None or isinstance(right.value, bool)):
            if isinstance(left, Constant):
                return Constant(left.value is right.value)
            if isinstance(left, Unknown) and left.type not in (None, type(right.value)):
                return Constant(False)
            if isinstance(left, Unknown):
                if right.value is None and left.condition is not None:
                    return Unknown(negate(left.condition))
                return Unknown(left.condition if right.value is True else None)
            if isinstance(left, External) and not (
                left.path in self._evaluation.imported or left.path.startswith("builtins.")
            ):
                return Unknown(Atom(f"{left.path} is {right.value}"))
            return Constant(False)
        if left is right or (
            self.key(left) is not None
            and self.key(left) == self.key(right)
            and not isinstance(left, (Unknown, Instance))
        ):
            return Constant(True)
        return Unknown()

    def binary(self, operator_: str, left: Value, right: Value, frame: Frame, at: int) -> Value:
        """`left op right`, for arithmetic operators."""
        left, right = frame.state.settle(left), frame.state.settle(right)
        if isinstance(left, Choice):
            return self.choose(left, lambda one: self.binary(operator_, one, right, frame, at), frame)
        if isinstance(right, Choice):
            return self.choose(right, lambda one: self.binary(operator_, left, one, frame, at), frame)
        classes = union(left, right) if operator_ == "|" else None
        if classes is not None:
            return classes
        if operator_ == "+" and isinstance(left, Items) and isinstance(right, Items):
            return Items(left.kind, left.elements + right.elements)
        left_python, right_python = to_python(left), to_python(right)
        if operator_ in _ARITHMETIC and left_python is not NotPython and right_python is not NotPython:
            try:
                return caused(from_python(_ARITHMETIC[operator_](left_python, right_python)), left.cause or right.cause)
            except (TypeError, ValueError, ZeroDivisionError, KeyError) as error:
                return self.as_python(error, frame, at)
        return caused(Unknown(), left.cause or right.cause)

    def _conditional(self, node: syntax.Conditional, frame: Frame) -> Value:
        truth, condition, cause = self.test(node.test, frame)
        if truth is not Truth.MAYBE:
            frame.causes.append(cause)
            try:
                return caused(self.evaluate(node.body if truth is Truth.YES else node.orelse, frame), cause)
            finally:
                frame.causes.pop()
        condition = condition or _asked_here(node.test, frame)
        yes = self.under(condition, True, lambda: self.evaluate(node.body, frame), frame)
        no = self.under(condition, False, lambda: self.evaluate(node.orelse, frame), frame)
        return join_values(condition, yes, no)


def _or_false(value: Value) -> Value:
    """The value; what is only known to be false, as plain False."""
    return Constant(False) if isinstance(value, Unknown) else value


def negated(value: Value) -> Value:
    """`not value`, for the answer of a comparison."""
    if isinstance(value, Constant):
        return caused(Constant(not value.value), value.cause)
    condition = value.condition if isinstance(value, Unknown) else None
    type_ = value.type if isinstance(value, Unknown) else None
    return caused(Unknown(negate(condition) if condition is not None else None, type_), value.cause)


def _asked_here(test: Expression, frame: Frame) -> Condition | None:
    """The question whether an expression is true that nothing is known of: known by where it stands, and for which call."""
    place = next((part.at for part in parts_of(test) if isinstance(part, _PLACED)), None)
    if place is None:
        return None
    takes = frame.called is not None and frame.function is not None and frame.function.node.parameters
    call = f" for {frame.called[1]}" if takes and frame.called is not None else ""
    return Atom(f"{frame.module.source.path}@{place}{call}")
