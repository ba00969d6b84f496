"""The pipeline on one screen: files to summaries, summaries to worlds, worlds to findings."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from optdep_lint import recall, suppressions
from optdep_lint.cache import Cache
from optdep_lint.config import Config
from optdep_lint.discovery import Project, SourceFile, discover
from optdep_lint.findings import Finding, Span
from optdep_lint.metadata import InstalledNames, ProjectMetadata, read_project
from optdep_lint.pool import Workers, apart, deeply
from optdep_lint.recall import Found, Read, content_of, is_subject
from optdep_lint.registry import Registry, load_registry
from optdep_lint.rules import Rule

if TYPE_CHECKING:  # a run that finds everything in the cache never enters these rooms
    from concurrent.futures import Executor

    from optdep_lint.facts.summary import Fault
    from optdep_lint.world.matrix import Present
    from optdep_lint.world.modules import Tree
    from optdep_lint.world.survey import Survey
    from optdep_lint.world.worlds import World

__all__ = ["Looked", "Report", "check", "expect", "judge", "look", "matrix", "whole_tree"]


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
    """The projects as they were evaluated, for whoever goes on with them; none where all was known from earlier runs."""
    cache: Cache | None = field(default=None, compare=False, repr=False)
    """What earlier runs have kept, for whoever has to look again."""


@dataclass(frozen=True, slots=True)
class Looked:
    """A project that has been read and evaluated."""

    project: Project
    survey: Survey
    faults: Mapping[str, Fault] = field(default_factory=dict)
    """The files that could not be read or parsed, by relative path."""
    read: Mapping[Path, Read] = field(default_factory=dict, repr=False)
    """What was read."""


def check(
    projects: Sequence[Project],
    config: Config,
    *,
    cache: Cache | None = None,
    jobs: int = 1,
    noqa: bool = True,
    executor: Executor | None = None,
) -> Report:
    """Find the faults of some projects; without `noqa`, those too that `# noqa` comments hide.

    What has to be done for each file is done by the workers of `executor`, be they threads or on other machines; without
    one, by `jobs` processes of our own, or by this one.

    Raises:
        MetadataError: where a project's metadata cannot be read.
        ConfigError: where the configuration names a rule that does not exist.
    """
    registry = load_registry()
    workers = Workers(cache, jobs, executor)
    reports = [_check_one(project, config, registry, workers, noqa=noqa) for project in projects]
    return Report(
        tuple(finding for report in reports for finding in report.findings),
        sum(report.suppressed for report in reports),
        sum(report.files for report in reports),
        tuple(problem for report in reports for problem in report.problems),
        tuple(looked for report in reports for looked in report.looked),
    )


def _check_one(project: Project, config: Config, registry: Registry, workers: Workers, *, noqa: bool) -> Report:
    codes = {rule.code for rule in registry.enabled(config)}
    metadata, digests = _metadata(project.root, config), recall.digests_of(project)
    key = recall.key_of(project, digests, metadata, config, codes - _FROM_ELSEWHERE)
    found, looked = recall.recalled(workers.cache, key, recall.decode), None
    if found is None:
        from optdep_lint.reading import read_files

        read = read_files(project, workers, digests, subjects=config)
        looked = _evaluate(project, config, read, metadata, workers.jobs)
        found = find(looked, config, registry, workers.jobs)
        data = recall.encode(found)
        if workers.cache is not None and data is not None:
            workers.cache.put(key, data)
    report = _report(project, found, config, codes, noqa=noqa)
    return replace(report, looked=(looked,) if looked is not None else (), cache=workers.cache)


def judge(
    looked: Looked, config: Config, registry: Registry | None = None, *, noqa: bool = True, jobs: int = 1
) -> Report:
    """What the rules say of a project that has been evaluated."""
    registry = registry or load_registry()
    codes = {rule.code for rule in registry.enabled(config)}
    report = _report(looked.project, find(looked, config, registry, jobs), config, codes, noqa=noqa)
    return replace(report, looked=(looked,))


def find(looked: Looked, config: Config, registry: Registry, jobs: int = 1) -> Found:
    """All that the enabled rules find in a project, in whichever of its files, in so many copies of this process.

    What a rule has found is kept with what it has looked at: for another choice of rules it is not asked again.
    """
    rules = [rule for rule in registry.enabled(config) if rule.code not in _FROM_ELSEWHERE]
    by_code: dict[str, list[Finding]] = looked.survey.kept.setdefault("found", {})
    families: dict[str, list[Rule]] = {}
    for rule in rules:
        if rule.code in by_code:
            continue
        families.setdefault(_family(rule.code) if _may_part(looked.project, jobs) else "", []).append(rule)
    costly_first = sorted(families, reverse=True)
    acts = [partial(deeply, partial(_check, families[family], looked.survey)) for family in costly_first]
    for share in apart(acts, jobs):
        by_code |= share
    found = [finding for rule in rules for finding in by_code[rule.code]]
    marked = tuple(file.relative for file in looked.project.files if _is_marked(file))
    return Found((*found, *_unreadable(looked)), marked)


def _check(rules: Iterable[Rule], survey: Survey) -> dict[str, list[Finding]]:
    return {rule.code: list(rule.check(survey)) for rule in rules}


def _family(code: str) -> str:
    """The rules that share what they work out: hot paths, probes, operations, and all others."""
    return code[3] if code[3] in "345" else ""


def _may_part(project: Project, jobs: int) -> bool:
    return jobs > 1 and len(project.files) >= _MANY


def _report(project: Project, found: Found, config: Config, codes: Collection[str], *, noqa: bool) -> Report:
    """Of what was found, what is asked for and not hidden by a comment."""
    files = {file.relative: file for file in project.files if file.reported}
    subjects = {path for path, file in files.items() if is_subject(file, config)}
    outcome = suppressions.apply(
        [
            one for one in found.findings
            if one.code in codes and one.path in (files if one.code == _UNREADABLE else subjects)
        ],
        lambda path: _text_of(files.get(path)), config, enabled=codes,
        candidates=[path for path in found.marked if path in subjects], noqa=noqa,
    )  # fmt: skip
    kept = sorted((*outcome.kept, *outcome.unused), key=lambda finding: finding.sort_key)
    warning = suppressions.ruff_removes_our_codes(project.root) if outcome.noqa_paths else None
    problems = (*project.problems, warning) if warning else project.problems
    return Report(tuple(kept), outcome.suppressed, len(files), problems)


_MANY = 100
"""In a project of fewer files copying this process takes longer than what the copies do."""
_UNREADABLE = "OPD902"
_FROM_ELSEWHERE = {"OPD901", _UNREADABLE}
"""The rules whose findings do not follow from the worlds."""


def look(
    project: Project, config: Config, *, cache: Cache | None = None, jobs: int = 1, before: Looked | None = None
) -> Looked:
    """Read a project and evaluate it in all its worlds.

    Args:
        project: The files.
        config: Its settings on worlds count.
        cache: Where summaries are kept.
        jobs: How many processes may read files, and how many copies of this one evaluate worlds.
        before: An earlier look: files on disk are taken as they were read then.
    """
    from optdep_lint.reading import read_files

    earlier = before.read if before is not None else {}
    read = read_files(project, Workers(cache, jobs), before=earlier, subjects=config)
    return _evaluate(project, config, read, _metadata(project.root, config), jobs)


def whole_tree(looked: Looked, config: Config, known: dict[Path, Read]) -> Tree:
    """The modules of a project, those included that nothing of interest imports: tests; what is read is added to `known`."""
    from optdep_lint.reading import read_files, tree_of

    known |= {path: read for path, read in looked.read.items() if read.followed}
    known |= read_files(looked.project, Workers(), before=known)
    return tree_of(looked.project, config, known)[0]


def _evaluate(
    project: Project, config: Config, read: Mapping[Path, Read], metadata: ProjectMetadata, jobs: int = 1
) -> Looked:
    from optdep_lint.reading import tree_of
    from optdep_lint.world.declared import Declared
    from optdep_lint.world.survey import survey

    tree, faults = tree_of(project, config, read)
    declared = Declared(metadata, tree, config)
    subjects = frozenset(file.module for file in project.files if file.module is not None and is_subject(file, config))
    paths = {file.relative for file in project.files if is_subject(file, config)}
    judged = frozenset(name for name, source in tree.sources.items() if source.path in paths)
    jobs = jobs if _may_part(project, jobs) else 1
    return Looked(project, survey(tree, declared, config, subjects, judged, jobs), faults, read)


def matrix(
    root: Path,
    config: Config,
    *,
    present: Present | None = None,
    cache: Cache | None = None,
    jobs: int = 1,
    executor: Executor | None = None,
) -> dict[str, object]:
    """What importing each module of a project does, as `optdep-lint matrix --format json` prints it."""
    from optdep_lint.reading import read_files, tree_of

    modules: dict[str, object] = {}
    worlds: dict[str, dict[str, str]] = {}
    for project in discover([root], config):
        tree, _ = tree_of(project, config, read_files(project, Workers(cache, jobs, executor)))
        found, statuses = _rows(tree, _metadata(project.root, config), config, present)
        modules |= found
        for world, of_modules in statuses.items():
            worlds.setdefault(world, {}).update(of_modules)
    return {"version": 1, "modules": modules, "worlds": worlds}


def _rows(
    tree: Tree, metadata: ProjectMetadata, config: Config, present: Present | None
) -> tuple[dict[str, Any], dict[str, dict[str, str]]]:
    """The rows of one project's modules, and their statuses in each of its worlds."""
    from optdep_lint.world.declared import Declared
    from optdep_lint.world.matrix import declared_matrix, present_matrix

    if present is not None:
        return deeply(lambda: present_matrix(tree, metadata, config, present)), {}
    return deeply(lambda: declared_matrix(tree, Declared(metadata, tree, config), config))


def expect(
    project: Project, config: Config, *, cache: Cache | None = None, jobs: int = 1
) -> tuple[World, dict[str, Any]]:
    """The rows of `matrix` in one world: the one without `config.without`, or else the bare one."""
    from optdep_lint.reading import read_files, tree_of
    from optdep_lint.world.declared import Declared
    from optdep_lint.world.matrix import world_matrix

    tree, _ = tree_of(project, config, read_files(project, Workers(cache, jobs)))
    declared = Declared(_metadata(project.root, config), tree, config)
    return deeply(lambda: world_matrix(tree, declared, config.without))


def _metadata(root: Path, config: Config) -> ProjectMetadata:
    installed = InstalledNames.from_python(config.python) if config.python is not None else None
    return read_project(root, name_map=config.package_module_name_map, installed=installed)


# --- from findings to a report -----------------------------------------------------------------------------------


def _unreadable(looked: Looked) -> Iterator[Finding]:
    """OPD902 for every file that no Python could run."""
    for path, fault in looked.faults.items():
        span = Span(fault.line, fault.column, fault.line, fault.column)
        yield Finding(_UNREADABLE, "syntax-error", path, span, fault.message)


def _text_of(file: SourceFile | None) -> str | None:
    try:
        return decode_source(content_of(file)) if file is not None else None
    except OSError:
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
        content = content_of(file)
    except OSError:
        return False
    return any(marker in content for marker in suppressions.MARKERS)
