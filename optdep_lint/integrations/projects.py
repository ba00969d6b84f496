"""The projects behind some paths, each with the configuration that counts for it, as `optdep-lint check` finds them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from optdep_lint.cache import FOLDER_NAME, Cache
from optdep_lint.config import Config, find_config, load_config
from optdep_lint.discovery import Project, discover, with_unsaved
from optdep_lint.findings import Finding


@dataclass(frozen=True, slots=True)
class Job:
    """A project with its configuration."""

    project: Project
    config: Config

    def ignoring(self, *codes: str) -> Job:
        """The same without some rules."""
        return Job(self.project, replace(self.config, ignore=(*self.config.ignore, *codes)))

    def findings(
        self, cache_dir: str | None = None, *, jobs: int = 1, noqa: bool = True
    ) -> Mapping[str, Sequence[Finding]]:
        """What is wrong with the project, by absolute path."""
        from optdep_lint import engine

        found: dict[str, list[Finding]] = {}
        root = self.project.root
        with Cache(Path(cache_dir) if cache_dir else root / FOLDER_NAME) as cache:
            report = engine.check([self.project], self.config, cache=cache, jobs=jobs, noqa=noqa)
        for finding in report.findings:
            found.setdefault(os.path.join(root, *finding.path.split("/")), []).append(finding)
        return found


def plan(paths: Iterable[Path], config: str | None = None) -> Iterator[Job]:
    """The projects that own `paths` (absolute); `config` is a file to use instead of the nearest one."""
    given = [config] if config else []
    by_config: dict[Path | None, list[Path]] = {}
    for path in paths:
        by_config.setdefault(find_config(_folder(path)), []).append(path)
    for members in by_config.values():
        for project in discover(members, load_config(_folder(members[0]), given=given)):
            yield Job(project, load_config(project.root, given=given))


def with_text(jobs: Iterable[Job], path: Path, content: bytes, config: str | None = None) -> Job:
    """The project that owns `path`, which need not exist, with `content` in its place and nothing else reported."""
    known = list(jobs)
    project = with_unsaved([job.project for job in known], path, content)
    for job in known:
        if job.project.root == project.root:
            return Job(project, job.config)
    return Job(project, load_config(project.root, given=[config] if config else []))


def _folder(path: Path) -> Path:
    return path if path.is_dir() else path.parent
