"""One dependency as PEP 508 writes it: name, extras, version specifier or URL, marker."""

from __future__ import annotations

import re
from dataclasses import dataclass

from optdep_lint.metadata.markers import Marker, MarkerSyntaxError, parse_marker

_NAME = re.compile(r"\s*([A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?)\s*")
_EXTRAS = re.compile(r"\[([^\]]*)\]\s*")
_EXTRA = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
_CLAUSE = re.compile(r"(?:~=|===|==|!=|<=|>=|<|>)\s*[A-Za-z0-9.*+!_-]+")
_URL_END = re.compile(r"\s+;|\s*$")


class DependencySyntaxError(ValueError):
    """A dependency that PEP 508 does not allow."""


@dataclass(frozen=True, slots=True)
class Dependency:
    """A parsed PEP 508 string; names are spelled as written."""

    name: str
    extras: tuple[str, ...] = ()
    specifier: str = ""
    """Version specifier or ``@ url``."""
    marker: Marker | None = None


def parse_dependency(text: str) -> Dependency:
    """Parse a PEP 508 string, raising `DependencySyntaxError` with the reason."""
    name = _NAME.match(text)
    if name is None:
        raise DependencySyntaxError(f"expected a distribution name in {text!r}")
    position = name.end()
    bracket = _EXTRAS.match(text, position)
    extras = _extras(bracket.group(1), text) if bracket else ()
    position = bracket.end() if bracket else position
    rest = text[position:]
    specifier, _, marker = _split_url(rest) if rest.startswith("@") else rest.partition(";")
    return Dependency(
        name.group(1),
        extras,
        specifier.strip() if specifier.startswith("@") else _specifier(specifier, text),
        _marker(marker, text),
    )


def _extras(listed: str, text: str) -> tuple[str, ...]:
    extras = tuple(part.strip() for part in listed.split(",")) if listed.strip() else ()
    if not all(_EXTRA.fullmatch(extra) for extra in extras):
        raise DependencySyntaxError(f"bad extra in {text!r}")
    return extras


def _split_url(rest: str) -> tuple[str, str, str]:
    """Split ``@ url ; marker``: a semicolon ends the URL only after a space."""
    url = rest[1:].strip()
    end = _URL_END.search(url)
    address = url[: end.start()] if end else url
    if not address or " " in address:
        raise DependencySyntaxError(f"bad URL in {rest.strip()!r}")
    return f"@ {address}", ";", url[end.end() :] if end else ""


def _specifier(written: str, text: str) -> str:
    written = written.strip()
    if written.startswith("(") and written.endswith(")"):
        written = written[1:-1].strip()
    clauses = [part.strip() for part in written.split(",") if part.strip()]
    for clause in clauses:
        if not _CLAUSE.fullmatch(clause):
            raise DependencySyntaxError(f"bad version specifier {clause!r} in {text!r}")
    return ",".join("".join(clause.split()) for clause in clauses)


def _marker(written: str, text: str) -> Marker | None:
    if not written.strip():
        return None
    try:
        return parse_marker(written)
    except MarkerSyntaxError as error:
        raise DependencySyntaxError(f"{error} of {text!r}") from None
