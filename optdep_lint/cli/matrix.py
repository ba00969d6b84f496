"""`optdep-lint matrix`: for every module, whether it can be imported."""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from optdep_lint.cli import console
from optdep_lint.cli.console import UsageError
from optdep_lint.cli.settings import open_cache, settings_for
from optdep_lint.discovery import DiscoveryError, find_project_root
from optdep_lint.pool import default_jobs
from optdep_lint.registry import load_registry

if TYPE_CHECKING:
    from optdep_lint.world.matrix import Present


def matrix(options: argparse.Namespace) -> int:
    """Runs `optdep-lint matrix` and returns the exit status."""
    from optdep_lint import engine

    root = Path(options.root)
    if not root.exists():
        raise DiscoveryError(f"{root}: no such file or directory")
    present = None if options.present_file is None else read_present(options.present_file)
    project_root = find_project_root(root)
    config = settings_for(project_root, options, load_registry())
    cache = open_cache([project_root], options)
    table = engine.matrix(root, config, present=present, cache=cache, jobs=options.jobs or default_jobs())
    if cache is not None:
        cache.flush()
    text = json.dumps(table, ensure_ascii=False) + "\n" if options.output_format == "json" else as_text(table)
    console.write(text, options)
    return 0


def read_present(path: str) -> Present:
    """What is there: an import root, or `distribution==version`, on each line; `#` begins a comment."""
    from optdep_lint.world.matrix import Present

    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise UsageError(f"--present-file {path}: cannot read: {error.strerror or error}") from None
    except UnicodeDecodeError:
        raise UsageError(f"--present-file {path}: not UTF-8") from None
    roots, versions = set(), {}
    for number, line in enumerate(text.splitlines(), 1):
        entry = line.partition("#")[0].strip()
        name, equals, version = (part.strip() for part in entry.partition("=="))
        if equals and re.fullmatch(r"[\w.-]+", name) and version:
            versions[name] = version
        elif not equals and name.replace(".", "_").isidentifier():
            roots.add(name)
        elif entry:
            raise UsageError(f"--present-file {path}:{number}: expected an import root or NAME==VERSION, got {entry!r}")
    return Present(frozenset(roots), versions)


def as_text(table: Mapping[str, object]) -> str:
    """One line for each module, then how many there are of each status."""
    modules = table.get("modules")
    rows = modules if isinstance(modules, dict) else {}
    width = max(map(len, rows), default=0)
    lines = [f"{name:<{width}}  {row['status']:<6}  {row.get('missing') or ''}".rstrip() for name, row in rows.items()]
    counts = {status: sum(row["status"] == status for row in rows.values()) for status in ("ok", "raises", "maybe")}
    lines.append(", ".join(f"{count} {status}" for status, count in counts.items()))
    return "\n".join(lines) + "\n"
