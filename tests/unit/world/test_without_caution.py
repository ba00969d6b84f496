"""What random programs showed where nothing is taken on trust, each as small as it can be."""

import pytest

from optdep_lint.world.evaluation import Evaluation
from optdep_lint.world.worlds import World

WORLD = World("test", absent=frozenset({"gone", "lost"}))
OPEN = "import sys, here\nfrom importlib.util import find_spec\n"


@pytest.fixture
def verdict(project):
    def judge(text, **others):
        modules = {"m": f"{OPEN}{text}", **{name.replace("_", "."): other for name, other in others.items()}}
        bare = frozenset(name.rpartition(".")[0] for name in modules) - modules.keys()
        tree = project(modules, namespaces=bare).evaluation.tree
        outcome = Evaluation(tree, WORLD, cautious=False).outcome("m")
        cause = outcome.failure.cause if outcome.failure is not None else None
        return cause.missing if outcome.status == "raises" and cause is not None else outcome.status

    return judge


@pytest.mark.parametrize(
    "text",
    [
        "def f():\n global F\n if here.x(): F = 2\nF = None\nf()\n",
        "F = here.thing == 1\n",
        "F = here.thing == 1 or here.x()\n",
    ],
    ids=["perhaps bound by a call", "compared", "one or the other"],
)
@pytest.mark.parametrize("use", ["F.attr", "F()", "@F\ndef g(): pass"])
def test_one_of_several_things_may_not_have_what_is_asked_of_it(verdict, text, use):
    assert verdict(text + use) == "maybe"


def test_what_is_perhaps_not_bound_may_not_be_read(verdict):
    text = "E = ValueError if here.x() else KeyError\nclass T(Exception): pass\ntry:\n import gone\n"
    assert verdict(f"{text}except E:\n import lost\nexcept ImportError:\n F = 2\nF") == "ok"
    assert verdict("def f():\n global F\n if here.x(): F = 2\nf()\nF") == "maybe"


def test_a_class_that_is_a_decorator_makes_an_instance(verdict):
    assert verdict("class T(Exception): pass\n@T\ndef f(): pass\nf()") == "raises"


def test_what_something_unknown_was_wrapped_around_is_not_known(verdict):
    assert verdict("@here.f.g.made(1)\ndef f(): pass\nif f is None: import gone") == "maybe"


def test_a_raise_in_no_handler_raises_something(verdict):
    assert verdict("def f():\n raise\nf()\nimport gone") == "raises"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("sys.modules['lost'] = C()\nif here.x(): sys.modules['lost'] = sys\nfind_spec('lost')", "maybe"),
        ("here.f = 1\nF = 2\nfrom here import *\nif F == 2: import gone", "gone"),
        ("here.F = 1\nF = 2\nfrom here import *\nif F == 2: import gone", "maybe"),
    ],
    ids=["in the place of another", "another name", "that name"],
)
def test_what_has_been_changed_elsewhere(verdict, text, expected):
    assert verdict(f"class C: pass\n{text}") == expected


def test_a_module_that_put_another_in_its_place_is_that(verdict):
    side = "import sys, here\nX = 1\nsys.modules[__name__] = here"
    assert verdict("import side\nif sys.modules['side'].X == 1: import gone", side=side) == "maybe"


def test_what_is_put_there_after_something_that_may_fail_is_there_perhaps(verdict):
    side = "import sys, here\nif here.x(): raise ImportError\nsys.modules['lost'] = sys"
    assert (
        verdict("try: import side\nexcept ImportError: pass\nif find_spec('lost'): import gone", side=side) == "maybe"
    )


def test_a_package_that_failed_is_imported_by_what_is_below_one_that_is_there(verdict):
    modules = {"a": "import a.b.c", "a_b": "", "a_b_c": "from a.d import x", "a_d": "import gone"}
    text = "try:\n import a.b\nexcept ImportError: pass\ntry:\n import a.b.c as m\nexcept ImportError: pass\n"
    assert verdict(f"{text}import a", **modules) == "ok"


def test_a_namespace_has_no_other_names(verdict):
    assert verdict("import space.item\nspace.other", space_item="") == "raises"


@pytest.mark.parametrize(
    ("sure", "expected"), [("find_spec('gone')", "gone"), ("here.x() or find_spec('gone')", "maybe")]
)
def test_what_is_asserted_of_what_is_absent(outcome, sure, expected):
    assert outcome(f"{OPEN}F = {sure}\nassert F") == expected


def test_what_a_call_binds_after_an_absence_may_have_ended_it(outcome):
    text = "def f():\n global F\n if here.x(): import gone\n F = None\ntry:\n f()\nexcept ImportError: pass\n"
    assert outcome(f"{OPEN}{text}if F is None: import lost") == "maybe"


def test_what_is_put_there_in_a_try_after_something_that_may_fail_is_there_perhaps(verdict):
    text = (
        "def f():\n sys.modules['lost'] = sys\ntry:\n if here.x(): raise ImportError\n f()\nexcept ImportError: pass\n"
    )
    assert verdict(f"{text}if find_spec('lost'): import gone") == "maybe"


def test_a_local_name_is_looked_for_nowhere_else(verdict):
    text = "globals().update(here.more)\ndef f():\n try: import gone\n except ImportError:\n  del F\nf()"
    assert verdict(text) == "gone"


@pytest.mark.parametrize(
    "text",
    [
        "v = 1\nv.x = 2", "1 < 'x'", "1 + 'x'", "{(1, [2]): 3}", "'-'.join(1)", "hasattr(sys)", "bool(1, 2)", "range(1, 5, 0)",
        "L = []\nL.pop()", "L = [1]\nL.remove(5)", "D = {}\nD.pop('b')", "isinstance(None, (int, None))",
        "def f(x): return super()\nf(1)", "import sys\nsys.modules['lost'] = None\nimport lost",
    ],
)  # fmt: skip
def test_what_python_refuses(verdict, text):
    assert verdict(text) == "raises"
    assert verdict(f"try:\n {text.replace(chr(10), chr(10) + ' ')}\nexcept Exception: pass") == "ok"


@pytest.mark.parametrize(
    "text", ["del here.x", "del here.x[0]", "find_spec('sys')()", "import importlib\nimportlib.import_module('.x')"]
)
def test_what_python_may_refuse(verdict, text):
    assert verdict(text) == "maybe"


def test_what_leaving_raises_comes_in_the_place_of_what_was_raised(verdict):
    manager = "class W:\n def __enter__(self): pass\n def __exit__(self, *given): raise LookupError\n"
    assert verdict(f"{manager}try:\n with W(): import gone\nexcept ImportError: pass") == "gone"
    assert verdict(f"{manager}try:\n with W(): import gone\nexcept LookupError: pass") == "ok"


def test_a_package_that_is_imported_anew_does_not_have_what_was_there_before(verdict):
    modules = {"a": "import a.b.c", "a_b": "", "a_b_c": "from a.d import x"}
    text = "try:\n import a.b\nexcept ImportError: pass\ntry:\n import a.b.c as m\nexcept ImportError: pass\n"
    assert verdict(f"{text}import a\nhasattr(a, 'b') or missing_name", **modules) == "raises"


def test_an_object_in_the_place_of_a_module_is_asked_for_what_modules_have(verdict):
    stand_in = "class K:\n def __getattr__(self, name): raise LookupError(name)\nsys.modules['lost'] = K()\n"
    assert verdict(f"{stand_in}try: import lost.part\nexcept LookupError: import gone") == "gone"
