"""OPD401, OPD402, OPD403: each location is asked for by a function that has its own handler."""

from __future__ import annotations

import libcst as cst

from optdep_lint.facts.walk import is_within
from optdep_lint.findings import Finding, Fix
from optdep_lint.fixers import Refusal, Repair
from optdep_lint.fixers.bench import Bench
from optdep_lint.fixers.draft import Draft
from optdep_lint.fixers.imports import spelled, spellings
from optdep_lint.fixers.placing import insert_definition, is_annotated
from optdep_lint.fixers.source import Source
from optdep_lint.fixers.workshop import Workshop

_FIND_SPEC = ("find_spec", "util.find_spec", "importlib.util.find_spec")
_DOC = '"""Say whether a module can be found, also where its parents cannot."""'


def build(finding: Finding, workshop: Workshop) -> Fix:
    """Ask through a helper, in the whole function or statement that the finding stands in."""
    source = workshop.source(finding.path)
    draft = Draft()
    bench = Bench(draft, workshop, source)
    statement = source.statement_at(finding.span.line, finding.span.column)
    scope: cst.CSTNode = source.enclosing(statement, cst.FunctionDef) or statement
    early = source.at(finding.span.line, finding.span.column, cst.If) if finding.code == "OPD403" else None
    if finding.code == "OPD403":
        draft.unsafe.append("the answer becomes yes where only the other location is there")
        if early is None:
            raise Refusal("the early decision is not an `if` statement")
        _remove_exit(draft, source, early, scope)
    elif finding.code == "OPD401":
        draft.unsafe.append("the answer becomes yes where only the other location is there")
    calls = [
        call for call in source.all(cst.Call, scope)
        if _is_probe(source, call) and (early is None or early not in source.ancestors(call))
        and (finding.code != "OPD403" or _is_dotted(call))
    ]  # fmt: skip
    if calls:
        _ask_helper(bench, scope, calls)
    elif finding.code != "OPD403":
        raise Refusal("what raises is not a call of find_spec")
    return draft.finish("Ask for each location by itself")


def _is_probe(source: Source, call: cst.Call) -> bool:
    return (
        spelled(call.func) in {*_FIND_SPEC, *spellings(source, "importlib.util", "find_spec")}
        and len(call.args) == 1
        and call.args[0].keyword is None
    )


def _is_dotted(call: cst.Call) -> bool:
    value = call.args[0].value
    return not isinstance(value, cst.SimpleString) or "." in str(value.evaluated_value)


def _ask_helper(bench: Bench, scope: cst.CSTNode, calls: list[cst.Call]) -> None:
    helper = _existing(bench.source)
    if helper is None:
        helper = bench.source.fresh_name("_has_spec", "_can_find_spec")
        insert_definition(bench.draft, bench.source, scope, _definition(bench, helper, spelled(calls[0].func)))
    for call in calls:
        _replace(bench.draft, bench.source, call, helper)


def _replace(draft: Draft, source: Source, call: cst.Call, helper: str) -> None:
    """Put the helper's yes or no in the place of a probe and of what compares it."""
    asked = f"{helper}({source.code(call.args[0])})"
    around = source.parent(call)
    if isinstance(around, cst.Comparison) and around.left is call and len(around.comparisons) == 1:
        target = around.comparisons[0]
        if spelled(target.comparator) == "None":
            if isinstance(target.operator, (cst.IsNot, cst.NotEqual)):
                draft.replace_node(source, around, asked)
                return
            if isinstance(target.operator, (cst.Is, cst.Equal)):
                draft.replace_node(source, around, f"not {asked}")
                return
    if _asks_truth(source, call):
        draft.replace_node(source, call, asked)
        return
    raise Refusal("what find_spec gives is used for more than yes or no")


def _asks_truth(source: Source, call: cst.Call) -> bool:
    """Only whether the result is true matters."""
    around, inner = source.parent(call), call
    while isinstance(around, cst.BooleanOperation):
        around, inner = source.parent(around), around  # type: ignore[assignment]
    match around:
        case cst.If() | cst.While() | cst.IfExp() | cst.Assert():
            return around.test is inner
        case cst.UnaryOperation():
            return isinstance(around.operator, cst.Not)
        case cst.Arg():
            holder = source.parent(around)
            return isinstance(holder, cst.Call) and spelled(holder.func) == "bool"
    return False


def _existing(source: Source) -> str | None:
    """A function of the file that asks for a module by name, with its own handler."""
    for function in source.module.body:
        if not isinstance(function, cst.FunctionDef) or len(function.params.params) != 1:
            continue
        if isinstance(function.body, cst.IndentedBlock) and _is_helper(source, function):
            return function.name.value
    return None


def _is_helper(source: Source, function: cst.FunctionDef) -> bool:
    parameter = function.params.params[0].name.value
    body = [one for one in function.body.body if not _is_docstring(one)]
    if len(body) != 1 or not isinstance(body[0], cst.Try) or not body[0].handlers:
        return False
    answers = [spelled(one.value) for one in source.all(cst.Return, body[0]) if one.value is not None]
    caught = [spelled(one.type) if one.type is not None else "" for one in body[0].handlers]
    asks = any(answer.endswith(f"find_spec({parameter}) is not None") for answer in answers)
    return (
        asks and "False" in answers and any("ImportError" in text or "ModuleNotFoundError" in text for text in caught)
    )


def _is_docstring(statement: cst.CSTNode) -> bool:
    return isinstance(statement, cst.SimpleStatementLine) and isinstance(statement.body[0], cst.Expr)


def _definition(bench: Bench, name: str, find_spec: str) -> str:
    unit = bench.source.unit
    head = f"def {name}(name: str) -> bool:" if is_annotated(bench.workshop, bench.source) else f"def {name}(name):"
    lines = [head, f"{unit}{_DOC}", f"{unit}try:", f"{unit * 2}return {find_spec}(name) is not None"]
    return "\n".join([*lines, f"{unit}except (ImportError, ValueError):", f"{unit * 2}return False"])


# --- OPD403 ----------------------------------------------------------------------------------------------------------


def _remove_exit(draft: Draft, source: Source, early: cst.If, scope: cst.CSTNode) -> None:
    """Take out the decision; the code after it must ask for the same location again."""
    if early.orelse is not None:
        raise Refusal("the early decision has another branch")
    asked = {_subject(call) for call in source.all(cst.Call, early.test)}
    if len(asked) != 1 or None in asked or isinstance(early.test, cst.BooleanOperation):
        raise Refusal("the early decision asks for more than one thing")
    subject = next(iter(asked)) or ""
    later = [call for call in source.all(cst.Call, scope) if source.span(call)[0] > source.span(early)[1]]
    again = [_subject(call) for call in later]
    if not any(one is not None and is_within(one, subject) for one in again):
        raise Refusal(f"nothing asks for `{subject}` again once this decision is gone")
    holder = source.parent(early)
    if isinstance(holder, cst.IndentedBlock) and len(holder.body) == 1:
        raise Refusal("nothing would be left in its block")
    draft.remove_lines(source, source.leading_start(early), source.block_end(early))


def _subject(call: cst.Call) -> str | None:
    """The literal that a call asks for."""
    value = call.args[0].value if call.args else None
    text = value.evaluated_value if isinstance(value, cst.SimpleString) else None
    return text if isinstance(text, str) else None


REPAIR = Repair(codes=("OPD401", "OPD402", "OPD403"), build=build)
