"""Each small piece of the gallery, alone in a program, does what the evaluator says."""

from string import Template

import pytest

from tests.laws import gallery
from tests.laws.differential import Runner, judge

HEAD = """import sys
from importlib import import_module
from importlib.util import find_spec
from contextlib import contextmanager, suppress
"""
OTHERS = dict.fromkeys(("pkg", "pkg.one", "pkg.two", "pkg.sub", "pkg.sub.deep"), "") | {
    "side": "import here\nif here.is_good():\n    maybe_bound = 1\n", "space.item": "F0 = 1\n",
}  # fmt: skip


@pytest.fixture(scope="module")
def runner():
    with Runner() as one:
        yield one


@pytest.mark.parametrize("root", ["gone", "here"])
def test_a_piece_by_itself(runner, root):
    complaints = {}
    for piece in gallery.PIECES:
        lines, others = gallery.apart(Template(piece).substitute(n=1, flag="F0", root=root, gone="gone"))
        program = {**OTHERS, "top": "\n".join([HEAD, *lines, ""])}
        for name, more in others.items():
            program[name] += "\n".join(["import sys", *more, ""])
        complaint = judge(program, runner).complaint
        if complaint is not None:
            complaints[piece] = complaint
    assert not complaints
