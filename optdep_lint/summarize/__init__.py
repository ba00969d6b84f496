"""The summarize room: one file's bytes in, its facts out.

The running Python's own parser reads a file where it can (it is nine times faster than any other here); libcst reads
those whose syntax is newer than the running Python. Both give the same tree, so there is one way from tree to facts.
"""

from __future__ import annotations

from optdep_lint.facts.summary import Fault, Summary
from optdep_lint.summarize.parse import Unreadable, parse
from optdep_lint.summarize.statements import summarize_tree

__all__ = ["fault_of", "summarize"]


def summarize(source: bytes) -> Summary:
    """Summarize a file; one that cannot be read or parsed gives a summary with a fault."""
    lines = source.count(b"\n") + (not source.endswith(b"\n") and bool(source))
    try:
        summary = summarize_tree(*parse(source))
    except (Unreadable, RecursionError) as error:
        return Summary(lines=lines, fault=_fault(error))
    summary.lines = lines
    return summary


def fault_of(source: bytes) -> Fault | None:
    """Why a file cannot be read or parsed; None where it can."""
    try:
        parse(source)
    except (Unreadable, RecursionError) as error:
        return _fault(error)
    return None


def _fault(error: Unreadable | RecursionError) -> Fault:
    if isinstance(error, Unreadable):
        return Fault(error.line, error.column, error.message)
    return Fault(1, 1, "nested too deeply to be read")
