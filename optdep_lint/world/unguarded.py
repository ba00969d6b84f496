"""Uses at call time that nothing guards: which of the failures that evaluation met are the project's faults."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from optdep_lint.facts import syntax
from optdep_lint.facts.walk import Definition, definitions, expressions, statements, way_to
from optdep_lint.world.bound import target_names
from optdep_lint.world.calltime import Use
from optdep_lint.world.surroundings import TYPING_ONLY
from optdep_lint.world.survey import Survey
from optdep_lint.world.truth import Atom, Condition, Every, Negation, Some
from optdep_lint.world.values import Guard


@dataclass(frozen=True, slots=True)
class Unguarded:
    """A use that fails when it is reached without the root."""

    kind: str
    """`operation`, `unbound`, `sentinel`, `typing` or `passed`: each is one rule's, and they are asked in this order."""
    root: str
    use: Use
    guard: Guard | None = None
    """For `passed`: the guard that does not leave."""


def unguarded_uses(survey: Survey) -> Iterator[Unguarded]:
    """The uses to report, each place once."""
    for root, _, use in survey.uses:
        failure = use.failure
        if failure.kind not in ("operation", "name", "attribute", "call"):
            continue
        source = survey.tree.sources[use.module]
        definition = next((one for one in definitions(source.summary) if one.name == use.function), None)
        if use.function and definition is None:
            continue
        if not all(definition and _is_about_arguments(one, survey, use, definition) for one in failure.conditions):
            continue
        passed = next(
            (guard for guard in reversed(failure.guards) if guard.kind == "passed" and _root(survey, guard) == root),
            None,
        )
        if root == TYPING_ONLY:
            kind = "typing"
        elif failure.kind == "operation":
            kind = "operation"
        elif passed is not None:
            kind = "passed"
        else:
            kind = "unbound" if failure.kind == "name" else "sentinel"
        yield Unguarded(kind, root, use, passed)


def _root(survey: Survey, guard: Guard) -> str | None:
    return survey.declared.root_of(guard.cause.missing) if guard.cause is not None else None


def _is_about_arguments(condition: Condition, survey: Survey, use: Use, definition: Definition) -> bool:
    """A condition on the way to the use asks only for what the caller passed: no guard can hide in it."""
    match condition:
        case Negation(operand=operand):
            return _is_about_arguments(operand, survey, use, definition)
        case Every(operands=operands) | Some(operands=operands):
            return all(_is_about_arguments(operand, survey, use, definition) for operand in operands)
        case Atom(key=key):
            path, _, place = key.partition("@")
            at = place.partition(" for ")[0]
            return path == use.failure.path and at.isdigit() and _asks_arguments(survey, use, definition, int(at))


def _asks_arguments(survey: Survey, use: Use, definition: Definition, at: int) -> bool:
    summary = survey.tree.sources[use.module].summary
    way = way_to(summary.body_of(definition.node.body), at)
    if not way:
        return False
    statement = way[-1].statement
    if isinstance(statement, (syntax.For, syntax.With)):
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
