"""Which functions can call something that probes, by the words in them: a quick look that spares most from being decoded."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from optdep_lint.facts.walk import Definition
from optdep_lint.world.modules import Source
from optdep_lint.world.probes_asked import IMPORTERS, functions_holding
from optdep_lint.world.survey import Survey
from optdep_lint.world.values import ClassValue, Descriptor, External, FunctionValue, Known, Method, Value
from optdep_lint.world.words import spelling_any, texts_in

FINDERS = frozenset({
    "importlib.util.find_spec", "importlib.find_loader", "pkgutil.find_loader", "imp.find_module",
    "importlib.machinery.PathFinder.find_spec",
})  # fmt: skip
_METADATA = ("importlib.metadata", "importlib_metadata")
_OF_DISTRIBUTIONS = ("version", "distribution")
DISTRIBUTIONS = frozenset(f"{module}.{name}" for module in _METADATA for name in _OF_DISTRIBUTIONS)
PROBING = FINDERS | IMPORTERS | DISTRIBUTIONS


class Spelling:
    """Answers which functions spell by what name something that probes is called; it says yes too often, never too rarely."""

    def __init__(self, survey: Survey) -> None:
        self._survey = survey
        self._names: dict[int, set[str]] = {}
        """By what names a function is bound, in modules and classes, by the identity of its node."""
        plain = {path.rpartition(".")[2] for path in PROBING}.difference(_OF_DISTRIBUTIONS) | {"importlib"}
        holders = set(_METADATA)
        for name, value in _bindings(survey):
            if isinstance(value, FunctionValue):
                self._names.setdefault(id(value.node), set()).add(name)
            elif isinstance(value, External) and value.path in PROBING:
                plain.add(name)
            elif isinstance(value, External) and value.path in ("importlib", *_METADATA):
                holders.add(name)
        self._plain, self._holder = spelling_any(plain), spelling_any(holders)
        self._distribution = spelling_any(_OF_DISTRIBUTIONS)
        self._learned: set[int] = set()
        self._known: frozenset[bytes] = frozenset()
        """The names of the functions that are known to probe."""
        self._new: frozenset[bytes] = frozenset()
        """Those that have become known just now."""

    def learn(self, probing: Collection[int]) -> None:
        """These functions probe, by the identity of their nodes."""
        names = {name for node in probing if node not in self._learned for name in self._names.get(node, ())}
        self._learned |= set(probing)
        self._new = frozenset(name.encode("utf-8", "surrogatepass") for name in names)
        self._known |= self._new

    def functions(self, source: Source, *, all_words: bool) -> list[Definition]:
        """The functions of a file that may call what probes, or only what has become known just now to do so."""
        return list(functions_holding(self._survey, source, self._may_probe if all_words else self._may_call_new))

    def _may_probe(self, body: bytes) -> bool:
        if self._plain(body) or (self._distribution(body) and self._holder(body)):
            return True
        return bool(self._known) and not self._known.isdisjoint(texts_in(body))

    def _may_call_new(self, body: bytes) -> bool:
        return bool(self._new) and not self._new.isdisjoint(texts_in(body))


def _bindings(survey: Survey) -> Iterator[tuple[str, Value]]:
    """What modules and classes bind names to, each class once."""
    seen: set[int] = set()
    todo = [module.namespace for module in survey.base.modules.values()]
    for names in todo:
        for name, value in names.items():
            inner = function_in(value)
            if isinstance(inner, ClassValue):
                if id(inner) not in seen:
                    seen.add(id(inner))
                    todo.append(inner.names)
            elif inner is not None:
                yield name, inner


def function_in(value: Value | None) -> Value | None:
    """The function under descriptors, decorators and caches."""
    while True:
        if isinstance(value, (Descriptor, Method)):
            value = value.function
        elif isinstance(value, Known) and value.parts and isinstance(value.parts[0], Value):
            value = value.parts[0]
        else:
            return value
