"""Which Python files lie below a project's root, less what is excluded?"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field

from optdep_lint.discovery.globs import Patterns, compile_patterns
from optdep_lint.discovery.roots import declares_project, has_setup, read_bytes

EXCLUDED = frozenset(
    ".bzr .direnv .eggs .git .git-rewrite .hg .ipynb_checkpoints .mypy_cache .nox .optdep_lint_cache .pants.d .pyenv "
    ".pytest_cache .pytype .ruff_cache .svn .tox .venv .vscode __pycache__ __pypackages__ node_modules site-packages".split()
)
EXCLUDED_UNLESS_PACKAGE = frozenset("_build buck-out build dist venv".split())
SOURCES = (".py", ".pyw")
COMPILED = (".so", ".pyd", ".pyx")
_ALL = (*SOURCES, ".pyi", *COMPILED)
ROLE_FOLDERS = frozenset("tests test docs doc examples example samples benchmarks benchmark scripts tools".split())


@dataclass(slots=True)
class Tree:
    """What was found below `root`; paths are POSIX and relative to it."""

    root: str
    files: list[tuple[str, bool]] = field(default_factory=list)
    """Sources, stubs and compiled modules, each with whether it is excluded (there, but not to be reported)."""
    packages: set[str] = field(default_factory=set)
    """Folders with an `__init__.py`."""
    nested: list[str] = field(default_factory=list)
    """Absolute paths of other projects below this one."""
    problems: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Exclusions:
    """What a walk leaves out beside the default folders."""

    user: Patterns
    respect_gitignore: bool
    asked: frozenset[str] = frozenset()
    """Absolute paths of folders that were named, and of those above them: these are looked at all the same."""
    named: frozenset[str] = frozenset()
    """Those of them that were named."""


@dataclass(frozen=True, slots=True)
class _Ignore:
    """A .gitignore: it sees a path less its first `cut` characters, behind `prefix` (the way down to the root)."""

    patterns: Patterns
    cut: int = 0
    prefix: str = ""


@dataclass(frozen=True, slots=True)
class _Folder:
    path: str
    relative: str
    """Empty for the root, else with a closing slash."""
    ignores: tuple[_Ignore, ...]
    """The .gitignore files that count here, innermost first."""
    excluded: bool
    unless_package: bool = False


def walk(root: str, exclusions: Exclusions, *, split_setup: bool) -> Tree:
    """Every Python file below `root`; symlinks are followed only to what lies below `root` and was not met otherwise.

    With `split_setup`, folders with a `setup.py` are projects of their own: `root` is just a folder that holds several.
    """
    walker = _Walker(Tree(root), exclusions, split_setup=split_setup)
    above = _ignores_above(root) if exclusions.respect_gitignore else ()
    walker.visit(_Folder(root, "", above, excluded=False))
    walker.follow_links()
    walker.tree.files.sort()
    return walker.tree


def _read_patterns(folder: str) -> Patterns:
    text = read_bytes(os.path.join(folder, ".gitignore")).decode("utf-8", "replace")
    return compile_patterns(text.splitlines())


def _ignores_above(root: str) -> tuple[_Ignore, ...]:
    """The .gitignore files from the top of the git checkout down to `root`; none where they leave `root` itself out."""
    ignores: list[_Ignore] = []
    folder, prefix = root, ""
    while not os.path.exists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return ()
        prefix = f"{os.path.basename(folder)}/{prefix}"
        folder = above
        patterns = _read_patterns(folder)
        if patterns.matches(prefix + "x"):
            return ()
        if patterns.lines:
            ignores.append(_Ignore(patterns, 0, prefix))
    return tuple(ignores)


class _Walker:
    """One walk in progress."""

    def __init__(self, tree: Tree, exclusions: Exclusions, *, split_setup: bool) -> None:
        self.tree = tree
        self._exclusions = exclusions
        self._split_setup = split_setup
        self._links: list[tuple[os.DirEntry[str], _Folder]] = []
        self._real_folders: set[str] = set()

    def visit(self, start: _Folder) -> None:
        stack = [start]
        while stack:
            folder = stack.pop()
            try:
                with os.scandir(folder.path) as entries:
                    listing = list(entries)
            except OSError as error:
                self.tree.problems.append(f"{folder.path}: cannot list: {error.strerror or error}")
                continue
            self._real_folders.add(folder.relative)
            names = frozenset(entry.name for entry in listing)
            if not self._leaves_out_folder(folder, names):
                self._visit_entries(self._enter(folder, names), listing, stack)

    def _leaves_out_folder(self, folder: _Folder, names: frozenset[str]) -> bool:
        if not folder.relative:
            return False
        if "pyvenv.cfg" in names or (folder.unless_package and "__init__.py" not in names):
            return True
        in_role = not ROLE_FOLDERS.isdisjoint(folder.relative.split("/"))
        if in_role or folder.excluded:
            return False
        if declares_project(folder.path, names) or (self._split_setup and has_setup(folder.path, names)):
            self.tree.nested.append(folder.path)
            return True
        return False

    def _enter(self, folder: _Folder, names: frozenset[str]) -> _Folder:
        if "__init__.py" in names:
            self.tree.packages.add(folder.relative.rstrip("/"))
        if ".gitignore" not in names or not self._exclusions.respect_gitignore:
            return folder
        ignores = (_Ignore(_read_patterns(folder.path), len(folder.relative)), *folder.ignores)
        return _Folder(folder.path, folder.relative, ignores, folder.excluded)

    def _visit_entries(self, folder: _Folder, listing: Sequence[os.DirEntry[str]], stack: list[_Folder]) -> None:
        for entry in listing:
            if entry.is_symlink():
                self._links.append((entry, folder))
            elif entry.is_dir(follow_symlinks=False):
                below = self._below(folder, entry)
                if below is not None:
                    stack.append(below)
            elif entry.name.endswith(_ALL):
                self._add(folder, entry.name)

    def _below(self, folder: _Folder, entry: os.DirEntry[str]) -> _Folder | None:
        relative = f"{folder.relative}{entry.name}"
        if entry.path in self._exclusions.asked:
            excluded = folder.excluded and entry.path not in self._exclusions.named
            return _Folder(entry.path, relative + "/", folder.ignores, excluded)
        if entry.name in EXCLUDED:
            return None
        if self._is_ignored(relative, folder, is_folder=True):
            return None
        excluded = folder.excluded or bool(self._exclusions.user.verdict(relative, folder=True))
        return _Folder(entry.path, relative + "/", folder.ignores, excluded, entry.name in EXCLUDED_UNLESS_PACKAGE)

    def _add(self, folder: _Folder, name: str) -> None:
        relative = folder.relative + name
        excluded = folder.excluded or bool(self._exclusions.user.verdict(relative, folder=False))
        if self._is_ignored(relative, folder, is_folder=False):
            if folder.relative.rstrip("/") not in self.tree.packages:
                return
            excluded = True  # A generated module such as `_version.py` is there for those who import it.
        self.tree.files.append((relative, excluded))

    def _is_ignored(self, relative: str, folder: _Folder, *, is_folder: bool) -> bool:
        for ignore in folder.ignores:
            verdict = ignore.patterns.verdict(ignore.prefix + relative[ignore.cut :], folder=is_folder)
            if verdict is not None:
                return verdict
        return False

    def follow_links(self) -> None:
        """Visits what only links reach; links met on the way are followed in turn, each real folder once."""
        real_root = os.path.realpath(self.tree.root)
        seen_files = {name for name, _ in self.tree.files}
        while self._links:
            entry, folder = self._links.pop()
            target = os.path.realpath(entry.path)
            if not target.startswith(real_root + os.sep):
                continue
            relative = os.path.relpath(target, real_root).replace(os.sep, "/")
            if os.path.isdir(target):
                below = self._below(folder, entry)
                if below is not None and relative + "/" not in self._real_folders:
                    self._real_folders.add(relative + "/")
                    self.visit(below)
            elif entry.name.endswith(_ALL) and relative not in seen_files and os.path.isfile(target):
                seen_files.add(relative)
                self._add(folder, entry.name)
