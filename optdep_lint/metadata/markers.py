"""Environment markers as a small tree: parse, write, and split off the extra clause.

``packaging`` keeps its marker tree private and costs 65 ms to import, so the grammar of PEP 508
is spelled out here; a test holds both to the same answers.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from optdep_lint.metadata.names import normalized

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

VARIABLES = frozenset(
    {
        "python_version",
        "python_full_version",
        "os_name",
        "sys_platform",
        "platform_release",
        "platform_system",
        "platform_version",
        "platform_machine",
        "platform_python_implementation",
        "implementation_name",
        "implementation_version",
        "extra",
        "extras",
        "dependency_groups",
    }
)
_LEGACY_VARIABLES = {
    "os.name": "os_name",
    "sys.platform": "sys_platform",
    "platform.version": "platform_version",
    "platform.machine": "platform_machine",
    "platform.python_implementation": "platform_python_implementation",
    "python_implementation": "platform_python_implementation",
}
_TOKEN = re.compile(
    r"""\s*(?:
        (?P<bracket>[()])
      | (?P<string>'[^']*'|"[^"]*")
      | (?P<operator>===|==|~=|!=|<=|>=|<|>|not\s+in\b|in\b)
      | (?P<word>[A-Za-z_][\w.]*)
    )""",
    re.VERBOSE,
)
_MIRRORED = {"<": ">", ">": "<", "<=": ">=", ">=": "<="}


class MarkerSyntaxError(ValueError):
    """A marker that PEP 508 does not allow."""


@dataclass(frozen=True, slots=True)
class Comparison:
    """``variable operator "literal"``, or the reverse when ``literal_first``."""

    variable: str
    operator: str
    literal: str
    literal_first: bool = False


@dataclass(frozen=True, slots=True)
class AllOf:
    """True when every part is; with no parts, always."""

    parts: tuple[Marker, ...]


@dataclass(frozen=True, slots=True)
class AnyOf:
    """True when one of the parts is; with no parts, never."""

    parts: tuple[Marker, ...]


Marker: TypeAlias = Comparison | AllOf | AnyOf

ALWAYS = AllOf(())
NEVER = AnyOf(())


def parse_marker(text: str) -> Marker:
    """Parse a PEP 508 marker, raising `MarkerSyntaxError` with the reason."""
    tokens = list(_tokens(text))
    marker, position = _parse_any(tokens, 0)
    if position != len(tokens):
        raise MarkerSyntaxError(f"unexpected {tokens[position][1]!r} in marker {text!r}")
    return marker


def _tokens(text: str) -> Iterator[tuple[str, str]]:
    position, end = 0, len(text.rstrip())
    while position < end:
        found = _TOKEN.match(text, position)
        if found is None or found.lastgroup is None:
            raise MarkerSyntaxError(f"cannot read {text[position:].strip()!r} in marker")
        kind = found.lastgroup
        word = " ".join(found.group(kind).split()) if kind == "operator" else found.group(kind)
        yield ("joint", word) if word in {"and", "or"} else (kind, word)
        position = found.end()


_Tokens: TypeAlias = list[tuple[str, str]]


def _parse_any(tokens: _Tokens, position: int) -> tuple[Marker, int]:
    return _parse_joined(tokens, position, "or", _parse_all, any_of)


def _parse_all(tokens: _Tokens, position: int) -> tuple[Marker, int]:
    return _parse_joined(tokens, position, "and", _parse_atom, all_of)


def _parse_joined(
    tokens: _Tokens,
    position: int,
    joint: str,
    parse_part: Callable[[_Tokens, int], tuple[Marker, int]],
    join: Callable[[list[Marker]], Marker],
) -> tuple[Marker, int]:
    part, position = parse_part(tokens, position)
    parts = [part]
    while tokens[position : position + 1] == [("joint", joint)]:
        part, position = parse_part(tokens, position + 1)
        parts.append(part)
    return join(parts), position


def _parse_atom(tokens: _Tokens, position: int) -> tuple[Marker, int]:
    if tokens[position : position + 1] == [("bracket", "(")]:
        marker, position = _parse_any(tokens, position + 1)
        if tokens[position : position + 1] != [("bracket", ")")]:
            raise MarkerSyntaxError("a bracket is not closed in marker")
        return marker, position + 1
    three = tokens[position : position + 3]
    match [kind for kind, _ in three]:
        case ["word", "operator", "string"]:
            return _comparison(three[0][1], three[1][1], three[2][1], literal_first=False), position + 3
        case ["string", "operator", "word"]:
            return _comparison(three[2][1], three[1][1], three[0][1], literal_first=True), position + 3
        case _:
            seen = " ".join(word for _, word in three) or "its end"
            raise MarkerSyntaxError(f"expected a comparison at {seen!r} in marker")


def _comparison(variable: str, operator: str, quoted: str, *, literal_first: bool) -> Comparison:
    variable = _LEGACY_VARIABLES.get(variable, variable)
    if variable not in VARIABLES:
        raise MarkerSyntaxError(f"unknown marker variable {variable!r}")
    literal = quoted[1:-1]
    if literal_first and operator not in {"in", "not in"}:
        return Comparison(variable, _MIRRORED.get(operator, operator), literal)
    return Comparison(variable, operator, literal, literal_first)


def all_of(parts: list[Marker]) -> Marker:
    """Join markers by ``and``, flat and without what is always or never true."""
    flat: list[Marker] = []
    for part in parts:
        flat.extend(part.parts if isinstance(part, AllOf) else [part])
    if NEVER in flat:
        return NEVER
    unique = tuple(dict.fromkeys(flat))
    return unique[0] if len(unique) == 1 else AllOf(unique)


def any_of(parts: list[Marker]) -> Marker:
    """Join markers by ``or``, flat and without what is always or never true."""
    flat: list[Marker] = []
    for part in parts:
        flat.extend(part.parts if isinstance(part, AnyOf) else [part])
    if ALWAYS in flat:
        return ALWAYS
    unique = tuple(dict.fromkeys(flat))
    return unique[0] if len(unique) == 1 else AnyOf(unique)


def marker_text(marker: Marker) -> str:
    """Write a marker so that `parse_marker` gives it back; `ALWAYS` and `NEVER` have no text."""
    match marker:
        case Comparison(variable, operator, literal, literal_first):
            quoted = f"'{literal}'" if '"' in literal else f'"{literal}"'
            return f"{quoted} {operator} {variable}" if literal_first else f"{variable} {operator} {quoted}"
        case AnyOf(parts):
            return " or ".join(marker_text(part) for part in parts)
        case AllOf(parts):
            return " and ".join(
                f"({marker_text(part)})" if isinstance(part, AnyOf) else marker_text(part) for part in parts
            )


def comparisons(marker: Marker) -> Iterator[Comparison]:
    """Yield the comparisons of a marker, left to right."""
    if isinstance(marker, Comparison):
        yield marker
    else:
        for part in marker.parts:
            yield from comparisons(part)


def split_extras(marker: Marker | None) -> list[tuple[str | None, Marker | None]]:
    """Split the extra clauses off: (extra, or None for the plain install, and what remains).

    ``extra == "a" or extra == "b"`` gives two pairs; an extra under which nothing more holds
    than in a plain install is left out.
    """
    if marker is None:
        return [(None, None)]
    plain = _with_extra(marker, None)
    pairs: list[tuple[str | None, Marker | None]] = []
    if plain != NEVER:
        pairs.append((None, None if plain == ALWAYS else plain))
    named = [one.literal for one in comparisons(marker) if one.variable == "extra"]
    for extra in dict.fromkeys(named):
        remaining = _with_extra(marker, extra)
        if remaining not in (NEVER, plain):
            pairs.append((extra, None if remaining == ALWAYS else remaining))
    return pairs


def _with_extra(marker: Marker, extra: str | None) -> Marker:
    match marker:
        case Comparison("extra", operator, literal):
            same = extra is not None and normalized(extra) == normalized(literal)
            holds = same if operator in {"==", "===", "in"} else not same
            return ALWAYS if holds else NEVER
        case Comparison():
            return marker
        case AllOf(parts):
            return all_of([_with_extra(part, extra) for part in parts])
        case AnyOf(parts):
            return any_of([_with_extra(part, extra) for part in parts])
