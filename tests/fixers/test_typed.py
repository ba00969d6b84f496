"""Type checkers are no less happy with a repaired file: mypy's strict errors before and after, with stubs and without."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

pytest.importorskip("mypy", reason="mypy is not installed")

TYPED = Path(__file__).parents[2] / "fixtures" / "fixes" / "typed" / "package"
STUBS = {
    "numba": "from typing import Callable, TypeVar\nF = TypeVar('F')\ndef njit(function: F) -> F: ...\n",
    "uvloop": "def install() -> None: ...\n",
    "pyarrow": "class Table:\n    def __init__(self, columns: object) -> None: ...\ndef table(columns: object) -> Table: ...\n",
}


def errors(folder: Path, stubs: Path | None) -> Counter[str]:
    """What mypy finds, whatever lines have moved; by a process of its own, since mypy changes the limit of recursion."""
    done = subprocess.run(
        [
            *(sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--config-file="),
            *(f"--cache-dir={folder.parent / 'mypy'}", "acme"),
        ],
        cwd=folder,
        env={**os.environ, "MYPYPATH": str(stubs or folder)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert not done.stderr, done.stderr
    return Counter(re.sub(r":\d+: ", ": ", line) for line in done.stdout.splitlines() if ": error: " in line)


@pytest.mark.parametrize("with_stubs", [True, False])
def test_mypy(tmp_path: Path, *, with_stubs: bool) -> None:
    stubs = tmp_path / "stubs" if with_stubs else None
    for name, text in STUBS.items() if stubs is not None else ():
        (stubs / name).mkdir(parents=True)
        (stubs / name / "__init__.pyi").write_text(text)
    found = []
    for side in ("before", "after"):
        folder = Path(shutil.copytree(TYPED / side, tmp_path / side))
        found.append(errors(folder, stubs))
    before, after = found
    assert not after - before
