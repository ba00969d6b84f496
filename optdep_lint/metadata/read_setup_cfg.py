"""What ``setup.cfg`` declares to setuptools."""

from __future__ import annotations

import configparser
import re
from typing import TYPE_CHECKING, TypeAlias

from optdep_lint.metadata.declarations import (
    Declarations,
    Declared,
    entry_points_from_lines,
    read_text,
    shown_path,
)
from optdep_lint.metadata.dependency_syntax import DependencySyntaxError, parse_dependency
from optdep_lint.metadata.model import MetadataError, MetadataProblem
from optdep_lint.metadata.requirements_files import read_requirements_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    _Value: TypeAlias = Callable[[str, str], str]

_FILE = re.compile(r"file:\s*(.*)", re.DOTALL)


def read_setup_cfg(root: Path) -> Declarations:
    """Read ``root/setup.cfg``, empty when there is none; a broken one raises `MetadataError`."""
    path = root / "setup.cfg"
    if not path.is_file():
        return Declarations()
    text, shown = read_text(path, root), shown_path(path, root)
    parser = configparser.RawConfigParser(strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    try:
        parser.read_string(text)
    except configparser.Error as error:
        line = getattr(error, "lineno", None)
        raise MetadataError(shown, f"invalid setup.cfg: {error.message}", line=line) from error
    return _declarations(parser, text, root, shown)


def _declarations(parser: configparser.RawConfigParser, text: str, root: Path, shown: str) -> Declarations:
    def value(section: str, key: str) -> str:
        return parser.get(section, key, fallback=parser.get(section, key.replace("_", "-"), fallback=""))

    extras_section = "options.extras_require"
    extras = parser.options(extras_section) if parser.has_section(extras_section) else []
    found = Declarations(
        name=value("metadata", "name") or None,
        version=_literal(value("metadata", "version")),
        requires_python=value("options", "python_requires") or None,
        extras=tuple(extras),
        sources=(shown,),
        package_dirs=tuple(_package_dirs(value)),
    )
    found = found.joined(_listed(value("options", "install_requires"), text, root, shown, None))
    for extra in extras:
        found = found.joined(_listed(parser.get(extras_section, extra), text, root, shown, extra))
    points = "options.entry_points"
    for group in parser.options(points) if parser.has_section(points) else []:
        lines = parser.get(points, group).splitlines()
        found = found.joined(Declarations(entry_points=entry_points_from_lines(group, lines)))
    return found


def _literal(version: str) -> str | None:
    return None if not version or version.startswith(("attr:", "file:")) else version


def _package_dirs(value: _Value) -> list[tuple[str, str]]:
    found = []
    for line in value("options", "package_dir").splitlines():
        package, equals, folder = line.partition("=")
        if equals:
            found.append((package.strip(), folder.strip() or "."))
    where = value("options.packages.find", "where").split()
    return found + [("", folder) for folder in where if folder != "."]


def _listed(text: str, whole: str, root: Path, shown: str, extra: str | None) -> Declarations:
    """Read a dangling list of dependencies, or the requirements files that ``file:`` names."""
    named = _FILE.match(text.strip())
    if named is not None:
        return _files(re.split(r"[,\n]", named.group(1)), whole, root, shown, extra)
    declared, problems = [], []
    for written in text.splitlines():
        stripped = written.strip()
        if not stripped or stripped.startswith("#"):
            continue
        line = _line_of(stripped, whole)
        try:
            declared.append(Declared(parse_dependency(stripped), shown, line, extra))
        except DependencySyntaxError as error:
            problems.append(MetadataProblem(shown, line, str(error)))
    return Declarations(declared=tuple(declared), problems=tuple(problems))


def _files(names: list[str], whole: str, root: Path, shown: str, extra: str | None) -> Declarations:
    found = Declarations()
    for name in filter(None, (one.strip() for one in names)):
        if (root / name).is_file():
            file = read_requirements_file(root / name, root, extra=extra)
            found = found.joined(Declarations(declared=file.declared, sources=file.sources, problems=file.problems))
        else:
            problem = MetadataProblem(shown, _line_of(name, whole), f"there is no file {name}")
            found = found.joined(Declarations(problems=(problem,)))
    return found


def _line_of(written: str, whole: str) -> int:
    pattern = rf"^[^#\n]*{re.escape(written)}\s*$"
    found = re.search(pattern, whole, re.MULTILINE)
    return 1 if found is None else whole.count("\n", 0, found.start()) + 1
