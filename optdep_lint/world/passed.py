"""Whether a condition asks only for what the caller passed: no guard can hide in it."""

from __future__ import annotations

import builtins
from collections.abc import Collection

from optdep_lint.facts import syntax
from optdep_lint.facts.summary import Summary
from optdep_lint.facts.walk import Definition, expressions, statements, way_to
from optdep_lint.world.bound import target_names
from optdep_lint.world.truth import Atom, Condition, Every, Negation, Some
from optdep_lint.world.values import Failure


def is_about_arguments(
    condition: Condition, summary: Summary, failure: Failure, definition: Definition, types: Collection[str] = ()
) -> bool:
    """A condition on the way through a function asks only for what its caller passed.

    Args:
        condition: What must hold.
        summary: The file of the function.
        failure: What fails in the function under the condition: on one of several ways, whether a call of the function by
            itself has failed in the same way before does not matter.
        definition: The function.
        types: Names of the module under which there is nothing that could be a guard: an argument may be asked
            whether it is of such a type, and they themselves whether they are None.
    """
    again = Atom(f"{failure.path}@{failure.at} fails")
    match condition:
        case Negation(operand=operand):
            return is_about_arguments(operand, summary, failure, definition, types)
        case Every(operands=operands) | Some(operands=operands):
            return all(
                is_about_arguments(operand, summary, failure, definition, types)
                for operand in operands
                if operand != again
            )
        case Atom(key=key):
            there, _, place = key.partition("@")
            at = place.removesuffix(" opens").partition(" for ")[0]
            return there == failure.path and at.isdigit() and _asks_arguments(summary, definition, int(at), types)


def _asks_arguments(summary: Summary, definition: Definition, at: int, types: Collection[str]) -> bool:
    way = way_to(summary.body_of(definition.node.body), at)
    if not way:
        return False
    statement = way[-1].statement
    if isinstance(statement, (syntax.For, syntax.With, syntax.Try)):
        return True
    test = statement.test if isinstance(statement, (syntax.If, syntax.While)) else _test_in(statement, at)
    if test is None:
        return False
    passed_over = _as_types(test, types)
    asked = {part.id for part in expressions(test) if isinstance(part, syntax.Name) and part not in passed_over}
    turns = any(isinstance(place.statement, (syntax.For, syntax.While)) for place in way)
    before = None if turns else getattr(statement, "at", None)
    return asked <= _from_arguments(summary.body_of(definition.node.body), definition, before)


def _as_types(test: syntax.Expression, types: Collection[str]) -> list[syntax.Name]:
    """The names in a test that are only asked for as types of arguments, or for None."""
    found: list[syntax.Name] = []
    for part in expressions(test):
        match part:
            case syntax.Call(function=syntax.Name(id="isinstance"), arguments=(_, wanted)):
                named = (one for one in expressions(wanted) if isinstance(one, syntax.Name))
                found += (one for one in named if one.id in types or isinstance(getattr(builtins, one.id, None), type))
            case syntax.Compare(left=syntax.Name() as left, rights=(syntax.Constant(value=None),)) if left.id in types:
                found.append(left)
    return found


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


def _from_arguments(body: syntax.Block, definition: Definition, before: int | None) -> set[str]:
    """The parameters, and the local names that are computed from nothing but them: at a position, or anywhere."""
    known = {parameter.name for parameter in definition.node.parameters} - {"self", "cls"} | _ASKING
    told: dict[str, bool] = {}
    for statement in statements(body):
        if isinstance(statement, (syntax.Assign, syntax.Augmented, syntax.For)) and (
            before is None or statement.at < before
        ):
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
