"""Requirements files as pip reads them."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from optdep_lint.metadata.declarations import Declared, read_text, shown_path
from optdep_lint.metadata.dependency_syntax import DependencySyntaxError, parse_dependency
from optdep_lint.metadata.model import MetadataError, MetadataProblem
from optdep_lint.metadata.names import normalized

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_COMMENT = re.compile(r"(^|\s)#.*$")
_INCLUDE = re.compile(r"(?:-r|--requirement)(?:\s*=\s*|\s*)(?P<file>\S.*)$")
_EDITABLE = re.compile(r"(?:-e|--editable)(?:\s*=\s*|\s+)(?P<what>\S.*)$")
_OPTION = re.compile(r"\s+--?[a-z][\w-]*(?:[=\s]\S.*)?$")
_EGG = re.compile(r"[#&]egg=([A-Za-z0-9._-]+(?:\[[^\]]*\])?)")
_ARCHIVE = re.compile(r"(?P<name>[A-Za-z0-9](?:[A-Za-z0-9._]|-(?!\d))*)-\d[^/]*\.(?:whl|zip|tar\.\w+|tgz)$")
_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]*://|git\+|\.{1,2}(?:$|[/\\[])|[/\\]|file:)")


@dataclass(frozen=True, slots=True)
class RequirementsFile:
    """What a requirements file, with those it includes, asks for."""

    declared: tuple[Declared, ...]
    sources: tuple[str, ...]
    problems: tuple[MetadataProblem, ...]


def read_requirements_file(
    path: Path, root: Path, *, extra: str | None = None, seen: frozenset[Path] = frozenset()
) -> RequirementsFile:
    """Read a requirements file and its ``-r`` includes; constraints and options are passed over.

    A line that cannot be read and an include that is not there are problems, not errors. The file
    itself must be readable, else `MetadataError`.
    """
    shown = shown_path(path, root)
    declared: list[Declared] = []
    problems: list[MetadataProblem] = []
    sources = [shown]
    for number, line in _logical_lines(read_text(path, root)):
        include = _INCLUDE.match(line)
        try:
            if include is not None:
                target = path.parent / include.group("file").strip().strip("\"'")
                if target not in seen | {path}:
                    inner = read_requirements_file(target, root, extra=extra, seen=seen | {path})
                    declared += inner.declared
                    sources += inner.sources
                    problems += inner.problems
                continue
            written = _pep508(line)
            if written is not None:
                declared.append(Declared(parse_dependency(written), shown, number, extra))
        except (DependencySyntaxError, MetadataError) as error:
            problems.append(MetadataProblem(shown, number, str(error)))
    return RequirementsFile(tuple(declared), tuple(dict.fromkeys(sources)), tuple(problems))


def _logical_lines(text: str) -> Iterator[tuple[int, str]]:
    """Yield (first line number, text) with continuations joined and comments taken off."""
    pending, first = "", 1
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        first = first if pending else number
        if line.endswith("\\") and not line.lstrip().startswith("#"):
            pending += line[:-1].strip() + " "
            continue
        logical = _COMMENT.sub("", pending + line.strip()).strip()
        if logical:
            yield first, logical
        pending = ""


def _pep508(line: str) -> str | None:
    """Return the line as PEP 508 text; None for options and for what names no distribution."""
    editable = _EDITABLE.match(line)
    if editable is not None:
        line = editable.group("what")
    elif line.startswith("-"):
        return None
    address = line.split()[0]
    if not _ADDRESS.match(address) and not address.endswith((".whl", ".tar.gz", ".zip")):
        return _OPTION.sub("", line)
    return _named_address(line)


def _named_address(line: str) -> str | None:
    address, _, marker = line.partition(" ;")
    address = _OPTION.sub("", address).strip()
    egg = _EGG.search(address)
    archive = _ARCHIVE.search(address.split("#")[0].rsplit("/", 1)[-1])
    if egg is None and archive is None:
        return None
    name = egg.group(1) if egg else archive.group("name") if archive else ""
    return f"{name} @ {address} ; {marker}" if marker.strip() else f"{name} @ {address}"


def common_to(files: list[RequirementsFile]) -> RequirementsFile:
    """Return what every one of the files asks for: which of them counts is not known."""
    shared = frozenset.intersection(
        *(frozenset(normalized(one.dependency.name) for one in file.declared) for file in files)
    )
    first = files[0]
    return replace(
        first,
        declared=tuple(one for one in first.declared if normalized(one.dependency.name) in shared),
        sources=tuple(dict.fromkeys(source for file in files for source in file.sources)),
        problems=tuple(dict.fromkeys(problem for file in files for problem in file.problems)),
    )
