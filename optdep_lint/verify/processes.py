"""One fresh process for each module: what importing it does there."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from optdep_lint.world.worlds import World

PROBE = Path(__file__).with_name("probe.py")


class InterpreterError(Exception):
    """An interpreter that cannot be used; the text is one line."""


@dataclass(frozen=True, slots=True)
class Interpreter:
    """The Python that imports."""

    executable: str
    version: tuple[int, int]
    platform: str
    """`sys.platform`"""
    library: str
    """The folder of its standard library."""

    @classmethod
    def ask(cls, executable: str | None) -> Interpreter:
        """About an interpreter, or about this one; raises InterpreterError."""
        executable = executable or sys.executable
        code = "import json, os, sys; print(json.dumps([*sys.version_info[:2], sys.platform, os.path.dirname(os.__file__)]))"
        try:
            done = subprocess.run(
                [executable, "-I", "-c", code], capture_output=True, text=True, check=True, timeout=60
            )
            major, minor, platform, library = json.loads(done.stdout)
        except (OSError, subprocess.SubprocessError, ValueError) as error:
            raise InterpreterError(f"{executable}: is no Python that runs: {error}") from None
        return cls(executable, (major, minor), platform, library)


@dataclass(frozen=True, slots=True)
class Seen:
    """What importing a module did."""

    status: str
    """`ok`, `raises`, or `unknown` where it did not come to an end."""
    error: str = ""
    """The exception's type."""
    message: str = ""
    """What the exception, or the end of the process, said."""
    missing: str | None = None
    """The `name` of an ImportError."""
    is_import_error: bool = False
    frames: tuple[tuple[str, int], ...] = ()
    """File and line of each frame, outermost first."""


@dataclass(frozen=True, slots=True)
class Scene:
    """Where modules are imported."""

    root: Path
    """The project's."""
    folders: tuple[str, ...]
    """What goes first on `sys.path`; absolute."""
    world: World
    interpreter: Interpreter


def import_all(modules: Sequence[str], scene: Scene, *, jobs: int, timeout: float) -> Iterator[Seen]:
    """What importing each of the modules does, in their order.

    Args:
        modules: Dotted names.
        scene: Where.
        jobs: How many processes at a time.
        timeout: Seconds for one module.
    """
    absent = sorted(scene.world.absent)
    distributions = sorted({*scene.world.distributions, *absent})
    request = {"absent": absent, "distributions": distributions, "path": scene.folders}
    with tempfile.TemporaryDirectory() as elsewhere, ThreadPoolExecutor(max(1, jobs)) as threads:
        requests = (json.dumps({**request, "module": module}) for module in modules)
        yield from threads.map(lambda each: _import(each, scene.interpreter, elsewhere, timeout), requests)


def _import(request: str, interpreter: Interpreter, folder: str, timeout: float) -> Seen:
    """`-I` and `-B`: no environment variables of Python, nothing of the current folder, no bytecode left behind."""
    with subprocess.Popen(
        [interpreter.executable, "-I", "-B", str(PROBE), request],
        cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, start_new_session=True,
    ) as process:  # fmt: skip
        try:
            told, _ = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            return Seen("unknown", message=f"not done after {timeout:g} s")
        finally:
            _end(process)
    try:
        seen = json.loads(told)
    except ValueError:
        return Seen("unknown", message=f"the process ended with status {process.returncode}")
    return Seen(**{**seen, "frames": tuple(map(tuple, seen.get("frames", ())))})


def _end(process: subprocess.Popen[bytes]) -> None:
    """Ends the process with all that it has started."""
    if hasattr(os, "killpg"):
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGKILL)
    else:
        process.kill()
