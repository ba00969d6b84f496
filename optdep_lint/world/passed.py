"""Whether a condition asks only for what the caller passed: no guard can hide in it."""

from __future__ import annotations

from optdep_lint.facts import syntax
from optdep_lint.facts.summary import Summary
from optdep_lint.facts.walk import Definition, expressions, statements, way_to
from optdep_lint.world.bound import target_names
from optdep_lint.world.truth import Atom, Condition, Every, Negation, Some


def is_about_arguments(condition: Condition, summary: Summary, path: str, definition: Definition) -> bool:
    """A condition on the way through a function asks only for what its caller passed.

    Args:
        condition: What must hold.
        summary: The file of the function.
        path: That file's path.
        definition: The function.
    """
    match condition:
        case Negation(operand=operand):
            return is_about_arguments(operand, summary, path, definition)
        case Every(operands=operands) | Some(operands=operands):
            return all(is_about_arguments(operand, summary, path, definition) for operand in operands)
        case Atom(key=key):
            there, _, place = key.partition("@")
            at = place.partition(" for ")[0]
            return there == path and at.isdigit() and _asks_arguments(summary, definition, int(at))


def _asks_arguments(summary: Summary, definition: Definition, at: int) -> bool:
    way = way_to(summary.body_of(definition.node.body), at)
    if not way:
        return False
    statement = way[-1].statement
    if isinstance(statement, (syntax.For, syntax.With, syntax.Try)):
        return True
    test = statement.test if isinstance(statement, (syntax.If, syntax.While)) else _test_in(statement, at)
    if test is None:
        return False
    return _names(test) <= _from_arguments(summary.body_of(definition.node.body), definition)


def _test_in(statement: syntax.Statement, at: int) -> syntax.Expression | None:
    """The test of a conditional expression, or the operand of `and` or `or`, that stands at a position."""
    tests: list[syntax.Expression] = []
    for part in expressions(statement):
        if isinstance(part, syntax.Conditional):
            tests.append(part.test)
        elif isinstance(part, syntax.Boolean):
            tests += part.operands
    return next(
        (one for one in reversed(tests) if any(getattr(part, "at", 0) == at for part in expressions(one))), None
    )


def _from_arguments(body: syntax.Block, definition: Definition) -> set[str]:
    """The parameters, and the local names that are computed from nothing but them."""
    known = {parameter.name for parameter in definition.node.parameters} - {"self", "cls"} | _ASKING
    told: dict[str, bool] = {}
    for statement in statements(body):
        if isinstance(statement, (syntax.Assign, syntax.Augmented, syntax.For)):
            value = statement.iterable if isinstance(statement, syntax.For) else statement.value
            targets = statement.targets if isinstance(statement, syntax.Assign) else (statement.target,)
            for name in (name for target in targets for name in target_names(target)):
                told[name] = told.get(name, True) and _names(value) <= known | {
                    one for one, fits in told.items() if fits
                }
    return known - {name for name, fits in told.items() if not fits} | {name for name, fits in told.items() if fits}


def _names(part: syntax.Expression) -> set[str]:
    return {inner.id for inner in expressions(part) if isinstance(inner, syntax.Name)}


_ASKING = frozenset(
    {"isinstance", "len", "str", "int", "bool", "list", "tuple", "dict", "type", "min", "max", "range", "zip"}
)
