"""What each expression gives, and whether it fails."""

from __future__ import annotations

import builtins
import operator
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any

from optdep_lint.facts import syntax
from optdep_lint.facts.syntax import Expression
from optdep_lint.world.frames import Exit, Frame, State, join_values
from optdep_lint.world.statements import elements_of
from optdep_lint.world.truth import Atom, Condition, Negation, Truth, assume, decide, every, negate, some
from optdep_lint.world.values import (
    Cause,
    Choice,
    ClassValue,
    Constant,
    Descriptor,
    External,
    Failure,
    FunctionValue,
    Instance,
    Items,
    Known,
    Method,
    ModuleValue,
    Raised,
    Table,
    Unbound,
    Unknown,
    Value,
    builtin,
    caused,
    is_none,
)

if TYPE_CHECKING:
    from optdep_lint.world.evaluation import Evaluation

_BUILTINS = frozenset(dir(builtins)) | {"ExceptionGroup", "BaseExceptionGroup", "aiter", "anext", "WindowsError", "reveal_type"}
_COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
    "in": lambda left, right: left in right, "not in": lambda left, right: left not in right,
}  # fmt: skip
_ARITHMETIC: dict[str, Callable[[Any, Any], Any]] = {
    "+": operator.add, "-": operator.sub, "%": operator.mod, "//": operator.floordiv, "/": operator.truediv,
    "&": operator.and_, "|": operator.or_,
}  # fmt: skip
_LONGEST_KEY = 200


class Expressions:
    """Evaluates expressions in frames."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        self._evaluate: dict[type, Callable[[Any, Frame], Value]] = {
            syntax.Constant: lambda node, frame: Constant(node.value),
            syntax.Name: self._name,
            syntax.Attribute: self._attribute,
            syntax.Call: lambda node, frame: evaluation.calls.evaluate(node, frame),
            syntax.Subscript: self._subscript,
            syntax.Starred: lambda node, frame: self.evaluate(node.value, frame),
            syntax.Not: self._not,
            syntax.Boolean: self._boolean,
            syntax.Compare: self._compare,
            syntax.Binary: lambda node, frame: self.binary(
                node.operator, self.evaluate(node.left, frame), self.evaluate(node.right, frame), frame
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

    # --- failures ------------------------------------------------------------------------------------------------

    def failure(
        self, frame: Frame, at: int, kind: str, message: str, cause: Cause | None, type_: Value,
        arguments: tuple[Value, ...] = (), subject: str | None = None, certain: bool = False,
    ) -> Failure:  # fmt: skip
        """An exception raised here."""
        return Failure(
            type_, cause, kind, frame.module.source.path, at, message, (), (), frame.guards, arguments, subject,
            certain=certain,
        )  # fmt: skip

    def may_fail(self, failure: Failure, condition: Condition | None, frame: Frame) -> None:
        """Note an exception that is raised under a condition; evaluation goes on where it does not hold."""
        if failure.cause is None and not frame.protected:
            return
        if condition is None:
            condition = Atom(f"{failure.path}@{failure.at} fails")
        if decide(condition, frame.state.assumed) is Truth.NO:
            return
        state = frame.state.copy()
        assume(condition, True, state.assumed)
        assume(condition, False, frame.state.assumed)
        frame.exits.append(Exit("raise", state, failure=failure))

    def choose(self, choice: Choice, act: Callable[[Value], Value], frame: Frame) -> Value:
        """Act on both values of a choice."""
        results: list[Value | None] = []
        failures: list[Failure] = []
        before = frame.state.assumed
        for value, holds in ((choice.yes, True), (choice.no, False)):
            frame.state.assumed = dict(before)
            assume(choice.condition, holds, frame.state.assumed)
            frame.uncertain += 1
            try:
                results.append(act(value))
            except Raised as raised:
                failures.append(raised.failure)
                results.append(None)
            finally:
                frame.uncertain -= 1
                frame.state.assumed = before
        yes, no = results
        if yes is None and no is None:
            raise Raised(next((failure for failure in failures if failure.cause is not None), failures[0]))
        if yes is not None and no is not None:
            return join_values(choice.condition, yes, no)
        condition = choice.condition if yes is None else negate(choice.condition)
        self.may_fail(failures[0], condition, frame)
        return yes or no or Unknown()

    # --- truth ---------------------------------------------------------------------------------------------------

    def test(self, node: Expression, frame: Frame) -> tuple[Truth, Condition | None, Cause | None]:
        """Whether an expression is true, on what that hangs, and which absence decided it."""
        value = self.evaluate(node, frame)
        truth, condition = self.truth(value, frame)
        return truth, condition, frame.state.settle(value).cause

    def truth(self, value: Value, frame: Frame) -> tuple[Truth, Condition | None]:
        """Whether a value is true; where that is open, the condition for it."""
        truth, condition = self._truth(frame.state.settle(value), frame)
        if truth is Truth.MAYBE and condition is not None:
            truth = decide(condition, frame.state.assumed)
        return truth, condition

    def _truth(self, value: Value, frame: Frame) -> tuple[Truth, Condition | None]:
        match value:
            case Constant():
                return Truth.of(bool(value.value)), None
            case Unknown():
                return Truth.MAYBE, value.condition
            case Items():
                return Truth.of(bool(value.elements)), None
            case Table():
                return (Truth.YES if value.entries else Truth.of(False) if value.complete else Truth.MAYBE), None
            case External():
                return self._truth_of_external(value)
            case Instance():
                return self._evaluation.calls.truth_of_instance(value, frame)
            case Choice():
                return self._truth_of_choice(value, frame)
        return Truth.YES, None

    def _truth_of_external(self, value: External) -> tuple[Truth, Condition | None]:
        last = value.path.rpartition(".")[2]
        if value.path in self._evaluation.imported or (last.lower() == last and not last.startswith(("has_", "is_", "_has"))):
            return Truth.YES, None
        return (Truth.MAYBE, Atom(value.path)) if last.isupper() or last.startswith(("has_", "is_", "_has")) else (Truth.YES, None)

    def _truth_of_choice(self, value: Choice, frame: Frame) -> tuple[Truth, Condition | None]:
        yes, yes_condition = self._truth(value.yes, frame)
        no, no_condition = self._truth(value.no, frame)
        if yes is no and yes is not Truth.MAYBE:
            return yes, None
        if (yes is Truth.MAYBE and yes_condition is None) or (no is Truth.MAYBE and no_condition is None):
            return Truth.MAYBE, None
        ways: list[Condition] = []
        for truth, inner, outer in ((yes, yes_condition, value.condition), (no, no_condition, negate(value.condition))):
            if truth is not Truth.NO:
                ways.append(every([outer, inner] if inner is not None and truth is Truth.MAYBE else [outer]) or outer)
        return Truth.MAYBE, ways[0] if len(ways) == 1 else some(*ways)

    def key(self, value: Value) -> str | None:
        """A text that is the same whenever the same thing is asked again, or None."""
        match value:
            case Constant():
                return repr(value.value)
            case External():
                return value.path
            case ModuleValue():
                return value.module.name
            case FunctionValue():
                return f"{value.module.name}.{value.name}"
            case ClassValue():
                return f"{value.module.name}.{value.name}"
            case Method():
                receiver = self.key(value.receiver)
                function = value.function
                return f"{receiver}.{function.name}" if receiver and isinstance(function, FunctionValue) else None
            case Instance():
                keys = [self.key(argument) for argument in value.arguments]
                return None if None in keys else f"{self.key(value.type)}({', '.join(map(str, keys))})"
            case Unknown(condition=Atom(key=key)):
                return key
            case Items():
                keys = [self.key(element) for element in value.elements]
                return None if None in keys else f"({', '.join(map(str, keys))})"
        return None

    def unknown(self, text: str | None, cause: Cause | None = None) -> Value:
        """An unknown value that can be asked for again by the text."""
        return caused(Unknown(Atom(text) if text and len(text) < _LONGEST_KEY else None), cause)

    # --- names and attributes ------------------------------------------------------------------------------------

    def _name(self, node: syntax.Name, frame: Frame) -> Value:
        value = self.lookup(node.id, frame)
        if value is None:
            if frame.module.dynamic or node.id in frame.module.declared or node.id in _BUILTINS:
                return Unknown()
            value = Unbound()
        return self._bound(value, node.id, node.at, frame)

    def _bound(self, value: Value, name: str, at: int, frame: Frame) -> Value:
        value = frame.state.settle(value)
        if isinstance(value, Choice):
            if _holds_unbound(value):
                return self.choose(value, lambda one: self._bound(one, name, at, frame), frame)
            return value
        if isinstance(value, Unbound):
            message = f"name '{name}' is not defined"
            raise Raised(
                self.failure(frame, at, "name", message, value.cause, builtin("NameError"), subject=name, certain=True)
            )
        return value

    def lookup(self, name: str, frame: Frame) -> Value | None:
        """What a name is bound to, by Python's scopes; None where it cannot be told."""
        if name not in frame.globals:
            scope: Frame | None = frame
            while scope is not None and scope.kind != "module":
                if name in scope.state.names and (scope.kind != "class" or scope is frame):
                    return scope.state.names[name]
                if scope.function is not None and scope.kind == "function" and name in self._evaluation.locals_of(scope.function):
                    return None
                scope = scope.enclosing
        if frame.kind != "module":
            self._evaluation.read(frame.module, name)
        value = frame.module.names.get(name)
        if value is not None:
            return value
        if name in frame.module.implicit:
            return frame.module.implicit[name]
        if name == "__debug__":
            return Constant(True)
        return builtin(name) if name in _BUILTINS and not frame.module.dynamic else None

    def _attribute(self, node: syntax.Attribute, frame: Frame) -> Value:
        return self.attribute(self.evaluate(node.value, frame), node.name, frame, node.at)

    def attribute(self, value: Value, name: str, frame: Frame, at: int) -> Value:
        """`value.name`

        Raises:
            Raised: where there is no such attribute for certain.
        """
        value = frame.state.settle(value)
        match value:
            case Choice():
                return self.choose(value, lambda one: self.attribute(one, name, frame, at), frame)
            case ModuleValue():
                return self._evaluation.imports.module_attribute(self._evaluation.current(value.module), name, frame, at)
            case External():
                return self._evaluation.known.attribute(value, name, frame, at)
            case ClassValue():
                return self._class_attribute(value, name)
            case Instance():
                return self._instance_attribute(value, name, frame, at)
            case Constant() if value.value is None or isinstance(value.value, bool):
                if value.cause is not None and not hasattr(value.value, name):
                    raise Raised(self._no_attribute(value, name, frame, at))
            case Known():
                return self._evaluation.known.member(value, name)
            case Items() | Table() | Constant():
                return Known("member", value, name)
            case FunctionValue() if name == "__name__":
                return Constant(value.name)
            case FunctionValue() if name == "__wrapped__":
                return value
        key = self.key(value)
        return self.unknown(f"{key}.{name}" if key else None, value.cause)

    def _no_attribute(self, value: Value, name: str, frame: Frame, at: int) -> Failure:
        type_name = "NoneType" if is_none(value) else "bool"
        message = f"'{type_name}' object has no attribute '{name}'"
        return self.failure(frame, at, "attribute", message, value.cause, builtin("AttributeError"), subject=name)

    def class_member(self, class_: ClassValue, name: str) -> Value | None:
        """An attribute by the order of bases; None where it is not found."""
        found = class_.names.get(name)
        if found is not None:
            return found
        for base in class_.bases:
            if isinstance(base, ClassValue):
                found = self.class_member(base, name)
                if found is not None:
                    return found
        return None

    def is_closed(self, class_: ClassValue) -> bool:
        """All its bases are known, so that what is not found is not there."""
        return class_.metaclass is None and all(
            self.is_closed(base) if isinstance(base, ClassValue) else isinstance(base, External) and base.path.startswith("builtins.")
            for base in class_.bases
        )

    def _class_attribute(self, class_: ClassValue, name: str) -> Value:
        found = self.class_member(class_, name)
        if isinstance(found, Descriptor):
            return Method(found.function, class_) if found.kind == "classmethod" else found.function
        if name == "__name__":
            return Constant(class_.name)
        return found if found is not None and not isinstance(found, Unbound) else Unknown()

    def _instance_attribute(self, value: Instance, name: str, frame: Frame, at: int) -> Value:
        found = value.attributes.get(name)
        if found is not None:
            return found
        if not isinstance(value.type, ClassValue):
            return Unknown()
        if name == "__class__":
            return value.type
        found = self.class_member(value.type, name)
        calls = self._evaluation.calls
        if isinstance(found, Descriptor):
            if found.kind == "property":
                return calls.call(found.function, (value,), {}, frame, at)
            return Method(found.function, value.type) if found.kind == "classmethod" else found.function
        if isinstance(found, FunctionValue) or (isinstance(found, Known) and found.model == "decorated"):
            return caused(Method(found, value), value.cause)
        if found is not None:
            return found if not isinstance(found, Unbound) and not value.vague else Unknown()
        hook = self.class_member(value.type, "__getattr__") if not value.vague else None
        if isinstance(hook, FunctionValue):
            return calls.call(Method(hook, value), (Constant(name),), {}, frame, at, value.cause)
        key = self.key(value)
        return self.unknown(f"{key}.{name}" if key and not value.arguments else None, value.cause)

    # --- operators -----------------------------------------------------------------------------------------------

    def _not(self, node: syntax.Not, frame: Frame) -> Value:
        value = self.evaluate(node.operand, frame)
        truth, condition = self.truth(value, frame)
        cause = frame.state.settle(value).cause
        if truth is not Truth.MAYBE:
            return caused(Constant(truth is Truth.NO), cause)
        return caused(Unknown(negate(condition) if condition is not None else None), cause)

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
        rest = self.under(condition, goes_on, lambda: self._short_circuit(operator_, operands[1:], frame), frame)
        return self._combine(operator_, value, condition, rest, frame)

    def under(self, condition: Condition | None, holds: bool, act: Callable[[], Value], frame: Frame) -> Value:
        """Do what is done only where an open condition holds (or does not)."""
        before, guards = frame.state.assumed, frame.guards
        frame.state.assumed = dict(before)
        if condition is not None:
            assume(condition, holds, frame.state.assumed)
        frame.uncertain += 1
        try:
            return act()
        except Raised as raised:
            if raised.failure.cause is not None:
                state = State(frame.state.names.copy(), dict(frame.state.assumed))
                frame.exits.append(Exit("raise", state, failure=raised.failure))
            return Unknown()
        finally:
            frame.uncertain -= 1
            frame.state.assumed, frame.guards = before, guards

    def _combine(self, operator_: str, value: Value, condition: Condition | None, rest: Value, frame: Frame) -> Value:
        """`value and rest`, `value or rest`, where the first is open."""
        rest_truth, rest_condition = self.truth(rest, frame)
        if condition is None:
            settles = Truth.of(operator_ == "or")
            if rest_truth is settles:
                return Constant(operator_ == "or") if operator_ == "and" else caused(Unknown(), rest.cause)
            return caused(Unknown(), rest.cause)
        if operator_ == "and":
            if rest_truth is Truth.NO:
                return caused(Choice(condition, rest, Constant(False)), rest.cause)
            if rest_truth is Truth.YES:
                return Choice(condition, rest, Constant(False))
            return caused(Unknown(every((condition, rest_condition)) if rest_condition else None), rest.cause)
        if rest_truth is Truth.YES:
            return rest if isinstance(rest, Constant) else Choice(condition, Unknown(condition), rest)
        if rest_truth is Truth.NO:
            return caused(Choice(condition, Unknown(condition) if not isinstance(value, Choice) else Constant(True), rest), rest.cause)
        return caused(Unknown(some(condition, rest_condition) if rest_condition else None), rest.cause)

    def _compare(self, node: syntax.Compare, frame: Frame) -> Value:
        left = self.evaluate(node.left, frame)
        results: list[Value] = []
        for operator_, right_node in zip(node.operators, node.rights, strict=True):
            right = self.evaluate(right_node, frame)
            results.append(self.compare(operator_, left, right, frame))
            left = right
        if len(results) == 1:
            return results[0]
        truths = [self.truth(result, frame)[0] for result in results]
        return Constant(min(truths) is Truth.YES) if min(truths) is not Truth.MAYBE else Unknown()

    def compare(self, operator_: str, left: Value, right: Value, frame: Frame) -> Value:
        """`left op right`"""
        left, right = frame.state.settle(left), frame.state.settle(right)
        if isinstance(left, Choice):
            return self.choose(left, lambda one: self.compare(operator_, one, right, frame), frame)
        if isinstance(right, Choice):
            return self.choose(right, lambda one: self.compare(operator_, left, one, frame), frame)
        cause = left.cause or right.cause
        if operator_ in ("is", "is not"):
            result = self._identical(left, right)
            return caused(result if operator_ == "is" else _negated(result), cause)
        if operator_ in ("in", "not in") and isinstance(right, External) and right.path == "sys.modules":
            result = self._evaluation.imports.is_loaded(left)
            return caused(result if operator_ == "in" else _negated(result), result.cause or cause)
        if operator_ in ("in", "not in") and isinstance(right, Known) and right.model in ("namespace", "environment"):
            result = self._evaluation.known.contains(right, left, frame)
            return caused(result if operator_ == "in" else _negated(result), result.cause or cause)
        if operator_ in ("in", "not in") and isinstance(right, Table) and not right.complete:
            return Unknown()
        left_python, right_python = to_python(left), to_python(right)
        if left_python is not NotPython and right_python is not NotPython:
            try:
                return caused(Constant(bool(_COMPARISONS[operator_](left_python, right_python))), cause)
            except (TypeError, ValueError):
                return Unknown()
        return self._open_comparison(operator_, left, right, cause)

    def _open_comparison(self, operator_: str, left: Value, right: Value, cause: Cause | None) -> Value:
        if operator_ in ("!=", "not in"):
            return _negated(self._open_comparison("==" if operator_ == "!=" else "in", left, right, cause))
        left_key, right_key = self.key(left), self.key(right)
        return self.unknown(f"{left_key} {operator_} {right_key}" if left_key and right_key else None, cause)

    def _identical(self, left: Value, right: Value) -> Value:
        if isinstance(left, Constant) and not isinstance(right, Constant):
            left, right = right, left
        if isinstance(right, Constant) and (right.value is None or isinstance(right.value, bool)):
            if isinstance(left, Constant):
                return Constant(left.value is right.value)
            if isinstance(left, Unknown):
                if right.value is None and left.condition is not None:
                    return Unknown(negate(left.condition))
                return Unknown(left.condition if right.value is True else None)
            if isinstance(left, External) and left.path not in self._evaluation.imported:
                return Unknown(Atom(f"{left.path} is {right.value}"))
            return Constant(False)
        if left is right or (self.key(left) is not None and self.key(left) == self.key(right) and not isinstance(left, (Unknown, Instance))):
            return Constant(True)
        return Unknown()

    def binary(self, operator_: str, left: Value, right: Value, frame: Frame) -> Value:
        """`left op right`, for arithmetic operators."""
        left, right = frame.state.settle(left), frame.state.settle(right)
        if operator_ == "+" and isinstance(left, Items) and isinstance(right, Items):
            return Items(left.kind, left.elements + right.elements)
        left_python, right_python = to_python(left), to_python(right)
        if operator_ in _ARITHMETIC and left_python is not NotPython and right_python is not NotPython:
            try:
                return caused(from_python(_ARITHMETIC[operator_](left_python, right_python)), left.cause or right.cause)
            except (TypeError, ValueError, ZeroDivisionError, KeyError):
                return Unknown()
        return caused(Unknown(), left.cause or right.cause)

    def _conditional(self, node: syntax.Conditional, frame: Frame) -> Value:
        truth, condition, cause = self.test(node.test, frame)
        if truth is not Truth.MAYBE:
            frame.causes.append(cause)
            try:
                return caused(self.evaluate(node.body if truth is Truth.YES else node.orelse, frame), cause)
            finally:
                frame.causes.pop()
        yes = self.under(condition, True, lambda: self.evaluate(node.body, frame), frame)
        no = self.under(condition, False, lambda: self.evaluate(node.orelse, frame), frame)
        return join_values(condition, yes, no)

    # --- collections ---------------------------------------------------------------------------------------------

    def _collection(self, node: syntax.Collection, frame: Frame) -> Value:
        elements: list[Value] = []
        exact = True
        for part in node.elements:
            value = self.evaluate(part, frame)
            if isinstance(part, syntax.Starred):
                inner = elements_of(frame.state.settle(value))
                exact = exact and inner is not None
                elements += inner or ()
            else:
                elements.append(value)
        return Items(node.kind, tuple(elements)) if exact else Unknown()

    def _mapping(self, node: syntax.Mapping, frame: Frame) -> Value:
        entries: dict[Any, Value] = {}
        complete = True
        for key, part in zip(node.keys, node.values, strict=True):
            value = self.evaluate(part, frame)
            if key is None:
                inner = frame.state.settle(value)
                complete = complete and isinstance(inner, Table) and inner.complete
                entries.update(inner.entries if isinstance(inner, Table) else {})
                continue
            found = to_python(frame.state.settle(self.evaluate(key, frame)))
            if found is NotPython or not _hashable(found):
                complete = False
            else:
                entries[found] = value
        return Table(entries, complete)

    def iterate(self, node: syntax.Comprehension, frame: Frame) -> Iterable[Value] | None:
        """The elements of a comprehension one by one, evaluated as they are asked for; None where they cannot be told."""
        first = node.generators[0]
        elements = elements_of(frame.state.settle(self.evaluate(first.iterable, frame)))
        if elements is None or len(node.generators) > 1 or len(elements) > 400:
            return None
        return self._each(node, first, elements, frame)

    def _each(
        self, node: syntax.Comprehension, generator: syntax.Generator, elements: tuple[Value, ...], frame: Frame
    ) -> Iterable[Value]:
        for element in elements:
            self._evaluation.count_step()
            names, frame.state.names = frame.state.names, frame.state.names.copy()
            try:
                self._evaluation.statements.assign(generator.target, element, frame)
                truths = [self.test(test, frame)[0] for test in generator.tests]
                if min(truths, default=Truth.YES) is Truth.NO:
                    continue
                value = self.evaluate(node.element, frame)
                if min(truths, default=Truth.YES) is Truth.MAYBE:
                    value = Unknown()
            finally:
                frame.state.names = names
            yield value

    def _comprehension(self, node: syntax.Comprehension, frame: Frame) -> Value:
        values = self.iterate(node, frame) if node.kind != "dict" else None
        if values is not None and not any(generator.tests for generator in node.generators):
            return Items(node.kind, tuple(values))
        names, frame.state.names = frame.state.names, frame.state.names.copy()
        try:
            for generator in node.generators:
                self.under(None, True, lambda part=generator: self.evaluate(part.iterable, frame), frame)  # type: ignore[misc]
                self._evaluation.statements.assign(generator.target, Unknown(), frame)
            self.under(None, True, lambda: self._once(node, frame), frame)
        finally:
            frame.state.names = names
        return Unknown()

    def _once(self, node: syntax.Comprehension, frame: Frame) -> Value:
        for generator in node.generators:
            for test in generator.tests:
                truth, condition, _ = self.test(test, frame)
                if truth is Truth.NO:
                    return Unknown()
                if condition is not None:
                    assume(condition, True, frame.state.assumed)
        if node.key is not None:
            self.evaluate(node.key, frame)
        return self.evaluate(node.element, frame)

    def _subscript(self, node: syntax.Subscript, frame: Frame) -> Value:
        value = self.evaluate(node.value, frame)
        index = self.evaluate(node.index, frame)
        return self.item(value, index, frame, node.at)

    def item(self, value: Value, index: Value, frame: Frame, at: int) -> Value:
        """`value[index]`"""
        value, index = frame.state.settle(value), frame.state.settle(index)
        if isinstance(value, Choice):
            return self.choose(value, lambda one: self.item(one, index, frame, at), frame)
        key = to_python(index)
        match value:
            case ClassValue():
                return value
            case Constant(value=None) if value.cause is not None:
                message = "'NoneType' object is not subscriptable"
                raise Raised(self.failure(frame, at, "call", message, value.cause, builtin("TypeError")))
            case External(path="sys.modules"):
                return self._evaluation.imports.loaded(key if isinstance(key, str) else None, frame)
            case Known(model="namespace") if isinstance(key, str):
                return self.lookup(key, frame) or Unknown()
            case Known(model="environment") if isinstance(key, str):
                return self._evaluation.known.variable(key, None, frame, at)
            case Known(model="slice"):
                return Unknown()
            case Table() if key is not NotPython and _hashable(key) and key in value.entries:
                return value.entries[key]
            case Items() | Constant() if isinstance(index, Known) and index.model == "slice":
                return _slice(value, index)
            case Items() | Constant() if isinstance(key, int):
                python = value.elements if isinstance(value, Items) else value.value
                if isinstance(python, (tuple, str)) and -len(python) <= key < len(python):
                    element = python[key]
                    return element if isinstance(element, Value) else Constant(element)
        base, text = self.key(value), self.key(index)
        return self.unknown(f"{base}[{text}]" if base and text else None, value.cause)

    # --- the rest ------------------------------------------------------------------------------------------------

    def _walrus(self, node: syntax.Walrus, frame: Frame) -> Value:
        value = self.evaluate(node.value, frame)
        self._evaluation.statements.bind(node.target, value, frame)
        return value

    def _format(self, node: syntax.Format, frame: Frame) -> Value:
        text = self._evaluation.known.text
        parts = [text(self.evaluate(part, frame), frame) for part in node.parts]
        if all(isinstance(part, Constant) for part in parts):
            return Constant("".join(str(part.value) for part in parts if isinstance(part, Constant)))
        return Unknown()

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


class NotPython:
    """What `to_python` gives for a value that has no one Python value."""


def to_python(value: Value) -> Any:
    """The Python value of a constant or of a collection of constants, else NotPython."""
    if isinstance(value, Constant):
        return value.value
    if isinstance(value, Items):
        parts = [to_python(element) for element in value.elements]
        if NotPython in parts:
            return NotPython
        return {"list": list, "set": frozenset}.get(value.kind, tuple)(parts)
    if isinstance(value, Table) and value.complete:
        return dict.fromkeys(value.entries)
    return NotPython


def from_python(value: Any) -> Value:
    """The abstract value of a Python value."""
    if isinstance(value, (tuple, list)):
        return Items("tuple" if isinstance(value, tuple) else "list", tuple(map(from_python, value)))
    if isinstance(value, (set, frozenset)):
        return Items("set", tuple(map(from_python, value)))
    return Constant(value)


def _negated(value: Value) -> Value:
    if isinstance(value, Constant):
        return caused(Constant(not value.value), value.cause)
    condition = value.condition if isinstance(value, Unknown) else None
    return caused(Unknown(negate(condition) if condition is not None else None), value.cause)


def _holds_unbound(value: Value) -> bool:
    if isinstance(value, Choice):
        return _holds_unbound(value.yes) or _holds_unbound(value.no)
    return isinstance(value, Unbound)


def _slice(value: Items | Constant, index: Known) -> Value:
    """`value[a:b:c]`"""
    bounds = [to_python(part) for part in index.parts]
    python = value.elements if isinstance(value, Items) else value.value
    if not isinstance(python, (tuple, str)) or not all(part is None or isinstance(part, int) for part in bounds):
        return Unknown()
    taken = python[slice(*bounds)]
    return Constant(taken) if isinstance(taken, str) else Items(value.kind, taken) if isinstance(value, Items) else Unknown()


def _hashable(value: Any) -> bool:
    try:
        hash(value)
    except TypeError:
        return False
    return True
