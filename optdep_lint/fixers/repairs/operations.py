"""OPD301: the definitions that need an operation move into the guard under which it is registered, importers included."""

from __future__ import annotations

import libcst as cst

from optdep_lint.findings import Finding, Fix
from optdep_lint.fixers import Refusal, Repair
from optdep_lint.fixers.bench import Bench
from optdep_lint.fixers.conditions import presence_test
from optdep_lint.fixers.draft import Draft, indented
from optdep_lint.fixers.importers import Importers
from optdep_lint.fixers.imports import spelled
from optdep_lint.fixers.layout import moved
from optdep_lint.fixers.moving import Family, is_definition
from optdep_lint.fixers.placing import top_statement
from optdep_lint.fixers.repairs.conjunct import roots_of
from optdep_lint.fixers.source import Source
from optdep_lint.fixers.uses import imports_in
from optdep_lint.fixers.workshop import Workshop

Guard = cst.If | cst.Try


def build(finding: Finding, workshop: Workshop) -> Fix:
    """Move them, and guard whoever imports them."""
    source = workshop.source(finding.path)
    statement = source.statement_at(finding.span.line, finding.span.column)
    first = top_statement(source, statement)
    if not is_definition(first):
        raise Refusal("the operation is not used in a class or function at the top of the file")
    assert isinstance(first, (cst.FunctionDef, cst.ClassDef))
    root = finding.absent or ""
    draft = Draft()
    bench = Bench(draft, workshop, source)
    draft.unsafe.append("what is defined under the guard is missing where the operation is")
    guard = _guard(source, finding, first) or _importing(workshop, source, root, first)
    family, wrapped = _family(source, guard, first)
    test = spelled(guard.test) if isinstance(guard, cst.If) else None
    if guard is not None and not wrapped:
        exported = _exports(draft, source, family, guard, test)
        _move(draft, source, family, guard, exported)
    else:
        test = test or _test(bench, root, first)
        exported = _exports(draft, source, family, family.members[0], test)
        _wrap(draft, source, family, test, exported)
    importers = Importers(draft, workshop, root)
    importers.repair(workshop.module_of(finding.path), family.names)
    defined = ", ".join(f"`{name}`" for name in family.names)
    return draft.finish(f"Define {defined} under the guard of the operation{importers.listed}")


def _family(source: Source, guard: Guard | None, first: cst.FunctionDef | cst.ClassDef) -> tuple[Family, bool]:
    """What moves, and whether it gets a guard of its own where it stands."""
    if guard is None:
        return Family(source, None, first), True
    try:
        return Family(source, guard, first), False
    except Refusal:
        if not isinstance(guard, cst.If):
            raise
        return Family(source, None, first), True


def _guard(source: Source, finding: Finding, first: cst.CSTNode) -> Guard | None:
    """The statement at the top of the same file under which the operation is registered; None where that is elsewhere."""
    if not finding.because or finding.because[0].path != finding.path:
        return None
    registration = source.offset(finding.because[0].line, 1)
    for one in source.module.body:
        start, end = source.span(one)
        if start <= source.line_end(registration) - 1 and registration < end:
            if isinstance(one, cst.If) and _is_within(source, registration, one.body) and start < source.span(first)[0]:
                return one
            if (
                isinstance(one, cst.Try)
                and _is_within(source, registration, one.body)
                and start < source.span(first)[0]
            ):
                if one.finalbody is not None or not one.handlers:
                    raise Refusal("the operation is registered under a `try` with a `finally`")
                return one
    raise Refusal("the operation is not registered directly under an `if` or a `try` above the definition")


def _importing(workshop: Workshop, source: Source, root: str, first: cst.CSTNode) -> Guard | None:
    """The guard above the definition under which the root itself is imported: that is what registers its operations."""
    for one in source.module.body:
        if source.span(one)[0] >= source.span(first)[0]:
            return None
        if isinstance(one, (cst.If, cst.Try)) and root:
            for statement in imports_in(source, one.body):
                if source.enclosing(statement, cst.FunctionDef) is None and root in roots_of(workshop, statement):
                    return one
    return None


def _is_within(source: Source, offset: int, body: cst.BaseSuite) -> bool:
    first, last = source.span(body.body[0])[0], source.span(body.body[-1])[1]
    return source.line_start(first) <= offset < last


def _test(bench: Bench, root: str, place: cst.CSTNode) -> str:
    if not root:
        raise Refusal("the operation is registered in another module, under a test of the platform alone")
    return presence_test(bench, root, place)


# --- into the guard --------------------------------------------------------------------------------------------------


def _move(draft: Draft, source: Source, family: Family, guard: Guard, exported: str) -> None:
    """At the end of the guard's body, or in the `else` of a `try`."""
    indent = source.unit
    lines = family.lines(indent)
    if isinstance(guard, cst.If):
        if isinstance(guard.body, cst.SimpleStatementSuite):
            raise Refusal("the guard stands on one line")
        at, text = source.block_end(guard.body.body[-1]), f"\n{lines}"
    elif guard.orelse is not None:
        at, text = source.block_end(guard), f"\n{lines}"
    else:
        at, text = source.block_end(guard), f"else:\n\n{lines}"
    if exported:
        text += f"\n\n{indented(exported, indent)}"
    placed = False
    for one in family.members:
        start, end = _extent(source, one)
        if start == at:
            draft.replace(source, start, end, text + "\n")
            placed = True
        else:
            draft.remove_lines(source, start, end)
    if not placed:
        draft.insert_line(source, at, text)


def _extent(source: Source, statement: cst.CSTNode) -> tuple[int, int]:
    """Whole lines of a statement, its comments, and the blank lines above it."""
    start, end = source.leading_start(statement), source.block_end(statement)
    while start > 0:
        above = source.line_start(start - 1)
        if source.text[above:start].strip():
            break
        start = above
    return start, end


def _wrap(draft: Draft, source: Source, family: Family, test: str, exported: str) -> None:
    """A guard of their own around each run of definitions."""
    *_, last = runs = family.runs()
    for run in runs:
        start, end = source.leading_start(run[0]), source.block_end(run[-1])
        if _follows_imports(source, run[0]):
            while start > 1 and _is_blank(source, start - 1) and _is_blank(source, source.line_start(start - 1) - 1):
                start = source.line_start(start - 1)
        body = moved(source, source.leading_start(run[0]), end, "", source.unit)
        while "\n\n\n" in body:
            body = body.replace("\n\n\n", "\n\n")
        if exported and run is last:
            body += f"\n\n{indented(exported, source.unit)}"
        tail = "\n" if source.text[end - 1 : end] in ("\r", "\n") else ""
        draft.replace(source, start, end, f"if {test}:\n\n{body}{tail}")


def _follows_imports(source: Source, statement: cst.CSTNode) -> bool:
    """The statement above is an import: of blank lines below, which a definition has two of, one is left."""
    index = source.module.body.index(statement)
    above = source.module.body[index - 1] if index else None
    return isinstance(above, cst.SimpleStatementLine) and isinstance(above.body[-1], (cst.Import, cst.ImportFrom))


def _is_blank(source: Source, offset: int) -> bool:
    return not source.text[source.line_start(offset) : source.line_end(offset)].strip()


# --- __all__ ---------------------------------------------------------------------------------------------------------


def _all_of(source: Source) -> tuple[cst.Assign, cst.List | cst.Tuple] | None:
    for line in source.module.body:
        if isinstance(line, cst.SimpleStatementLine) and isinstance(line.body[0], cst.Assign):
            assign = line.body[0]
            if spelled(assign.targets[0].target) == "__all__" and isinstance(assign.value, (cst.List, cst.Tuple)):
                return assign, assign.value
    return None


def _exports(draft: Draft, source: Source, family: Family, below: cst.CSTNode, test: str | None) -> str:
    """Take the names that move out of `__all__`; gives the statement that adds them again, for the end of the guard.

    Where `__all__` stands below the guard they are added behind it, under the guard's `test`, and the result is empty.
    """
    found = _all_of(source)
    names = [name for name in family.names if found is not None and name in _strings(found[1])]
    if found is None or not names:
        return ""
    assign, display = found
    inside = ", ".join(f'"{name}"' for name in names)
    exported = f"__all__ += [{inside}]" if isinstance(display, cst.List) else f"__all__ += ({inside},)"
    exported = "\n".join([*_remove_names(draft, source, display, set(family.names)), exported])
    if source.span(assign)[0] < source.span(below)[0]:
        return exported
    if test is None:
        raise Refusal("`__all__` names it, and stands below the `try` under which the operation is registered")
    draft.insert_after(source, assign, f"if {test}:\n{indented(exported, source.unit)}")
    return ""


def _remove_names(draft: Draft, source: Source, display: cst.List | cst.Tuple, gone: set[str]) -> list[str]:
    """Take names out of a display; gives the comments that stood behind them, on lines of their own."""
    left = [one for one in display.elements if not _is_one_of(one.value, gone)]
    lines = [
        line for one in display.elements if one not in left
        if (line := _own_line(source, one.value)) is not None
    ]  # fmt: skip
    start, end = source.whole(display)
    opening, closing = ("[", "]") if isinstance(display, cst.List) else ("(", ")")
    if left and len(lines) + len(left) == len(display.elements):
        for first, last, _ in lines:
            draft.remove_lines(source, first, last)
    else:
        tail = "," if opening == "(" and len(left) == 1 else ""
        inside = ", ".join(source.code(item.value) for item in left)
        draft.replace(source, start, end, f"{opening}{inside}{tail}{closing}")
    return [comment for _, _, comment in lines if comment]


def _is_one_of(value: cst.BaseExpression, names: set[str]) -> bool:
    return isinstance(value, cst.SimpleString) and value.evaluated_value in names


def _own_line(source: Source, value: cst.BaseExpression) -> tuple[int, int, str] | None:
    """Where the line begins and ends on which an element stands alone, and its comment; None where others stand there."""
    start, end = source.span(value)
    first, last = source.line_start(start), source.line_end(end)
    behind = source.text[end:last].strip().removeprefix(",").strip()
    if source.text[first:start].strip() or not (behind.startswith("#") or not behind):
        return None
    return first, last, behind


def _strings(display: cst.List | cst.Tuple) -> set[str]:
    values = (one.value.evaluated_value for one in display.elements if isinstance(one.value, cst.SimpleString))
    return {value for value in values if isinstance(value, str)}


REPAIR = Repair(codes=("OPD301",), build=build)
