"""`optdep-lint check`: find, repair where asked to, tell."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from optdep_lint.cli import console, fixing, telling
from optdep_lint.cli.console import UsageError
from optdep_lint.cli.settings import open_cache, settings_for
from optdep_lint.config import Config, find_config
from optdep_lint.discovery import Project, discover, find_project_root, with_unsaved
from optdep_lint.pool import default_jobs
from optdep_lint.registry import Registry, load_registry

if TYPE_CHECKING:
    from optdep_lint.engine import Report

STDIN = "-"


@dataclass(frozen=True, slots=True)
class Job:
    """A project with its configuration. Paths of findings are relative to its root, so each is checked by itself."""

    project: Project
    config: Config


@dataclass(frozen=True, slots=True)
class Checked:
    """A job with its report."""

    job: Job
    report: Report


def check(options: argparse.Namespace) -> int:
    """Runs `optdep-lint check` and returns the exit status."""
    registry = load_registry()
    jobs = plan(options, registry)
    if options.show_settings:
        return telling.show_settings([job.config for job in jobs], options)
    if options.show_files:
        return telling.show_files([job.project for job in jobs], options)
    checked, failed = run_jobs(jobs, options)
    if options.add_noqa is not None:
        return fixing.add_comments(checked, options)
    fixing_wanted = options.fix or options.fix_only or options.diff
    result = fixing.Result()
    if fixing_wanted:
        result = fixing.fix(checked, options, registry)
        failed = failed or result.failed
        if options.diff:
            return 2 if failed else int(result.changed and not options.exit_zero)
        checked, failed_again = (checked, False) if not result.changed else run_jobs(plan(options, registry), options)
        failed = failed or failed_again
        fixing.tell_fixed(result, checked, options)
    if options.paths == [STDIN] and fixing_wanted:
        sys.stdout.buffer.write(result.stdin)
        sys.stdout.flush()
    if failed and not checked:
        return 2
    found = 0
    if not options.fix_only:
        found = telling.report(fixing.offer(checked, options, result), options, registry, result, failed=failed)
    return exit_status(options, failed=failed, found=found, fixed=result.changed)


def exit_status(options: argparse.Namespace, *, failed: bool, found: int, fixed: bool) -> int:
    """2 beats 1 beats 0."""
    if failed:
        return 2
    if options.exit_zero:
        return 0
    return int(found > 0 or (fixed and options.exit_non_zero_on_fix))


def plan(options: argparse.Namespace, registry: Registry) -> list[Job]:
    """The projects to look at, each with the configuration that counts for it."""
    paths = [Path(text) for text in options.paths or ["."]]
    if Path(STDIN) in paths:
        return [_plan_stdin(paths, options, registry)]
    by_file: dict[Path | None, list[Path]] = {}
    for path in paths:
        by_file.setdefault(find_config(_folder(path)), []).append(path)
    jobs: dict[Path, Job] = {}
    for members in by_file.values():
        config = settings_for(_folder(members[0]), options, registry)
        for project in discover(members, config):
            own = settings_for(project.root, options, registry)
            jobs[project.root] = Job(_shard(project, options.shard), own)
    if not jobs and not options.force_exclude:
        raise UsageError(f"{', '.join(map(str, paths))}: no Python files found")
    return list(jobs.values())


def _folder(path: Path) -> Path:
    absolute = path.absolute()
    return absolute if absolute.is_dir() else absolute.parent


def _plan_stdin(paths: Sequence[Path], options: argparse.Namespace, registry: Registry) -> Job:
    if len(paths) > 1:
        raise UsageError("`-` cannot be combined with paths")
    if not hasattr(options, "stdin_content"):
        options.stdin_content = sys.stdin.buffer.read()
    path = Path(options.stdin_filename or STDIN)
    config = settings_for(_folder(path), options, registry)
    if not options.stdin_filename:
        known: tuple[Project, ...] = (Project(find_project_root(_folder(path)), ()),)
    else:
        known = discover([_folder(path)], config) if _folder(path).is_dir() else ()
    return Job(with_unsaved(known, path, options.stdin_content), config)


def _shard(project: Project, shard: str | None) -> Project:
    """The project with only the I-th of N parts of its files reported: which part is settled by the file's path."""
    if shard is None:
        return project
    from zlib import crc32

    part, slash, total = shard.partition("/")
    if not (slash and part.isdigit() and total.isdigit() and 1 <= int(part) <= int(total)):
        raise UsageError(f"--shard: expected I/N with I from 1 to N, got {shard!r}")
    wanted, parts = int(part) - 1, int(total)
    files = (
        replace(file, reported=file.reported and crc32(file.relative.encode()) % parts == wanted)
        for file in project.files
    )
    return replace(project, files=tuple(files))


def run_jobs(jobs: Iterable[Job], options: argparse.Namespace) -> tuple[list[Checked], bool]:
    """The reports, and whether something failed; what could be found is told all the same."""
    from optdep_lint import engine

    jobs = list(jobs)
    checked: list[Checked] = []
    failed = False
    cache = open_cache([job.project.root for job in jobs], options) if jobs else None
    for job in jobs:
        try:
            report = engine.check([job.project], job.config, cache=cache, jobs=options.jobs or default_jobs())
            checked.append(Checked(job, report))
        except Exception as error:  # noqa: BLE001  # One project must not hide what is found in the others.
            console.tell_failure(error, options)
            failed = True
    if cache is not None:
        cache.flush()
    return checked, failed
