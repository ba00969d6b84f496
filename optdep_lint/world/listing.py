"""What lists the modules of a package: `pkgutil.iter_modules(package.__path__)`."""

from __future__ import annotations

from typing import TYPE_CHECKING

from optdep_lint.world.frames import Frame
from optdep_lint.world.literals import to_python
from optdep_lint.world.machinery import Arguments, Keywords
from optdep_lint.world.modules import Module
from optdep_lint.world.values import Constant, Items, Known, Unknown, Value

if TYPE_CHECKING:
    from optdep_lint.world.known import KnownThings

FIELDS = ("module_finder", "name", "ispkg")
"""Of what is listed for each module."""


def folders_of(module: Module) -> Value:
    """The `__path__` of a package of the project."""
    return Known("folders", module)


def iter_modules(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    """`pkgutil.iter_modules(path, prefix)`: the modules that lie in a package, by name."""
    path = frame.state.settle(arguments[0] if arguments else keywords.get("path", Unknown()))
    before = frame.state.settle(arguments[1] if len(arguments) > 1 else keywords.get("prefix", Constant("")))
    prefix = to_python(before)
    if isinstance(path, Items) and len(path.elements) == 1 and isinstance(path.elements[0], Known):
        path = path.elements[0]
    if not isinstance(path, Known) or path.model != "folders" or not isinstance(prefix, str):
        return Unknown()
    package: Module = path.parts[0]
    if package.dynamic_path:
        return Unknown()
    tree = known.evaluation.tree
    packages = {name for name, source in tree.sources.items() if source.is_package}
    below = f"{package.name}."
    found = {
        name for name in (*tree.sources, *tree.extensions)
        if name.startswith(below) and "." not in name[len(below) :]
    }  # fmt: skip
    return Items("list", tuple(
        Items("ModuleInfo", (Unknown(), Constant(prefix + name[len(below) :]), Constant(name in packages)))
        for name in sorted(found)
    ))  # fmt: skip
