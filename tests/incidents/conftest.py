"""Runs a variant of an incident in a fresh process, with chosen stub distributions installed and nothing else."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"

# Runs the code it is given and tells, as one line of JSON, what came of it: the value of `result`, or the error with
# the places of the project that it passed through, innermost first.
DRIVER = """
import json, os, sys, traceback
namespace = {}
try:
    exec(sys.argv[1], namespace)
except BaseException as error:
    frames = traceback.extract_tb(error.__traceback__)
    here = os.getcwd() + os.sep
    places = [[f.filename[len(here):].replace(os.sep, "/"), f.lineno] for f in frames if f.filename.startswith(here)]
    report = {"error": type(error).__name__, "message": str(error), "places": places[::-1]}
else:
    report = {"result": namespace.get("result")}
print(json.dumps(report))
"""


@dataclass(frozen=True)
class Outcome:
    """What one process did."""

    result: object
    error: str | None
    message: str
    places: tuple[tuple[str, int], ...]


@dataclass(frozen=True)
class Stage:
    """One project folder and what is installed beside it."""

    project: Path
    stubs: tuple[str, ...]
    environment: tuple[tuple[str, str], ...]

    def run(self, code: str) -> Outcome:
        """Run code in the project's folder; without site-packages, so that absent means absent."""
        kept = {key: os.environ[key] for key in ("PATH", "SYSTEMROOT") if key in os.environ}
        path = os.pathsep.join(str(FIXTURES / "stubs" / stub) for stub in self.stubs)
        process = subprocess.run(
            [sys.executable, "-S", "-B", "-c", DRIVER, code],
            cwd=self.project,
            env={**kept, **dict(self.environment), "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=False,
            timeout=60,
        )
        assert process.returncode == 0, process.stderr
        report = json.loads(process.stdout)
        return Outcome(
            report.get("result"),
            report.get("error"),
            report.get("message", ""),
            tuple((path, line) for path, line in report.get("places", ())),
        )

    def line_of(self, path: str, text: str) -> int:
        """Return the number of the one line of a file that contains the text."""
        lines = (self.project / path).read_text(encoding="utf-8").splitlines()
        numbers = [number for number, line in enumerate(lines, start=1) if text in line]
        assert len(numbers) == 1, (path, text, numbers)
        return numbers[0]


@pytest.fixture
def stage() -> Callable[..., Stage]:
    """Return a maker of stages: `stage("incident/variant" or a folder, "aiter_old", ..., LLMSERVE_PLATFORM="rocm")`."""

    def make(project: str | Path, *stubs: str, **environment: str) -> Stage:
        folder = FIXTURES / "incidents" / project if isinstance(project, str) else project
        present = ("torch", *(stub for stub in stubs if not stub.endswith("absent")))
        return Stage(folder, present, tuple(environment.items()))

    return make
