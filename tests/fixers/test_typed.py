"""Type checkers are no less happy with a repaired file: errors of mypy and pyright before and after, with stubs and without."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("mypy", reason="mypy is not installed")

TYPED = Path(__file__).parents[2] / "fixtures" / "fixes" / "typed" / "package"
STUBS = {
    "numba": "from typing import Callable, TypeVar\nF = TypeVar('F')\ndef njit(function: F) -> F: ...\n",
    "uvloop": "def install() -> None: ...\n",
    "pyarrow": "class Table:\n    def __init__(self, columns: object) -> None: ...\ndef table(columns: object) -> Table: ...\n",
}


def written(folder: Path) -> Path:
    """A folder with the stubs."""
    for name, text in STUBS.items():
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.pyi").write_text(text)
    return folder


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
    stubs = written(tmp_path / "stubs") if with_stubs else None
    found = []
    for side in ("before", "after"):
        folder = Path(shutil.copytree(TYPED / side, tmp_path / side))
        found.append(errors(folder, stubs))
    before, after = found
    assert not after - before


def complaints(folder: Path, mode: str, stubs: Path | None) -> Counter[str]:
    """What pyright finds, whatever lines have moved."""
    settings = {"typeCheckingMode": mode, "stubPath": str(stubs or folder / "none"), "include": ["acme"]}
    (folder / "pyrightconfig.json").write_text(json.dumps(settings))
    done = subprocess.run(
        [shutil.which("pyright") or "pyright", "--outputjson"], cwd=folder, capture_output=True, text=True, check=False
    )
    (folder / "pyrightconfig.json").unlink()
    return Counter(
        f"{Path(one['file']).name} {one.get('rule')} {one['message']}"
        for one in json.loads(done.stdout)["generalDiagnostics"]
    )


@pytest.mark.skipif(shutil.which("pyright") is None, reason="pyright is not installed")
@pytest.mark.parametrize("with_stubs", [True, False])
def test_pyright(tmp_path: Path, repair: Callable[..., Any], *, with_stubs: bool) -> None:
    """A project that has pyright strict gets tests for absence that it does not call unnecessary; mypy is content, too."""
    stubs = written(tmp_path / "stubs") if with_stubs else None
    before = Path(shutil.copytree(TYPED / "before", tmp_path / "before"))
    with (before / "pyproject.toml").open("a") as stream:
        stream.write('\n[tool.pyright]\ntypeCheckingMode = "strict"\n')
    after = Path(shutil.copytree(before, tmp_path / "after"))
    repair(after)
    for mode in ("strict", "basic"):
        assert not complaints(after, mode, stubs) - complaints(before, mode, stubs)
    assert not errors(after, stubs) - errors(before, stubs)
