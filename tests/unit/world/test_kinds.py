"""What random programs and real packages showed, each as small as it can be."""

import pytest

from optdep_lint.world.evaluation import Evaluation
from optdep_lint.world.worlds import World

WORLD = World("test", absent=frozenset({"gone"}))


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


def test_a_module_that_is_there_is_found_though_its_package_failed(project):
    modules = {
        "a": "__import__('a.b')\nraise ImportError", "a.b": "",
        "c": "from importlib.util import find_spec\ntry:\n import a.b\nexcept ImportError:\n pass\nF = find_spec('a.b') is not None",
    }  # fmt: skip
    assert project(modules).outcome("c") == "ok"


def test_finally_is_run_on_every_way_out(outcome):
    text = "import here\ntry:\n if here.is_good():\n  import gone\nfinally:\n {}"
    assert outcome(text.format("import lost")) == "lost"
    text = "def f():\n try:\n  import gone\n finally:\n  return 1\nf()"
    assert outcome(text) == "ok"


def test_what_is_bound_on_the_way_out_is_bound(outcome):
    text = "import here\ntry:\n try:\n  import gone\n  F = 1\n finally:\n  F = 2\nexcept ImportError:\n pass\nif F == 2:\n import lost"
    assert outcome(text) == "lost"


def test_a_name_of_a_branch_that_was_passed_over_is_not_missing_for_what_failed_after_it(outcome):
    text = "F = 0\ntry:\n if F:\n  x = 1\n else:\n  import gone\nexcept ImportError:\n pass\nx"
    assert outcome(text) == "ok"
    assert outcome(text.replace("import gone", "import gone\n  x = 1")) == "gone"


def test_a_loop_that_goes_on_where_an_import_fails(outcome):
    text = "for n in ('gone', 'lost'):\n try:\n  m = __import__(n)\n except ImportError:\n  continue\nm"
    assert outcome(text) in ("gone", "lost")


def test_a_name_bound_within_an_expression_that_may_not_be_evaluated(outcome):
    text = "import here\nif here.is_good() and (x := 1):\n pass\ntry:\n x\nexcept NameError:\n import gone"
    assert outcome(text) == "maybe"


def test_a_value_that_is_one_of_two_for_an_unknown_reason(outcome):
    text = "import here\nF = None if any(x for x in here.parts) else False\ntry:\n F.attr\nexcept AttributeError:\n import gone"
    assert outcome(text) == "gone"


@pytest.mark.parametrize("base", ["len", "find_spec('here')"])
def test_what_is_no_class_is_no_base(outcome, base):
    text = f"from importlib.util import find_spec\nb = {base}\ntry:\n class C(b): pass\nexcept TypeError:\n import gone"
    assert outcome(text) == "gone"


def test_a_package_that_fails_is_not_asked_for_where_its_module_is_perhaps_there(project):
    modules = {
        "a": "try:\n import gone\nexcept ImportError:\n def f():\n  from a.sub import deep\n f()",
        "a.one": "F = 1\nfrom a.two import T", "a.two": "class T: pass",
        "a.sub": "try:\n from a.sub.deep import F\nexcept ImportError:\n import here\n def f():\n  if here.is_good():\n   import a.one\n f()",
        "a.sub.deep": "import gone", "b": "try:\n import a\nexcept Exception:\n pass\nfrom a.one import F",
    }  # fmt: skip
    assert project(modules).outcome("b") == "maybe"


def test_a_memoised_function_is_run_once(outcome):
    text = (
        "import functools\nF = False\n@functools.cache\ndef f():\n if F:\n  import gone\n return True\nF = f()\nG = f()"
    )
    assert outcome(text) == "ok"


def test_a_failure_of_the_question_whether_an_instance_is_true(outcome):
    text = "from importlib.util import find_spec\nclass C:\n def __bool__(self): return find_spec('gone.x') is not None\nif C(): pass"
    assert outcome(text) == "gone"


def test_a_relative_import_of_what_lies_above_the_top(project):
    modules = {"a": "from .. import nothing", "b": "try:\n import a\nexcept ImportError:\n import gone"}
    assert project(modules).outcome("b") == "gone"


@pytest.mark.parametrize(
    ("change", "holds"),
    [
        ("append(3)", "L == [1, 2, 3]"), ("insert(0, 5)", "L[0] == 5"), ("pop()", "L == [1]"), ("clear()", "not L"),
        ("remove(1)", "L == [2]"), ("extend((7, 8))", "L[-1] == 8"),
    ],
)  # fmt: skip
def test_a_list_that_is_changed_in_a_function(outcome, change, holds):
    assert outcome(f"L = [1, 2]\ndef f():\n L.{change}\nf()\nif {holds}:\n import gone") == "gone"


@pytest.mark.parametrize(
    ("change", "holds"),
    [
        ("update(b=2)", "D['b'] == 2"), ("pop('a')", "not D"), ("setdefault('c', 3)", "D['c'] == 3"), ("clear()", "'a' not in D"),
        ("update({'d': 4})", "len(D) == 2"), ("clear()", "D.values() != []"),
    ],
)  # fmt: skip
def test_a_table_that_is_changed(outcome, change, holds):
    assert outcome(f"D = {{'a': 1}}\nD.{change}\nif {holds}:\n import gone") == "gone"


def test_a_name_that_is_one_of_two_is_imported(outcome):
    assert outcome("import here\nimport importlib\nimportlib.import_module('gone' if here.X else 'lost')") in (
        "gone",
        "lost",
    )


def test_a_comprehension_that_leaves_out_what_is_not_there(outcome):
    text = "from importlib.util import find_spec\nL = [n for n in ('gone', 'here') if find_spec(n)]\nif len(L) == 1:\n import gone"
    assert outcome(text) == "gone"


def test_leaving_a_with_by_its_end_can_fail(outcome):
    text = "class C:\n def __enter__(self): pass\n def __exit__(self, *given): import gone\nwith C():\n pass"
    assert outcome(text) == "gone"


def test_looking_for_what_a_package_lacks_imports_the_package(project):
    modules = {"a": "import gone", "a.b": "", "c": "from importlib.util import find_spec\nfind_spec('a.nothing')"}
    assert project(modules).outcome("c") == "gone"


def test_what_a_match_comes_to_goes_back_to_what_its_subject_does(outcome):
    text = "from importlib.util import find_spec\nF = find_spec('gone') is not None\nmatch F:\n case True:\n  pass\n case _:\n  assert 0"
    assert outcome(text) == "gone"


def test_a_table_that_pairs_are_put_into(outcome):
    assert outcome("D = {}\nD.update([('a', 1)])\nif D['a'] == 1:\n import gone") == "gone"


@pytest.mark.parametrize(
    "body",
    [
        " try:\n  return import_module(name)\n except ImportError:\n  pass\n return None",
        " with suppress(ImportError):\n  return import_module(name)",
        " for one in (name, 'lost'):\n  try:\n   return import_module(one)\n  except ImportError:\n   continue",
        " if find_spec(name):\n  return import_module(name)\n return None",
    ],
    ids=["passed", "suppressed", "one after the other", "asked"],
)
def test_what_a_function_gives_where_it_would_have_given_a_module(outcome, body):
    imports = (
        "from contextlib import suppress\nfrom importlib import import_module\nfrom importlib.util import find_spec\n"
    )
    assert outcome(f"{imports}def f(name):\n{body}\nm = f('gone')\nm.attr") == "gone"


def test_a_module_that_failed_within_a_circle_can_be_imported_by_itself(project):
    modules = {
        "a": "from a import b", "a.b": "try:\n from a import c\nexcept ImportError:\n pass\nX = 1\nfrom a import c",
        "a.c": "from a.b import X",
    }  # fmt: skip
    made = project(modules)
    assert made.outcome("a") == "ok"
    assert made.outcome("a.c") == "ok"


def test_a_call_that_fails_perhaps_leaves_open_what_the_package_has(project):
    modules = {
        "a": "def f():\n import a.b\ntry:\n f()\nexcept ImportError:\n pass", "a.b": "import here\nif here.x(): import gone",
        "c": "import a\na.b",
    }  # fmt: skip
    assert project(modules).outcome("c") == "maybe"


@pytest.mark.parametrize(("name", "verdict"), [("path", "maybe"), ("nothing", "gone")])
def test_what_is_perhaps_put_in_the_place_of_what_is_absent_is_itself(outcome, name, verdict):
    text = "import sys, here\nif here.x():\n sys.modules['lost'] = sys\n"
    assert outcome(f"{text}try:\n from lost import {name}\nexcept ImportError:\n import gone") == verdict


def test_what_a_module_puts_there_that_is_perhaps_not_imported_is_there_perhaps(project):
    modules = {
        "a": "import here\nif here.x(): import lost", "a.b": "import sys\nsys.modules['gone'] = sys",
        "c": "try:\n import a.b\nexcept ImportError:\n pass\nimport gone",
    }  # fmt: skip
    assert project(modules).outcome("c") == "maybe"


@pytest.mark.parametrize("branch", ["if not F:", "match F:\n case False:"], ids=["if", "match"])
def test_what_a_call_raises_goes_back_to_why_it_is_made(project, branch):
    text = "from importlib.util import find_spec\nF = find_spec('gone') is not None\ndef f():\n raise TypeError\n"
    evaluation = Evaluation(project({"m": f"{text}{branch}\n  f()"}).evaluation.tree, WORLD, cautious=False)
    assert evaluation.outcome("m").failure.cause.missing == "gone"


def test_a_class_has_what_its_metaclass_has(outcome):
    classes = "class M(type):\n kind = 1\n def made(cls): return cls.kind\nclass C(metaclass=M): pass\n"
    assert outcome(f"{classes}if C.kind == 1:\n import gone") == "gone"
    assert outcome(f"{classes}if C.kind == 2:\n import gone") == "ok"
    assert outcome(f"{classes}if C.made() == 2:\n import gone") == "ok"


def test_a_key_that_a_table_lacks_because_of_an_absence(outcome):
    table = "from importlib.util import find_spec\nT = {}\nif not find_spec('gone'):\n T['b'] = 1\n"
    assert outcome(f"{table}T['a']") == "gone"
    assert outcome(f"{table}T['b']") == "ok"
