"""From a folder to what its project declares: the sources, in order, and their import names."""

from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING

from optdep_lint.metadata.declarations import Declarations, Declared
from optdep_lint.metadata.environments import supported_versions
from optdep_lint.metadata.import_names import ImportNames
from optdep_lint.metadata.lock_files import (
    Graph,
    LockFacts,
    brought_by,
    graph_from_requires,
    read_lock_files,
)
from optdep_lint.metadata.markers import all_of, marker_text, split_extras
from optdep_lint.metadata.model import (
    ProjectMetadata,
    Requirement,
    bring_key,
)
from optdep_lint.metadata.names import normalized
from optdep_lint.metadata.platform_requirements import read_platform_requirements

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from pathlib import Path

    from optdep_lint.metadata.installed import InstalledNames


def read_project(
    root: Path,
    *,
    name_map: Mapping[str, Sequence[str]] = MappingProxyType({}),
    installed: InstalledNames | None = None,
) -> ProjectMetadata:
    """Read what the project in ``root`` declares; nothing of it is imported or run.

    ``name_map`` (distribution to import roots) and then ``installed`` go before the shipped table
    of import names. A file that cannot be read, broken syntax and wrong types raise
    `MetadataError`; what can be skipped lands in ``problems``.
    """
    declarations = _declarations(root)
    names = ImportNames.with_user_map(name_map, installed)
    requirements = tuple(dict.fromkeys(_requirements(declarations, names)))
    locked = read_lock_files(root, supported_versions(declarations.requires_python))
    platforms = read_platform_requirements(root)
    problems = (
        *declarations.problems,
        *locked.problems,
        *(problem for one in platforms.values() for problem in one.problems),
    )
    return ProjectMetadata(
        root=root,
        name=declarations.name,
        version=declarations.version,
        requires_python=declarations.requires_python,
        named_pythons=declarations.named_pythons,
        requirements=requirements,
        entry_points=declarations.entry_points,
        extras=tuple(_by_normalized(declarations.extras).values()),
        sources=declarations.sources + locked.sources,
        package_dirs=declarations.package_dirs,
        top_level=declarations.top_level,
        bring=_bring(requirements, locked, installed),
        platform_requirements={word: tuple(_requirements(one, names)) for word, one in platforms.items()},
        problems=tuple(dict.fromkeys(problems)),
    )


def _declarations(root: Path) -> Declarations:
    """Join the sources, highest first: what was built, what is written, what would have to be run."""
    found = Declarations()
    for read in _readers(root):
        found = found.joined(read(root))
    if not found.declared:
        from optdep_lint.metadata.read_built import read_egg_info

        found = found.joined(read_egg_info(root))  # may be stale: counts where nothing else does
    return found


def _readers(root: Path) -> Iterator[Callable[[Path], Declarations]]:
    """Yield the readers of the files that are there; importing one costs more than asking for its file."""
    present = {entry.name for entry in root.iterdir()} if root.is_dir() else set[str]()
    if "PKG-INFO" in present or any(name.endswith(".dist-info") for name in present):
        from optdep_lint.metadata.read_built import read_wheel

        yield read_wheel
    if "pyproject.toml" in present:
        from optdep_lint.metadata.read_pyproject import read_pyproject

        yield read_pyproject
    if "PKG-INFO" in present:
        from optdep_lint.metadata.read_built import read_sdist

        yield read_sdist
    if "setup.cfg" in present:
        from optdep_lint.metadata.read_setup_cfg import read_setup_cfg

        yield read_setup_cfg
    if "setup.py" in present:
        from optdep_lint.metadata.read_setup_py import read_setup_py

        yield read_setup_py


def _requirements(declarations: Declarations, names: ImportNames) -> Iterator[Requirement]:
    spelled = _by_normalized(declarations.extras)
    split = [part for one in declarations.declared for part in _split(one, spelled)]
    for one in _without_self_references(split, declarations.name):
        dependency = one.dependency
        roots, source = names.roots_of(dependency.name, dependency.specifier)
        yield Requirement(
            distribution=normalized(dependency.name),
            specifier=dependency.specifier,
            marker=None if dependency.marker is None else marker_text(dependency.marker),
            extra=one.extra,
            group=one.group,
            roots=roots,
            roots_source=source,
            path=one.path,
            line=one.line,
            requested_extras=dependency.extras,
        )


def _by_normalized(extras: Iterable[str]) -> dict[str, str]:
    """Map normalized extras to their first spelling: some projects declare two of one extra."""
    spelled: dict[str, str] = {}
    for extra in extras:
        spelled.setdefault(normalized(extra), extra)
    return spelled


def _split(one: Declared, spelled: Mapping[str, str]) -> Iterator[Declared]:
    """Move the extra clause of the marker into ``extra``; a declared extra keeps its spelling."""
    for extra, marker in split_extras(one.dependency.marker):
        dependency = replace(one.dependency, marker=marker)
        under = one.extra or extra
        named = under if under is None else spelled.get(normalized(under), under)
        yield replace(one, dependency=dependency, extra=named)


def _without_self_references(split: Sequence[Declared], name: str | None) -> Iterator[Declared]:
    """Put what the extras bring in place of the project's own name, as in ``acme[all]``."""
    for one in split:
        if name is None or normalized(one.dependency.name) != normalized(name):
            yield one
        elif one.extra is not None or one.group is not None:
            yield from _referred(one, split, normalized(name), frozenset())


def _referred(one: Declared, split: Sequence[Declared], name: str, through: frozenset[str]) -> Iterator[Declared]:
    wanted = {normalized(extra) for extra in one.dependency.extras} - through
    for other in split:
        if other.extra is None or normalized(other.extra) not in wanted:
            continue
        markers = [m for m in (one.dependency.marker, other.dependency.marker) if m is not None]
        dependency = replace(other.dependency, marker=all_of(markers) if markers else None)
        moved = replace(one, dependency=dependency)
        if normalized(dependency.name) == name:
            yield from _referred(moved, split, name, through | wanted)
        else:
            yield moved


def _bring(
    requirements: Iterable[Requirement], locked: LockFacts, installed: InstalledNames | None
) -> dict[str, frozenset[str]]:
    """Say what each requirement brings: by the lock file, else by installed metadata."""
    graph: Graph = graph_from_requires(installed.requires.items()) if installed else {}
    in_lock = {name for name, _ in locked.graph}
    graph = {key: wanted for key, wanted in graph.items() if key[0] not in in_lock}
    graph.update(locked.graph)
    found: dict[str, frozenset[str]] = {}
    for one in requirements:
        for extras in {(), one.requested_extras}:
            brought = brought_by(graph, (one.distribution, tuple(map(normalized, extras))))
            if brought:
                found[bring_key(one.distribution, extras)] = brought
    return found
