"""What was worked out before, by content: a folder of append-only packs that any number of runs may share.

A run reads all packs when it asks for its first entry, and writes what it adds as one new pack, under a temporary name
first. So readers see whole packs only, writers never wait, and a run makes one file rather than thousands. Each entry
carries a checksum of its key and data: what is corrupt or foreign is a miss (CRC-32, since it has to find accidents, and
a digest of 25 MB costs a third of a warm run). Where many packs have piled up, or they are
too large together, they become one, without the oldest entries.
"""

from __future__ import annotations

import contextlib
import hashlib
import mmap
import os
import struct
import threading
import time
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from typing_extensions import Self

FOLDER_NAME = ".optdep_lint_cache"
KEY_SIZE = 20
"""Bytes of a key; see `cache_key`."""
MAX_BYTES = 256 * 1024 * 1024
"""The packs together take at most this much after a run has written."""
MAX_PACKS = 16

_MAGIC = b"optdep-lint pack 1\n"
_HEADER = struct.Struct(f"<{KEY_SIZE}sII")
_TAG = b"Signature: 8a477f597d28d172789f06886806bc55\n# A cache of optdep-lint; it can be deleted at any time.\n"


def cache_key(schema: str, *parts: bytes) -> bytes:
    """A key for data that follows from `parts`; a new `schema` makes all older entries misses."""
    digest = hashlib.blake2b(schema.encode(), digest_size=KEY_SIZE)
    for part in parts:
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.digest()


def _checksum(key: bytes, data: bytes) -> int:
    return zlib.crc32(data, zlib.crc32(key))


class _Entry(NamedTuple):
    """Where an entry's data lies."""

    pack: mmap.mmap
    checksum: int
    start: int
    end: int


class Cache:
    """A mapping of keys (see `cache_key`) to bytes that outlives the run.

    A context manager: what was put is written when it is left. A folder that cannot be read or written is no error.
    """

    def __init__(self, folder: Path, *, max_bytes: int = MAX_BYTES) -> None:
        self.folder = folder
        self._max_bytes = max_bytes
        self._entries: dict[bytes, _Entry] | None = None
        self._added: dict[bytes, bytes] = {}
        self._used: set[bytes] = set()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.flush()

    def get(self, key: bytes) -> bytes | None:
        """The data put under `key`, by this run or an earlier one, or None."""
        added = self._added.get(key)
        if added is not None:
            return added
        if self._entries is None:
            self._entries = _read_packs(self.folder)
        entry = self._entries.get(key)
        if entry is None:
            return None
        data = entry.pack[entry.start : entry.end]
        if _checksum(key, data) != entry.checksum:
            del self._entries[key]
            return None
        self._used.add(key)
        return data

    def put(self, key: bytes, data: bytes) -> None:
        """Remembers `data`; it reaches the disk with `flush`."""
        self._added[key] = data

    def flush(self) -> None:
        """Writes what was put since the last time, and tidies up where there are too many packs."""
        if not self._added:
            return
        try:
            _prepare(self.folder)
            _write_pack(self.folder, self._added.items())
            self._tidy()
        except OSError:
            pass  # A read-only folder: the next run works it out again.
        self._used.update(self._added)
        self._added = {}
        self._entries = None

    def _tidy(self) -> None:
        packs = _list_packs(self.folder)
        total = sum(size for _, size, _ in packs)
        if len(packs) <= MAX_PACKS and total <= self._max_bytes:
            return
        entries = _read_packs(self.folder)
        _write_pack(self.folder, self._kept(entries))
        for path, _, _ in packs:
            with contextlib.suppress(OSError):
                path.unlink()

    def _kept(self, entries: dict[bytes, _Entry]) -> Iterator[tuple[bytes, bytes]]:
        """The entries that fit: this run's first, then the others from the newest pack to the oldest."""
        mine = self._used | self._added.keys()
        newest_first = list(entries)[::-1]
        order = sorted(newest_first, key=lambda key: key not in mine)
        room = self._max_bytes * 3 // 4 - len(_MAGIC)
        for key in order:
            entry = entries[key]
            room -= _HEADER.size + entry.end - entry.start
            data = entry.pack[entry.start : entry.end]
            if room >= 0 and _checksum(key, data) == entry.checksum:
                yield key, data


def _list_packs(folder: Path) -> list[tuple[Path, int, int]]:
    """Path, size in bytes and age in nanoseconds of each pack, the oldest first."""
    found = []
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if entry.name.endswith(".pack") and entry.is_file(follow_symlinks=False):
                with contextlib.suppress(OSError):
                    status = entry.stat()
                    found.append((Path(entry.path), status.st_size, status.st_mtime_ns))
    return sorted(found, key=lambda pack: (pack[2], pack[0]))


def _read_packs(folder: Path) -> dict[bytes, _Entry]:
    """All entries, those of newer packs last and in place of older ones with the same key."""
    entries: dict[bytes, _Entry] = {}
    for path, size, _ in _list_packs(folder):
        if size <= len(_MAGIC):
            continue
        with contextlib.suppress(OSError, ValueError), path.open("rb") as stream:
            pack = mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
            if pack[: len(_MAGIC)] == _MAGIC:
                entries.update(_scan(pack))
    return entries


def _scan(pack: mmap.mmap) -> Iterator[tuple[bytes, _Entry]]:
    """The entries of a pack, up to where it is cut short or corrupt."""
    position, size = len(_MAGIC), len(pack)
    while position + _HEADER.size <= size:
        key, checksum, length = _HEADER.unpack_from(pack, position)
        start = position + _HEADER.size
        position = start + length
        if position > size:
            return
        yield key, _Entry(pack, checksum, start, position)


def _prepare(folder: Path) -> None:
    """Makes the folder, marked so that backups, git and people leave it alone."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in (("CACHEDIR.TAG", _TAG), (".gitignore", b"*\n")):
        path = folder / name
        if not path.exists():
            path.write_bytes(content)


def _write_pack(folder: Path, items: Iterable[tuple[bytes, bytes]]) -> None:
    name = f"{folder}{os.sep}{time.time_ns():x}-{os.getpid():x}-{threading.get_native_id():x}.tmp"
    try:
        with open(name, "xb") as stream:
            stream.write(_MAGIC)
            for key, data in items:
                stream.write(_HEADER.pack(key, _checksum(key, data), len(data)))
                stream.write(data)
        os.replace(name, name[: -len(".tmp")] + ".pack")
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def clean(folder: Path) -> bool:
    """Removes a cache folder; False where there is none. A folder that is not one of ours is left alone."""
    import shutil

    tag = folder / "CACHEDIR.TAG"
    if not tag.is_file() or not tag.read_bytes().startswith(_TAG[:43]):
        return False
    shutil.rmtree(folder, ignore_errors=True)
    return True
