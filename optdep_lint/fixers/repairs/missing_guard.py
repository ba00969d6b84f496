"""OPD201, OPD202, OPD204: a check that leaves with an ImportError stands before the use."""

# mypy: disable-error-code="type-abstract"
from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from optdep_lint.findings import Finding, Fix
from optdep_lint.fixers import Refusal, Repair
from optdep_lint.fixers.annotations import quote
from optdep_lint.fixers.bench import Bench
from optdep_lint.fixers.checks import insert_check, insert_checks, leave_lines
from optdep_lint.fixers.draft import Draft, indented
from optdep_lint.fixers.imports import import_name, spelled
from optdep_lint.fixers.sentinels import absent, is_annotation, sentinel
from optdep_lint.fixers.source import Source
from optdep_lint.fixers.uses import NameUse, bound_names, imports_in, uses_of
from optdep_lint.fixers.workshop import Workshop
from optdep_lint.world.values import Constant

_DEFINITIONS = (cst.FunctionDef, cst.ClassDef, cst.AssignTarget)


def build(finding: Finding, workshop: Workshop) -> Fix:
    """Insert the check that is missing."""
    source = workshop.source(finding.path)
    draft = Draft()
    bench = Bench(draft, workshop, source)
    if finding.code == "OPD204":
        _leave(bench, finding)
    else:
        use = _use(source, finding)
        if any(isinstance(around, cst.Annotation) for around in source.ancestors(use)):
            quote(bench, use)
            return draft.finish("Put the annotation in quotes")
        test = _absence_test(bench, finding, use)
        if test is not None:
            insert_check(bench, use, test, finding.absent or "")
        else:
            insert_checks(bench, _unasked(source, use), finding.absent or "", None)
    return draft.finish(f"Say what to install where `{finding.absent}` is needed and not there")


def _use(source: Source, finding: Finding) -> cst.Name:
    """The name at the finding's place."""
    node = source.at(finding.span.line, finding.span.column, cst.Name) or source.at(
        finding.span.line, finding.span.column, cst.BaseExpression
    )
    while isinstance(node, (cst.Attribute, cst.Call, cst.Subscript, cst.Await)):
        node = (
            node.func if isinstance(node, cst.Call) else node.expression if isinstance(node, cst.Await) else node.value
        )
    if not isinstance(node, cst.Name):
        raise Refusal("what is missing is not a plain name")
    return node


def _unasked(source: Source, use: cst.Name) -> list[NameUse]:
    """A use, and the others of its name that run on a call, under no test of it and in no `try`: all need a check."""

    def asked(node: cst.CSTNode) -> bool:
        for around in source.ancestors(node):
            if isinstance(around, cst.FunctionDef):
                return False
            if isinstance(around, cst.Try):
                return True
            if isinstance(around, (cst.If, cst.IfExp, cst.While)) and any(
                one.value == use.value and one is not node for one in source.all(cst.Name, around.test)
            ):
                return True
        return False

    found = (one for one in uses_of(source, [use.value]) if one.when == "call")
    return [one for one in found if one.node is use or not asked(one.node)]


def _absence_test(bench: Bench, finding: Finding, use: cst.Name) -> str | None:
    """What is true where the name is not usable: the project's flag, or the sentinel.

    Where there is none, a sentinel is made, of which nothing can know yet: None.
    """
    name, root = use.value, finding.absent or ""
    module = bench.workshop.survey.tree.sources[bench.workshop.module_of(finding.path)]
    value = bench.workshop.availability.without(root).modules[module.name].namespace.get(name)
    if isinstance(value, Constant):
        return absent(bench, name) if value.value is None else f"not {name}"
    flag = next((probe for probe in bench.workshop.availability.probes(root) if probe.module == module.name), None)
    binder = _binder(bench.source, name)
    negated = _negated(binder.test) if isinstance(binder, cst.If) else None
    if negated is not None:
        return negated
    neighbour = _neighbour(bench, binder, module.name, root)
    if neighbour is not None:
        return absent(bench, neighbour)
    if flag is not None and bench.source.line_of(bench.source.span(binder)[0]) > 0:
        return f"not {flag.expression}"
    _add_sentinel(bench, binder, name)
    return None


def _neighbour(bench: Bench, binder: cst.CSTNode, module: str, root: str) -> str | None:
    """Another name of the same `try` that is None where the root is not there."""
    namespace = bench.workshop.availability.without(root).modules[module].namespace
    if not isinstance(binder, cst.Try):
        return None
    for statement in imports_in(bench.source, binder.body):
        for name in bound_names(statement):
            value = namespace.get(name)
            if isinstance(value, Constant) and value.value is None:
                return name
    return None


def _binder(source: Source, name: str) -> cst.Try | cst.If | cst.With:
    """The statement at the top of the file under which the name is imported, or else defined."""
    imports = (one for one in imports_in(source) if name in bound_names(one))
    definitions = (
        source.parent(one) for one in source.spelled.get(name, ()) if isinstance(source.parent(one), _DEFINITIONS)
    )
    for statement in (*imports, *definitions):
        if statement is None or _is_within_a_definition(source, statement):
            continue
        inner: cst.CSTNode = statement
        for around in source.ancestors(statement):
            if isinstance(around, (cst.Try, cst.With)) or (isinstance(around, cst.If) and inner is around.body):
                return around
            inner = around
    raise Refusal(f"where `{name}` is bound was not found")


def _is_within_a_definition(source: Source, statement: cst.CSTNode) -> bool:
    return any(isinstance(one, (cst.FunctionDef, cst.ClassDef, cst.Lambda)) for one in source.ancestors(statement))


def _negated(test: cst.BaseExpression) -> str | None:
    """What holds where a flag, a probe called without arguments, or `name is not None` does not."""
    if isinstance(test, cst.Comparison) and len(test.comparisons) == 1:
        (target,) = test.comparisons
        asks = isinstance(target.operator, cst.IsNot) and spelled(target.comparator) == "None"
        return f"{spelled(test.left)} is None" if asks and isinstance(test.left, cst.Name) else None
    bare = not test.args if isinstance(test, cst.Call) else isinstance(test, (cst.Name, cst.Attribute))
    return f"not {spelled(test)}" if bare else None


def _add_sentinel(bench: Bench, binder: cst.CSTNode, name: str) -> None:
    """Bind the name to None where the import does not bind it."""
    if bench.workshop.is_typed(bench.source) and is_annotation(bench.source, [name]):
        raise Refusal(f"`{name}` stands in annotations, and may not become a variable")
    if bench.workshop.is_typed(bench.source) and not any(name in bound_names(one) for one in imports_in(bench.source)):
        raise Refusal(f"`{name}` is defined here, and type checkers would mind a variable of that name")
    line = sentinel(bench.workshop, bench.source, name)
    if isinstance(binder, cst.Try):
        for handler in binder.handlers:
            _append(bench.draft, bench.source, handler.body, line)
    elif isinstance(binder, cst.With):
        line = f"{name} = None"
        if bench.workshop.is_typed(bench.source):  # type checkers would mind an import over a variable
            line = f"if not {import_name(bench, 'typing', 'TYPE_CHECKING')}:\n{bench.source.unit}{line}"
        bench.draft.insert_before(bench.source, binder, line)
    elif isinstance(binder, cst.If) and binder.orelse is None:
        indent = bench.source.indent_at(bench.source.span(binder)[0])
        bench.draft.insert_line(
            bench.source, bench.source.block_end(binder), f"{indent}else:\n{indent}{bench.source.unit}{line}"
        )
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


def _leave(bench: Bench, finding: Finding) -> None:
    """Let the branch that has noticed the absence leave."""
    guard = bench.source.at(finding.span.line, finding.span.column, cst.If)
    if guard is None:
        raise Refusal("the guard is not an `if` statement")
    root = finding.absent or ""
    body = _noticing(guard)
    indent = bench.source.indent_at(bench.source.span(guard)[0]) + bench.source.unit
    lines = leave_lines(bench, guard, root, depth=len(indent))
    last = body.body[-1]
    small = last.body[-1] if isinstance(last, cst.SimpleStatementLine) else last
    if isinstance(small, cst.Pass) and len(body.body) == 1:
        if isinstance(body, cst.SimpleStatementSuite):
            bench.draft.replace_node(bench.source, small, leave_lines(bench, guard, root).replace("\n", ""))
        else:
            bench.draft.replace_node(bench.source, small, indented(lines, indent)[len(indent) :])
    elif isinstance(small, (cst.BaseSmallStatement, cst.BaseCompoundStatement)):
        bench.draft.insert_after(bench.source, small, lines)
    else:
        raise Refusal("the end of the guard was not found")


def _noticing(guard: cst.If) -> cst.BaseSuite:
    """The branch for the absence: the `else` of a test that asks for presence."""
    negative = isinstance(guard.test, (cst.UnaryOperation, cst.Comparison))
    return guard.orelse.body if isinstance(guard.orelse, cst.Else) and not negative else guard.body


REPAIR = Repair(codes=("OPD201", "OPD202", "OPD204"), build=build)
