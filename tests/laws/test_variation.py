"""A world that shares with another gives what it gives by itself."""

from random import Random

from optdep_lint.world.evaluation import Evaluation
from optdep_lint.world.variation import Readers, vary
from optdep_lint.world.worlds import World
from tests.laws.differential import WORLD, tree_of
from tests.laws.programs import Writer

PROGRAMS = 200
ORDER = 0.04
"""The share of programs in which what else was imported before, in a circle of modules that fail, makes a difference."""


def statuses(evaluation):
    return {name: evaluation.outcome(name).status for name in evaluation.tree.sources}


def is_shared_rightly(seed):
    tree = tree_of(Writer(Random(seed)).program())
    base = Evaluation(tree, World("everything", distributions=WORLD.distributions))
    statuses(base)
    for name in tree.sources:
        base.module(name)
    return statuses(vary(base, Readers(base), WORLD)) == statuses(Evaluation(tree, WORLD))


def test_shared_worlds_are_as_fresh_ones():
    differing = [seed for seed in range(PROGRAMS) if not is_shared_rightly(seed)]
    assert len(differing) < PROGRAMS * ORDER, differing
