"""Bytes: what an edit touches, and what it does not."""

from __future__ import annotations

import pytest

from optdep_lint.findings import Edit, Fix
from optdep_lint.fixers import Refusal
from optdep_lint.fixers.source import Source
from optdep_lint.fixers.splice import outside_is_kept, overlaps, splice


@pytest.mark.parametrize(
    ("content", "encoding", "newline"),
    [
        ("é = 1\nb = 2\n".encode(), "utf-8", "\n"),
        (b"\xef\xbb\xbf" + "é = 1\r\nb = 2\r\n".encode(), "utf-8", "\r\n"),
        ("# coding: latin-1\né = 1\nb = 2".encode("latin-1"), "iso-8859-1", "\n"),
        ("# coding: euc-jp\n# 漢字\nb = 2\n".encode("euc-jp"), "euc-jp", "\n"),
        (b"a = 1\n\x0cb = 2\n", "utf-8", "\n"),
        (b"a = 1\rb = 2\r", "utf-8", "\r"),
    ],
)
def test_an_edit_is_of_bytes(content: bytes, encoding: str, newline: str) -> None:
    source = Source("a.py", content)
    assert (source.encoding, source.newline) == (encoding, newline)
    start = source.text.index("b = 2")
    edit = source.edit(start, start + 5, "c = 3\nd = 4")
    assert content[edit.start : edit.end] == b"b = 2"
    new = splice(content, [edit])
    assert new == content.replace(b"b = 2", b"c = 3" + newline.encode() + b"d = 4")
    assert outside_is_kept(content, new, [edit])
    assert not outside_is_kept(content, new.replace(b"1", b"2") + b"#", [edit])


def test_what_cannot_be_written_is_refused() -> None:
    source = Source("a.py", "# coding: latin-1\na = 1\n".encode("latin-1"))
    with pytest.raises(Refusal, match="cannot be written in iso-8859-1"):
        source.edit(0, 0, "漢")
    for content in (b"# coding: nope\n", b"\xff\xfe", b"# coding: utf-7\na = '+AGE-'\n"):
        with pytest.raises(Refusal):
            Source("a.py", content)


def test_positions_with_form_feeds() -> None:
    import libcst as cst

    source = Source("a.py", b"a = 1\n\x0cimport b\n\x0c\x0cdef f(x=\x0c1): return x\n")
    (statement,) = source.all(cst.Import)
    assert source.code(statement) == "import b"
    (function,) = source.all(cst.FunctionDef)
    assert source.code(function) == "def f(x=\x0c1): return x"
    assert source.at(2, 2, cst.Import) is statement


def test_overlaps() -> None:
    def fix(*edits: Edit) -> Fix:
        return Fix("safe", "", edits)

    taken = {"a.py": [Edit("a.py", 5, 9, "x"), Edit("a.py", 20, 20, "import x\n")]}
    assert not overlaps(taken, fix(Edit("a.py", 5, 9, "x"), Edit("a.py", 20, 20, "import x\n")))
    assert not overlaps(taken, fix(Edit("b.py", 5, 9, "y"), Edit("a.py", 9, 12, "y")))
    assert overlaps(taken, fix(Edit("a.py", 8, 12, "y")))
    assert overlaps(taken, fix(Edit("a.py", 20, 20, "import y\n")))
    assert overlaps(taken, fix(Edit("a.py", 9, 9, "y")))
    taken["a.py"].append(Edit("a.py", 30, 30, "def helper():\n    pass\n"))
    assert overlaps(taken, fix(Edit("a.py", 90, 90, "def helper():\n    pass\n")))
