"""Which names are whose."""

from __future__ import annotations

import textwrap

import pytest

from optdep_lint.facts import syntax
from optdep_lint.summarize import summarize
from optdep_lint.world.bound import free_names


@pytest.mark.parametrize(
    ("text", "free"),
    [
        ("def f(a, b=B):\n    return a, c", {"c"}),
        ("def f():\n    from lib import name\n    return name", set()),
        ("def f():\n    global name\n    name = other\n    return name", {"name", "other"}),
        ("def f():\n    x = 1\n    def g(y=z):\n        return x, y, w\n    return g", {"z", "w"}),
        ("def f():\n    return lambda a: (a, b)", {"b"}),
        ("def f():\n    local: Type = value", {"value"}),
        ("def f():\n    def g(a: Type): ...", {"Type"}),
        (
            "from __future__ import annotations\ndef f():\n    @mark\n    def g(a: Type = value) -> Type: ...",
            {"mark", "value"},
        ),
        ("def f():\n    class C(Base):\n        name = name", {"Base", "name"}),
        ("def f():\n    for i in range(3):\n        del i\n    with a as b:\n        b", {"range", "a"}),
    ],
)
def test_free_names(text: str, free: set[str]) -> None:
    summary = summarize(textwrap.dedent(text).encode())
    function = summary.body[-1]
    assert isinstance(function, syntax.Function)
    assert free_names(summary, function) == free
