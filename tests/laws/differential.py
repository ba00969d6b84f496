"""Holds what the evaluator says of a program against what really happens."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from optdep_lint.summarize import summarize
from optdep_lint.world.evaluation import Evaluation, Outcome
from optdep_lint.world.modules import Source, Tree
from optdep_lint.world.surroundings import COMMON_VARIABLES, TYPING_ONLY
from optdep_lint.world.values import Choice, Constant, Failure, Unbound, Unknown, Value
from optdep_lint.world.worlds import World
from tests.laws.programs import LATER

PRESENT, ABSENT = ("here", "there", "shared", "packaging", "lazy_loader", "pytest"), ("gone", "lost", "shared")
Program = dict[str, str]
_PARTS = {root: frozenset({root, f"{root}.part"}) for root in ("here", "there")} | {
    "shared": frozenset({"shared.kept"}),
    "space": frozenset({"space.item"}),
}
WORLD = World(
    "law", absent=frozenset({"shared.missed"}), present=frozenset({*PRESENT, "space"}), namespaces=_PARTS, versions={"here": "1.2"},
    python=sys.version_info[:2], platform=sys.platform,
)  # fmt: skip


class Verdict(NamedTuple):
    """What came of one program."""

    status: str
    """What the evaluator said: `ok`, `raises` or `maybe`."""
    complaint: str | None
    """How that differs from what happened; None where it does not."""
    cautious: bool
    """The default caution was held against the run, too."""


class Runner:
    """A process that runs programs for real, where only those environment variables are set that worlds leave open."""

    def __init__(self) -> None:
        worker = Path(__file__).with_name("worker.py")
        environment = {name: value for name, value in os.environ.items() if COMMON_VARIABLES.fullmatch(name)}
        self._process = subprocess.Popen(
            [sys.executable, worker], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def __enter__(self) -> Runner:  # noqa: PYI034  # Self needs 3.11
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def run(self, program: Program, present: Iterable[str] = PRESENT, target: str = "top") -> dict:
        """Import a module of a program."""
        self._process.stdin.write(json.dumps({"modules": program, "present": list(present), "target": target}) + "\n")
        self._process.stdin.flush()
        return json.loads(self._process.stdout.readline())


def evaluate(program: Program, *, cautious: bool = False) -> tuple[Outcome, Evaluation]:
    """Evaluate the import of `top` where some roots are absent."""
    evaluation = Evaluation(tree_of(program), WORLD, cautious=cautious)
    return evaluation.outcome("top"), evaluation


def tree_of(program: Program) -> Tree:
    """The program as the evaluator sees it."""
    parents = {name.rpartition(".")[0] for name in program if "." in name}
    return Tree(Sources(program), complete=True, namespaces=frozenset(parents - program.keys()))


class Sources(Mapping[str, Source]):
    """The modules of a program, each read when it is asked for: many are never come to."""

    def __init__(self, program: Program) -> None:
        self._program = program
        self._read: dict[str, Source] = {}

    def __getitem__(self, name: str) -> Source:
        if name not in self._read:
            text = self._program[name]
            package = any(other.startswith(f"{name}.") for other in self._program)
            path = name.replace(".", "/") + ("/__init__.py" if package else ".py")
            self._read[name] = Source(name, path, package, summarize(text.encode()))
        return self._read[name]

    def __contains__(self, name: object) -> bool:
        return name in self._program

    def __iter__(self) -> Iterator[str]:
        return iter(self._program)

    def __len__(self) -> int:
        return len(self._program)


def judge(program: Program, runner: Runner) -> Verdict:
    """Evaluate a program, run it, and compare; with caution, too, where all that is raised goes back to an absence."""
    tree, real = tree_of(program), runner.run(program)
    evaluation = Evaluation(tree, WORLD, cautious=False)
    unexplained = watch(evaluation)
    outcome = evaluation.outcome("top")
    complaint = compare(outcome, evaluation, real, program, runner)
    if complaint is None and len(program["top"]) % 2 == 0 and not asks_the_process(program):
        complaint = complain_of_another(evaluation, program, runner)
    cautious = not unexplained
    if complaint is None and cautious:
        careful = Evaluation(tree, WORLD)
        complaint = compare(careful.outcome("top"), careful, real, program, runner)
        complaint = complaint and f"with caution, {complaint}"
    return Verdict(outcome.status, complaint, cautious)


def asks_the_process(program: Program) -> bool:
    """What some module does hangs on what has been imported before, in whatever order."""
    return any("sys.modules" in text for text in program.values())


def complain_of_another(evaluation: Evaluation, program: Program, runner: Runner) -> str | None:
    """Whether another module's import ends as it does in a process of its own, though `top` was asked for before.

    What asks for modules in `sys.modules` is left out: evaluation keeps what it has found in the first process that came to it.
    """
    name = LATER if LATER in program else min(program)
    outcome = evaluation.outcome(name)
    if outcome.status == "maybe":
        return None
    real = runner.run(program, target=name)
    complaint = f"is {real['status']}: {real.get('text')}" if real["status"] != outcome.status else None
    if complaint is None and outcome.status == "raises":
        parents = [module for parent, module in evaluation.modules.items() if f"{name}.".startswith(f"{parent}.")]
        ways = [outcome.failure, *(failure for module in parents for failure in module.maybe)]
        complaints = [complain_of_failure(failure, real) for failure in ways]
        complaint = None if None in complaints else complaints[0]
    return complaint and f"{name}, asked for after top, {complaint}"


def watch(evaluation: Evaluation) -> list[Failure]:
    """From now on, collect the exceptions that go back to no absence."""
    unexplained: list[Failure] = []
    plain = evaluation.expressions.failure

    def failure(frame, at, kind, message, cause, *others, **keywords) -> Failure:
        found = plain(frame, at, kind, message, cause, *others, **keywords)
        if cause is None:
            unexplained.append(found)
        return found

    evaluation.expressions.failure = failure
    return unexplained


def compare(outcome: Outcome, evaluation: Evaluation, real: dict, program: Program, runner: Runner) -> str | None:
    """How a verdict differs from what happened, the missing root included."""
    complaint = complain(outcome, evaluation, real)
    if complaint is None and outcome.status == real["status"] == "raises":
        ways = [outcome.failure, *evaluation.modules["top"].maybe]
        complaints = [complain_of_root(missing_root(failure), real, program, runner) for failure in ways]
        complaint = None if None in complaints else complaints[0]
        complaint = complaint or complain_of_silence(ways, program, runner)
    return complaint


def complain(outcome: Outcome, evaluation: Evaluation, real: dict) -> str | None:
    """How a verdict differs from what happened."""
    if outcome.status == "maybe":
        return None
    if outcome.status != real["status"]:
        message = outcome.failure.message if outcome.failure else real.get("type", "") + ": " + real.get("text", "")
        return f"said {outcome.status}, was {real['status']}: {message}"
    if outcome.status == "ok":
        return next(differences(evaluation, real["names"]), None)
    ways = [outcome.failure, *evaluation.modules["top"].maybe]
    complaints = [complain_of_failure(failure, real) for failure in ways]
    return None if None in complaints else complaints[0]


def complain_of_failure(failure: Failure | None, real: dict) -> str | None:
    said = getattr(failure.type, "path", None) or getattr(failure.type, "name", "") if failure is not None else ""
    if failure is not None and said.rpartition(".")[2] != real["type"] and type(failure.type).__name__ != "Unknown":
        return f"said {said}, was {real['type']}: {real['text']}"
    return None


def missing_root(failure: Failure | None) -> str | None:
    """The root that a failure is said to go back to."""
    cause = failure.cause if failure is not None else None
    return cause.missing.partition(".")[0] if cause is not None and cause.missing != TYPING_ONLY else None


def complain_of_root(missing: str | None, real: dict, program: Program, runner: Runner) -> str | None:
    """Where a root was missing on the way, it is that one, or it does not come to the same where the root is there."""
    if missing not in (None, *ABSENT):
        return f"said {missing} is missing" if missing in (*PRESENT, *sys.stdlib_module_names) else None
    behind = [root for root in real["roots"] if root in ABSENT]
    if missing in real["all_roots"] or not behind:
        return None
    for root in (missing,) if missing else behind:
        matters = runner.run(program, (*PRESENT, root)) != real
        if matters is not bool(missing):
            return f"said {missing} is missing, is {real['roots']}"
    return None


def complain_of_silence(ways: list[Failure | None], program: Program, runner: Runner) -> str | None:
    """Where a `raise` of `top` itself is said to go back to nothing absent, it is met with everything there, too.

    What asks for modules in `sys.modules`, or puts them there, is left out: why one is not there is not kept.
    """
    if asks_the_process(program):
        return None
    kinds = {(failure.kind, failure.path, missing_root(failure)) for failure in ways if failure is not None}
    if kinds != {("raise", "top.py", None)}:
        return None
    everything = runner.run(program, (*PRESENT, *ABSENT))
    return "said that nothing is missing" if everything["status"] == "ok" else None


def differences(evaluation: Evaluation, real: dict[str, list]) -> Iterator[str]:
    """Names of `top` that are not bound as was said."""
    module = evaluation.modules["top"]
    for name, value in module.names.items():
        if name.startswith("__"):
            continue
        if isinstance(value, Unbound) and name in real:
            yield f"{name} was said to be unbound"
        elif isinstance(value, Constant) and name not in real:
            yield f"{name} was said to be {value.value!r}, is unbound"
        elif (
            isinstance(value, Constant)
            and isinstance(value.value, (int, str, type(None)))
            and real[name] != ["constant", repr(value.value)]
        ):
            yield f"{name} was said to be {value.value!r}, is {real[name]}"
        elif is_bound(value) and name not in real:
            yield f"{name} was said to be bound"
    if not module.dynamic:
        yield from (f"{name} was not said to be bound" for name in real if name not in module.names)


def is_bound(value: Value) -> bool:
    """A value that is one for sure."""
    return not isinstance(value, (Unbound, Choice, Unknown))
