"""OPD404, OPD405: one `try` for each import, around the import alone, with a handler for absence alone."""

from __future__ import annotations

import re
from collections.abc import Iterator

import libcst as cst

from optdep_lint.findings import Finding, Fix
from optdep_lint.fixers import Refusal, Repair
from optdep_lint.fixers.bench import Bench
from optdep_lint.fixers.draft import Draft, indented
from optdep_lint.fixers.imports import dotted, spelled
from optdep_lint.fixers.layout import moved
from optdep_lint.fixers.source import Source
from optdep_lint.fixers.uses import bound_names
from optdep_lint.fixers.workshop import Workshop

_FOR_TOOLS = re.compile(r"#\s*(?:pragma|noqa|type:|pylint|pyright|ruff)")
_WIDE = ("Exception", "BaseException", "ImportError", "ModuleNotFoundError")
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

    def __init__(self, statement: cst.Import | cst.ImportFrom) -> None:
        self.names = set(bound_names(statement))
        module = dotted(statement) if isinstance(statement, cst.ImportFrom) else spelled(statement.names[0].name)
        self.words = {
            word.replace("_", "").lower() for word in (*self.names, module.partition(".")[0], module.rpartition(".")[2])
        }
        self.root = module.partition(".")[0]
        self.imports: list[str] = []
        """The lines of the imports themselves, without indentation, comments with them."""
        self.body: list[str] = []
        """Those of what is set where they succeed."""
        self.handler: list[str] = []
        """Those of what is set where they do not."""


def _split(draft: Draft, source: Source, node: cst.Try) -> None:
    if node.finalbody is not None or len(node.handlers) != 1:
        raise Refusal("the `try` has a `finally` or several handlers")
    handler = node.handlers[0]
    groups: list[_Group] = []
    for statement, text in _statements(source, node.body):
        if isinstance(statement, (cst.Import, cst.ImportFrom)):
            _group_of(groups, statement).imports.append(text)
        else:
            _deal_out(groups, statement, source.code(statement), text, "body")
    lead = _header_comment(node.orelse.body) if node.orelse is not None else ""
    for statement, text in _statements(source, node.orelse.body) if node.orelse is not None else ():
        _deal_out(groups, statement, source.code(statement), f"{lead}\n{text}" if lead else text, "body")
        lead = ""
    for statement, text in _statements(source, handler.body):
        if not isinstance(statement, cst.Pass):
            _deal_out(groups, statement, source.code(statement), text, "handler")
    start, end = source.line_start(source.span(node)[0]), source.block_end(node)
    if source.text[start : source.span(node)[0]].strip():
        raise Refusal("the `try` shares its line")
    indent = source.indent_at(start)
    lead = _header_comment(handler.body)
    pieces = [
        _piece(source, group, handler, lead if group is groups[0] or _FOR_TOOLS.match(lead) else "") for group in groups
    ]
    comment = _header_comment(node.body)
    if comment:
        pieces[0] = pieces[0].replace("try:", f"try:  {comment}", 1)
    tail = "\n" if source.text[end - 1 : end] in ("\r", "\n") else ""
    draft.replace(source, start, end, indented("\n\n".join(pieces), indent) + tail)


def _statements(source: Source, body: cst.BaseSuite) -> Iterator[tuple[cst.BaseSmallStatement, str]]:
    """The simple statements of a block, each with its lines; raises Refusal where there is another."""
    if isinstance(body, cst.SimpleStatementSuite):
        for one in body.body:
            comment = body.trailing_whitespace.comment if one is body.body[-1] else None
            yield one, source.code(one) + (f"  {comment.value}" if comment is not None else "")
        return
    for line in body.body:
        if not isinstance(line, cst.SimpleStatementLine):
            raise Refusal("the `try` does more than import and set names")
        start, end = source.leading_start(line), source.block_end(line)
        first, last = source.span(line.body[0])[0], source.span(line.body[-1])[1]
        if any(mark in source.text[start:end] for mark in ('"""', "'''")):
            raise Refusal("a string in the `try` is written on several lines")
        if len(line.body) == 1:
            yield line.body[0], moved(source, start, end, source.indent_at(first), "")
            continue
        for one in line.body:
            text = source.code(one)
            if one is line.body[0] and source.line_start(first) > start:
                text = f"{moved(source, start, source.line_start(first), source.indent_at(first), '')}\n{text}"
            if one is line.body[-1] and line.trailing_whitespace.comment is not None:
                text += source.text[last:end].rstrip()
            yield one, text


def _header_comment(body: cst.BaseSuite) -> str:
    """The comment behind the colon above a block."""
    comment = body.header.comment if isinstance(body, cst.IndentedBlock) else None
    return comment.value if comment is not None else ""


def _group_of(groups: list[_Group], statement: cst.Import | cst.ImportFrom) -> _Group:
    """The group of the imports of a root."""
    group = _Group(statement)
    known = next((one for one in groups if one.root == group.root and not group.root.startswith(".")), None)
    if known is None:
        groups.append(group)
        return group
    known.names |= group.names
    known.words |= group.words
    return known


def _deal_out(groups: list[_Group], statement: cst.BaseSmallStatement, code: str, text: str, part: str) -> None:
    """Give an assignment to the group that it belongs to; one of a constant to several names, to each its own.

    Its comments, which stand in the text around its code, stay with the first.
    """
    if not isinstance(statement, (cst.Assign, cst.AnnAssign)):
        raise Refusal("the `try` does more than import and set names")
    targets = [one.target for one in statement.targets] if isinstance(statement, cst.Assign) else [statement.target]
    owners = [_owner(groups, spelled(target)) for target in targets]
    if all(one is owners[0] for one in owners):
        getattr(owners[0], part).append(text)
        return
    if statement.value is None or spelled(statement.value) not in ("None", "True", "False"):
        raise Refusal("several names are bound in one statement")
    for owner, target in zip(owners, targets, strict=True):
        single = f"{spelled(target)} = {spelled(statement.value)}"
        getattr(owner, part).append(text.replace(code, single) if target is targets[0] else single)


def _owner(groups: list[_Group], target: str) -> _Group:
    """The group that binds or reads a name, or is called like it."""
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


def _piece(source: Source, group: _Group, handler: cst.ExceptHandler, comment: str) -> str:
    unit = source.unit
    start = source.span(handler)[0]
    colon = source.text.index(":", source.whole(handler.type)[1] if handler.type is not None else start)
    head = source.text[start : colon + 1] + (f"  {comment}" if comment else "")
    body = indented("\n".join(group.imports), unit)
    if group.body:
        body += "\n\n" + indented("\n".join(group.body), unit)
    rest = indented("\n".join(group.handler) or "pass", unit)
    return f"try:\n{body}\n{head}\n{rest}"


# --- OPD405 ----------------------------------------------------------------------------------------------------------


def _narrow(draft: Draft, source: Source, handler: cst.ExceptHandler) -> None:
    if handler.type is None:
        start = source.span(handler)[0]
        draft.replace(source, start, start + len("except"), "except ImportError")
        return
    if any(name in spelled(handler.type) for name in _KEPT):
        raise Refusal("the handler also names what native code raises that does not load")
    elements = handler.type.elements if isinstance(handler.type, cst.Tuple) else ()
    others = [source.code(one.value) for one in elements if spelled(one.value) not in _WIDE]
    start, end = source.whole(handler.type)
    draft.replace(source, start, end, f"({', '.join(['ImportError', *others])})" if others else "ImportError")


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
    if any(len(line.body) > 1 for line in lines[: last + 1] if isinstance(line, cst.SimpleStatementLine)):
        raise Refusal("the optional import shares its line with something else")
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
