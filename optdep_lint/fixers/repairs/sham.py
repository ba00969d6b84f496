"""OPD407: a probe for the project's own module asks for what that module needs instead."""

from __future__ import annotations

import re

import libcst as cst

from optdep_lint.findings import Finding, Fix
from optdep_lint.fixers import Refusal, Repair
from optdep_lint.fixers.bench import Bench
from optdep_lint.fixers.conditions import presence_test
from optdep_lint.fixers.draft import Draft
from optdep_lint.fixers.imports import spelled
from optdep_lint.fixers.workshop import Workshop

_FOUND = re.compile(r"`([\w.]+)` ships with the project")


def build(finding: Finding, workshop: Workshop) -> Fix:
    """Ask for the one optional root that the module imports."""
    source = workshop.source(finding.path)
    match = _FOUND.search(finding.message)
    module = workshop.survey.tree.sources.get(match[1]) if match is not None else None
    if module is None:
        raise Refusal("what the probe was meant to ask for, the code does not say")
    declared = workshop.survey.declared
    roots = {declared.root_of(name) for name in module.summary.asks} & declared.optional.keys()
    if len(roots) != 1:
        raise Refusal(f"`{module.name}` needs {'nothing optional' if not roots else 'more than one optional root'}")
    (root,) = roots
    call = source.at(finding.span.line, finding.span.column, cst.Call)
    if call is None:
        raise Refusal("the probe is not a call")
    draft = Draft()
    bench = Bench(draft, workshop, source)
    draft.unsafe.append("what stood under the probe is skipped where the root is not there")
    test = presence_test(bench, root, call)
    around = source.parent(call)
    if isinstance(around, cst.Comparison) and around.left is call and len(around.comparisons) == 1:
        target = around.comparisons[0]
        if spelled(target.comparator) == "None" and isinstance(target.operator, (cst.IsNot, cst.NotEqual)):
            draft.replace_node(source, around, test)
        elif spelled(target.comparator) == "None" and isinstance(target.operator, (cst.Is, cst.Equal)):
            negated = test[: -len("is not None")] + "is None" if test.endswith(" is not None") else f"not {test}"
            draft.replace_node(source, around, negated)
        else:
            raise Refusal("what the probe gives is compared with something else")
    elif isinstance(around, (cst.If, cst.While, cst.IfExp, cst.Return, cst.Assert)):
        draft.replace_node(source, call, test)
    else:
        draft.replace_node(source, call, f"({test})")
    return draft.finish(f"Ask for `{root}`")


REPAIR = Repair(codes=("OPD407",), build=build)
