"""What a branch would register that a settled condition keeps from being taken."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from optdep_lint.facts import syntax
from optdep_lint.facts.syntax import Block, Expression
from optdep_lint.facts.walk import all_expressions, expressions, statements
from optdep_lint.world.following import GiveUp
from optdep_lint.world.frames import Frame
from optdep_lint.world.values import Raised

if TYPE_CHECKING:
    from optdep_lint.world.evaluation import Evaluation

_MOST_STEPS = 500
_NEVER_LOOKED_BEHIND = frozenset({"__name__", "TYPE_CHECKING", "sys", "version_info"})
"""Conditions that hold for other programs, checkers or Pythons: nobody means them for this one."""
_LASTING = frozenset({"modules", "setattr", "globals", "exec", "__dict__"})
"""What changes things behind the back of the frame that is put back afterwards."""


def look_ahead(evaluation: Evaluation, test: Expression, block: Block, frame: Frame) -> None:
    """Note which operations a branch would register; nothing else of it remains."""
    operations = evaluation.operations
    if operations.base is not None or operations.settled or operations.hypothetical:
        return
    if frame.kind == "class" or frame.depth > 1 or not operations.asks_torch() or not _may_register(block):
        return
    if not _NEVER_LOOKED_BEHIND.isdisjoint(_words(expressions(test))):
        return
    state, exits, budget = frame.state, list(frame.exits), evaluation.budget
    dynamic, touched, imported = frame.module.dynamic, set(frame.module.touched), set(evaluation.imported)
    frame.state, evaluation.budget, operations.hypothetical = state.copy(), _MOST_STEPS, True
    frame.uncertain += 1
    try:
        for statement in _harmless(evaluation, block, frame):
            evaluation.statements.run((statement,), frame)
    except (Raised, GiveUp):
        pass
    finally:
        frame.uncertain -= 1
        frame.state, evaluation.budget, operations.hypothetical = state, budget, False
        frame.exits[:] = exits
        frame.module.dynamic, frame.module.touched, evaluation.imported = dynamic, touched, imported


def _may_register(block: Block) -> bool:
    """A call, or a decorated function: every registration is one of them."""
    for statement in statements(block):
        if isinstance(statement, syntax.Function) and statement.decorators:
            return True
        if isinstance(statement, (syntax.Evaluate, syntax.Assign)) and isinstance(statement.value, syntax.Call):
            return True
    return False


def _harmless(evaluation: Evaluation, block: Block, frame: Frame) -> Iterator[syntax.Statement]:
    """The statements that can be run without a trace: no first import of a module of the project, nothing lasting."""
    for statement in block:
        if any(_imports_new(evaluation, inner, frame) for inner in statements((statement,))):
            continue
        if _LASTING.isdisjoint(_words(all_expressions((statement,)))):
            yield statement


def _imports_new(evaluation: Evaluation, statement: syntax.Statement, frame: Frame) -> bool:
    names: list[str | None] = []
    if isinstance(statement, syntax.Import):
        names = [alias.name for alias in statement.names]
    elif isinstance(statement, syntax.ImportFrom):
        holder = frame.module.source.absolute(statement)
        names = [holder, *(f"{holder}.{alias.name}" for alias in statement.names)]
    sources = evaluation.tree.sources
    return any(name in sources and evaluation.module(name).status == "new" for name in names if name)


def _words(parts: Iterator[Expression]) -> set[str]:
    found: set[str] = set()
    for part in parts:
        if isinstance(part, syntax.Name):
            found.add(part.id)
        elif isinstance(part, syntax.Attribute):
            found.add(part.name)
    return found
