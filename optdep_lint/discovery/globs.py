"""Patterns as in .gitignore: which paths does a list of them leave out?

The semantics are git's (tested against it); pathspec is not imported at run time, since importing it costs more than
matching thousands of paths does here, and it takes some patterns otherwise than git does (`a/**/`).
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class _Line:
    """One line of a .gitignore: `regex` matches the whole path below the folder of the file."""

    regex: re.Pattern[str]
    folders_only: bool
    leaves_out: bool


@dataclass(frozen=True, slots=True)
class Patterns:
    """The patterns of one file or setting."""

    lines: tuple[_Line, ...]
    screen: re.Pattern[str]
    """Matches every path that some line matches: most paths stop here."""

    def verdict(self, path: str, *, folder: bool) -> bool | None:
        """True where the last line that matches leaves `path` (POSIX, relative) out, False where it takes it back."""
        if self.screen.fullmatch(path) is None:
            return None
        for line in reversed(self.lines):
            if (folder or not line.folders_only) and line.regex.fullmatch(path):
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
    compiled = [line for line in map(_compile_line, lines) if line is not None]
    sources = "|".join(f"(?:{line.regex.pattern})" for line in compiled)
    return Patterns(tuple(compiled), re.compile(sources if compiled else r"(?!)"))


def _compile_line(line: str) -> _Line | None:
    text = line.rstrip("\r\n")
    while text.endswith(" ") and not text.endswith("\\ "):
        text = text[:-1]
    if not text or text.startswith("#"):
        return None
    leaves_out = not text.startswith("!")
    text = text if leaves_out else text[1:]
    folders_only = text.endswith("/")
    text = text.rstrip("/") if folders_only else text
    if not text:
        return None
    prefix = "" if "/" in text else r"(?:.*/)?"
    try:
        regex = re.compile(prefix + _translate(text.removeprefix("/")), re.DOTALL)
    except re.error:
        return None
    return _Line(regex, folders_only, leaves_out)


_TOKEN = re.compile(r"\A\*\*/|/\*\*/|/\*\*\Z|\*+|\?|\[[!^]?\]?(?:\[:\w+:\]|\\.|[^\]\\])*\]|\\.|.", re.DOTALL)
_REPEATED = re.compile(r"(\A|/)\*\*(?:/\*\*)+(?=/|\Z)")
_SPECIAL = {"/**/": "/(?:.*/)?", "/**": "/.+", "**/": "(?:.*/)?", "?": "[^/]"}


def _translate(glob: str) -> str:
    parts = []
    for match in _TOKEN.finditer(_REPEATED.sub(r"\1**", glob)):
        token = match[0]
        if token in _SPECIAL:
            parts.append(_SPECIAL[token])
        elif token.startswith("*"):
            parts.append("[^/]*")
        elif len(token) > 2 and token.startswith("["):
            parts.append(_translate_class(token[1:-1]))
        else:
            parts.append(re.escape(token[1:] if len(token) == 2 and token[0] == "\\" else token))
    return "".join(parts)


def _translate_class(body: str) -> str:
    negated = body.startswith(("!", "^"))
    body = body[1:] if negated else body
    body = body.replace("[:alnum:]", "a-zA-Z0-9").replace("[:alpha:]", "a-zA-Z").replace("[:digit:]", "0-9")
    body = body.replace("[", r"\[").replace("&&", r"&\&").replace("~~", r"~\~").replace("||", r"|\|")
    body = r"\]" + body[1:] if body.startswith("]") else body
    return f"(?!/)[{'^' if negated else ''}{body}]"
