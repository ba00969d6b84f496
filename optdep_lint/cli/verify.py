"""`optdep-lint verify`: import every module for real, and compare with the verdicts."""

from __future__ import annotations

import argparse
import dataclasses
import json
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from optdep_lint.cli import console, telling
from optdep_lint.cli.console import UsageError
from optdep_lint.cli.settings import open_cache, settings_for
from optdep_lint.config import PLATFORMS, Config
from optdep_lint.discovery import Project, discover, find_project_root
from optdep_lint.pool import default_jobs
from optdep_lint.registry import load_registry
from optdep_lint.verify import Interpreter, InterpreterError, Row, Scene, Verdict, compare, import_all


def verify(options: argparse.Namespace) -> int:
    """Runs `optdep-lint verify` and returns the exit status."""
    try:
        interpreter = Interpreter.ask(options.python)
    except InterpreterError as error:
        raise UsageError(f"--python: {error}") from None
    options.python = None  # It runs the code here, and its metadata does not count: every optional root is blocked.
    root = Path(options.root)
    config = settings_for(find_project_root(root), options, load_registry())
    config = replace(config, target_python=interpreter.version, target_platform=_platform(interpreter))
    if options.show_settings:
        return telling.show_settings([config], options)
    rows: list[tuple[Project, Row]] = []
    for project in discover([root], config):
        rows += [(project, row) for row in _verify(project, config, interpreter, options)]
    if not rows:
        raise UsageError(f"{root}: no modules that can be imported")
    text = as_json(rows) if options.output_format == "json" else as_text([row for _, row in rows])
    console.write(text, options)
    return int(any(row.result == "differs" for _, row in rows))


def _platform(interpreter: Interpreter) -> str:
    return interpreter.platform if interpreter.platform in PLATFORMS else "linux"


def _verify(project: Project, config: Config, interpreter: Interpreter, options: argparse.Namespace) -> list[Row]:
    from optdep_lint import engine, recall

    jobs = options.jobs or default_jobs()
    cache = open_cache([project.root], options)
    world, expected = engine.expect(project, config, cache=cache, jobs=jobs)
    if cache is not None:
        cache.flush()
    if world.python != interpreter.version:
        found = ".".join(map(str, interpreter.version))
        raise UsageError(f"that world needs Python {'.'.join(map(str, world.python))}, and this one is {found}")
    modules = [
        file.module
        for file in project.files
        if file.module in expected and recall.is_subject(file, config) and file.reported
    ]
    if not modules:
        return []
    folders = tuple(str(project.root / folder) for folder in project.import_roots)
    scene = Scene(project.root, folders, world, interpreter)
    tell_what_runs(modules, scene, options)
    seen = import_all(modules, scene, jobs=jobs, timeout=options.timeout)
    own = {name.partition(".")[0] for name in expected}
    verdicts = (Verdict(name, row["path"], row["status"], row["missing"]) for name, row in expected.items())
    by_name = {verdict.module: verdict for verdict in verdicts}
    pairs = zip(modules, seen, strict=True)
    return [compare(by_name[name], each, scene, own) for name, each in pairs]


def tell_what_runs(modules: Sequence[str], scene: Scene, options: argparse.Namespace) -> None:
    """Says, before it happens, that code will run."""
    if options.silent:
        return
    blocked = ", ".join(sorted(scene.world.absent)) or "nothing"
    print(
        f"verify runs the project's code: it imports {len(modules)} modules of {scene.root}, each in a fresh process "
        f"of {scene.interpreter.executable}; blocked: {blocked}",
        file=sys.stderr,
    )


def as_text(rows: Sequence[Row]) -> str:
    """A line for each module that is not as expected, then for each reason to stay open, then how many there are."""
    lines = [f"{_name(row)}: {row.reason}" for row in rows if row.result == "differs"]
    by_reason: dict[str, list[Row]] = {}
    for row in rows:
        if row.result == "open":
            by_reason.setdefault(row.reason, []).append(row)
    for reason, alike in by_reason.items():
        others = f" (and {len(alike) - 1} more)" if len(alike) > 1 else ""
        lines.append(f"{_name(alike[0])}{others}: open: {reason}")
    counts = {result: sum(row.result == result for row in rows) for result in ("agrees", "differs", "open")}
    lines.append(f"{counts['agrees']} as expected, {counts['differs']} not, {counts['open']} open")
    return "\n".join(lines) + "\n"


def _name(row: Row) -> str:
    return f"{row.verdict.path}: {row.verdict.module}"


def as_json(rows: Sequence[tuple[Project, Row]]) -> str:
    """One array, with an object for each module."""
    table = [
        {
            "module": row.verdict.module,
            "path": str(project.root / row.verdict.path),
            "result": row.result,
            "reason": row.reason or None,
            "expected": {"status": row.verdict.status, "missing": row.verdict.missing},
            "seen": {**dataclasses.asdict(row.seen), "frames": [list(frame) for frame in row.seen.frames]},
        }
        for project, row in rows
    ]
    return json.dumps(table, ensure_ascii=False, indent=2) + "\n"
