"""A package that ships its own `pyproject.toml`, as pandas does in its wheel, is part of what is installed."""

from __future__ import annotations

from pathlib import Path

from optdep_lint.config import Config
from optdep_lint.discovery import discover


def _wheel(folder: Path, *, installed: bool) -> list[str | None]:
    (folder / "acme").mkdir(parents=True)
    (folder / "acme" / "__init__.py").write_text("")
    (folder / "acme" / "core.py").write_text("")
    (folder / "acme" / "pyproject.toml").write_text('[project]\nname = "acme"\n')
    if installed:
        (folder / "acme-1.dist-info").mkdir()
        (folder / "acme-1.dist-info" / "METADATA").write_text("Metadata-Version: 2.1\nName: acme\nVersion: 1\n")
    return sorted(str(file.module) for project in discover([folder], Config()) for file in project.files)


def test_installed(tmp_path: Path) -> None:
    assert _wheel(tmp_path / "wheel", installed=True) == ["acme", "acme.core"]


def test_a_project_that_is_a_package_itself(tmp_path: Path) -> None:
    assert _wheel(tmp_path / "folder", installed=False) != ["acme", "acme.core"]
