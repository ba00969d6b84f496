"""What stands in for a name that is not there, in the form that type checkers accept where they look."""

from __future__ import annotations

from optdep_lint.fixers.bench import Bench
from optdep_lint.fixers.draft import indented
from optdep_lint.fixers.imports import import_name
from optdep_lint.fixers.source import Source
from optdep_lint.fixers.uses import uses_of
from optdep_lint.fixers.workshop import Workshop


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
    test = import_name(bench, "typing", "TYPE_CHECKING")
    return f"{indent}if {test}:\n{body}\n{indent}else:\n{indented(text, unit)}"


def is_annotation(source: Source, names: list[str]) -> bool:
    """Whether one of the names stands in an annotation."""
    return any(use.when in ("annotation", "typing") for use in uses_of(source, names))
