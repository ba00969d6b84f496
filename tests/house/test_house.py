"""The rules of the house, as tests: lint, types, layers, lengths, and what may import what."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "optdep_lint"
LIBCST_ROOMS = ("summarize/", "fixers/", "integrations/codemod.py")
HEAVY = ("libcst", "rich", "packaging", "pathspec", "asyncio", "flake8")
MAX_FUNCTION_LINES = 60
"""About 40 is what we aim at; the report tells of all above, beyond this one has to be split."""
BANNED_NAMES = {"utils", "common", "helpers", "misc"}


def sources() -> list[Path]:
    return sorted(PACKAGE.rglob("*.py"))


def run(*command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *command], cwd=ROOT, capture_output=True, text=True, check=False, env={**os.environ, **environment}
    )  # fmt: skip


@pytest.mark.parametrize("command", [("check", "--output-format=concise"), ("format", "--check")])
def test_ruff(command: tuple[str, ...]) -> None:
    pytest.importorskip("ruff")
    done = run("-m", "ruff", *command, "--no-cache", ".")
    assert done.returncode == 0, done.stdout + done.stderr


def test_mypy_strict() -> None:
    pytest.importorskip("mypy")
    done = run("-m", "mypy", "--no-error-summary")
    assert done.returncode == 0, done.stdout + done.stderr


def test_layers() -> None:
    if not shutil.which("lint-imports", path=Path(sys.executable).parent):
        pytest.skip("import-linter needs Python 3.11")
    code = "from importlinter import cli; raise SystemExit(cli.lint_imports(config_filename='pyproject.toml', no_cache=True))"
    done = run("-c", code)
    assert done.returncode == 0, done.stdout + done.stderr


def test_only_some_rooms_import_libcst() -> None:
    offenders = [
        path.relative_to(PACKAGE).as_posix()
        for path in sources()
        if "libcst" in imported_roots(path) and not path.relative_to(PACKAGE).as_posix().startswith(LIBCST_ROOMS)
    ]
    assert not offenders


def imported_roots(path: Path) -> set[str]:
    roots: set[str] = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            roots.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0 and node.module:
            roots.add(node.module.partition(".")[0])
    return roots


def test_no_junk_drawers() -> None:
    assert not [path for path in sources() if not BANNED_NAMES.isdisjoint(path.with_suffix("").parts)]


def functions(path: Path) -> Iterator[tuple[str, int]]:
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield f"{path.relative_to(ROOT)}:{node.lineno} {node.name}", (node.end_lineno or 0) - node.lineno + 1


def test_lengths() -> None:
    """Prints what is longer than it should be; fails on functions that no screen shows."""
    long_functions = sorted(((n, name) for path in sources() for name, n in functions(path) if n > 40), reverse=True)
    code_lines = ((len(path.read_text(encoding="utf-8").splitlines()), path) for path in sources())
    long_files = sorted(((n, str(path.relative_to(ROOT))) for n, path in code_lines if n > 300), reverse=True)
    for lines, name in (*long_functions, *long_files):
        sys.stdout.write(f"{lines:>5} {name}\n")
    assert not [row for row in long_functions if row[0] > MAX_FUNCTION_LINES]


def test_optdep_lint_on_itself() -> None:
    """Fixtures included, but for what pyproject.toml says is faulty on purpose."""
    pytest.importorskip("optdep_lint.engine")
    done = run("-m", "optdep_lint", "--no-cache", "--output-format", "concise", ".")
    assert done.stdout == "All checks passed!\n", done.stdout + done.stderr


def test_starting_is_cheap() -> None:
    code = f"import sys, optdep_lint.cli.check; print([name for name in {HEAVY} if name in sys.modules])"
    done = run("-c", code)
    assert done.stdout == "[]\n", done.stdout + done.stderr


def test_a_warm_run_imports_no_libcst(tmp_path: Path) -> None:
    pytest.importorskip("optdep_lint.engine")
    (tmp_path / "pyproject.toml").write_text("[project]\nname = 'acme'\nversion = '1'\n")
    (tmp_path / "acme").mkdir()
    (tmp_path / "acme" / "__init__.py").write_text("try:\n    import torch\nexcept ImportError:\n    torch = None\n")
    (tmp_path / "acme" / "a.py").write_text("import torch\n\n\ndef f():\n    return torch.x\n")
    code = (
        "import sys; from optdep_lint.cli import main; status = main(['-q', '-j1', sys.argv[1]]); "
        "print([name for name in sys.modules if name.partition('.')[0] == 'libcst'], status)"
    )
    first, second = run("-c", code, str(tmp_path)), run("-c", code, str(tmp_path))
    assert second.stdout.rpartition("[")[0] == first.stdout.rpartition("[")[0], "warm as cold"
    assert "[] " in second.stdout, second.stdout + second.stderr


def test_versions_agree() -> None:
    """The changelog has an entry for the version, so that no release goes untold."""
    from optdep_lint import __version__

    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
