"""Results come in order, and a worker's death costs one item."""

from __future__ import annotations

import gc
import os
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest

from optdep_lint import pool
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


def test_acts_are_done_in_copies() -> None:
    """What a copy changes stays with it, and its result comes back; the order is that of the acts."""
    kept: list[int] = []

    def act(number: int) -> tuple[int, int]:
        kept.append(number)
        return number, os.getpid()

    results = pool.apart([partial(act, number) for number in range(5)], 2)
    assert [number for number, _ in results] == list(range(5))
    if pool._can_be_copied():
        assert not kept
        assert os.getpid() not in {process for _, process in results}
    assert pool.apart([partial(act, 7)], 2) == [(7, os.getpid())], "one alone is not worth a copy"


def test_a_copy_that_dies_costs_nothing() -> None:
    here = os.getpid()

    def act(number: int) -> int:
        if os.getpid() != here:
            os._exit(1)
        return number

    assert pool.apart([partial(act, number) for number in range(3)], 2) == [0, 1, 2]


def test_an_error_in_a_copy_is_raised() -> None:
    def act() -> None:
        raise ValueError("of the act")

    with pytest.raises(ValueError, match="of the act"):
        pool.apart([act, act], 2)


def test_no_copy_beside_a_thread() -> None:
    """What another thread holds would be held for ever in the copy."""
    done = threading.Event()
    thread = threading.Thread(target=done.wait)
    thread.start()
    try:
        assert pool.apart([os.getpid, os.getpid], 2) == [os.getpid()] * 2
    finally:
        done.set()
        thread.join()


def test_garbage_is_searched_for_as_before() -> None:
    before = gc.get_threshold()

    def act() -> None:
        with pool.seldom_collected():
            assert gc.get_threshold() != before
            raise ValueError("of the act")

    with pytest.raises(ValueError, match="of the act"):
        act()
    assert gc.get_threshold() == before
    assert gc.get_freeze_count() == 0
