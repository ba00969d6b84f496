"""The evaluator says of random programs what Python does with them."""

from random import Random

import pytest
from hypothesis import HealthCheck, Phase, given, settings

from tests.laws.differential import Runner, judge
from tests.laws.programs import Writer
from tests.laws.strategy import programs

PROGRAMS = 300
DRAWN = settings(
    max_examples=40, derandomize=True, deadline=None, database=None, suppress_health_check=list(HealthCheck),
    phases=[Phase.generate, Phase.shrink],
)  # fmt: skip


@pytest.fixture(scope="module")
def verdicts():
    with Runner() as runner:
        return [judge(Writer(Random(seed)).program(), runner) for seed in range(PROGRAMS)]


def test_it_disagrees_with_no_run(verdicts):
    complaints = {seed: verdict.complaint for seed, verdict in enumerate(verdicts) if verdict.complaint}
    assert not complaints


def test_it_seldom_says_maybe(verdicts):
    assert sum(verdict.status == "maybe" for verdict in verdicts) < PROGRAMS * 0.05


@DRAWN
@given(programs())
def test_it_disagrees_with_no_run_of_what_hypothesis_draws(program):
    with Runner() as runner:
        assert judge(program, runner).complaint is None
