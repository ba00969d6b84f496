"""An engine that finds a fault in each line that says FAULT, so that the command line can be tested by itself."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType

import pytest

import optdep_lint
from optdep_lint.cache import Cache, cache_key
from optdep_lint.cli import main
from optdep_lint.config import Config
from optdep_lint.discovery import Project
from optdep_lint.findings import Edit, Finding, Fix, Span, Step
from optdep_lint.metadata import MetadataError

PROJECT = "[project]\nname = 'acme'\n"


@dataclass(frozen=True)
class Report:
    findings: tuple[Finding, ...] = ()
    suppressed: int = 0
    files: int = 0
    problems: tuple[str, ...] = ()


@dataclass(frozen=True)
class Present:
    roots: frozenset[str]
    versions: Mapping[str, str]


@dataclass(frozen=True)
class FixResult:
    files: Mapping[Path, tuple[bytes, bytes]]


@dataclass
class Engine:
    """What the fake was asked for, and what it is to raise."""

    configs: list[Config] = field(default_factory=list)
    matrices: list[tuple[Path, Present | None]] = field(default_factory=list)
    caches: list[Cache | None] = field(default_factory=list)
    error: Exception | None = None
    problems: tuple[str, ...] = ()

    def check(self, projects: Sequence[Project], config: Config, *, cache: Cache | None, jobs: int) -> Report:
        assert jobs >= 1
        self.configs.append(config)
        self.caches.append(cache)
        if self.error is not None:
            raise self.error
        findings = []
        for project in projects:
            if (project.root / "broken").exists():
                raise MetadataError(str(project.root / "pyproject.toml"), "broken\nin two lines", key="project.name")
            for file in project.files:
                data = file.path.read_bytes() if file.content is None else file.content
                if cache is not None:
                    cache.put(cache_key("fake", data), data)
                if file.reported:
                    findings += [f for f in faults(file.relative, data) if f.code.startswith(config.select)]
        return Report(tuple(findings), 0, 1, self.problems)

    def matrix(
        self, root: Path, config: Config, *, present: Present | None, cache: Cache | None, jobs: int
    ) -> dict[str, object]:
        self.configs.append(config)
        self.matrices.append((root, present))
        row = {"path": "a.py", "status": "raises", "missing": "torch", "error": "ModuleNotFoundError", "because": []}
        return {"version": 1, "modules": {"acme.a": row}, "worlds": {}}


def faults(path: str, data: bytes) -> list[Finding]:
    found, start = [], 0
    for number, line in enumerate(data.split(b"\n"), 1):
        if b"FAULT" in line:
            edit = Edit(path, start, start + len(line), "CURED")
            fix = Fix("unsafe" if b"UNSAFE" in line else "safe", "cure it", (edit,))
            because = (Step(path, number, "it says so"),)
            code, name = ("OPD901", "unused-suppression") if b"901" in line else ("OPD902", "syntax-error")
            span = Span(number, 1, number, len(line) + 1)
            found.append(Finding(code, name, path, span, "a fault", "torch", None, because, fix))
        start += len(line) + 1
    return found


def apply_fixes(
    report: Report, projects: Sequence[Project], config: Config, *, unsafe: bool, jobs: int = 1
) -> FixResult:
    files: dict[Path, tuple[bytes, bytes]] = {}
    (project,) = projects
    for finding in sorted(report.findings, key=lambda each: -each.span.line):
        file = next(each for each in project.files if each.relative == finding.path)
        if finding.fix is None or (finding.fix.applicability == "unsafe" and not unsafe):
            continue
        old = file.path.read_bytes() if file.content is None else file.content
        new = files.get(file.path, (old, old))[1]
        (edit,) = finding.fix.edits
        files[file.path] = (old, new[: edit.start] + edit.content.encode() + new[edit.end :])
    return FixResult(files)


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> Engine:
    fake = Engine()
    module = ModuleType("optdep_lint.engine")
    module.__dict__.update(Report=Report, Present=Present, check=fake.check, matrix=fake.matrix)
    fixers = ModuleType("optdep_lint.fixers.apply")
    fixers.__dict__.update(apply_fixes=apply_fixes, offer_fixes=lambda report, *_: report, FixResult=FixResult)
    monkeypatch.setitem(sys.modules, "optdep_lint.engine", module)
    monkeypatch.setattr(optdep_lint, "engine", module, raising=False)
    monkeypatch.setitem(sys.modules, "optdep_lint.fixers.apply", fixers)
    return fake


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with two files, one of them faulty, as the current folder."""
    for name in (
        "OPTDEP_LINT_CACHE_DIR",
        "OPTDEP_LINT_NO_CACHE",
        "OPTDEP_LINT_OUTPUT_FORMAT",
        "NO_COLOR",
        "FORCE_COLOR",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    (tmp_path / "acme").mkdir()
    (tmp_path / "acme" / "__init__.py").write_text("")
    (tmp_path / "acme" / "a.py").write_text("fine\nFAULT\n")
    return tmp_path


class Run:
    """One run of the command line."""

    def __init__(self, capfd: pytest.CaptureFixture[str]) -> None:
        self._capfd = capfd
        self.out = self.err = ""

    def __call__(self, *words: str) -> int:
        self._capfd.readouterr()
        status = main(words)
        self.out, self.err = self._capfd.readouterr()
        return status


@pytest.fixture
def run(capfd: pytest.CaptureFixture[str]) -> Run:
    return Run(capfd)
