"""Comments stay with their code: one above and one behind every statement, all still there, once, after the fix."""

from __future__ import annotations

import ast
import io
import re
import shutil
import tokenize
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FIXES = Path(__file__).parents[2] / "fixtures" / "fixes"
CASES = sorted(path.parent.relative_to(FIXES).as_posix() for path in FIXES.glob("*/*/before"))
WRITTEN_ANEW = {"opd403/early", "opd502/fallback", "typed/package"}
"""The fix takes statements out, or writes them in another form."""
SKIPPED = (tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)


def commented(text: str) -> str:
    """The text with a comment behind each logical line, and one above where a statement begins."""
    places, start = [], None
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in SKIPPED:
            continue
        start = start or token.start[0]
        if token.type == tokenize.NEWLINE:
            places.append((start, token.start[0]))
            start = None
    lines = text.splitlines(keepends=True)
    for number, (first, last) in reversed(list(enumerate(places))):
        if "#" not in lines[last - 1] and "__future__" not in lines[last - 1]:
            lines[last - 1] = lines[last - 1].rstrip("\n") + f"  # behind {number}\n"
        begins = lines[first - 1]
        if first > 1 and not begins.lstrip().startswith(('"""', "else", "except", "elif", "finally")):
            lines.insert(first - 1, f"{begins[: len(begins) - len(begins.lstrip())]}# above {number}\n")
    return "".join(lines)


@pytest.mark.parametrize("case", CASES)
def test_comments_survive(tmp_path: Path, case: str, repair: Callable[..., Any]) -> None:
    root = Path(shutil.copytree(FIXES / case / "before", tmp_path / "project"))
    written = {path: commented(path.read_text()) for path in root.rglob("*.py")}
    for path, text in written.items():
        path.write_text(text)
    outcome = repair(root)
    for path in outcome.contents:
        text = (root / path).read_text()
        ast.parse(text)
        if case not in WRITTEN_ANEW:
            comments = re.findall(r"# (?:above|behind) \d+\b", text)
            assert sorted(comments) == sorted(re.findall(r"# (?:above|behind) \d+\b", written[root / path]))
    assert not repair(root).contents
