"""Reads with libcst what is newer than the running Python, and gives the tree that a newer Python would.

libcst is loaded by the first file that needs it, not by this import: most runs never do.
"""

from __future__ import annotations

import ast
import re
import warnings

__all__ = ["NotNewer", "parse_newer"]

_DEEPEST = 1000
"""libcst's parser overflows the stack, and the process dies, at some 2,000 nested brackets; Python allows 200."""

_BRACKETS = re.compile(rb"[(\[{]|([)\]}])")
_PLACE = re.compile(r"error at (\d+):(\d+)")
_LAST_TOKEN = re.compile(r"""(?:\w+|'[^'\n]*'|"[^"\n]*"|\S|^)\s*\Z""")


class NotNewer(Exception):
    """No newer Python would read it either; `line` and `column` (code points) count from 1."""

    def __init__(
        self, line: int = 1, column: int = 1, message: str = "invalid syntax", *, parsed: bool = False
    ) -> None:
        super().__init__(message)
        self.line, self.column, self.message = line, column, message
        self.parsed = parsed
        """The grammar admits it, so that all else in the file is sound: a rule beyond the grammar forbids it."""


def parse_newer(source: bytes) -> ast.Module:
    """Parse with libcst.

    Raises:
        NotNewer: where libcst finds a syntax error as well, or a newer Python would find one.
        RecursionError: where it is nested too deeply.
    """
    _refuse_depth(source)
    import libcst as cst

    from optdep_lint.summarize.newer.lowering import lower

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return lower(cst.parse_module(source), source)
        except cst.ParserSyntaxError as error:
            raise _not_newer(source, error.message, error.raw_line) from None
        except (SyntaxError, UnicodeError, cst.CSTLogicError) as error:  # the last for t-strings side by side
            raise NotNewer(message=str(error)) from None


def _refuse_depth(source: bytes) -> None:
    """Raise RecursionError where libcst would end the process; brackets in strings are counted too."""
    depth = 0
    for bracket in _BRACKETS.finditer(source):
        depth += -1 if bracket.group(1) else 1
        if depth > _DEEPEST:
            raise RecursionError


def _not_newer(source: bytes, message: str, line: int) -> NotNewer:
    """The true place of libcst's error: its parser names the start of the token after the one that it cannot take."""
    kind, _, rest = message.partition(": ")
    place = _PLACE.match(rest)
    if place is None:
        return NotNewer(line, 1, rest if kind == "tokenizer error" else message)
    line, column = map(int, place.groups())
    lines = re.split(r"\r\n?|\n", source.decode("utf-8", "replace"))[:line]
    before = "\n".join([*lines[: line - 1], *(text[:column] for text in lines[line - 1 :])])
    token = _LAST_TOKEN.search(before[-400:])
    start = len(before[:-400]) + (token.start() if token else 0)
    return NotNewer(before.count("\n", 0, start) + 1, start - before.rfind("\n", 0, start), "invalid syntax")
