"""What random programs and real packages showed, each as small as it can be."""

import pytest


def test_a_stand_in_has_only_what_its_class_has(outcome):
    stand_in = "try:\n from gone import Base\nexcept ImportError:\n class Base: pass\n"
    assert outcome(f"{stand_in}Base.field") == "gone"
    assert outcome(f"{stand_in}Base(1)") == "gone"
    assert outcome(f"{stand_in}class C(Base): pass\nC()") == "ok"


def test_a_name_that_a_class_body_does_not_bind_is_the_modules(outcome):
    text = "F = None\nclass C:\n try:\n  import gone\n except ImportError:\n  pass\n else:\n  F = 1\n if F: import gone"
    assert outcome(text) == "ok"


def test_what_a_class_body_raises_perhaps_leaves_the_rest_open(outcome):
    text = "try:\n class C:\n  from here.other import x\nexcept ImportError:\n F = 1\ntry:\n F\nexcept NameError:\n F = 2\nif F == 2:\n import gone"
    assert outcome(text) == "maybe"


def test_a_table_made_of_probes(outcome):
    table = "from importlib.util import find_spec\nT = {n: find_spec(n) is not None for n in ('gone', 'sys')}\n"
    assert outcome(f"{table}if T['gone']:\n import gone") == "ok"
    assert outcome(f"{table}if T['sys']:\n import gone") == "gone"


@pytest.mark.parametrize(
    ("said", "verdict"), [("True", "gone"), ("False", "ok")], ids=["equal to all", "equal to nothing"]
)
def test_a_class_says_what_its_instances_are_equal_to(outcome, said, verdict):
    assert outcome(f"class C:\n def __eq__(self, other): return {said}\nif C() == 1:\n import gone") == verdict


def test_dunder_import_gives_the_package_at_the_root(project):
    modules = {"a": "", "a.b": "x = 1", "c": "if hasattr(__import__('a.b'), 'x'):\n import gone"}
    assert project(modules).outcome("c") == "ok"
    modules["c"] = "if hasattr(__import__('a.b', fromlist=['x']), 'x'):\n import gone"
    assert project(modules).outcome("c") == "gone"


def test_a_package_that_failed_is_not_asked_for_again_below_one_that_is_there(project):
    modules = {
        "a": "import a.b\nraise ImportError", "a.b": "", "a.b.c": "import gone",
        "d": "try:\n import a\nexcept ImportError:\n pass\nfrom a.b.c import x",
    }  # fmt: skip
    assert project(modules).outcome("d") == "gone"


def test_submodules_that_all_lists_are_imported_before_names_are_taken(project):
    modules = {"a": "__all__ = ['nothing', 'b']", "a.b": "import gone", "c": "from a import *"}
    assert project(modules).outcome("c") == "gone"


@pytest.mark.parametrize(
    "loop",
    [
        "for m in pkgutil.iter_modules(a.plugins.__path__):\n importlib.import_module(f'{a.plugins.__name__}.{m.name}')",
        "for _, name, _ in pkgutil.iter_modules(a.plugins.__path__, 'a.plugins.'):\n importlib.import_module(name)",
        "def discover(module):\n for m in pkgutil.iter_modules(module.__path__):\n  __import__(module.__name__ + '.' + m.name)\ndiscover(a.plugins)",
    ],
    ids=["by field", "with a prefix", "in a function"],
)
def test_modules_that_are_listed_can_be_imported(project, loop):
    modules = {"a": "", "a.plugins": "", "a.plugins.one": "", "a.plugins.two": "import gone"}
    text = f"import importlib, pkgutil, a.plugins\n{loop}"
    assert project({**modules, "b": text}).outcome("b") == "gone"
    modules["a.plugins.two"] = "import here"
    assert project({**modules, "b": text}).outcome("b") == "ok"
