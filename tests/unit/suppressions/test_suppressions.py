"""Comments hide what flake8 says they hide, and ours what we say."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from optdep_lint.config import Config
from optdep_lint.findings import Finding, Span
from optdep_lint.suppressions import annotate, apply, read_suppressions, ruff_removes_our_codes

ENABLED = ("OPD101", "OPD201", "OPD901")


def finding(line: int, code: str = "OPD101", path: str = "a.py") -> Finding:
    return Finding(code, f"name-of-{code}", path, Span(line, 1, line, 5), "message")


def kept(text: str, *findings: Finding, config: Config | None = None) -> list[tuple[int, str]]:
    outcome = apply(findings, lambda _: text, config or Config(), enabled=ENABLED)
    assert outcome.suppressed == len(findings) - len(outcome.kept)
    return [(each.span.line, each.code) for each in outcome.kept]


@pytest.mark.parametrize(
    ("comment", "hides"),
    [
        ("# noqa", True),
        ("#  noqa", False),
        ("#noqa", False),
        ("# NOQA", True),
        ("# noqa: OPD101", True),
        ("# noqa:OPD101,E501", True),
        ("# noqa: E501 OPD101", True),
        ("# noqa: OPD1", True),
        ("# noqa: OPD101 - a reason", True),
        ("# noqa: OPD201", False),
        ("# noqa: opd101", False),
        ("# noqa : OPD201", True),
        ("# noqa: OPD", True),
        ("# noqa: unguarded-optional-import", True),
        ("# other # noqa: OPD101", True),
        ("# optdep: ignore[OPD101]", True),
        ("# optdep: ignore[OPD201, OPD1xx] a reason", True),
        ("# optdep: ignore", True),
        ("# optdep:ignore[OPD101]", True),
        ("#optdep: ignore[OPD101]", True),
        ("# optdep: ignore[OPD201]", False),
        ("# optdep: ignore[]", False),
        ("# type: ignore  # optdep: ignore[OPD101]", True),
    ],
)
def test_spellings(comment: str, hides: bool) -> None:
    assert kept(f"import a  {comment}\n", finding(1)) == ([] if hides else [(1, "OPD101")])


MULTILINE = '''\
from a import (
    b,  # noqa: OPD101
    c,
)
x = """
# noqa: OPD101
"""
y = 1 + \\
    2  # noqa: OPD101
f(
    1,  # optdep: ignore[OPD101]
    2,
)
# optdep: ignore[OPD101] the next statement
g(
    3)
s = "# optdep: ignore[OPD101]"
if x:  # optdep: ignore[OPD101]
    h()
'''


def test_which_lines_a_comment_covers() -> None:
    lines = range(1, MULTILINE.count("\n") + 1)
    left = {line for line, _ in kept(MULTILINE, *(finding(line) for line in lines))}
    assert left == {1, 3, 4, 17, 19}


@pytest.mark.parametrize("text", [MULTILINE, "x = [\n1, # noqa: OPD101\n", "try:\n  import a # noqa\nexcept: pass\n"])
def test_noqa_as_flake8_does_it(tmp_path: Path, text: str) -> None:
    """An OPD101 on every line, through flake8 itself."""
    pytest.importorskip("flake8")
    (tmp_path / "everywhere.py").write_text(
        "class Plugin:\n    name = 'x'\n    version = '1'\n"
        "    def __init__(self, tree, lines): self.lines = lines\n"
        "    def run(self):\n        for n in range(1, len(self.lines) + 1): yield n, 0, 'XYZ101 x', type(self)\n"
    )
    (tmp_path / "tox.ini").write_text("[flake8:local-plugins]\nextension =\n  XYZ = everywhere:Plugin\npaths = .\n")
    (tmp_path / "a.py").write_text(text.replace("OPD", "XYZ"))
    command = [sys.executable, "-m", "flake8", "--isolated", "--select", "XYZ", "--config", "tox.ini", "a.py"]
    command.remove("--isolated")
    run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    by_flake8 = {int(line.split(":")[1]) for line in run.stdout.splitlines()}
    without_ours = text.replace("optdep:", "other:")
    ours = {line for line, _ in kept(without_ours, *(finding(n) for n in range(1, text.count("\n") + 1)))}
    if "x = [" not in text:  # flake8 reports E999 there and runs no plugin.
        assert ours == by_flake8


@pytest.mark.parametrize("comment", ["# flake8: noqa", "# flake8: noqa: OPD201", "  # flake8:noqa", "# optdep: ignore-file",
                                     "# optdep: ignore-file[OPD1]"])  # fmt: skip
def test_whole_files(comment: str) -> None:
    assert kept(f"import a\n\n{comment}\nimport b\n", finding(1), finding(4)) == []


def test_broken_code_is_taken_line_by_line() -> None:
    assert kept("x = (\nimport a  # noqa\nimport b\n", finding(2), finding(3)) == [(3, "OPD101")]
    assert kept("'''\nimport a  # noqa\n", finding(2)) == []


def test_per_file_ignores_are_united() -> None:
    config = Config(per_file_ignores={"a*": ("OPD101",), "a.py": ("name-of-OPD201",), "*.txt": ("ALL",)})
    assert kept("", finding(1), finding(1, "OPD201"), finding(1, "OPD301"), config=config) == [(1, "OPD301")]
    assert kept("", finding(1, path="x/b.txt"), config=config) == []


def unused(text: str, *findings: Finding, enabled: tuple[str, ...] = ENABLED) -> list[tuple[int, str]]:
    outcome = apply(findings, lambda _: text, Config(), enabled=enabled, candidates=["a.py"])
    assert all(each.code == "OPD901" for each in outcome.unused)
    return [(each.span.line, each.message) for each in outcome.unused]


def test_unused_suppressions() -> None:
    text = "import a  # noqa: OPD101,E501\nimport b  # optdep: ignore[OPD101, OPD201, OPD301]\nimport c  # noqa\nimport d  # optdep: ignore\n"
    assert unused(text, finding(1)) == [
        (2, "unused suppression: OPD101 reports nothing here"),
        (2, "unused suppression: OPD201 reports nothing here"),
        (4, "unused suppression: nothing is reported here"),
    ]
    assert unused(text, finding(1), enabled=("OPD101",)) == []


def test_text_that_only_speaks_of_a_suppression() -> None:
    text = 'def f():\n    """Explains `# noqa: OPD101`."""\n    return "# noqa: OPD201"  # noqa: OPD101\n'
    assert unused(text) == []
    assert unused(text.replace('"# noqa: OPD201"', "1")) == [(3, "unused suppression: OPD101 reports nothing here")]


def test_the_span_of_an_unused_suppression() -> None:
    (first,) = read_suppressions("import a  # é # noqa: OPD101  \n")
    assert first.span == Span(1, 15, 1, 29)
    (second,) = read_suppressions("import a  # optdep: ignore[OPD101] x\n")
    assert second.span == Span(1, 11, 1, 35)


def test_other_files_than_pythons() -> None:
    outcome = apply(
        [finding(1, path="pyproject.toml"), finding(2, path="pyproject.toml")],
        lambda _: "a = [  # optdep: ignore[OPD101]\n1]\n",
        Config(),
        enabled=ENABLED,
    )
    assert [each.span.line for each in outcome.kept] == [2]


def test_files_that_name_our_codes_after_noqa() -> None:
    outcome = apply([finding(1)], lambda _: "import a  # noqa: OPD101\n", Config(), enabled=ENABLED)
    assert outcome.noqa_paths == ("a.py",)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (b"import a\n", b"import a  # optdep: ignore[OPD101] why\n"),
        (b"import a", b"import a  # optdep: ignore[OPD101] why"),
        (b"import a \r\nimport b\r\n", b"import a  # optdep: ignore[OPD101] why\r\nimport b\r\n"),
        (b"f(\n  1,\n)\n", b"f(\n  1,\n)  # optdep: ignore[OPD101] why\n"),
        (b"x = '''\n'''\n", b"x = '''\n'''  # optdep: ignore[OPD101] why\n"),
        (b"import a  # optdep: ignore[OPD201]\n", b"import a  # optdep: ignore[OPD101, OPD201]\n"),
        (b"import a  # \xe9\x0cx\n", b"import a  # \xe9\x0cx  # optdep: ignore[OPD101] why\n"),
    ],
)
def test_annotate(before: bytes, after: bytes) -> None:
    assert annotate(before, before.decode("latin-1"), [finding(1)], "why") == after
    assert kept(after.decode("latin-1"), finding(1)) == []


@pytest.mark.parametrize(
    ("name", "text", "warns"),
    [
        ("pyproject.toml", "[tool.ruff]\nline-length = 100\n", True),
        ("pyproject.toml", "[tool.ruff.lint]\nexternal = ['OPD']\n", False),
        ("pyproject.toml", "[tool.black]\n", False),
        ("ruff.toml", "[lint]\nselect = ['ALL']\n", True),
        ("ruff.toml", "external = ['OPD']\n", False),
        ("ruff.toml", "broken", False),
    ],
)
def test_ruff(tmp_path: Path, name: str, text: str, warns: bool) -> None:
    (tmp_path / name).write_text(text)
    assert (ruff_removes_our_codes(tmp_path) is not None) == warns
