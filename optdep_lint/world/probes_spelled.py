"""Which functions can call something that probes, by the words in them: a quick look that spares most from being decoded."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping

from optdep_lint.facts.walk import Definition
from optdep_lint.world.modules import Source
from optdep_lint.world.probes_asked import IMPORTERS, LIBRARIES, functions_holding
from optdep_lint.world.survey import Survey
from optdep_lint.world.values import ClassValue, Descriptor, External, FunctionValue, Known, Method, ModuleValue, Value
from optdep_lint.world.words import spelling_any, texts_in

FINDERS = frozenset({
    "importlib.util.find_spec", "importlib.find_loader", "pkgutil.find_loader", "imp.find_module",
    "importlib.machinery.PathFinder.find_spec",
})  # fmt: skip
_METADATA = ("importlib.metadata", "importlib_metadata")
_OF_DISTRIBUTIONS = ("version", "distribution")
DISTRIBUTIONS = frozenset(f"{module}.{name}" for module in _METADATA for name in _OF_DISTRIBUTIONS)
PROBING = FINDERS | IMPORTERS | DISTRIBUTIONS
_FEW = 20
"""So many words are looked for one by one."""


class Spelling:
    """Answers which functions spell by what name something that probes is called; it says yes too often, never too rarely."""

    def __init__(self, survey: Survey) -> None:
        self._survey = survey
        plain = {path.rpartition(".")[2] for path in PROBING}.difference(_OF_DISTRIBUTIONS) | {"importlib"}
        holders = set(_METADATA)
        for names in _namespaces(survey):
            for name, value in names.items():
                path = value.path if isinstance(value, External) else ""
                if path in PROBING:
                    plain.add(name)
                elif path in ("importlib", *_METADATA):
                    holders.add(name)
        self._libraries = frozenset(
            name for name, module in survey.base.modules.items() if any(map(_is_library, module.namespace.values()))
        )
        """The modules that bind what one probes with."""
        self._plain, self._holder = spelling_any(plain), spelling_any(holders)
        self._distribution = spelling_any(_OF_DISTRIBUTIONS)
        self._within: dict[tuple[int, frozenset[int]], frozenset[str]] = {}
        self._everywhere: dict[frozenset[int], frozenset[str]] = {}
        self._known: frozenset[int] = frozenset()
        """The nodes of the functions that are known to probe, by their identity."""
        self._new: frozenset[int] = frozenset()
        """Those that have become known just now."""

    def learn(self, probing: Collection[int]) -> None:
        """These functions probe, by the identity of their nodes."""
        self._new = frozenset(probing) - self._known
        self._known = frozenset(probing)

    def functions(self, source: Source, *, anew: bool) -> tuple[bool, list[Definition]]:
        """Whether a file's own code may call what probes, or only what has become known just now to do so, and its functions that may."""
        names = self._names_in(source.name, self._known if anew else self._new)
        calls = spelling_any(names) if len(names) <= _FEW else _having(names)
        if anew:
            own = bool(names) or self._holds_libraries(source)
            return own, list(functions_holding(self._survey, source, lambda body: self._may_probe(body) or calls(body)))
        return bool(names), list(functions_holding(self._survey, source, calls)) if names else []

    def _holds_libraries(self, source: Source) -> bool:
        """A file asks for what one probes with, or has it from another of the project."""
        if any(asked.startswith(LIBRARIES) for asked in source.summary.asks):
            return True
        values = self._survey.base.modules[source.name].namespace.values()
        return source.name in self._libraries or any(
            isinstance(value, ModuleValue) and value.module.name in self._libraries for value in values
        )

    def _may_probe(self, body: bytes) -> bool:
        return self._plain(body) or (self._distribution(body) and self._holder(body))

    def _names_in(self, module: str, nodes: frozenset[int]) -> frozenset[str]:
        """By what names a module's code can come by one of these functions: its own, and those in classes and modules that it binds."""
        if not nodes:
            return frozenset()
        found: set[str] = set()
        for name, value in self._survey.base.modules[module].namespace.items():
            inner = function_in(value)
            if isinstance(inner, FunctionValue):
                if id(inner.node) in nodes:
                    found.add(name)
            elif isinstance(inner, ClassValue):
                found |= self._names_within(inner.names, nodes)
            elif isinstance(inner, ModuleValue):
                found |= self._names_within(inner.module.namespace, nodes)
        return frozenset(found)

    def _names_within(self, names: Mapping[str, Value], nodes: frozenset[int]) -> frozenset[str]:
        """By what names a class or module holds them; anything goes where it holds modules."""
        key = id(names), nodes
        known = self._within.get(key)
        if known is None:
            found: set[str] = set()
            self._within[key] = frozenset()
            for name, value in names.items():
                inner = function_in(value)
                if isinstance(inner, FunctionValue):
                    if id(inner.node) in nodes:
                        found.add(name)
                elif isinstance(inner, ClassValue):
                    found |= self._names_within(inner.names, nodes)
                elif isinstance(inner, ModuleValue):
                    found |= self._names(nodes)
            known = self._within[key] = frozenset(found)
        return known

    def _names(self, nodes: frozenset[int]) -> frozenset[str]:
        """By what names one of these functions is bound anywhere."""
        known = self._everywhere.get(nodes)
        if known is None:
            known = self._everywhere[nodes] = frozenset(
                name
                for names in _namespaces(self._survey)
                for name, value in names.items()
                if isinstance(inner := function_in(value), FunctionValue) and id(inner.node) in nodes
            )
        return known


def _is_library(value: Value) -> bool:
    return isinstance(value, External) and (value.path in PROBING or f"{value.path}.".startswith(LIBRARIES))


def _having(names: Collection[str]) -> Callable[[bytes], bool]:
    encoded = frozenset(name.encode("utf-8", "surrogatepass") for name in names)
    return lambda body: not encoded.isdisjoint(texts_in(body))


def _namespaces(survey: Survey) -> Iterator[Mapping[str, Value]]:
    """What modules and classes bind names to, each class once."""
    seen: set[int] = set()
    todo: list[Mapping[str, Value]] = [module.namespace for module in survey.base.modules.values()]
    for names in todo:
        yield names
        for value in names.values():
            if isinstance(value, ClassValue) and id(value) not in seen:
                seen.add(id(value))
                todo.append(value.names)


def function_in(value: Value | None) -> Value | None:
    """The function under descriptors, decorators and caches."""
    while True:
        if isinstance(value, (Descriptor, Method)):
            value = value.function
        elif isinstance(value, Known) and value.parts and isinstance(value.parts[0], Value):
            value = value.parts[0]
        else:
            return value
