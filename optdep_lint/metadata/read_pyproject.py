"""What ``pyproject.toml`` declares in its standard tables, and what setuptools and hatch add."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from optdep_lint.metadata.declarations import Declarations, Declared, entry_point, named_pythons
from optdep_lint.metadata.model import EntryPoint, MetadataProblem
from optdep_lint.metadata.names import normalized
from optdep_lint.metadata.package_folders import package_folders
from optdep_lint.metadata.requirements_files import RequirementsFile, read_requirements_file
from optdep_lint.metadata.toml_text import TomlFile, declared_at, read_toml

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

_SCRIPT_GROUPS = {"scripts": "console_scripts", "gui-scripts": "gui_scripts"}


def read_pyproject(root: Path) -> Declarations:
    """Read ``root/pyproject.toml``, empty when there is none.

    Broken TOML, wrong types and dependencies that PEP 508 does not allow raise `MetadataError`.
    """
    path = root / "pyproject.toml"
    if not path.is_file():
        return Declarations()
    file = read_toml(path, root)
    declarations = (
        _project_table(file)
        .joined(Declarations(declared=tuple(_groups(file)), sources=(file.shown,)))
        .joined(_setuptools_dynamic(file, root))
        .joined(_hatch_files(file, root))
    )
    if file.table("tool", "poetry"):
        from optdep_lint.metadata.read_poetry import read_poetry

        declarations = declarations.joined(read_poetry(file))
    if file.table("tool", "flit", "metadata"):
        from optdep_lint.metadata.read_flit import read_flit

        declarations = declarations.joined(read_flit(file))
    return declarations.joined(Declarations(package_dirs=package_folders(file, root)))


def _project_table(file: TomlFile) -> Declarations:
    project = file.table("project")
    if not project:
        return Declarations()
    dynamic = frozenset(file.texts("project", "dynamic"))
    fields = {"dependencies", "optional-dependencies", "entry-points"}
    extras = file.table("project", "optional-dependencies")
    declared = list(_listed(file, ("project", "dependencies")))
    for extra in extras:
        declared += _listed(file, ("project", "optional-dependencies", extra), extra=extra)
    return Declarations(
        name=file.text("project", "name"),
        version=file.text("project", "version"),
        requires_python=file.text("project", "requires-python"),
        named_pythons=named_pythons(file.texts("project", "classifiers")),
        declared=tuple(declared),
        entry_points=tuple(_entry_points(file)),
        extras=tuple(extras),
        settles=frozenset(fields - dynamic),
    )


def read_plain_requirements(path: Path, root: Path) -> Declarations:
    """Read ``[project] dependencies`` of a file like ``pyproject_npu.toml``, raising `MetadataError`."""
    file = read_toml(path, root)
    return Declarations(declared=tuple(_listed(file, ("project", "dependencies"))), sources=(file.shown,))


def _listed(
    file: TomlFile, key: tuple[str, ...], *, extra: str | None = None, group: str | None = None
) -> Iterator[Declared]:
    for text in file.texts(*key):
        yield declared_at(file, key, text, extra=extra, group=group)


def _entry_points(file: TomlFile) -> Iterator[EntryPoint]:
    for key, group in _SCRIPT_GROUPS.items():
        for name in file.table("project", key):
            yield entry_point(group, name, file.text("project", key, name) or "")
    for group in file.table("project", "entry-points"):
        for name in file.table("project", "entry-points", group):
            value = file.text("project", "entry-points", group, name) or ""
            yield entry_point(group, name, value)


def _groups(file: TomlFile) -> Iterator[Declared]:
    """Yield the members of every dependency group: PEP 735, and the older tables of pdm and uv."""
    names = {normalized(name): name for name in file.table("dependency-groups")}
    for group in names.values():
        yield from _group(file, names, group, group, ())
    for group in file.table("tool", "pdm", "dev-dependencies"):
        key = ("tool", "pdm", "dev-dependencies", group)
        for text in file.texts(*key):
            if not text.lstrip().startswith("-e"):
                yield declared_at(file, key, text, group=group)
    yield from _listed(file, ("tool", "uv", "dev-dependencies"), group="dev")


def _group(
    file: TomlFile, names: dict[str, str], group: str, asked_by: str, through: tuple[str, ...]
) -> Iterator[Declared]:
    key = ("dependency-groups", group)
    if group in through:
        raise file.error(key, f"the group includes itself: {' -> '.join((*through, group))}")
    members: Any = file.table("dependency-groups")[group]
    if not isinstance(members, list):
        raise file.wrong(key, "an array")
    for member in members:
        if isinstance(member, str):
            yield declared_at(file, key, member, group=asked_by)
            continue
        included = member.get("include-group") if isinstance(member, dict) else None
        if not isinstance(included, str):
            raise file.wrong(key, 'a dependency or { include-group = "name" }')
        if normalized(included) not in names:
            raise file.error(key, f"there is no group {included!r} to include", included)
        yield from _group(file, names, names[normalized(included)], asked_by, (*through, group))


def _setuptools_dynamic(file: TomlFile, root: Path) -> Declarations:
    """Read the requirements files that ``[tool.setuptools.dynamic]`` names."""
    table = ("tool", "setuptools", "dynamic")
    found = Declarations()
    dynamic = file.table(*table)
    if "dependencies" in dynamic:
        found = found.joined(_dynamic_files(file, root, (*table, "dependencies"), None))
    for extra in file.table(*table, "optional-dependencies"):
        key = (*table, "optional-dependencies", extra)
        found = found.joined(_dynamic_files(file, root, key, extra))
    settled = {"dependencies", "optional-dependencies"} & dynamic.keys()
    return found.joined(Declarations(settles=frozenset(settled)))


def _dynamic_files(file: TomlFile, root: Path, key: tuple[str, ...], extra: str | None) -> Declarations:
    named: Any = file.table(*key).get("file", [])
    files = [named] if isinstance(named, str) else file.texts(*key, "file")
    return _from_files(file, root, (*key, "file"), files, extra)


def _hatch_files(file: TomlFile, root: Path) -> Declarations:
    """Read the requirements files that the plugin hatch-requirements-txt is told of."""
    table = ("tool", "hatch", "metadata", "hooks", "requirements_txt")
    found = _from_files(file, root, (*table, "files"), file.texts(*table, "files"), None)
    for extra in file.table(*table, "optional-dependencies"):
        key = (*table, "optional-dependencies", extra)
        found = found.joined(_from_files(file, root, key, file.texts(*key), extra))
    settled = {"dependencies"} if file.texts(*table, "files") else set[str]()
    return found.joined(Declarations(settles=frozenset(settled)))


def _from_files(file: TomlFile, root: Path, key: tuple[str, ...], files: list[str], extra: str | None) -> Declarations:
    found = Declarations(extras=() if extra is None else (extra,))
    for name in files:
        path = root / name
        if not path.is_file():
            problem = MetadataProblem(file.shown, file.line_of(key, name), f"there is no file {name}")
            found = found.joined(Declarations(problems=(problem,)))
            continue
        found = found.joined(from_requirements(read_requirements_file(path, root, extra=extra)))
    return found


def from_requirements(file: RequirementsFile) -> Declarations:
    """Take what a requirements file asks for as declarations."""
    return Declarations(declared=file.declared, sources=file.sources, problems=file.problems)
