"""A file that learns to live without names: what uses them, and what is imported in their place."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from optdep_lint.fixers import Refusal
from optdep_lint.fixers.annotations import is_postponed, quote
from optdep_lint.fixers.bench import Bench
from optdep_lint.fixers.checks import insert_checks
from optdep_lint.fixers.imports import dotted, spelled
from optdep_lint.fixers.layout import moved
from optdep_lint.fixers.sentinels import guarded
from optdep_lint.fixers.uses import NameUse, bound_names, imports_in, uses_of

Import = cst.Import | cst.ImportFrom


def check_uses(bench: Bench, names: list[str], root: str, flag: str | None) -> None:
    """Functions that use the names leave with an ImportError, annotations become text.

    Raises:
        Refusal: where the module needs one while it is imported itself.
    """
    calls: list[NameUse] = []
    for use in uses_of(bench.source, names):
        if use.when == "import":
            line = bench.source.line_of(bench.source.span(use.node)[0])
            raise Refusal(f"`{use.node.value}` is needed while the module is imported, in line {line}")
        if use.when == "annotation" and not is_postponed(bench.workshop, bench.source):
            quote(bench, use.node)
        if use.when == "call":
            calls.append(use)
    insert_checks(bench, calls, root, flag)


def targets_of(statement: Import) -> list[str]:
    """The modules of other projects that an import names."""
    if isinstance(statement, cst.Import):
        return [spelled(alias.name) for alias in statement.names]
    return [dotted(statement)] if not statement.relative else []


def fallbacks_of(bench: Bench, root: str) -> Iterator[Import]:
    """The imports of a root that stand directly in a handler at the top of the file: what is tried second."""
    for one in imports_in(bench.source):
        around = _handler_around(bench, one)
        if around is not None and any(
            bench.workshop.survey.declared.root_of(target) == root for target in targets_of(one)
        ):
            yield one


def _handler_around(bench: Bench, statement: Import) -> cst.ExceptHandler | None:
    around = list(bench.source.ancestors(statement))
    if any(isinstance(one, (cst.FunctionDef, cst.ClassDef)) for one in around) or len(around) < 3:
        return None
    return around[2] if isinstance(around[2], cst.ExceptHandler) else None


def guard_fallback(bench: Bench, statement: Import, root: str) -> None:
    """What is imported where something else could not be gets a `try` of its own, and None in its place.

    Raises:
        Refusal: where its line holds more than it, or nobody knows what it binds.
    """
    source = bench.source
    line = source.parent(statement)
    names = bound_names(statement)
    if not isinstance(line, cst.SimpleStatementLine) or len(line.body) > 1 or len(targets_of(statement)) > 1:
        raise Refusal("the import is the fall-back for another, and shares its line")
    if not names:
        raise Refusal("nobody knows which names a star import binds")
    start, end = source.line_start(source.span(statement)[0]), source.block_end(line)
    indent = source.indent_at(start)
    text = guarded(bench, names, moved(source, start, end, indent, indent + source.unit), indent)
    bench.draft.replace(source, start, end, text + ("\n" if source.text[end - 1] in "\r\n" else ""))
    check_uses(bench, names, root, None)
