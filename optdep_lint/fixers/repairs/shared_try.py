"""OPD404, OPD405: one `try` for each import, around the import alone, with a handler for absence alone."""

from __future__ import annotations

import libcst as cst

from optdep_lint.findings import Finding, Fix
from optdep_lint.fixers import Refusal, Repair
from optdep_lint.fixers.bench import Bench
from optdep_lint.fixers.draft import Draft
from optdep_lint.fixers.imports import dotted, spelled
from optdep_lint.fixers.layout import moved
from optdep_lint.fixers.source import Source
from optdep_lint.fixers.uses import bound_names
from optdep_lint.fixers.workshop import Workshop

_KEPT = ("OSError", "RuntimeError", "AttributeError", "ValueError")


def build(finding: Finding, workshop: Workshop) -> Fix:
    """Split the `try`, narrow its handler, or move what does not belong into its `else`."""
    source = workshop.source(finding.path)
    draft = Draft()
    bench = Bench(draft, workshop, source)
    if finding.code == "OPD404":
        node = _try_around(source, source.statement_at(finding.span.line, finding.span.column))
        draft.unsafe.append("what was taken as missing together is now there by itself")
        _split(draft, source, node)
        return draft.finish("Give each import a `try` of its own")
    handler = source.at(finding.span.line, finding.span.column, cst.ExceptHandler)
    manager = source.at(finding.span.line, finding.span.column, cst.With)
    shares = any(step.path == finding.path for step in finding.because)
    if handler is None and manager is not None and not shares:
        draft.unsafe.append("failures that were hidden come to light")
        _narrow_suppress(draft, source, manager)
        return draft.finish("Suppress ImportError alone")
    found = (
        source.parent(handler) if handler is not None else source.at(finding.span.line, finding.span.column, cst.Try)
    )
    if not isinstance(found, cst.Try):
        raise Refusal("the handler was not found again")
    draft.unsafe.append("failures that were hidden come to light")
    if shares:
        _move_rest(bench, found)
        return draft.finish("Leave only the optional import in the `try`")
    _narrow(draft, source, handler or found.handlers[0])
    return draft.finish("Catch ImportError alone")


def _try_around(source: Source, statement: cst.CSTNode) -> cst.Try:
    block = source.parent(source.parent(statement) or statement)
    node = source.parent(block) if block is not None else None
    if not isinstance(node, cst.Try) or node.body is not block or not isinstance(block, cst.IndentedBlock):
        raise Refusal("the import does not stand directly in the `try`")
    return node


# --- OPD404 ----------------------------------------------------------------------------------------------------------


class _Group:
    """An import with what goes with it."""

    def __init__(self, line: cst.SimpleStatementLine, statement: cst.Import | cst.ImportFrom) -> None:
        self.lines: list[cst.SimpleStatementLine] = [line]
        self.names = set(bound_names(statement))
        module = dotted(statement) if isinstance(statement, cst.ImportFrom) else spelled(statement.names[0].name)
        self.words = {
            word.replace("_", "").lower() for word in (*self.names, module.partition(".")[0], module.rpartition(".")[2])
        }
        self.root = module.partition(".")[0]
        self.handler: list[cst.SimpleStatementLine] = []


def _split(draft: Draft, source: Source, node: cst.Try) -> None:
    if node.orelse is not None or node.finalbody is not None or len(node.handlers) != 1:
        raise Refusal("the `try` has an `else`, a `finally` or several handlers")
    handler = node.handlers[0]
    groups: list[_Group] = []
    for line in node.body.body:
        _sort_body(groups, line)
    for line in handler.body.body:
        _sort_handler(groups, line)
    start, end = source.line_start(source.span(node)[0]), source.block_end(node)
    if source.text[start : source.span(node)[0]].strip():
        raise Refusal("the `try` shares its line")
    indent = source.indent_at(start)
    pieces = [_piece(source, group, handler, indent) for group in groups]
    comment = node.body.header.comment if isinstance(node.body, cst.IndentedBlock) else None
    if comment is not None:
        pieces[0] = pieces[0].replace("try:", f"try:  {comment.value}", 1)
    tail = "\n" if source.text[end - 1 : end] in ("\r", "\n") else ""
    draft.replace(source, start, end, "\n\n".join(pieces) + tail)


def _sort_body(groups: list[_Group], line: cst.CSTNode) -> None:
    if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
        raise Refusal("the `try` does more than import and set flags")
    statement = line.body[0]
    if isinstance(statement, (cst.Import, cst.ImportFrom)):
        group = _Group(line, statement)
        known = next((one for one in groups if one.root == group.root and not group.root.startswith(".")), None)
        if known is None:
            groups.append(group)
        else:
            known.lines.append(line)
            known.names |= group.names
            known.words |= group.words
        return
    found = _owner(groups, statement)
    found.lines.append(line)


def _sort_handler(groups: list[_Group], line: cst.CSTNode) -> None:
    if not isinstance(line, cst.SimpleStatementLine) or len(line.body) != 1:
        raise Refusal("the handler does more than set names")
    statement = line.body[0]
    if isinstance(statement, cst.Pass):
        return
    if isinstance(statement, cst.Assign) and len(statement.targets) > 1 and isinstance(statement.value, cst.Name):
        raise Refusal("the handler binds several names in one statement")
    _owner(groups, statement).handler.append(line)


def _owner(groups: list[_Group], statement: cst.CSTNode) -> _Group:
    """The group that an assignment belongs to: it binds or reads the group's names, or is called like it."""
    if not isinstance(statement, (cst.Assign, cst.AnnAssign)):
        raise Refusal("the `try` does more than import and set flags")
    target = spelled(statement.targets[0].target if isinstance(statement, cst.Assign) else statement.target)
    for group in groups:
        if target in group.names:
            return group
    word = target.replace("_", "").lower()
    fitting = [group for group in groups if any(len(one) > 1 and one in word for one in group.words)]
    if len(fitting) > 1:
        longest = max(len(one) for group in fitting for one in group.words if one in word)
        fitting = [group for group in fitting if any(len(one) == longest and one in word for one in group.words)]
    if len(fitting) != 1:
        raise Refusal(f"nothing says which import `{target}` stands for")
    return fitting[0]


def _piece(source: Source, group: _Group, handler: cst.ExceptHandler, indent: str) -> str:
    unit = indent + source.unit
    body = _lines(source, group.lines, unit)
    start = source.span(handler)[0]
    colon = source.text.index(":", source.span(handler.type)[1] if handler.type is not None else start)
    head = (
        source.text[start : source.line_end(colon)].rstrip() if _is_block(handler) else source.text[start : colon + 1]
    )
    rest = _lines(source, group.handler, unit) if group.handler else f"{unit}pass"
    return f"{indent}try:\n{body}\n{indent}{head}\n{rest}"


def _is_block(handler: cst.ExceptHandler) -> bool:
    """Behind the colon nothing stands but a comment."""
    return isinstance(handler.body, cst.IndentedBlock)


def _lines(source: Source, lines: list[cst.SimpleStatementLine], indent: str) -> str:
    result = []
    for number, line in enumerate(lines):
        first = source.span(line.body[0])[0]
        text = moved(source, source.leading_start(line), source.block_end(line), source.indent_at(first), indent)
        imports = isinstance(line.body[0], (cst.Import, cst.ImportFrom))
        if number and not imports and isinstance(lines[number - 1].body[0], (cst.Import, cst.ImportFrom)):
            result.append("")
        result.append(text)
    return "\n".join(result)


# --- OPD405 ----------------------------------------------------------------------------------------------------------


def _narrow(draft: Draft, source: Source, handler: cst.ExceptHandler) -> None:
    if handler.type is None:
        start = source.span(handler)[0]
        draft.replace(source, start, start + len("except"), "except ImportError")
        return
    caught = spelled(handler.type)
    if any(name in caught for name in _KEPT):
        raise Refusal("the handler also names what native code raises that does not load")
    draft.replace_node(source, handler.type, "ImportError")
    if handler.type.lpar:
        raise Refusal("the handler's type stands in parentheses")


def _narrow_suppress(draft: Draft, source: Source, manager: cst.With) -> None:
    """`with suppress(Exception)` becomes `with suppress(ImportError)`."""
    call = manager.items[0].item
    if not isinstance(call, cst.Call) or len(manager.items) != 1 or len(call.args) != 1:
        raise Refusal("the `with` does more than suppress one kind of error")
    if spelled(call.args[0].value) not in ("Exception", "BaseException"):
        raise Refusal("the `with` names what it suppresses")
    draft.replace_node(source, call.args[0].value, "ImportError")


def _move_rest(bench: Bench, node: cst.Try) -> None:
    """All after the last optional import goes to the `else`; what comes before it is in the way."""
    if not isinstance(node.body, cst.IndentedBlock) or node.finalbody is not None:
        raise Refusal("the `try` has a `finally`, or stands on one line")
    lines = list(node.body.body)
    last = max((number for number, line in enumerate(lines) if _is_optional(bench.workshop, line)), default=-1)
    if last < 0 or not all(_is_import(line) for line in lines[: last + 1]):
        raise Refusal("the `try` does something else before the optional import")
    first = [line for line in lines[: last + 1] if not _is_optional(bench.workshop, line)]
    if first:
        raise Refusal("an import of the project itself comes before the optional one")
    rest = lines[last + 1 :]
    if not rest:
        raise Refusal("nothing in the `try` can move")
    start, end = bench.source.leading_start(rest[0]), bench.source.block_end(rest[-1])
    while start > 0 and not bench.source.text[bench.source.line_start(start - 1) : start].strip():
        start = bench.source.line_start(start - 1)
    outer = bench.source.indent_at(bench.source.span(node)[0])
    inner = bench.source.indent_at(bench.source.span(rest[0])[0])
    text = moved(bench.source, bench.source.leading_start(rest[0]), end, inner, outer + bench.source.unit)
    bench.draft.remove_lines(bench.source, start, end)
    if node.orelse is not None:
        bench.draft.insert_before(
            bench.source,
            _first_of(node.orelse),
            moved(bench.source, bench.source.leading_start(rest[0]), end, inner, ""),
        )
    else:
        bench.draft.insert_line(bench.source, bench.source.block_end(node), f"{outer}else:\n{text}")


def _first_of(node: cst.Else) -> cst.BaseSmallStatement | cst.BaseCompoundStatement:
    first = node.body.body[0]
    small = first.body[0] if isinstance(first, cst.SimpleStatementLine) else first
    assert isinstance(small, (cst.BaseSmallStatement, cst.BaseCompoundStatement))
    return small


def _is_import(line: cst.CSTNode) -> bool:
    return isinstance(line, cst.SimpleStatementLine) and all(
        isinstance(one, (cst.Import, cst.ImportFrom)) for one in line.body
    )


def _is_optional(workshop: Workshop, line: cst.CSTNode) -> bool:
    """The line imports an optional root."""
    if not isinstance(line, cst.SimpleStatementLine):
        return False
    for one in line.body:
        names = []
        if isinstance(one, cst.Import):
            names = [spelled(alias.name) for alias in one.names]
        elif isinstance(one, cst.ImportFrom) and not one.relative:
            names = [dotted(one)]
        if any(workshop.survey.declared.root_of(name) in workshop.survey.declared.optional for name in names):
            return True
    return False


REPAIR = Repair(codes=("OPD404", "OPD405"), build=build)
