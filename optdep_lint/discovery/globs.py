"""Patterns as in .gitignore: which paths does a list of them leave out?

pathspec reads the lines. Its expressions also match what lies below a match; here each path is asked about by itself,
folder by folder as git does it, so that nothing below an excluded folder is taken back. The tests hold the answers
against git's own.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of a .gitignore: `regex` matches the whole path below the folder of the file, a folder's with a slash."""

    regex: re.Pattern[str]
    leaves_out: bool


@dataclass(frozen=True, slots=True)
class Patterns:
    """The patterns of one file or setting."""

    lines: tuple[_Line, ...]
    screen: re.Pattern[str]
    """Matches every path that some line matches: most paths stop here."""

    def verdict(self, path: str, *, folder: bool) -> bool | None:
        """True where the last line that matches leaves `path` (POSIX, relative) out, False where it takes it back."""
        text = f"{path}/" if folder else path
        if self.screen.fullmatch(text) is None:
            return None
        for line in reversed(self.lines):
            if line.regex.fullmatch(text):
                return line.leaves_out
        return None

    def matches(self, path: str) -> bool:
        """Whether a file is left out, by its own path or by that of a folder above it."""
        verdict = self.verdict(path, folder=False)
        parts = path.split("/")
        folders = ("/".join(parts[:end]) for end in range(len(parts) - 1, 0, -1))
        return bool(verdict) or any(self.verdict(each, folder=True) for each in folders)


def compile_patterns(lines: Iterable[str]) -> Patterns:
    """Patterns from the lines of a .gitignore."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # `[[]` is meant as it stands.
        compiled = [line for text in lines if text.strip() and (line := _compile_line(text)) is not None]
        sources = "|".join(f"(?:{line.regex.pattern})" for line in compiled)
        return Patterns(tuple(compiled), re.compile(sources if compiled else r"(?!)", re.DOTALL))


_REPEATED = re.compile(r"(?:(?<=/)|^)\*\*/(?:\*\*/)+")
_ONLY_BELOW = re.compile(r"/\*\*/\s*$")
_NAMED = re.compile(r"\(\?P<\w+>")


def _compile_line(text: str) -> _Line | None:
    """None for a comment, and for a pattern that can match nothing."""
    from pathspec import GitIgnoreSpec

    # What lies below a folder does not include the folder: pathspec takes `a/**/` for `a/`.
    line = _ONLY_BELOW.sub("/**/*/", _REPEATED.sub("**/", text.rstrip("\r\n")))
    try:
        (pattern,) = GitIgnoreSpec.from_lines([line]).patterns
        if pattern.include is None or pattern.regex is None:
            return None
        return _Line(re.compile(_whole(pattern.regex.pattern), re.DOTALL), pattern.include)
    except (ValueError, re.error):
        return None


def _whole(expression: str) -> str:
    """From an expression of pathspec's, which finds the start of a path, to one for the whole of it."""
    if expression == ".":
        return ".+"
    unnamed, names = _NAMED.subn("(?:", expression)
    start = "" if expression.startswith("^") else ".*"
    # With a name it ends with the slash of a folder or at the end of the path; without, it is for all below a folder.
    return f"{start}{unnamed}" if names else f"{start}{unnamed}.+"
