"""Which modules the standard library has, and which names they have, on a given Python and platform.

The answers were collected by `benchmarks/make_stdlib_names.py` from CPython 3.8 to 3.13 on Linux and,
for other platforms and for 3.14 and 3.15, from typeshed; where the two disagree there is no answer.
"""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Final, NamedTuple, TypeAlias

Python: TypeAlias = tuple[int, int]

_TABLE: Final = Path(__file__).with_name("stdlib_names.json")
_MODULES: Final = ""  # the entry of the table that lists modules instead of names
_ANSWERS: Final = {"y": True, "n": False, "?": None}
_TEST_PACKAGES: Final = frozenset({"test", "tests", "idle_test"})  # left out of the table


class _Table(NamedTuple):
    """The table as stored: names share rows, and a row has one answer for each platform and Python."""

    columns: dict[str, int]
    """"linux 3.8" -> position of its answer in a row."""
    rows: list[str]
    names: dict[str, dict[str, str]]
    """Module -> number of a row -> its names, separated by spaces."""


@cache
def _table() -> _Table:
    stored = json.loads(_TABLE.read_text("utf-8"))
    columns = {cell: position for position, cell in enumerate(stored["cells"])}
    return _Table(columns, stored["rows"], stored["names"])


@cache
def _rows_of(module: str) -> dict[str, str] | None:
    """Name -> row of one module; None for a module whose names are not recorded."""
    table = _table()
    if module not in table.names:
        return None
    return {name: table.rows[int(row)] for row, names in table.names[module].items() for name in names.split()}


def _answer(module: str, name: str, python: Python, platform: str) -> bool | None:
    rows = _rows_of(module)
    column = _table().columns.get(f"{platform} {python[0]}.{python[1]}")
    if rows is None or column is None:
        return None
    if name.startswith("__") and name not in rows:
        return None  # what the import system adds to a module is not recorded
    unheard = "_*" if any(part.startswith("_") for part in name.split(".")) else "*"
    return _ANSWERS[rows.get(name, rows[unheard])[column]]


@cache
def _roots() -> frozenset[str]:
    rows = _rows_of(_MODULES) or {}
    return frozenset(module.split(".")[0] for module, row in rows.items() if "y" in row)


def is_stdlib_root(name: str) -> bool:
    """Whether a top-level module belongs to the standard library of any Python from 3.8 to 3.15."""
    return name in _roots()


def has_module(dotted: str, python: Python, platform: str) -> bool | None:
    """Whether the standard library can import a module; None where that is not known.

    `platform` is a value of `sys.platform`: "linux", "darwin" or "win32"; others are not known.
    Modules that CPython builds only beside a C library (sqlite3, tkinter, ...) are taken as built.
    """
    root, *rest = dotted.split(".")
    if not is_stdlib_root(root):
        return False
    if not _TEST_PACKAGES.isdisjoint(rest) or (root == "test" and rest):
        return None
    return _answer(_MODULES, dotted, python, platform)


def has_name(module: str, name: str, python: Python, platform: str) -> bool | None:
    """Whether `from module import name` works, be it an attribute or a submodule; None where unknown.

    Private names of 3.14 and 3.15 and those of other platforms than Linux are mostly unknown.
    """
    there = has_module(module, python, platform)
    if not there:
        return there
    submodule = has_module(f"{module}.{name}", python, platform)
    return True if submodule else _answer(module, name, python, platform)
