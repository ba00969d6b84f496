"""Worlds are evaluated only where they differ."""

import pytest

from optdep_lint.world.calls import Calls
from optdep_lint.world.evaluation import Evaluation
from optdep_lint.world.variation import Readers, vary
from optdep_lint.world.worlds import World

WITHOUT = World("without", absent=frozenset({"gone"}), distributions={"gone": "gone"})


@pytest.fixture
def varied(project, monkeypatch):
    """The variation without `gone`, and which modules were run in it."""

    def look(**modules):
        tree = project({name.replace("__", "."): text for name, text in modules.items()}).evaluation.tree
        base = Evaluation(tree, World("everything"))
        for name in tree.sources:
            base.outcome(name)
        run, plain = [], Evaluation.run_module
        monkeypatch.setattr(
            Evaluation, "run_module", lambda self, module: (run.append(module.name), plain(self, module))
        )
        return vary(base, Readers(base), WITHOUT), run

    return look


def test_a_failure_is_carried_through_plain_imports(varied):
    evaluation, run = varied(a="import gone", b="import a", c="from b import a", d="x = 1")
    assert run == ["a"]
    failure = evaluation.modules["c"].failure
    assert [step.message for step in failure.chain] == ["imports b", "imports a"]
    assert evaluation.outcome("c").status == "raises"
    assert "d" in evaluation.shared


def test_the_first_failing_import_is_the_one_to_tell_of(varied):
    evaluation, _ = varied(z="import gone", a="import gone.part", both="import z\nimport a")
    assert evaluation.modules["both"].failure.path == "z.py"


def test_what_may_fail_is_carried_without_running_anything_again(varied):
    evaluation, run = varied(a="import random\nif random.random() > 0.5:\n    import gone", b="import a", c="import b")
    assert run == ["a"]
    assert evaluation.modules["c"].status == "ok"
    assert [failure.cause.missing for failure in evaluation.modules["c"].maybe] == ["gone"]


def test_a_guarded_import_is_run(varied):
    evaluation, run = varied(a="import gone", b="try:\n    import a\nexcept ImportError:\n    a = None")
    assert sorted(run) == ["a", "b"]
    assert evaluation.modules["b"].status == "ok"


def test_packages_come_before_what_is_below_them(varied):
    evaluation, _ = varied(
        p="from p.base import Base", p__base="import q\nclass Base: pass", p__user="from p import Base",
        q="from p.flags import HAS", p__flags="try:\n    import gone\n    HAS = True\nexcept ImportError:\n    HAS = False",
    )  # fmt: skip
    assert {module.status for module in evaluation.modules.values()} == {"ok"}


def test_a_module_that_only_types_differ_for_is_shared(varied):
    _, run = varied(
        a="from typing import TYPE_CHECKING\nimport gone as x\nif TYPE_CHECKING:\n    import y",
        b="from a import TYPE_CHECKING\n",
    )
    assert run == ["a"]


def test_what_a_module_registers_is_there_though_its_import_may_fail(varied):
    evaluation, run = varied(
        a="import random\nif random.random() > 0.5:\n    import gone",
        b="import torch\nimport a\nlib = torch.library.Library('acme', 'DEF')\nlib.define('op(Tensor x) -> Tensor')",
    )
    assert run == ["a"]
    assert "acme::op" in evaluation.operations.index


def test_in_a_circle_the_failure_is_told_where_it_comes_from(varied):
    evaluation, _ = varied(
        u="import e\nfrom m import Agency\nfrom u_dates import convert", u_dates="import gone\nconvert = 1",
        e="", m="from m_map import Agency", m_map="class Agency: pass\nimport u",
    )  # fmt: skip
    assert [step.message for step in evaluation.modules["u"].failure.chain] == ["imports u_dates"]


def test_calls_that_cannot_differ_are_not_followed_again(varied, monkeypatch):
    followed, plain = [], Calls.run_function
    monkeypatch.setattr(
        Calls, "run_function", lambda self, function, *rest, **more: (followed.append(function.name), plain(self, function, *rest, **more))[1]
    )  # fmt: skip
    evaluation, run = varied(
        helpers="from importlib.util import find_spec\ndef name_of(text):\n    return text + '!'\ndef has():\n    return find_spec('gone') is not None",
        a="try:\n    import gone\nexcept ImportError:\n    gone = None\nimport helpers\nNAME = helpers.name_of('a')\nHAS = helpers.has()",
    )
    assert run == ["a"]
    assert followed == ["name_of", "has", "has"]
    assert [evaluation.modules["a"].namespace[name].value for name in ("NAME", "HAS")] == ["a!", False]
