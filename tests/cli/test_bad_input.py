"""Every mistake is one line that names the file and the key, and status 2; never a traceback."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

LONG = "x" * 70


def test_mistakes_on_the_command_line(engine: Any, tree: Path, run: Any) -> None:
    for words, expected in {
        ("nowhere",): "error: nowhere: no such file or directory\n",
        ("--selct", "OPD1"): "did you mean '--select'?",
        ("--select", "OPD999"): "error: --select: unknown rule code 'OPD999'",
        ("--ignore", "E501"): "error: --ignore: unknown rule code 'E501'",
        ("--per-file-ignores", "a.py"): "--per-file-ignores: expected GLOB:CODES, got 'a.py'",
        ("--target-python", "2.7"): "command line: target-python: expected a Python version",
        ("--config", "nowhere.toml"): "error: nowhere.toml: cannot read: ",
        ("--config", "nope = 1"): "--config: nope: unknown key",
        ("--config", "strict = ["): "broken TOML",
        ("--output-format", "xml"): "argument --output-format: invalid choice: 'xml'",
        ("-j", "many"): "argument -j/--jobs: expected a number, got 'many'",
        ("matrix", "nowhere"): "error: nowhere: no such file or directory\n",
        ("matrix", "--present-file", "nowhere", "."): "--present-file nowhere: cannot read",
        ("rule", "OPD90"): "unknown rule 'OPD90'; did you mean 'OPD90",
        ("rule",): "rule: name one rule, or give --all",
        ("config", "selct"): "selct: unknown key; did you mean 'select'?",
        ("clean", "nowhere"): "nowhere: no such file or directory",
        ("verify", "--python", "no-such-python"): "--python: no-such-python",
    }.items():
        assert run(*words) == 2, words
        assert run.out == "", words
        assert expected in run.err, words
        assert run.err.count("\n") == 1, words


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "[tool.optdep-lint]\nselct = []\n",
            "pyproject.toml: tool.optdep-lint: selct: unknown key; did you mean 'select'?",
        ),
        (
            "[tool.optdep-lint]\nselect = ['OPD9x9']\n",
            "pyproject.toml: tool.optdep-lint: select: unknown rule code 'OPD9x9'",
        ),
        ("[tool.optdep-lint\n", "pyproject.toml: broken TOML: "),
    ],
)
def test_mistakes_in_the_configuration(engine: Any, tree: Path, run: Any, text: str, expected: str) -> None:
    (tree / "pyproject.toml").write_text(text)
    assert run() == 2
    assert expected in run.err
    assert run.err.count("\n") == 1


def test_an_empty_project(engine: Any, tree: Path, run: Any) -> None:
    (tree / "empty").mkdir()
    assert run("empty") == 2
    assert run.err == "error: empty: no Python files found\n"
    assert run("--force-exclude", "--exclude", "a.py", "acme/a.py") == 0


def test_broken_metadata_does_not_hide_other_projects(engine: Any, tree: Path, run: Any) -> None:
    (tree / "b").mkdir()
    (tree / "b" / "pyproject.toml").write_text("[project]\n")
    (tree / "b" / "broken").write_text("")
    (tree / "b" / "b.py").write_text("")
    assert run("--output-format", "concise", "-q", ".") == 2
    assert run.out == "acme/a.py:2:1: OPD902 [*] a fault\n"
    assert run.err == f"error: {tree / 'b' / 'pyproject.toml'}: project.name: broken in two lines\n"
    engine.error = RuntimeError("boom")
    assert run() == 2
    assert run.err.count("internal error") == 2, "one for each project"
    assert run.out == ""


def test_a_directory_loop(engine: Any, tree: Path, run: Any) -> None:
    os.symlink(tree, tree / "acme" / "loop")
    assert run("--output-format", "concise", "-q") == 1
    assert run.out.count("\n") == 1


def test_a_file_that_is_not_utf8(engine: Any, tree: Path, run: Any) -> None:
    (tree / "acme" / "a.py").write_bytes(b"# \xe9\nFAULT\n")
    assert run() == 1
    (tree / "acme" / "a.py").write_bytes(b"# coding: latin-1\n# \xe9\nFAULT\n")
    assert run() == 1
    assert "2 | # é\n" in run.out
    (tree / "acme" / "a.py").write_bytes(b"# coding: nonsense\n# \xe9\nFAULT\n")
    assert run() == 1


def test_an_internal_error(engine: Any, tree: Path, run: Any) -> None:
    engine.error = RuntimeError("boom\nbang")
    assert run() == 2
    assert run.err.startswith("error: internal error: RuntimeError: boom bang; please report it")
    assert run.err.count("\n") == 1
    assert run("-v") == 2
    assert "Traceback" in run.err
    engine.error = KeyboardInterrupt()
    assert run() == 2
    assert run.err == "error: interrupted\n"


def test_a_file_that_cannot_be_written(engine: Any, tree: Path, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(os, "replace", refuse)
    assert run("--fix") == 2
    assert "acme/a.py: cannot write: Permission denied\n" in run.err
    assert sorted(each.name for each in (tree / "acme").iterdir()) == ["__init__.py", "a.py"]


def test_the_language_server_is_an_extra(run: Any, tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pygls.lsp.server", None)
    monkeypatch.delitem(sys.modules, "optdep_lint.integrations.lsp", raising=False)
    assert run("server") == 2
    assert run.err == 'error: the language server is not installed; `pip install "optdep-lint[lsp]"` brings it\n'
