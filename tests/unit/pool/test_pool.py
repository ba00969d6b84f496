"""Results come in order, and a worker's death costs one item."""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor

import pytest

from optdep_lint.pool import Failed, default_jobs, run


def double(number: int) -> int:
    if number == 13:
        raise ValueError("thirteen")
    return number * 2


def die_at_five(number: int) -> int:
    if number == 5:
        os._exit(3)
    return number


@pytest.mark.parametrize("jobs", [1, 2])
def test_in_order(jobs: int) -> None:
    results = list(run(double, range(40), jobs=jobs))
    assert results == [Failed(13, "ValueError: thirteen") if n == 13 else n * 2 for n in range(40)]


def test_any_executor() -> None:
    with ThreadPoolExecutor(3) as executor:
        assert list(run(double, [1, 2, 3], jobs=3, executor=executor)) == [2, 4, 6]


def test_a_dead_worker_costs_one_item() -> None:
    results = list(run(die_at_five, range(20), jobs=2))
    assert results == [Failed(5, "the worker process died") if n == 5 else n for n in range(20)]


def test_nothing_to_do() -> None:
    assert list(run(double, [], jobs=4)) == []
    assert default_jobs() >= 1
