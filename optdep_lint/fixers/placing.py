"""Where a new definition goes: above the top-level statement that needs it, or below the imports."""

from __future__ import annotations

import libcst as cst

from optdep_lint.fixers.draft import Draft
from optdep_lint.fixers.source import Source
from optdep_lint.fixers.workshop import Workshop


def top_statement(source: Source, node: cst.CSTNode) -> cst.CSTNode:
    """The statement at the top of the file that a node stands in."""
    inner = node
    for around in source.ancestors(node):
        if isinstance(around, cst.Module):
            return inner
        inner = around
    return inner


def insert_definition(draft: Draft, source: Source, before: cst.CSTNode, lines: str) -> None:
    """Put a definition above the top-level statement that holds a node, blank lines as they should be."""
    top = top_statement(source, before)
    at = source.leading_start(top)
    above = source.text[:at].replace("\r\n", "\n").replace("\r", "\n")
    blank = len(above) - len(above.rstrip("\n")) - 1 if above.strip() else 2
    lead = "" if draft.imports_at(source, at) else "\n" * max(0, 2 - blank)
    draft.insert(source, at, f"{lead}{lines}\n\n\n")


def is_annotated(workshop: Workshop, source: Source) -> bool:
    """Whether the functions of a file tell their types; where it has none, whether the project has a type checker."""
    functions = list(source.all(cst.FunctionDef))
    return any(function.returns is not None for function in functions) or (not functions and workshop.has_checker)
