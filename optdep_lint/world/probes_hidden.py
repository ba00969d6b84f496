"""Which probe hides an alternative: the answer without one location would be another if the next were asked at all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from optdep_lint.facts import syntax
from optdep_lint.facts.walk import all_expressions, is_within
from optdep_lint.world.probes import MAYBE, Answer, Asking, Inquirer, inquirer
from optdep_lint.world.probes_answers import can_be_true, shape
from optdep_lint.world.probes_census import Site, census
from optdep_lint.world.survey import Survey
from optdep_lint.world.values import Failure

_MOST_NAMES = 6
_MOST_WORLDS = 16
_FEW_WORLDS = 3
"""For a unit that says itself what it probes for; what others probe for is theirs to say, and they are looked at as well."""


@dataclass(frozen=True, slots=True)
class Hidden:
    """A probe after which an alternative is never asked."""

    path: str
    at: int
    name: str
    """What it asks for."""
    missing: str
    """The absence that makes it fail."""
    alternative: str


def hidden_siblings(survey: Survey) -> Iterator[Hidden]:
    """Probes that raise into a handler that they share with their alternatives, each place once."""
    seen: set[tuple[str, int]] = set()
    for site in census(survey).sites:
        if not (site.decides and site.raises):
            continue
        found = _Sharing(inquirer(survey), site).look()
        if found is not None and (found.path, found.at) not in seen:
            seen.add((found.path, found.at))
            yield found


class _Sharing:
    """Looks at one site for a probe that hides another."""

    def __init__(self, asker: Inquirer, site: Site) -> None:
        self._asker, self._site, self._unit = asker, site, site.unit

    def look(self) -> Hidden | None:
        names = discover(self._asker, self._site)
        if len(names) < 2 or len(names) > _MOST_NAMES or not any(can_raise(one) for one in names):
            return None
        for first in names:
            if not can_raise(first):
                continue
            for missing in _missing_above(first.name, first.kind):
                for other in names:
                    if other.name != first.name and not is_within(other.name, missing):
                        found = self._hides(first, missing, other, names)
                        if found is not None:
                            return found
        return None

    def _hides(self, first: Asking, missing: str, other: Asking, names: list[Asking]) -> Hidden | None:
        root = other.name.partition(".")[0]
        without = other.name if is_within(missing, root) else root
        rest = {
            one.name
            for one in names
            if one.name not in (first.name, other.name) and not is_within(other.name, one.name)
        }
        for more in (frozenset[str](), frozenset(rest)):
            absent = more | {missing}
            place = self._changes(absent, absent | {without}, more | {without})
            if place is not None:
                return Hidden(*place, first.name, missing, other.name)
        return None

    def _changes(self, absent: frozenset[str], bare: frozenset[str], alone: frozenset[str]) -> tuple[str, int] | None:
        """Where the answer goes wrong: asked apart, the alternative would decide it; asked together, it does not.

        What a function returns where the first is there without the other is not the same as where neither is: otherwise
        both are needed. Of several flags, each is an answer of its own.
        """
        strict, asked = self._ask(absent, forgiving=False)
        if isinstance(strict, Failure) or MAYBE in strict:
            return None
        failed = next((one for one in asked if one.failed and one.kind != "import"), None)
        if failed is None:
            return None
        asked_for = ((absent, True), (bare, False), (bare, True), (alone, True))
        others = [self._ask(world, forgiving=forgiving)[0] for world, forgiving in asked_for]
        answers = [answer for answer in (strict, *others) if not isinstance(answer, Failure)]
        if len(answers) <= len(others):
            return None
        for name, value in strict.items():
            *shapes, first = (shape(answer.get(name)) for answer in answers)
            if None in shapes or (name == "return" and first == shapes[3]):
                continue
            if shapes[0] == shapes[2] and shapes[1] != shapes[3] and shapes[0] != shapes[1] and not can_be_true(value):
                return self._place(failed)
        return None

    def _ask(self, absent: frozenset[str], *, forgiving: bool) -> tuple[Answer, list[Asking]]:
        return self._asker.ask(self._unit, absent, forgiving=forgiving)

    def _place(self, asking: Asking) -> tuple[str, int] | None:
        """Where the literal was given: the call to change."""
        return place_of(self._asker.survey, asking, self._site)


def place_of(survey: Survey, asking: Asking, site: Site) -> tuple[str, int] | None:
    """The innermost call on the way to a probe that names what is asked for, rather than passing a parameter on."""
    by_place = {(one.path, call.at): (one, call) for one in census(survey).sites for call in one.calls}
    for place in reversed(asking.places):
        found = by_place.get(place)
        if found is not None and not _passes_on(*found):
            return place
        if found is None and site.holds(*place):
            return place
    return None


def _passes_on(site: Site, call: syntax.Call) -> bool:
    definition = site.unit.definition
    if definition is None:
        return False
    parameters = {parameter.name for parameter in definition.node.parameters} - {"self", "cls"}
    given = [*call.arguments, *(keyword.value for keyword in call.keywords)]
    return any(isinstance(part, syntax.Name) and part.id in parameters for one in given for part in _parts(one))


def _parts(node: syntax.Expression) -> Iterator[syntax.Expression]:
    yield from all_expressions((syntax.Evaluate(node, 0),))


def discover(asker: Inquirer, site: Site, *, imports: bool = False) -> list[Asking]:
    """Everything that a unit asks for in some world, each name once, in the order in which it is met.

    A unit that only imports, as far as a few worlds show, is of no interest unless `imports` says so.
    """
    known = asker.survey.kept.setdefault("probes discovered", {})
    unit = site.unit
    key = unit.module, id(unit.definition.node) if unit.definition is not None else 0, imports
    if key not in known:
        known[key] = _discover(asker, site, imports=imports)
    found: list[Asking] = known[key]
    return found


def _discover(asker: Inquirer, site: Site, *, imports: bool) -> list[Asking]:
    found: dict[str, Asking] = {}
    worlds: list[frozenset[str]] = [frozenset()]
    declared = asker.survey.declared
    tried: set[frozenset[str]] = set()
    few = _FEW_WORLDS if site.names else 1
    while worlds and len(tried) < _MOST_WORLDS:
        world = worlds.pop(0)
        if world in tried:
            continue
        if len(tried) >= few and not imports and all(one.kind == "import" for one in found.values()):
            break
        tried.add(world)
        answer, asked = asker.ask(site.unit, world, forgiving=True)
        for one in asked:
            root = declared.root_of(one.name)
            if one.name in found or not root or asker.survey.tree.owns(one.name) or not declared.can_be_absent(root):
                continue
            found[one.name] = one
            if answer and (
                imports or concerns(one, site)
            ):  # else there is nothing to compare with, or it is another site's to tell
                worlds += [frozenset({root}), frozenset({*world, root}), frozenset({one.name})]
    return list(found.values())


def concerns(asking: Asking, site: Site) -> bool:
    """A site can decide by what is asked for: an import in another file counts only where the site calls what probes by it."""
    if asking.kind != "import" or asking.places[-1][0] == site.path:
        return True
    return any(path == site.path and any(call.at == at for call in site.calls) for path, at in asking.places)


def can_raise(asking: Asking) -> bool:
    """The probe raises where something is absent."""
    return asking.kind == "distribution" or (asking.kind == "spec" and "." in asking.name)


def _missing_above(name: str, kind: str) -> tuple[str, ...]:
    """The absences that make a probe for a name raise."""
    if kind == "distribution":
        return (name,)
    root, parent = name.partition(".")[0], name.rpartition(".")[0]
    return (root,) if root == parent else (root, parent)
