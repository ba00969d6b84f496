"""Do a verdict and what was seen agree?"""

from __future__ import annotations

import os
from collections.abc import Collection
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from optdep_lint.verify.processes import Interpreter, Scene, Seen
from optdep_lint.world.stdlib import is_stdlib_root

Result = Literal["agrees", "differs", "open"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What importing a module is expected to do."""

    module: str
    path: str
    """POSIX, relative to the project's root."""
    status: str
    """`ok`, `raises` or `maybe`"""
    missing: str | None
    """The dotted name whose absence the import meets."""


@dataclass(frozen=True, slots=True)
class Row:
    """One module, with what was expected of it and what was seen."""

    verdict: Verdict
    seen: Seen
    result: Result
    """`open` where the verdict is maybe, or this interpreter cannot tell."""
    reason: str = ""
    """In words, unless they agree."""


def compare(verdict: Verdict, seen: Seen, scene: Scene, own: Collection[str]) -> Row:
    """Hold a verdict against what was seen; `own` are the first names of the project's modules."""
    found = (
        "imports"
        if seen.status == "ok"
        else f"raises {seen.error}: {' '.join(seen.message.split())}{_place(seen, scene.root)}"
    )
    result: Result = "differs"
    if seen.status == "unknown":
        result, reason = "open", f"cannot be told: {seen.message}"
    elif verdict.status == "maybe":
        result, reason = "open", f"expected maybe; it {found}"
    elif verdict.status == "ok" and seen.status == "ok":
        result, reason = "agrees", ""
    elif (foreign := _foreign(seen, scene, own)) is not None:
        result, reason = "open", f"cannot be told here: {foreign}"
    elif verdict.status != seen.status:
        wanted = "to import" if verdict.status == "ok" else f"to raise without `{verdict.missing or '?'}`"
        reason = f"expected {wanted}, but it {found}"
    elif verdict.missing and seen.missing and not _related(verdict.missing, seen.missing):
        reason = f"expected to raise for want of `{verdict.missing}`, but it {found}"
    else:
        result, reason = "agrees", ""
    return Row(verdict, seen, result, reason)


def _place(seen: Seen, root: Path) -> str:
    """The innermost line of the project, in parentheses."""
    for file, line in reversed(seen.frames):
        if _is_ours(file, root):
            return f" ({os.path.relpath(file, root).replace(os.sep, '/')}:{line})"
    return ""


def _foreign(seen: Seen, scene: Scene, own: Collection[str]) -> str | None:
    """Why a failure says nothing of the project: something that should be there is missing here, or broken."""
    if seen.is_import_error and seen.missing:
        first = seen.missing.partition(".")[0]
        if first in own or is_stdlib_root(first) or scene.world.missing(seen.missing) is not None:
            return None
        return f"`{seen.missing}` should be there, but {' '.join(seen.message.split())}"
    innermost = next((file for file, _ in reversed(seen.frames) if not _is_of_python(file, scene.interpreter)), None)
    if innermost is None or _is_ours(innermost, scene.root):
        return None
    return f"{innermost} raises {seen.error}: {' '.join(seen.message.split())}"


def _is_of_python(file: str, interpreter: Interpreter) -> bool:
    """A frame of the standard library, of the import system, or of the probe."""
    if file.startswith("<frozen ") or Path(file).name == "probe.py":
        return True
    return _is_below(file, interpreter.library) and not _is_installed(file)


def _is_ours(file: str, root: Path) -> bool:
    """A frame of the project; a virtual environment may lie below its root."""
    return _is_below(file, str(root)) and not _is_installed(file)


def _is_installed(file: str) -> bool:
    return "site-packages" in file or "dist-packages" in file


def _is_below(file: str, folder: str) -> bool:
    return os.path.realpath(file).startswith(os.path.realpath(folder) + os.sep)


def _related(one: str, other: str) -> bool:
    return one.partition(".")[0] == other.partition(".")[0]
