"""Which statement is to blame for a breakage, and whether it is a fault at all: the reporting policy."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from optdep_lint.facts import syntax
from optdep_lint.facts.walk import Place, expressions, way_to
from optdep_lint.world.feature_areas import FeatureAreas, guards_elsewhere, packages_of
from optdep_lint.world.platform_words import asks_platform
from optdep_lint.world.survey import Breakage, Survey
from optdep_lint.world.truth import Atom, Condition, Every, Negation, Some
from optdep_lint.world.values import Guard


@dataclass(frozen=True, slots=True)
class Blame:
    """A statement at fault."""

    kind: str
    """`import`, `guard`, `leak`, `name`, `definition`, `probe` or `undeclared`: each is one rule's."""
    path: str
    at: int
    root: str
    breakage: Breakage
    """The breakage that shows it best."""
    guard: Guard | None = None
    """What stands around the import and does not protect it."""
    reason: str = ""
    """For `guard`: what kind of protection it is not."""


def blames(survey: Survey) -> tuple[Blame, ...]:
    """Every statement to blame for an import that fails, each once."""
    groups: dict[tuple[str, int, str], list[Breakage]] = defaultdict(list)
    for breakage in survey.breakages:
        path, at = breakage.origin
        groups[path, at, breakage.root].append(breakage)
    areas = FeatureAreas(survey)
    found: dict[tuple[str, int, str], Blame] = {}
    for group in groups.values():
        for blame in _Judge(survey, areas, group).judge():
            known = found.get((blame.path, blame.at, blame.root))
            if known is None or (blame.breakage.reached and not known.breakage.reached):
                found[blame.path, blame.at, blame.root] = blame
    return _one_per_cure(tuple(found.values()))


def _one_per_cure(found: tuple[Blame, ...]) -> tuple[Blame, ...]:
    """Where one statement fails without this and without that, and one guard cures both: the nearest of these alone."""
    kept: dict[tuple[str, str, int], Blame] = {}
    for blame in found:
        key = (blame.kind, blame.path, blame.at)
        known = kept.get(key)
        if known is None or _farness(blame) < _farness(known):
            kept[key] = blame
    return tuple(
        blame for blame in found
        if blame.kind not in _CURED_AT_ONCE or kept[blame.kind, blame.path, blame.at] is blame
    )  # fmt: skip


_CURED_AT_ONCE = frozenset({"leak", "name", "definition"})


def _farness(blame: Blame) -> tuple[bool, int, str]:
    """How far what is missing is from the statement."""
    cause = blame.breakage.failure.cause
    elsewhere = cause is None or cause.path != blame.path
    return elsewhere, len(blame.breakage.failure.chain), blame.root


class _Judge:
    """Judges the breakages that one origin causes for one root."""

    def __init__(self, survey: Survey, areas: FeatureAreas, group: list[Breakage]) -> None:
        self._survey, self._areas, self._group = survey, areas, group
        self._best = min(group, key=lambda one: (not one.reached, not one.certain, len(one.failure.chain), one.module))
        self._module = survey.source_of(self._best.failure.path)
        """The module in which it failed first."""

    def judge(self) -> Iterator[Blame]:
        """The statements to blame: the origin itself, or the imports that leak into it."""
        best = self._best
        if self._module is None or self._areas.is_configured(self._module, best.root):
            return
        kind, guard, reason = self._kind()
        if kind != "undeclared" and best.root in self._survey.declared.usually_brought:
            return
        if not best.certain:
            if kind == "guard" and guard is not None and self._says_nothing(guard):
                yield self._at_origin("guard", guard, reason)
            return
        if kind == "guard" or self._is_reported(kind):
            yield self._at_origin(kind, guard, reason)
            return
        leaks = list(self._leaks())
        if kind == "undeclared" and leaks:  # some importer goes on, but others do not
            leaks = [self._at_origin(kind, guard, reason)]
        yield from leaks

    def _at_origin(self, kind: str, guard: Guard | None, reason: str) -> Blame:
        path, at = self._place()
        return Blame(kind, path, at, self._best.root, self._best, guard, reason)

    def _place(self) -> tuple[str, int]:
        """The call made at import time in which it failed, or else the statement itself."""
        failure = self._best.failure
        place = (failure.path, failure.at)
        for step, where in zip(reversed(failure.chain), reversed(failure.places), strict=True):
            if step.message.startswith("imports"):
                break
            place = where
        if failure.kind == "raise" and failure.cause is not None and place == (failure.path, failure.at):
            own = failure.cause.path == failure.path and failure.cause.at
            return (failure.path, failure.cause.at) if own else place
        return place

    def _kind(self) -> tuple[str, Guard | None, str]:
        failure = self._best.failure
        if failure.kind == "probe":
            return "probe", None, ""
        if failure.kind in ("name", "attribute", "call", "operation"):
            return ("name" if failure.kind == "name" and "cannot import" in failure.message else "definition"), None, ""
        guard, reason = self._wrong_guard()
        if guard is not None and failure.kind == "import":
            return "guard", guard, reason
        found = self._survey.declared.optional.get(self._best.root)
        return ("undeclared" if found is not None and found.source == "undeclared" else "import"), None, ""

    def _wrong_guard(self) -> tuple[Guard | None, str]:
        """What stands around the failing import in its file without protecting it."""
        failure = self._best.failure
        assert self._module is not None
        way = way_to(self._survey.tree.sources[self._module].summary.body, failure.at)
        fallback = next((place for place in reversed(way) if place.part.startswith("handler")), None)
        if fallback is not None and isinstance(fallback.statement, syntax.Try) and _tries_import(fallback):
            return Guard("try", fallback.statement.at), "fallback"
        for guard in reversed(failure.guards):
            if guard.kind == "try" and _has_handlers(way, guard.at):
                return guard, "narrow"
            if guard.kind == "if" and self._is_open(way, guard) and self._is_question(way, guard):
                return guard, "other"
        return None, ""

    def _is_open(self, way: tuple[Place, ...], guard: Guard) -> bool:
        """No absence has decided the `if`, or that of the root itself, which one of its alternatives asks for and another does not."""
        if guard.cause is None:
            return True
        own = self._survey.declared.root_of(guard.cause.missing) == self._best.root
        return own and guard.holds and any(_is_alternative(part) for part in _parts_asked(way, guard))

    def _is_question(self, way: tuple[Place, ...], guard: Guard) -> bool:
        """The `if` asks for something that could be meant as a guard, not only for a version of Python."""
        return bool(_names_asked(way, guard) - {"sys", "TYPE_CHECKING", "typing", "__name__", "os"})

    def _says_nothing(self, guard: Guard) -> bool:
        """What an `if` leaves open is a question about the platform, which says nothing about the root."""
        failure = self._best.failure
        if any(other.cause is not None for other in failure.guards):
            return False
        assert self._module is not None
        way = way_to(self._survey.tree.sources[self._module].summary.body, failure.at)
        guards = [other for other in failure.guards if other.kind == "if"]
        texts = [text for other in guards for text in (*_names_asked(way, other), *_atoms(other.condition))]
        root = self._best.root.replace("_", "").lower()
        if any(root in text.replace("_", "").lower() for text in texts) or self._provided(texts):
            return False
        return any(asks_platform(text) for text in texts)

    def _provided(self, texts: list[str]) -> bool:
        """The project treats the predicate as bringing the root."""
        for predicate, roots in self._survey.config.platform_provides.items():
            if self._best.root in roots and any(predicate in text for text in texts):
                return True
        for word, requirements in self._survey.declared.metadata.platform_requirements.items():
            roots_there = {root for one in requirements for root in one.roots}
            if self._best.root in roots_there and any(word.lower() in text.lower() for text in texts):
                return True
        return self._provided_by_habit(frozenset(texts))

    def _provided_by_habit(self, texts: frozenset[str]) -> bool:
        """In at least three modules every import of the root at module level stands under such a predicate, and nothing probes for it."""
        survey, root = self._survey, self._best.root
        if root in survey.areas:
            return False
        modules = set()
        for breakage in survey.breakages:
            if breakage.root != root or breakage.imports:
                continue
            conditions = {
                text for guard in breakage.failure.guards if guard.kind == "if" for text in _atoms(guard.condition)
            }
            if breakage.certain or not any(map(asks_platform, conditions)):
                return False
            modules.add(breakage.module)
        return len(modules) >= 3 and not any(
            guards_elsewhere(survey.base.modules[name], root)
            for name in survey.tree.sources
            if root in _roots(survey, name)
        )

    def _is_reported(self, kind: str) -> bool:
        survey, best = self._survey, self._best
        assert self._module is not None
        if survey.config.strict:
            return True
        if self._areas.is_hosted(self._module, best.root):
            return False
        if self._refuses():
            return best.reached and best.module != self._module
        if best.reached:
            return True
        if kind == "probe":
            return not self._areas.is_named_after(self._module, best.root)
        if kind == "undeclared":
            return not (self._areas.is_survived(self._module, best.root) or self._is_no_fault_of_its_own())
        guards = self._areas.is_guarded(self._module, best.root)
        if kind == "import" or guards:
            return guards or self._is_needless()
        return not self._areas.is_handed_out(self._module)

    def _is_needless(self) -> bool:
        """A function outside the feature area fails for it when it is called, and uses nothing that needs the root."""
        assert self._module is not None
        root, place = self._best.root, self._best.origin
        return not self._areas.is_named_after(self._module, root) and any(
            (one.failure.path, one.failure.at) == place and not self._areas.holds(one.module, root)
            for missing, one in self._survey.deferred if missing == root
        )  # fmt: skip

    def _refuses(self) -> bool:
        """A `raise` in the module's own code ends its import: it says in its own words what is missing.

        A package that cannot be imported at all because of one of its modules does not mean that.
        """
        failure = self._best.failure
        if failure.kind != "raise" or (failure.chain and not failure.chain[-1].message.startswith("imports")):
            return False
        assert self._module is not None
        way = way_to(self._survey.tree.sources[self._module].summary.body, failure.at)
        return bool(way) and isinstance(way[-1].statement, syntax.Raise)

    def _is_no_fault_of_its_own(self) -> bool:
        """What nothing declares is told of a package that the module lies in, comes with what an extra brings, or lies beside it."""
        assert self._module is not None
        survey, root = self._survey, self._best.root
        areas = survey.areas
        packages = packages_of(self._module)
        if not (areas.get(root, frozenset()) - {self._module}).isdisjoint(packages):
            return True
        if root.startswith("_") and f"{self._module.rpartition('.')[0]}.{root}" in survey.tree.sources:
            return True
        return any(
            found.source == "extra" and self._module in areas.get(other, ())
            for other, found in survey.declared.optional.items()
        )

    def _leaks(self) -> Iterator[Blame]:
        """Imports that bring a module outside the root's feature area into one inside it.

        Where all that tells of a feature is that some module lives without it, only the first that does not is told of.
        """
        told: set[str] = set()
        for breakage in self._group:
            if not breakage.certain or not breakage.imports or self._areas.holds(breakage.module, breakage.root):
                continue
            path, at = breakage.failure.places[0]
            target = next(
                (
                    step.message.removeprefix("imports ")
                    for step in breakage.failure.chain
                    if step.message.startswith("imports ")
                ),
                "",
            )
            if self._areas.is_handed_out(breakage.module) and not self._areas.is_guarded(
                breakage.module, breakage.root
            ):
                continue
            if self._areas.is_other_name(breakage.module, target):
                continue
            if not breakage.reached and self._areas.is_only_asked_for_late(breakage.module):
                continue
            if target in told or not self._areas.holds(target, breakage.root):
                continue
            if self._survey.source_of(path) == breakage.module:
                if not self._areas.is_about(target, breakage.root):
                    told.add(target)
                yield Blame("leak", path, at, breakage.root, breakage)


def _roots(survey: Survey, name: str) -> frozenset[str]:
    return frozenset(survey.declared.root_of(asked) for asked in survey.tree.sources[name].summary.asks)


def _names_asked(way: tuple[Place, ...], guard: Guard) -> frozenset[str]:
    """The names and attributes in the test of an `if` or `match` on the way."""
    parts = _parts_asked(way, guard)
    names = {part.id for part in parts if isinstance(part, syntax.Name)}
    return frozenset(names | {part.name for part in parts if isinstance(part, syntax.Attribute)})


def _parts_asked(way: tuple[Place, ...], guard: Guard) -> list[syntax.Expression]:
    for place in way:
        statement = place.statement
        if isinstance(statement, (syntax.If, syntax.Match)) and statement.at == guard.at:
            asked = (
                [statement.test] if isinstance(statement, syntax.If) else [statement.subject, *_asked_after(statement)]
            )
            return [part for one in asked for part in expressions(one)]
    return []


def _is_alternative(part: syntax.Expression) -> bool:
    return isinstance(part, syntax.Boolean) and part.operator == "or"


def _asked_after(node: syntax.Match) -> Iterator[syntax.Expression]:
    """What the cases of a `match` ask for beside their patterns."""
    return (case.guard for case in node.cases if case.guard is not None)


def _has_handlers(way: tuple[Place, ...], at: int) -> bool:
    return any(
        isinstance(place.statement, syntax.Try)
        and place.statement.at == at
        and place.statement.handlers
        and place.part == "body"
        for place in way
    )


def _tries_import(place: Place) -> bool:
    """The handler catches ImportError or wider: its body is the fall-back for an import."""
    statement = place.statement
    assert isinstance(statement, syntax.Try)
    handler = statement.handlers[int(place.part.partition(" ")[2])]
    if handler.type is None:
        return True
    names = {part.id for part in expressions(handler.type) if isinstance(part, syntax.Name)}
    names |= {part.name for part in expressions(handler.type) if isinstance(part, syntax.Attribute)}
    return bool(names & {"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})


def _atoms(condition: Condition | None) -> Iterator[str]:
    match condition:
        case Atom(key=key):
            yield key
        case Negation(operand=operand):
            yield from _atoms(operand)
        case Every(operands=operands) | Some(operands=operands):
            for operand in operands:
                yield from _atoms(operand)
