"""`optdep-lint check`: flags, exit statuses, formats, and where it writes."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import pytest


def test_a_bare_path_means_check(engine: Any, tree: Path, run: Any) -> None:
    assert run("--output-format", "concise", ".") == 1
    assert run.out.startswith("acme/a.py:2:1: OPD902 [*] a fault\nFound 1 error.\n")
    assert run("check", "--output-format", "concise") == 1
    assert run("acme/__init__.py") == 0
    assert run.out == "All checks passed!\n"


def test_options_may_stand_between_paths(engine: Any, tree: Path, run: Any) -> None:
    assert run("acme/__init__.py", "--output-format", "json", "acme/a.py", "-j", "2", "--jobs=auto") == 1
    assert len(json.loads(run.out)) == 1


def test_paths_are_relative_to_where_it_was_started(
    engine: Any, tree: Path, run: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tree / "acme")
    assert run("--output-format", "json", ".") == 1
    (finding,) = json.loads(run.out)
    assert finding["path"] == finding["because"][0]["path"] == finding["fix"]["edits"][0]["path"] == "../acme/a.py"
    monkeypatch.chdir(tree.parent)
    assert run("--output-format", "json", tree.name) == 1
    assert json.loads(run.out)[0]["path"] == f"{tree.name}/acme/a.py"


def test_two_projects_with_the_same_paths_in_them(engine: Any, tree: Path, run: Any) -> None:
    for name in ("before", "after"):
        folder = tree / "cases" / name
        folder.mkdir(parents=True)
        (folder / "pyproject.toml").write_text("[project]\nname = 'x'\n")
        (folder / "x.py").write_text("FAULT\n" if name == "before" else "\n\nFAULT\n")
    assert run("--output-format", "json", "cases") == 1
    assert [(each["path"], each["line"]) for each in json.loads(run.out)] == [
        ("cases/after/x.py", 3),
        ("cases/before/x.py", 1),
    ]


def test_fix(engine: Any, tree: Path, run: Any) -> None:
    path = tree / "acme" / "a.py"
    path.write_bytes(b"fine\r\nFAULT\nFAULT UNSAFE\nlast")
    path.chmod(0o750)
    assert run("--fix", ".", "--show-fixes") == 1
    assert path.read_bytes() == b"fine\r\nCURED\nFAULT UNSAFE\nlast"
    assert path.stat().st_mode & 0o777 == 0o750
    assert "Found 2 errors (1 fixed, 1 remaining)." in run.out
    assert run.err == "Fixed 1 error:\n- acme/a.py:\n    1 x OPD902 (syntax-error)\n"
    assert run("--fix", "--unsafe-fixes", "--exit-non-zero-on-fix") == 1
    assert run.out == "Fixed 1 error, none remaining.\n"
    assert run("--fix") == 0
    assert path.read_bytes() == b"fine\r\nCURED\nCURED\nlast"
    assert sorted(each.name for each in path.parent.iterdir()) == ["__init__.py", "a.py"]


def test_fix_only(engine: Any, tree: Path, run: Any) -> None:
    (tree / "acme" / "a.py").write_text("FAULT UNSAFE\n")
    assert run("--fix-only") == 0
    assert run.out == ""
    assert run("--fix-only", "--unsafe-fixes") == 0
    assert (run.out, run.err) == ("", "Fixed 1 error.\n")


def test_unfixable(engine: Any, tree: Path, run: Any) -> None:
    assert run("--fix", "--unfixable", "OPD902") == 1
    assert "FAULT" in (tree / "acme" / "a.py").read_text()
    assert run("--fix", "--fixable", "OPD901") == 1
    assert "[*]" not in run.out


def test_diff_writes_nothing(engine: Any, tree: Path, run: Any) -> None:
    path = tree / "acme" / "a.py"
    path.write_bytes(b"fine\r\n\xe9\x0c\nFAULT")
    assert run("--diff") == 1
    assert path.read_bytes() == b"fine\r\n\xe9\x0c\nFAULT"
    assert "--- acme/a.py\n+++ acme/a.py\n@@ -1,3 +1,3 @@\n" in run.out
    assert run.out.endswith("-FAULT\n\\ No newline at end of file\n+CURED\n\\ No newline at end of file\n")
    assert run("--diff", "-o", "x.diff") == 1
    assert (tree / "x.diff").read_bytes().startswith(b"--- acme/a.py\n")
    assert run("--diff", "--exit-zero") == 0
    assert run("--fix", "-q") == 0
    assert run("--diff") == 0
    assert run.out == ""


def stdin(monkeypatch: pytest.MonkeyPatch, content: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


def test_standard_input(engine: Any, tree: Path, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    stdin(monkeypatch, b"\nFAULT\n")
    assert run("-", "--output-format", "concise", "-q") == 1
    assert run.out == "-:2:1: OPD902 [*] a fault\n"
    stdin(monkeypatch, b"x\ny\nFAULT\n")
    assert run("-", "--stdin-filename", "acme/a.py", "--output-format", "full", "-q") == 1
    assert " --> acme/a.py:3:1\n" in run.out
    assert "3 | FAULT\n" in run.out
    stdin(monkeypatch, b"FAULT\n")
    assert run("-", "--stdin-filename", "acme/new.py", "--output-format", "concise", "-q") == 1
    assert run.out.startswith("acme/new.py:1:1:")
    assert run("-", "acme") == 2


def test_standard_input_repaired(engine: Any, tree: Path, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    stdin(monkeypatch, b"a\r\nFAULT\n")
    assert run("-", "--fix", "--stdin-filename", "acme/a.py") == 0
    assert run.out == "a\r\nCURED\n"
    assert (tree / "acme" / "a.py").read_text() == "fine\nFAULT\n"


def test_exit_zero_output_file_and_silence(engine: Any, tree: Path, run: Any) -> None:
    assert run("-e") == 0
    assert run("-o", "report.txt", "--output-format", "json") == 1
    assert run.out == ""
    assert json.loads((tree / "report.txt").read_text())
    assert run("-s") == 1
    assert (run.out, run.err) == ("", "")
    assert run("-o", "none/report.txt") == 2


def test_statistics(engine: Any, tree: Path, run: Any) -> None:
    (tree / "acme" / "b.py").write_text("FAULT\nFAULT 901\n")
    assert run("--statistics") == 1
    assert run.out == "2\tOPD902\t[*] syntax-error\n1\tOPD901\t[*] unused-suppression\n"
    run("--statistics", "--output-format", "json")
    assert json.loads(run.out)[0] == {"code": "OPD902", "name": "syntax-error", "count": 2, "fixable": True}


def test_severity(engine: Any, tree: Path, run: Any) -> None:
    (tree / "acme" / "a.py").write_text("FAULT\nFAULT 901\n")
    run("--output-format", "github")
    assert [line.split()[0] for line in run.out.splitlines()] == ["::error", "::warning"]
    assert run("--min-severity", "error", "--output-format", "json") == 1
    assert [each["code"] for each in json.loads(run.out)] == ["OPD902"]
    assert run("--min-severity", "warning", "--config", "severity = {OPD9 = 'info'}") == 0


def test_environment(engine: Any, tree: Path, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPTDEP_LINT_OUTPUT_FORMAT", "json")
    assert run() == 1
    assert json.loads(run.out)
    monkeypatch.setenv("OPTDEP_LINT_OUTPUT_FORMAT", "xml")
    assert run() == 2
    assert "OPTDEP_LINT_OUTPUT_FORMAT: unknown format 'xml'" in run.err


def test_cache(engine: Any, tree: Path, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    run()
    assert (tree / ".optdep_lint_cache" / "CACHEDIR.TAG").exists()
    assert run("clean") == 0
    assert not (tree / ".optdep_lint_cache").exists()
    assert run("--no-cache") == 1
    assert engine.caches[-1] is None
    monkeypatch.setenv("OPTDEP_LINT_NO_CACHE", "1")
    run()
    assert engine.caches[-1] is None
    monkeypatch.delenv("OPTDEP_LINT_NO_CACHE")
    run("--cache-dir", "here")
    assert list((tree / "here").glob("*.pack"))
    assert not (tree / ".optdep_lint_cache").exists()
    monkeypatch.setenv("OPTDEP_LINT_CACHE_DIR", str(tree / "there"))
    run()
    assert list((tree / "there").glob("*.pack"))


def test_flags_reach_the_engine(engine: Any, tree: Path, run: Any) -> None:
    (tree / "pyproject.toml").write_text(
        "[project]\nname='acme'\n[tool.optdep-lint]\nignore = ['OPD901']\nwithout = ['a']\n"
    )
    run(
        "--without", "b,c", "--strict", "--python", "py", "--target-python", "3.11", "--target-platform", "win32",
        "--extend-select", "OPD902", "--exclude", "x", "--per-file-ignores", "a.py:OPD901,OPD902", "--no-respect-gitignore",
    )  # fmt: skip
    config = engine.configs[-1]
    assert config.without == ("a", "b", "c")
    assert (config.strict, config.python, config.target_python, config.target_platform) == (
        True,
        "py",
        (3, 11),
        "win32",
    )
    assert (config.select, config.extend_select, config.ignore) == (("OPD",), ("OPD902",), ("OPD901",))
    assert config.per_file_ignores == {"a.py": ("OPD901", "OPD902")}
    assert (config.exclude, config.respect_gitignore) == (("x",), False)
    run("--select", "ALL")
    assert (engine.configs[-1].select, engine.configs[-1].ignore) == (("ALL",), ())
    run("--isolated")
    assert engine.configs[-1].ignore == ()


def test_the_nearest_configuration_counts_for_each_project(engine: Any, tree: Path, run: Any) -> None:
    inner = tree / "packages" / "b"
    inner.mkdir(parents=True)
    (inner / "pyproject.toml").write_text("[project]\nname='b'\n[tool.optdep-lint]\nstrict = true\n")
    (inner / "b.py").write_text("")
    run()
    assert [config.strict for config in engine.configs] == [False, True]


def test_shards_share_the_files(engine: Any, tree: Path, run: Any) -> None:
    for number in range(20):
        (tree / "acme" / f"m{number}.py").write_text("FAULT\n")
    seen: list[str] = []
    for part in "123":
        run("--shard", f"{part}/3", "--output-format", "json")
        seen += [each["path"] for each in json.loads(run.out)]
    assert len(seen) == len(set(seen)) == 21
    for wrong in ("0/3", "4/3", "x", "1/0"):
        assert run("--shard", wrong) == 2
        assert "--shard: expected I/N" in run.err


def test_show_files_and_settings(engine: Any, tree: Path, run: Any) -> None:
    assert run("--show-files", "acme/a.py") == 0
    assert run.out == f"{tree / 'acme' / 'a.py'}\n"
    assert run("--show-settings", "--target-python", "3.12") == 0
    assert 'target-python = "3.12"\n' in run.out
    assert run("--config", "optional = ['x']", "--show-settings", "--isolated") == 0
    assert 'optional = ["x"]\n' in run.out


def test_the_settings_shown_can_be_read_again(engine: Any, tree: Path, run: Any) -> None:
    run("--show-settings", "--config", "hot-paths = ['a.*']", "--config", "severity = {OPD9 = 'info'}")
    (tree / "again.toml").write_text(run.out)
    first = run.out
    assert run("--show-settings", "--config", "again.toml") == 0
    assert run.out == first


def test_add_noqa(engine: Any, tree: Path, run: Any) -> None:
    assert run("--add-noqa=later") == 0
    assert run.out == "Added 1 suppression.\n"
    assert (tree / "acme" / "a.py").read_text() == "fine\nFAULT  # optdep: ignore[OPD902] later\n"


def test_colour(engine: Any, tree: Path, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    run()
    assert "\x1b[" not in run.out
    monkeypatch.setenv("FORCE_COLOR", "1")
    run()
    assert "\x1b[" in run.out
    run("--output-format", "json")
    assert "\x1b[" not in run.out
    monkeypatch.setenv("NO_COLOR", "1")
    run()
    assert "\x1b[" not in run.out
    run("--color", "always")
    assert "\x1b[" in run.out


def test_problems_are_warnings(engine: Any, tree: Path, run: Any) -> None:
    engine.problems = ("something odd",)
    assert run("acme/__init__.py") == 0
    assert run.err == "warning: something odd\n"
    run("-q")
    assert run.err == ""
