"""Which conditions on the way to a place could keep the answer of an earlier probe."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from optdep_lint.facts import syntax
from optdep_lint.facts.walk import Definition, expressions, way_to
from optdep_lint.world.modules import Module
from optdep_lint.world.values import Choice, Instance, Unknown

_SHORTEST = 4
"""The letters that a root must have for other names to be named after it."""


def may_guard(text: str, reader: Module, definition: Definition, absent: Collection[str] = ()) -> bool:
    """What a question in a function reads may come from a probe: an attribute of the instance, or a flag of the module.

    So may what is named after something absent: what is passed on under that name is None without it.

    Args:
        text: The question, as a condition's atoms have it.
        reader: The function's module.
        definition: The function.
        absent: What is absent.
    """
    path, _, place = text.partition("@")
    at = place.partition(" for ")[0]
    if text.endswith((" fails", " opens")):
        return False
    if path != reader.source.path or not at.isdigit():
        return True
    way = way_to(reader.source.summary.body_of(definition.node.body), int(at))
    return bool(way) and any(
        isinstance(part, syntax.Name)
        and (
            part.id in ("self", "cls")
            or isinstance(reader.namespace.get(part.id), (Choice, Instance, Unknown))
            or (part.id in _held_against_none(test) and _is_named_after(part.id, absent))
        )
        for test in _tests(way[-1].statement)
        for part in expressions((test,))
    )


def _held_against_none(test: syntax.Expression) -> frozenset[str]:
    """The names that a test holds against None."""
    return frozenset(
        part.left.id
        for part in expressions((test,))
        if isinstance(part, syntax.Compare)
        and isinstance(part.left, syntax.Name)
        and any(isinstance(right, syntax.Constant) and right.value is None for right in part.rights)
    )


def _is_named_after(name: str, absent: Collection[str]) -> bool:
    plain = name.replace("_", "").lower()
    roots = (root.partition(".")[0].replace("_", "").lower() for root in absent)
    return any(len(root) >= _SHORTEST and root in plain for root in roots)


def _tests(statement: syntax.Statement) -> Iterator[syntax.Expression]:
    """What a statement's own code asks."""
    if isinstance(statement, (syntax.If, syntax.While)):
        yield statement.test
    for part in expressions(statement):
        if isinstance(part, syntax.Conditional):
            yield part.test
        elif isinstance(part, syntax.Boolean):
            yield from part.operands[:-1]
