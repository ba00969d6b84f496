"""OPD302: the gate also asks the probe that another gate asks for the same thing."""

from __future__ import annotations

import re

import libcst as cst

from optdep_lint.facts.summary import Summary
from optdep_lint.facts.walk import outer_definitions
from optdep_lint.findings import Finding, Fix
from optdep_lint.fixers import Refusal, Repair
from optdep_lint.fixers.bench import Bench
from optdep_lint.fixers.conditions import own_spelling
from optdep_lint.fixers.draft import Draft
from optdep_lint.fixers.imports import bound_as, import_name
from optdep_lint.fixers.repairs.conjunct import add_conjunct
from optdep_lint.fixers.source import Source
from optdep_lint.fixers.workshop import Workshop

_ASKS = re.compile(r"without asking `([\w.]+)\(\)`")


def build(finding: Finding, workshop: Workshop) -> Fix:
    """Add the probe to the test of the gate."""
    source = workshop.source(finding.path)
    match = _ASKS.search(finding.message)
    gate = _gate(source, finding)
    if match is None:
        raise Refusal("the probe is not known")
    draft = Draft()
    draft.unsafe.append("what the gate installs is no longer installed where the probe says no")
    probe = _spelling(Bench(draft, workshop, source), match[1], finding)
    add_conjunct(draft, source, gate, f"{probe}()")
    return draft.finish(f"Ask `{match[1]}()` as well")


def _gate(source: Source, finding: Finding) -> cst.If:
    line, column = finding.span.line, finding.span.column
    if any(source.covering(source.offset(line, column), kind) for kind in (cst.IfExp, cst.BooleanOperation)):
        raise Refusal("the gate is an expression")
    gate = source.at(line, column, cst.If) or source.covering(source.offset(line, column), cst.If)
    if gate is None:
        raise Refusal("the gate is not an `if` statement")
    return gate


def _spelling(bench: Bench, probe: str, finding: Finding) -> str:
    """How the probe is called in the gate's file; it is imported where it is not known there."""
    workshop, source = bench.workshop, bench.source
    first = probe.partition(".")[0]
    sources = workshop.survey.tree.sources.items()
    homes = [name for name, module in sources if _defines(module.summary, first)]
    if len(homes) != 1:
        raise Refusal(f"`{probe}` is defined in {len(homes)} modules")
    (home,) = homes
    if home == workshop.module_of(finding.path):
        return probe
    spelled = own_spelling(workshop, source, home)
    known = bound_as(source, home, first) or bound_as(source, spelled, first) or _through_module(source, home, first)
    return (known or import_name(bench, spelled, first)) + probe[len(first) :]


def _defines(summary: Summary, name: str) -> bool:
    """A function, or a class with methods, stands outside of functions under that name."""
    return any(one.name.partition(".")[0] == name for one in outer_definitions(summary))


def _through_module(source: Source, home: str, name: str) -> str | None:
    """`from . import _ops` makes `_ops.name`."""
    package, _, leaf = home.rpartition(".")
    for statement in source.all(cst.ImportFrom):
        if isinstance(statement.names, cst.ImportStar) or source.enclosing(statement, cst.FunctionDef) is not None:
            continue
        for alias in statement.names:
            if (
                isinstance(alias.name, cst.Name)
                and alias.name.value == leaf
                and (statement.relative or _is(statement.module, package))
            ):
                local = alias.asname.name if alias.asname is not None else alias.name
                return f"{local.value}.{name}" if isinstance(local, cst.Name) else None
    return None


def _is(node: cst.CSTNode | None, dotted: str) -> bool:
    return node is not None and cst.Module([]).code_for_node(node) == dotted


REPAIR = Repair(codes=("OPD302",), build=build)
