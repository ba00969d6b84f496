"""What was put is got, whatever else happens to the folder."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from optdep_lint.cache import FOLDER_NAME, MAX_PACKS, Cache, cache_key, clean

KEYS = [cache_key("1", str(number).encode()) for number in range(200)]


def packs(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.pack"))


def test_round_trip(tmp_path: Path) -> None:
    folder = tmp_path / FOLDER_NAME
    with Cache(folder) as cache:
        assert cache.get(KEYS[0]) is None
        cache.put(KEYS[0], b"zero")
        cache.put(KEYS[1], b"")
        assert cache.get(KEYS[0]) == b"zero"
    again = Cache(folder)
    assert (again.get(KEYS[0]), again.get(KEYS[1]), again.get(KEYS[2])) == (b"zero", b"", None)
    assert (folder / ".gitignore").read_bytes() == b"*\n"
    assert (folder / "CACHEDIR.TAG").read_bytes().startswith(b"Signature: 8a477f597d28d172789f06886806bc55")


def test_keys_depend_on_schema_and_on_where_parts_end() -> None:
    keys = {
        cache_key("1", b"ab", b"c"),
        cache_key("1", b"a", b"bc"),
        cache_key("2", b"ab", b"c"),
        cache_key("1", b"abc"),
    }
    assert len(keys) == 4


def test_the_newer_of_two_entries_counts(tmp_path: Path) -> None:
    for number, data in enumerate((b"old", b"new")):
        with Cache(tmp_path) as cache:
            cache.put(KEYS[0], data)
        for pack in packs(tmp_path):
            if pack.stat().st_mtime_ns > 10**18:
                os.utime(pack, ns=(number, number))
    assert Cache(tmp_path).get(KEYS[0]) == b"new"


def test_nothing_is_written_without_need(tmp_path: Path) -> None:
    with Cache(tmp_path / "none") as cache:
        cache.get(KEYS[0])
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize("position", [0, 5, 18, 19, 25, 45, 60, -1])
def test_a_flipped_bit_is_a_miss_and_never_wrong(tmp_path: Path, position: int) -> None:
    with Cache(tmp_path) as cache:
        cache.put(KEYS[0], b"content zero")
        cache.put(KEYS[1], b"content one")
    (pack,) = packs(tmp_path)
    content = bytearray(pack.read_bytes())
    content[position] ^= 0x40
    pack.write_bytes(content)
    cache = Cache(tmp_path)
    got = (cache.get(KEYS[0]), cache.get(KEYS[1]))
    assert got != (b"content zero", b"content one")
    assert set(got) <= {b"content zero", b"content one", None}
    assert cache.get(KEYS[0]) == got[0]


def test_cut_short_empty_and_foreign_packs(tmp_path: Path) -> None:
    with Cache(tmp_path) as cache:
        cache.put(KEYS[0], b"x" * 100)
        cache.put(KEYS[1], b"y" * 100)
    (pack,) = packs(tmp_path)
    whole = pack.read_bytes()
    (tmp_path / "empty.pack").write_bytes(b"")
    (tmp_path / "foreign.pack").write_bytes(b"\0" * 1000)
    (tmp_path / "folder.pack").mkdir()
    for length in range(0, len(whole), 7):
        pack.write_bytes(whole[:length])
        cache = Cache(tmp_path)
        assert cache.get(KEYS[0]) in (b"x" * 100, None)
        assert cache.get(KEYS[1]) is None


def test_packs_are_merged(tmp_path: Path) -> None:
    for number in range(MAX_PACKS + 3):
        with Cache(tmp_path) as cache:
            cache.put(KEYS[number], str(number).encode())
    assert len(packs(tmp_path)) <= MAX_PACKS
    cache = Cache(tmp_path)
    assert all(cache.get(KEYS[number]) == str(number).encode() for number in range(MAX_PACKS + 3))
    assert not list(tmp_path.glob("*.tmp"))


def test_the_size_is_bounded_and_the_oldest_goes(tmp_path: Path) -> None:
    for number, key in enumerate(KEYS[:40]):
        with Cache(tmp_path, max_bytes=20_000) as cache:
            assert cache.get(KEYS[0]) is not None or number == 0
            cache.put(key, b"z" * 1000)
            time.sleep(0.001)
        assert sum(pack.stat().st_size for pack in packs(tmp_path)) <= 20_000
    cache = Cache(tmp_path)
    assert cache.get(KEYS[39]) is not None
    assert cache.get(KEYS[0]) is not None, "used in each run"
    assert cache.get(KEYS[1]) is None


def test_a_folder_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")
    with Cache(blocked) as cache:
        cache.put(KEYS[0], b"x")
    with Cache(blocked / "below") as cache:
        assert cache.get(KEYS[0]) is None
        cache.put(KEYS[0], b"x")


def one_run(folder: Path, number: int) -> bool:
    with Cache(folder, max_bytes=50_000) as cache:
        found = [cache.get(key) for key in KEYS]
        for key in KEYS[number::4]:
            cache.put(key, key * 10)
        return all(data in (None, key * 10) for key, data in zip(KEYS, found, strict=True))


def test_concurrent_runs(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as executor:
        assert all(executor.map(one_run, [tmp_path] * 40, [number % 4 for number in range(40)]))
    cache = Cache(tmp_path)
    assert sum(cache.get(key) is not None for key in KEYS) > 0


def test_clean(tmp_path: Path) -> None:
    with Cache(tmp_path / FOLDER_NAME) as cache:
        cache.put(KEYS[0], b"x")
    assert clean(tmp_path / FOLDER_NAME)
    assert not (tmp_path / FOLDER_NAME).exists()
    assert not clean(tmp_path / FOLDER_NAME)
    (tmp_path / "CACHEDIR.TAG").write_bytes(b"Signature: another")
    assert not clean(tmp_path)
    assert tmp_path.exists()
