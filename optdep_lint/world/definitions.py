"""Statements that define: functions, classes, and the annotations that are evaluated with them."""

from __future__ import annotations

import builtins
import types

from optdep_lint.facts import syntax
from optdep_lint.world.attributes import kind_of
from optdep_lint.world.blocks import Blocks
from optdep_lint.world.bound import all_names
from optdep_lint.world.exceptions import is_exception
from optdep_lint.world.frames import Frame, State
from optdep_lint.world.machinery import FINDERS, IMPORTERS
from optdep_lint.world.values import (
    Choice,
    ClassValue,
    Constant,
    Descriptor,
    External,
    FunctionValue,
    Instance,
    Items,
    Known,
    ModuleValue,
    Raised,
    Table,
    Unknown,
    Value,
    builtin,
    caused,
)


class Definitions(Blocks):
    """Defines functions and classes."""

    def annotation(self, node: syntax.Expression | None, frame: Frame) -> None:
        """Evaluate an annotation where this Python evaluates it at once."""
        if node is None or frame.module.source.summary.future_annotations or self._evaluation.world.python >= (3, 14):
            return
        self._evaluation.expressions.evaluate(node, frame)

    def _function(self, node: syntax.Function, frame: Frame) -> bool:
        decorators = self._evaluation.calls.decorators(node.decorators, frame)
        function = self.function_value(node.name, node, frame)
        if not node.generic:
            for parameter in node.parameters:
                self.annotation(parameter.annotation, frame)
            self.annotation(node.returns, frame)
        value: Value = function
        for decorator, written in reversed(list(zip(decorators, node.decorators, strict=True))):
            value = self._evaluation.calls.decorate(decorator, value, frame, getattr(written, "at", node.at))
        self.bind(node.name, value, frame)
        return True

    def function_value(self, name: str, node: syntax.Function | syntax.Lambda, frame: Frame) -> FunctionValue:
        """Make a function; its defaults are evaluated now."""
        holder = frame
        while holder.kind == "class" and holder.enclosing is not None:
            holder = holder.enclosing
        function = FunctionValue(frame.module, name, node, holder if holder.kind == "function" else None)
        for parameter in node.parameters:
            if parameter.default is not None:
                function.defaults[parameter.name] = self._evaluation.expressions.evaluate(parameter.default, frame)
        return function

    def _class(self, node: syntax.Class, frame: Frame) -> bool:
        expressions = self._evaluation.expressions
        decorators = self._evaluation.calls.decorators(node.decorators, frame)
        bases = tuple(self._base(base, frame) for base in node.bases)
        inner = Frame("class", frame.module, State({}, frame.state.assumed), frame)
        inner.uncertain, inner.protected, inner.depth = frame.uncertain, frame.protected, frame.depth
        inner.guards, inner.caught, inner.function = frame.guards, frame.caught, frame.function
        inner.causes = list(frame.causes)
        inner.own = all_names(node.body)
        value = ClassValue(frame.module, node.name, bases, inner.state.names)
        value.node = node
        for keyword in node.keywords:
            found = expressions.evaluate(keyword.value, frame)
            if keyword.name == "metaclass":
                value.metaclass = found
        for name in node.generic:
            inner.state.names[name] = Unknown()
        falls = self.run(node.body, inner)
        frame.exits += [exit_ for exit_ in inner.exits if exit_.failure is not None]
        for exit_ in frame.exits[len(frame.exits) - len(inner.exits) :] if inner.exits else ():
            exit_.state = State(dict(frame.state.names), exit_.state.assumed)
        if not falls:
            return False
        for base, written in zip(bases, node.bases, strict=True):
            self._check_base(base, getattr(written, "at", node.at), frame)
        value.names = inner.state.names
        for member in value.names.values():
            if isinstance(member, FunctionValue):
                member.owner = value
        self._tell_bases(value, node, frame)
        result: Value = value
        for decorator, written in reversed(list(zip(decorators, node.decorators, strict=True))):
            result = self._evaluation.calls.decorate(decorator, result, frame, getattr(written, "at", node.at))
        self.bind(node.name, result, frame)
        return True

    def _tell_bases(self, class_: ClassValue, node: syntax.Class, frame: Frame) -> None:
        """Call the `__init_subclass__` that a class inherits."""
        for base in class_.bases:
            hook = (
                self._evaluation.expressions.class_member(base, "__init_subclass__")
                if isinstance(base, ClassValue)
                else None
            )
            hook = hook.function if isinstance(hook, Descriptor) else hook
            if isinstance(hook, FunctionValue):
                keywords: dict[str, Value] = {"**": Unknown()} if node.keywords else {}
                self._evaluation.calls.call(hook, (class_,), keywords, frame, node.at)
                return

    def _base(self, node: syntax.Expression, frame: Frame) -> Value:
        """A base class; what `*bases` gives is not looked into."""
        value = frame.state.settle(self._evaluation.expressions.evaluate(node, frame))
        return caused(Unknown(), value.cause) if isinstance(node, syntax.Starred) else value

    def _check_base(self, base: Value, at: int, frame: Frame) -> Value:
        """What is no class fails as a base, once the body has run."""
        if isinstance(base, Choice):
            return self._evaluation.expressions.choose(base, lambda one: self._check_base(one, at, frame), frame)
        if isinstance(base, Unknown) and base.doubt:
            self._evaluation.expressions.perhaps_missing("call", "TypeError", "it is not a base class", frame, at)
        if isinstance(base, (Constant, Items, Table)) or self._is_no_class(base):
            text = repr(base.value) if isinstance(base, Constant) else f"a value of type {kind_of(base)}"
            certain = frame.module.name not in self._evaluation.blurred
            failure = self._evaluation.expressions.failure(
                frame, at, "call", f"{text} is not a base class", base.cause, builtin("TypeError"), certain=certain
            )
            raise Raised(failure)
        return base

    def _is_no_class(self, base: Value) -> bool:
        """It is a module, a function, or an instance, and its class cannot be called in the place of `type` either."""
        if isinstance(base, Instance) and isinstance(base.type, ClassValue):
            expressions = self._evaluation.expressions
            return (
                expressions.takes_nothing(base.type) and expressions.class_member(base.type, "__mro_entries__") is None
            )
        if isinstance(base, Instance):
            return not is_exception(base.type)
        if isinstance(base, External):
            is_module = "." not in base.path and base.path in self._evaluation.imported
            return is_module or base.path in FINDERS | IMPORTERS or _is_builtin_function(base.path)
        is_spec = isinstance(base, Known) and base.model == "spec"
        typed = isinstance(base, Unknown) and base.type is not None
        return is_spec or typed or isinstance(base, (ModuleValue, FunctionValue))


def _is_builtin_function(path: str) -> bool:
    module, _, name = path.rpartition(".")
    return module == "builtins" and isinstance(getattr(builtins, name, None), types.BuiltinFunctionType)
