"""What each way to reach, or to ask for, an optional dependency costs on every call.

    python benchmarks/import_cost.py                                       # this interpreter
    python benchmarks/import_cost.py --rounds 25 PYTHON3.10 PYTHON3.13 ... # paths of others, one column each

Every interpreter measures in a process of its own, isolated from the user's environment, with a small package and its
metadata in a folder at the end of `sys.path`. The forms take turns, so that drift in the machine's clocks meets them
alike. Times are CPU time, in microseconds for one call of a function that holds nothing but the form, less the time of a
call of an empty function: the median over the rounds, with the quartiles in brackets.
"""

from __future__ import annotations

import argparse
import datetime as dt
import functools
import importlib
import importlib.metadata
import importlib.util
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
import timeit
from collections.abc import Callable
from pathlib import Path

Form = Callable[[], object]
BATCH_SECONDS = 0.02


# -- in the measured process ---------------------------------------------------------------------------------------


def make_package(folder: Path) -> None:
    """Write the dependency: `lib` is imported, `lib_unused` never is, `lib_absent` is not there."""
    for name in ("lib", "lib_unused"):
        (folder / name / "ops").mkdir(parents=True)
        (folder / name / "__init__.py").touch()
        (folder / name / "ops" / "__init__.py").touch()
        (folder / name / "ops" / "norm.py").write_text("def kernel():\n    pass\n", encoding="utf-8")
    metadata = folder / "lib-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: lib\nVersion: 1.0\n", encoding="utf-8")


def forms() -> dict[str, Form]:
    """Every form by how it reads, cheap ones first; `lib` must be importable."""
    from lib.ops import norm  # type: ignore[import-not-found]

    at_top = norm.kernel
    find_spec, import_module, version = importlib.util.find_spec, importlib.import_module, importlib.metadata.version

    def nothing() -> object:
        return None

    def bound_at_import() -> object:
        return at_top

    def bound_at_import_tested() -> object:
        return at_top if at_top is not None else None

    @functools.cache
    def resolve() -> object:
        return import_module("lib.ops.norm").kernel

    def cached_resolver() -> object:
        return resolve()

    def has_name() -> object:
        return norm.kernel_new if hasattr(norm, "kernel_new") else norm.kernel

    def import_top() -> None:
        import lib  # noqa: F401

    def import_dotted() -> None:
        import lib.ops.norm as module  # noqa: F401

    def import_from() -> None:
        from lib.ops.norm import kernel  # noqa: F401

    def import_has_name() -> object:
        import lib.ops.norm as module

        return module.kernel_new if hasattr(module, "kernel_new") else module.kernel

    def import_by_name() -> object:
        return import_module("lib.ops.norm")

    def failing_name() -> None:
        try:  # noqa: SIM105  # this is what is measured
            from lib.ops.norm import kernel_new  # noqa: F401
        except ImportError:
            pass

    def failing_name_then_other() -> None:
        try:
            from lib.ops.norm import kernel_new  # noqa: F401
        except ImportError:
            from lib.ops.norm import kernel  # noqa: F401

    def failing_module() -> None:
        try:  # noqa: SIM105
            import lib_absent  # noqa: F401
        except ImportError:
            pass

    def failing_submodule() -> None:
        try:  # noqa: SIM105
            import lib.absent  # noqa: F401
        except ImportError:
            pass

    return {
        "": nothing,
        "name bound at import": bound_at_import,
        "name bound at import, `is not None`": bound_at_import_tested,
        "resolver under `functools.cache`": cached_resolver,
        "`hasattr(module, new)`, module kept": has_name,
        "`import lib`": import_top,
        "`import lib.ops.norm as m`": import_dotted,
        "`from lib.ops.norm import kernel`": import_from,
        "`import lib.ops.norm as m`, `hasattr(m, new)`": import_has_name,
        '`import_module("lib.ops.norm")`': import_by_name,
        "`from lib.ops.norm import new`, caught": failing_name,
        "the same, then `from ... import old`": failing_name_then_other,
        "`import absent`, caught": failing_module,
        "`import lib.absent`, caught": failing_submodule,
        '`find_spec("lib")`, imported': lambda: find_spec("lib"),
        '`find_spec("lib.ops.norm")`, imported': lambda: find_spec("lib.ops.norm"),
        '`find_spec("lib_unused")`, there, not imported': lambda: find_spec("lib_unused"),
        '`find_spec("lib.absent")`': lambda: find_spec("lib.absent"),
        '`find_spec("absent")`': lambda: find_spec("lib_absent"),
        '`metadata.version("lib")`': lambda: version("lib"),
    }


def measure(rounds: int) -> dict[str, object]:
    """Return the microseconds of every form in every round."""
    with tempfile.TemporaryDirectory() as folder:
        make_package(Path(folder))
        sys.path.append(folder)
        timers = {name: timeit.Timer(form, timer=time.process_time) for name, form in forms().items()}
        counts = {name: calls_in(timer, BATCH_SECONDS) for name, timer in timers.items()}
        found: dict[str, list[float]] = {name: [] for name in timers}
        for _ in range(rounds):
            for name, timer in timers.items():
                found[name].append(timer.timeit(counts[name]) / counts[name] * 1e6)
        return {"version": platform.python_version(), "path": len(sys.path), "times": found}


def calls_in(timer: timeit.Timer, seconds: float) -> int:
    """Return how many calls take about that long."""
    number = 1
    while (taken := timer.timeit(number)) < seconds / 4:
        number *= 4
    return max(1, round(number * seconds / taken))


# -- in the asking process -----------------------------------------------------------------------------------------


def ask(interpreter: str, rounds: int) -> dict[str, object]:
    """Measure in another interpreter."""
    command = [interpreter, "-I", os.path.abspath(__file__), "--worker", "--rounds", str(rounds)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        sys.exit(f"{interpreter}: {done.stderr.strip() or done.returncode}")
    answer: dict[str, object] = json.loads(done.stdout)
    return answer


def table(reports: list[dict[str, object]]) -> str:
    """Return a Markdown table, one column for each interpreter."""
    lines = ["| form | " + " | ".join(f"CPython {report['version']}" for report in reports) + " |"]
    lines.append("| --- |" + " ---: |" * len(reports))
    times = [report["times"] for report in reports]
    names = [name for name in times[0] if name]  # type: ignore[attr-defined]
    lines += [f"| {name} | " + " | ".join(cell(each, name) for each in times) + " |" for name in names]  # type: ignore[arg-type]
    return "\n".join(lines)


def cell(times: dict[str, list[float]], name: str) -> str:
    """Return the median and quartiles of a form, each round less the empty call of the same round."""
    rounds = [taken - empty for taken, empty in zip(times[name], times[""])]  # noqa: B905  # as long as each other
    low, _, high = statistics.quantiles(rounds, n=4)
    return f"{figure(statistics.median(rounds))} [{figure(low)}, {figure(high)}]"


def figure(value: float) -> str:
    """Return microseconds with about three digits."""
    return f"{value:.3f}" if value < 10 else f"{value:.1f}" if value < 100 else f"{value:.0f}"


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("interpreters", nargs="*", default=[sys.executable], help="paths of Python interpreters")
    parser.add_argument("--rounds", type=int, default=25, help="how often each form is measured")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        print(json.dumps(measure(options.rounds)))
        return
    reports = [ask(interpreter, options.rounds) for interpreter in options.interpreters]
    today = dt.datetime.now(dt.timezone.utc).date()
    print(f"{today}, {platform.system()} on {platform.machine()}, `sys.path` of {reports[0]['path']} entries, ", end="")
    print(f"{options.rounds} rounds\n\n{table(reports)}")


if __name__ == "__main__":
    main()
