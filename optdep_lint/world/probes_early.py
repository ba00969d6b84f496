"""Which test of one location returns before an alternative is asked: without that exit, either location would do."""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import islice, permutations
from typing import Any

from optdep_lint.facts import syntax
from optdep_lint.facts.syntax import Block, Statement
from optdep_lint.facts.walk import expressions
from optdep_lint.world.probes import MAYBE, Answer, Inquirer, Unit, inquirer
from optdep_lint.world.probes_answers import can_be_true
from optdep_lint.world.probes_census import Site, census
from optdep_lint.world.probes_hidden import concerns, discover, hidden_siblings
from optdep_lint.world.survey import Survey
from optdep_lint.world.values import Failure

_MOST_ROOTS = 5
_MOST_GATES = 20


@dataclass(frozen=True, slots=True)
class EarlyExit:
    """A statement that decides by one location, though another would do."""

    path: str
    at: int
    root: str
    alternative: str


def early_exits(survey: Survey) -> Iterator[EarlyExit]:
    """Exits that hide an alternative, each place once."""
    seen = {(hidden.path, hidden.at) for hidden in hidden_siblings(survey)}
    probing = ((site, False) for site in census(survey).sites if site.decides)
    for site, imports in (*probing, *((site, True) for site in census(survey).trying)):
        if any(site.holds(*place) for place in seen):
            continue
        found = next(_look(inquirer(survey), site, imports=imports), None)
        if found is not None:
            seen.add((found.path, found.at))
            yield found


def _look(asker: Inquirer, site: Site, *, imports: bool) -> Iterator[EarlyExit]:
    edits = list(islice(gates(site.block), _MOST_GATES))
    yes = _names_that_can_hold(asker, site.unit, ()) if edits else frozenset()
    if not yes:
        return
    asked = [root for root in _first_asked(asker, site) if _concludes(asker, site.unit, {root})]
    no = {root: yes - _names_that_can_hold(asker, site.unit, {root}) for root in asked}
    if not any(no.values()):
        return  # whatever it asks for where one of these is missing, or but for an exit: its answer does not hang on one alone
    roots = _roots(asker, site, edits, imports=imports)
    if not 2 <= len(roots) <= _MOST_ROOTS:
        return
    for at, edited in edits:
        holding = functools.cache(functools.partial(_names_that_can_hold, asker, site.unit, body=edited))
        for root, other in permutations(roots, 2):
            if no.get(root) and not _companions(root, other):
                names = no[root] & holding(frozenset({root}))
                names = names and names & holding(frozenset({other}))
                neither = frozenset({root, other})
                if names and names - holding(neither) and _concludes(asker, site.unit, neither, edited):
                    yield EarlyExit(site.path, at, root, other)


def _first_asked(asker: Inquirer, site: Site) -> list[str]:
    """The optional roots that a unit asks for where everything is there."""
    declared, tree = asker.survey.declared, asker.survey.tree
    _, asked = asker.ask(site.unit, forgiving=True)
    roots = dict.fromkeys(
        declared.root_of(one.name) for one in asked if not tree.owns(one.name) and concerns(one, site)
    )
    return [root for root in roots if declared.can_be_absent(root)]


def _roots(asker: Inquirer, site: Site, edits: list[tuple[int, Block]], *, imports: bool) -> list[str]:
    """The optional roots that a unit asks for, also those that it would ask for but for an exit."""
    declared, tree, unit = asker.survey.declared, asker.survey.tree, site.unit
    roots = list(dict.fromkeys(declared.root_of(one.name) for one in discover(asker, site, imports=imports)))
    if not roots or len(roots) > _MOST_ROOTS:
        return []
    for absent in [frozenset({root}) for root in roots]:
        for _, body in edits:
            _, asked = asker.ask(unit, absent, forgiving=True, body=body)
            found = (declared.root_of(one.name) for one in asked if not tree.owns(one.name))
            roots += [root for root in dict.fromkeys(found) if root not in roots and declared.can_be_absent(root)]
    return roots


def _concludes(asker: Inquirer, unit: Unit, absent: Collection[str], body: Block | None = None) -> bool:
    """Something is decided: evaluation comes to an end, and not by the use of a name that is not there."""
    answer, _ = asker.ask(unit, absent, forgiving=True, body=body)
    return answer.kind not in ("name", "attribute", "call") if isinstance(answer, Failure) else bool(answer)


def _companions(root: str, other: str) -> bool:
    """One is an addition to the other, as far as names tell: it is no location of the same thing."""
    left, right = (name.replace("_", "").lower() for name in (root, other))
    return left.startswith(right) or right.startswith(left)


def _names_that_can_hold(
    asker: Inquirer, unit: Unit, absent: Collection[str], body: Block | None = None
) -> frozenset[str]:
    answer: Answer = asker.ask(unit, absent, forgiving=True, body=body)[0]
    if isinstance(answer, Failure):
        return frozenset()
    return frozenset(name for name, value in answer.items() if name != MAYBE and can_be_true(value))


# --- what a block would be without one of its exits --------------------------------------------------------------


def gates(block: Block) -> Iterator[tuple[int, Block]]:
    """Every statement that can decide early, with the block as it would be if it did not."""
    for index, statement in enumerate(block):
        for at, edited in _of_statement(statement):
            yield at, (*block[:index], *edited, *block[index + 1 :])


def _of_statement(statement: Statement) -> Iterator[tuple[int, Block]]:
    match statement:
        case syntax.If(test=test) if not _asks_type(test):
            if _leaves(statement.body):
                yield statement.at, (statement._replace(body=statement.body[:-1]),)
            if statement.body:
                yield statement.at, statement.body
            if _leaves(statement.orelse):
                yield statement.at, (statement._replace(orelse=statement.orelse[:-1]),)
            yield from _within(statement, "body", "orelse")
        case syntax.If():
            yield from _within(statement, "body", "orelse")
        case syntax.Try():
            for number, handler in enumerate(statement.handlers):
                if _leaves(handler.body):
                    edited = handler._replace(body=handler.body[:-1])
                    yield handler.at, (statement._replace(handlers=_with(statement.handlers, number, edited)),)
            yield from _within(statement, "body", "orelse", "final")
        case syntax.For() | syntax.While():
            yield from _within(statement, "body", "orelse")
        case syntax.With():
            yield from _within(statement, "body")
        case syntax.Return() | syntax.Assign() if isinstance(statement.value, syntax.Boolean):
            yield from _of_conjunction(statement, statement.value)


def _of_conjunction(statement: syntax.Return | syntax.Assign, value: syntax.Boolean) -> Iterator[tuple[int, Block]]:
    """`return first and (second or third)`: the same without one operand."""
    if value.operator != "and":
        return
    for number, operand in enumerate(value.operands):
        rest = (*value.operands[:number], *value.operands[number + 1 :])
        edited = rest[0] if len(rest) == 1 else value._replace(operands=rest)
        at = next((part.at for part in expressions(operand) if hasattr(part, "at")), statement.at)
        yield at, (statement._replace(value=edited),)


def _within(statement: Any, *parts: str) -> Iterator[tuple[int, Block]]:
    for part in parts:
        for at, edited in gates(getattr(statement, part)):
            yield at, (statement._replace(**{part: edited}),)


def _asks_type(test: syntax.Expression) -> bool:
    """A condition asks what kind of thing it was given, and not whether something is there."""
    match test:
        case syntax.Not(operand=operand):
            return _asks_type(operand)
        case syntax.Call(function=syntax.Name(id="isinstance" | "issubclass")):
            return True
    return False


def _leaves(block: Block) -> bool:
    return bool(block) and isinstance(block[-1], syntax.Return)


def _with(handlers: tuple[syntax.Handler, ...], number: int, handler: syntax.Handler) -> tuple[syntax.Handler, ...]:
    return (*handlers[:number], handler, *handlers[number + 1 :])
