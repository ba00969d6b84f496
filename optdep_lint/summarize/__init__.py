"""The summarize room: one file's bytes in, its facts out.

The running Python's own parser reads a file where it can (it is nine times faster than any other here); libcst reads
those whose syntax is newer than the running Python. Both give the same tree, so there is one way from tree to facts.
"""

from __future__ import annotations

from optdep_lint.facts.summary import Fault, Summary
from optdep_lint.summarize.parse import Unreadable, parse
from optdep_lint.summarize.statements import summarize_tree

__all__ = ["summarize"]


def summarize(source: bytes) -> Summary:
    """Summarize a file; one that cannot be read or parsed gives a summary with a fault."""
    lines = source.count(b"\n") + (not source.endswith(b"\n") and bool(source))
    try:
        tree, columns = parse(source)
        summary = summarize_tree(tree, columns)
    except Unreadable as error:
        return Summary(lines=lines, fault=Fault(error.line, error.column, error.message))
    except RecursionError:
        return Summary(lines=lines, fault=Fault(1, 1, "nested too deeply to be read"))
    summary.lines = lines
    return summary
