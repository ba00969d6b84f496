"""Where a project probes: the functions and modules in which something asks whether a dependency is there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from optdep_lint.facts import syntax
from optdep_lint.facts.position import end_line_of, line_of
from optdep_lint.facts.summary import Summary
from optdep_lint.facts.walk import Definition, all_expressions, expressions, statements
from optdep_lint.world.modules import Module, Source
from optdep_lint.world.own_calls import own_calls
from optdep_lint.world.probes import Unit
from optdep_lint.world.probes_asked import IMPORTERS, LIBRARIES, asking_sources, asking_words, functions_spelling
from optdep_lint.world.probes_spelled import DISTRIBUTIONS, PROBING, Spelling, function_in
from optdep_lint.world.survey import Survey
from optdep_lint.world.values import ClassValue, External, FunctionValue, ModuleValue, Value

_ROUNDS = 3
_OWN = -1
"""In the place of a body's number, for what a module runs at import."""
_SHORT = 4
"""Of how many statements a function is that does nothing but probe."""
_QUESTION = re.compile(r"has|have|is_|can|avail|find|found|install|support|prob|exist|check|enabled", re.IGNORECASE)
"""Words by which a function's name says that it asks for something."""


@dataclass(slots=True)
class Site:
    """A function, or what a module runs at import, with the probing calls in it."""

    unit: Unit
    path: str
    summary: Summary
    block: syntax.Block
    calls: list[syntax.Call] = field(default_factory=list)
    """Calls of finders, importers, distribution probes and of functions that probe."""
    finds: bool = False
    """Some call of it, or of what it calls, is a probe rather than an import."""
    asks: bool = False
    """It probes itself, through a function that does nothing but probe, or through one that is named for a question."""
    raises: bool = False
    """Some probe of it is for a dotted name, a distribution, or what is not told by a literal: those can raise."""
    names: bool = False
    """It says itself what is asked for, and does not leave that to what it calls."""
    varies: bool = False
    """Some probe of it is for a name that is computed or looped over."""
    asking: list[syntax.Call] = field(default_factory=list)
    """Those of them that say what is asked for."""
    takes: bool = False
    """Some probe of it is for what its caller gave it."""
    probes: set[int] = field(default_factory=set)
    """The positions of the calls that probe, directly or through a function."""

    @property
    def decides(self) -> bool:
        """It can weigh one probe against another: a function that probes more than once, or a module that does so itself."""
        return self.asks and (self.varies or len(self.calls) > 1) and (self.names or self.unit.definition is not None)

    def inquires(self, call: syntax.Call) -> bool:
        """A call of it only sees whether something is there."""
        definition = self.unit.definition
        return call.at in self.probes or (definition is not None and is_question(definition.name))

    def holds(self, path: str, at: int) -> bool:
        """A position lies in it."""
        if path != self.path:
            return False
        definition = self.unit.definition
        if definition is None:
            return True
        last = max((end_line_of(one.at) for one in statements(self.block) if hasattr(one, "at")), default=0)
        return line_of(definition.node.at) <= line_of(at) <= last


def _site(source: Source, definition: Definition | None = None) -> Site:
    summary = source.summary
    block = summary.body if definition is None else summary.body_of(definition.node.body)
    return Site(Unit(source.name, definition), source.path, summary, block)


def is_question(name: str) -> bool:
    """A function's name says that it asks for something."""
    return _QUESTION.search(name) is not None


class Census:
    """All sites of the judged part of a project, and the functions that probe."""

    def __init__(self, survey: Survey) -> None:
        self._survey = survey
        self.sites: list[Site] = []
        self.probing: dict[int, Site] = {}
        """Sites by the identity of their function's node."""
        self._inside: dict[int, tuple[list[syntax.Call], dict[str, str]]] = {}
        """The calls in a site, and what it imports of what modules that probe are made of, by its identity."""
        self._modules: dict[str, dict[int, Site]] = {}
        """The sites of the modules that may probe, so far as they have been of concern; a module's own code has no number."""
        spelling = Spelling(survey)
        for _ in range(_ROUNDS):
            found = [site for site in self._waiting(spelling) if self._look(site)]
            if not found:
                break
            self.sites += found
            for site in found:
                if site.unit.definition is not None:
                    self.probing[id(site.unit.definition.node)] = site
            spelling.learn(self.probing)
        for site in self.sites:
            self._look(site)
        self.callers: dict[int, list[Site]] = {}
        """The sites that call a function, by the identity of its node."""
        for site in self.sites:
            for node in self._callees(site):
                self.callers.setdefault(id(node), []).append(site)
        self.names = frozenset(text for site in self.sites for call in site.calls for text in _texts(call))
        """The names that probing calls are given as literals."""
        self.probed = frozenset(
            text for site in self.sites for call in site.calls if site.inquires(call) for text in _texts(call)
        )
        """Those of them that are asked for, rather than imported for use."""

    @property
    def trying(self) -> Iterator[Site]:
        """The functions in which more than one `try` imports something."""
        for source in asking_sources(self._survey):
            sites = self._modules.get(source.name, {})
            for definition in functions_spelling(self._survey, source, asking_words(self._survey, source)):
                if _tries(source.summary.body_of(definition.node.body)) > 1:
                    yield sites.get(definition.node.body) or _site(source, definition)

    def _waiting(self, spelling: Spelling) -> Iterator[Site]:
        """The sites that may probe, as far as is known by now, and are not known to."""
        for name, source in self._survey.tree.sources.items():
            if name not in self._survey.judged:
                continue
            new = name not in self._modules
            if new and not self._may_probe(name):
                continue
            sites = self._modules.setdefault(name, {_OWN: _site(source)})
            own, concerned = spelling.functions(source, anew=new)
            for definition in concerned:
                if definition.node.body not in sites:
                    sites[definition.node.body] = _site(source, definition)
            if own and not sites[_OWN].calls:
                yield sites[_OWN]
            for definition in concerned:
                if not sites[definition.node.body].calls:
                    yield sites[definition.node.body]

    def _may_probe(self, name: str) -> bool:
        """A module imports what probes: the import system's own, or a function of the project that does."""
        source, module = self._survey.tree.sources[name], self._survey.base.modules.get(name)
        if module is None:
            return False
        if any(asked.startswith(LIBRARIES) for asked in source.summary.asks):
            return True
        values = (function_in(value) for value in module.namespace.values())
        return any(
            id(value.node) in self.probing if isinstance(value, FunctionValue)
            else isinstance(value, (ModuleValue, ClassValue)) and value.module.name in self._modules and value.module.name != name
            for value in values
        )  # fmt: skip

    def _look(self, site: Site) -> bool:
        module = self._survey.base.modules.get(site.unit.module)
        if module is None:
            return False
        inside, local = self._within(site)
        site.calls.clear()
        site.asking.clear()
        for call in inside:
            kind = self._kind(call.function, module, local, site)
            if kind == "probe":
                self._note_argument(call, module, local, site)
            if kind:
                site.calls.append(call)
                site.probes |= {call.at} if kind == "probe" else set()
                site.finds = site.finds or kind == "probe"
        return bool(site.calls)

    def _within(self, site: Site) -> tuple[list[syntax.Call], dict[str, str]]:
        found = self._inside.get(id(site))
        if found is None:
            calls = self._calls(site)
            found = self._inside[id(site)] = (calls, _local_imports(site.block) if calls else {})
        return found

    def _calls(self, site: Site) -> list[syntax.Call]:
        if site.unit.definition is None:
            return own_calls(self._survey, self._survey.tree.sources[site.unit.module])
        return [one for one in all_expressions(site.block) if isinstance(one, syntax.Call)]

    def _callees(self, site: Site) -> Iterator[object]:
        module = self._survey.base.modules[site.unit.module]
        _, local = self._within(site)
        for call in site.calls:
            value = self.resolve(call.function, module, local, site.unit.definition)
            if isinstance(value, FunctionValue):
                yield value.node

    def _kind(self, node: syntax.Expression, module: Module, local: dict[str, str], site: Site) -> str:
        value = self.resolve(node, module, local, site.unit.definition)
        if isinstance(value, External):
            if value.path in IMPORTERS:
                return "import"
            site.asks = site.asks or value.path in PROBING
            return "probe" if value.path in PROBING else ""
        if isinstance(value, FunctionValue):
            callee = self.probing.get(id(value.node))
            if callee is not None:
                short = len(callee.block) <= _SHORT
                site.asks = site.asks or (callee.asks and (short or is_question(value.name)))
                return "probe" if callee.finds else "import"
        return ""

    def _note_argument(self, call: syntax.Call, module: Module, local: dict[str, str], site: Site) -> None:
        """What a probing call can be asking for, as far as it is written down."""
        definition = site.unit.definition
        passed_on = _passed_on(site)
        value = self.resolve(call.function, module, local, definition)
        if isinstance(value, FunctionValue):
            callee = self.probing[id(value.node)]
            site.raises = site.raises or (definition is not None and callee.raises)
            if not callee.takes:
                return
        site.asking.append(call)
        given = [*call.arguments, *(keyword.value for keyword in call.keywords)]
        for argument in given[:1]:
            if isinstance(argument, syntax.Constant):
                dotted = isinstance(argument.value, str) and "." in argument.value
                site.raises = site.raises or dotted or (isinstance(value, External) and value.path in DISTRIBUTIONS)
                site.names = True
            elif any(isinstance(part, syntax.Name) and part.id in passed_on for part in expressions(argument)):
                site.takes = True
            else:
                site.raises = site.varies = site.names = True

    def resolve(
        self, node: syntax.Expression, module: Module, local: dict[str, str], definition: Definition | None = None
    ) -> Value | None:
        """What an expression of names and attributes stands for."""
        if isinstance(node, syntax.Name):
            if node.id in local:
                return External(local[node.id])
            value = module.namespace.get(node.id)
            return function_in(value) if value is not None else External(f"builtins.{node.id}")
        if not isinstance(node, syntax.Attribute):
            return None
        if (
            isinstance(node.value, syntax.Name)
            and node.value.id in ("self", "cls")
            and definition is not None
            and definition.owner is not None
        ):
            holder = module.namespace.get(definition.owner.name)
        else:
            holder = self.resolve(node.value, module, local, definition)
        match holder:
            case External():
                return External(f"{holder.path}.{node.name}")
            case ModuleValue():
                return function_in(self._survey.base.module(holder.module.name).namespace.get(node.name))
            case ClassValue():
                return function_in(holder.names.get(node.name))
        return None


def census(survey: Survey) -> Census:
    """The one census of a survey."""
    found = survey.kept.get("probes census")
    if not isinstance(found, Census):
        found = survey.kept["probes census"] = Census(survey)
    return found


def _passed_on(site: Site) -> frozenset[str]:
    """The names in a function that hold what its caller gave, or what was made from that."""
    definition = site.unit.definition
    if definition is None:
        return frozenset()
    assigned = {
        target.id
        for statement in statements(site.block)
        if isinstance(statement, syntax.Assign)
        for target in statement.targets
        if isinstance(target, syntax.Name)
    }
    return frozenset(assigned | {parameter.name for parameter in definition.node.parameters})


def _tries(block: syntax.Block) -> int:
    """How many `try` statements of a block import something first."""
    return sum(
        isinstance(statement, syntax.Try)
        and bool(statement.body)
        and isinstance(statement.body[0], (syntax.Import, syntax.ImportFrom))
        for statement in block
    )


def _local_imports(block: syntax.Block) -> dict[str, str]:
    """What import statements in a function bind, for modules that probe."""
    found: dict[str, str] = {}
    for statement in statements(block):
        if (
            isinstance(statement, syntax.ImportFrom)
            and statement.level == 0
            and statement.module.startswith(("importlib", "pkgutil", "imp"))
        ):
            found |= {alias.asname or alias.name: f"{statement.module}.{alias.name}" for alias in statement.names}
        elif isinstance(statement, syntax.Import):
            for alias in statement.names:
                if alias.name.startswith(("importlib", "pkgutil")):
                    found[alias.asname or alias.name.partition(".")[0]] = (
                        alias.name if alias.asname else alias.name.partition(".")[0]
                    )
    return found


def _texts(call: syntax.Call) -> Iterator[str]:
    for argument in (*call.arguments, *(keyword.value for keyword in call.keywords)):
        if isinstance(argument, syntax.Constant) and isinstance(argument.value, str):
            yield argument.value
