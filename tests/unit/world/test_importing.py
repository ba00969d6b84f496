"""Each idiom once, as small as it can be."""

import pytest

from optdep_lint.world.worlds import World

OK = {
    "a guard": "try:\n import gone\nexcept ImportError:\n gone = None",
    "suppress": "from contextlib import suppress\nwith suppress(ImportError):\n import gone",
    "type checking": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n import gone",
    "type checking by its module": "import typing as t\nif t.TYPE_CHECKING:\n import gone",
    "type checking by hand": "TYPE_CHECKING = False\nif TYPE_CHECKING:\n import gone",
    "a version": "import sys\nif sys.version_info[:2] < (3, 8):\n import gone",
    "a version by attribute": "import sys\nif sys.version_info.major < 3:\n import gone",
    "a platform": "import sys\nif sys.platform == 'win32':\n import gone",
    "os.name": "import os\nif os.name == 'nt':\n import gone",
    "platform.system": "import platform\nif platform.system() == 'Windows':\n import gone",
    "implementation": "import sys\nif sys.implementation.name == 'pypy':\n import gone",
    "find_spec": "from importlib.util import find_spec\nif find_spec('gone'):\n import gone",
    "find_spec lazily": "from importlib.util import find_spec\nif all(find_spec(n) for n in ('gone', 'gone.part')):\n import gone",
    "a flag": "try:\n import gone\n F = True\nexcept ImportError:\n F = False\nif F:\n gone.part",
    "else": "try:\n import gone\nexcept ImportError:\n pass\nelse:\n gone.part",
    "a loop over literals": "import importlib\nfor n in ('gone', 'here'):\n try:\n  importlib.import_module(n)\n  break\n except ImportError:\n  pass\nelse:\n raise ImportError",
    "a helper": "import importlib\ndef has(n):\n try:\n  importlib.import_module(n)\n except ImportError:\n  return False\n return True\nif has('gone'):\n import gone",
    "a distribution": "from importlib.metadata import version, PackageNotFoundError\ntry:\n version('gone')\nexcept PackageNotFoundError:\n pass",
    "sys.modules": "import sys\nif 'gone' in sys.modules:\n import gone",
    "an injected stub": "import sys, types\nsys.modules['gone'] = types.ModuleType('gone')\nimport gone",
    "a false sentinel": "class Missing:\n def __bool__(self): return False\ntry:\n import gone\nexcept ImportError:\n gone = Missing()\nif gone:\n import lost",
    "a function body": "def f():\n import gone",
    "lazy import": "lazy import gone",
    "__lazy_modules__": "__lazy_modules__ = ['gone']\nimport gone",
    "future annotations": "from __future__ import annotations\ntry:\n import gone\nexcept ImportError:\n pass\ndef f(x: gone.T): pass",
    "an unset variable": "import os\nif os.environ.get('ACME_GONE'):\n import gone",
    "an absent builtin": "import builtins\nif hasattr(builtins, '__IPYTHON__'):\n import gone",
    "an unknown global": "try:\n __IPYTHON__\nexcept NameError:\n pass\nelse:\n import gone",
    "the error's text": "import importlib\ntry:\n importlib.import_module('gone')\nexcept ImportError as e:\n if 'gone' not in repr(e):\n  raise",
    "the error's name": "try:\n import gone.part\nexcept ImportError as e:\n if e.name != 'gone':\n  raise",
    "globals()": "def f():\n if 'F' in globals():\n  import gone\nf()",
    "a dictionary filled by a function": "import importlib.util\n_known = {}\ndef has(n):\n if n not in _known:\n  _known[n] = importlib.util.find_spec(n) is not None\n return _known[n]\nif has('gone'):\n import gone",
    "starred unpacking": "from importlib.util import find_spec\nroot, *_ = 'gone.part'.split('.')\nif find_spec(root):\n import gone",
    "match": "F = None\nmatch F:\n case None: pass\n case _:\n  import gone",
    "a thing of an absent root": "import here\nif type(here.x).__module__ == 'gone' or here.x.__module__.startswith('gone.'):\n import gone",
    "a class of an absent root": "import here\nif any(t.__module__.split('.')[0] == 'gone' for t in here.x.__mro__):\n import gone",
    "a builtin below": "try:\n import gone\n def anext(x): pass\nexcept ImportError:\n pass\nanext",
    "any of": "try:\n import gone\nexcept ImportError:\n try:\n  import lost\n except ImportError:\n  import json",
}
GONE = {
    "an import": "import gone",
    "a submodule": "import gone.part",
    "a name": "from gone import thing",
    "a narrower handler": "try:\n import gone\nexcept ValueError:\n pass",
    "a handler that raises": "try:\n import gone\nexcept ImportError as e:\n raise RuntimeError('no') from e",
    "a handler that exits": "import sys\ntry:\n import gone\nexcept ImportError:\n sys.exit(1)",
    "an unbound name": "try:\n import gone\nexcept ImportError:\n pass\ngone.part",
    "a class body": "class C:\n import gone",
    "a base class": "try:\n from gone import Base\nexcept ImportError:\n Base = None\nclass C(Base): pass",
    "a decorator": "try:\n from gone import deco\nexcept ImportError:\n deco = None\n@deco\ndef f(): pass",
    "a default": "try:\n import gone\nexcept ImportError:\n gone = None\ndef f(x=gone.T): pass",
    "an annotation": "try:\n import gone\nexcept ImportError:\n gone = None\ndef f(x: gone.T): pass",
    "a builtin below is not deleted": "try:\n import gone\n def anext(x): pass\nexcept ImportError:\n pass\ndel anext",
    "finally": "try:\n pass\nfinally:\n import gone",
    "a called function": "def f():\n import gone\nf()",
    "a decorator that runs": "def deco(f):\n import gone\n return f\n@deco\ndef g(): pass",
    "import_module": "import importlib\nimportlib.import_module('gone')",
    "__import__": "__import__('gone')",
    "importorskip": "import pytest\npytest.importorskip('gone')",
    "a distribution": "from importlib.metadata import version\nversion('gone')",
    "a dotted probe": "from importlib.util import find_spec\nfind_spec('gone.part')",
    "a flag that raises": "try:\n import gone\n F = True\nexcept ImportError:\n F = False\nif not F:\n raise RuntimeError('gone needed')",
    "a helper that raises": "import importlib\ndef need(n):\n try:\n  return importlib.import_module(n)\n except ImportError:\n  raise ImportError(n)\nneed('gone')",
    "an assertion": "from importlib.util import find_spec\nassert find_spec('gone')",
    "a lazy module that is used": "lazy import gone\ngone.part",
}  # fmt: skip


@pytest.mark.parametrize("source", OK.values(), ids=OK)
def test_it_imports(outcome, source):
    assert outcome(source) == "ok"


@pytest.mark.parametrize("source", GONE.values(), ids=GONE)
def test_it_fails_for_the_absent_root(outcome, source):
    assert outcome(source).partition(".")[0] == "gone"


def test_parents_come_first(project):
    assert project({"a": "import gone", "a.b": ""}).outcome("a.b") == "gone"


def test_flags_cross_modules_and_re_exports(project):
    flags = "try:\n import gone\n HAS = True\nexcept ImportError:\n HAS = False\n"
    modules = {
        "a": "from .flags import HAS as HAS",
        "a.flags": flags,
        "a.use": "from . import HAS\nif HAS:\n import gone",
    }
    assert project(modules).outcome("a.use") == "ok"


def test_a_star_import_takes_what_all_lists(project):
    made = project({"a": "__all__ = ['x']\nx = 1\ny = 2", "b": "from a import *\nx"})
    assert made.outcome("b") == "ok"
    assert "y" not in made.evaluation.modules["b"].names


def test_a_conditional_name_is_missing_for_its_root(project):
    guarded = "try:\n import gone\nexcept ImportError:\n pass\nelse:\n def f(): pass"
    assert project({"a": guarded, "b": "from a import f"}).outcome("b") == "gone"


def test_relative_imports_count_dots(project):
    assert project({"a": "", "a.b": "", "a.b.c": "from .. import d", "a.d": "import gone"}).outcome("a.b.c") == "gone"


def test_a_circular_import_fails_as_in_cpython(project):
    assert project({"a": "from b import x\ny = 1", "b": "from a import y\nx = 1"}).outcome("a") == "raises"


def test_a_circular_import_of_a_bound_name_works(project):
    assert project({"a": "y = 1\nfrom b import x", "b": "from a import y\nx = 1"}).outcome("a") == "ok"


def test_a_namespace_package_needs_no_source(project):
    made = project({"a.b": "import gone", "c": "import a\nfrom a import b"}, namespaces=frozenset({"a"}))
    assert made.outcome("c") == "gone"


def test_module_getattr_answers_for_what_is_not_bound(project):
    hook = "def __getattr__(name):\n if name == 'x':\n  import gone\n  return gone\n raise AttributeError(name)"
    assert project({"a": hook, "b": "import a"}).outcome("b") == "ok"
    assert project({"a": hook, "b": "from a import x"}).outcome("b") == "gone"


def test_lazy_loader_attaches_what_is_imported_when_asked_for(project):
    lazy = "import lazy_loader\n__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, submod_attrs={'b': ['f']})"
    made = project({"a": lazy, "a.b": "import gone\ndef f(): pass", "c": "from a import f"})
    assert made.outcome("a") == "ok"
    assert made.outcome("c") == "gone"


def test_a_module_may_replace_itself(project):
    lazy = "import sys\nclass Lazy: pass\nsys.modules[__name__] = Lazy()"
    assert project({"a": lazy, "b": "from a import anything"}).outcome("b") == "ok"


def test_annotations_wait_from_python_3_14(outcome):
    text = "try:\n import gone\nexcept ImportError:\n gone = None\ndef f(x: gone.T): pass"
    assert outcome(text, World("new", absent=frozenset({"gone"}), python=(3, 14))) == "ok"


def test_what_one_import_loaded_the_next_process_has_not(project):
    made = project({"a": "import sys, b", "b": "", "c": "import sys\nif 'b' in sys.modules:\n import gone"})
    assert made.outcome("a") == "ok"
    assert made.outcome("c") == "ok"


def test_a_decorator_that_documents_what_it_is_put_on_is_not_followed_for_ever(project):
    classes = "\n".join(f"@documented\nclass C{number}:\n    pass" for number in range(40))
    made = project({
        "docs": "import re\n_pattern = None\ndef documented(cls):\n    global _pattern\n    if _pattern is None:\n"
        "        _pattern = re.compile('x')\n    lines = []\n    for name in dir(cls):\n        lines.append(name)\n"
        "    cls.__doc__ = ''.join(lines)\n    return cls\n",
        "m": f"from docs import documented\n{classes}",
    })  # fmt: skip
    steps = []
    plain = made.evaluation.count_step
    made.evaluation.count_step = lambda: (steps.append(1), plain())
    assert made.outcome("m") == "ok"
    assert len(steps) < 150


@pytest.mark.parametrize(
    ("guard", "expected"),
    [
        ("None not in [find_spec('gone'), find_spec('there')]", "ok"),
        ("None in (find_spec('there'), find_spec('gone'))", "gone"),
        ("None not in [1, 'there']", "gone"),
    ],
)
def test_none_is_looked_for_among_what_probes_give(outcome, guard, expected):
    assert outcome(f"from importlib.util import find_spec\nif {guard}:\n    import gone\n") == expected
