"""What the old ``[tool.flit.metadata]`` table declares (before PEP 621)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from optdep_lint.metadata.declarations import Declarations, Declared, entry_point
from optdep_lint.metadata.toml_text import declared_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from optdep_lint.metadata.model import EntryPoint
    from optdep_lint.metadata.toml_text import TomlFile

_TABLE = ("tool", "flit", "metadata")
_REQUIRED = ".none"
"""Flit's name for an extra whose members are plain requirements."""


def read_flit(file: TomlFile) -> Declarations:
    """Read flit's own tables, empty when there are none; wrong types raise `MetadataError`."""
    if not file.table(*_TABLE):
        return Declarations()
    extras = file.table(*_TABLE, "requires-extra")
    return Declarations(
        name=file.text(*_TABLE, "dist-name") or file.text(*_TABLE, "module"),
        requires_python=file.text(*_TABLE, "requires-python"),
        declared=tuple(_declared(file)),
        entry_points=tuple(_entry_points(file)),
        extras=tuple(extra for extra in extras if extra != _REQUIRED),
        sources=(file.shown,),
        settles=frozenset({"dependencies", "optional-dependencies", "entry-points"}),
    )


def _declared(file: TomlFile) -> Iterator[Declared]:
    for text in file.texts(*_TABLE, "requires"):
        yield declared_at(file, (*_TABLE, "requires"), text)
    for extra in file.table(*_TABLE, "requires-extra"):
        key = (*_TABLE, "requires-extra", extra)
        for text in file.texts(*key):
            yield declared_at(file, key, text, extra=None if extra == _REQUIRED else extra)
    for text in file.texts(*_TABLE, "dev-requires"):
        yield declared_at(file, (*_TABLE, "dev-requires"), text, group="dev")


def _entry_points(file: TomlFile) -> Iterator[EntryPoint]:
    for name in file.table("tool", "flit", "scripts"):
        value = file.text("tool", "flit", "scripts", name) or ""
        yield entry_point("console_scripts", name, value)
    groups: dict[str, Any] = file.table("tool", "flit", "entrypoints")
    for group in groups:
        for name in file.table("tool", "flit", "entrypoints", group):
            value = file.text("tool", "flit", "entrypoints", group, name) or ""
            yield entry_point(group, name, value)
