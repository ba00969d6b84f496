"""The flake8 plugin: flake8 asks for one file at a time, and is answered from what was found in its whole project."""

from __future__ import annotations

import argparse
import ast
import multiprocessing
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Protocol

from optdep_lint import __version__
from optdep_lint.findings import Finding
from optdep_lint.integrations.projects import Job, plan, with_text
from optdep_lint.pool import default_jobs

LEFT_OUT = ("OPD901", "OPD902")
"""flake8 does not tell which comments it used, and has E999 for what does not parse."""
STDIN = "-"


class OptionManager(Protocol):
    """The part of flake8's that is needed here."""

    def add_option(self, name: str, **settings: object) -> None:
        """Adds an option of the command line and of flake8's configuration files."""


@dataclass(frozen=True, slots=True)
class Request:
    """What one call of flake8 is about."""

    paths: tuple[str, ...]
    """As given to flake8, absolute."""
    config: str | None = None
    cache_dir: str | None = None
    jobs: int = 1

    @classmethod
    def of(cls, options: argparse.Namespace) -> Request:
        """From flake8's options."""
        names = [options.optdep_root] if options.optdep_root else [name for name in options.filenames if name != STDIN]
        if STDIN in options.filenames and not options.optdep_root:
            names.append(os.path.dirname(options.stdin_display_name) or os.curdir)
        paths = tuple(path for name in names or [os.curdir] if os.path.exists(path := os.path.abspath(name)))
        return cls(paths, options.optdep_config, options.optdep_cache_dir, _jobs(options))

    def plan(self) -> Iterator[Job]:
        """The projects that own the paths."""
        for job in plan(map(Path, self.paths), self.config):
            yield job.ignoring(*LEFT_OUT)

    def findings(self, job: Job) -> Mapping[str, Sequence[Finding]]:
        """What is wrong with a project, by absolute path."""
        jobs = 1 if multiprocessing.current_process().daemon else self.jobs
        return job.findings(self.cache_dir, jobs=jobs, noqa=False)


@dataclass(slots=True)
class Index:
    """What one process has found out, each project when the first of its files comes up."""

    plans: dict[Request, Mapping[str, Job]] = field(default_factory=dict)
    """The project of every file."""
    found: dict[tuple[Request, Path], Mapping[str, Sequence[Finding]]] = field(default_factory=dict)
    """The findings of every project, by its root."""
    complained: bool = False

    def plan(self, request: Request) -> Mapping[str, Job]:
        """The project of every file, by absolute path."""
        if request not in self.plans:
            self.plans[request] = {}  # What cannot be planned or judged is not tried again for each file.
            jobs = list(request.plan())
            self.plans[request] = {str(file.path): job for job in jobs for file in job.project.files}
        return self.plans[request]

    def of_file(self, request: Request, path: str) -> Sequence[Finding]:
        """The findings in a file."""
        job = self.plan(request).get(path)
        if job is None:
            return ()
        key = (request, job.project.root)
        if key not in self.found:
            self.found[key] = {}
            self.found[key] = request.findings(job)
        return self.found[key].get(path, ())

    def of_text(self, request: Request, path: str, content: bytes) -> Sequence[Finding]:
        """The findings in a text that is not saved yet."""
        job = with_text(request.plan(), Path(path), content, request.config).ignoring(*LEFT_OUT)
        return request.findings(job).get(path, ())

    def complain(self, error: Exception) -> None:
        """Says on standard error, once, why there are no findings: an exception here would end all of flake8."""
        if not self.complained:
            self.complained = True
            print(f"optdep-lint: {type(error).__name__}: {' '.join(str(error).split())}", file=sys.stderr)  # noqa: T201


INDEX = Index()
"""The one piece of state that outlives a call: flake8 makes a plugin for each file, and forks after `parse_options`."""


class Plugin:
    """What flake8 makes for each file."""

    name = "optdep-lint"
    version = __version__
    options: ClassVar[argparse.Namespace]

    def __init__(self, tree: ast.AST, filename: str, lines: Sequence[str]) -> None:  # by its name flake8 knows our kind
        self._filename, self._lines = filename, lines

    @staticmethod
    def add_options(manager: OptionManager) -> None:
        """Three options say where to look; what to find is configured by `[tool.optdep-lint]`."""
        for name, metavar, text in (
            ("config", "FILE", "a TOML file with the settings of optdep-lint, instead of the nearest one"),
            ("root", "FOLDER", "look for projects here, instead of at the given paths"),
            ("cache-dir", "FOLDER", "where the cache of optdep-lint lies (default: .optdep_lint_cache in the project)"),
        ):
            manager.add_option(
                f"--optdep-{name}", metavar=metavar, help=text, default=None, parse_from_config=True, normalize_paths=True
            )  # fmt: skip

    @classmethod
    def parse_options(cls, options: argparse.Namespace) -> None:
        """Keeps the options; where flake8 is about to fork, all is found out before, once for all its processes."""
        cls.options = options
        if not (_forks() and _jobs(options) > 1 and _wants_us(options)) or STDIN in options.filenames:
            return
        try:
            request = Request.of(options)
            for path in {job.project.root: path for path, job in INDEX.plan(request).items()}.values():
                INDEX.of_file(request, path)
        except Exception as error:  # noqa: BLE001  # flake8 would call a second time, with other arguments
            INDEX.complain(error)

    def run(self) -> Iterator[tuple[int, int, str, type[Plugin]]]:
        """The findings in the file: line from 1, column from 0."""
        try:
            found = self._findings()
        except Exception as error:  # noqa: BLE001  # see `complain`
            INDEX.complain(error)
            return
        for finding in found:
            yield finding.span.line, finding.span.column - 1, f"{finding.code} {finding.message}", type(self)

    def _findings(self) -> Sequence[Finding]:
        if not _wants_us(self.options):
            return ()
        request, path = Request.of(self.options), os.path.abspath(self._filename)
        if STDIN in self.options.filenames:
            return INDEX.of_text(request, path, _encode("".join(self._lines)))
        return INDEX.of_file(request, path)


def _jobs(options: argparse.Namespace) -> int:
    return default_jobs() if options.jobs.is_auto else int(options.jobs.n_jobs)


def _forks() -> bool:
    chosen = multiprocessing.get_start_method(allow_none=True)
    return (chosen or multiprocessing.get_all_start_methods()[0]) == "fork"


def _wants_us(options: argparse.Namespace) -> bool:
    """Whether a `--select` leaves room for our codes."""
    if options.select is None:
        return True
    codes = (*options.select, *(options.extend_select or ()))
    return any(code.startswith("OPD") or "OPD".startswith(code) for code in codes)


def _encode(text: str) -> bytes:
    """The bytes that a file with this text would have, by its own cookie."""
    import io
    import tokenize

    content = text.encode("utf-8", "surrogatepass")
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
        return text.encode(encoding)
    except (SyntaxError, LookupError, UnicodeError):
        return content
