"""Which folder is the project that a path belongs to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_PROJECT_TABLE = re.compile(
    rb"^\s*\[\s*(?:project|tool\s*\.\s*poetry|tool\s*\.\s*flit\s*\.\s*metadata)\s*\]", re.MULTILINE
)
_SETUP_CFG = re.compile(rb"^\[(?:metadata|options)\]", re.MULTILINE)
_SETUP_CALL = re.compile(rb"\bsetup\s*\(")
_FILES = ("pyproject.toml", "setup.cfg", "setup.py")


def find_project_root(path: Path) -> Path:
    """Return the nearest folder, from ``path`` up, that declares a project.

    That is one whose ``pyproject.toml`` has a ``[project]`` (or poetry's or flit's) table, whose
    ``setup.cfg`` or ``setup.py`` does as much, or that is an unpacked wheel or sdist. Else the
    nearest with any of these files; else ``path`` itself, or the folder of that file. The search
    ends where a repository does. Reads no TOML: a broken file is found, so that it can be told of.
    """
    start = path if path.is_dir() else path.parent
    folders = _upwards(start)
    for declares in (_declares_project, _has_project_file):
        for folder in folders:
            if declares(folder):
                return folder
    return start


def _upwards(start: Path) -> list[Path]:
    absolute = start.absolute()
    folders = []
    for folder in (absolute, *absolute.parents):
        folders.append(start if folder == absolute else folder)
        if (folder / ".git").exists():
            break
    return folders


def _declares_project(folder: Path) -> bool:
    return (
        _contains(folder / "pyproject.toml", _PROJECT_TABLE)
        or _contains(folder / "setup.cfg", _SETUP_CFG)
        or (
            not (folder / "__init__.py").exists()  # a setup.py inside a package is a module of it
            and _contains(folder / "setup.py", _SETUP_CALL)
        )
        or (folder / "PKG-INFO").is_file()
        or sum(1 for _ in folder.glob("*.dist-info/METADATA")) == 1
    )


def _contains(path: Path, pattern: re.Pattern[bytes]) -> bool:
    try:
        return pattern.search(path.read_bytes()) is not None
    except OSError:
        return False


def _has_project_file(folder: Path) -> bool:
    return any((folder / name).is_file() for name in _FILES) and not (folder / "__init__.py").exists()
