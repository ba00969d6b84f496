"""flake8 reports what the command line reports, however it starts its processes."""

from __future__ import annotations

import multiprocessing
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

pytest.importorskip("flake8")

DRIVER = """\
import multiprocessing, os, sys
from optdep_lint import engine

plain_check = engine.check

def counted(projects, config, **given):
    report = plain_check(projects, config, **given)
    with open(os.environ["RUNS"], "a") as stream:
        stream.write(f"{os.getpid()} {[str(each.root) for each in projects]} {'libcst' in sys.modules}\\n")
    return report

engine.check = counted

if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv.pop(1))
    from flake8.main.cli import main
    raise SystemExit(main())
"""

PROJECT = """\
[project]
name = "acme"
version = "1"
optional-dependencies = { gpu = ["torch"], fast = ["numba"], table = ["pandas"] }

[tool.optdep-lint]
per-file-ignores = { "acme/hidden.py" = ["OPD2"] }
"""
LATE = "try:\n    import numba\nexcept ImportError:\n    pass\n\n\ndef f():\n    return numba.njit\n"
FILES = {
    "pyproject.toml": PROJECT,
    "acme/__init__.py": "from acme import grown, later, marked, hidden, noted\n",
    "acme/grown.py": 'é = "é"; import torch\n',
    "acme/later.py": LATE,
    "acme/hidden.py": LATE,
    "acme/marked.py": LATE.replace("numba.njit", "numba.njit  # optdep: ignore[OPD201]"),
    "acme/noted.py": LATE.replace("numba.njit", "numba.njit  # noqa: OPD201"),
    "acme/unused.py": "x = 1  # optdep: ignore[OPD101]\n",
    "acme/broken.py": "def f(:\n",
    "acme/tests/test_it.py": "import torch\n",
    "other/pyproject.toml": PROJECT.replace("acme", "other"),
    "other/other/__init__.py": "import pandas\n",
}


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    root = tmp_path / "tree"
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    (tmp_path / "driver.py").write_text(DRIVER)
    return root


def run(
    tree: Path, *words: str, method: str | None = None, stdin: str | None = None, folder: Path | None = None
) -> subprocess.CompletedProcess[str]:
    """flake8, forced to start its processes in one way, with no settings but ours."""
    start = [str(tree.parent / "driver.py"), method] if method else ["-m", "flake8"]
    environment = {**os.environ, "RUNS": str(tree.parent / "runs.txt"), "PYTHONIOENCODING": "utf-8"}
    return subprocess.run(
        [sys.executable, *start, "--isolated", *words],
        cwd=folder or tree, env=environment, capture_output=True, text=True, check=False, input=stdin, encoding="utf-8",
    )  # fmt: skip


def lines(done: subprocess.CompletedProcess[str]) -> list[str]:
    assert not done.stderr, done.stderr
    return sorted(line.removeprefix("./") for line in done.stdout.splitlines())


def command_line(tree: Path, *words: str) -> list[str]:
    """What the CLI says on the same paths, less what flake8 cannot say."""
    done = subprocess.run(
        [sys.executable, "-m", "optdep_lint", "-q", "--output-format", "concise", *words],
        cwd=tree, capture_output=True, text=True, check=False, encoding="utf-8",
    )  # fmt: skip
    found = [line.replace("[*] ", "") for line in done.stdout.splitlines() if re.search(r":\d+:\d+: OPD", line)]
    return sorted(line for line in found if "OPD90" not in line and not line.startswith("pyproject.toml"))


def runs(tree: Path) -> list[str]:
    path = tree.parent / "runs.txt"
    return path.read_text().splitlines() if path.exists() else []


@pytest.mark.parametrize(("method", "jobs"), [("fork", 1), ("fork", 2), ("spawn", 2), ("forkserver", 2)])
def test_as_the_command_line(tree: Path, method: str, jobs: int) -> None:
    if method not in multiprocessing.get_all_start_methods():
        pytest.skip(f"no {method} here")
    expected = command_line(tree, ".")
    assert {line.split()[1] for line in expected} == {"OPD101", "OPD201"}
    assert len(expected) == 3
    assert lines(run(tree, f"-j{jobs}", "--select", "OPD", ".", method=method)) == expected
    made = runs(tree)
    assert len(made) == len(set(made)), "each process judges a project once"
    if method == "fork":
        assert len(made) == 2, "two projects, judged before flake8 forks"
        assert len({line.split()[0] for line in made}) == 1


def test_a_warm_run_imports_no_libcst(tree: Path) -> None:
    """The Python that runs flake8 parses what it can; libcst is for newer syntax, and a warm cache needs no parser."""
    (tree / "acme" / "newer.py").write_text("lazy import json\n")
    for _ in range(2):
        (tree.parent / "runs.txt").unlink(missing_ok=True)
        run(tree, "-j2", "--select", "OPD", method="spawn")
    assert [line.split()[-1] for line in runs(tree)] == ["False"] * len(runs(tree))


def test_files_that_are_named(tree: Path) -> None:
    names = ["acme/later.py", "other/other/__init__.py"]
    assert lines(run(tree, "--select", "OPD", *names)) == command_line(tree, *names) != []


def test_from_a_folder_below(tree: Path) -> None:
    found = lines(run(tree, "--select", "OPD", folder=tree / "acme"))
    assert [line.split(":")[0] for line in found] == ["grown.py", "later.py"]


def test_columns_count_code_points(tree: Path) -> None:
    (line,) = lines(run(tree, "--select", "OPD", "acme/grown.py"))
    assert line.startswith("acme/grown.py:1:10: OPD101 ")


def test_noqa_is_left_to_flake8(tree: Path) -> None:
    found = lines(run(tree, "--select", "OPD", "--disable-noqa", "acme"))
    assert [line.split(":")[0] for line in found] == ["acme/grown.py", "acme/later.py", "acme/noted.py"]


def test_per_file_ignores_of_flake8_count_as_well(tree: Path) -> None:
    found = lines(run(tree, "--select", "OPD", "--per-file-ignores", "later.py: OPD2", "acme"))
    assert [line.split(":")[0] for line in found] == ["acme/grown.py"]


def test_standard_input_stands_for_a_file(tree: Path) -> None:
    text = "# another line\n" + FILES["acme/grown.py"]
    done = run(tree, "--select", "OPD", "--stdin-display-name", "acme/grown.py", "-", stdin=text)
    assert [line.split(": ")[0] for line in lines(done)] == ["acme/grown.py:2:10"]


def test_standard_input_stands_for_nothing(tree: Path) -> None:
    assert lines(run(tree, "--select", "OPD", "-", stdin="x = 1\n")) == []


def test_others_are_not_made_to_wait(tree: Path) -> None:
    run(tree, "--select", "E", ".", method="fork")
    assert not runs(tree)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--optdep-config", "my.toml"], []),
        (["--optdep-root", "other"], ["other/other/__init__.py"]),
        (["--optdep-cache-dir", "kept"], ["acme/grown.py", "acme/later.py", "other/other/__init__.py"]),
    ],
)
def test_options(tree: Path, words: Sequence[str], expected: list[str]) -> None:
    (tree / "my.toml").write_text('select = ["OPD602"]\n')
    found = lines(run(tree, "--select", "OPD", *words))
    assert [line.split(":")[0] for line in found] == expected
    assert (tree / "kept").exists() == ("kept" in words)


def test_options_in_the_configuration_of_flake8(tree: Path) -> None:
    (tree / "my.toml").write_text('select = ["OPD602"]\n')
    (tree / ".flake8").write_text("[flake8]\nselect = OPD\noptdep-config = ./my.toml\n")
    done = subprocess.run([sys.executable, "-m", "flake8"], cwd=tree, capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("", "")


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_mistake_is_told_once(tree: Path, jobs: int) -> None:
    (tree / "my.toml").write_text("no-such-key = 1\n")
    done = run(tree, f"-j{jobs}", "--select", "OPD,F401", "--optdep-config", "my.toml", method="fork")
    assert "OPD" not in done.stdout
    assert "F401 'torch' imported but unused" in done.stdout, "flake8 goes on"
    assert done.stderr == "optdep-lint: ConfigError: my.toml: no-such-key: unknown key\n"
