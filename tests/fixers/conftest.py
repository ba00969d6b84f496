"""Small projects to repair, and what repairing them gives."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from optdep_lint.config import Config
from optdep_lint.discovery import discover
from optdep_lint.engine import look
from optdep_lint.fixers.passes import Outcome, Passes

Make = Callable[[Mapping[str, "bytes | str"]], Path]

PYPROJECT = """\
[project]
name = "acme"
version = "1"
requires-python = ">=3.10"
dependencies = ["torch"]

[project.optional-dependencies]
fast = ["numba"]
io = ["pyarrow"]
"""


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Return a function that writes a project with an extra `fast` (numba) and one `io` (pyarrow)."""

    def write(files: Mapping[str, bytes | str]) -> Path:
        (tmp_path / "pyproject.toml").write_text(PYPROJECT)
        for name, content in {"acme/__init__.py": "", **files}.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return tmp_path

    return write


@pytest.fixture
def repair() -> Callable[..., Outcome]:
    """Return a function that repairs the project in a folder and writes the result."""

    def run(root: Path, *, unsafe: bool = True) -> Outcome:
        (project,) = discover([root], Config())
        outcome = Passes(look(project, Config()), Config(), fixable=None, unsafe=unsafe).run()
        assert outcome.fault is None
        for path, content in outcome.contents.items():
            (root / path).write_bytes(content)
        return outcome

    return run
