"""Uses at call time that nothing guards: which of the failures that evaluation met are the project's faults."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from optdep_lint.facts import syntax
from optdep_lint.facts.summary import Summary
from optdep_lint.facts.walk import definitions, statements
from optdep_lint.world.bound import binds_by_text
from optdep_lint.world.calltime import Use
from optdep_lint.world.passed import is_about_arguments
from optdep_lint.world.probes_shared import come_together
from optdep_lint.world.surroundings import TYPING_ONLY
from optdep_lint.world.survey import Survey
from optdep_lint.world.truth import Atom, Condition, Negation
from optdep_lint.world.values import Guard


@dataclass(frozen=True, slots=True)
class Unguarded:
    """A use that fails when it is reached without the root."""

    kind: str
    """`operation`, `unbound`, `sentinel`, `typing` or `passed`: each is one rule's, and they are asked in this order."""
    root: str
    use: Use
    guard: Guard | None = None
    """For `passed`: the guard that does not leave."""


def unguarded_uses(survey: Survey) -> Iterator[Unguarded]:
    """The uses to report, each place once: where one handler stands for several roots, the nearest of these is told."""
    found: dict[tuple[str, str, int], Unguarded] = {}
    for one in _unguarded(survey):
        key = (one.kind, one.use.failure.path, one.use.failure.at)
        known = found.get(key)
        if one.kind == "operation":
            yield one
        elif known is None or (_is_near(one) and not _is_near(known)):
            found[key] = one
    yield from found.values()


def _is_near(found: Unguarded) -> bool:
    """What is missing is imported in the same file."""
    cause = found.use.failure.cause
    return cause is not None and cause.path == found.use.failure.path


def _unguarded(survey: Survey) -> Iterator[Unguarded]:
    for root, _, use in survey.uses:
        failure = use.failure
        if failure.kind not in ("operation", "name", "attribute", "call"):
            continue
        source = survey.tree.sources[use.module]
        definition = next((one for one in definitions(source.summary) if one.name == use.function), None)
        if use.function and definition is None:
            continue
        types = _other_types(survey, source.summary, root)
        if not all(
            _imports_another(survey, one, root)
            or (definition and is_about_arguments(one, source.summary, failure, definition, types))
            for one in failure.conditions
        ):
            continue
        if failure.kind in ("name", "attribute") and _is_bound_by_text(survey, use):
            continue
        passed = next(
            (guard for guard in reversed(failure.guards) if guard.kind == "passed" and _root(survey, guard) == root),
            None,
        )
        if root == TYPING_ONLY:
            kind = "typing"
        elif failure.kind == "operation":
            kind = "operation"
        elif passed is not None:
            kind = "passed"
        else:
            kind = "unbound" if failure.kind == "name" else "sentinel"
        yield Unguarded(kind, root, use, passed)


def _imports_another(survey: Survey, condition: Condition, root: str) -> bool:
    """The condition is that another optional root, which has nothing to do with this one, can be imported."""
    if not isinstance(condition, Negation) or not isinstance(condition.operand, Atom):
        return False
    words = condition.operand.key.split(" ")
    if len(words) != 3 or words[0] != "import" or words[2] != "fails":
        return False
    other = survey.declared.root_of(words[1])
    return other != root and other in survey.declared.optional and not come_together(survey, root, other)


def _other_types(survey: Survey, summary: Summary, root: str) -> frozenset[str]:
    """The names that a file's own imports bind to what Python has, or to what another root brings that has nothing to do with this one."""
    found = set()
    for statement in statements(summary.body):
        if isinstance(statement, syntax.Import):
            origins = {one.asname or one.name.partition(".")[0]: one.name for one in statement.names}
        elif isinstance(statement, syntax.ImportFrom) and not statement.level:
            origins = {one.asname or one.name: statement.module for one in statement.names}
        else:
            continue
        for name, origin in origins.items():
            other = survey.declared.root_of(origin)
            if not survey.tree.owns(origin) and other != root and not (other and come_together(survey, root, other)):
                found.add(name)
    return frozenset(found)


def _is_bound_by_text(survey: Survey, use: Use) -> bool:
    """The name, or attribute of a module, may come from `globals()[name] = ...` when a function is called."""
    holder, _, name = (use.failure.subject or "").rpartition(".")
    if not name or (use.failure.kind == "attribute" and not holder):
        return False
    source = survey.tree.sources.get(holder or use.module)
    return source is not None and binds_by_text(source.summary)


def _root(survey: Survey, guard: Guard) -> str | None:
    return survey.declared.root_of(guard.cause.missing) if guard.cause is not None else None
