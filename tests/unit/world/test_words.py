"""Which functions spell a word."""

import textwrap

from optdep_lint.facts import codec
from optdep_lint.summarize import summarize
from optdep_lint.world.words import Words

TEXT = """
    key = lambda: first

    try:
        import gone
        def one():
            return first
    except ImportError:
        def one(way=lambda: 1):
            def inner():
                return second
            return inner

    class Class:
        def method(self):
            return [lambda: self.third]

        @decorated(lambda: 2)
        def other(self):
            return "fourth"
"""


def test_each_function_with_what_is_in_it():
    """Also where a handler's functions are written down before those of the body."""
    for summary in (
        summarize(textwrap.dedent(TEXT).encode()),
        codec.decode(codec.encode(summarize(textwrap.dedent(TEXT).encode()))),
    ):
        words = Words()
        lines = {}
        for word in ("first", "second", "third", "fourth", "fifth", "first"):
            lines[word] = [(one.name, one.node.at >> 48) for one in words.spelling(summary, (word,))]
        assert lines == {
            "first": [("one", 6)],
            "second": [("one", 9)],
            "third": [("Class.method", 15)],
            "fourth": [("Class.other", 19)],
            "fifth": [],
        }
        assert [one.name for one in words.spelling(summary, ("fourth", "first"))] == ["one", "Class.other"]
