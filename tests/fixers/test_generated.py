"""A law on generated programs: what is repaired parses, is stable, and brings nothing that was not there."""

from __future__ import annotations

import ast
import importlib.util
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest

from optdep_lint.config import Config
from optdep_lint.discovery import discover
from optdep_lint.engine import check
from optdep_lint.findings import Finding

_SPEC = importlib.util.spec_from_file_location("programs", Path(__file__).parents[1] / "laws" / "programs.py")
PYPROJECT = """\
[project]
name = "pkg"
version = "1"
dependencies = ["here", "there"]

[project.optional-dependencies]
gone = ["gone"]
lost = ["lost"]
"""


def programs() -> Any:
    import sys

    assert _SPEC is not None
    assert _SPEC.loader is not None
    module = importlib.util.module_from_spec(_SPEC)
    sys.modules["programs"] = module
    _SPEC.loader.exec_module(module)
    return module


def write(root: Path, seed: int) -> None:
    (root / "pyproject.toml").write_text(PYPROJECT)
    program = programs().Writer(Random(seed)).program()
    packages = {name.rpartition(".")[0] for name in program} - {""}
    for name, text in program.items():
        path = root / name.replace(".", "/")
        path = path / "__init__.py" if name in packages else path.with_suffix(".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


@pytest.mark.parametrize("seed", range(8))
def test_repaired_programs(tmp_path: Path, repair: Callable[..., Any], seed: int) -> None:
    write(tmp_path, seed)
    files = {path: path.read_bytes() for path in sorted(tmp_path.rglob("*.py"))}
    found = findings(tmp_path)
    outcome = repair(tmp_path)
    for path, content in outcome.contents.items():
        ast.parse(content, path)
    assert {path: path.read_bytes() for path in files} == replayed(tmp_path, files, outcome.passes), "outside the edits"
    assert not findings(tmp_path) - found, "nothing is reported that was not there"
    again = repair(tmp_path)
    assert not again.contents, "a second run changes nothing"


def findings(root: Path) -> Counter[tuple[str, str, str | None]]:
    """What is wrong, whatever lines have moved."""
    config = replace(Config(), select=("OPD",))
    report = check(discover([root], config), config)
    return Counter((finding.code, finding.path, finding.absent) for finding in report.findings)


def replayed(root: Path, files: dict[Path, bytes], passes: list[tuple[Finding, ...]]) -> dict[Path, bytes]:
    """The files with the edits of each pass put in, from the last to the first, and nothing else."""
    result = dict(files)
    for of_pass in passes:
        edits = {edit for finding in of_pass for edit in (finding.fix.edits if finding.fix else ())}
        for edit in sorted(edits, key=lambda edit: (edit.start, edit.end), reverse=True):
            old = result[root / edit.path]
            result[root / edit.path] = old[: edit.start] + edit.content.encode() + old[edit.end :]
    return result
