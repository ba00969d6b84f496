"""A law on generated programs: what is repaired parses, is stable, and brings nothing that was not there."""

from __future__ import annotations

import ast
import importlib.util
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

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
    outcome = repair(tmp_path)
    for path, content in outcome.contents.items():
        ast.parse(content, path)
    again = repair(tmp_path)
    assert not again.contents, "a second run changes nothing"
