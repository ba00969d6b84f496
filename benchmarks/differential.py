"""The differential law at length: python benchmarks/differential.py --programs 20000 [--first SEED]

Counts how often each method of the evaluator was reached, and lists every disagreement by seed.
"""

from __future__ import annotations

import argparse
import inspect
import sys
from collections import Counter
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from optdep_lint.world.answers import ANSWERS
from optdep_lint.world.calls import Calls
from optdep_lint.world.expressions import Expressions
from optdep_lint.world.imports import Imports
from optdep_lint.world.known import KnownThings
from optdep_lint.world.statements import Statements
from tests.laws.differential import Runner, judge
from tests.laws.programs import Writer

PARTS = (Statements, Expressions, Calls, Imports, KnownThings)


ELSEWHERE = frozenset({
    "tell_of_reads", "_resolved", "_alias", "_portion_absent", "_go_on",
})  # fmt: skip
"""Methods that only other uses of the evaluator reach, or syntax newer than the Python that runs the programs; the last
goes on after a failure that caution does not conclude from, and with caution only what an absence explains is compared."""


MOST_OPEN = 0.05
"""The share of programs of which too many are left open."""


def count_methods(reached: Counter[str]) -> None:
    """Let every method of the evaluator count its calls."""
    for part in PARTS:
        for owner in part.__mro__[:-1]:
            for name, method in list(vars(owner).items()):
                if name.startswith("__") or name in ELSEWHERE or not inspect.isfunction(method):
                    continue
                if not hasattr(method, "counted") and not getattr(method, "__isabstractmethod__", False):
                    setattr(owner, name, counting(method, f"{owner.__name__}.{name}", reached))


def counting(method, label: str, reached: Counter[str]):  # noqa: ANN001, ANN201
    reached[label] += 0

    def counted(*arguments, **keywords):  # noqa: ANN002, ANN003, ANN202
        reached[label] += 1
        return method(*arguments, **keywords)

    counted.counted = True  # type: ignore[attr-defined]
    return counted


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--least", type=int, default=100, help="how often each method is to be reached")
    parser.add_argument("--stop", action="store_true", help="stop at the first disagreement")
    options = parser.parse_args()
    sys.setrecursionlimit(20_000)
    reached: Counter[str] = Counter()
    count_methods(reached)
    statuses: Counter[str] = Counter()
    wrong = 0
    with Runner() as runner:
        for seed in range(options.first, options.first + options.programs):
            verdict = judge(Writer(Random(seed)).program(), runner)
            statuses[verdict.status] += 1
            statuses["with caution"] += verdict.cautious
            if verdict.complaint:
                wrong += 1
                print(f"{seed}: {verdict.complaint}", flush=True)
                if options.stop:
                    return 1
    seldom = sorted(f"{label} ({count})" for label, count in reached.items() if count < options.least)
    print(f"{options.programs} programs, {wrong} disagreements, {dict(statuses)}, {len(ANSWERS)} answers")
    print(f"{len(seldom)} of {len(reached)} methods reached fewer than {options.least} times: {', '.join(seldom)}")
    return 1 if wrong or statuses["maybe"] >= options.programs * MOST_OPEN else 0


if __name__ == "__main__":
    sys.exit(main())
