"""Imports that wait until something is asked for, and what asks at once."""

import pytest

from optdep_lint.summarize import summarize
from optdep_lint.world.worlds import World

LAZY_MODULE = """
import sys
from types import ModuleType
from importlib import import_module
class _LazyModule(ModuleType):
    def __init__(self, name, file, structure, module_spec=None):
        super().__init__(name)
        self._owners = {name: part for part, names in structure.items() for name in names}
    def __getattr__(self, name):
        return getattr(import_module("." + self._owners[name], self.__name__), name)
"""

STRUCTURE = """
import sys
from typing import TYPE_CHECKING
from tools import _LazyModule
_import_structure = {"needs": ["Thing"]}
try:
    if not False: raise ValueError()
except ValueError:
    pass
else:
    _import_structure["more"] = ["Other"]
if TYPE_CHECKING:
    from .needs import Thing
else:
    sys.modules[__name__] = _LazyModule(__name__, globals()["__file__"], _import_structure, module_spec=__spec__)
"""

LOADER = """
import importlib, types
class LazyLoader(types.ModuleType):
    def __init__(self, local_name, parent, name):
        self._local_name = local_name
        super().__init__(name)
    def _load(self):
        return importlib.import_module("gone")
    def __getattr__(self, item):
        return getattr(self._load(), item)
thing = LazyLoader("thing", globals(), "gone")
"""


def test_a_lazy_module_imports_nothing_of_its_structure(project):
    modules = project(
        {"tools": LAZY_MODULE, "p": STRUCTURE, "p.needs": "import gone\nclass Thing: pass", "m": "import p"}
    )
    assert modules.outcome("p") == modules.outcome("m") == "ok"
    assert modules.outcome("p.needs") == "gone"


def test_a_name_of_a_lazy_module_is_not_missing(project):
    modules = {"tools": LAZY_MODULE, "p": STRUCTURE, "p.needs": "class Thing: pass", "m": "from p import Thing"}
    assert project(modules).outcome("m") == "ok"


def test_a_lazy_loader_attaches_what_the_stub_lists(project):
    stub = summarize(b"from . import below\nfrom .needs import thing\n")
    modules = project(
        {
            "p": "import lazy_loader\n__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)",
            "p.needs": "import gone\nthing = 1",
            "p.below": "there = 1",
            "takes": "from p import thing",
            "fine": "from p import below",
        },
        stubs={"p": stub},
    )
    assert [modules.outcome(name) for name in ("p", "takes", "fine")] == ["ok", "gone", "ok"]


@pytest.mark.parametrize(("use", "expected"), [("", "ok"), ("thing.part", "gone")])
def test_a_loader_imports_at_the_first_attribute(project, use, expected):
    assert project({"lazy": LOADER, "m": f"from lazy import thing\n{use}"}).outcome("m") == expected


SINGLE = "import functools\ntry:\n import gone\nexcept ImportError:\n gone = None\n@functools.singledispatch\ndef f(x): pass\n"


def test_what_is_registered_at_import_is_evaluated(outcome):
    assert outcome(f"{SINGLE}@f.register(gone.T)\ndef _(x): pass") == "gone"
    assert outcome(f"{SINGLE}@f.register\ndef _(x: gone.T): pass") == "gone"


def test_registering_reads_annotations_that_would_have_waited(outcome):
    late = f"from __future__ import annotations\n{SINGLE}"
    assert outcome(f"{late}@f.register\ndef _(x: gone.T): pass") == "gone"
    assert outcome(f"{late}@f.register\ndef _(x: int): pass\ndef g(x: gone.T): pass") == "ok"
    assert (
        outcome(f"{SINGLE}@f.register\ndef _(x: gone.T): pass", World("new", frozenset({"gone"}), python=(3, 14)))
        == "gone"
    )


LAZY = {
    "lazy import gone\ngone.part": "gone",
    "lazy from gone import thing\nthing()": "gone",
    "lazy import gone.part as part": "ok",
    "__lazy_modules__ = ['gone']\nimport gone\ngone.part": "gone",
    "__lazy_modules__ = ['gone']\ntry:\n import gone\nexcept ImportError:\n raise": "gone",
    "from contextlib import suppress\nwith suppress(ImportError):\n lazy import gone\ngone.part": "gone",
    "lazy import gone\ndef f(): gone.part": "ok",
}


@pytest.mark.parametrize(("source", "expected"), LAZY.items(), ids=LAZY)
def test_a_lazy_import_fails_at_its_first_use(outcome, source, expected):
    assert outcome(source) == expected


TYPE_CHECKING = (
    "from typing import TYPE_CHECKING\nif TYPE_CHECKING:",
    "from typing import TYPE_CHECKING as checking\nif checking:",
    "import typing\nif typing.TYPE_CHECKING:",
    "from typing_extensions import TYPE_CHECKING\nif TYPE_CHECKING:",
    "TYPE_CHECKING = False\nif TYPE_CHECKING:",
    "MYPY = False\nif MYPY:",
    "if False:",
    "from typing import TYPE_CHECKING\nif not TYPE_CHECKING: pass\nelse:",
    "from typing import TYPE_CHECKING\nif TYPE_CHECKING or 0:",
)


@pytest.mark.parametrize("head", TYPE_CHECKING)
def test_what_type_checkers_read_does_not_run(outcome, head):
    assert outcome(f"{head}\n import gone") == "ok"
