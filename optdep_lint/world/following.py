"""What calls do: functions and classes of the project are followed, known things of others answered."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

from optdep_lint.facts import syntax
from optdep_lint.world.attributes import kind_of, lacks
from optdep_lint.world.frames import Exit, Frame, State, join_values
from optdep_lint.world.loading import through
from optdep_lint.world.modules import Asked
from optdep_lint.world.mutations import MUTATING, changed, refused
from optdep_lint.world.recalled import Recalled
from optdep_lint.world.truth import Condition, Truth, every, negate
from optdep_lint.world.values import (
    Cause,
    Choice,
    ClassValue,
    Constant,
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
    Unknown,
    Value,
    builtin,
    caused,
)

if TYPE_CHECKING:
    from optdep_lint.world.evaluation import Evaluation

_MOST_STEPS = 3000
_DEEPEST = 25
_DEEPEST_UNCERTAIN = 3
_DEEPEST_MAYBE = 2
_CALLING_WHAT_IS_GIVEN = frozenset({
    *(f"builtins.{name}" for name in ("filter", "map", "max", "min", "sorted")), "functools.reduce", "itertools.groupby",
})  # fmt: skip
PATIENCE = 3
"""So often a call may come to nothing before it is taken to do so always."""


class GiveUp(Exception):
    """The call being followed takes too long."""


class Following:
    """Follows calls of functions and classes, and answers those of known things."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        self._idle: Recalled[int] = Recalled()
        """How often following a function with arguments of the same kinds has come to nothing: with a text, which may name a module, or without."""
        self._results: Recalled[tuple[FunctionValue, Value]] = Recalled()
        self._keeping: Recalled[int] = Recalled()
        """How often a decorator has given back what it was put on and done nothing else."""

    def go_on_from(self, before: Following, is_alike: Callable[[Asked], bool]) -> None:
        """Take what calls have shown in another world for what they show in this one, wherever all that they ask for is alike."""

        def is_settled(times: int, asked: Asked) -> bool:
            return times >= PATIENCE and is_alike(asked)

        self._idle.go_on_from(before._idle, is_settled)
        self._keeping.go_on_from(before._keeping, is_settled)
        self._results.go_on_from(before._results, lambda _, asked: is_alike(asked))

    def evaluate(self, node: syntax.Call, frame: Frame) -> Value:
        """Evaluate a call.

        Raises:
            Raised: where it fails for certain.
        """
        expressions = self._evaluation.expressions
        known = self._evaluation.known
        if isinstance(node.function, syntax.Attribute):
            mutated = self._mutate(node, frame)
            if mutated is not None:
                return mutated
        function = frame.state.settle(expressions.evaluate(node.function, frame))
        if isinstance(function, External) and known.is_special(function.path):
            return known.call_special(function.path, node, frame)
        arguments: list[Value] = []
        exact = True
        for argument in node.arguments:
            value = expressions.evaluate(argument, frame)
            if isinstance(argument, syntax.Starred):
                settled = frame.state.settle(value)
                if isinstance(settled, Items):
                    arguments += settled.elements
                else:
                    exact = False
            else:
                arguments.append(value)
        keywords = self._keywords(node, frame)
        if not exact:
            keywords["**"] = Unknown()
        return self.call(function, tuple(arguments), keywords, frame, node.at)

    def _mutate(self, node: syntax.Call, frame: Frame) -> Value | None:
        """`names.append(x)` and the like on a collection that a plain name holds: bind the name to the result."""
        function = node.function
        assert isinstance(function, syntax.Attribute)
        if not isinstance(function.value, syntax.Name) or function.name not in MUTATING:
            return None
        expressions = self._evaluation.expressions
        held = frame.state.settle(expressions.evaluate(function.value, frame))
        if not isinstance(held, (Items, Table)):
            return None
        arguments = [frame.state.settle(expressions.evaluate(argument, frame)) for argument in node.arguments]
        keywords = self._keywords(node, frame)
        error = refused(held, function.name, arguments) if not keywords else None
        if error is not None:
            return expressions.as_python(error, frame, node.at, held)
        after, given = changed(held, function.name, arguments, keywords)
        self._evaluation.statements.rebind(function.value.id, caused(after, held.cause), frame)
        return given

    def _keywords(self, node: syntax.Call, frame: Frame) -> dict[str, Value]:
        """The arguments that are passed by name; `**` where it is not known by which."""
        found: dict[str, Value] = {}
        for keyword in node.keywords:
            value = self._evaluation.expressions.evaluate(keyword.value, frame)
            table = frame.state.settle(value) if keyword.name is None else None
            if isinstance(table, Table) and table.complete:
                found.update({str(name): entry for name, entry in table.entries.items()})
            else:
                found[keyword.name or "**"] = value
        return found

    def call(
        self, function: Value, arguments: tuple[Value, ...], keywords: Mapping[str, Value], frame: Frame, at: int,
        cause: Cause | None = None,
    ) -> Value:  # fmt: skip
        """Call a value.

        Raises:
            Raised: where the call fails for certain.
        """
        function = frame.state.settle(function)
        expressions = self._evaluation.expressions
        if self._evaluation.guards:
            answer = self._evaluation.guards.call(function, arguments, keywords, frame, at)
            if answer is not None:
                return answer
        match function:
            case Choice():
                return expressions.choose(
                    function, lambda one: self.call(one, arguments, keywords, frame, at, cause), frame
                )
            case FunctionValue(dispatches=True):
                return Unknown()  # which of the registered functions runs is not followed
            case FunctionValue():
                return self._follow(function, arguments, keywords, frame, at, cause)
            case Method():
                receiver = function.receiver
                inner = cause or receiver.cause
                return self.call(function.function, (receiver, *arguments), keywords, frame, at, inner)
            case ClassValue():
                return self._instantiate(function, arguments, keywords, frame, at)
            case External() if self.is_module(function):
                raise Raised(self._not_callable(_cannot("module"), function, frame, at))
            case External():
                if function.path in _CALLING_WHAT_IS_GIVEN and self._evaluation.foresees:
                    self._call_given((*arguments, *keywords.values()), frame, at)
                return self._evaluation.known.call(function, arguments, keywords, frame, at)
            case Known():
                return self._evaluation.known.call_known(function, arguments, keywords, frame, at)
            case Constant() | Items() | Table() | ModuleValue() | Unknown(type=type()):
                raise Raised(self._not_callable(_cannot(kind_of(function)), function, frame, at))
            case Instance() if isinstance(function.type, ClassValue):
                member = expressions.class_member(function.type, "__call__")
                if member is not None:
                    return self.call(Method(member, function), arguments, keywords, frame, at)
                if expressions.knows_all_of(function.type) and not function.vague:
                    raise Raised(self._not_callable(_cannot(function.type.name), function, frame, at))
                expressions.perhaps_missing("call", "TypeError", _cannot(function.type.name), frame, at)
            case Instance(type=External(path=path)) if lacks(path, "__call__"):
                raise Raised(self._not_callable(_cannot(path.rpartition(".")[2]), function, frame, at))
            case Unknown() if function.doubt:
                expressions.perhaps_missing("call", "TypeError", "it is not callable", frame, at)
        return expressions.unknown(self.key_of(function, arguments, keywords), function.cause or cause)

    def _call_given(self, arguments: tuple[Value, ...], frame: Frame, at: int) -> None:
        """Call the functions among the arguments of something that calls them at once.

        Raises:
            Raised: where one fails for certain.
        """
        for argument in arguments:
            if isinstance(argument, FunctionValue) and argument.closure is not None:
                self.run_function(argument, (), {"**": Unknown()}, frame, at)

    def _not_callable(self, message: str, value: Value, frame: Frame, at: int) -> Failure:
        certain = frame.module.name not in self._evaluation.blurred
        type_ = builtin("TypeError")
        return self._evaluation.expressions.failure(frame, at, "call", message, value.cause, type_, certain=certain)

    def is_module(self, value: External) -> bool:
        """A module of the standard library, which cannot be called."""
        return (
            "." not in value.path and value.path in self._evaluation.imported and self._evaluation.is_stdlib(value.path)
        )

    def key_of(self, function: Value, arguments: tuple[Value, ...], keywords: Mapping[str, Value]) -> str | None:
        """A text for a call that is the same whenever the same is asked again, or None."""
        key = self._evaluation.expressions.key
        parts = [
            key(function),
            *(key(argument) for argument in arguments),
            *(key(value) for value in keywords.values()),
        ]
        if None in parts:
            return None
        return f"{parts[0]}({', '.join(map(str, parts[1:]))})"

    # --- functions -----------------------------------------------------------------------------------------------

    def _follow(
        self, function: FunctionValue, arguments: tuple[Value, ...], keywords: Mapping[str, Value], frame: Frame, at: int,
        cause: Cause | None,
    ) -> Value:  # fmt: skip
        evaluation = self._evaluation
        text = self.key_of(function, arguments, keywords)
        kind = function.node.kind if isinstance(function.node, syntax.Function) else "plain"
        if kind != "plain":
            return Known("generator", function, arguments, dict(keywords)) if kind == "generator" else Unknown()
        if frame.depth >= _DEEPEST or frame.uncertain >= _DEEPEST_UNCERTAIN:
            self._give_up(function, frame, at)
            return evaluation.expressions.unknown(text)
        repeats = (
            text is not None and function.closure is None and not any(isinstance(part, Instance) for part in arguments)
        )
        key = (id(function if function.memoised else function.node), text) if repeats else None
        known = self._results.get(key) if key is not None else None
        if known is not None:
            (_, result), asked = known
            if evaluation.running:
                evaluation.running[-1].include(asked)
            return result
        names = any(isinstance(argument, Constant) and isinstance(argument.value, str) for argument in arguments)
        shape = (id(function.node), names)
        times, asked_before = self._idle.get(shape) or (0, Asked())
        caused_ = cause is not None or any(argument.cause is not None for argument in arguments)
        if evaluation.cautious and not caused_ and times >= PATIENCE:
            _leave_open(function, arguments)
            return evaluation.expressions.unknown(text)
        effects = evaluation.effects
        outermost = evaluation.budget is None
        if outermost:
            evaluation.budget = _MOST_STEPS
        before = len(frame.exits)
        asked = Asked()
        evaluation.running.append(asked)
        try:
            result = self.run_function(function, arguments, keywords, frame, at, cause, repeatable=key is not None)
        except GiveUp:
            self._idle.put(shape, PATIENCE, asked)
            self._give_up(function, frame, at)
            _leave_open(function, arguments)
            if not outermost:
                raise
            return evaluation.expressions.unknown(text)
        finally:
            evaluation.running.pop()
            if evaluation.running:
                evaluation.running[-1].include(asked)
            if outermost:
                evaluation.budget = None
        quiet = evaluation.effects == effects and len(frame.exits) == before
        if quiet and not asked.imports and _says_nothing(function, result):
            self._idle.put(shape, times + 1, asked.with_all_of(asked_before))
        if isinstance(result, Unknown) and result.condition is None:
            result = evaluation.expressions.unknown(text, result.cause)
        kept = function.memoised and not frame.uncertain and len(frame.exits) == before
        if key is not None and (kept or (function.module.status == "ok" and quiet and not _holds_instance(result))):
            self._results.put(key, (function, result), asked)
        return result

    def _give_up(self, function: FunctionValue, frame: Frame, at: int) -> None:
        """Note that a call is not followed: it may raise, which with caution it is taken not to, and bind names."""
        self._evaluation.blur(function.module, frame.module)
        if not self._evaluation.cautious:
            expressions = self._evaluation.expressions
            failure = expressions.failure(frame, at, "call", "a call is not followed", None, Unknown(), certain=True)
            expressions.may_fail(failure, None, frame)

    def run_function(
        self, function: FunctionValue, arguments: tuple[Value, ...], keywords: Mapping[str, Value], frame: Frame, at: int,
        cause: Cause | None = None, thrown: Failure | None = None, repeatable: bool = False,
    ) -> Value:  # fmt: skip
        """Run a function's body and give what it returns; a repeatable result hangs on nothing that is assumed here.

        Raises:
            Raised: where it raises for certain.
        """
        inner = self.frame_of(function, frame, cause)
        inner.thrown = thrown
        inner.called = (frame, at, (*arguments, *keywords.values()))
        if repeatable:
            inner.state.assumed.clear()
        self.bind_parameters(function, arguments, keywords, inner)
        body = function.module.source.summary.body_of(function.node.body)
        entry = dict(inner.state.assumed)
        falls = self._evaluation.statements.run(body, inner)
        if falls:
            inner.exits.append(Exit("return", inner.state, caused(Constant(None), inner.passed)))
        return self._result(function, inner, entry, frame, at)

    def frame_of(self, function: FunctionValue, frame: Frame, cause: Cause | None) -> Frame:
        """The frame in which a call runs."""
        inner = Frame(
            "function",
            self._evaluation.current(function.module),
            State({}, dict(frame.state.assumed)),
            function.closure,
        )
        inner.function = function
        inner.depth, inner.uncertain, inner.protected = frame.depth + 1, frame.uncertain, frame.protected
        inner.causes = [cause] if cause is not None else []
        inner.caught = list(frame.caught)
        if function.owner is not None:
            inner.state.names["__class__"] = function.owner
        return inner

    def bind_parameters(
        self, function: FunctionValue, arguments: tuple[Value, ...], keywords: Mapping[str, Value], inner: Frame
    ) -> None:
        """Bind what is passed, defaults, and unknown for the rest."""
        names = inner.state.names
        rest = list(arguments)
        open_ended = "**" in keywords
        for parameter in function.node.parameters:
            if parameter.kind == "*":
                names[parameter.name] = Unknown() if open_ended else Items("tuple", tuple(rest))
                rest = []
            elif parameter.kind == "**":
                names[parameter.name] = Unknown()
            elif rest and parameter.kind != "keyword":
                names[parameter.name] = rest.pop(0)
            elif parameter.name in keywords:
                names[parameter.name] = keywords[parameter.name]
            else:
                default = None if open_ended else function.defaults.get(parameter.name)
                names[parameter.name] = Unknown() if default is None else default

    def _result(
        self, function: FunctionValue, inner: Frame, entry: dict[Condition, bool], frame: Frame, at: int
    ) -> Value:
        """What the caller sees of the ways out of a call."""
        returns = [exit_ for exit_ in inner.exits if exit_.kind == "return"]
        raises = [exit_ for exit_ in inner.exits if exit_.failure is not None]
        own = self._evaluation.foresees and function.closure is frame
        last = decisive([exit_.failure for exit_ in raises if exit_.failure is not None]) if not returns else None
        for exit_ in raises:
            failure = exit_.failure
            near = inner.depth <= _DEEPEST_MAYBE or not self._evaluation.cautious
            if failure is not None and failure is not last and failure.concludes and near:
                condition = _condition_of(exit_, entry)
                self._evaluation.expressions.may_fail(
                    failure if own else through(failure, frame, at, f"calls {function.name}"), condition, frame
                )
        if not returns:
            if last is None or not (last.concludes or frame.protected):
                return Unknown()
            raise Raised(last if own else through(last, frame, at, f"calls {function.name}"))
        result = returns[-1].value or Unknown()
        for exit_ in reversed(returns[:-1]):
            result = join_values(_condition_of(exit_, entry), exit_.value or Unknown(), result)
        return result

    # --- classes -------------------------------------------------------------------------------------------------

    def _instantiate(
        self, class_: ClassValue, arguments: tuple[Value, ...], keywords: Mapping[str, Value], frame: Frame, at: int
    ) -> Value:
        expressions = self._evaluation.expressions
        instance = caused(Instance(class_, arguments), class_.cause)
        if class_.metaclass is not None and isinstance(class_.metaclass, ClassValue):
            hook = expressions.class_member(class_.metaclass, "__call__")
            if isinstance(hook, FunctionValue):
                return self.call(hook, (class_, *arguments), keywords, frame, at, class_.cause)
        new = expressions.class_member(class_, "__new__")
        if isinstance(new, FunctionValue):
            made = self.call(new, (class_, *arguments), keywords, frame, at, class_.cause)
            if not isinstance(made, Unknown):
                return made
        constructor = expressions.class_member(class_, "__init__")
        if (arguments or keywords.keys() - {"**"}) and expressions.takes_nothing(class_):
            raise Raised(self._not_callable(f"{class_.name}() takes no arguments", class_, frame, at))
        if isinstance(constructor, FunctionValue):
            self.call(constructor, (instance, *arguments), keywords, frame, at, class_.cause)
        return instance

    def truth_of_instance(self, value: Instance, frame: Frame) -> tuple[Truth, Condition | None]:
        """`bool(instance)`"""
        expressions = self._evaluation.expressions
        if not isinstance(value.type, ClassValue):
            return Truth.YES, None
        for name in ("__bool__", "__len__"):
            member = expressions.class_member(value.type, name)
            if isinstance(member, FunctionValue):
                return expressions.truth(self.call(Method(member, value), (), {}, frame, 0), frame)
        if not expressions.is_closed(value.type):
            return Truth.MAYBE, None
        return Truth.YES, None


def decisive(failures: Sequence[Failure]) -> Failure | None:
    """Of all the exceptions that end something, the one to tell of: the last comes where no earlier one does."""
    return next((failure for failure in reversed(failures) if failure.concludes), failures[-1] if failures else None)


def _holds_instance(value: Value) -> bool:
    """Another call gives another object, and what is done to the one is not done to the other."""
    return isinstance(value, Instance) or (isinstance(value, Items) and any(map(_holds_instance, value.elements)))


def _leave_open(function: FunctionValue, arguments: tuple[Value, ...]) -> None:
    """What an instance has is not known after a constructor that is not followed."""
    if function.name == "__init__" and arguments and isinstance(arguments[0], Instance):
        arguments[0].vague = True


def _says_nothing(function: FunctionValue, result: Value) -> bool:
    """A call's result is of no use for any decision."""
    if isinstance(result, Unknown):
        return result.cause is None and result.condition is None
    return function.name == "__init__"


def _cannot(kind: str) -> str:
    return f"'{kind}' object is not callable"


def _condition_of(exit_: Exit, entry: Mapping[Condition, bool]) -> Condition | None:
    """What an exit's way assumed beyond what held at the start."""
    new = (key if holds else negate(key) for key, holds in exit_.state.assumed.items() if key not in entry)
    return every(new)
