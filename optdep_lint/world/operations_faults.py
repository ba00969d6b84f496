"""Which uses of operations are faults: the first of each class, function or module that stands outside the guard."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from optdep_lint.facts.position import line_of
from optdep_lint.world.operations import Registration
from optdep_lint.world.survey import Survey
from optdep_lint.world.unguarded import Unguarded, unguarded_uses


@dataclass(frozen=True, slots=True)
class Fault:
    """A use of an operation outside of its guard."""

    operation: str
    """`namespace::name`"""
    path: str
    at: int
    user: str
    """The class or function that is there without the operation; empty for a module's own code."""
    root: str | None
    """The optional root that the registration needs; None where only the platform decides."""
    registration: Registration | None
    """Where it is registered; None where importing the root does that."""


def operation_faults(survey: Survey) -> Iterator[Fault]:
    """Each class, function or line of a module that is at fault, by its first use."""
    first: dict[tuple[str, str], tuple[tuple[int, bool], Unguarded]] = {}
    for found in unguarded_uses(survey):
        if found.kind != "operation":
            continue
        failure = found.use.failure
        user = found.use.function.partition(".")[0] or f"line {line_of(failure.at)}"
        rank = (line_of(failure.at), found.root == failure.subject)
        known = first.get((failure.path, user))
        if known is None or rank < known[0]:
            first[failure.path, user] = rank, found
    for (path, user), (_, found) in first.items():
        operation = found.use.failure.subject or ""
        registered = survey.base.operations.index.get(operation, [None])[0]
        root = found.root if "::" not in found.root else None
        name = "" if not found.use.function else user
        yield Fault(operation, path, found.use.failure.at, name, root, registered)
