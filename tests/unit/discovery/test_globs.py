"""Our patterns leave out what git's do."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pathspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from optdep_lint.discovery.globs import compile_patterns

PATHS = (
    "a.py b.py a/b.py a/b/c.py build/x.py a/build/x.py build.py docs/a/b/c.py x[1].py !a.py #a.py foo.pyc .hidden.py "
    "a/b/build a/.venv/x.py doc/frotz/x.py a/doc/frotz/x.py foo/bar/baz.py foo/x/bar/baz.py vendor/keep.py"
).split()
FILES = [
    "*.pyc\nbuild/\n",
    "/build/\n!a.py\n*.py\n!b.py\n",
    "a/**/c.py\n**/frotz\n",
    "doc/frotz/\n",
    "a/*\n!a/b.py\n",
    "foo/**/bar\n",
    "foo/**\n",
    "\\#a.py\n\\!a.py\n# comment\n\nx[[]1].py\n",
    "[ab].py\n?oo/\n",
    "[!a].py\n",
    "vendor/*\n!vendor/keep.py\n",
    "a.py   \n",
    "**\n!*.py\n",
    ".*\n!/.gitignore\n",
]


@pytest.mark.skipif(shutil.which("git") is None, reason="needs git")
@pytest.mark.parametrize("text", FILES)
def test_as_git(tmp_path: Path, text: str) -> None:
    subprocess.run(["git", "init", "-q"], cwd=tmp_path, check=True)
    (tmp_path / ".gitignore").write_text(text)
    run = subprocess.run(
        ["git", "-c", "core.excludesFile=", "check-ignore", "--no-index", "--stdin"],
        cwd=tmp_path,
        input="\n".join(PATHS),
        capture_output=True,
        text=True,
        check=False,
    )
    patterns = compile_patterns(text.splitlines())
    assert [path for path in PATHS if patterns.matches(path)] == run.stdout.split()


SEGMENT = st.sampled_from(["a", "b", "*", "a*", "?", "**", "ab", "*.py", "[ab]"])
PATTERN = st.builds(
    lambda start, parts, end: start + "/".join(parts) + end,
    st.sampled_from(["", "/"]),
    st.lists(SEGMENT, min_size=1, max_size=3),
    st.sampled_from(["", "/"]),
)
PATH = st.lists(st.sampled_from(["a", "b", "ab", "a.py", "b.py"]), min_size=1, max_size=4).map("/".join)


@given(st.lists(PATTERN, min_size=1, max_size=3), PATH)
def test_as_pathspec(lines: list[str], path: str) -> None:
    expected = pathspec.GitIgnoreSpec.from_lines(lines).match_file(path)
    assert compile_patterns(lines).matches(path) == expected


def test_a_pattern_that_git_ignores_too() -> None:
    assert not compile_patterns(["[z-a]", "!", "/", ""]).matches("a")
