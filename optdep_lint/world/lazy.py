"""Modules that import their parts when these are first asked for, and modules whose parts lie elsewhere."""

from __future__ import annotations

from typing import TYPE_CHECKING

from optdep_lint.facts import syntax
from optdep_lint.world.frames import Frame
from optdep_lint.world.literals import NotPython, to_python
from optdep_lint.world.machinery import Arguments, Keywords
from optdep_lint.world.values import (
    Constant,
    Items,
    Known,
    Table,
    Unknown,
    Value,
    elements_of,
)

if TYPE_CHECKING:
    from optdep_lint.world.known import KnownThings


def attach(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    """`lazy_loader.attach(package, submodules, submod_attrs)` gives `__getattr__`, `__dir__` and `__all__`."""
    given = dict(zip(("package_name", "submodules", "submod_attrs"), arguments, strict=False)) | dict(keywords)
    package = to_python(frame.state.settle(given.get("package_name", Unknown())))
    submodules = to_python(frame.state.settle(given.get("submodules", Constant(None))))
    table = frame.state.settle(given.get("submod_attrs", Constant(None)))
    attributes: dict[str, str] = {}
    if isinstance(table, Table):
        for submodule, names in table.entries.items():
            for element in elements_of(frame.state.settle(names)) or ():
                if isinstance(element, Constant):
                    attributes[element.value] = submodule
    known_names = set(submodules or ()) if submodules is not NotPython else set()
    hook = Known("lazy attributes", package, known_names, attributes)
    listed = Items("list", tuple(Constant(name) for name in sorted({*known_names, *attributes})))
    return Items("tuple", (hook, Unknown(), listed))


def attach_stub(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    """`lazy_loader.attach_stub(__name__, __file__)`: the same, listed by the `.pyi` beside the module."""
    stub = known.evaluation.tree.stubs.get(frame.module.name)
    attributes: dict[str, str] = {}
    submodules: set[str] = set()
    for node in stub.body if stub is not None else ():
        if isinstance(node, syntax.ImportFrom) and node.level == 1:
            for alias in node.names:
                if node.module:
                    attributes[alias.asname or alias.name] = node.module
                else:
                    submodules.add(alias.asname or alias.name)
    hook = Known("lazy attributes", frame.module.name, submodules, attributes)
    listed = Items("list", tuple(Constant(name) for name in sorted({*submodules, *attributes})))
    return Items("tuple", (hook, Unknown(), listed))


def extend_path(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    """`pkgutil.extend_path(path, name)`: submodules can lie elsewhere."""
    frame.module.dynamic_path = True
    return Unknown()
