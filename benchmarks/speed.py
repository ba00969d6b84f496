"""What a run costs: cold, warm, after one file changed, and under flake8, beside parsing the same files.

    python benchmarks/speed.py xarray==2026.9.0                # fetched from PyPI
    python benchmarks/speed.py --rounds 5 --jobs 2 PATH ...    # or folders that are there
    python benchmarks/speed.py --peers FOLDER PATH             # beside the tools in an environment's folder of commands
    python benchmarks/speed.py --growth 1,2,4,8 PATH           # so many copies of a package in one tree

The contenders take turns, each in a process of its own, so that other work on the machine meets them alike. User and
system time are those of the process and all that it started; the table has the median over the rounds, with the least and
the most in brackets. Everybody has its bytecode before the first round. Where the machine is shared, only the ratios of CPU times mean something.
"""

from __future__ import annotations

import argparse
import math
import os
import platform
import re
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
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    begin = time.perf_counter()
    process = subprocess.Popen(
        command, cwd=folder, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment
    )
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


def peers(folder: Path, root: Path, jobs: int) -> list[Contender]:
    """What other tools take for the checks of theirs that are nearest, cold."""
    pylint = "import-error,no-name-in-module,used-before-assignment,possibly-used-before-assignment"
    commands = {
        "fixit": ["lint", "."],
        "pylint": ["--disable=all", f"--enable={pylint}", f"-j{jobs}", "--recursive=y", "."],
        "flake8": ["--isolated", f"-j{jobs}", "."],
        "pyright": [".", "--threads", str(jobs)],
        "deptry": ["."],
        "ruff": ["check", "--isolated", "--no-cache", "--select=F,TID", "."],
    }

    def declare() -> None:
        (root / "pyproject.toml").write_text('[project]\nname = "measured"\nversion = "1"\ndependencies = []\n')

    def undeclare() -> None:
        (root / "pyproject.toml").unlink(missing_ok=True)

    return [
        Contender(name, [str(folder / name), *arguments], declare if name == "deptry" else undeclare)
        for name, arguments in commands.items()
        if (folder / name).exists()
    ]


def grown(root: Path, times: int, into: Path) -> Path:
    """A tree with so many copies of each package of `root`, each under a name of its own."""
    target = into / f"grown-{times}"
    packages = [folder for folder in sorted(root.iterdir()) if (folder / "__init__.py").exists()]
    for number in range(times):
        for package in packages:
            copy = target / f"{package.name}_{number}"
            shutil.copytree(package, copy)
            word = re.compile(rf"\b{package.name}\b".encode())
            for path in copy.rglob("*.py"):
                path.write_bytes(word.sub(copy.name.encode(), path.read_bytes()))
    return target


def measure_growth(root: Path, times: Sequence[int], jobs: int, into: Path) -> None:
    """How the cost of a cold run grows with the tree."""
    print("| lines | CPU s | peak MB |\n|---|---|---|")
    points: list[tuple[float, float]] = []
    for count in times:
        tree = grown(root, count, into)
        check = [sys.executable, "-m", "optdep_lint", "check", "--isolated", "--no-cache", f"-j{jobs}", "."]
        cost, lines = measure(check, tree), size(tree)[1]
        points.append((math.log(lines), math.log(cost.cpu)))
        print(f"| {lines:,} | {cost.cpu:.1f} | {cost.memory:.0f} |", flush=True)
        shutil.rmtree(tree)
    mean_x, mean_y = (statistics.mean(one[axis] for one in points) for axis in (0, 1))
    slope = sum((x - mean_x) * (y - mean_y) for x, y in points) / sum((x - mean_x) ** 2 for x, _ in points)
    print(f"\nSlope of the logarithms: {slope:.2f}\n")


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


def warm_up(scratch: Path) -> None:
    """Bytecode for all of optdep-lint, as an installed package has it."""
    import compileall

    import optdep_lint

    tree = scratch / "warm-up"
    tree.mkdir(exist_ok=True)
    compileall.compile_dir(str(Path(optdep_lint.__file__).parent), quiet=2)
    (tree / "nothing.py").touch()
    measure([sys.executable, "-m", "flake8", "--isolated", "."], tree)


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
    parser.add_argument("--peers", type=Path, metavar="FOLDER", help="where the commands of other tools lie")
    parser.add_argument("--growth", metavar="N,N,...", help="measure trees of so many copies instead")
    parser.add_argument("--only", default="", metavar="REGEX", help="the contenders to measure, by name")
    options = parser.parse_args()
    print(
        f"Python {platform.python_version()}, {platform.machine()}, {os.cpu_count()} CPUs, {time.strftime('%Y-%m-%d')}\n"
    )
    with tempfile.TemporaryDirectory() as scratch:
        for requirement in options.trees:
            root = unpack(requirement, Path(scratch))
            if options.growth:
                print(f"{requirement}:\n")
                times = [int(part) for part in options.growth.split(",")]
                measure_growth(root, times, options.jobs, Path(scratch))
                continue
            runs = contenders(root, options.jobs, Path(scratch) / "cache")
            runs += peers(options.peers, root, options.jobs) if options.peers else []
            runs = runs[:1] + [each for each in runs[1:] if re.search(options.only, each.name)]
            warm_up(Path(scratch))
            costs: dict[str, list[Cost]] = {each.name: [] for each in runs}
            for _ in range(options.rounds):
                for each in runs:
                    each.prepare()
                    costs[each.name].append(measure(each.command, root))
            files, lines = size(root)
            print(f"{requirement}: {files:,} files, {lines:,} lines\n")
            print("| run | CPU s | wall s | peak MB | CPU beside parsing | wall beside parsing |")
            print("|---|---|---|---|---|---|")
            parsing = costs[runs[0].name]
            for name, found in costs.items():
                cpu, wall = [cost.cpu for cost in found], [cost.wall for cost in found]
                cells = (
                    spread(cpu),
                    spread(wall),
                    f"{max(cost.memory for cost in found):.0f}",
                    f"{statistics.median(cpu) / statistics.median(cost.cpu for cost in parsing):.2f}",
                    f"{statistics.median(wall) / statistics.median(cost.wall for cost in parsing):.2f}",
                )
                print(f"| {name} | {' | '.join(cells)} |", flush=True)
            print()


if __name__ == "__main__":
    main()
