"""Are fixed packages better when they really run? python benchmarks/real_proof.py [--shared PATH] [--bugs] FOLDER [ID ...]

Repairs copies of the incident fixtures and, with `--shared` (a folder with `cases/` and `bugs/`), of its small projects
and, with `--bugs`, of the released packages with reported faults, which come from PyPI. Each package is then imported,
module by module in fresh processes (every module that a fix has changed, and at most eight others), as it was and as it
is now: without the root, and with everything there. Without
it, no import that worked may fail, and what failed must work or say what to install; with everything there every module
must behave as before and lose no public name. What the user reported is run as well.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from optdep_lint import engine
from optdep_lint.config import Config
from optdep_lint.discovery import discover
from optdep_lint.findings import Fix
from optdep_lint.fixers import load_repairs
from optdep_lint.fixers.passes import Passes, build
from optdep_lint.fixers.workshop import Workshop

FIXTURES = Path(__file__).resolve().parent.parent / "fixtures"
RUN = """
import importlib, io, json, os, sys
wanted, hidden, drive = json.loads(sys.argv[1])

class Hide:
    def find_spec(self, name, path=None, target=None):
        if any(name == root or name.startswith(root + ".") for root in hidden):
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hide())
out = os.fdopen(os.dup(1), "w")
os.dup2(os.open(os.devnull, os.O_WRONLY), 1)

def attempt(act):
    try:
        return {"names": sorted(name for name in act() or () if not name.startswith("_"))}
    except BaseException as error:
        return {"error": type(error).__name__, "message": str(error), "import": isinstance(error, ImportError)}

acts = {name: (lambda name=name: vars(importlib.import_module(name))) for name in wanted}
if drive:
    acts["(reported)"] = lambda: exec(compile(drive, "reported", "exec"), {"__name__": "reported"})
for name, act in acts.items():
    child = os.fork()
    if not child:
        result = attempt(act)
        out.write(json.dumps([name, result]) + chr(10))
        out.flush()
        os._exit(0)
    os.waitpid(child, 0)
"""
"""Each import in a process of its own, forked from one that has imported nothing of the project."""
REPORTED = "(reported)"


@dataclass
class Subject:
    """A package with a fault, and the two worlds in which it runs."""

    name: str
    package: Path
    absent: list[Path]
    """Folders on the path where the root is absent."""
    present: list[Path]
    hidden: list[str] = field(default_factory=list)
    """Roots that cannot be found where the root is absent."""
    drive: str = ""
    """What was reported."""
    environment: dict[str, str] = field(default_factory=dict)
    python: str = sys.executable
    prepare: Callable[[], None] | None = None
    """Installs what the two worlds need."""


@dataclass
class Figures:
    """Of one subject."""

    offered: int = 0
    proved: int = 0
    refused: int = 0
    """By the proof."""
    unrepaired: int = 0
    """No fix could be built."""
    codes: Counter[str] = field(default_factory=Counter)
    cured: list[str] = field(default_factory=list)
    """What failed without the root and works now."""
    told: list[str] = field(default_factory=list)
    """What still fails, and now says what to install."""
    moved: list[str] = field(default_factory=list)
    """What now stands under the guard of its operation, which asks for another platform than this one."""
    still: bool = False
    """What was reported fails as before."""
    faults: list[str] = field(default_factory=list)
    changed: set[str] = field(default_factory=set)
    """The paths of the changed files."""


MOST_OTHERS = 8


def repair(root: Path) -> Figures:
    """Repair a folder in place."""
    figures = Figures()
    config = Config()
    for project in discover([root], config):
        passes = Passes(engine.look(project, config), config, fixable=None, unsafe=True)
        default = engine.judge(passes.state.looked, config).findings
        workshop, repairs = Workshop(passes.state.looked, config, default), load_repairs()
        offers = [build(finding, workshop, repairs) for finding in default]
        outcome = passes.run()
        figures.offered += sum(isinstance(offer, Fix) for offer in offers)
        figures.unrepaired += sum(not isinstance(offer, Fix) for offer in offers)
        figures.refused += sum("the edit would" in why or "could no" in why for why in outcome.refused.values())
        figures.proved += len(outcome.applied)
        figures.codes.update(finding.code for finding in outcome.applied)
        for path, _, new in outcome.changed():
            (root / path).write_bytes(new)
            figures.changed.add(path)
    return figures


def run(subject: Subject, root: Path, changed: set[str], *, absent: bool) -> dict[str, dict[str, Any]]:
    """What importing modules of a copy does, and what was reported."""
    (project,) = discover([root], Config())
    files = [file for file in project.files if file.module is not None and file.role == "subject"]
    others = sorted(file.module for file in files if file.module and file.relative not in changed)
    modules = sorted(file.module for file in files if file.module and file.relative in changed)
    modules += others[:: -(-len(others) // MOST_OTHERS) or 1]
    folders = [*(root / folder for folder in project.import_roots), *(subject.absent if absent else subject.present)]
    request = json.dumps([modules, subject.hidden if absent else [], subject.drive])
    done = subprocess.run(
        [subject.python, "-S", "-B", "-c", RUN, request], cwd=root, capture_output=True, text=True, timeout=900, check=False,
        env={**subject.environment, "PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join(map(str, folders))},
    )  # fmt: skip
    return dict(json.loads(line) for line in done.stdout.splitlines())


def compare(subject: Subject, before: Path, after: Path, figures: Figures) -> None:
    """Hold the two against each other."""
    old, new = (run(subject, root, figures.changed, absent=True) for root in (before, after))
    for name, was in old.items():
        now = new.get(name, {"error": "nothing", "message": "it did not come to an end"})
        if "error" not in was:
            if "error" in now:
                figures.faults.append(f"without the root {name} now fails: {now['error']}: {now['message']}")
        elif "error" not in now:
            figures.cured.append(name)
        elif name == REPORTED and now == was:
            figures.still = True
        elif now.get("import") and re.search(r"\binstall\b|not available", now["message"]) and now != was:
            figures.told.append(name)
    old, new = (run(subject, root, figures.changed, absent=False) for root in (before, after))
    for name, was in old.items():
        now = new.get(name, {"error": "nothing", "message": "it did not come to an end"})
        if "error" in now and "error" not in was:
            figures.faults.append(f"with everything there {name} now fails: {now['error']}: {now['message']}")
        lost = set(was.get("names", ())) - set(now.get("names", ()))
        moved = {word for word in lost if figures.codes["OPD301"] and _is_under_a_guard(after, name, word)}
        lost -= moved
        figures.moved += sorted(moved)
        if lost and "error" not in now:
            figures.faults.append(f"with everything there {name} loses {', '.join(sorted(lost))}")


def _is_under_a_guard(root: Path, module: str, name: str) -> bool:
    path = root.joinpath(*module.split("."))
    text = (path / "__init__.py" if path.is_dir() else path.with_suffix(".py")).read_text(encoding="utf-8")
    return re.search(rf"^\s+(?:class|def) {name}\b", text, re.MULTILINE) is not None


# --- the subjects ----------------------------------------------------------------------------------------------------


def incidents() -> Iterator[Subject]:
    """The three founding incidents, all variants."""
    stubs = FIXTURES / "stubs"
    for path in sorted((FIXTURES / "incidents").glob("*/*/pyproject.toml")):
        name = path.parent.relative_to(FIXTURES / "incidents").as_posix()
        drive = "import runpy; runpy.run_module('llmserve', run_name='__main__')"
        environment = {"LLMSERVE_PLATFORM": "rocm", "LLMSERVE_ROCM_USE_AITER": "0", "LLMSERVE_GFX": "gfx1151"}
        there = [stubs / "torch", stubs / "aiter_old", stubs / "flash_attn_old"]
        yield Subject(name, path.parent, [stubs / "torch"], there, drive=drive, environment=environment)


def cases(folder: Path) -> Iterator[Subject]:
    """The faulty twins of the kinds k1 to k5."""
    stubs = folder / "stubs"
    for path in sorted(folder.glob("k[1-5]_*/case.json")):
        spec = json.loads(path.read_text())
        there = [stubs / name for name in ("torch", "numpy", *spec["avail"].split())]
        hidden = [spec["hide"]] if spec["hide"] else []
        drive = spec["drive"].replace("PKG", "acme")
        yield Subject(path.parent.name, path.parent / "bad", there, sorted(stubs.iterdir()), hidden, drive)


def bugs(folder: Path, cache: Path) -> Iterator[Subject]:
    """The released packages, each with what it requires, and what was missing, from PyPI."""
    for bug in json.loads((folder / "bugs.json").read_text()):
        package = _fetch(f"{bug['dist']}=={bug['bad']}", cache / f"{bug['dist']}-{bug['bad']}", needs=False)
        if package is None:
            print(f"{bug['id']}: cannot be fetched")
            continue
        missing = bug["missing"].split(" ")[0]
        root = missing.partition(".")[0]
        subject = Subject(bug["id"], package, [], [], [missing], bug["snippet"], python=_python(bug["python"]))
        subject.prepare = lambda bug=bug, subject=subject, root=root: _install(bug, subject, root, cache)
        yield subject


def _install(bug: dict[str, Any], subject: Subject, root: str, cache: Path) -> None:
    """What a package requires, and what it does without: that is hidden where it has to be absent."""
    needs = _fetch(f"{bug['dist']}=={bug['bad']}", cache / f"needs-{bug['id']}", python=subject.python)
    more = _fetch(DISTRIBUTIONS.get(root, root), cache / f"more-{bug['id']}", python=subject.python)
    subject.present = subject.absent = [folder for folder in (needs, more) if folder is not None]


DISTRIBUTIONS = {
    "pkg_resources": "setuptools<81", "jwt": "PyJWT", "graphql": "graphql-core", "PIL": "pillow", "grpc_status": "grpcio-status",
    "openapi_spec_validator": "openapi-spec-validator", "opentelemetry": "opentelemetry-api",
}  # fmt: skip


def _python(version: str) -> str:
    """An interpreter of a version; pyenv's own, since what it puts on the path need not run."""
    own = [str(path) for path in sorted(Path.home().glob(f".pyenv/versions/{version}.*/bin/python"))]
    return next(iter(own), None) or shutil.which(f"python{version}") or sys.executable


def _fetch(requirement: str, target: Path, *, needs: bool = True, python: str = sys.executable) -> Path | None:
    """A folder with a distribution, and what it requires, installed."""
    if not (target / ".complete").exists():
        words = [python, "-m", "pip", "install", "-q", "--target", str(target), *([] if needs else ["--no-deps"])]
        if subprocess.run([*words, requirement], capture_output=True, check=False).returncode:
            return None
        (target / ".complete").touch()
    return target


def main() -> int:
    """Run all and print a table; 1 where anything got worse."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("ids", nargs="*")
    parser.add_argument("--shared", type=Path, help="a folder with cases/ and bugs/")
    parser.add_argument("--bugs", action="store_true", help="also the released packages: takes long")
    options = parser.parse_args()
    folder = options.folder.resolve()
    subjects = [incidents()]
    if options.shared is not None:
        subjects.append(cases(options.shared / "cases"))
        if options.bugs:
            subjects.append(bugs(options.shared / "bugs", Path.home() / ".cache" / "optdep-bugs"))
    total, faulty, verified = Counter[str](), 0, 0
    for subject in (one for group in subjects for one in group):
        if options.ids and subject.name not in options.ids:
            continue
        after = folder / subject.name.replace("/", "-")
        shutil.rmtree(after, ignore_errors=True)
        shutil.copytree(subject.package, after)
        figures = repair(after)
        if figures.proved:
            if subject.prepare is not None:
                subject.prepare()
            compare(subject, subject.package, after, figures)
        good = bool(figures.proved and not figures.faults and not figures.still)
        faulty, verified = faulty + bool(figures.faults), verified + good
        total.update(subjects=1, offered=figures.offered, proved=figures.proved, refused=figures.refused,
                     unrepaired=figures.unrepaired, repaired=bool(figures.proved), verified=figures.proved if good else 0)  # fmt: skip
        print(
            f"{subject.name}: offered {figures.offered}, proved {figures.proved}, refused {figures.refused}, no fix"
            f" {figures.unrepaired}; works now: {_short(figures.cured)}; says what to install: {_short(figures.told)}"
            f" {dict(figures.codes)}{' STILL' if figures.still else ''}", flush=True,
        )  # fmt: skip
        for fault in figures.faults[:10]:
            print(f"    FAULT {fault}", flush=True)
    print(dict(total), f"{verified} packages really verified, {faulty} with faults")
    return int(faulty > 0)


def _short(names: list[str]) -> str:
    return ", ".join(names[:3]) + (f" and {len(names) - 3} more" if len(names) > 3 else "") or "-"


if __name__ == "__main__":
    sys.exit(main())
