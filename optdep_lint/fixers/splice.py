"""Edits put into bytes: which go together, and what comes out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from optdep_lint.findings import Edit, Fix
from optdep_lint.fixers.source import encoding_of


def splice(content: bytes, edits: Iterable[Edit]) -> bytes:
    """A file's bytes with edits that do not overlap applied; equal ones count once."""
    encoding = encoding_of(content)
    ordered = sorted(dict.fromkeys(edits), key=lambda edit: (edit.start, edit.end))
    pieces, position = [], 0
    for edit in ordered:
        pieces += [content[position : edit.start], edit.content.encode(encoding)]
        position = edit.end
    return b"".join((*pieces, content[position:]))


def outside_is_kept(old: bytes, new: bytes, edits: Iterable[Edit]) -> bool:
    """Every byte that no edit covers stands in the new content, in order."""
    encoding = encoding_of(old)
    old_position = new_position = 0
    for edit in sorted(dict.fromkeys(edits), key=lambda edit: (edit.start, edit.end)):
        width = edit.start - old_position
        if old[old_position : edit.start] != new[new_position : new_position + width]:
            return False
        new_position += width + len(edit.content.encode(encoding))
        old_position = edit.end
    return old[old_position:] == new[new_position:]


def overlaps(taken: Mapping[str, Sequence[Edit]], fix: Fix) -> bool:
    """Whether a fix changes what another has changed, puts something else at the same place, or binds the same new name."""
    return any(_collide(edit, other) for edit in fix.edits for other in taken.get(edit.path, ()))


def _collide(one: Edit, other: Edit) -> bool:
    if one == other:
        return False
    if not _new_names(one).isdisjoint(_new_names(other)):
        return True
    if _leave_a_gap(one, other) or _leave_a_gap(other, one):
        return True
    if one.start == one.end or other.start == other.end:
        return one.start <= other.end and other.start <= one.end
    return one.start < other.end and other.start < one.end


def _leave_a_gap(above: Edit, below: Edit) -> bool:
    """Both would put a blank line between them."""
    return above.end == below.start and above.content.endswith("\n\n") and below.content.startswith("\n")


_BINDS = re.compile(r"^(?:def |class )?(\w+)(?: = |\()", re.MULTILINE)


def _new_names(edit: Edit) -> set[str]:
    """The names that an insertion binds at the top of a file."""
    return set(_BINDS.findall(edit.content)) if edit.start == edit.end else set()
