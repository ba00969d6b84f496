"""TOML files: their values, and the line on which a key or a string stands."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from optdep_lint.metadata.declarations import Declared, read_text, shown_path
from optdep_lint.metadata.dependency_syntax import DependencySyntaxError, parse_dependency
from optdep_lint.metadata.model import MetadataError

if TYPE_CHECKING:
    from pathlib import Path

KeyPath: TypeAlias = tuple[str, ...]

_KEY_PART = r"""(?:"(?:\\.|[^"\\\n])*"|'[^'\n]*'|[A-Za-z0-9_-]+)"""
_KEY = rf"{_KEY_PART}(?:[ \t]*\.[ \t]*{_KEY_PART})*"
_TOKEN = re.compile(
    rf"""(?P<header>^[ \t]*\[\[?[ \t]*{_KEY}[ \t]*\]\]?)
      | (?P<key>{_KEY})[ \t]*=(?!=)
      | (?P<string>\"\"\"(?:\\.|[^\\])*?\"\"\"|'''.*?'''|"(?:\\.|[^"\\\n])*"|'[^'\n]*')
      | (?P<comment>\#[^\n]*)
      | (?P<open>[\[{{])
      | (?P<close>[\]}}])""",
    re.VERBOSE | re.DOTALL | re.MULTILINE,
)
_PART = re.compile(_KEY_PART)
_PLACE = re.compile(r"at line (\d+)")


def parse_toml(text: str, shown: str) -> dict[str, Any]:
    """Parse TOML text; a broken one is a `MetadataError` with its line."""
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        values: dict[str, Any] = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        place = _PLACE.search(str(error))
        line = int(place.group(1)) if place else None
        raise MetadataError(shown, f"invalid TOML: {error}", line=line) from error
    except RecursionError as error:
        raise MetadataError(shown, "invalid TOML: nested too deeply") from error
    return values


@dataclass(frozen=True, slots=True)
class TomlFile:
    """One parsed TOML file, asked for values of a type and for lines."""

    shown: str
    """The path as findings show it."""
    values: dict[str, Any]
    keys: dict[KeyPath, int]
    """Full key to its line."""
    strings: dict[tuple[KeyPath, str], int]
    """(full key, string inside its value) to its line."""

    def line_of(self, key: KeyPath, string: str | None = None) -> int:
        """Return the line of a string inside the value of ``key``, else of the key, else 1."""
        for length in range(len(key), 0, -1):
            line = None if string is None else self.strings.get((key[:length], string))
            if line is None and string is None:
                line = self.keys.get(key[:length])
            if line is not None:
                return line
        return 1 if string is None else self.line_of(key)

    def table(self, *key: str) -> dict[str, Any]:
        """Return the table at ``key``, empty when there is none; another type is an error."""
        found: Any = self.values
        for length, part in enumerate(key, start=1):
            found = found.get(part, {})
            if not isinstance(found, dict):
                raise self.wrong(key[:length], "a table")
        return dict(found)

    def text(self, *key: str) -> str | None:
        """Return the string at ``key``, None when there is none; another type is an error."""
        found = self.table(*key[:-1]).get(key[-1])
        if found is None or isinstance(found, str):
            return found
        raise self.wrong(key, "a string")

    def texts(self, *key: str) -> list[str]:
        """Return the array of strings at ``key``, empty when there is none; else an error."""
        found = self.table(*key[:-1]).get(key[-1], [])
        if isinstance(found, list) and all(isinstance(one, str) for one in found):
            return list(found)
        raise self.wrong(key, "an array of strings")

    def wrong(self, key: KeyPath, expected: str) -> MetadataError:
        """Return the error that says what ``key`` should have been."""
        return self.error(key, f"expected {expected}")

    def error(self, key: KeyPath, message: str, string: str | None = None) -> MetadataError:
        """Return an error at ``key``, or at a string inside its value."""
        return MetadataError(self.shown, message, line=self.line_of(key, string), key=".".join(key))


def read_toml(path: Path, root: Path) -> TomlFile:
    """Read and parse a TOML file, raising `MetadataError` when it cannot be."""
    text, shown = read_text(path, root), shown_path(path, root)
    values = parse_toml(text.replace("\r\n", "\n"), shown)
    keys, strings = _places(text)
    return TomlFile(shown, values, keys, strings)


def declared_at(
    file: TomlFile,
    key: tuple[str, ...],
    text: str,
    *,
    extra: str | None = None,
    group: str | None = None,
) -> Declared:
    """Parse a dependency that stands in the value of ``key``, raising `MetadataError`."""
    try:
        dependency = parse_dependency(text)
    except DependencySyntaxError as error:
        raise file.error(key, str(error), text) from None
    return Declared(dependency, file.shown, file.line_of(key, text), extra, group)


def _places(text: str) -> tuple[dict[KeyPath, int], dict[tuple[KeyPath, str], int]]:
    """Scan valid TOML for the lines of its keys and strings; the first of equals counts."""
    keys: dict[KeyPath, int] = {}
    strings: dict[tuple[KeyPath, str], int] = {}
    table: KeyPath = ()
    key: KeyPath = ()
    depth, line, position = 0, 1, 0
    for token in _TOKEN.finditer(text):
        line += text.count("\n", position, token.start())
        position = token.start()
        kind, written = token.lastgroup, token.group(token.lastgroup or 0)
        if kind == "header" and depth == 0:
            table = key = _key_parts(written)
            keys.setdefault(table, line)
        elif kind == "key" and depth == 0:
            key = table + _key_parts(written)
            keys.setdefault(key, line)
        elif kind == "string":
            strings.setdefault((key, _unquoted(written)), line)
        elif kind in {"open", "header"}:
            depth += written.count("[") + written.count("{") - written.count("]")
        elif kind == "close":
            depth -= 1
    return keys, strings


def _key_parts(written: str) -> KeyPath:
    return tuple(_unquoted(part) for part in _PART.findall(written))


def _unquoted(written: str) -> str:
    if written.startswith(("'''", '"""')):
        return written[3:-3]
    if written.startswith('"'):
        return re.sub(r"\\(.)", r"\1", written[1:-1])
    return written[1:-1] if written.startswith("'") else written
