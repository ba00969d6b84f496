"""A file's new bytes put in its place: whole or not at all, and never over somebody else's change."""

from __future__ import annotations

import contextlib
import os
import tempfile
from pathlib import Path


class NotWritten(Exception):  # no error: an answer
    """A file that was left alone; the text is one line that says why."""


def write_file(path: Path, content: bytes, *, root: Path | None = None, expected: bytes | None = None) -> None:
    """Write beside the file, then take its place: mode and owner stay, and nobody sees half of it.

    Args:
        path: The file. Where it is a link, what it points to is written.
        content: The new bytes.
        root: The project's folder: a link that leads out of it is not followed.
        expected: The bytes that the new ones were made from: a file that no longer has them is left alone.

    Raises:
        NotWritten: where the file is left as it is.
    """
    target = Path(os.path.realpath(path))
    if root is not None and path.is_symlink() and not target.is_relative_to(os.path.realpath(root)):
        raise NotWritten(f"{path}: not written: it is a link that leads out of the project")
    try:
        status = target.stat()
        _check_unchanged(target, path, expected)
        descriptor, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.write(content)
                stream.flush()
                os.fsync(stream.fileno())
            _take_over(name, status)
            _check_unchanged(target, path, expected)
            os.replace(name, target)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(name)
            raise
    except OSError as error:
        raise NotWritten(f"{path}: cannot write: {error.strerror or error}") from None
    _sync_folder(target.parent)


def _check_unchanged(target: Path, path: Path, expected: bytes | None) -> None:
    if expected is not None and target.read_bytes() != expected:
        raise NotWritten(f"{path}: not written: it has changed since it was read")


def _take_over(name: str, status: os.stat_result) -> None:
    """Give a file the owner and mode of another; who may not give files away keeps the group at least."""
    if hasattr(os, "chown"):
        try:
            os.chown(name, status.st_uid, status.st_gid)
        except OSError:
            with contextlib.suppress(OSError):
                os.chown(name, -1, status.st_gid)
    os.chmod(name, status.st_mode & 0o7777)


def _sync_folder(folder: Path) -> None:
    """Make the change of names last, where the system can."""
    with contextlib.suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
