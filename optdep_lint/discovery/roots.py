"""Which folder is the project that owns a path, and where does its metadata say that its packages are?"""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import ast

_DECLARES = re.compile(
    rb"^\s*\[\s*(?:project|tool\s*\.\s*poetry|tool\s*\.\s*flit\s*\.\s*metadata)\s*(?:\]|$)", re.MULTILINE
)
"""Also with a bracket missing: a broken file has to be found to be told of."""
_SETUP_CFG_DECLARES = re.compile(rb"^\[(?:metadata|options)\]", re.MULTILINE)


def read_bytes(path: str) -> bytes:
    """The content of a file, or nothing where it cannot be read."""
    try:
        with open(path, "rb") as stream:
            return stream.read()
    except OSError:
        return b""


def declares_project(folder: str, names: frozenset[str]) -> bool:
    """Whether `folder`, which holds `names`, is a distribution by itself: a `[project]` table, a wheel, an sdist."""
    if "PKG-INFO" in names or any(name.endswith(".dist-info") for name in names):
        return not os.path.isfile(os.path.join(os.path.dirname(folder), "__init__.py"))  # Not `setuptools/_vendor`.
    if "pyproject.toml" not in names or ("__init__.py" in names and _is_installed(os.path.dirname(folder))):
        return False
    return _DECLARES.search(read_bytes(os.path.join(folder, "pyproject.toml"))) is not None


def _is_installed(folder: str) -> bool:
    """Whether packages are installed in a folder: one that ships its own `pyproject.toml` is no other project for that."""
    return any(name.endswith(".dist-info") for name in list_names(folder))


def has_setup(folder: str, names: frozenset[str]) -> bool:
    """Whether `folder` is a setuptools project of the old kind; `setup.py` within a package is an ordinary module."""
    if "__init__.py" in names:
        return False
    if "setup.py" in names:
        return True
    return (
        "setup.cfg" in names and _SETUP_CFG_DECLARES.search(read_bytes(os.path.join(folder, "setup.cfg"))) is not None
    )


def list_names(folder: str) -> frozenset[str]:
    """The names in a folder, none where it cannot be read."""
    try:
        return frozenset(os.listdir(folder))
    except OSError:
        return frozenset()


def find_project_root(path: Path) -> Path:
    """The folder of the distribution that owns `path`.

    The nearest folder with a `[project]` table or with the metadata of an unpacked wheel or sdist, else the nearest with
    `setup.py` or `setup.cfg`, else the folder itself, or the first above it that is not a package. The search ends where
    a git checkout does.
    """
    folder = os.path.abspath(path)
    if not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    folder = _unwrap(folder)
    weak = None
    for each in (folder, *map(str, Path(folder).parents)):
        names = list_names(each)
        if declares_project(each, names):
            return Path(each)
        if weak is None and has_setup(each, names):
            weak = each
        if ".git" in names:
            break
    if weak is not None:
        return Path(weak)
    while os.path.isfile(os.path.join(folder, "__init__.py")):
        folder = os.path.dirname(folder)
    return Path(folder)


def _unwrap(folder: str) -> str:
    """The one project inside a folder that holds nothing else, as unpacking an sdist leaves it."""
    names = [name for name in list_names(folder) if not name.startswith(".")]
    inner = [os.path.join(folder, name) for name in names if os.path.isdir(os.path.join(folder, name))]
    if len(inner) != 1 or any(name.endswith((".py", ".toml")) for name in names):
        return folder
    inner_names = list_names(inner[0])
    is_project = declares_project(inner[0], inner_names) or has_setup(inner[0], inner_names)
    return inner[0] if is_project and not declares_project(folder, frozenset(names)) else folder


@dataclass(frozen=True, slots=True)
class Hints:
    """What the metadata says about the layout; nothing where it says nothing."""

    source_roots: tuple[str, ...] = ()
    """Folders below the root that packages lie in, POSIX; the empty string is the root itself."""
    modules: frozenset[str] = frozenset()
    """Single modules that the distribution has at its root."""
    names: frozenset[str] = frozenset()
    """What the distribution's own name makes likely as the name of its package."""
    declared: bool = False
    """Whether this is a distribution at all."""
    installed: bool = False
    """Whether this is an unpacked wheel, or a site-packages folder."""


def read_hints(root: str) -> Hints:
    """The hints in the metadata of a project; broken metadata gives none here (its own reader reports it)."""
    names = list_names(root)
    if any(name.endswith(".dist-info") for name in names):
        return Hints(declared=True, installed=True)
    declared = declares_project(root, names) or has_setup(root, names)
    folders: list[str] = []
    modules: set[str] = set()
    own: set[str] = set()
    if "pyproject.toml" in names:
        _from_pyproject(root, folders, modules, own)
    if "setup.cfg" in names:
        _from_setup_cfg(read_bytes(os.path.join(root, "setup.cfg")).decode("utf-8", "replace"), folders, modules, own)
    if "setup.py" in names:
        _from_setup_py(read_bytes(os.path.join(root, "setup.py")), folders, modules, own)
    cleaned = (folder.replace("\\", "/").strip("/").removeprefix("./") for folder in folders)
    roots = dict.fromkeys("" if folder == "." else folder for folder in cleaned)
    return Hints(tuple(roots), frozenset(modules), _likely_names(own), declared)


def _likely_names(own: set[str]) -> frozenset[str]:
    """Of `Google-Cloud-Storage`: `google_cloud_storage` and `google`."""
    whole = {re.sub(r"[-_.]+", "_", name.lower()) for name in own}
    return frozenset(whole | {re.split(r"[-_.]", name.lower())[0] for name in own})


_NAMES: tuple[tuple[str, ...], ...] = (
    ("project", "name"),
    ("tool", "poetry", "name"),
    ("tool", "flit", "module", "name"),
)
_PACKAGE_PATHS: tuple[tuple[str, ...], ...] = (
    ("hatch", "build", "targets", "wheel", "packages"),
    ("hatch", "build", "packages"),
    ("scikit-build", "wheel", "packages"),
)
_SOURCE_ROOTS: tuple[tuple[str, ...], ...] = (
    ("setuptools", "packages", "find", "where"),
    ("pdm", "build", "package-dir"),
    ("maturin", "python-source"),
    ("uv", "build-backend", "module-root"),
)


def _from_pyproject(root: str, folders: list[str], modules: set[str], own: set[str]) -> None:
    from optdep_lint.config import ConfigError, read_toml

    try:
        content = read_toml(Path(root, "pyproject.toml"))
    except ConfigError:
        return
    tool = content.get("tool")
    for keys in _NAMES:
        own.update(_texts(_get(content, *keys)))
    if not isinstance(tool, dict):
        return
    package_dir = _get(tool, "setuptools", "package-dir")
    if isinstance(package_dir, dict):
        folders += _texts(package_dir.get(""))
    modules.update(_texts(_get(tool, "setuptools", "py-modules")))
    for keys in _PACKAGE_PATHS:
        folders += [os.path.dirname(each.rstrip("/")) for each in _texts(_get(tool, *keys))]
    for keys in _SOURCE_ROOTS:
        folders += _texts(_get(tool, *keys))
    packages = _get(tool, "poetry", "packages")
    for each in packages if isinstance(packages, list) else ():
        if isinstance(each, dict):
            folders += _texts(each.get("from", ""))


def _get(table: object, *path: str) -> object:
    for key in path:
        table = table.get(key) if isinstance(table, dict) else None
    return table


def _texts(value: object) -> list[str]:
    each = value if isinstance(value, list) else [value]
    return [text for text in each if isinstance(text, str)]


def _from_setup_cfg(text: str, folders: list[str], modules: set[str], own: set[str]) -> None:
    import configparser

    parser = configparser.RawConfigParser(strict=False)
    try:
        parser.read_string(text)
    except configparser.Error:
        return
    for line in parser.get("options", "package_dir", fallback="").splitlines():
        key, equals, value = line.partition("=")
        if equals and not key.strip():
            folders.append(value.strip())
    folders += parser.get("options.packages.find", "where", fallback="").split()
    modules.update(re.findall(r"[\w.]+", parser.get("options", "py_modules", fallback="")))
    own.update(parser.get("metadata", "name", fallback="").split())


def _from_setup_py(content: bytes, folders: list[str], modules: set[str], own: set[str]) -> None:
    """Literal arguments of `setup(...)` and `find_packages(...)`; parsed with `ast`, never run."""
    import ast

    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) == "find_packages":
            given = [*node.args[:1], *(keyword.value for keyword in node.keywords if keyword.arg == "where")]
            folders += [text for each in given for text in _texts(_literal(each))]
        if not isinstance(node, ast.keyword) or node.arg not in ("package_dir", "py_modules", "name"):
            continue
        value = _literal(node.value)
        if node.arg == "package_dir":
            folders += _texts(value.get("") if isinstance(value, dict) else None)
        else:
            (modules if node.arg == "py_modules" else own).update(_texts(value))


def _literal(node: ast.expr) -> object:
    import ast

    try:
        return ast.literal_eval(node)
    except (ValueError, TypeError, SyntaxError, RecursionError):
        return None
