"""Alternatives that are imported in one `try`: the first that is missing ends it, and the next is never tried."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from optdep_lint.facts import syntax
from optdep_lint.facts.syntax import Block, Statement
from optdep_lint.facts.walk import all_expressions, expressions, imported_names, parts_of, statements
from optdep_lint.world.bound import bound_names
from optdep_lint.world.frames import Frame, State
from optdep_lint.world.probes_asked import IMPORTERS
from optdep_lint.world.probes_census import census
from optdep_lint.world.probes_shared import Guarded, guarded_tries
from optdep_lint.world.survey import Survey
from optdep_lint.world.values import Constant, External, Raised, elements_of


@dataclass(frozen=True, slots=True)
class HiddenImport:
    """An import after which an alternative is never tried."""

    path: str
    at: int
    root: str
    alternative: str


def hidden_imports(survey: Survey) -> Iterator[HiddenImport]:
    """Imports in a `try` that a later import in it could stand in for."""
    for guarded in guarded_tries(survey):
        found = _in_order(survey, guarded) or _in_loop(survey, guarded)
        if found is not None:
            yield found


def _in_order(survey: Survey, guarded: Guarded) -> HiddenImport | None:
    """`import a`, use it and be done; `import b`, use it and be done."""
    body = guarded.statement.body
    for index, statement in enumerate(body):
        root = _root(survey, statement)
        if root is None:
            continue
        for later in range(index + 1, len(body)):
            other = _root(survey, body[later])
            if other is None or other == root or not _is_done(body[index + 1 : later], body[later + 1 :]):
                continue
            if not _reads(
                body[later + 1 :], frozenset(bound_names((statement,))) - frozenset(bound_names((body[later],)))
            ):
                return HiddenImport(guarded.source.path, statement.at, root, other)  # type: ignore[union-attr]
    return None


def _root(survey: Survey, statement: Statement) -> str | None:
    """The optional root that an import statement needs."""
    for name in imported_names(statement):
        root = survey.declared.root_of(name)
        if root in survey.declared.optional:
            return root
    return None


def _is_done(between: Block, after: Block) -> bool:
    """What stands between can end the search with a yes: it returns something, or sets a flag that is set again later."""
    for statement in _all(between):
        if isinstance(statement, syntax.Return) and not _is_no(statement.value):
            return any(isinstance(one, syntax.Return) and not _is_no(one.value) for one in _all(after))
    again = _set_true(after)
    return bool(_set_true(between) & again)


def _all(block: Block) -> Iterator[Statement]:
    for statement in block:
        yield statement
        for _, inner in parts_of(statement):
            yield from _all(inner)


def _is_no(value: syntax.Expression | None) -> bool:
    return value is None or (isinstance(value, syntax.Constant) and not value.value)


def _set_true(block: Block) -> frozenset[str]:
    return frozenset(
        target.id
        for statement in block
        if isinstance(statement, syntax.Assign)
        and isinstance(statement.value, syntax.Constant)
        and statement.value.value is True
        for target in statement.targets
        if isinstance(target, syntax.Name)
    )


def _reads(block: Block, names: frozenset[str]) -> bool:
    return any(isinstance(part, syntax.Name) and part.id in names for part in all_expressions(block))


# --- loops over places -------------------------------------------------------------------------------------------


def _in_loop(survey: Survey, guarded: Guarded) -> HiddenImport | None:
    """`for name in places: return import_module(name)`, with the handler outside the loop."""
    module = survey.base.modules.get(guarded.source.name)
    for statement in guarded.statement.body:
        if not isinstance(statement, syntax.For) or not isinstance(statement.target, syntax.Name) or module is None:
            continue
        if not any(isinstance(one, (syntax.Return, syntax.Break)) for one in statements(statement.body)):
            continue
        for part in all_expressions(statement.body):
            if isinstance(part, syntax.Call) and _imports_it(survey, guarded, part, statement.target.id):
                roots = _roots_of(survey, guarded, statement.iterable)
                if len(roots) > 1:
                    return HiddenImport(guarded.source.path, part.at, roots[0], roots[1])
    return None


def _imports_it(survey: Survey, guarded: Guarded, call: syntax.Call, name: str) -> bool:
    module = survey.base.modules[guarded.source.name]
    value = census(survey).resolve(call.function, module, {}, guarded.definition)
    given = [part.id for one in call.arguments for part in expressions(one) if isinstance(part, syntax.Name)]
    return isinstance(value, External) and value.path in IMPORTERS and name in given


def _roots_of(survey: Survey, guarded: Guarded, iterable: syntax.Expression) -> list[str]:
    module = survey.base.modules[guarded.source.name]
    frame = Frame("module", module, State(dict(module.namespace), {}))
    try:
        elements = elements_of(frame.state.settle(survey.base.expressions.evaluate(iterable, frame))) or ()
    except Raised:
        return []
    names = [element.value for element in elements if isinstance(element, Constant) and isinstance(element.value, str)]
    roots = (survey.declared.root_of(name) for name in names if not survey.tree.owns(name))
    return list(dict.fromkeys(root for root in roots if survey.declared.can_be_absent(root)))
