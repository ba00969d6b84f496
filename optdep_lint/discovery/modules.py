"""What is each file of a project: which module does it make, and is it the package or something beside it?"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from optdep_lint.discovery.roots import Hints
from optdep_lint.discovery.walk import COMPILED, Tree

Role = Literal["subject", "test", "docs", "example", "script"]

_ROLES: dict[str, Role] = {
    **dict.fromkeys(("tests", "test", "unit_tests", "unit_test"), "test"),
    **dict.fromkeys(("docs", "doc", "documentation"), "docs"),
    **dict.fromkeys(("examples", "example", "samples", "demos", "tutorials", "notebooks"), "example"),
    **dict.fromkeys(("benchmarks", "benchmark", "scripts", "bin"), "script"),
}
_SCRIPT_FOLDERS = frozenset("ci tools util utils build tasks templates csrc cmake docker exercise exercises".split())
"""Top-level folders that setuptools does not take for packages either; only of a declared project."""
_SCRIPT_FILES = frozenset("setup noxfile conftest tasks fabfile dodo versioneer hubconf".split())
_CONTAINERS = ("src", "lib", "python", "py", "source")


@dataclass(frozen=True, slots=True)
class Place:
    """What a file is in its project."""

    module: str | None
    """The dotted name that imports it, or None where nothing does."""
    is_package: bool
    role: Role


class Layout:
    """The import roots of one project, and what follows for each file."""

    def __init__(self, tree: Tree, hints: Hints) -> None:
        self._hints = hints
        self._packages = tree.packages
        self._sources = [name for name, _ in tree.files if not name.endswith(COMPILED)]
        self._top_packages = {name for name in tree.packages if "/" not in name}
        self._with_packages = {name.partition("/")[0] for name in tree.packages}
        self.import_roots = self._find_import_roots()
        self._test_folders = self._find_test_folders()
        self._inner_projects = tuple(self._find_inner_projects())

    def _find_import_roots(self) -> tuple[str, ...]:
        """Folders that belong on `sys.path`, the longest first; the empty string is the root."""
        if self._hints.installed:
            data = {"/".join(name.split("/")[:2]) for name in self._sources if ".data/" in name}
            return (*sorted(each for each in data if each.endswith(("/purelib", "/platlib"))), "")
        hinted = [root for root in self._hints.source_roots if self._holds_sources(root)]
        if hinted:
            return tuple(sorted(hinted, key=len, reverse=True))
        containers = [each for each in _CONTAINERS if self._is_container(each)]
        if not containers:
            return ("",)
        own_package_is_flat = not self._hints.names.isdisjoint(self._top_packages)
        is_flat = own_package_is_flat or not self._hints.declared
        return (*containers, "") if is_flat else tuple(containers)

    def _holds_sources(self, root: str) -> bool:
        return root == "" or any(name.startswith(root + "/") for name in self._sources)

    def _is_container(self, name: str) -> bool:
        """Whether packages lie in that top-level folder: `src` with any source, others with a package right below."""
        if name in self._packages or name in self._hints.names:
            return False
        if name == "src":
            return self._holds_sources(name)
        return any(each.count("/") == 1 and each.startswith(name + "/") for each in self._packages)

    def _find_test_folders(self) -> frozenset[str]:
        """Folders named `tests` or `test`, within packages too, that hold pytest files; `testing` where it holds them itself."""
        found = set()
        for name in self._sources:
            parts = name.split("/")
            if not _is_test_file(parts[-1]):
                continue
            if parts[-2:-1] == ["testing"]:
                found.add(name.removesuffix(parts[-1]))
            for depth, part in enumerate(parts[:-1]):
                if part in ("tests", "test"):
                    found.add("/".join(parts[: depth + 1]) + "/")
                    break
        return frozenset(found)

    def _find_inner_projects(self) -> Iterator[str]:
        """Folders within packages that hold a whole project: `shop/manage.py`, or `shop/setup.py`, beside the package `shop/shop`."""
        for name in self._sources:
            folder, _, last = name.rpartition("/")
            inner = f"{folder}/{folder.rpartition('/')[2]}"
            if last in ("manage.py", "setup.py") and "/" in folder and inner in self._packages:
                yield folder + "/"

    def place(self, name: str) -> Place:
        """What the file with that path is."""
        stem = name.rpartition("/")[2].partition(".")[0]
        for root in self.import_roots:
            prefix = root + "/" if root else ""
            if not name.startswith(prefix):
                continue
            role = self._role(name) if prefix == "" else self._role_within(name)
            importable = role == "subject" or self._hints.installed or name.rpartition("/")[0] in self._packages
            module = _module_name(name[len(prefix) :]) if importable else None
            return Place(module, stem == "__init__" and module is not None, role)
        return Place(None, False, self._role_outside(name))

    def _role_within(self, name: str) -> Role:
        if name.startswith(self._inner_projects):
            return "example"
        in_tests = any(name.startswith(folder) for folder in self._test_folders)
        return "test" if in_tests or name.endswith(("/conftest.py", "/conftest.pyi")) else "subject"

    def _role(self, name: str) -> Role:
        """The role of a file where the root of the project is an import root."""
        top, slash, _ = name.partition("/")
        if not slash:
            return self._role_of_top_module(top)
        if top in self._hints.names or any(module.startswith(top) for module in self._hints.modules):
            return self._role_within(name)
        if top in _ROLES:
            return self._role_outside(name)
        if not self._hints.declared or self._hints.installed:
            return self._role_within(name)
        if top in _SCRIPT_FOLDERS or not top.isidentifier():
            return self._role_outside(name)
        return self._role_within(name) if top in self._with_packages else self._role_outside(name)

    def _role_of_top_module(self, name: str) -> Role:
        stem = name.partition(".")[0]
        if stem in self._hints.modules or self._hints.installed:
            return "subject"
        if stem in _SCRIPT_FILES or _is_test_file(name):
            return self._role_outside(name)
        has_packages = bool(self._top_packages - _ROLES.keys()) or len(self.import_roots) > 1
        single = self._hints.declared and has_packages and stem not in self._hints.names
        return "script" if single else "subject"

    def _role_outside(self, name: str) -> Role:
        """The role of a file that is no part of the distribution."""
        parts = name.split("/")
        for part in parts[:-1]:
            if part in _ROLES:
                return _ROLES[part]
        return "test" if _is_test_file(parts[-1]) or parts[-1] == "conftest.py" else "script"


def _is_test_file(name: str) -> bool:
    return name.endswith(".py") and (name.startswith("test_") or name.endswith("_test.py"))


def _module_name(path: str) -> str | None:
    """`a/b/__init__.py` is `a.b`; None where a part is no identifier."""
    *folders, last = path.split("/")
    stem = last.partition(".")[0]
    if folders and path.endswith(".pyi"):
        folders[0] = folders[0].removesuffix("-stubs")
    parts = folders if stem == "__init__" else [*folders, stem]
    return ".".join(parts) if parts and all(map(str.isidentifier, parts)) else None


def shadowed(names: Iterable[str]) -> frozenset[str]:
    """Of `a.py` and `a/__init__.py` the first: the package wins, and nothing can import the module."""
    present = set(names)
    return frozenset(each for each in present if each.endswith(".py") and f"{each[:-3]}/__init__.py" in present)
