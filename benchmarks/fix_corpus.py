"""What fixes do to whole packages: python benchmarks/fix_corpus.py [--tree PATH ...] FOLDER [NAME==VERSION ...]

Fetches wheels from PyPI into FOLDER (twenty by default, and sglang with --large), unpacks each, and repairs a copy as
`optdep-lint check --fix --unsafe-fixes` does. Of every copy it asks: does every changed file parse, does a second run
change nothing, is there no finding that was not there before, and is every byte outside the edits as it was? The edits
are replayed here, by code that shares nothing with the fixers.
"""

from __future__ import annotations

import argparse
import ast
import io
import json
import shutil
import subprocess
import sys
import time
import tokenize
import zipfile
from collections import Counter
from dataclasses import asdict, dataclass, field
from pathlib import Path

from optdep_lint import engine
from optdep_lint.cache import Cache
from optdep_lint.config import Config
from optdep_lint.discovery import discover
from optdep_lint.findings import Edit, Finding
from optdep_lint.fixers.passes import Outcome, Passes

WHEELS = (
    "APScheduler==3.11.3", "Authlib==1.9.10", "aiohttp==3.14.5", "celery==5.7.0", "dogpile.cache==1.5.0",
    "elastic-apm==6.26.2", "fsspec==2026.9.0", "h5netcdf==1.8.2", "huggingface_hub==2.4.0", "kombu==5.7.0",
    "paramiko==5.1.0", "pooch==1.9.0", "rq==3.0.0", "sentry-sdk==2.75.0", "starlette==1.10.0",
    "trimesh==5.2.0", "unstructured==0.10.16", "zarr==3.1.6", "Faker==40.63.0", "nltk==3.10.4",
)  # fmt: skip
LARGE = ("sglang==0.5.23",)


@dataclass
class Result:
    """What became of one package."""

    name: str
    files: int = 0
    findings: int = 0
    """All codes, in all files that are subjects."""
    repaired: int = 0
    refused: int = 0
    left: int = 0
    changed: int = 0
    passes: int = 0
    seconds: float = 0.0
    """Of the processor, for the first run with its proofs."""
    look_seconds: float = 0.0
    """Of these, for the first look at the package."""
    by_code: dict[str, int] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    """Why what is refused is refused."""


def fetch(requirement: str, folder: Path) -> Path:
    """The unpacked wheel."""
    name, _, version = requirement.partition("==")
    target = folder / f"{name}-{version}"
    if not (target / ".complete").exists():
        wheels = folder / "wheels" / target.name
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", "-d", str(wheels)]
        subprocess.run([*command, requirement], check=True)
        with zipfile.ZipFile(next(wheels.glob("*.whl"))) as bundle:
            bundle.extractall(target)
        (target / ".complete").touch()
    return target


def run(package: Path, copy: Path, cache_folder: Path) -> Result:
    """Repair a copy and hold it against the package."""
    if copy.exists():
        shutil.rmtree(copy)
    shutil.copytree(package, copy)
    result = Result(package.name)
    with Cache(cache_folder) as cache:
        first = repair(copy, cache, result)
        again = repair(copy, cache, Result(package.name))
    if again.contents:
        result.faults.append(f"a second run changes {', '.join(sorted(again.contents))}")
    check_files(package, copy, first, result)
    return result


def repair(root: Path, cache: Cache, result: Result) -> Outcome:
    """Repair a folder in place."""
    config = Config()
    (project,) = discover([root], config)
    start = time.process_time()
    looked = engine.look(project, config, cache=cache, jobs=1)
    result.look_seconds = time.process_time() - start
    passes = Passes(looked, config, fixable=None, unsafe=True)
    before = Counter(kind(finding) for finding in passes.state.findings)
    outcome = passes.run()
    result.seconds = time.process_time() - start
    new = Counter(kind(finding) for finding in passes.state.findings) - before
    result.faults += [f"new: {' '.join(key)} ({count})" for key, count in new.items()]
    if outcome.fault is not None:
        result.faults.append(outcome.fault)
    result.files, result.findings = len(project.files), sum(before.values())
    result.repaired, result.refused = len(outcome.applied), len(outcome.refused)
    result.left, result.changed, result.passes = len(passes.state.findings), len(outcome.contents), len(outcome.passes)
    result.by_code = dict(sorted(Counter(finding.code for finding in outcome.applied).items()))
    result.reasons = [f"{code} {path}: {reason}" for (code, path, *_), reason in sorted(outcome.refused.items())]
    for path, content in outcome.contents.items():
        (root / path).write_bytes(content)
    return outcome


def kind(finding: Finding) -> tuple[str, str, str]:
    """What makes two findings the same whatever lines have moved."""
    return finding.code, finding.path, finding.absent or ""


def check_files(package: Path, copy: Path, outcome: Outcome, result: Result) -> None:
    """Every file of the copy against the package's, edits replayed."""
    steps: list[dict[str, set[Edit]]] = []
    for of_pass in outcome.passes:
        edits: dict[str, set[Edit]] = {}
        for finding in of_pass:
            for edit in finding.fix.edits if finding.fix is not None else ():
                edits.setdefault(edit.path, set()).add(edit)
        steps.append(edits)
    for path in sorted(package.rglob("*")):
        relative = path.relative_to(package).as_posix()
        if not path.is_file():
            continue
        content, is_now = path.read_bytes(), (copy / relative).read_bytes()
        encoding = "utf-8"
        if path.suffix == ".py" and content != is_now:
            encoding, _ = tokenize.detect_encoding(io.BytesIO(content).readline)
            try:
                ast.parse(is_now, relative)
            except SyntaxError as error:
                result.faults.append(f"{relative} no longer parses: {error}")
        for edits in steps:
            for edit in sorted(edits.get(relative, ()), key=lambda edit: (edit.start, edit.end), reverse=True):
                text = edit.content.encode("utf-8" if encoding == "utf-8-sig" else encoding)
                content = content[: edit.start] + text + content[edit.end :]
        if content != is_now:
            result.faults.append(f"{relative} differs outside the edits")


def main() -> int:
    """Run all and print a table; 1 where anything is wrong."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("requirements", nargs="*", help="NAME==VERSION")
    parser.add_argument("--tree", type=Path, action="append", default=[], help="an unpacked package instead of wheels")
    parser.add_argument("--large", action="store_true", help="also sglang: takes long")
    parser.add_argument("--json", type=Path, help="write the figures there")
    options = parser.parse_args()
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    wanted = options.requirements or ([] if options.tree else [*WHEELS, *(LARGE if options.large else ())])
    results = []
    for package in (*options.tree, *(fetch(one, folder) for one in wanted)):
        results.append(run(package.resolve(), folder / "copies" / package.name, folder / "cache"))
        print(line(results[-1]), flush=True)
        for fault in results[-1].faults:
            print(f"    FAULT {fault}", flush=True)
        if options.json is not None:
            options.json.write_text(json.dumps([asdict(result) for result in results], indent=1))
    print(f"{len(results)} packages, {sum(bool(result.faults) for result in results)} with faults")
    return int(any(result.faults for result in results))


def line(result: Result) -> str:
    """One row."""
    return (
        f"{result.name}: {result.files} files, {result.findings} findings, {result.repaired} repaired"
        f" in {result.changed} files by {result.passes} passes, {result.refused} refused, {result.left} left;"
        f" {result.seconds:.1f} s of which {result.look_seconds:.1f} s the first look; {result.by_code}"
    )


if __name__ == "__main__":
    sys.exit(main())
