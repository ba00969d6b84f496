"""Every fixture of a fix, byte for byte: as it is written, and in other encodings, newlines and indentations."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FIXES = Path(__file__).parents[2] / "fixtures" / "fixes"
CASES = sorted(path.parent.relative_to(FIXES).as_posix() for path in FIXES.glob("*/*/before"))
REFUSED = {"opd101/needed_at_import"}


def as_is(content: bytes) -> bytes:
    return content


def crlf(content: bytes) -> bytes:
    return content.replace(b"\n", b"\r\n")


def bom(content: bytes) -> bytes:
    return b"\xef\xbb\xbf" + content


def latin_1(content: bytes) -> bytes:
    return "# -*- coding: latin-1 -*-\n# é\n".encode("latin-1") + content


def utf_8(content: bytes) -> bytes:
    return "# é ü 漢\n".encode() + content


def no_final_newline(content: bytes) -> bytes:
    return content.rstrip(b"\n")


def form_feed(content: bytes) -> bytes:
    """A page for each definition that stands behind blank lines."""
    return re.sub(rb"\n\n(?=(?:class|def|@) ?\w)", b"\n\n\x0c", content)


FORMS = (as_is, crlf, bom, latin_1, utf_8, no_final_newline)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in sorted(folder.rglob("*.py"))}


@pytest.mark.parametrize("form", FORMS, ids=lambda form: form.__name__)
@pytest.mark.parametrize("case", CASES)
def test_fix(tmp_path: Path, case: str, form: Callable[[bytes], bytes], repair: Callable[..., Any]) -> None:
    """What the fix makes of `before` in some form is `after` in that form; a second run changes nothing."""
    root = Path(shutil.copytree(FIXES / case / "before", tmp_path / "project"))
    for path in root.rglob("*.py"):
        path.write_bytes(form(path.read_bytes()))
    expected = {path: form(content) for path, content in contents(FIXES / case / "after").items()}
    outcome = repair(root)
    assert _ends(contents(root), form) == _ends(expected, form)
    assert bool(outcome.applied) == (case not in REFUSED)
    if form is as_is:
        assert not repair(root).contents


def _ends(files: dict[str, bytes], form: Callable[[bytes], bytes]) -> dict[str, bytes]:
    """Where the last statement of a file without a final newline moves, the newline above it is the last."""
    return files if form is not no_final_newline else {path: content.rstrip(b"\n") for path, content in files.items()}


@pytest.mark.parametrize("case", CASES)
def test_fix_with_form_feeds(tmp_path: Path, case: str, repair: Callable[..., Any]) -> None:
    """Form feeds stay where they are, or go with the code behind them; what comes out is the same but for them."""
    root = Path(shutil.copytree(FIXES / case / "before", tmp_path / "project"))
    for path in root.rglob("*.py"):
        path.write_bytes(form_feed(path.read_bytes()))
    repair(root)
    result = {path: content.replace(b"\x0c", b"") for path, content in contents(root).items()}
    assert result == contents(FIXES / case / "after")


@pytest.mark.parametrize("case", CASES)
def test_fix_with_tabs(tmp_path: Path, case: str, repair: Callable[..., Any]) -> None:
    """New code is indented as the file is."""

    def tabs(content: bytes) -> bytes:
        return re.sub(rb"(?m)^(?: {4})+", lambda match: b"\t" * (len(match[0]) // 4), content)

    root = Path(shutil.copytree(FIXES / case / "before", tmp_path / "project"))
    for path in root.rglob("*.py"):
        path.write_bytes(tabs(path.read_bytes()))
    repair(root)
    if not any(b"\t" in path.read_bytes() for path in (FIXES / case / "before").rglob("*.py")) and "402" in case:
        pytest.skip("nothing in the file is indented")
    expected = {path: tabs(content) for path, content in contents(FIXES / case / "after").items()}
    assert {path: _joined(content) for path, content in contents(root).items()} == {
        path: _joined(content) for path, content in expected.items()
    }


def _joined(content: bytes) -> bytes:
    """Without the line breaks that the width of tabs decides."""
    return re.sub(rb"raise ImportError\(\s*(\".*\")\s*\)", rb"raise ImportError(\1)", content)


def test_imports_stand_where_ruff_wants_them() -> None:
    """Nothing is unsorted, unused or unbound that was not so before."""

    def complaints(side: str) -> Counter[str]:
        folders = [str(FIXES / case / side) for case in CASES]
        options = ["--isolated", "--no-cache", "--select", "I,F", "--ignore", "F401", "--output-format", "concise"]
        command = [sys.executable, "-m", "ruff", "check", *options, *folders]
        text = subprocess.run(command, capture_output=True, text=True, check=False).stdout
        lines = (re.sub(rf":\d+:\d+:|/{side}/", " ", line) for line in text.splitlines() if ": " in line)
        return Counter(lines)

    assert not complaints("after") - complaints("before")


def test_every_repair_has_a_fixture() -> None:
    from optdep_lint.fixers import load_repairs

    assert set(load_repairs()) == {case.partition("/")[0].upper() for case in CASES} - {"TYPED"}


def test_every_page_knows_whether_there_is_a_fix() -> None:
    from optdep_lint.fixers import load_repairs
    from optdep_lint.registry import load_registry

    assert {rule.code for rule in load_registry().rules if rule.fixable != "no"} == set(load_repairs())
