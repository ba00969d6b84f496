"""OPD102: the guard also asks for what the import needs."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from optdep_lint.findings import Finding, Fix
from optdep_lint.fixers import Refusal, Repair
from optdep_lint.fixers.absence import fallbacks_of, guard_fallback
from optdep_lint.fixers.bench import Bench
from optdep_lint.fixers.checks import insert_checks
from optdep_lint.fixers.conditions import presence_test
from optdep_lint.fixers.draft import Draft
from optdep_lint.fixers.idioms import Habit, habit_of
from optdep_lint.fixers.imports import dotted, spelled
from optdep_lint.fixers.source import Source
from optdep_lint.fixers.uses import NameUse, bound_names, imports_in, uses_of
from optdep_lint.fixers.workshop import Workshop

_WIDE = ("ImportError", "Exception", "BaseException")


def build(finding: Finding, workshop: Workshop) -> Fix:
    """Add the missing test to the `if`, or let the handler catch what an absence raises."""
    source = workshop.source(finding.path)
    root = finding.absent or ""
    statement = source.statement_at(finding.span.line, finding.span.column)
    draft = Draft()
    bench = Bench(draft, workshop, source)
    draft.unsafe.append("what the block defines is missing more often")
    if isinstance(statement, (cst.Import, cst.ImportFrom)) and statement in fallbacks_of(bench, root):
        guard_fallback(bench, statement, root)
        return draft.finish(f"Guard the fall-back, which needs `{root}` itself")
    guard = _guard(source, statement)
    if isinstance(guard, cst.If):
        outside = list(_outside(workshop, source, guard, root))
        test = presence_test(bench, root, guard)
        if outside and not test.isidentifier():
            test = _flag(bench, guard, root, test)
        add_conjunct(draft, source, guard, test)
        _follow(bench, guard, outside, root, test)
        return draft.finish(f"Ask for `{root}` as well")
    if isinstance(guard, cst.Try):
        _widen(draft, source, guard)
        return draft.finish("Catch what an absence raises")
    raise Refusal("no guard stands around the import")


def _outside(workshop: Workshop, source: Source, guard: cst.If, root: str) -> Iterator[NameUse]:
    """The uses, outside of the guard, of what its imports bind."""
    names: list[str] = []
    for one in imports_in(source, guard.body):
        if source.enclosing(one, cst.FunctionDef) is None and root in roots_of(workshop, one):
            names += bound_names(one)
    start, end = source.span(guard)
    for use in uses_of(source, names):
        if use.when == "call" and not start <= source.span(use.node)[0] < end:
            yield use


def roots_of(workshop: Workshop, statement: cst.Import | cst.ImportFrom) -> set[str]:
    """The import roots that a statement asks for."""
    if isinstance(statement, cst.ImportFrom):
        return {workshop.survey.declared.root_of(dotted(statement))} if not statement.relative else set()
    return {workshop.survey.declared.root_of(spelled(alias.name)) for alias in statement.names}


def _flag(bench: Bench, guard: cst.If, root: str, test: str) -> str:
    """A name for the answer, since functions ask for it as well."""
    habit = habit_of(bench.workshop.survey, bench.workshop.module_of(bench.source.path))
    name = bench.source.fresh_name(habit.flag(root) or Habit("HAS_").flag(root) or "HAS_IT")
    bench.draft.insert_before(bench.source, guard, f"{name} = {test}\n")
    return name


def _follow(bench: Bench, guard: cst.If, outside: list[NameUse], root: str, test: str) -> None:
    """Uses under the same test get the same conjunct; others say what to install."""
    old, done = bench.source.code(guard.test), set()
    others = []
    for use in outside:
        if any(
            test in bench.source.code(one.test)
            for one in bench.source.ancestors(use.node)
            if isinstance(one, (cst.If, cst.IfExp))
        ):
            continue
        same = next(
            (
                one
                for one in bench.source.ancestors(use.node)
                if isinstance(one, cst.If) and bench.source.code(one.test) == old
            ),
            None,
        )
        if same is None:
            others.append(use)
        elif same not in done:
            done.add(same)
            add_conjunct(bench.draft, bench.source, same, test)
    insert_checks(bench, others, root, test)


def _guard(source: Source, statement: cst.CSTNode) -> cst.If | cst.Try | None:
    """The innermost `if` whose branch, or `try` whose body, the statement stands in."""
    inner = statement
    for around in source.ancestors(statement):
        if isinstance(around, cst.If) and inner is around.body:
            return around
        if isinstance(around, (cst.If, cst.Else, cst.ExceptHandler)) and inner is not around:
            if isinstance(around, cst.ExceptHandler):
                raise Refusal("the import is itself the fall-back for another")
            if isinstance(around, cst.Else) and isinstance(source.parent(around), cst.If):
                raise Refusal("the import stands in the `else` of its guard")
        if isinstance(around, cst.Try) and inner is around.body and around.handlers:
            return around
        if isinstance(around, (cst.FunctionDef, cst.ClassDef)):
            return None
        inner = around
    return None


def add_conjunct(draft: Draft, source: Source, guard: cst.If, test: str) -> None:
    """`if old and test:`; an `or` in the old test gets parentheses."""
    old = guard.test
    start, end = source.span(old)
    if (
        isinstance(old, (cst.BooleanOperation, cst.IfExp, cst.Lambda, cst.NamedExpr))
        and not old.lpar
        and not _is_and(old)
    ):
        draft.insert(source, start, "(")
        draft.insert(source, end, f") and {test}")
        return
    after = end
    for _ in old.rpar:
        after = source.text.index(")", after) + 1
    if old.lpar and source.line_of(start) != source.line_of(after) and _is_and(old):
        draft.insert(source, end, f"\n{source.indent_at(end)}and {test}")
        return
    draft.insert(source, after, f" and {test}")


def _is_and(test: cst.BaseExpression) -> bool:
    return isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.And)


def _widen(draft: Draft, source: Source, guard: cst.Try) -> None:
    for handler in guard.handlers:
        caught = handler.type
        if caught is None or spelled(caught) in _WIDE:
            raise Refusal("the handler catches the absence already")
        if isinstance(caught, cst.Tuple):
            last = caught.elements[-1].value
            draft.insert(source, source.span(last)[1], ", ImportError")
        elif spelled(caught) == "ModuleNotFoundError":
            draft.replace_node(source, caught, "ImportError")
        else:
            draft.replace_node(source, caught, f"(ImportError, {source.code(caught)})")
        return
    raise Refusal("the `try` has no handler")


REPAIR = Repair(codes=("OPD102",), build=build)
