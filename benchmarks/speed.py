"""What a run costs: cold, warm, after one file changed, and under flake8, beside parsing the same files.

    python benchmarks/speed.py xarray==2026.9.0                # fetched from PyPI
    python benchmarks/speed.py --rounds 5 --jobs 2 PATH ...    # or folders that are there

The contenders take turns, each in a process of its own, so that other work on the machine meets them alike. User and
system time are those of the process and all that it started; the table has the median over the rounds, with the least and
the most in brackets. Where the machine is shared, only the ratios of CPU times mean something.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import zipfile
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

PARSE = """
import ast, pathlib, sys, warnings
warnings.simplefilter("ignore")
for path in pathlib.Path(sys.argv[1]).rglob("*.py"):
    try:
        ast.parse(path.read_bytes())
    except (SyntaxError, ValueError):
        pass
"""


class Cost(NamedTuple):
    """Of one run: seconds, and megabytes."""

    cpu: float
    wall: float
    memory: float


class Contender(NamedTuple):
    """A command, and what has to be done before it."""

    name: str
    command: Sequence[str]
    prepare: Callable[[], object] = lambda: None


def measure(command: Sequence[str], folder: Path) -> Cost:
    """Run a command; its status is no matter, for findings are no failure."""
    begin = time.perf_counter()
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    _, _, usage = os.wait4(process.pid, 0)
    process.returncode = 0
    return Cost(usage.ru_utime + usage.ru_stime, time.perf_counter() - begin, usage.ru_maxrss / 1024)


def contenders(root: Path, jobs: int, cache: Path) -> list[Contender]:
    """Everything that is measured on one tree, in turn."""
    tool = [sys.executable, "-m", "optdep_lint"]
    check = [*tool, "check", "--isolated", f"-j{jobs}", "--output-format", "concise", "--cache-dir", str(cache), "."]
    changed = max(root.rglob("*.py"), key=lambda path: path.stat().st_size)
    flake8 = [sys.executable, "-m", "flake8", "--isolated", f"-j{jobs}", "."]

    def forget() -> None:
        shutil.rmtree(cache, ignore_errors=True)

    def change() -> None:
        with changed.open("ab") as stream:
            stream.write(b"\n# changed\n")

    return [
        Contender("ast.parse of every file, 1 process", [sys.executable, "-c", PARSE, "."]),
        Contender(f"optdep-lint, cold, {jobs} processes", check, forget),
        Contender("optdep-lint, warm", check),
        Contender("optdep-lint, one file changed", check, change),
        Contender("flake8 without the plugin", [*flake8, "--select=C90,E,F,W"]),
        Contender("flake8 with the plugin, warm", [*flake8, "--select=C90,E,F,W,OPD", f"--optdep-cache-dir={cache}"]),
    ]


def unpack(requirement: str, into: Path) -> Path:
    """A copy of a folder, or of a distribution's wheel from PyPI, that may be changed."""
    target = into / "".join(letter if letter.isalnum() else "-" for letter in requirement)[-60:]
    if Path(requirement).is_dir():
        shutil.copytree(requirement, target)
        return target
    pip = [
        sys.executable,
        "-m",
        "pip",
        "download",
        "-q",
        "--no-deps",
        "--only-binary=:all:",
        "-d",
        str(into),
        requirement,
    ]
    subprocess.run(pip, check=True)
    wheel = max(into.glob("*.whl"), key=lambda path: path.stat().st_mtime)
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    return target


def size(root: Path) -> tuple[int, int]:
    """Files and lines."""
    files = list(root.rglob("*.py"))
    return len(files), sum(path.read_bytes().count(b"\n") for path in files)


def spread(values: Sequence[float]) -> str:
    return f"{statistics.median(values):.2f} ({min(values):.2f} to {max(values):.2f})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("trees", nargs="+", help="requirements (`xarray==2026.9.0`) or folders")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    print(
        f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} CPUs, {time.strftime('%Y-%m-%d')}\n"
    )
    with tempfile.TemporaryDirectory() as scratch:
        for requirement in options.trees:
            root = unpack(requirement, Path(scratch))
            runs = contenders(root, options.jobs, Path(scratch) / "cache")
            costs: dict[str, list[Cost]] = {each.name: [] for each in runs}
            for _ in range(options.rounds):
                for each in runs:
                    each.prepare()
                    costs[each.name].append(measure(each.command, root))
            files, lines = size(root)
            print(f"{requirement}: {files:,} files, {lines:,} lines\n")
            print("| run | CPU s | wall s | peak MB | CPU beside parsing |\n|---|---|---|---|---|")
            parsing = statistics.median(cost.cpu for cost in costs[runs[0].name])
            for name, found in costs.items():
                cpu = [cost.cpu for cost in found]
                cells = (
                    spread(cpu),
                    spread([cost.wall for cost in found]),
                    f"{max(cost.memory for cost in found):.0f}",
                )
                print(f"| {name} | {' | '.join(cells)} | {statistics.median(cpu) / parsing:.2f} |")
            print()


if __name__ == "__main__":
    main()
