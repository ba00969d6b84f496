"""What is imported, or asked for, anew on every step of a program, and by which chain of calls."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from optdep_lint.facts import syntax
from optdep_lint.facts.position import line_of
from optdep_lint.findings import Step
from optdep_lint.world.hot_latches import Latches
from optdep_lint.world.hot_roots import Roots
from optdep_lint.world.hot_scope import Scopes
from optdep_lint.world.hot_sinks import Sink, Sinks
from optdep_lint.world.hot_sites import Site
from optdep_lint.world.hot_walk import Happening, Walk
from optdep_lint.world.survey import Survey
from optdep_lint.world.values import ClassValue, Descriptor, External, FunctionValue, Instance, Value

_COLD_PARTS = frozenset({"test", "tests", "testing", "conftest", "benchmarks", "examples"})
_PREPARING = frozenset(
    {"__init__", "__new__", "__post_init__", "__init_subclass__", "__del__", "__repr__", "extra_repr"}
)
_CALLING = frozenset({"checkpoint", "map", "filter", "reduce", "vmap", "cond", "while_loop", "scan", "tree_map"})
"""What functions of other projects are called that call what they are given, there and then."""
_LONGEST_CHAIN = 12


class Hot(NamedTuple):
    """Something on a hot path."""

    sink: Sink
    where: str
    """When it happens, in words."""
    because: tuple[Step, ...]


class _Heat(NamedTuple):
    """Why a function is hot."""

    why: str
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
        self._modules = [
            name for name in survey.tree.sources if _COLD_PARTS.isdisjoint(name.split(".")) and not _is_test(name)
        ]
        self._scopes = Scopes(survey.base)
        self._walk = Walk(self._scopes, Latches(self._scopes))
        self._sinks = Sinks(survey, self._scopes)
        self._heat: dict[int, _Heat] = {}

    def find(self) -> Iterator[Hot]:
        """What happens in hot functions, then what happens in the loops of all others."""
        if not any(map(self._sinks.may_be_in, self._modules)):
            return
        seen: set[tuple[str, int]] = set()
        for hot in (*self._in_hot_functions(), *self._in_loops()):
            place = (hot.sink.path, hot.sink.at)
            if place not in seen:
                seen.add(place)
                yield hot

    # --- hot functions -------------------------------------------------------------------------------------------

    def _in_hot_functions(self) -> Iterator[Hot]:
        todo: list[Site] = []
        for site, why in Roots(self._survey, self._scopes, self._modules).find():
            if id(site.node) not in self._heat and not self._scopes.is_kept(site):
                self._heat[id(site.node)] = _Heat(why, ())
                todo.append(site)
        for site in todo:
            heat = self._heat[id(site.node)]
            happenings = self._walk.of(site)
            for sink in self._sinks.of(site, happenings, self._passed(heat)):
                yield Hot(sink, self._words(site, heat), self._steps(site, heat, sink))
            if len(heat.chain) < _LONGEST_CHAIN:
                for called, at in self._calls(site, happenings):
                    if id(called.node) not in self._heat:
                        self._heat[id(called.node)] = _Heat(heat.why, (*heat.chain, (site, at)))
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
                    for value in self._scopes.values(function, site, site.module):
                        yield from ((called, at) for called in self._entered(value, "__call__"))
                        if isinstance(value, External) and value.path.rpartition(".")[2] in _CALLING:
                            yield from ((called, at) for called in self._handed(node, site))
                case syntax.Attribute(at=at):
                    for value in self._scopes.values(node, site, site.module):
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
                if called is not None and called.node.name not in _PREPARING and not self._scopes.is_kept(called):
                    yield called
            case Descriptor(kind="staticmethod" | "classmethod", function=function):
                yield from self._entered(function, "")
            case Instance(type=ClassValue()) if member:
                for inner in list(self._scopes.members(value, member)):
                    yield from self._entered(inner, "")

    # --- loops ---------------------------------------------------------------------------------------------------

    def _in_loops(self) -> Iterator[Hot]:
        for module in self._modules:
            if not self._sinks.may_be_in(module):
                continue
            todo = list(self._scopes.sites(module))
            for site in todo:
                todo += self._scopes.inner_sites(site)
                if site.node.name in _PREPARING or id(site.node) in self._heat:
                    continue
                turning = [one for one in self._walk.of(site) if one.region.loop is not None]
                for sink in self._sinks.of(site, turning, None):
                    yield Hot(sink, f"on every turn of the loop in line {sink.loop}", self._steps_of_loop(sink))

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


def _is_test(module: str) -> bool:
    leaf = module.rpartition(".")[2]
    return leaf.startswith("test_") or leaf.endswith("_test")
