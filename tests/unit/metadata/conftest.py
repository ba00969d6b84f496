"""How the metadata tests write a project: one text per file."""

from __future__ import annotations

from textwrap import dedent
from typing import TYPE_CHECKING, TypeAlias

import pytest

from optdep_lint.metadata import ProjectMetadata, read_project

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    ReadFiles: TypeAlias = Callable[[dict[str, str]], ProjectMetadata]
    WriteFiles: TypeAlias = Callable[[dict[str, str]], Path]


@pytest.fixture
def write_files(tmp_path: Path) -> WriteFiles:
    """Return a function that writes files, dedented when they start with an empty line."""

    def write(files: dict[str, str]) -> Path:
        for name, text in files.items():
            path = tmp_path / name
            path.parent.mkdir(parents=True, exist_ok=True)
            written = dedent(text[1:]) if text.startswith("\n") else text
            path.write_bytes(written.encode())
        return tmp_path

    return write


@pytest.fixture
def read_files(write_files: WriteFiles) -> ReadFiles:
    """Return a function that writes files and reads the project that they make."""

    def read(files: dict[str, str]) -> ProjectMetadata:
        return read_project(write_files(files))

    return read
