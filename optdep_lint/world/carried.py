"""What a module's failure does to those that import it plainly, told without running them again."""

from __future__ import annotations

import copy

from optdep_lint.world.evaluation import MOST_OPEN
from optdep_lint.world.frames import Frame, State
from optdep_lint.world.loading import through
from optdep_lint.world.modules import Module
from optdep_lint.world.truth import Truth, decide
from optdep_lint.world.values import Failure


def carry(reader: Module, base: Module, module: Module) -> Module | None:
    """A reader as it comes out where a module that it imports fails, or may; None where it has to be run to know.

    A statement of a module's own body that nothing protects lets the failure through, and until then all is as before.

    Args:
        reader: As it was in this world, sharing its names with `base`.
        base: The same module in the world in which `module` is all right.
        module: What it imports.
    """
    at = base.loads.get(module.name)
    if at is None:
        return None
    if module.status == "ok":
        others = [failure for failure in module.maybe if not _is_on_the_way(base, failure)]
        return _perhaps(reader, base, [_passed(failure, base, module, at) for failure in others])
    if module.failure is None or came_by(base, module):
        return None
    carried = _like(base)
    carried.status, carried.failure = "raises", _passed(module.failure, base, module, at)
    return carried


def came_by(base: Module, module: Module) -> bool:
    """What a module fails with has come by the reader itself, which they import in a circle."""
    return module.failure is not None and _is_on_the_way(base, module.failure)


def _is_on_the_way(base: Module, failure: Failure) -> bool:
    return failure.path == base.source.path or any(path == base.source.path for path, _ in failure.places)


def comes_first(base: Module, name: str, other: str) -> bool:
    """Of two modules that a module's import loads, it loads `name` before `other`."""
    order = list(base.loads)
    return other in base.loads and order.index(name) < order.index(other)


def _passed(failure: Failure, base: Module, module: Module, at: int) -> Failure:
    return through(failure, Frame("module", base, State({}, {})), at, f"imports {module.name}")


def _perhaps(reader: Module, base: Module, failures: list[Failure]) -> Module:
    known = {(failure.path, failure.at) for failure in reader.maybe}
    carried = _like(base)
    carried.maybe = list(reader.maybe)
    for failure in failures:
        excluded = any(decide(condition, base.assumed) is Truth.NO for condition in failure.conditions)
        if (failure.path, failure.at) not in known and not excluded and len(carried.maybe) < MOST_OPEN:
            carried.maybe.append(failure)
    return carried


def _like(base: Module) -> Module:
    """A module that shares its names with another."""
    carried = copy.copy(base)
    carried.maybe, carried.touched = [], set(base.touched)
    return carried
