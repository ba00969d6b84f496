"""The differential law at length: python benchmarks/differential.py [--programs 20000] [--first 0]

Lists every disagreement by its seed, and every branch of the evaluator that was seldom taken (`branches.py`).
"""

from __future__ import annotations

import argparse
import importlib
import sys
from collections import Counter
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.branches import EVALUATOR, Counters, reason
from tests.laws.differential import Runner, judge
from tests.laws.programs import Writer

MOST_OPEN = 0.05
"""The share of programs of which too many are left open."""


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--least", type=int, default=100, help="how often each branch is to be taken")
    parser.add_argument("--stop", action="store_true", help="stop at the first disagreement")
    options = parser.parse_args()
    sys.setrecursionlimit(20_000)
    counters = Counters(importlib.import_module(f"optdep_lint.world.{name}") for name in EVALUATOR)
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
    print(f"{options.programs} programs, {wrong} disagreements, {dict(statuses)}")
    tell(counters, options.least)
    return 1 if wrong or statuses["maybe"] >= options.programs * MOST_OPEN else 0


def tell(counters: Counters, least: int) -> None:
    """Print the branches that were taken fewer times, those that others come to apart."""
    seldom = [(branch, count) for branch, count in zip(counters.branches, counters.taken, strict=True) if count < least]
    open_ = [(branch, count) for branch, count in seldom if reason(branch) is None]
    excused = Counter(reason(branch) for branch, _ in seldom)
    del excused[None]
    print(f"{len(counters.branches)} branches, {len(open_)} taken fewer than {least} times:")
    for branch, count in open_:
        print(f"  {count:5} {branch.file}:{branch.line} {branch.label}")
    print(f"{sum(excused.values())} more are not for programs like these:")
    for why, count in excused.most_common():
        print(f"  {count:5} {why}")


if __name__ == "__main__":
    sys.exit(main())
