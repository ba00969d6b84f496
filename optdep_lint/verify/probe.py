"""Imports one module in a world: a script for a fresh interpreter, which need not have optdep-lint.

Called with one JSON object: `module`, `absent` (dotted names that cannot be found), `distributions` (names without
metadata), `path` (folders that go first on sys.path). Writes one JSON object to standard output, which the module
itself cannot reach.
"""

from __future__ import annotations

import importlib
import json
import os
import re
import sys
from collections.abc import Collection, Iterator
from importlib.machinery import ModuleSpec
from importlib.metadata import Distribution, DistributionFinder
from typing import Any


class Without:
    """A finder that does not find what is absent."""

    def __init__(self, finder: Any, absent: Collection[str], distributions: Collection[str]) -> None:
        self._finder, self._absent, self._distributions = finder, absent, distributions

    def __getattr__(self, name: str) -> Any:
        return getattr(self._finder, name)

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        """None for what is absent, as from a finder that has looked everywhere."""
        if any(name == root or name.startswith(root + ".") for root in self._absent):
            return None
        found: ModuleSpec | None = self._finder.find_spec(name, path, target)
        return found

    def find_distributions(self, context: DistributionFinder.Context | None = None) -> Iterator[Distribution]:
        """The installed distributions, less what is absent."""
        find = getattr(self._finder, "find_distributions", None)
        for distribution in find(context or DistributionFinder.Context()) if find is not None else ():
            if normalized(distribution.metadata["Name"] or "") not in self._distributions:
                yield distribution


def normalized(name: str) -> str:
    """A distribution's name as PEP 503 spells it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def describe(error: BaseException) -> dict[str, object]:
    """What ended an import."""
    frames, trace = [], error.__traceback__
    while trace is not None:
        frames.append([trace.tb_frame.f_code.co_filename, trace.tb_lineno])
        trace = trace.tb_next
    return {
        "status": "raises",
        "error": type(error).__name__,
        "message": str(error),
        "missing": error.name if isinstance(error, ImportError) else None,
        "is_import_error": isinstance(error, ImportError),
        "frames": frames,
    }


def main() -> None:
    """Imports the module, and leaves at once: whatever it has started ends with the process."""
    told = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    request = json.loads(sys.argv[1])
    sys.argv[:] = [""]
    sys.path[:0] = request["path"]
    distributions = frozenset(map(normalized, request["distributions"]))
    sys.meta_path[:] = [Without(finder, request["absent"], distributions) for finder in sys.meta_path]
    try:
        importlib.import_module(request["module"])
        seen: dict[str, object] = {"status": "ok"}
    except BaseException as error:  # noqa: BLE001  # SystemExit ends an import as well
        seen = describe(error)
    os.write(told, json.dumps(seen).encode("ascii"))
    os._exit(0)


if __name__ == "__main__":
    main()
