"""What each statement does: what it binds, and whether evaluation goes on after it."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from optdep_lint.facts import syntax
from optdep_lint.facts.syntax import Block, Target
from optdep_lint.world.bound import bound_names
from optdep_lint.world.exceptions import is_subclass, text_of
from optdep_lint.world.frames import Exit, Frame, State, join, join_values
from optdep_lint.world.truth import Atom, Condition, Truth, assume, every
from optdep_lint.world.values import (
    Cause,
    ClassValue,
    Constant,
    External,
    Failure,
    FunctionValue,
    Guard,
    Instance,
    Items,
    Known,
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

_MOST_UNROLLED = 200
_NO_MODULE = re.compile(r"No module named '([^']*)'")


class Statements:
    """Runs blocks of statements in frames."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        self._run: dict[type, Callable[[Any, Frame], bool]] = {
            syntax.Import: self._import,
            syntax.ImportFrom: self._import_from,
            syntax.Assign: self._assign,
            syntax.Annotated: self._annotated,
            syntax.Augmented: self._augmented,
            syntax.Evaluate: self._evaluate,
            syntax.If: self._if,
            syntax.Try: self._try,
            syntax.With: self._with,
            syntax.For: self._for,
            syntax.While: self._while,
            syntax.Match: self._match,
            syntax.Function: self._function,
            syntax.Class: self._class,
            syntax.Return: self._return,
            syntax.Raise: self._raise,
            syntax.Assert: self._assert,
            syntax.Delete: self._delete,
            syntax.Scope: self._scope,
            syntax.AliasStatement: self._alias,
            syntax.Break: lambda node, frame: self._leave("break", frame),
            syntax.Continue: lambda node, frame: self._leave("continue", frame),
        }

    def run(self, block: Block, frame: Frame) -> bool:
        """Run statements in order; the ways out that were met are in `frame.exits`.

        Returns:
            Whether evaluation can reach the end of the block.
        """
        for statement in block:
            self._evaluation.count_step()
            try:
                if not self._run[type(statement)](statement, frame):
                    return False
            except Raised as raised:
                failure = raised.failure
                if not failure.concludes and not frame.protected:
                    self._go_on(statement, frame)
                    continue
                frame.exits.append(Exit("raise", frame.state, failure=failure))
                return False
        return True

    def _go_on(self, statement: syntax.Statement, frame: Frame) -> None:
        """Nothing is concluded from a failure without a known cause: what would be bound is unknown."""
        for name in bound_names((statement,)):
            frame.state.names[name] = Unknown()

    # --- bindings ------------------------------------------------------------------------------------------------

    def bind(self, name: str, value: Value, frame: Frame) -> None:
        """Bind a name where the frame's scope says."""
        value = caused(value, frame.cause)
        if name in frame.globals:
            self._evaluation.effects += 1
            names = frame.module.names
            if frame.uncertain and name in names:
                value = join_values(None, value, names[name])
            names[name] = value
        elif name in frame.nonlocals:
            self._evaluation.effects += 1
            holder = frame.enclosing
            while holder is not None and name not in holder.state.names:
                holder = holder.enclosing
            (holder or frame).state.names[name] = value
        else:
            frame.state.names[name] = value

    def rebind(self, name: str, value: Value, frame: Frame) -> None:
        """Bind a name anew in the scope that it is read from: what it holds has been changed in place."""
        scope: Frame | None = frame
        while scope is not None and (name not in scope.state.names or scope.kind == "module"):
            scope = scope.enclosing
        names = scope.state.names if scope is not None else frame.module.names
        if names is not frame.state.names:
            self._evaluation.effects += 1
            if frame.uncertain:
                value = join_values(None, value, names.get(name) or Unbound())
        names[name] = value

    def assign(self, target: Target, value: Value, frame: Frame) -> None:
        """Assign to a target, as `=` does."""
        match target:
            case syntax.Name():
                self.bind(target.id, value, frame)
            case syntax.Collection():
                self._unpack(target, value, frame)
            case syntax.Starred():
                self.assign(target.value, Unknown(), frame)  # type: ignore[arg-type]
            case syntax.Attribute():
                self._assign_attribute(target, value, frame)
            case syntax.Subscript():
                self._assign_item(target, value, frame)

    def _unpack(self, target: syntax.Collection, value: Value, frame: Frame) -> None:
        parts: tuple[Value, ...] = ()
        value = frame.state.settle(value)
        if isinstance(value, Items):
            parts = value.elements
        starred = any(isinstance(element, syntax.Starred) for element in target.elements)
        exact = len(parts) == len(target.elements) and not starred
        for position, element in enumerate(target.elements):
            self.assign(element, parts[position] if exact else caused(Unknown(), value.cause), frame)  # type: ignore[arg-type]

    def _assign_attribute(self, target: syntax.Attribute, value: Value, frame: Frame) -> None:
        holder = frame.state.settle(self._evaluation.expressions.evaluate(target.value, frame))
        value = caused(value, frame.cause)
        if isinstance(holder, ModuleValue):
            if self._evaluation.is_shared(holder.module):
                return
            self._evaluation.effects += 1
            self._put(holder.module.names, target.name, value, frame)
            if target.name == "__class__":
                holder.module.dynamic = True
        elif isinstance(holder, ClassValue):
            self._evaluation.effects += 1
            self._put(holder.names, target.name, value, frame)
        elif isinstance(holder, Instance):
            self._put(holder.attributes, target.name, value, frame)

    def _put(self, names: dict[str, Value], name: str, value: Value, frame: Frame) -> None:
        """Bind an attribute, for sure or perhaps."""
        names[name] = join_values(None, value, names.get(name) or Unbound()) if frame.uncertain else value

    def _assign_item(self, target: syntax.Subscript, value: Value, frame: Frame) -> None:
        expressions = self._evaluation.expressions
        holder = frame.state.settle(expressions.evaluate(target.value, frame))
        index = frame.state.settle(expressions.evaluate(target.index, frame))
        key = index.value if isinstance(index, Constant) else None
        if isinstance(holder, External) and holder.path == "sys.modules":
            self._evaluation.inject(key if isinstance(key, str) else None, value, frame)
        elif isinstance(holder, Known) and holder.model == "namespace":
            module = holder.parts[0]
            if isinstance(key, str):
                module.names[key] = caused(value, frame.cause)
            else:
                module.dynamic = True
        elif isinstance(holder, Table) and isinstance(target.value, syntax.Name):
            entries = {**holder.entries, key: value} if key is not None else holder.entries
            self.rebind(target.value.id, Table(entries, holder.complete and key is not None), frame)

    # --- imports -------------------------------------------------------------------------------------------------

    def _import(self, node: syntax.Import, frame: Frame) -> bool:
        for alias in node.names:
            if node.lazy or self._evaluation.imports.is_lazy(alias.name, frame):
                self.bind(alias.asname or alias.name.partition(".")[0], Unknown(), frame)
                continue
            value = self._evaluation.imports.import_dotted(alias.name, alias.asname is not None, frame, node.at)
            self.bind(alias.asname or alias.name.partition(".")[0], value, frame)
        return True

    def _import_from(self, node: syntax.ImportFrom, frame: Frame) -> bool:
        imports = self._evaluation.imports
        name = imports.absolute(node, frame)
        if name is None or node.lazy or imports.is_lazy(name, frame):
            for alias in node.names:
                self.bind(alias.asname or alias.name, Unknown(), frame)
            return True
        holder = imports.import_dotted(name, True, frame, node.at)
        for alias in node.names:
            if alias.name == "*":
                imports.import_star(holder, frame, node.at)
            else:
                self.bind(alias.asname or alias.name, imports.import_name(holder, alias.name, frame, node.at), frame)
        return True

    # --- simple statements ---------------------------------------------------------------------------------------

    def _assign(self, node: syntax.Assign, frame: Frame) -> bool:
        value = self._evaluation.expressions.evaluate(node.value, frame)
        for target in node.targets:
            self.assign(target, value, frame)
        return True

    def _annotated(self, node: syntax.Annotated, frame: Frame) -> bool:
        if node.value is not None:
            self.assign(node.target, self._evaluation.expressions.evaluate(node.value, frame), frame)
        elif frame.kind == "module" and isinstance(node.target, syntax.Name):
            frame.module.declared.add(node.target.id)
        if frame.kind != "function":
            self.annotation(node.annotation, frame)
        return True

    def annotation(self, node: syntax.Expression | None, frame: Frame) -> None:
        """Evaluate an annotation where this Python evaluates it at once."""
        if node is None or frame.module.source.summary.future_annotations or self._evaluation.world.python >= (3, 14):
            return
        self._evaluation.expressions.evaluate(node, frame)

    def _augmented(self, node: syntax.Augmented, frame: Frame) -> bool:
        expressions = self._evaluation.expressions
        value = expressions.evaluate(node.value, frame)
        if isinstance(node.target, syntax.Name):
            before = expressions.evaluate(node.target, frame)
            self.bind(node.target.id, expressions.binary(node.operator, before, value, frame), frame)
        return True

    def _evaluate(self, node: syntax.Evaluate, frame: Frame) -> bool:
        self._evaluation.expressions.evaluate(node.value, frame)
        return True

    def _delete(self, node: syntax.Delete, frame: Frame) -> bool:
        for target in node.targets:
            if isinstance(target, syntax.Name):
                frame.state.names.pop(target.id, None)
        return True

    def _scope(self, node: syntax.Scope, frame: Frame) -> bool:
        if node.kind == "global":
            frame.globals |= frozenset(node.names)
        else:
            frame.nonlocals |= frozenset(node.names)
        return True

    def _alias(self, node: syntax.AliasStatement, frame: Frame) -> bool:
        self.bind(node.name, Unknown(), frame)
        return True

    # --- ways out ------------------------------------------------------------------------------------------------

    def _leave(self, kind: str, frame: Frame) -> bool:
        frame.exits.append(Exit(kind, frame.state))
        return False

    def _return(self, node: syntax.Return, frame: Frame) -> bool:
        value = Constant(None) if node.value is None else self._evaluation.expressions.evaluate(node.value, frame)
        frame.exits.append(Exit("return", frame.state, caused(value, frame.cause)))
        return False

    def _raise(self, node: syntax.Raise, frame: Frame) -> bool:
        failure = self._failure(node, frame)
        frame.exits.append(Exit("raise", frame.state, failure=failure))
        return False

    def _failure(self, node: syntax.Raise, frame: Frame) -> Failure:
        expressions = self._evaluation.expressions
        if node.exception is None:
            if frame.caught:
                return frame.caught[-1]
            return expressions.failure(frame, node.at, "raise", "re-raised", frame.cause, Unknown())
        value = frame.state.settle(expressions.evaluate(node.exception, frame))
        source = expressions.evaluate(node.cause, frame) if node.cause is not None else None
        type_ = value.type if isinstance(value, Instance) else value
        for caught in reversed(frame.caught):
            if isinstance(value, Instance) and value.type is caught.type and value.arguments is caught.arguments:
                return caught
        cause = (source.cause if source else None) or frame.cause or value.cause
        arguments = value.arguments if isinstance(value, Instance) else ()
        text = arguments[0].value if arguments and isinstance(arguments[0], Constant) else ""
        return expressions.failure(frame, node.at, "raise", f"{text_of(type_)}: {text}".rstrip(": "), cause, type_, arguments)

    def _assert(self, node: syntax.Assert, frame: Frame) -> bool:
        truth, condition, cause = self._evaluation.expressions.test(node.test, frame)
        if truth is Truth.NO and cause is not None:
            failure = self._evaluation.expressions.failure(
                frame, node.at, "raise", "AssertionError", cause, builtin("AssertionError")
            )
            frame.exits.append(Exit("raise", frame.state, failure=failure))
            return False
        if truth is Truth.MAYBE and condition is not None:
            assume(condition, True, frame.state.assumed)
        return True

    # --- branches ------------------------------------------------------------------------------------------------

    def _if(self, node: syntax.If, frame: Frame) -> bool:
        truth, condition, cause = self._evaluation.expressions.test(node.test, frame)
        if truth is Truth.MAYBE:
            return self._either(node, condition or self.place(node.at, frame), frame)
        holds = truth is Truth.YES
        taken, skipped = (node.body, node.orelse) if holds else (node.orelse, node.body)
        guards = frame.guards
        frame.guards = (*guards, Guard("if", node.at, None, cause, holds))
        frame.causes.append(cause)
        falls = self.run(taken, frame)
        frame.causes.pop()
        frame.guards = guards
        if falls and cause is not None:
            self.mark(skipped, None, cause, frame)
            if taken:
                frame.guards = (*guards, Guard("passed", node.at, None, cause, holds))
        return falls

    def _either(self, node: syntax.If, condition: Condition, frame: Frame) -> bool:
        """Run both branches of an open condition."""
        before, guards = frame.state, frame.guards
        ends: list[State | None] = []
        frame.uncertain += 1
        for block, holds in ((node.body, True), (node.orelse, False)):
            frame.state = before.copy()
            assume(condition, holds, frame.state.assumed)
            frame.guards = (*guards, Guard("if", node.at, condition, None, holds))
            ends.append(frame.state if self.run(block, frame) else None)
            if isinstance(ends[-1], State):
                ends[-1] = frame.state
        frame.uncertain -= 1
        frame.guards = guards
        yes, no = ends
        if yes is not None and no is not None:
            frame.state = join(condition, yes, no)
        else:
            frame.state = yes or no or before
        return yes is not None or no is not None

    def place(self, at: int, frame: Frame) -> Atom:
        """A condition that is known only by where it stands."""
        return Atom(f"{frame.module.source.path}@{at}")

    def mark(self, block: Block, before: dict[str, Value] | None, cause: Cause, frame: Frame) -> None:
        """Note on the names that a block would have bound that they are as they are because it did not."""
        names = frame.module.names if frame.globals else frame.state.names
        for name in bound_names(block):
            scope = names if name in frame.globals else frame.state.names
            value = scope.get(name)
            if value is None:
                if frame.kind != "function" or name not in frame.globals:
                    unbound = Unbound()
                    unbound.cause = cause
                    scope[name] = unbound
            elif before is None or before.get(name) is value:
                scope[name] = caused(value, cause)

    def _match(self, node: syntax.Match, frame: Frame) -> bool:
        """A match is a chain of ifs, as far as its patterns can be decided."""
        subject = self._evaluation.expressions.evaluate(node.subject, frame)
        before, ends = frame.state, []
        frame.uncertain += 1
        falls_through = True
        for case in node.cases:
            truth = self._matches(case.pattern, subject, frame)
            if truth is Truth.NO:
                continue
            frame.state = before.copy()
            if truth is Truth.YES and not ends and case.guard is None:
                frame.uncertain -= 1
                falls = self._case(case, frame)
                frame.uncertain += 1
            else:
                falls = self._case(case, frame)
            if falls:
                ends.append(frame.state)
            if truth is Truth.YES and case.guard is None:
                falls_through = False
                break
        frame.uncertain -= 1
        if falls_through:
            ends.append(before)
        return self._meet(ends, before, frame)

    def _case(self, case: syntax.Case, frame: Frame) -> bool:
        for name in case.pattern.names:
            self.bind(name, Unknown(), frame)
        if case.guard is not None:
            self._evaluation.expressions.evaluate(case.guard, frame)
        return self.run(case.body, frame)

    def _matches(self, pattern: syntax.Pattern, subject: Value, frame: Frame) -> Truth:
        if pattern.kind == "any":
            return Truth.YES
        if pattern.kind == "either":
            return max(self._matches(part, subject, frame) for part in pattern.parts)
        if pattern.kind == "value" and pattern.value is not None:
            expressions = self._evaluation.expressions
            equal = expressions.compare("==", subject, expressions.evaluate(pattern.value, frame), frame)
            return expressions.truth(equal, frame)[0]
        return Truth.MAYBE

    def _meet(self, ends: list[State], before: State, frame: Frame) -> bool:
        """Go on from where several ways meet."""
        frame.state = ends[0] if ends else before
        for other in ends[1:]:
            condition = every(key if holds else _not(key) for key, holds in other.assumed.items() if key not in before.assumed)
            frame.state = join(condition, other, frame.state)
        return bool(ends)

    # --- loops ---------------------------------------------------------------------------------------------------

    def _for(self, node: syntax.For, frame: Frame) -> bool:
        iterable = frame.state.settle(self._evaluation.expressions.evaluate(node.iterable, frame))
        elements = elements_of(iterable)
        if elements is None or len(elements) > _MOST_UNROLLED:
            return self._repeat(node, lambda: self.assign(node.target, Unknown(), frame), frame)
        outer, frame.exits = frame.exits, []
        before, breaks = frame.state, []
        running = True
        for element in elements:
            self.assign(node.target, element, frame)
            running = self.run(node.body, frame)
            ends = [frame.state] if running else []
            ends += self._loop_exits("continue", frame)
            breaks += self._loop_exits("break", frame)
            running = self._meet(ends, frame.state, frame)
            if not running:
                break
        outer += frame.exits
        frame.exits = outer
        if running:
            running = self.run(node.orelse, frame)
        return self._meet(([frame.state] if running else []) + breaks, before, frame)

    def _loop_exits(self, kind: str, frame: Frame) -> list[State]:
        """Take the exits of a kind out of the frame's exits."""
        states = [exit_.state for exit_ in frame.exits if exit_.kind == kind]
        frame.exits = [exit_ for exit_ in frame.exits if exit_.kind != kind]
        return states

    def _repeat(self, node: syntax.For | syntax.While, start: Callable[[], None], frame: Frame, certain: bool = False) -> bool:
        """Run a body that is repeated an unknown number of times: once, and perhaps never."""
        outer, frame.exits = frame.exits, []
        before = frame.state
        frame.state = before.copy()
        if not certain:
            assume(self.place(node.at, frame), True, frame.state.assumed)
            frame.uncertain += 1
        start()
        running = self.run(node.body, frame)
        ends = ([frame.state] if running else []) + self._loop_exits("continue", frame)
        breaks = self._loop_exits("break", frame)
        if not certain:
            frame.uncertain -= 1
            ends.append(before)
        outer += frame.exits
        frame.exits = outer
        running = self._meet(ends, before, frame)
        if running:
            running = self.run(node.orelse, frame)
        return self._meet(([frame.state] if running else []) + breaks, before, frame)

    def _while(self, node: syntax.While, frame: Frame) -> bool:
        truth, _, cause = self._evaluation.expressions.test(node.test, frame)
        if truth is Truth.NO:
            falls = self.run(node.orelse, frame)
            if falls and cause is not None:
                self.mark(node.body, None, cause, frame)
            return falls
        return self._repeat(node, lambda: None, frame, certain=truth is Truth.YES)

    # --- exceptions ----------------------------------------------------------------------------------------------

    def _try(self, node: syntax.Try, frame: Frame) -> bool:
        outer, frame.exits = frame.exits, []
        before, entry = dict(frame.state.names), frame.state
        entry_assumed = dict(entry.assumed)
        guards = frame.guards
        frame.guards = (*guards, Guard("try", node.at))
        frame.protected += bool(node.handlers)
        falls = self.run(node.body, frame)
        frame.protected -= bool(node.handlers)
        frame.guards = guards
        met, frame.exits = frame.exits, outer
        raised = [exit_ for exit_ in met if exit_.kind == "raise"]
        pending = [exit_ for exit_ in met if exit_.kind != "raise"]
        outer_count = len(outer)
        ends: list[State] = []
        if falls and self.run(node.orelse, frame):
            ends.append(frame.state)
        certain = not falls and len(met) == 1
        for exit_ in raised:
            frame.uncertain += not certain
            self._handle(node, exit_, before, frame, ends)
            frame.uncertain -= not certain
        frame.exits += pending
        running = self._meet(ends, State(dict(before), entry_assumed), frame)
        return self._finally(node, running, outer_count, frame)

    def _finally(self, node: syntax.Try, running: bool, outer_count: int, frame: Frame) -> bool:
        if not node.final:
            return running
        leaving = frame.exits[outer_count:]
        if not running and leaving:
            frame.state = leaving[-1].state
        falls = self.run(node.final, frame)
        if not falls:
            frame.exits = [exit_ for exit_ in frame.exits if exit_ not in leaving]
        return running and falls

    def _handle(self, node: syntax.Try, exit_: Exit, before: dict[str, Value], frame: Frame, ends: list[State]) -> None:
        """Take one exception through the handlers of its `try`."""
        failure = exit_.failure
        assert failure is not None
        for handler in node.handlers:
            frame.state = exit_.state
            truth = self._catches(handler, failure, frame)
            if truth is Truth.NO:
                continue
            frame.state = exit_.state.copy()
            if self._run_handler(handler, failure, frame):
                if failure.cause is not None:
                    self.mark(node.body + node.orelse, before, failure.cause, frame)
                ends.append(frame.state)
            if truth is Truth.YES:
                return
        frame.exits.append(exit_)

    def _catches(self, handler: syntax.Handler, failure: Failure, frame: Frame) -> Truth:
        if handler.type is None:
            return Truth.YES
        try:
            wanted = frame.state.settle(self._evaluation.expressions.evaluate(handler.type, frame))
        except Raised:
            return Truth.MAYBE
        return is_subclass(failure.type, wanted)

    def _run_handler(self, handler: syntax.Handler, failure: Failure, frame: Frame) -> bool:
        frame.caught.append(failure)
        frame.causes.append(failure.cause)
        if handler.name is not None:
            self.bind(handler.name, _exception(failure), frame)
        falls = self.run(handler.body, frame)
        frame.causes.pop()
        frame.caught.pop()
        if handler.name is not None:
            frame.state.names.pop(handler.name, None)
        return falls

    def _with(self, node: syntax.With, frame: Frame) -> bool:
        calls = self._evaluation.calls
        managers: list[Value] = []
        for item in node.items:
            manager = frame.state.settle(self._evaluation.expressions.evaluate(item.context, frame))
            managers.append(manager)
            if item.target is not None:
                self.assign(item.target, calls.entered(manager, frame, node.at), frame)
        if not any(calls.may_swallow(manager) for manager in managers):
            return self.run(node.body, frame)
        outer, frame.exits = frame.exits, []
        before = dict(frame.state.names)
        entry = frame.state.copy()
        guards = frame.guards
        frame.guards = (*guards, Guard("with", node.at))
        frame.protected += 1
        falls = self.run(node.body, frame)
        frame.protected -= 1
        frame.guards = guards
        met, frame.exits = frame.exits, outer
        ends = [frame.state] if falls else []
        for exit_ in met:
            if exit_.failure is None:
                frame.exits.append(exit_)
                continue
            frame.state = exit_.state
            swallowed = max(calls.swallows(manager, exit_.failure, frame, node.at) for manager in managers)
            if swallowed is not Truth.NO:
                frame.state = exit_.state.copy()
                if exit_.failure.cause is not None:
                    self.mark(node.body, before, exit_.failure.cause, frame)
                ends.append(frame.state)
            if swallowed is not Truth.YES:
                frame.exits.append(exit_)
        return self._meet(ends, entry, frame)

    # --- definitions ---------------------------------------------------------------------------------------------

    def _function(self, node: syntax.Function, frame: Frame) -> bool:
        expressions = self._evaluation.expressions
        decorators = [expressions.evaluate(decorator, frame) for decorator in node.decorators]
        function = self.function_value(node.name, node, frame)
        if not node.generic:
            for parameter in node.parameters:
                self.annotation(parameter.annotation, frame)
            self.annotation(node.returns, frame)
        value: Value = function
        for decorator in reversed(decorators):
            value = self._evaluation.calls.decorate(decorator, value, frame, node.at)
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
        decorators = [expressions.evaluate(decorator, frame) for decorator in node.decorators]
        bases = tuple(self._base(base, node, frame) for base in node.bases)
        inner = Frame("class", frame.module, State({}, frame.state.assumed), frame)
        inner.uncertain, inner.protected, inner.depth = frame.uncertain, frame.protected, frame.depth
        inner.guards, inner.caught, inner.function = frame.guards, frame.caught, frame.function
        inner.causes = list(frame.causes)
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
        for exit_ in frame.exits[len(frame.exits) - len(inner.exits):] if inner.exits else ():
            exit_.state = frame.state if not falls else frame.state.copy()
        if not falls:
            return False
        value.names = inner.state.names
        for member in value.names.values():
            if isinstance(member, FunctionValue):
                member.owner = value
        result: Value = value
        for decorator in reversed(decorators):
            result = self._evaluation.calls.decorate(decorator, result, frame, node.at)
        self.bind(node.name, result, frame)
        return True

    def _base(self, node: syntax.Expression, class_: syntax.Class, frame: Frame) -> Value:
        expressions = self._evaluation.expressions
        base = frame.state.settle(expressions.evaluate(node, frame))
        if is_none(base) and base.cause is not None:
            at = getattr(node, "at", class_.at)
            raise Raised(
                expressions.failure(frame, at, "call", "None is not a base class", base.cause, builtin("TypeError"))
            )
        return base


def _exception(failure: Failure) -> Instance:
    """The exception object that a handler is given."""
    arguments = failure.arguments
    missing = _NO_MODULE.fullmatch(failure.message) if failure.kind in ("import", "probe") else None
    if missing is not None:
        arguments = (Constant(failure.message),)
    exception = caused(Instance(failure.type, arguments), failure.cause)
    if missing is not None:
        exception.attributes.update(name=Constant(missing[1]), path=Constant(None), msg=arguments[0])
    exception.attributes["args"] = Items("tuple", arguments) if arguments else Unknown()
    return exception


def elements_of(value: Value) -> tuple[Value, ...] | None:
    """What iterating over a value gives, where that is known."""
    if isinstance(value, Items):
        return value.elements
    if isinstance(value, Table) and value.complete:
        return tuple(Constant(key) for key in value.entries)
    if isinstance(value, Constant) and isinstance(value.value, str):
        return tuple(Constant(letter) for letter in value.value)
    return None


def _not(condition: Condition) -> Condition:
    from optdep_lint.world.truth import negate

    return negate(condition)
