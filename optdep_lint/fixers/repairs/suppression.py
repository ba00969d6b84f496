"""OPD901: the suppression that hides nothing goes."""

from __future__ import annotations

import re

from optdep_lint.findings import Finding, Fix
from optdep_lint.fixers import Refusal, Repair
from optdep_lint.fixers.draft import Draft
from optdep_lint.fixers.workshop import Workshop

_CODE = re.compile(r"unused suppression: (\w+) reports nothing here")


def build(finding: Finding, workshop: Workshop) -> Fix:
    """Take the code out of its comment, or the comment out of the file."""
    source = workshop.source(finding.path)
    start = source.offset(finding.span.line, finding.span.column)
    end = source.offset(finding.span.end_line, finding.span.end_column)
    comment = source.text[start:end]
    draft = Draft()
    match = _CODE.search(finding.message)
    kept = _without(comment, match[1]) if match is not None else None
    if kept is not None:
        draft.replace(source, start, end, kept)
        return draft.finish("Remove the code from the suppression")
    stop = source.line_end(end)
    stop -= len(source.text[end:stop]) - len(source.text[end:stop].rstrip("\r\n"))
    others = source.text[end:stop].partition("#")
    if others[1] and not others[0].strip():
        draft.replace(source, start, end + len(others[0]), "")
        return draft.finish("Remove the suppression")
    if comment.startswith("# noqa") and source.text[end:stop].strip():
        raise Refusal("more is written in the comment")
    before = source.text[source.line_start(start) : start]
    if not before.strip():
        draft.remove_lines(source, source.line_start(start), source.line_end(end))
    else:
        draft.replace(source, start - (len(before) - len(before.rstrip(" \t"))), stop, "")
    return draft.finish("Remove the suppression")


def _without(comment: str, code: str) -> str | None:
    """The comment without a code, or None where no other is left."""
    opened = re.search(r"\[([^\]]*)\]", comment)
    written = opened[1] if opened is not None else comment.partition(":")[2]
    codes = [one for one in re.split(r"[,\s]+", written) if one]
    left = [one for one in codes if one.rstrip("xX") != code and one != code]
    if not left or len(left) == len(codes):
        return None
    text = ", ".join(left)
    if opened is not None:
        return comment[: opened.start(1)] + text + comment[opened.end(1) :]
    head = comment.partition(":")[0]
    return f"{head}: {text}"


REPAIR = Repair(codes=("OPD901",), build=build)
