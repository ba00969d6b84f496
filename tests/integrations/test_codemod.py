"""The fixers as a LibCST codemod: `python -m libcst.tool codemod -x optdep_lint.integrations.codemod.Fix PATH`."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

FIXES = Path(__file__).parents[2] / "fixtures" / "fixes"


@pytest.mark.parametrize(
    ("case", "options", "changes"),
    [("opd101/sentinel", [], True), ("opd405/wide", [], False), ("opd405/wide", ["--unsafe-fixes"], True)],
)
def test_codemod(tmp_path: Path, case: str, options: list[str], changes: bool) -> None:
    """It writes what `--fix` writes, and leaves unsafe fixes to its own flag."""
    root = Path(shutil.copytree(FIXES / case / "before", tmp_path / "project"))
    command = [sys.executable, "-m", "libcst.tool", "codemod", "-x", "--no-format", "--hide-progress"]
    subprocess.run(
        [*command, "optdep_lint.integrations.codemod.Fix", *options, "acme"], cwd=root, capture_output=True, check=True
    )
    expected = FIXES / case / ("after" if changes else "before")
    for path in expected.rglob("*.py"):
        assert (root / path.relative_to(expected)).read_bytes() == path.read_bytes()
