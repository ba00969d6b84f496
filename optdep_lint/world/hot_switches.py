"""Which branches never run, because a constant of the module switches them off."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeVar

from optdep_lint.facts import syntax
from optdep_lint.facts.syntax import Expression, Statement
from optdep_lint.facts.walk import statements
from optdep_lint.world.bound import bound_names, target_names
from optdep_lint.world.hot_scope import Scopes
from optdep_lint.world.hot_sites import Site

_Branch = TypeVar("_Branch")


class Switches:
    """Answers how a condition is settled by the text of a module alone."""

    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes
        self._known: dict[tuple[str, str], bool | None] = {}

    def live(self, test: Expression, yes: _Branch, no: _Branch, site: Site) -> Iterator[_Branch]:
        """The branches of a condition that can run."""
        settled = self.settles(test, site)
        if settled is not False:
            yield yes
        if settled is not True:
            yield no

    def leaves(self, statement: Statement, site: Site) -> bool:
        """Whoever comes to the statement returns there."""
        if not isinstance(statement, syntax.If):
            return False
        ways = list(self.live(statement.test, statement.body, statement.orelse, site))
        return len(ways) == 1 and bool(ways[0]) and isinstance(ways[0][-1], syntax.Return)

    def settles(self, test: Expression, site: Site) -> bool | None:
        """Whether a condition always holds, or never does; None where that hangs on more than constants."""
        match test:
            case syntax.Constant(value=value):
                return bool(value)
            case syntax.Name(id=name) if name.isupper() and not self._scopes.is_local(name, site):
                key = site.module, name
                if key not in self._known:
                    self._known[key] = self._constant(*key)
                return self._known[key]
            case syntax.Not(operand=operand):
                settled = self.settles(operand, site)
                return None if settled is None else not settled
            case syntax.Boolean(operator=operator, operands=operands):
                answers = [self.settles(operand, site) for operand in operands]
                decisive = operator == "or"
                if decisive in answers:
                    return decisive
                return None if None in answers else not decisive
        return None

    def _constant(self, module: str, name: str) -> bool | None:
        """The module binds the name once, to True or False, and no function of it binds it anew."""
        summary = self._scopes.base.tree.sources[module].summary
        if list(bound_names(summary.body)).count(name) != 1:
            return None
        values = (_value_of(statement, name) for statement in summary.body)
        value = next((value for value in values if value is not None), None)
        for index, body in enumerate(summary.bodies):
            if isinstance(body, bytes) and (name.encode() not in body or b"global" not in body):
                continue
            for statement in statements(summary.body_of(index)):
                if isinstance(statement, syntax.Scope) and name in statement.names:
                    return None
        return value


def _value_of(statement: Statement, name: str) -> bool | None:
    """The True or False that a statement binds a name to."""
    match statement:
        case syntax.Assign(targets=targets, value=syntax.Constant(value=bool(value))) if name in _names(targets):
            return value
        case syntax.Annotated(target=target, value=syntax.Constant(value=bool(value))) if name in _names((target,)):
            return value
    return None


def _names(targets: tuple[syntax.Target, ...]) -> list[str]:
    return [name for target in targets for name in target_names(target)]
