"""Whether a place in a function stands under tests that say no, as it is written: for functions that are not followed to their end."""

from __future__ import annotations

from collections.abc import Iterator

from optdep_lint.facts import syntax
from optdep_lint.facts.walk import Definition, Place, expressions, parts_of, statements, way_to
from optdep_lint.world.bound import free_names
from optdep_lint.world.evaluation import Evaluation
from optdep_lint.world.following import GiveUp
from optdep_lint.world.frames import Frame, State
from optdep_lint.world.modules import Module
from optdep_lint.world.truth import Truth
from optdep_lint.world.values import Raised

_MOST_STEPS = 200


class WrittenGuards:
    """The tests in one function, answered in a world as far as they ask only for names of the module."""

    def __init__(self, evaluation: Evaluation, module: Module, definition: Definition) -> None:
        self._evaluation, self._module = evaluation, module
        summary = module.source.summary
        self._body = summary.body_of(definition.node.body)
        self._free = free_names(summary, definition.node)

    def keep_out(self, name: str) -> bool:
        """Every statement of the function that spells a name or attribute stands where a test says no; there is one."""
        places = list(self._spelling(name))
        return bool(places) and all(any(map(self._is_closed, way)) for way in places)

    def _spelling(self, name: str) -> Iterator[tuple[Place, ...]]:
        for statement in statements(self._body):
            if any(
                (isinstance(part, syntax.Name) and part.id == name)
                or (isinstance(part, syntax.Attribute) and part.name == name)
                for part in expressions(statement)
            ):
                yield way_to(self._body, getattr(statement, "at", 0))

    def _is_closed(self, place: Place) -> bool:
        """The block of a step of the way is not entered, or left before."""
        statement = place.statement
        if isinstance(statement, syntax.If) and place.part in ("body", "orelse"):
            closing = Truth.NO if place.part == "body" else Truth.YES
            if self._answer(statement.test) is closing:
                return True
        return any(map(self._leaves, self._before(statement)))

    def _before(self, statement: syntax.Statement) -> Iterator[syntax.Statement]:
        """The statements that stand before one in its block."""
        blocks = [self._body]
        for one in statements(self._body):
            blocks += (block for _, block in parts_of(one))
        for block in blocks:
            if any(one is statement for one in block):
                for one in block:
                    if one is statement:
                        return
                    yield one

    def _leaves(self, statement: syntax.Statement) -> bool:
        return (
            isinstance(statement, syntax.If)
            and isinstance(statement.body[-1], (syntax.Return, syntax.Raise))
            and self._answer(statement.test) is Truth.YES
        )

    def _answer(self, test: syntax.Expression) -> Truth:
        match test:
            case syntax.Boolean(operator=operator, operands=operands):
                answers = [self._answer(one) for one in operands]
                return min(answers) if operator == "and" else max(answers)
            case syntax.Not(operand=operand):
                return self._answer(operand).negated()
        names = {part.id for part in expressions(test) if isinstance(part, syntax.Name)}
        return self._evaluated(test) if names and names <= self._free else Truth.MAYBE

    def _evaluated(self, test: syntax.Expression) -> Truth:
        frame = Frame("module", self._module, State(self._module.namespace, dict(self._module.assumed)))
        self._evaluation.budget = _MOST_STEPS
        try:
            with self._evaluation.imagined():
                return self._evaluation.expressions.truth(self._evaluation.expressions.evaluate(test, frame), frame)[0]
        except (Raised, GiveUp):
            return Truth.MAYBE
        finally:
            self._evaluation.budget = None
