"""OPD503: the function that asks keeps its answer, or a new one asks for it once per process."""

# mypy: disable-error-code="type-abstract"
from __future__ import annotations

import libcst as cst

from optdep_lint.findings import Finding, Fix
from optdep_lint.fixers import Refusal, Repair
from optdep_lint.fixers.bench import Bench
from optdep_lint.fixers.draft import Draft
from optdep_lint.fixers.imports import spelled
from optdep_lint.fixers.placing import top_statement
from optdep_lint.fixers.resolvers import Resolvers
from optdep_lint.fixers.source import Source
from optdep_lint.fixers.uses import bound_names, imports_in, local_names
from optdep_lint.fixers.workshop import Workshop

_MOST_STATEMENTS = 15


def build(finding: Finding, workshop: Workshop) -> Fix:
    """Cache the helper that asks; where the hot function asks itself, move the question into one."""
    source = workshop.source(finding.path)
    draft = Draft()
    bench = Bench(draft, workshop, source)
    draft.unsafe.append("an answer that is kept does not change when something is installed later")
    call = source.at(finding.span.line, finding.span.column, cst.Call)
    place: cst.CSTNode = call or source.statement_at(finding.span.line, finding.span.column)
    function = source.enclosing(place, cst.FunctionDef)
    if function is None:
        raise Refusal("the question does not stand in a function")
    resolvers = Resolvers(bench, function)
    if "through `" in finding.message and _only_answers(source, function):
        _cache(draft, source, function, resolvers.cache())
    elif call is not None and _is_constant(call):
        name = resolvers.add(_subject(call), _asking(source, call, function))
        draft.replace_node(source, call, f"{name}()")
        resolvers.finish()
    else:
        raise Refusal("the question hangs on what the function was given")
    return draft.finish("Ask once per process")


def _asking(source: Source, call: cst.Call, function: cst.FunctionDef) -> str:
    """The body of a function that asks the question; what the hot function imports for it is imported there."""
    first = call.func
    while isinstance(first, cst.Attribute):
        first = first.value
    answer = f"{source.unit}return {source.code(call)}"
    if not isinstance(first, cst.Name) or first.value not in local_names(source, function):
        return answer
    for statement in imports_in(source, function.body):
        if first.value in bound_names(statement):
            return f"{source.unit}{spelled(statement)}\n\n{answer}"
    raise Refusal("the question hangs on what the function binds")


def _cache(draft: Draft, source: Source, function: cst.FunctionDef, cache: str) -> None:
    start = source.span(function)[0]
    draft.insert(source, start, f"@{cache}\n{source.indent_at(start)}")


def _only_answers(source: Source, function: cst.FunctionDef) -> bool:
    """A small function outside of classes that asks and answers, and does nothing else."""
    if top_statement(source, function) is not function or function.asynchronous is not None:
        return False
    parameters = function.params
    if parameters.star_kwarg is not None or isinstance(parameters.star_arg, cst.Param):
        return False
    if any(
        isinstance(one, (cst.Global, cst.Nonlocal, cst.Yield, cst.Await, cst.Del, cst.AugAssign))
        for one in source.all(cst.CSTNode, function.body)
    ):
        return False
    if any(not isinstance(target.target, cst.Name) for target in source.all(cst.AssignTarget, function.body)):
        return False
    return len(list(source.all(cst.BaseSmallStatement, function.body))) <= _MOST_STATEMENTS


def _is_constant(call: cst.Call) -> bool:
    """All its arguments are literals."""
    return bool(call.args) and all(isinstance(one.value, (cst.SimpleString, cst.Integer)) for one in call.args)


def _subject(call: cst.Call) -> str:
    value = call.args[0].value
    text = value.evaluated_value if isinstance(value, cst.SimpleString) else "answer"
    word = "".join(letter if letter.isalnum() else "_" for letter in str(text))
    if not word.isidentifier():
        return "answer"
    return f"{word}_version" if spelled(call.func).rpartition(".")[2] == "version" else word


REPAIR = Repair(codes=("OPD503",), build=build)
