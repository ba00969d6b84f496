"""Holds the shipped tables of well-known distributions against their newest releases on PyPI.

    python benchmarks/known_facts.py

Prints every requirement in `known_requirements.py` that the newest release does not have on every CPython from 3.11 on, and
every import root in `known_import_names.py` that its smallest wheel does not bring. Not every line is a fault: a root may
come with a requirement, with the wheel of another platform, or with older releases only. Of a wheel only its list of files
is fetched.
"""

from __future__ import annotations

import io
import itertools
import json
import urllib.error
import urllib.parse
import urllib.request
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from packaging.requirements import Requirement

from optdep_lint.metadata.known_import_names import ROOTS
from optdep_lint.metadata.known_requirements import REQUIREMENTS
from optdep_lint.metadata.names import normalized

PROJECT = "https://pypi.org/pypi/{}/json"
FILES = "https://pypi.org/simple/x/"
PYTHONS = ("3.11", "3.12", "3.13", "3.14")
PLATFORMS = (("linux", "Linux", "posix"), ("win32", "Windows", "nt"), ("darwin", "Darwin", "posix"))


class RemoteFile(io.RawIOBase):
    """A file on a server that gives parts of it."""

    def __init__(self, url: str, size: int) -> None:
        self._url, self._size, self._position = url, size, 0

    def seekable(self) -> bool:
        """Any part can be asked for."""
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a position."""
        self._position = {io.SEEK_SET: 0, io.SEEK_CUR: self._position, io.SEEK_END: self._size}[whence] + offset
        return self._position

    def tell(self) -> int:
        """The position."""
        return self._position

    def read(self, size: int = -1) -> bytes:
        """Fetch the next bytes."""
        end = self._size if size < 0 else min(self._position + size, self._size)
        if end <= self._position:
            return b""
        part = {"Range": f"bytes={self._position}-{end - 1}"}
        with urllib.request.urlopen(urllib.request.Request(self._url, headers=part), timeout=60) as answer:
            data: bytes = answer.read()
        self._position += len(data)
        return data


def newest(distribution: str) -> dict[str, Any] | None:
    """What PyPI says of the newest release; None where it knows no such project."""
    try:
        with urllib.request.urlopen(PROJECT.format(distribution), timeout=60) as answer:
            found: dict[str, Any] = json.load(answer)
    except urllib.error.HTTPError:
        return None
    return found


def environments() -> Iterator[dict[str, str]]:
    """Those in which a requirement has to hold."""
    for python, (platform, system, os_name) in itertools.product(PYTHONS, PLATFORMS):
        yield {
            "python_version": python, "python_full_version": f"{python}.1", "sys_platform": platform, "platform_system": system,
            "os_name": os_name, "implementation_name": "cpython", "platform_python_implementation": "CPython",
            "platform_machine": "x86_64", "extra": "",
        }  # fmt: skip


def complaints_of_requirements(distribution: str) -> Iterator[str]:
    """What a release does not require, or not everywhere."""
    release = newest(distribution)
    if release is None:
        yield f"{distribution}: no such project"
        return
    requirements = [Requirement(text) for text in release["info"]["requires_dist"] or ()]
    for name in REQUIREMENTS[distribution].split():
        mine = [one for one in requirements if normalized(one.name) == name]
        if not all(any(one.marker is None or one.marker.evaluate(where) for one in mine) for where in environments()):
            yield f"{distribution} {release['info']['version']}: does not always require {name}"


def complaints_of_roots(distribution: str) -> Iterator[str]:
    """What a wheel does not bring."""
    release = newest(distribution)
    wheels = [one for one in release["urls"] if one["packagetype"] == "bdist_wheel"] if release is not None else []
    if release is None or not wheels:
        yield f"{distribution}: no such project" if release is None else f"{distribution}: no wheel to look into"
        return
    smallest = min(wheels, key=lambda one: one["size"])
    url = urllib.parse.urljoin(FILES, smallest["url"])
    names = zipfile.ZipFile(RemoteFile(url, smallest["size"])).namelist()  # type: ignore[arg-type]  # only what it has is used
    for root in ROOTS[distribution].split():
        path = root.replace(".", "/")
        if not any(f"/{name}".replace("/purelib/", "/").find(f"/{path}{end}") >= 0 for name in names for end in "/."):
            yield f"{distribution} {release['info']['version']}: {smallest['filename']} has no {root}"


def main() -> None:
    """Print all complaints, the requirements' first."""
    with ThreadPoolExecutor(8) as workers:
        told = itertools.chain(
            workers.map(lambda one: list(complaints_of_requirements(one)), REQUIREMENTS),
            workers.map(lambda one: list(complaints_of_roots(one)), ROOTS),
        )
        for complaint in itertools.chain.from_iterable(told):
            print(complaint)
    print(f"{len(REQUIREMENTS)} tables of requirements, {len(ROOTS)} of import roots")


if __name__ == "__main__":
    main()
