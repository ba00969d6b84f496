"""What encoded bodies show of the nodes in them."""

from __future__ import annotations

import pytest

from optdep_lint.facts import codec, syntax
from optdep_lint.summarize import summarize

WITH = [
    "def f():\n    import a",
    "def f():\n    from a import b",
    "def f():\n    if x:\n        for i in y:\n            from . import b",
    "def f():\n    return (23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40)\n    import a",
]
WITHOUT = ["def f():\n    return a.b(c)", "def f():\n    for i in x:\n        y = i"]


def body_of(text: str) -> bytes:
    (body,) = codec.decode(codec.encode(summarize(text.encode()))).bodies
    assert isinstance(body, bytes)
    return body


@pytest.mark.parametrize("text", WITH)
def test_a_body_with_imports_is_never_missed(text: str) -> None:
    assert any(mark in body_of(text) for mark in codec.marks_of(syntax.Import, syntax.ImportFrom))


@pytest.mark.parametrize("text", WITHOUT)
def test_bodies_without_imports_are_told_apart(text: str) -> None:
    assert not any(mark in body_of(text) for mark in codec.marks_of(syntax.Import, syntax.ImportFrom))
