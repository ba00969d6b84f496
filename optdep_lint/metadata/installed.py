"""What is installed for a given interpreter or in a given folder: import roots and requirements."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING, Any

from optdep_lint.metadata.model import MetadataError
from optdep_lint.metadata.names import normalized

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path

_TIMEOUT = 120
"""Seconds that an interpreter gets to list what is installed."""

_LISTING = """
import importlib.metadata, json, sys

def listed(distribution):
    kept = []
    for path in distribution.files or ():
        name = path.as_posix()
        if name.endswith((".py", ".so", ".pyd")) and (
            "/__init__." in name or name.count("/") < 3
        ):
            kept.append(name)
    return {
        "name": distribution.metadata["Name"],
        "version": distribution.version,
        "requires": distribution.requires or [],
        "files": kept,
        "top_level": (distribution.read_text("top_level.txt") or "").split(),
    }

found = importlib.metadata.distributions(**({"path": sys.argv[1:]} if sys.argv[1:] else {}))
json.dump([listed(one) for one in found], sys.stdout)
"""
"""Reads metadata only; runs in the given interpreter, isolated, on Python 3.8 and later."""


@dataclass(frozen=True, slots=True)
class InstalledNames:
    """Installed distributions, by normalized name."""

    roots: Mapping[str, tuple[str, ...]]
    """Distribution to its import roots, dotted below a namespace package."""
    requires: Mapping[str, tuple[str, ...]]
    """Distribution to its ``Requires-Dist`` lines."""
    versions: Mapping[str, str]
    """Distribution to its version."""

    @classmethod
    def from_python(cls, executable: str) -> InstalledNames:
        """Ask an interpreter what is installed for it; `MetadataError` when it cannot answer."""
        return _from_listing(_run([executable, "-I", "-c", _LISTING], executable), executable)

    @classmethod
    def from_site(cls, folder: Path) -> InstalledNames:
        """List what is installed in one ``site-packages`` folder; nothing in it is run."""
        from importlib.metadata import distributions

        if not folder.is_dir():
            raise MetadataError(folder.as_posix(), "there is no such folder")
        listing = [
            {
                "name": one.metadata["Name"],
                "version": one.version,
                "requires": one.requires or [],
                "files": [path.as_posix() for path in one.files or ()],
                "top_level": (one.read_text("top_level.txt") or "").split(),
            }
            for one in distributions(path=[str(folder)])
        ]
        return _from_listing(listing, folder.as_posix())


def _run(command: list[str], executable: str) -> list[dict[str, Any]]:
    import json
    import subprocess

    try:
        done = subprocess.run(command, capture_output=True, timeout=_TIMEOUT, check=False, text=True, encoding="utf-8")
    except (OSError, subprocess.TimeoutExpired, UnicodeDecodeError) as error:
        raise MetadataError(executable, f"cannot list what is installed: {error}") from error
    if done.returncode != 0:
        reason = (done.stderr.strip().splitlines() or ["it gave no reason"])[-1]
        raise MetadataError(executable, f"cannot list what is installed: {reason}")
    try:
        listing: list[dict[str, Any]] = json.loads(done.stdout)
    except json.JSONDecodeError as error:
        raise MetadataError(executable, "cannot list what is installed: no JSON came") from error
    return listing


def _from_listing(listing: Iterable[dict[str, Any]], source: str) -> InstalledNames:
    roots: dict[str, tuple[str, ...]] = {}
    requires: dict[str, tuple[str, ...]] = {}
    versions: dict[str, str] = {}
    try:
        for one in listing:
            if not one["name"] or normalized(one["name"]) in versions:
                continue  # a broken folder, or shadowed by one earlier on the path
            name = normalized(one["name"])
            roots[name] = roots_of_files(one["files"]) or tuple(one["top_level"])
            requires[name] = tuple(one["requires"])
            versions[name] = one["version"] or ""
    except (KeyError, TypeError, AttributeError) as error:
        raise MetadataError(source, "cannot list what is installed: unexpected answer") from error
    return InstalledNames(roots, requires, versions)


def roots_of_files(files: Iterable[str]) -> tuple[str, ...]:
    """Return the import roots among a distribution's files (POSIX, relative to site-packages).

    A root is the topmost regular package on a path, dotted where its parents are namespace
    packages, or a module at the top.
    """
    paths = [PurePosixPath(file) for file in files if file.endswith((".py", ".so", ".pyd"))]
    packages = {path.parent.parts for path in paths if path.name.startswith("__init__.")}
    roots: dict[str, None] = {}
    for path in paths:
        parts = path.parent.parts
        topmost = next((parts[:end] for end in range(1, len(parts) + 1) if parts[:end] in packages), parts)
        root = topmost or (path.name.split(".")[0],)
        if all(part.isidentifier() for part in root) and "__pycache__" not in root:
            roots[".".join(root)] = None
    return tuple(root for root in sorted(roots) if not _covered(root, roots))


def _covered(root: str, roots: Iterable[str]) -> bool:
    return any(root.startswith(f"{other}.") for other in roots)
