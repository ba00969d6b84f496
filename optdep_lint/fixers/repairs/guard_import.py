"""OPD101: the import gets a guard, and the functions that use it an error that says what to install."""

from __future__ import annotations

import libcst as cst

from optdep_lint.findings import Finding, Fix
from optdep_lint.fixers import Refusal, Repair
from optdep_lint.fixers.absence import check_uses, fallbacks_of, guard_fallback, targets_of
from optdep_lint.fixers.bench import Bench
from optdep_lint.fixers.draft import Draft, comment_behind, indented
from optdep_lint.fixers.idioms import habit_of
from optdep_lint.fixers.imports import spelled
from optdep_lint.fixers.layout import moved, set_apart
from optdep_lint.fixers.sentinels import guarded
from optdep_lint.fixers.source import Source
from optdep_lint.fixers.uses import bound_names, imports_in
from optdep_lint.fixers.workshop import Workshop

Import = cst.Import | cst.ImportFrom


def build(finding: Finding, workshop: Workshop) -> Fix:
    """Guard every unguarded import of the root at the top of the file, and check in the functions that use it."""
    source = workshop.source(finding.path)
    root = finding.absent or ""
    statement = source.statement_at(finding.span.line, finding.span.column)
    if not isinstance(statement, (cst.Import, cst.ImportFrom)):
        raise Refusal("what fails is not an import statement at the top of the file")
    if any(isinstance(around, (cst.FunctionDef, cst.ClassDef)) for around in source.ancestors(statement)):
        raise Refusal("the import stands in a class body, or in a function that is called while the module is imported")
    if _refuses_already(source, statement):
        raise Refusal("where it is missing, the `try` around it already says so and gives up, on purpose")
    draft = Draft()
    if finding.code == "OPD602":
        draft.unsafe.append("it may be a requirement that somebody forgot to declare")
    bench = Bench(draft, workshop, source)
    imports = _imports_of(workshop, source, statement, root)
    names = [name for one in imports for name in _optional_names(workshop, one, root)]
    if not names:
        raise Refusal("nobody knows which names a star import binds")
    flag = habit_of(workshop.survey, workshop.module_of(finding.path)).flag(root)
    if flag is not None:
        flag = source.fresh_name(flag)
    for group in _groups(source, imports):
        _guard(bench, group, root, flag)
    check_uses(bench, names, root, flag)
    for one in fallbacks_of(bench, root):
        guard_fallback(bench, one, root)
    return draft.finish(f"Guard the import of `{root}`, and say what to install where it is needed")


def _refuses_already(source: Source, statement: Import) -> bool:
    """A handler around the import raises an error of its own."""
    inner: cst.CSTNode = statement
    for around in source.ancestors(statement):
        if isinstance(around, cst.Try) and inner is around.body:
            return any(_raises(handler) for handler in around.handlers)
        inner = around
    return False


def _raises(handler: cst.ExceptHandler) -> bool:
    last = handler.body.body[-1]
    return isinstance(last.body[-1] if isinstance(last, cst.SimpleStatementLine) else last, cst.Raise)


def _imports_of(workshop: Workshop, source: Source, statement: Import, root: str) -> list[Import]:
    """The import and its siblings of the same root that nothing guards either."""
    block = source.parent(source.parent(statement) or statement)
    found = []
    for one in imports_in(source):
        same = source.parent(source.parent(one) or one) is block
        if same and (
            one is statement or any(workshop.survey.declared.root_of(target) == root for target in targets_of(one))
        ):
            found.append(one)
    return found


def _optional_names(workshop: Workshop, statement: Import, root: str) -> list[str]:
    """The names that are gone with the root."""
    if isinstance(statement, cst.ImportFrom):
        return bound_names(statement)
    mine = [alias for alias in statement.names if workshop.survey.declared.root_of(spelled(alias.name)) == root]
    return (
        bound_names(cst.Import([alias.with_changes(comma=cst.MaybeSentinel.DEFAULT) for alias in mine])) if mine else []
    )


def _groups(source: Source, imports: list[Import]) -> list[list[Import]]:
    """Imports that follow each other directly, those that share a line or a statement with others by themselves."""
    groups: list[list[Import]] = []
    for one in imports:
        between = source.text[source.span(groups[-1][-1])[1] : source.span(one)[0]] if groups else "none"
        if not between.strip(" \t\r\n;") and _is_shared(source, one) == _is_shared(source, groups[-1][-1]):
            groups[-1].append(one)
        else:
            groups.append([one])
    return groups


def _is_shared(source: Source, statement: Import) -> bool:
    """Others stand on its line, or it imports several modules."""
    line = source.parent(statement)
    return not isinstance(line, cst.SimpleStatementLine) or len(line.body) > 1 or len(targets_of(statement)) > 1


def _guard(bench: Bench, group: list[Import], root: str, flag: str | None) -> None:
    if _is_shared(bench.source, group[0]):
        _guard_shared_line(bench, group, root, flag)
        return
    start, end = bench.source.line_start(bench.source.span(group[0])[0]), bench.source.block_end(group[-1])
    indent = bench.source.indent_at(start)
    body = moved(bench.source, start, end, indent, indent + bench.source.unit)
    text = _guarded(bench, [name for one in group for name in bound_names(one)], body, indent, flag)
    bench.draft.replace(bench.source, start, end, set_apart(bench.source, start, end, text))


def _guarded(bench: Bench, names: list[str], body: str, indent: str, flag: str | None) -> str:
    unit = indent + bench.source.unit
    if flag is not None:
        return f"{indent}try:\n{body}\n\n{unit}{flag} = True\n{indent}except ImportError:\n{unit}{flag} = False"
    return guarded(bench, names, body, indent)


def _guard_shared_line(bench: Bench, group: list[Import], root: str, flag: str | None) -> None:
    """Imports that share a line, or a statement, with others get lines of their own."""
    by_line: dict[cst.CSTNode, list[Import]] = {}
    for one in group:
        line = bench.source.parent(one)
        if not isinstance(line, cst.SimpleStatementLine):
            raise Refusal("the import shares its line with the statement around it")
        by_line.setdefault(line, []).append(one)
    for line, imports in by_line.items():
        assert isinstance(line, cst.SimpleStatementLine)
        _guard_part_of_line(bench, line, imports, root, flag)


def _guard_part_of_line(
    bench: Bench, line: cst.SimpleStatementLine, imports: list[Import], root: str, flag: str | None
) -> None:
    """Some imports of a line, which follow each other, and what else stands before and behind them."""
    workshop = bench.workshop
    kept = "".join(f"{text}\n" for text in (_kept(workshop, one, root) for one in imports) if text)
    body = indented("\n".join(_taken(workshop, one, root) for one in imports), bench.source.unit)
    body += comment_behind(line, imports[-1])
    names = [name for one in imports for name in _optional_names(workshop, one, root)]
    bench.draft.give_lines(bench.source, line, [*imports], kept + _guarded(bench, names, body, "", flag))


def _kept(workshop: Workshop, statement: Import, root: str) -> str:
    if isinstance(statement, cst.ImportFrom):
        return ""
    return _import_line([a for a in statement.names if workshop.survey.declared.root_of(spelled(a.name)) != root])


def _taken(workshop: Workshop, statement: Import, root: str) -> str:
    if isinstance(statement, cst.ImportFrom):
        return spelled(statement)
    return _import_line([a for a in statement.names if workshop.survey.declared.root_of(spelled(a.name)) == root])


def _import_line(aliases: list[cst.ImportAlias]) -> str:
    return (
        spelled(cst.Import([one.with_changes(comma=cst.MaybeSentinel.DEFAULT) for one in aliases])) if aliases else ""
    )


REPAIR = Repair(codes=("OPD101", "OPD602"), build=build)
