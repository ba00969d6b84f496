"""What an unpacked wheel or sdist declares: ``METADATA``, ``PKG-INFO``, egg-info."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from optdep_lint.metadata.declarations import (
    Declarations,
    Declared,
    entry_points_from_lines,
    named_pythons,
    read_text,
    shown_path,
)
from optdep_lint.metadata.dependency_syntax import DependencySyntaxError, parse_dependency
from optdep_lint.metadata.markers import split_extras
from optdep_lint.metadata.model import MetadataProblem
from optdep_lint.metadata.names import normalized

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from optdep_lint.metadata.model import EntryPoint

_FIELD = re.compile(r"(?P<name>[A-Za-z][A-Za-z-]*)\s*:\s*(?P<value>.*)$")
_SECTION = re.compile(r"\[(?P<name>[^\]]*)\]\s*$")


def read_wheel(root: Path) -> Declarations:
    """Read the ``*.dist-info`` folder of an unpacked wheel, empty unless there is exactly one."""
    folders = dist_info_folders(root)
    if len(folders) != 1:
        return Declarations()
    return _core_metadata(folders[0] / "METADATA", root).joined(_beside(folders[0], root))


def dist_info_folders(root: Path) -> list[Path]:
    """Return the ``*.dist-info`` folders of ``root`` that hold a ``METADATA``."""
    return sorted(path.parent for path in root.glob("*.dist-info/METADATA"))


def read_sdist(root: Path) -> Declarations:
    """Read the ``PKG-INFO`` of an unpacked sdist, empty when there is none."""
    path = root / "PKG-INFO"
    return _core_metadata(path, root) if path.is_file() else Declarations()


def read_egg_info(root: Path) -> Declarations:
    """Read the one ``*.egg-info`` folder in ``root`` or ``root/src``, empty otherwise."""
    folders = sorted(path.parent for place in (root, root / "src") for path in place.glob("*.egg-info/PKG-INFO"))
    if len(folders) != 1:
        return Declarations()
    folder = folders[0]
    core = _core_metadata(folder / "PKG-INFO", root)
    if not core.declared and (folder / "requires.txt").is_file():
        core = core.joined(_requires_txt(folder / "requires.txt", root))
    return core.joined(_beside(folder, root))


def _core_metadata(path: Path, root: Path) -> Declarations:
    """Read core metadata (PEP 566); headers end at the first empty line."""
    shown = shown_path(path, root)
    fields: dict[str, list[tuple[int, str]]] = {}
    for number, line in enumerate(read_text(path, root).replace("\r\n", "\n").split("\n"), start=1):
        if not line:  # a line of blanks continues a header
            break
        found = _FIELD.match(line)
        if found is not None:
            values = fields.setdefault(found.group("name").lower(), [])
            values.append((number, found.group("value").strip()))
    extras = tuple(value for _, value in fields.get("provides-extra", []))
    imports = [*fields.get("import-name", []), *fields.get("import-namespace", [])]
    requires = fields.get("requires-dist", [])
    return _declared(requires, shown).joined(
        Declarations(
            name=_first(fields, "name"),
            version=_first(fields, "version"),
            requires_python=_first(fields, "requires-python"),
            named_pythons=named_pythons(value for _, value in fields.get("classifier", [])),
            extras=extras,
            sources=(shown,),
            top_level=tuple(value.split(";")[0].strip() for _, value in imports if value),
            settles=frozenset({"dependencies", "optional-dependencies"}) if requires else frozenset(),
        )
    )


def _first(fields: dict[str, list[tuple[int, str]]], name: str) -> str | None:
    values = fields.get(name, [])
    return values[0][1] if values else None


def _declared(lines: Iterable[tuple[int, str]], shown: str) -> Declarations:
    declared, problems = [], []
    for number, text in lines:
        try:
            dependency = parse_dependency(text)
        except DependencySyntaxError as error:
            problems.append(MetadataProblem(shown, number, str(error)))
            continue
        for extra, marker in split_extras(dependency.marker):
            declared.append(Declared(replace(dependency, marker=marker), shown, number, extra))
    return Declarations(declared=tuple(declared), problems=tuple(problems))


def _beside(folder: Path, root: Path) -> Declarations:
    """Read ``entry_points.txt`` and ``top_level.txt``, where they are."""
    found = Declarations()
    points, names = folder / "entry_points.txt", folder / "top_level.txt"
    if points.is_file():
        found = found.joined(
            Declarations(
                entry_points=entry_points_of(read_text(points, root)),
                sources=(shown_path(points, root),),
                settles=frozenset({"entry-points"}),
            )
        )
    if names.is_file():
        top_level = tuple(read_text(names, root).replace("/", ".").split())
        found = found.joined(Declarations(top_level=top_level, sources=(shown_path(names, root),)))
    return found


def entry_points_of(text: str) -> tuple[EntryPoint, ...]:
    """Parse the text of ``entry_points.txt``."""
    found: list[EntryPoint] = []
    group = ""
    for line in text.splitlines():
        section = _SECTION.match(line.strip())
        if section is not None:
            group = section.group("name").strip()
        elif group:
            found += entry_points_from_lines(group, [line])
    return tuple(found)


def _requires_txt(path: Path, root: Path) -> Declarations:
    """Read an egg's ``requires.txt``: its sections are ``[extra]`` or ``[extra:marker]``."""
    found = Declarations(sources=(shown_path(path, root),))
    extra, marker = None, ""
    for number, line in enumerate(read_text(path, root).splitlines(), start=1):
        section = _SECTION.match(line.strip())
        if section is not None:
            name, _, marker = section.group("name").partition(":")
            extra = name.strip() or None
            if extra is not None and normalized(extra) not in map(normalized, found.extras):
                found = found.joined(Declarations(extras=(extra,)))
        elif line.strip():
            text = f"{line.strip()} ; {marker}" if marker else line.strip()
            read = _declared([(number, text)], shown_path(path, root))
            under = tuple(Declared(one.dependency, one.path, one.line, extra) for one in read.declared)
            found = found.joined(Declarations(declared=under, problems=read.problems))
    return found
