"""Which projects do the given paths belong to, which files do they have, and which modules do these make?"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from optdep_lint.config import Config
from optdep_lint.discovery.globs import compile_patterns
from optdep_lint.discovery.modules import Layout, Place, Role, shadowed
from optdep_lint.discovery.roots import Hints, find_project_root, read_hints
from optdep_lint.discovery.walk import COMPILED, Exclusions, Tree, walk

__all__ = ["DiscoveryError", "Project", "Role", "SourceFile", "discover", "find_project_root", "with_unsaved"]


class DiscoveryError(Exception):
    """A path that cannot be looked at; the text is one line naming it."""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One Python file of a project."""

    path: Path
    relative: str
    """POSIX, relative to the project's root."""
    module: str | None
    """The dotted name that imports it, or None where nothing does (a script, a test outside a package)."""
    is_package: bool
    role: Role
    reported: bool
    """Whether the user asked for it: it lies below a given path, and is not excluded."""
    content: bytes | None = None
    """What to read instead of the file: text from standard input or an editor that is not saved yet."""


@dataclass(frozen=True, slots=True)
class Project:
    """A distribution and all its files, whichever of them were asked for."""

    root: Path
    files: tuple[SourceFile, ...]
    stubs: tuple[SourceFile, ...] = ()
    """The `.pyi` files: facts, never subjects."""
    extensions: frozenset[str] = frozenset()
    """Dotted names of compiled modules."""
    import_roots: tuple[str, ...] = ("",)
    """Folders that belong on `sys.path`, POSIX and relative to the root."""
    problems: tuple[str, ...] = ()
    """One-line notes on what could not be looked at."""


def with_unsaved(projects: Sequence[Project], path: Path, content: bytes) -> Project:
    """The project that owns `path`, which need not exist, with `content` in its place and nothing else reported."""
    absolute = Path(os.path.abspath(path))
    for project in projects:
        if any(file.path == absolute for file in project.files):
            files = (
                replace(file, content=content if file.path == absolute else None, reported=file.path == absolute)
                for file in project.files
            )
            return replace(project, files=tuple(files))
    root = find_project_root(absolute.parent)
    relative = os.path.relpath(absolute, root).replace(os.sep, "/")
    stray = SourceFile(absolute, relative, None, is_package=False, role="subject", reported=True, content=content)
    owner = next((each for each in projects if each.root == root), Project(root, ()))
    others = tuple(replace(file, reported=False) for file in owner.files)
    return replace(owner, files=(*others, stray))


@dataclass(frozen=True, slots=True)
class _Request:
    """The given paths, absolute."""

    folders: tuple[str, ...]
    files: frozenset[str]
    force_exclude: bool

    def asks_for(self, path: str, *, excluded: bool) -> bool:
        if path in self.files and not (excluded and self.force_exclude):
            return True
        return not excluded and any(path.startswith(folder) for folder in self.folders)

    def asked_folders(self) -> tuple[frozenset[str], frozenset[str]]:
        """The named folders with those above them, and the named ones alone; none where exclusion is forced."""
        named = frozenset() if self.force_exclude else frozenset(folder.rstrip(os.sep) for folder in self.folders)
        return named.union(*(map(str, Path(folder).parents) for folder in named)), named

    def touches(self, root: str) -> bool:
        """Whether something below `root`, or `root` itself, was asked for."""
        prefix = root + os.sep
        return any(prefix.startswith(folder) or folder.startswith(prefix) for folder in self.folders) or any(
            path.startswith(prefix) for path in self.files
        )


def discover(
    paths: Sequence[Path], config: Config, *, respect_gitignore: bool = True, force_exclude: bool = False
) -> tuple[Project, ...]:
    """The projects that own `paths`, sorted by root; a project without a file that was asked for is left out.

    A given file limits what is reported: the files of its whole project are listed. Raises DiscoveryError for a path
    that is not there.
    """
    request = _read_request(paths, force_exclude=force_exclude or config.force_exclude)
    exclusions = Exclusions(
        compile_patterns(config.exclude), respect_gitignore and config.respect_gitignore, *request.asked_folders()
    )
    pending = sorted({str(find_project_root(path)) for path in paths}, reverse=True)
    projects: dict[str, Project] = {}
    while pending:
        root = pending.pop()
        if root in projects or not request.touches(root):
            continue
        hints = read_hints(root)
        tree = walk(root, exclusions, split_setup=not hints.declared)
        pending += tree.nested
        projects[root] = _make_project(tree, hints, request)
    found = _with_strays(projects, request)
    return tuple(
        each for _, each in sorted(found.items()) if each.problems or any(file.reported for file in each.files)
    )


def _read_request(paths: Iterable[Path], *, force_exclude: bool) -> _Request:
    folders, files = [], set()
    for path in paths:
        absolute = os.path.abspath(path)
        if os.path.isdir(absolute):
            folders.append(absolute.rstrip(os.sep) + os.sep)
        elif not os.path.exists(absolute):
            raise DiscoveryError(f"{path}: no such file or directory")
        elif os.path.basename(absolute) == "pyproject.toml":
            folders.append(os.path.dirname(absolute) + os.sep)  # What it declares matters to every file.
        else:
            files.add(absolute)
    return _Request(tuple(folders), frozenset(files), force_exclude)


def _make_project(tree: Tree, hints: Hints, request: _Request) -> Project:
    layout = Layout(tree, hints)
    hidden = shadowed(name for name, _ in tree.files)
    files: list[SourceFile] = []
    stubs: list[SourceFile] = []
    extensions = set()
    for name, excluded in tree.files:
        place = layout.place(name)
        if name in hidden:
            place = Place(None, False, place.role)
        if name.endswith(COMPILED):
            extensions.add(place.module)
            continue
        path = os.path.join(tree.root, name)
        reported = request.asks_for(path, excluded=excluded)
        file = SourceFile(Path(path), name, place.module, place.is_package, place.role, reported)
        (stubs if name.endswith(".pyi") else files).append(file)
    compiled = frozenset(each for each in extensions if each is not None)
    return Project(Path(tree.root), tuple(files), tuple(stubs), compiled, layout.import_roots, tuple(tree.problems))


def _with_strays(projects: dict[str, Project], request: _Request) -> dict[str, Project]:
    """Adds the files that were named but that no walk met: without a suffix, in an excluded folder, behind a link."""
    found = dict(projects)
    met = {str(file.path) for project in found.values() for file in (*project.files, *project.stubs)}
    for path in sorted(request.files - met):
        if request.force_exclude and path.endswith(".py"):
            continue
        root = str(find_project_root(Path(path)))
        relative = os.path.relpath(path, root).replace(os.sep, "/")
        stray = SourceFile(Path(path), relative, None, False, "script", reported=True)
        project = found.get(root, Project(Path(root), ()))
        found[root] = replace(project, files=(*project.files, stray))
    return found
