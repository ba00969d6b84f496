"""The hooks, run by pre-commit on a small git project. Slow (pip makes an environment for each): set OPTDEP_LINT_SLOW=1."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HOOKS = ROOT / ".pre-commit-hooks.yaml"
FAULT = "import torch\n"


def test_the_hooks_call_what_there_is() -> None:
    """Each entry is a command line that the parser takes."""
    from optdep_lint.cli.arguments import check_parser

    text = HOOKS.read_text(encoding="utf-8")
    ids = [line.removeprefix("- id: ") for line in text.splitlines() if line.startswith("- id: ")]
    assert ids == ["optdep-lint", "optdep-lint-fix", "optdep-lint-project"]
    entries = [line.partition("entry: ")[2] for line in text.splitlines() if "entry: " in line]
    for entry in entries:
        command, verb, *words = entry.split()
        assert (command, verb) == ("optdep-lint", "check")
        check_parser().parse_args(words)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    (root / "acme").mkdir(parents=True)
    (root / "pyproject.toml").write_text(
        "[project]\nname = 'acme'\nversion = '1'\noptional-dependencies = { gpu = ['torch'] }\n"
    )
    (root / "acme" / "__init__.py").write_text("from acme import a, b\n")
    (root / "acme" / "a.py").write_text(FAULT)
    (root / "acme" / "b.py").write_text("x = 1\n")
    for words in (["init", "-q"], ["add", "-A"]):
        subprocess.run(["git", *words], cwd=root, check=True)
    return root


@pytest.mark.skipif(
    not os.environ.get("OPTDEP_LINT_SLOW"), reason="makes environments with pip: set OPTDEP_LINT_SLOW=1"
)
def test_on_a_project(project: Path, tmp_path: Path) -> None:
    pytest.importorskip("pre_commit")
    clone = tmp_path / "optdep-lint"
    subprocess.run(["git", "clone", "-q", str(ROOT), str(clone)], check=True)

    def run(hook: str, *files: str) -> tuple[int, str]:
        done = subprocess.run(
            [sys.executable, "-m", "pre_commit", "try-repo", str(clone), hook, "--files", *files],
            cwd=project, env={**os.environ, "PRE_COMMIT_HOME": str(tmp_path / "home")},
            capture_output=True, text=True, check=False,
        )  # fmt: skip
        return done.returncode, done.stdout

    status, out = run("optdep-lint", "acme/b.py")
    assert status == 0, out
    status, out = run("optdep-lint", "acme/a.py")
    assert status == 1, out
    assert "OPD101" in out
    status, out = run("optdep-lint-project", "acme/b.py")
    assert status == 1, "the file that was changed is not the faulty one\n" + out
    status, out = run("optdep-lint-fix", "acme/a.py")
    assert status == 1, out
    assert "files were modified by this hook" in out
    assert (project / "acme" / "a.py").read_text() != FAULT
    assert run("optdep-lint", "acme/a.py")[0] == 0
