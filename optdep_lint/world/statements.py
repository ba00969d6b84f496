"""What each statement does: what it binds, and whether evaluation goes on after it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from optdep_lint.facts import syntax
from optdep_lint.facts.syntax import Block, Target
from optdep_lint.world.bound import bound_names
from optdep_lint.world.branches import Branches
from optdep_lint.world.definitions import Definitions
from optdep_lint.world.exceptions import text_of
from optdep_lint.world.frames import Exit, Frame
from optdep_lint.world.handlers import Handlers
from optdep_lint.world.loops import Loops
from optdep_lint.world.truth import Truth, assume, negate
from optdep_lint.world.values import (
    Constant,
    Failure,
    Instance,
    Known,
    Raised,
    Unbound,
    Unknown,
    builtin,
    caused,
)

if TYPE_CHECKING:
    from optdep_lint.world.evaluation import Evaluation


class Statements(Branches, Loops, Handlers, Definitions):
    """Runs blocks of statements in frames."""

    def __init__(self, evaluation: Evaluation) -> None:
        super().__init__(evaluation)
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
                    if not self._evaluation.cautious:
                        self._evaluation.expressions.may_fail(replace(failure, certain=True), None, frame)
                    self._go_on(statement, frame)
                    continue
                frame.exits.append(Exit("raise", frame.state, failure=failure))
                return False
        return True

    def _go_on(self, statement: syntax.Statement, frame: Frame) -> None:
        """Nothing is concluded from a failure without a known cause: what would be bound is unknown."""
        for name in bound_names((statement,)):
            frame.state.names[name] = Unknown()

    # --- imports -------------------------------------------------------------------------------------------------

    def _import(self, node: syntax.Import, frame: Frame) -> bool:
        for alias in node.names:
            if node.lazy or self._evaluation.imports.is_lazy(alias.name, frame):
                lazy = Known("lazy import", alias.name, alias.asname is not None, None)
                self.bind(alias.asname or alias.name.partition(".")[0], lazy, frame)
                continue
            imports = self._evaluation.imports
            if alias.asname is None:
                value = imports.import_dotted(alias.name, False, frame, node.at)
            else:
                value = imports.import_as(alias.name, frame, node.at)
            self.bind(alias.asname or alias.name.partition(".")[0], value, frame)
        return True

    def _import_from(self, node: syntax.ImportFrom, frame: Frame) -> bool:
        imports = self._evaluation.imports
        name = frame.module.source.absolute(node)
        if name is None or node.lazy or imports.is_lazy(name, frame):
            for alias in node.names:
                lazy = Known("lazy import", name, True, alias.name) if name else imports.beyond_top(frame, node.at)
                self.bind(alias.asname or alias.name, lazy, frame)
            return True
        holder = imports.import_from(name, node.names, frame, node.at)
        if len(node.names) > 1:
            imports.import_below(holder, [alias.name for alias in node.names], frame, node.at)
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

    def _augmented(self, node: syntax.Augmented, frame: Frame) -> bool:
        expressions = self._evaluation.expressions
        before = expressions.evaluate(node.target, frame)
        value = expressions.evaluate(node.value, frame)
        self.assign(node.target, expressions.binary(node.operator, before, value, frame, node.at), frame)
        return True

    def _evaluate(self, node: syntax.Evaluate, frame: Frame) -> bool:
        self._evaluation.expressions.evaluate(node.value, frame)
        return True

    def _delete(self, node: syntax.Delete, frame: Frame) -> bool:
        for target in node.targets:
            self._delete_one(target, frame)
        return True

    def _delete_one(self, target: Target, frame: Frame) -> None:
        if isinstance(target, syntax.Name):
            self._unbind(target, frame)
        else:
            self.take_out(target, frame)

    def _unbind(self, target: syntax.Name, frame: Frame) -> None:
        """`del name`, which fails where it is not bound."""
        scope = frame.module.names if target.id in frame.globals else frame.state.names
        expressions = self._evaluation.expressions
        if target.id in scope or not frame.module.dynamic or expressions.is_local(target.id, frame):
            expressions.bound(scope.get(target.id) or Unbound(), target.id, target.at, frame)
        else:
            expressions.perhaps_unbound(target.id, target.at, frame)
        scope.pop(target.id, None)

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
        frame.exits.append(Exit("return", frame.state, caused(value, frame.cause or frame.passed)))
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
            return expressions.failure(frame, node.at, "raise", "re-raised", frame.cause, Unknown(), certain=True)
        value = frame.state.settle(expressions.evaluate(node.exception, frame))
        source = expressions.evaluate(node.cause, frame) if node.cause is not None else None
        type_ = value.type if isinstance(value, Instance) else value
        if isinstance(value, Instance) and value.failure is not None:
            return value.failure
        cause = (source.cause if source else None) or frame.cause or value.cause
        arguments = value.arguments if isinstance(value, Instance) else ()
        text = arguments[0].value if arguments and isinstance(arguments[0], Constant) else ""
        return expressions.failure(
            frame, node.at, "raise", f"{text_of(type_)}: {text}".rstrip(": "), cause, type_, arguments, certain=True
        )

    def _assert(self, node: syntax.Assert, frame: Frame) -> bool:
        truth, condition, cause = self._evaluation.expressions.test(node.test, frame)
        if truth is Truth.YES:
            return True
        expressions = self._evaluation.expressions
        failure = expressions.failure(
            frame, node.at, "raise", "AssertionError", cause or frame.cause, builtin("AssertionError"), certain=True
        )
        if truth is Truth.NO:
            frame.exits.append(Exit("raise", frame.state, failure=failure))
            return False
        if cause is not None or not self._evaluation.cautious:
            expressions.may_fail(failure, negate(condition) if condition is not None else None, frame)
        elif condition is not None:
            assume(condition, True, frame.state.assumed)
        return True
