"""Which functions can call something that probes, by the words in them: a quick look that spares most from being decoded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field

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
        self._bound: dict[int, list[tuple[int, str]]] = defaultdict(list)
        """Where and by what name a function is bound, by the identity of its node: in a namespace, by its identity."""
        self._classes: dict[int, list[int]] = defaultdict(list)
        """The namespaces of the classes that a namespace binds."""
        self._modules: dict[int, list[str]] = defaultdict(list)
        """The modules that a namespace binds."""
        self._libraries: set[str] = set()
        """The modules that bind what one probes with."""
        plain = {path.rpartition(".")[2] for path in PROBING}.difference(_OF_DISTRIBUTIONS) | {"importlib"}
        holders = set(_METADATA)
        for module in survey.base.modules.values():
            for name, path in self._read(module.namespace):
                self._libraries.add(module.name)
                if path in PROBING:
                    plain.add(name)
                elif path in ("importlib", *_METADATA):
                    holders.add(name)
        self._plain, self._holder = spelling_any(plain), spelling_any(holders)
        self._distribution = spelling_any(_OF_DISTRIBUTIONS)
        self._known: frozenset[int] = frozenset()
        """The nodes of the functions that are known to probe, by their identity."""
        self._names: tuple[_Names, _Names] = (_Names(), _Names())
        """By what names they are bound, and by what names those are that have become known just now."""

    def _read(self, names: Mapping[str, Value]) -> Iterator[tuple[str, str]]:
        """Take down what a namespace binds; gives the names and paths of what one probes with."""
        here = id(names)
        for name, value in names.items():
            inner = value if type(value) is FunctionValue else function_in(value)
            match inner:
                case FunctionValue():
                    self._bound[id(inner.node)].append((here, name))
                case ClassValue():
                    self._classes[here].append(id(inner.names))
                    if id(inner.names) not in self._classes:
                        self._classes[id(inner.names)] = []
                        yield from self._read(inner.names)
                case ModuleValue():
                    self._modules[here].append(inner.module.name)
                case External(path=path) if path in PROBING or f"{path}.".startswith(LIBRARIES):
                    yield name, path

    def learn(self, probing: Collection[int]) -> None:
        """These functions probe, by the identity of their nodes."""
        new = frozenset(probing) - self._known
        self._known = frozenset(probing)
        self._names = self._names_of(self._known), self._names_of(new)

    def _names_of(self, nodes: Iterable[int]) -> _Names:
        found = _Names()
        for node in nodes:
            for names, name in self._bound.get(node, ()):
                found.by_namespace[names].add(name)
                found.everywhere.add(name)
        return found

    def functions(self, source: Source, *, anew: bool) -> tuple[bool, list[Definition]]:
        """Whether a file's own code may call what probes, or only what has become known just now to do so, and its functions that may."""
        names = self._names_in(source.name, self._names[0] if anew else self._names[1])
        calls = spelling_any(names) if len(names) <= _FEW else _having(names)
        if anew:
            own = bool(names) or self._holds_libraries(source)
            return own, list(functions_holding(self._survey, source, lambda body: self._may_probe(body) or calls(body)))
        return bool(names), list(functions_holding(self._survey, source, calls)) if names else []

    def _holds_libraries(self, source: Source) -> bool:
        """A file asks for what one probes with, or has it from another of the project."""
        if any(asked.startswith(LIBRARIES) for asked in source.summary.asks):
            return True
        bound = self._modules.get(id(self._survey.base.modules[source.name].namespace), ())
        return source.name in self._libraries or not self._libraries.isdisjoint(bound)

    def _may_probe(self, body: bytes) -> bool:
        return self._plain(body) or (self._distribution(body) and self._holder(body))

    def _names_in(self, module: str, names: _Names) -> set[str]:
        """By which of these names a module's code can come by a function: by its own, and by those in classes and modules that it binds."""
        if not names.everywhere:
            return set()
        namespace = id(self._survey.base.modules[module].namespace)
        found = set(self._within(namespace, names))
        for other in self._modules.get(namespace, ()):
            within = id(self._survey.base.modules[other].namespace)
            found |= names.everywhere if within in self._modules else self._within(within, names)
        return found

    def _within(self, namespace: int, names: _Names) -> frozenset[str]:
        """The names in a namespace and in the classes that it binds."""
        known = names.within.get(namespace)
        if known is None:
            names.within[namespace] = frozenset()
            classes = (self._within(one, names) for one in self._classes.get(namespace, ()))
            known = names.within[namespace] = frozenset(names.by_namespace.get(namespace, ())).union(*classes)
        return known


@dataclass(slots=True)
class _Names:
    """The names of some functions."""

    everywhere: set[str] = field(default_factory=set)
    by_namespace: dict[int, set[str]] = field(default_factory=lambda: defaultdict(set))
    within: dict[int, frozenset[str]] = field(default_factory=dict)
    """Those in a namespace and in its classes."""


def _having(names: Collection[str]) -> Callable[[bytes], bool]:
    encoded = frozenset(name.encode("utf-8", "surrogatepass") for name in names)
    return lambda body: not encoded.isdisjoint(texts_in(body))


def function_in(value: Value | None) -> Value | None:
    """The function under descriptors, decorators and caches."""
    while True:
        if isinstance(value, (Descriptor, Method)):
            value = value.function
        elif isinstance(value, Known) and value.parts and isinstance(value.parts[0], Value):
            value = value.parts[0]
        else:
            return value
