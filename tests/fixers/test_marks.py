"""Text reports mark what has a fix; what was built once is remembered, and large projects have no marks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from optdep_lint.cli import main, marks

FILES = {
    "acme/__init__.py": "from acme import m\n",
    "acme/m.py": "import numba\n\n\ndef f(x):\n    return numba.njit(x)\n",
    "acme/n.py": "try:\n    import pyarrow\nexcept Exception:\n    pyarrow = None\n\n\ndef f():\n    return pyarrow is None\n",
}
FOOTER = "[*] 1 fixable with `--fix` (1 unsafe fix available with `--fix --unsafe-fixes`)."


@pytest.fixture
def project(make: Any, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with one safe fix and one that is not, as the current folder."""
    root: Path = make(FILES)
    monkeypatch.chdir(root)
    monkeypatch.delenv("OPTDEP_LINT_NO_CACHE", raising=False)
    monkeypatch.delenv("OPTDEP_LINT_OUTPUT_FORMAT", raising=False)
    return root


def lines(capfd: pytest.CaptureFixture[str], *words: str) -> list[str]:
    main([*words, "--isolated", "."])
    return capfd.readouterr().out.splitlines()


def test_marks(project: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A star where `--fix` would repair it with the flags of this run; the second run builds nothing."""
    first, second, *footer = lines(capfd, "--output-format", "concise")
    assert first.startswith("acme/m.py:1:1: OPD101 [*] ")
    assert second.startswith("acme/n.py:3:1: OPD405 this hides")
    assert footer == ["Found 2 errors.", FOOTER]

    def build(*_: object) -> None:
        raise AssertionError("built again")

    monkeypatch.setattr(marks, "_build", build)
    assert lines(capfd, "--output-format", "concise") == [first, second, *footer]
    both = lines(capfd, "--output-format", "concise", "--unsafe-fixes")
    assert "OPD405 [*] " in both[1]
    assert both[-1] == "[*] 2 fixable with `--fix`."
    full = lines(capfd)
    assert "  = help: Catch ImportError alone (unsafe fix)" in full
    assert full[-1] == FOOTER


def test_no_marks_where_they_would_take_long(
    project: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(marks, "_MOST_FILES", 1)
    assert lines(capfd, "--output-format", "concise")[-1] == "Found 2 errors."
    monkeypatch.setattr(marks, "_MOST_FILES", 9)
    monkeypatch.setattr(marks, "_MOST_BYTES", 9)
    assert lines(capfd, "--output-format", "concise")[-1] == "Found 2 errors."


def test_marks_come_true(project: Path, capfd: pytest.CaptureFixture[str]) -> None:
    """What is marked is repaired."""
    assert lines(capfd, "--fix", "--output-format", "concise")[1:] == [
        "Found 2 errors (1 fixed, 1 remaining).",
        "No fixes available (1 unsafe fix available with `--fix --unsafe-fixes`).",
    ]
    assert "except ImportError" in (project / "acme" / "m.py").read_text()
