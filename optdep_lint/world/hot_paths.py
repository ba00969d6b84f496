"""What is imported, or asked for, anew on every step of a program, and by which chain of calls."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from optdep_lint.facts import syntax
from optdep_lint.facts.position import line_of
from optdep_lint.findings import Step
from optdep_lint.world.hot_latches import Latches
from optdep_lint.world.hot_mentions import Mentions
from optdep_lint.world.hot_roots import Roots, knows_heat
from optdep_lint.world.hot_scope import Scopes
from optdep_lint.world.hot_sinks import Sink, Sinks
from optdep_lint.world.hot_sites import PREPARING, Site
from optdep_lint.world.hot_walk import Happening, Walk
from optdep_lint.world.survey import Survey
from optdep_lint.world.values import ClassValue, Descriptor, External, FunctionValue, Instance, Value

_COLD_PARTS = frozenset({"test", "tests", "testing", "conftest", "benchmarks", "examples"})
_CALLING = frozenset({"checkpoint", "map", "filter", "reduce", "vmap", "cond", "while_loop", "scan", "tree_map"})
"""What functions of other projects are called that call what they are given, there and then."""
_PREPARES = re.compile(
    r"_*(load|download|init|setup|set_up|build|warm|compile|recover|maybe_recover)|.*(_if_needed|_once)$"
)
"""Functions that are seldom reached, unless a hot one calls them itself."""


class Hot(NamedTuple):
    """Something on a hot path."""

    sink: Sink
    where: str
    """When it happens, in words."""
    because: tuple[Step, ...]


class _Heat(NamedTuple):
    """Why a function is hot."""

    why: str
    reach: int
    chain: tuple[tuple[Site, int], ...]
    """The callers from the root on, each with the position of the call."""


def hot_paths(survey: Survey) -> list[Hot]:
    """Everything that is on a hot path, in no order; worked out once for all rules that ask."""
    known: list[Hot] | None = survey.kept.get("hot paths")
    if known is None:
        known = survey.kept["hot paths"] = list(_Heating(survey).find())
    return known


class _Heating:
    """Spreads heat from the roots through calls."""

    def __init__(self, survey: Survey) -> None:
        self._survey = survey
        self._scopes = Scopes(survey.base)
        self._walk = Walk(self._scopes, Latches(self._scopes))
        self._sinks = Sinks(survey, self._scopes)
        loaded = survey.base.modules
        modules = [name for name in survey.tree.sources if name in loaded and not _is_cold(name)]
        self._mentions = Mentions(self._scopes, modules, self._sinks.words_in)
        self._heat: dict[int, _Heat] = {}

    def find(self) -> Iterator[Hot]:
        """What happens in hot functions, then what happens in the loops of all others."""
        seen: set[tuple[str, int]] = set()
        for hot in (*self._in_hot_functions(), *self._in_loops()):
            place = (hot.sink.path, hot.sink.at)
            if place not in seen:
                seen.add(place)
                yield hot

    # --- hot functions -------------------------------------------------------------------------------------------

    def _in_hot_functions(self) -> Iterator[Hot]:
        if not knows_heat(self._survey):
            return
        todo: list[Site] = []
        for site, why, reach in sorted(
            Roots(self._survey, self._scopes, self._mentions).find(), key=lambda root: -root.reach
        ):
            if id(site.node) not in self._heat and not self._scopes.is_kept(site) and self._mentions.may_lead(site):
                self._heat[id(site.node)] = _Heat(why, reach, ())
                todo.append(site)
        for site in todo:
            heat = self._heat[id(site.node)]
            happenings = self._walk.of(site)
            for sink in self._sinks.of(site, happenings, self._passed(heat)):
                yield Hot(sink, self._words(site, heat), self._steps(site, heat, sink))
            if len(heat.chain) < heat.reach:
                for called, at in self._calls(site, happenings):
                    if id(called.node) not in self._heat and not (heat.chain and _PREPARES.match(called.node.name)):
                        self._heat[id(called.node)] = heat._replace(chain=(*heat.chain, (site, at)))
                        todo.append(called)

    def _passed(self, heat: _Heat) -> syntax.Call | None:
        """The call by which the function became hot."""
        if not heat.chain:
            return None
        caller, at = heat.chain[-1]
        return next(
            (one.node for one in self._walk.of(caller) if isinstance(one.node, syntax.Call) and one.node.at == at), None
        )

    def _calls(self, site: Site, happenings: list[Happening]) -> Iterator[tuple[Site, int]]:
        """The functions of the project that run when this one does, with the positions of the calls."""
        for node, _ in happenings:
            match node:
                case syntax.Call(function=function, at=at):
                    for value in self._scopes.meanings(function, site):
                        yield from ((called, at) for called in self._entered(value, "__call__"))
                        if isinstance(value, External) and value.path.rpartition(".")[2] in _CALLING:
                            yield from ((called, at) for called in self._handed(node, site))
                case syntax.Attribute(at=at):
                    for value in self._scopes.meanings(node, site):
                        if isinstance(value, Descriptor) and value.kind == "property":
                            yield from ((called, at) for called in self._entered(value.function, ""))

    def _handed(self, call: syntax.Call, site: Site) -> Iterator[Site]:
        """The functions that a call is given to call."""
        for argument in call.arguments:
            if isinstance(argument, (syntax.Name, syntax.Attribute)):
                for value in self._scopes.values(argument, site, site.module):
                    yield from self._entered(value, "")

    def _entered(self, value: Value, member: str) -> Iterator[Site]:
        """The function whose body a call enters; construction is taken to be rare."""
        match value:
            case FunctionValue(memoised=False):
                called = self._scopes.site_of(value)
                if called is not None and self._may_heat(called):
                    yield called
            case Descriptor(kind="staticmethod" | "classmethod", function=function):
                yield from self._entered(function, "")
            case Instance(type=ClassValue()) if member:
                for inner in list(self._scopes.members(value, member)):
                    yield from self._entered(inner, "")

    def _may_heat(self, site: Site) -> bool:
        """What a function does is done anew on every call, and may be of interest."""
        prepares = site.node.name in PREPARING or self._scopes.is_kept(site)
        return not prepares and self._mentions.may_lead(site)

    # --- loops ---------------------------------------------------------------------------------------------------

    def _in_loops(self) -> Iterator[Hot]:
        todo = list(self._mentions.holding)
        for site in todo:
            todo += self._scopes.inner_sites(site)
            if site.node.name in PREPARING or id(site.node) in self._heat:
                continue
            turning = [one for one in self._walk.of(site) if one.region.loop is not None]
            for sink in self._sinks.of(site, turning, None):
                turns = "some turns" if sink.sometimes else "every turn"
                yield Hot(sink, f"on {turns} of the loop in line {sink.loop}", self._steps_of_loop(sink))

    # --- words ---------------------------------------------------------------------------------------------------

    def _words(self, site: Site, heat: _Heat) -> str:
        names = [one.name for one, _ in heat.chain] + [site.name]
        through = f", through `{'` and `'.join(names[1:])}`" if len(names) > 1 else ""
        return f"on every call of `{names[0]}` ({heat.why}){through}"

    def _steps(self, site: Site, heat: _Heat, sink: Sink) -> tuple[Step, ...]:
        sites = [*(one for one, _ in heat.chain), site]
        first = sites[0]
        steps = [Step(self._scopes.path(first), line_of(first.node.at), f"`{first.name}` is {heat.why}")]
        for (caller, at), called in zip(heat.chain, sites[1:], strict=True):
            steps.append(Step(self._scopes.path(caller), line_of(at), f"calls `{called.name}`"))
        return (*steps, Step(sink.path, line_of(sink.at), sink.did))

    def _steps_of_loop(self, sink: Sink) -> tuple[Step, ...]:
        return (
            Step(sink.path, sink.loop or line_of(sink.at), "this loop"),
            Step(sink.path, line_of(sink.at), sink.did),
        )


def _is_cold(module: str) -> bool:
    """The module's name says that it runs beside the program."""
    leaf = module.rpartition(".")[2]
    return not _COLD_PARTS.isdisjoint(module.split(".")) or leaf.startswith("test_") or leaf.endswith("_test")
