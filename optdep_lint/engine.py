"""The pipeline on one screen: files to summaries, summaries to worlds, worlds to findings."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from optdep_lint import pool, suppressions
from optdep_lint.cache import Cache, cache_key
from optdep_lint.config import Config
from optdep_lint.discovery import Project, SourceFile, discover
from optdep_lint.facts import codec
from optdep_lint.facts.summary import Fault, Summary
from optdep_lint.findings import Finding, Span
from optdep_lint.metadata import InstalledNames, ProjectMetadata, read_project
from optdep_lint.registry import Registry, load_registry
from optdep_lint.world.declared import Declared
from optdep_lint.world.matrix import Present, declared_matrix, present_matrix, world_matrix
from optdep_lint.world.modules import Source, Tree
from optdep_lint.world.survey import Survey, survey
from optdep_lint.world.worlds import World

__all__ = ["Looked", "Present", "Read", "Report", "check", "expect", "judge", "look", "matrix", "summary_key"]

T = TypeVar("T")
_STACK = 512 * 1024 * 1024
_DEEPEST = 200_000


@dataclass(frozen=True, slots=True)
class Report:
    """What a run has found."""

    findings: tuple[Finding, ...] = ()
    """Selected, not suppressed, in order of their places."""
    suppressed: int = 0
    files: int = 0
    problems: tuple[str, ...] = ()
    """One-line notes on what could not be looked at."""
    looked: tuple[Looked, ...] = field(default=(), compare=False, repr=False)
    """The projects as they were evaluated, for whoever goes on with them."""


@dataclass(frozen=True, slots=True)
class Looked:
    """A project that has been read and evaluated."""

    project: Project
    survey: Survey
    faults: Mapping[str, Fault] = field(default_factory=dict)
    """The files that could not be read or parsed, by relative path."""
    read: Mapping[Path, Read] = field(default_factory=dict, repr=False)
    """What was read."""


class Read(NamedTuple):
    """A file as it was read."""

    key: bytes
    """The cache's key of its bytes; empty where it could not be read."""
    summary: Summary


def check(
    projects: Sequence[Project], config: Config, *, cache: Cache | None = None, jobs: int = 1, noqa: bool = True
) -> Report:
    """Find the faults of some projects; without `noqa`, those too that `# noqa` comments hide.

    Raises:
        MetadataError: where a project's metadata cannot be read.
        ConfigError: where the configuration names a rule that does not exist.
    """
    registry = load_registry()
    reports = [_check_one(project, config, registry, cache, jobs, noqa=noqa) for project in projects]
    return Report(
        tuple(finding for report in reports for finding in report.findings),
        sum(report.suppressed for report in reports),
        sum(report.files for report in reports),
        tuple(problem for report in reports for problem in report.problems),
        tuple(looked for report in reports for looked in report.looked),
    )


def _check_one(
    project: Project, config: Config, registry: Registry, cache: Cache | None, jobs: int, *, noqa: bool
) -> Report:
    return judge(look(project, config, cache=cache, jobs=jobs), config, registry, noqa=noqa)


def judge(looked: Looked, config: Config, registry: Registry | None = None, *, noqa: bool = True) -> Report:
    """What the rules say of a project that has been evaluated."""
    project, registry = looked.project, registry or load_registry()
    enabled = registry.enabled(config)
    reported = {file.relative: file for file in project.files if is_subject(file, config)}
    found = [
        finding
        for rule in enabled
        for finding in _deeply(lambda rule=rule: list(rule.check(looked.survey)))  # type: ignore[misc]
        if finding.path in reported and reported[finding.path].reported
    ]
    codes = {rule.code for rule in enabled}
    found += [finding for finding in _unreadable(looked) if finding.code in codes]
    outcome = suppressions.apply(
        found, lambda path: _text_of(project, path), config, enabled=codes,
        candidates=[path for path, file in reported.items() if file.reported and _is_marked(file)],
        noqa=noqa,
    )  # fmt: skip
    kept = sorted((*outcome.kept, *outcome.unused), key=lambda finding: finding.sort_key)
    warning = suppressions.ruff_removes_our_codes(project.root) if outcome.noqa_paths else None
    problems = (*project.problems, warning) if warning else project.problems
    return Report(tuple(kept), outcome.suppressed, sum(file.reported for file in project.files), problems, (looked,))


def look(
    project: Project, config: Config, *, cache: Cache | None = None, jobs: int = 1, before: Looked | None = None
) -> Looked:
    """Read a project and evaluate it in all its worlds.

    Args:
        project: The files.
        config: Its settings on worlds count.
        cache: Where summaries are kept.
        jobs: How many processes may read files.
        before: An earlier look: files on disk are taken as they were read then.
    """
    read = _read(project, cache, jobs, before)
    tree, faults = _tree(project, config, read)
    declared = Declared(_metadata(project.root, config), tree, config)
    subjects = frozenset(file.module for file in project.files if file.module is not None and is_subject(file, config))
    return Looked(project, _deeply(lambda: survey(tree, declared, config, subjects)), faults, read)


def is_subject(file: SourceFile, config: Config) -> bool:
    """Whether faults in a file are of interest."""
    return file.role == "subject" or config.include_tests


def matrix(
    root: Path, config: Config, *, present: Present | None = None, cache: Cache | None = None, jobs: int = 1
) -> dict[str, object]:
    """What importing each module of a project does, as `optdep-lint matrix --format json` prints it."""
    modules: dict[str, object] = {}
    worlds: dict[str, dict[str, str]] = {}
    for project in discover([root], config):
        tree, _ = read_tree(project, config, cache=cache, jobs=jobs)
        found, statuses = _rows(tree, _metadata(project.root, config), config, present)
        modules |= found
        for world, of_modules in statuses.items():
            worlds.setdefault(world, {}).update(of_modules)
    return {"version": 1, "modules": modules, "worlds": worlds}


def _rows(
    tree: Tree, metadata: ProjectMetadata, config: Config, present: Present | None
) -> tuple[dict[str, Any], dict[str, dict[str, str]]]:
    """The rows of one project's modules, and their statuses in each of its worlds."""
    if present is not None:
        return _deeply(lambda: present_matrix(tree, metadata, config, present)), {}
    return _deeply(lambda: declared_matrix(tree, Declared(metadata, tree, config), config))


def expect(
    project: Project, config: Config, *, cache: Cache | None = None, jobs: int = 1
) -> tuple[World, dict[str, Any]]:
    """The rows of `matrix` in one world: the one without `config.without`, or else the bare one."""
    tree, _ = read_tree(project, config, cache=cache, jobs=jobs)
    declared = Declared(_metadata(project.root, config), tree, config)
    return _deeply(lambda: world_matrix(tree, declared, config.without))


# --- from files to a tree ----------------------------------------------------------------------------------------


def read_tree(
    project: Project, config: Config, *, cache: Cache | None = None, jobs: int = 1
) -> tuple[Tree, dict[str, Fault]]:
    """The modules of a project, and the files that could not be read."""
    return _tree(project, config, _read(project, cache, jobs, None))


def _tree(project: Project, config: Config, read: Mapping[Path, Read]) -> tuple[Tree, dict[str, Fault]]:
    sources: dict[str, Source] = {}
    for file in project.files:
        name = file.module or file.relative.removesuffix(".py").replace("/", ".").replace("-", "_")
        if file.module is not None or is_subject(file, config):
            sources.setdefault(name, Source(name, file.relative, file.is_package, read[file.path].summary))
    stubs = {file.module: read[file.path].summary for file in project.stubs if file.module is not None}
    names = {*sources, *project.extensions}
    parents = {name[:index] for name in names for index, letter in enumerate(name) if letter == "."}
    tree = Tree(sources, project.extensions, stubs, _is_complete(project), frozenset(parents - sources.keys()))
    faults = {file.relative: fault for file in project.files if (fault := read[file.path].summary.fault) is not None}
    return tree, faults


def _is_complete(project: Project) -> bool:
    """Nothing will be generated: the project is an unpacked wheel."""
    return any(project.root.glob("*.dist-info"))


def summary_key(content: bytes) -> bytes:
    """The cache's key of a file's bytes."""
    return cache_key(f"summary {codec.SCHEMA}", content)


def _read(project: Project, cache: Cache | None, jobs: int, before: Looked | None) -> dict[Path, Read]:
    """The summaries of all files, from an earlier look or the cache where their content is known."""
    known = before.read if before is not None else {}
    found: dict[Path, Read] = {}
    cold: list[tuple[Path, bytes, bytes]] = []
    for file in (*project.files, *project.stubs):
        earlier = known.get(file.path)
        if earlier is not None and file.content is None:
            found[file.path] = earlier
            continue
        try:
            content = file.content if file.content is not None else file.path.read_bytes()
        except OSError as error:
            found[file.path] = Read(b"", Summary(fault=Fault(1, 1, f"cannot be read: {error.strerror or error}")))
            continue
        key = summary_key(content)
        summary = earlier.summary if earlier is not None and earlier.key == key else _from_cache(cache, key)
        if summary is None:
            cold.append((file.path, key, content))
        else:
            found[file.path] = Read(key, summary)
    results = pool.run(_summarize_bytes, [content for _, _, content in cold], jobs=jobs if len(cold) > _FEW else 1)
    for (path, key, _), result in zip(cold, results, strict=True):
        if isinstance(result, pool.Failed):
            found[path] = Read(key, Summary(fault=Fault(1, 1, result.reason)))
            continue
        found[path] = Read(key, codec.decode(result))
        if cache is not None:
            cache.put(key, result)
    return found


_FEW = 40
"""Fewer files than this are read here: starting processes costs more."""


def _from_cache(cache: Cache | None, key: bytes) -> Summary | None:
    data = cache.get(key) if cache is not None else None
    if data is None:
        return None
    try:
        return codec.decode(data)
    except (ValueError, EOFError, TypeError):
        return None


def _summarize_bytes(content: bytes) -> bytes:
    from optdep_lint.summarize import summarize

    return codec.encode(summarize(content))


def _metadata(root: Path, config: Config) -> ProjectMetadata:
    installed = InstalledNames.from_python(config.python) if config.python is not None else None
    return read_project(root, name_map=config.package_module_name_map, installed=installed)


# --- from findings to a report -----------------------------------------------------------------------------------


def _unreadable(looked: Looked) -> Iterator[Finding]:
    """OPD902 for every file that no Python could run."""
    for file in looked.project.files:
        fault = looked.faults.get(file.relative)
        if fault is not None and file.reported:
            span = Span(fault.line, fault.column, fault.line, fault.column)
            yield Finding("OPD902", "syntax-error", file.relative, span, fault.message)


def _text_of(project: Project, path: str) -> str | None:
    for file in project.files:
        if file.relative == path:
            try:
                content = file.content if file.content is not None else file.path.read_bytes()
            except OSError:
                return None
            return decode_source(content)
    return None


def decode_source(content: bytes) -> str:
    """A source file's text, by BOM or cookie; what cannot be decoded is replaced."""
    import io
    import tokenize

    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        return content.decode(encoding, "replace")
    except (SyntaxError, LookupError):
        return content.decode("utf-8", "replace")


def _is_marked(file: SourceFile) -> bool:
    try:
        content = file.content if file.content is not None else file.path.read_bytes()
    except OSError:
        return False
    return any(marker in content for marker in suppressions.MARKERS)


def _deeply(act: Callable[[], T]) -> T:
    """Do something that may nest deeply, such as following a long chain of imports."""
    results: list[T] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            results.append(act())
        except BaseException as error:  # noqa: BLE001  # raised again in the calling thread
            errors.append(error)

    limit, size = sys.getrecursionlimit(), threading.stack_size(_STACK)
    sys.setrecursionlimit(_DEEPEST)
    try:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    finally:
        sys.setrecursionlimit(limit)
        threading.stack_size(size)
    if errors:
        raise errors[0]
    return results[0]
