"""What lock files say of which distribution brings which."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

from optdep_lint.metadata.declarations import read_text, shown_path
from optdep_lint.metadata.dependency_syntax import DependencySyntaxError, parse_dependency
from optdep_lint.metadata.environments import PythonVersion, can_hold
from optdep_lint.metadata.markers import MarkerSyntaxError, parse_marker, split_extras
from optdep_lint.metadata.model import MetadataError, MetadataProblem
from optdep_lint.metadata.names import normalized
from optdep_lint.metadata.toml_text import parse_toml

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from pathlib import Path

Wanted: TypeAlias = tuple[str, tuple[str, ...]]
"""A normalized distribution and the normalized extras asked of it."""

Graph: TypeAlias = dict[tuple[str, str], list[Wanted]]
"""(distribution, extra or "") to what it asks for directly."""

_ARTIFACT = re.compile(r"^\s*\{\s*(?:url|file|path|name = \"[^\"]*\", url)\s*=.*\},?\s*$", re.MULTILINE)
"""A line about one wheel or sdist: nine tenths of a lock file, and nothing that is asked here."""


@dataclass(frozen=True, slots=True)
class LockFacts:
    """The dependency graph of the first lock file found, and what could not be read."""

    graph: Graph
    sources: tuple[str, ...] = ()
    problems: tuple[MetadataProblem, ...] = ()


def read_lock_files(root: Path, versions: Sequence[PythonVersion]) -> LockFacts:
    """Read the first of ``uv.lock``, ``poetry.lock``, ``pdm.lock``, ``pylock.toml`` that there is.

    A dependency whose marker holds on no supported Python is left out; other markers are passed
    over. A lock file is generated and only adds facts: a broken one is a problem, not an error.
    """
    for name, direct in _READERS.items():
        path = root / name
        if not path.is_file():
            continue
        shown = shown_path(path, root)
        try:
            values = parse_toml(_ARTIFACT.sub("", read_text(path, root)), shown)
        except MetadataError as error:
            problem = MetadataProblem(shown, error.line or 1, error.message)
            return LockFacts({}, (shown,), (problem,))
        graph: Graph = {}
        for package in _tables(values.get("package", values.get("packages"))):
            for key, marker, wanted in direct(package):
                if marker is None or _can_hold(marker, versions):
                    graph.setdefault(key, []).append(wanted)
        return LockFacts(graph, (shown,))
    return LockFacts({})


_Edge: TypeAlias = tuple[tuple[str, str], "str | None", Wanted]


def _can_hold(marker: str, versions: Sequence[PythonVersion]) -> bool:
    try:
        return can_hold(parse_marker(marker), versions)
    except MarkerSyntaxError:
        return True


def _tables(value: object) -> list[dict[str, Any]]:
    return [one for one in value if isinstance(one, dict)] if isinstance(value, list) else []


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _name(package: dict[str, Any]) -> str:
    return normalized(str(package.get("name", "")))


def _named(tables: Iterable[dict[str, Any]], key: tuple[str, str]) -> Iterator[_Edge]:
    for table in tables:
        marker = table.get("marker")
        extras = tuple(normalized(one) for one in _texts(table.get("extra")))
        yield key, marker if isinstance(marker, str) else None, (_name(table), extras)


def _uv(package: dict[str, Any]) -> Iterator[_Edge]:
    """Yield the edges of a package of ``uv.lock`` or ``pylock.toml``."""
    yield from _named(_tables(package.get("dependencies")), (_name(package), ""))
    extras = package.get("optional-dependencies")
    for extra, tables in extras.items() if isinstance(extras, dict) else ():
        yield from _named(_tables(tables), (_name(package), normalized(extra)))


def _poetry(package: dict[str, Any]) -> Iterator[_Edge]:
    dependencies, extras = package.get("dependencies"), package.get("extras")
    for name, written in dependencies.items() if isinstance(dependencies, dict) else ():
        for one in written if isinstance(written, list) else [written]:
            table = one if isinstance(one, dict) else {}
            if table.get("optional") is True:
                continue
            marker = table.get("markers")
            asked = tuple(normalized(extra) for extra in _texts(table.get("extras")))
            wanted = (normalized(name), asked)
            yield (_name(package), ""), marker if isinstance(marker, str) else None, wanted
    for extra, members in extras.items() if isinstance(extras, dict) else ():
        for _, _, member in _wanted(_texts(members)):
            yield (_name(package), normalized(extra)), None, member


def _pdm(package: dict[str, Any]) -> Iterator[_Edge]:
    """Yield the edges of ``pdm.lock``, where a package with extras is an entry of its own."""
    extras = [normalized(one) for one in _texts(package.get("extras"))] or [""]
    for _, marker, wanted in _wanted(_texts(package.get("dependencies"))):
        for extra in extras:
            yield (_name(package), extra), marker, wanted


def _wanted(lines: Iterable[str]) -> Iterator[tuple[str, str | None, Wanted]]:
    """Yield (extra or "", marker, what is wanted) for PEP 508 lines that can be read."""
    for line in lines:
        try:
            found = parse_dependency(line)
        except DependencySyntaxError:
            continue
        _, semicolon, marker = line.partition(";")
        wanted = (normalized(found.name), tuple(normalized(one) for one in found.extras))
        for extra, _ in split_extras(found.marker):
            yield normalized(extra or ""), marker if semicolon and not extra else None, wanted


_READERS: dict[str, Callable[[dict[str, Any]], Iterator[_Edge]]] = {
    "uv.lock": _uv,
    "poetry.lock": _poetry,
    "pdm.lock": _pdm,
    "pylock.toml": _uv,
}


def graph_from_requires(requires: Iterable[tuple[str, Sequence[str]]]) -> Graph:
    """Make a graph of installed metadata: (distribution, its ``Requires-Dist`` lines)."""
    graph: Graph = {}
    for name, lines in requires:
        for extra, _, wanted in _wanted(lines):
            graph.setdefault((normalized(name), extra), []).append(wanted)
    return graph


def brought_by(graph: Graph, wanted: Wanted) -> frozenset[str]:
    """Return every distribution that ``wanted`` brings through the graph, itself left out."""
    reached: set[tuple[str, str]] = set()
    waiting = [wanted]
    while waiting:
        name, extras = waiting.pop()
        for node in ((name, ""), *((name, extra) for extra in extras)):
            if node not in reached:
                reached.add(node)
                waiting += graph.get(node, [])
    return frozenset(name for name, _ in reached) - {wanted[0]}
