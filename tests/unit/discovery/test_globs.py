"""Our patterns leave out what git's do."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import given, settings
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


pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("checkout")
    subprocess.run(["git", "init", "-q"], cwd=folder, check=True)
    return folder


def ignored_by_git(checkout: Path, text: str, paths: Sequence[str]) -> list[str]:
    (checkout / ".gitignore").write_text(text)
    run = subprocess.run(
        ["git", "-c", "core.excludesFile=", "check-ignore", "--no-index", "--stdin"],
        cwd=checkout,
        input="\n".join(paths),
        capture_output=True,
        text=True,
        check=False,
    )
    return run.stdout.split()


@pytest.mark.parametrize("text", FILES)
def test_as_git(checkout: Path, text: str) -> None:
    patterns = compile_patterns(text.splitlines())
    assert [path for path in PATHS if patterns.matches(path)] == ignored_by_git(checkout, text, PATHS)


SEGMENT = st.sampled_from(["a", "b", "*", "a*", "?", "**", "ab", "*.py", "[ab]"])
PATTERN = st.builds(
    lambda start, parts, end: start + "/".join(parts) + end,
    st.sampled_from(["", "/", "!"]),
    st.lists(SEGMENT, min_size=1, max_size=3),
    st.sampled_from(["", "/"]),
)
PATH = st.lists(st.sampled_from(["a", "b", "ab", "a.py", "b.py"]), min_size=1, max_size=4).map("/".join)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(lines=st.lists(PATTERN, min_size=1, max_size=3), paths=st.lists(PATH, min_size=1, max_size=8, unique=True))
def test_as_git_for_any_patterns(checkout: Path, lines: list[str], paths: list[str]) -> None:
    patterns = compile_patterns(lines)
    ours = [path for path in paths if patterns.matches(path)]
    assert ours == ignored_by_git(checkout, "\n".join(lines) + "\n", paths)


def test_a_pattern_that_git_ignores_too() -> None:
    assert not compile_patterns(["[z-a]", "!", "/", ""]).matches("a")
