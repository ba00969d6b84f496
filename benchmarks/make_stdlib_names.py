"""Writes the table of standard library modules and names that optdep_lint/world/stdlib.py reads.

Two witnesses are asked, and the table says yes or no only where they do not contradict each other:

- installed interpreters (Linux, 3.8 to 3.13) import every module and list what is in it;
- typeshed's stubs, as bundled with mypy, know the other platforms, 3.14 and 3.15.

    python benchmarks/make_stdlib_names.py ~/.pyenv/versions/3.{8.18,9.18,10.13,11.7,12.1,13.0}/bin/python
"""

# ruff: noqa: B905  (zip has no strict= in 3.8)
from __future__ import annotations

import ast
import importlib
import importlib.util
import json
import pkgutil
import re
import subprocess
import sys
import sysconfig
from collections import defaultdict
from concurrent.futures import ProcessPoolExecutor
from itertools import chain, filterfalse, product
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:  # Python 3.8 runs this file too and cannot evaluate these
    from collections.abc import Iterator

    Measurements = dict[int, dict[str, "Measured"]]
    Stubs = dict[tuple[int, str], dict[str, set[str]]]

TABLE = Path(__file__).parents[1] / "optdep_lint" / "world" / "stdlib_names.json"
MEASURED = range(8, 14)
STUBBED = range(10, 16)
MINORS = range(8, 16)
PLATFORMS = ("linux", "darwin", "win32")
YES, NO, UNKNOWN, MOOT = "y", "n", "?", "-"
UNHEARD = ["*", "_*"]  # stand for every public and every private name in neither witness

# Modules that are only listed, never imported: they open windows, run tests or print.
LISTED_ONLY = ("idlelib", "turtledemo", "test", "antigravity", "this")
# What the import system puts into every module: not recorded, nobody imports these by name.
MODULE_ATTRIBUTES = frozenset(
    "__annotations__ __builtins__ __cached__ __conditional_annotations__ __doc__ __file__ __loader__ __name__"
    " __package__ __path__ __spec__ __warningregistry__".split()
)

# By hand ------------------------------------------------------------------------------------------
# Extension modules of CPython that a build leaves out where a C library is missing, as it was here:
# https://devguide.python.org/getting-started/setup-building/#install-dependencies
OPTIONAL_AT_BUILD = frozenset("_dbm _gdbm dbm.gnu dbm.ndbm".split())
# Modules that neither witness can speak for: those of one platform, and what the import system is made of.
# The number is the first minor version that has the module.
FROZEN = {"_frozen_importlib": 8, "_frozen_importlib_external": 8}
PRESENT_ON = {
    "linux": FROZEN,
    "darwin": {**FROZEN, "_scproxy": 8},
    "win32": {**FROZEN, "_overlapped": 8, "_winapi": 8, "_wmi": 12, "msvcrt": 8, "nt": 8, "winreg": 8, "winsound": 8},
}
# Not importable there, whatever the stubs say. The stub of curses serves the windows-curses distribution;
# https://docs.python.org/3/library/curses.html says that CPython for Windows comes without it.
ABSENT_ON = {
    "linux": frozenset("_overlapped _scproxy _wmi".split()),
    "darwin": frozenset("_msi _overlapped _winapi _wmi msilib msvcrt nt ossaudiodev spwd winreg winsound".split()),
    "win32": frozenset(
        "_crypt _curses _curses_panel _dbm _gdbm _posixshmem _scproxy asyncio.unix_events curses curses.ascii"
        " curses.has_key curses.panel curses.textpad dbm.gnu dbm.ndbm".split()
    ),
}
# Empty in the stubs of Windows, yet plain Python files that may well be importable there.
UNSETTLED_ON_WINDOWS = frozenset(f"multiprocessing.popen_{kind}" for kind in ("fork", "forkserver", "spawn_posix"))
# Modules whose names would fill the table and that nobody imports names from.
UNNAMED = re.compile(
    r"encodings\.|lib2to3\.fixes\.|_pyrepl|_sqlite3|_curses|_socket|_ssl|_winapi|_frozen_|__(hello|phello|main)|_py[dl]|.*\._"
)
# Stub files that are not modules of the library.
STUB_ONLY = re.compile(r"_typeshed|_typing|typing_extensions|sys\._")
# https://docs.python.org/3.14/whatsnew/3.14.html and 3.15.html remove none of these; stubs do not cover them.
CARRIED_FORWARD = frozenset("idlelib test test.support turtledemo __main__ __phello__ _overlapped".split())
# --------------------------------------------------------------------------------------------------


class Measured(NamedTuple):
    """What one interpreter found in one module; `names` is None where it was not imported."""

    names: set[str] | None
    unconditional: set[str]
    dynamic: bool


def is_private(dotted: str) -> bool:
    """Whether any part of a dotted name starts with an underscore (dunders included)."""
    return any(part.startswith("_") for part in dotted.split("."))


# Inside each installed interpreter (3.8 and later) ------------------------------------------------
def listed_modules() -> Iterator[str]:
    """Every standard library module this interpreter has a file for, without importing any."""
    yield from sys.builtin_module_names
    library = sysconfig.get_path("stdlib")
    pending = [("", library), ("", str(Path(library, "lib-dynload")))]
    while pending:
        prefix, folder = pending.pop()
        for found in pkgutil.iter_modules([folder]):
            dotted = prefix + found.name
            if found.name in {"tests", "idle_test"} or (prefix and found.name == "test"):
                continue
            yield dotted
            if found.ispkg and dotted != "test":
                pending.append((dotted + ".", str(Path(folder, found.name))))


def is_listed_only(dotted: str) -> bool:
    """Whether importing this module does something, or says nothing about the library."""
    root, leaf = dotted.partition(".")[0], dotted.rpartition(".")[2]
    return root in LISTED_ONLY or leaf == "__main__" or root.startswith(("_test", "_xx", "xx"))


def unconditional_names(source: str) -> set[str]:
    """Names bound by the top level of a module on every platform: no `if`, no `try`, no star."""
    bound: set[str] = set()
    for statement in ast.parse(source).body:
        if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            bound.add(statement.name)
        elif isinstance(statement, (ast.Import, ast.ImportFrom)):
            bound.update((alias.asname or alias.name).split(".")[0] for alias in statement.names)
        elif isinstance(statement, ast.Assign):
            bound.update(target.id for target in statement.targets if isinstance(target, ast.Name))
    return bound


def names_of(dotted: str, candidates: set[str]) -> dict[str, Any]:
    """What `from dotted import ...` can take, asking a module with `__getattr__` for every candidate."""
    module = sys.modules[dotted]
    listed = set(dir(module))
    dynamic = "__getattr__" in listed
    asked = candidates.union(getattr(module, "__all__", ())) - listed if dynamic else set()
    answered = {name for name in asked if hasattr(module, name)}
    path = str(getattr(module, "__file__", None))
    source = Path(path).read_text("utf-8") if path.endswith(".py") else ""
    return {
        "names": sorted((listed | answered) - MODULE_ATTRIBUTES),
        "unconditional": sorted(unconditional_names(source) | answered),
        "dynamic": dynamic,
    }


def measure(candidates: dict[str, set[str]]) -> dict[str, dict[str, Any]]:
    """Import what this interpreter can of its standard library and describe it."""
    listed = set(listed_modules())
    for dotted in sorted(listed):
        if not is_listed_only(dotted):
            try:
                importlib.import_module(dotted)
            except (ImportError, AttributeError, OSError) as error:
                print(f"{sys.version_info[1]}: {dotted}: {error}", file=sys.stderr)
    roots = {dotted.split(".")[0] for dotted in listed}
    loaded = {dotted for dotted in sys.modules if dotted.split(".")[0] in roots - {"__main__"}}
    found: dict[str, dict[str, Any]] = {
        dotted: {"names": None, "unconditional": [], "dynamic": False}
        for dotted in listed | {"__main__"}
        if is_listed_only(dotted) or dotted == "__main__"
    }
    found.update({dotted: names_of(dotted, candidates.get(dotted, set())) for dotted in loaded - set(found)})
    return found


# On this side -------------------------------------------------------------------------------------
def ask_interpreter(python: str, candidates: dict[str, set[str]]) -> dict[str, Measured]:
    """Run this file inside another interpreter, isolated from its site-packages."""
    sent = json.dumps({module: sorted(names) for module, names in candidates.items()})
    command = [python, "-I", "-S", "-W", "ignore", __file__, "--measure"]
    answer = subprocess.run(command, input=sent, stdout=subprocess.PIPE, text=True, check=True).stdout
    return {
        module: Measured(
            None if found["names"] is None else set(found["names"]),
            set(found["unconditional"]),
            found["dynamic"],
        )
        for module, found in json.loads(answer.splitlines()[-1]).items()
    }


def read_stubs(minor: int, platform: str) -> dict[str, set[str]]:
    """The public names of every stub module as a type checker sees them on one Python and platform."""
    from mypy import build, modulefinder, options  # the measured interpreters have no mypy

    settings = options.Options()
    settings.python_version, settings.platform = (3, minor), platform
    settings.ignore_errors, settings.incremental = True, False
    stdlib = Path(modulefinder.__file__).parent / "typeshed" / "stdlib"
    spans = modulefinder.load_stdlib_py_versions(None)
    modules = []
    for path in sorted(stdlib.rglob("*.pyi")):
        dotted = ".".join(path.relative_to(stdlib).with_suffix("").parts).removesuffix(".__init__")
        parents = [dotted[:end] for end, char in enumerate(dotted + ".") if char == "."]
        ranges = [spans[parent] for parent in parents if parent in spans]
        if not STUB_ONLY.match(dotted) and all(low <= (3, minor) <= (high or (3, 99)) for low, high in ranges):
            modules.append(dotted)
    result = build.build([modulefinder.BuildSource(None, dotted) for dotted in modules], settings)
    return {
        dotted: {
            name for name, node in result.files[dotted].names.items() if not is_private(name) and not node.module_hidden
        }
        for dotted in modules
    }


def is_for_others(stubs: Stubs, minor: int, platform: str, module: str) -> bool:
    """Whether the stub says this module has nothing on this platform though it has on another."""
    return not stubs[minor, platform][module] and any(stubs[minor, other].get(module) for other in PLATFORMS)


class Witnesses:
    """Both sources, and what they say together."""

    def __init__(self, measured: Measurements, stubs: Stubs) -> None:
        self.measured = measured
        self.stubs = stubs

    def stub_module(self, module: str, minor: int, platform: str) -> bool | None:
        """Whether the stubs have this module there; None where they never heard of it."""
        if not any(module in found for found in self.stubs.values()):
            return None
        key = (max(minor, STUBBED.start), platform)
        return module in self.stubs[key] and not is_for_others(self.stubs, *key, module)

    def stub_name(self, module: str, name: str, minor: int, platform: str) -> bool | None:
        """Whether the stubs have this public name there; None where they do not speak of the module."""
        found = self.stubs[max(minor, STUBBED.start), platform].get(module)
        return None if found is None or is_private(name) else name in found

    def measured_name(self, module: str, name: str, minor: int) -> bool | None:
        """Whether the installed interpreter has this name; None where it did not import the module."""
        found = self.measured.get(minor, {}).get(module)
        return None if found is None or found.names is None else name in found.names

    def module_cell(self, module: str, minor: int, platform: str) -> str:
        """Whether this module can be imported."""
        if module in ABSENT_ON[platform]:
            return NO
        if module in PRESENT_ON[platform]:
            return YES if minor >= PRESENT_ON[platform][module] else NO
        if platform == "win32" and module in UNSETTLED_ON_WINDOWS:
            return UNKNOWN
        stub = self.stub_module(module, minor, platform)
        if minor not in self.measured:
            return self.later_module_cell(module, stub=stub)
        stub_here = self.stub_module(module, minor, "linux")
        if module not in self.measured[minor]:
            if not stub:
                return NO
            return YES if module in OPTIONAL_AT_BUILD or not stub_here else self.doubt(minor)
        if platform == "linux" or stub:
            return YES
        if stub is None or not stub_here:
            return UNKNOWN if is_private(module) else YES
        return NO

    @staticmethod
    def doubt(minor: int) -> str:
        """What a stub is worth that an installed interpreter denies: nothing before typeshed's oldest Python."""
        return UNKNOWN if minor >= STUBBED.start else NO

    def later_module_cell(self, module: str, *, stub: bool | None) -> str:
        """Whether this module can be imported on a Python that is not installed."""
        newest = self.measured[MEASURED[-1]]
        if stub:
            contradicted = self.stub_module(module, 13, "linux") and module not in OPTIONAL_AT_BUILD.union(newest)
            return UNKNOWN if contradicted else YES
        if module in CARRIED_FORWARD:
            return YES
        if stub is None:
            return UNKNOWN if module in newest or is_private(module) else NO
        return NO

    def name_cell(self, module: str, name: str, minor: int, platform: str) -> str:
        """Whether `from module import name` works where the module can be imported."""
        seen = self.measured_name(module, name, minor)
        stub = self.stub_name(module, name, minor, platform)
        if minor not in self.measured:
            return self.later_name_cell(module, name, stub=stub)
        stub_here = self.stub_name(module, name, minor, "linux")
        absent = self.answer_to_strangers(module, name, minor)
        if seen is None:
            return YES if stub and minor >= STUBBED.start else UNKNOWN
        if platform == "linux":
            return YES if seen else self.doubt(minor) if stub else absent
        if seen:
            if stub or name in self.measured[minor][module].unconditional:
                return YES
            return NO if stub_here else UNKNOWN
        if stub is None:
            return UNKNOWN
        if not stub:
            return absent
        if stub_here:
            return self.doubt(minor)
        return YES if minor >= STUBBED.start else UNKNOWN

    def later_name_cell(self, module: str, name: str, *, stub: bool | None) -> str:
        """Whether a Python that is not installed has this name: only the stubs can tell."""
        newest = MEASURED[-1]
        seen = self.measured_name(module, name, newest)
        stub_newest = any(self.stub_name(module, name, newest, platform) for platform in PLATFORMS)
        if stub is None:
            return UNKNOWN
        if stub:
            return UNKNOWN if seen is False and self.stub_name(module, name, newest, "linux") else YES
        return UNKNOWN if seen and not stub_newest else self.answer_to_strangers(module, name, newest)

    def answer_to_strangers(self, module: str, name: str, minor: int) -> str:
        """No, except for names that a module with `__getattr__` was not asked for."""
        found = self.measured[minor].get(module)
        return UNKNOWN if name in UNHEARD and found is not None and found.dynamic else NO

    def modules(self) -> set[str]:
        """Every module that either source has heard of."""
        return set().union(*self.measured.values(), *self.stubs.values(), *PRESENT_ON.values())

    def names(self, module: str) -> set[str]:
        """Every name that either source has seen in a module."""
        names: set[str] = set()
        for stubbed in self.stubs.values():
            names |= stubbed.get(module, set())
        for measured in self.measured.values():
            names |= (measured[module].names or set()) if module in measured else set()
        return names


def row_of_modules(witnesses: Witnesses) -> dict[str, str]:
    """Module -> 24 cells; "*" and "_*" stand for a public and a private module nobody has heard of."""
    names = sorted(witnesses.modules()) + UNHEARD
    return {
        module: "".join(
            witnesses.module_cell(module, minor, platform) for platform, minor in product(PLATFORMS, MINORS)
        )
        for module in names
    }


def row_of_names(witnesses: Witnesses, module: str, importable: str) -> dict[str, str]:
    """Name -> 24 cells of one module; "*" and "_*" as above; cells without the module are moot."""
    keys = list(product(PLATFORMS, MINORS))
    rows = {}
    for name in sorted(witnesses.names(module)) + UNHEARD:
        cells = [
            MOOT if there == NO else witnesses.name_cell(module, name, minor, platform)
            for there, (platform, minor) in zip(importable, keys)
        ]
        rows[name] = settle_moot("".join(cells))
    return rows


def settle_moot(cells: str) -> str:
    """Give moot cells the letter of a neighbour, so that fewer different rows are left."""
    settled = cells
    for letter in (YES, NO, UNKNOWN):
        if not set(cells) - {letter, MOOT}:
            return letter * len(cells)
    for _ in cells:
        settled = "".join(before if here == MOOT else here for before, here in zip(settled[-1] + settled, settled))
    return settled


def make_table(witnesses: Witnesses) -> dict[str, Any]:
    """The JSON document: rows once each, then module -> row number -> names; "" holds the modules."""
    modules = row_of_modules(witnesses)
    tables = {"": modules}
    for module in sorted(filterfalse(UNNAMED.match, witnesses.modules())):
        rows = row_of_names(witnesses, module, modules[module])
        if set("".join(rows.values())) != {UNKNOWN}:
            tables[module] = rows
    order = {row: str(number) for number, row in enumerate(sorted({r for t in tables.values() for r in t.values()}))}
    grouped: dict[str, dict[str, list[str]]] = {}
    for module, rows in tables.items():
        groups = defaultdict(list)
        for name, row in rows.items():
            groups[order[row]].append(name)
        grouped[module] = groups
    return {
        "cells": [f"{platform} 3.{minor}" for platform, minor in product(PLATFORMS, MINORS)],
        "rows": list(order),
        "names": {
            module: {row: " ".join(names) for row, names in groups.items()} for module, groups in grouped.items()
        },
    }


def ask_stubs() -> Stubs:
    """The stubs of every Python and platform they cover."""
    keys = list(product(STUBBED, PLATFORMS))
    with ProcessPoolExecutor() as pool:
        return dict(zip(keys, pool.map(read_stubs, *zip(*keys))))


def ask_interpreters(pythons: list[str], stubs: Stubs) -> Measurements:
    """Ask twice: in the second round modules with `__getattr__` are asked for every name seen in the first."""
    candidates: dict[str, set[str]] = defaultdict(set)
    for stubbed, names in chain.from_iterable(found.items() for found in stubs.values()):
        candidates[stubbed] |= names
    candidates["collections"] |= candidates["collections.abc"]  # reachable until 3.9, listed nowhere
    measured: Measurements = {}
    for _ in range(2):
        measured = {minor: ask_interpreter(python, candidates) for minor, python in zip(MEASURED, pythons)}
        for module, found in chain.from_iterable(one.items() for one in measured.values()):
            candidates[module] |= found.names or set()
    return measured


def main(pythons: list[str]) -> None:
    """Ask both witnesses and write the table, one module a line."""
    stubs = ask_stubs()
    table = make_table(Witnesses(ask_interpreters(pythons, stubs), stubs))
    TABLE.write_text(json.dumps(table, separators=(",", ":")).replace('},"', '},\n"') + "\n", "utf-8")


if __name__ == "__main__":
    if sys.argv[1:] == ["--measure"]:
        described = measure({module: set(names) for module, names in json.load(sys.stdin).items()})
        print("\n" + json.dumps(described))
    else:
        main(sys.argv[1:])
