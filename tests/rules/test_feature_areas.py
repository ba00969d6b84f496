"""What is meant to fail without an optional dependency, and how often one cause is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from optdep_lint.config import Config
from optdep_lint.discovery import discover
from optdep_lint.engine import check

PYPROJECT = """
[project]
name = "acme"
version = "1"
[project.optional-dependencies]
fast = ["numba", "torch"]
"""
IMAGES = """
try:
    import numba
    Sampling = numba.int64
except ImportError:
    pass
"""
LAZY = """
import sys

class Lazy:
    def __init__(self, name, structure):
        self.structure = structure

def structure_of(name):
    return scan(name)

def scan(name):
    import os
    return {entry: open(entry).read() for entry in os.listdir(name)}
"""
HANDED_OUT = """
import sys
from acme.lazy import Lazy, structure_of
sys.modules[__name__] = Lazy(__name__, structure_of(__name__))
"""
LISTED = """
import sys
from acme.lazy import Lazy
sys.modules[__name__] = Lazy(__name__, {"reader": ["read"]})
"""
READER = "from acme.images import Sampling\n"
CLASS = "from acme.images import *\nclass Reader:\n    kind = Sampling\n"
NEEDY = {f"acme/models/m{number}.py": "import numba\n" for number in range(10)}
REQUIRED = """
[project]
name = "acme"
version = "1"
dependencies = ["datasets"]
[project.optional-dependencies]
fast = ["pyyaml"]
"""
VISION = """
[project]
name = "acme"
version = "1"
[project.optional-dependencies]
vision = ["torchvision", "pillow"]
math = ["numpy"]
"""
OLD = """Metadata-Version: 2.1
Name: acme
Version: 1
Classifier: Programming Language :: Python :: 2.7
Classifier: Programming Language :: Python :: 3.4
Provides-Extra: fast
Requires-Dist: numba; extra == "fast"
"""
CASES: dict[str, tuple[dict[str, str], set[tuple[str, int, str]]]] = {
    "one module lives without what three do not": (
        {
            "acme/inner.py": "import numba\n",
            "acme/mid.py": "from acme import inner\n",
            "acme/a.py": "try:\n    import acme.mid\nexcept ImportError:\n    pass\n",
            **{f"acme/{name}.py": "import acme.mid\n" for name in "bcd"},
        },
        {("acme/b.py", 1, "OPD103")},
    ),
    "a name that is there only sometimes": (
        {"acme/images.py": IMAGES, "acme/models/__init__.py": "", "acme/models/reader.py": READER},
        {("acme/models/reader.py", 1, "OPD104")},
    ),
    "its module is handed out by what finds out when": (
        {"acme/images.py": IMAGES, "acme/lazy.py": LAZY, "acme/models/__init__.py": HANDED_OUT,
         "acme/models/reader.py": READER, "acme/models/other.py": CLASS},
        set(),
    ),
    "a leak into what is handed out": (
        {"acme/fast.py": "import numba\n", "acme/lazy.py": LAZY, "acme/models/__init__.py": HANDED_OUT,
         "acme/models/more.py": "from acme import fast\n"},
        set(),
    ),
    "its module is handed out by name": (
        {"acme/images.py": IMAGES, "acme/lazy.py": LAZY, "acme/models/__init__.py": LISTED,
         "acme/models/reader.py": READER},
        {("acme/models/reader.py", 1, "OPD104")},
    ),
    "a package most of which needs it": (
        {**NEEDY, "acme/models/__init__.py": "", "acme/models/more.py": "from acme.models import m0\n"},
        set(),
    ),
    "a small package, each module of which needs it": (
        {**{f"acme/kernels/k{number}.py": "import numba\n" for number in range(3)},
         "acme/kernels/__init__.py": "from acme.kernels import k0, k1, k2\n"},
        set(),
    ),
    "a small package, but for one module": (
        {**{f"acme/kernels/k{number}.py": "import numba\n" for number in range(3)}, "acme/kernels/plain.py": "",
         "acme/kernels/__init__.py": "from acme.kernels import k0, k1, k2\n"},
        {("acme/kernels/__init__.py", 1, "OPD103")},
    ),
    "a package of which a part needs it": (
        {"acme/models/m0.py": "import numba\n", "acme/models/__init__.py": "",
         "acme/models/more.py": "from acme.models import m0\n",
         **{f"acme/models/n{number}.py": "" for number in range(10)}},
        {("acme/models/more.py", 1, "OPD103")},
    ),
    "nothing declares it, and its importer goes on": (
        {"acme/plot/__init__.py": "import altair\n", "acme/plot/more.py": "import altair\n",
         "acme/api.py": "try:\n    from acme import plot\nexcept ImportError:\n    plot = None\n"},
        set(),
    ),
    "nothing declares it, and only one of its importers goes on": (
        {"acme/plot/__init__.py": "import altair\n", "acme/plot/more.py": "import altair\n",
         "acme/api.py": "try:\n    from acme import plot\nexcept ImportError:\n    plot = None\n",
         "acme/page.py": "from acme import plot\n"},
        {("acme/plot/__init__.py", 1, "OPD602")},
    ),
    "nothing declares it": (
        {"acme/plot/__init__.py": "import altair\n", "acme/api.py": "from acme import plot\n"},
        {("acme/plot/__init__.py", 1, "OPD602")},
    ),
    "a function binds it by text": (
        {"acme/core.py": "import importlib\ntry:\n    import numba\nexcept ImportError:\n    pass\n"
                         "def load(name):\n    globals()[name] = importlib.import_module(name)\n"
                         "def total(x):\n    return numba.njit(x)\n"},
        set(),
    ),
    "for Pythons that have gone": (
        {"acme/__init__.py": "from collections import Iterable\nfrom acme import fast\n",
         "acme/fast.py": "import numba\n",
         "acme.dist-info/METADATA": OLD},
        {("acme/fast.py", 1, "OPD101")},
    ),
    "what a required distribution brings": (
        {"pyproject.toml": REQUIRED, "acme/core.py": "try:\n    import dill, yaml\nexcept ImportError:\n    dill = yaml = None\n"
                                                     "def total(x):\n    return dill.dumps(yaml.dump(x))\n"},
        set(),
    ),
    "what brings another cannot be there without it": (
        {"pyproject.toml": VISION,
         "acme/core.py": "import torchvision\ntry:\n    import PIL\nexcept ImportError:\n    pass\nSIZE = PIL.Image\n",
         "acme/plain.py": "try:\n    import PIL\nexcept ImportError:\n    pass\nSIZE = PIL.Image\n"},
        {("acme/plain.py", 5, "OPD105")},
    ),
    "the old name of a feature module": (
        {"acme/io/fast.py": "import numba\n", "acme/io/__init__.py": "", "acme/old/__init__.py": "",
         "acme/old/fast.py": "\"\"\"Moved.\"\"\"\nfrom acme.io.fast import numba\n__all__ = ['numba']\n",
         "acme/old/slow.py": "from acme.io.fast import numba\n__all__ = ['numba']\n"},
        {("acme/old/slow.py", 1, "OPD103")},
    ),
    "a module named after the root": (
        {"acme/io/loops.py": "import numba\n", "acme/io/__init__.py": "",
         "acme/io/numba_more.py": "from acme.io import loops\n", "acme/io/more.py": "from acme.io import loops\n"},
        {("acme/io/more.py", 1, "OPD103")},
    ),
    "a package named after an extra that brings what brings the root": (
        {"pyproject.toml": VISION, "acme/io/loops.py": "import numpy\n", "acme/io/__init__.py": "",
         "acme/vision/__init__.py": "import numpy\nfrom acme.io import loops\n",
         "acme/sight/__init__.py": "try:\n    import numpy\nexcept ImportError:\n    pass\nfrom acme.io import loops\n"},
        {("acme/sight/__init__.py", 5, "OPD103")},
    ),
    "all importers of a module go on without it": (
        {"acme/io/loops.py": "import numba\n", "acme/io/__init__.py": "", "acme/more.py": "from acme.io import loops\n",
         "acme/core.py": "try:\n    from acme.more import loops\nexcept ImportError:\n    loops = None\n"},
        set(),
    ),
    "an importer of such a module does not go on": (
        {"acme/io/loops.py": "import numba\n", "acme/io/__init__.py": "", "acme/more.py": "from acme.io import loops\n",
         "acme/core.py": "try:\n    from acme.more import loops\nexcept ImportError:\n    loops = None\n",
         "acme/page.py": "from acme.more import loops\n"},
        {("acme/page.py", 1, "OPD103")},
    ),
    "a plug-in of the root": (
        {"acme.dist-info/METADATA": OLD, "acme.dist-info/entry_points.txt": "[numba_extensions]\ninit = acme_numba:init\n",
         "acme_numba.py": "import numba\n", "acme_other.py": "import numba\n"},
        {("acme_other.py", 1, "OPD101")},
    ),
    "it says what is missing, in one way or the other": (
        {"acme/plot/__init__.py": "try:\n    import numba\nexcept ImportError as error:\n"
                                  "    if error.name == 'numba':\n        raise ImportError('plot needs numba') from error\n"
                                  "    else:\n        raise\n"},
        set(),
    ),
    "it says that what nothing declares is missing": (
        {"acme/plot/__init__.py": "try:\n    import altair\nexcept ImportError as error:\n"
                                  "    raise ImportError('plot needs altair') from error\n"},
        set(),
    ),
    "a package that nothing declares, and a module in it": (
        {"acme/plot/__init__.py": "import altair\n", "acme/plot/more.py": "import altair\n"},
        {("acme/plot/__init__.py", 1, "OPD602")},
    ),
    "a function that needs nothing of it imports a module that does": (
        {"acme/loops.py": "import numba\nSEEN = False\ndef seen():\n    return SEEN\ndef run(x):\n    return numba.njit(x)\n",
         "acme/chosen.py": "from importlib.util import find_spec\nif find_spec('numba'):\n    STEP = 8\nelse:\n    STEP = 1\n",
         "acme/core.py": "def total(x):\n    from acme.loops import seen\n    return x if seen() else -x\n"},
        {("acme/loops.py", 1, "OPD101")},
    ),
    "a function that does need it": (
        {"acme/loops.py": "import numba\nSEEN = True\ndef seen():\n    return SEEN\ndef run(x):\n    return numba.njit(x)\n",
         "acme/chosen.py": "from importlib.util import find_spec\nif find_spec('numba'):\n    STEP = 8\nelse:\n    STEP = 1\n",
         "acme/core.py": "def total(x):\n    from acme.loops import run, seen\n    return run(x) if seen() else -x\n"},
        set(),
    ),
    "a part of the root that not all releases have": (
        {"acme/core.py": "from typing import TYPE_CHECKING\nfrom numba.core import types\nif TYPE_CHECKING:\n"
                         "    from numba.extra import ufunc\ntry:\n    from numba.extra import ufunc\nexcept ImportError:\n    ufunc = None\n"},
        set(),
    ),
    "it refuses in words of its own": (
        {"acme/__main__.py": "from acme.has import HAS\nif not HAS:\n    raise ImportError('pip install acme[fast]')\n",
         "acme/has.py": "try:\n    import numba\n    HAS = True\nexcept ImportError:\n    HAS = False\n"},
        set(),
    ),
    "a module of the package refuses, and with it the package": (
        {"acme/__init__.py": "from acme.loops import total\n",
         "acme/loops.py": "try:\n    import numba\nexcept ImportError:\n    raise ImportError('pip install acme[fast]')\ntotal = numba\n"},
        {("acme/loops.py", 2, "OPD101")},
    ),
    "a file that may not be there is read first": (
        {"acme/core.py": "try:\n    from numba import load\nexcept ImportError:\n    load = None\n"
                         "def read(path):\n    try:\n        with open(path) as file:\n            return load(file)\n"
                         "    except OSError:\n        return {}\nSETTINGS = read('.acme')\n"},
        set(),
    ),
    "None is unpacked": (
        {"acme/core.py": "from importlib.util import find_spec\ndef both():\n    if find_spec('numba') is None:\n        return None\n"
                         "    import numba\n    return True, numba\nHAS, numba = both()\n"},
        {("acme/core.py", 7, "OPD105")},
    ),
    "a plug-in of what the group is short for": (
        {"pyproject.toml": PYPROJECT + "[project.entry-points.hatch]\nacme = 'acme.plugin'\n",
         "acme/plugin.py": "import hatchling\n"},
        set(),
    ),
    "a script that builds a part of the package": (
        {"acme/c/setup.py": "import setuptools\n", "acme/c/__init__.py": ""},
        set(),
    ),
    "a file of which no module can be made": (
        {"acme/for-all.py": "from acme.for_all import run\nrun()\n", "acme/for_all.py": "import numba\ndef run(): pass\n",
         "acme/__init__.py": "from acme import for_all\n"},
        {("acme/for_all.py", 1, "OPD101")},
    ),
    "nothing declares what comes with what an extra brings": (
        {"acme/io/loops.py": "import altair\nimport numba\n", "acme/io/plots.py": "import altair\n", "acme/io/__init__.py": ""},
        {("acme/io/plots.py", 1, "OPD602")},
    ),
    "what required distributions, and extras that are asked of them, are known to bring": (
        {"pyproject.toml": REQUIRED.replace("datasets", "flask', 'fast-depends[pydantic]").replace('"flask', "'flask").replace(']"]', "]']"),
         "acme/core.py": "import werkzeug\nimport pydantic\nimport altair\n"},
        {("acme/core.py", 3, "OPD602")},
    ),
    "a script imports what lies beside it": (
        {"acme/io/_other.py": "", "acme/io/run.py": "import _other\n", "acme/io/__init__.py": "",
         "acme/altair.py": "import altair\n"},
        {("acme/altair.py", 1, "OPD602")},
    ),
    "a private module that is only imported in functions": (
        {"acme/_io/loops.py": "import numba\n", "acme/_io/__init__.py": "", "acme/_io/late.py": "from acme._io import loops\n",
         "acme/_io/early.py": "from acme._io import loops\n", "acme/most.py": "from acme._io import early\n",
         "acme/core.py": "def run(x):\n    from acme._io import late\n    return late.loops(x)\n"},
        {("acme/_io/early.py", 1, "OPD103")},
    ),
    "two roots, one statement": (
        {"acme/models/m0.py": "import numba\n", "acme/models/m1.py": "import torch\nimport numba\n",
         "acme/models/__init__.py": "", "acme/more.py": "from acme.models import m1\n"},
        {("acme/more.py", 1, "OPD103")},
    ),
    "two roots, one handler": (
        {"acme/core.py": "try:\n    import numba\n    import torch\nexcept ImportError:\n    numba = torch = None\n"
                         "def total(x):\n    return numba.njit(torch.tensor(x))\n"},
        {("acme/core.py", 7, "OPD202")},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("files", "expected"), CASES.values(), ids=CASES.keys())
def test_what_is_told(files: dict[str, str], expected: set[tuple[str, int, str]], tmp_path: Path) -> None:
    for path, text in {"pyproject.toml": PYPROJECT, "acme/__init__.py": "", **files}.items():
        if path == "pyproject.toml" and any("dist-info" in one for one in files):
            continue
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    config = Config(select=("OPD1", "OPD2", "OPD602"))
    found = [(one.path, one.span.line, one.code) for one in check(discover([tmp_path], config), config).findings]
    assert set(found) == expected


def test_one_cause_is_told_once(tmp_path: Path) -> None:
    for name in ("two roots, one statement", "two roots, one handler"):
        folder = tmp_path / name
        for path, text in {"pyproject.toml": PYPROJECT, "acme/__init__.py": "", **CASES[name][0]}.items():
            (folder / path).parent.mkdir(parents=True, exist_ok=True)
            (folder / path).write_text(text)
        config = Config(select=("OPD1", "OPD2"))
        found = [
            (one.path, one.span.line, one.span.column) for one in check(discover([folder], config), config).findings
        ]
        assert len(found) == len(set(found))
