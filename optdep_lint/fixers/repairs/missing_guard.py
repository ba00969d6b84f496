"""OPD201, OPD202, OPD204: a check that leaves with an ImportError stands before the use."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from optdep_lint.findings import Finding, Fix
from optdep_lint.fixers import Refusal, Repair
from optdep_lint.fixers.checks import function_label, insert_check, raise_lines
from optdep_lint.fixers.draft import Draft, indented
from optdep_lint.fixers.imports import spelled
from optdep_lint.fixers.repairs.guard_import import sentinel
from optdep_lint.fixers.source import Source
from optdep_lint.fixers.uses import bound_names
from optdep_lint.fixers.workshop import Workshop
from optdep_lint.world.values import Constant


def build(finding: Finding, workshop: Workshop) -> Fix:
    """Insert the check that is missing."""
    source = workshop.source(finding.path)
    draft = Draft()
    if finding.code == "OPD204":
        _leave(draft, workshop, source, finding)
    else:
        use = _use(source, finding)
        test = _absence_test(draft, workshop, source, finding, use)
        insert_check(draft, workshop, source, use, test, finding.absent or "")
    return draft.finish(f"Say what to install where `{finding.absent}` is needed and not there")


def _use(source: Source, finding: Finding) -> cst.Name:
    """The name at the finding's place."""
    node = source.at(finding.span.line, finding.span.column, cst.BaseExpression)
    while isinstance(node, (cst.Attribute, cst.Call, cst.Subscript, cst.Await)):
        node = node.func if isinstance(node, cst.Call) else node.expression if isinstance(node, cst.Await) else node.value
    if isinstance(node, cst.BinaryOperation):
        node = node.left
    if not isinstance(node, cst.Name):
        raise Refusal("what is missing is not a plain name")
    return node


def _absence_test(draft: Draft, workshop: Workshop, source: Source, finding: Finding, use: cst.Name) -> str:
    """What is true where the name is not usable: the project's flag, or the sentinel; one is made where there is none."""
    name, root = use.value, finding.absent or ""
    module = workshop.survey.tree.sources[workshop.module_of(finding.path)]
    value = workshop.availability.without(root).modules[module.name].namespace.get(name)
    if isinstance(value, Constant):
        return f"{name} is None" if value.value is None else f"not {name}"
    flag = next((probe for probe in workshop.availability.probes(root) if probe.module == module.name), None)
    binder = _binder(source, name)
    if isinstance(binder, cst.If) and _is_bare_test(binder.test):
        return _negated(spelled(binder.test))
    if flag is not None and source.line_of(source.span(binder)[0]) > 0:
        return f"not {flag.expression}"
    _add_sentinel(draft, workshop, source, binder, name)
    return f"{name} is None"


def _binder(source: Source, name: str) -> cst.Try | cst.If | cst.With:
    """The statement at the top of the file under which the name is imported."""
    for kind in (cst.Import, cst.ImportFrom):
        for statement in source.all(kind):
            if name not in bound_names(statement) or source.enclosing(statement, cst.FunctionDef) is not None:
                continue
            for around in source.ancestors(statement):
                if isinstance(around, (cst.Try, cst.If, cst.With)):
                    return around
    raise Refusal(f"where `{name}` is bound was not found")


def _is_bare_test(test: cst.BaseExpression) -> bool:
    """A flag, or a probe called without arguments."""
    if isinstance(test, cst.Call):
        return not test.args and isinstance(test.func, (cst.Name, cst.Attribute))
    return isinstance(test, (cst.Name, cst.Attribute))


def _negated(test: str) -> str:
    return f"not {test}"


def _add_sentinel(draft: Draft, workshop: Workshop, source: Source, binder: cst.CSTNode, name: str) -> None:
    """Bind the name to None where the import does not bind it."""
    line = sentinel(workshop, source, name)
    if isinstance(binder, cst.Try):
        for handler in binder.handlers:
            _append(draft, source, handler.body, line)
    elif isinstance(binder, cst.With):
        typed = workshop.is_typed(source)
        draft.insert_before(source, binder, f"{name} = None" + ("  # type: ignore[assignment]" if typed else ""))
    elif isinstance(binder, cst.If) and binder.orelse is None:
        indent = source.indent_at(source.span(binder)[0])
        draft.insert_line(source, source.block_end(binder), f"{indent}else:\n{indent}{source.unit}{line}")
    else:
        raise Refusal(f"`{name}` is bound in a way that the fix cannot follow")


def _append(draft: Draft, source: Source, body: cst.BaseSuite, line: str) -> None:
    """Put a statement at the end of a handler, or in the place of its `pass`."""
    statements: Sequence[cst.CSTNode] = body.body
    last = statements[-1]
    small = last.body[-1] if isinstance(last, cst.SimpleStatementLine) else last
    if _leaves(small):
        return
    if isinstance(small, cst.Pass) and len(statements) == 1:
        draft.replace_node(source, small, line)
    elif isinstance(small, cst.BaseSmallStatement):
        draft.insert_after(source, small, line)
    elif isinstance(last, cst.BaseCompoundStatement):
        draft.insert_after(source, last, line)
    else:
        raise Refusal("the handler's end was not found")


def _leaves(statement: cst.CSTNode) -> bool:
    return isinstance(statement, (cst.Raise, cst.Return, cst.Continue, cst.Break))


# --- OPD204 ----------------------------------------------------------------------------------------------------------


def _leave(draft: Draft, workshop: Workshop, source: Source, finding: Finding) -> None:
    """Let the branch that has noticed the absence leave."""
    guard = source.at(finding.span.line, finding.span.column, cst.If)
    if guard is None:
        raise Refusal("the guard is not an `if` statement")
    root = finding.absent or ""
    body = guard.body
    indent = source.indent_at(source.span(guard)[0]) + source.unit
    lines = raise_lines(workshop, source, root, function_label(source, guard), depth=len(indent))
    last = body.body[-1]
    small = last.body[-1] if isinstance(last, cst.SimpleStatementLine) else last
    if isinstance(small, cst.Pass) and len(body.body) == 1:
        if isinstance(body, cst.SimpleStatementSuite):
            draft.replace_node(source, small, raise_lines(workshop, source, root, function_label(source, guard)).replace("\n", ""))
        else:
            draft.replace_node(source, small, indented(lines, indent)[len(indent) :])
    elif isinstance(small, (cst.BaseSmallStatement, cst.BaseCompoundStatement)):
        draft.insert_after(source, small, lines)
    else:
        raise Refusal("the end of the guard was not found")


REPAIR = Repair(codes=("OPD201", "OPD202", "OPD204"), build=build)
