"""What stands in for a name that is not there, in the form that type checkers accept where they look."""

from __future__ import annotations

import re

import libcst as cst

from optdep_lint.fixers.bench import Bench
from optdep_lint.fixers.draft import indented
from optdep_lint.fixers.imports import import_name, spelled
from optdep_lint.fixers.source import Source
from optdep_lint.fixers.uses import bound_names, imports_in, uses_of
from optdep_lint.fixers.workshop import Workshop

_FOR_TOOLS = re.compile(r"\s*(?:noqa|type:|pyright:|mypy:|isort:|ruff:|pylint:|pragma:|nosec)")


def sentinel(workshop: Workshop, source: Source, name: str) -> str:
    """`name = None`; type checkers are told where they look."""
    if not workshop.is_typed(source):
        return f"{name} = None"
    codes = "assignment, misc, unused-ignore" if name[:1].isupper() else "assignment, unused-ignore"
    return f"{name} = None  # type: ignore[{codes}]"


def guarded(bench: Bench, names: list[str], body: str, indent: str) -> str:
    """Import lines, which are indented by one step more than `indent`, in a `try` that binds their names to None.

    A name that stands in annotations may not become a variable: type checkers see the import alone.
    """
    unit = bench.source.unit
    apart = bench.workshop.is_typed(bench.source) and is_annotation(bench.source, names)
    lines = (f"{name} = None" if apart else sentinel(bench.workshop, bench.source, name) for name in names)
    handler = "\n".join(f"{indent}{unit}{line}" for line in lines)
    text = f"{indent}try:\n{body}\n{indent}except ImportError:\n{handler}"
    if not apart:
        return text
    bench.draft.settled |= {(bench.source.path, name) for name in names}
    test = import_name(bench, "typing", "TYPE_CHECKING")
    again = indented(text.replace(body, _without_remarks(body), 1), unit)
    return f"{indent}if {test}:\n{body}\n{indent}else:\n{again}"


def _without_remarks(lines: str) -> str:
    """Imports without what comments say to people: that is told once."""
    found = []
    for line in lines.split("\n"):
        code, mark, comment = line.partition("#")
        kept = line if not mark or _FOR_TOOLS.match(comment) else code.rstrip()
        if kept or not line:
            found.append(kept)
    return "\n".join(found)


def absent(bench: Bench, name: str) -> str:
    """What holds where a name stands for nothing; no comparison for checkers that know the import alone, and mind it."""
    if not _is_settled(bench, name):
        return f"{name} is None"
    return f"not {import_name(bench, 'typing', 'TYPE_CHECKING')} and {name} is None"


def present(bench: Bench, name: str) -> str:
    """What holds where a name stands for something."""
    if not _is_settled(bench, name):
        return f"{name} is not None"
    return f"({import_name(bench, 'typing', 'TYPE_CHECKING')} or {name} is not None)"


def _is_settled(bench: Bench, name: str) -> bool:
    if not bench.workshop.minds_comparisons and "# pyright: strict" not in bench.source.text:
        return False
    binders = [one for one in imports_in(bench.source) if name in bound_names(one)]
    if any(isinstance(one, cst.Import) for one in binders):
        return False  # a module may be None, to all of them
    known = (bench.source.path, name) in bench.draft.settled
    return known or any(_is_for_checkers(bench.source, one) for one in binders)


def _is_for_checkers(source: Source, statement: cst.CSTNode) -> bool:
    """It stands directly under `if TYPE_CHECKING`, for which the `else` has something of its own."""
    guard = source.enclosing(statement, cst.If)
    return guard is not None and guard.orelse is not None and spelled(guard.test).endswith("TYPE_CHECKING")


def is_annotation(source: Source, names: list[str]) -> bool:
    """Whether one of the names stands in an annotation, as it is or in quotes."""
    if any(use.when in ("annotation", "typing") for use in uses_of(source, names)):
        return True
    quoted = [text.value for one in source.all(cst.Annotation) for text in source.all(cst.SimpleString, one)]
    words = re.compile("|".join(rf"\b{re.escape(name)}\b" for name in names))
    return any(map(words.search, quoted))
