"""Runs a function over many items, in this process or in several; the death of a worker costs one item."""

from __future__ import annotations

import contextlib
import gc
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

    from optdep_lint.cache import Cache

Item = TypeVar("Item")
Result = TypeVar("Result")

_STACK = 512 * 1024 * 1024
_DEEPEST = 200_000
_NEW_OBJECTS = 400_000
"""So many more objects than before make a search for garbage worth its time."""
_CHUNKS_PER_JOB = 6
"""Small enough that no worker waits long for another, large enough that sending them costs little."""


@dataclass(frozen=True, slots=True)
class Failed(Generic[Item]):
    """The result of an item whose worker died or raised."""

    item: Item
    reason: str


@dataclass(frozen=True, slots=True)
class Workers:
    """What a run may use: what earlier runs have kept, and who does the work."""

    cache: Cache | None = None
    jobs: int = 1
    """Processes to start, where `executor` is not given."""
    executor: Executor | None = None


def default_jobs() -> int:
    """How many CPUs this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0)) or 1
    return os.cpu_count() or 1


def run(
    function: Callable[[Item], Result],
    items: Sequence[Item],
    *,
    jobs: int = 1,
    executor: Executor | None = None,
) -> Iterator[Result | Failed[Item]]:
    """The results in the order of the items.

    With `executor` its workers do the work; otherwise `jobs` new processes, or this one where `jobs` is 1. `function`
    and the items must pickle unless all happens here.
    """
    if executor is not None:
        yield from _in_chunks(function, items, executor, jobs)
    elif jobs <= 1 or len(items) <= 1:
        yield from (_attempt(function, item) for item in items)
    else:
        from concurrent.futures import ProcessPoolExecutor

        workers = min(jobs, len(items))
        with ProcessPoolExecutor(workers, initializer=gc.disable) as processes:
            yield from _in_chunks(function, items, processes, workers)


def _attempt(function: Callable[[Item], Result], item: Item) -> Result | Failed[Item]:
    try:
        return function(item)
    except Exception as error:  # noqa: BLE001  # Whatever one file does must not stop the others.
        return Failed(item, f"{type(error).__name__}: {error}")


def _attempt_all(function: Callable[[Item], Result], chunk: Sequence[Item]) -> list[Result | Failed[Item]]:
    return [_attempt(function, item) for item in chunk]


def _in_chunks(
    function: Callable[[Item], Result], items: Sequence[Item], executor: Executor, jobs: int
) -> Iterator[Result | Failed[Item]]:
    from concurrent.futures import BrokenExecutor

    size = max(1, len(items) // (jobs * _CHUNKS_PER_JOB))
    chunks = [items[start : start + size] for start in range(0, len(items), size)]
    futures = [_submit(executor, function, chunk) for chunk in chunks]
    for chunk, future in zip(chunks, futures, strict=True):
        try:
            if future is None:
                raise BrokenExecutor
            results = future.result()
        except BrokenExecutor:
            results = [_alone(function, item) for item in chunk]
        yield from results


def _submit(
    executor: Executor, function: Callable[[Item], Result], chunk: Sequence[Item]
) -> Future[list[Result | Failed[Item]]] | None:
    """The chunk on its way, or None where a worker has died already."""
    from concurrent.futures import BrokenExecutor

    try:
        return executor.submit(_attempt_all, function, chunk)
    except BrokenExecutor:
        return None


def _alone(function: Callable[[Item], Result], item: Item) -> Result | Failed[Item]:
    """An item of a chunk whose worker died, in a process of its own."""
    from concurrent.futures import BrokenExecutor, ProcessPoolExecutor

    with ProcessPoolExecutor(1) as process:
        try:
            return process.submit(_attempt, function, item).result()
        except BrokenExecutor:
            return Failed(item, "the worker process died")


def apart(acts: Sequence[Callable[[], Result]], jobs: int) -> list[Result]:
    """What each act gives; with several jobs, each is done in a copy of this process, and its result must pickle.

    A copy has all that this process has worked out, at the cost of what it changes. Where processes cannot be copied
    safely, or a copy dies, this one does the work.
    """
    if jobs <= 1 or len(acts) <= 1 or not _can_be_copied():
        return [act() for act in acts]
    from concurrent.futures import BrokenExecutor, ProcessPoolExecutor
    from multiprocessing import get_context

    results: list[Result] = []
    _acts.append(acts)
    try:
        with ProcessPoolExecutor(min(jobs, len(acts)), get_context("fork")) as copies:
            futures = [copies.submit(_do, number) for number in range(len(acts))]
            for act, future in zip(acts, futures, strict=True):
                try:
                    results.append(future.result())
                except BrokenExecutor:
                    results.append(act())
    finally:
        _acts.pop()
    return results


_acts: list[Sequence[Callable[[], Any]]] = []
"""What copies of this process are to do: they find it here, for acts do not pickle."""


def _do(number: int) -> Any:
    return _acts[-1][number]()


def _can_be_copied() -> bool:
    """A copy has only the thread that makes it: what the others hold would be held for ever."""
    return hasattr(os, "fork") and sys.platform != "darwin" and threading.active_count() == 1


@contextlib.contextmanager
def seldom_collected() -> Iterator[None]:
    """What is there by now is not searched for garbage, and what is new only after very many objects.

    Facts hold no circles, and evaluation leaves few: searching for them takes a fifth of the time of a run.
    """
    before = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_NEW_OBJECTS, before[1], before[2])
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def deeply(act: Callable[[], Result]) -> Result:
    """Do something that may nest deeply, such as following a long chain of imports."""
    results: list[Result] = []
    errors: list[BaseException] = []

    def run() -> None:
        try:
            with seldom_collected():
                results.append(act())
        except BaseException as error:  # noqa: BLE001  # raised again in the calling thread
            errors.append(error)

    limit, size = sys.getrecursionlimit(), threading.stack_size(_STACK)
    sys.setrecursionlimit(_DEEPEST)
    try:
        thread = threading.Thread(target=run)
        thread.start()
        thread.join()
    finally:
        sys.setrecursionlimit(limit)
        threading.stack_size(size)
    if errors:
        raise errors[0]
    return results[0]
