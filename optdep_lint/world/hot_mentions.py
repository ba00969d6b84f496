"""Which functions can lead to something of interest, by the names in them: a quick look that spares most from being decoded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import NamedTuple

from optdep_lint.facts.summary import Summary
from optdep_lint.world.hot_scope import Scopes
from optdep_lint.world.hot_sight import Sight, contents
from optdep_lint.world.hot_sites import PREPARING, Site
from optdep_lint.world.values import ClassValue, FunctionValue, Instance, Value
from optdep_lint.world.words import texts_in


class _Body(NamedTuple):
    """The names in a function and in those within it, as far as they matter."""

    site: Site
    calls: frozenset[str]
    """The names of functions and modules of the project, or of what may stand for one."""
    of_interest: bool


class Mentions:
    """Answers whether a function can lead to a word of interest through calls; it says yes too often, never too rarely."""

    def __init__(
        self, scopes: Scopes, modules: Iterable[str], words_in: Callable[[str], frozenset[str] | None]
    ) -> None:
        self._scopes = scopes
        self._words_in = words_in
        sites = {module: sorted(scopes.sites(module), key=lambda site: site.node.body) for module in modules}
        names = {site.node.name for each in sites.values() for site in each}
        self._aliases = self._other_names(modules)
        names |= {alias for aliases in self._aliases.values() for alias in aliases}
        names |= {module.rpartition(".")[2] for module in sites}
        self._sight = Sight(scopes)
        known = {name.encode("utf-8", "replace") for name in names}
        self._bodies = [body for module, each in sites.items() for body in self._read(module, each, known)]
        self.modules = list(sites)
        self._leading, self.names = self._spread()

    def holding(self) -> Iterator[Site]:
        """The functions, at the top of modules and in classes, that hold a word of interest, or a function that does."""
        yield from (body.site for body in self._bodies if body.of_interest)

    def leading(self) -> Iterator[Site]:
        """These, and all that may lead to one of them."""
        yield from (body.site for body in self._bodies if id(body.site.node) in self._leading)

    def may_lead(self, site: Site) -> bool:
        """The function, or the one that it stands in, is one of these."""
        while site.outer is not None:
            site = site.outer
        return id(site.node) in self._leading

    def _read(self, module: str, sites: list[Site], names: set[bytes]) -> Iterator[_Body]:
        """The body of a function is numbered right after those of the functions in it."""
        summary, words = self._scopes.base.tree.sources[module].summary, self._words_in(module)
        wanted = {word.encode("utf-8", "replace") for word in words or ()}
        before = 0
        for site in sites:
            found = _words_in(summary, slice(before, site.node.body + 1))
            before = site.node.body + 1
            calls = frozenset(name.decode("utf-8", "replace") for name in found & names)
            yield _Body(site, calls, words is None or not found.isdisjoint(wanted))

    def _other_names(self, modules: Iterable[str]) -> Mapping[str, set[str]]:
        """The names, tables and instances by which a function is called that is defined under another name."""
        found: dict[str, set[str]] = defaultdict(set)
        for module in modules:
            for name, value in self._scopes.base.modules[module].namespace.items():
                for inner in _parts(value):
                    if inner != name:
                        found[inner].add(name)
        for class_ in self._scopes.classes.values():
            for name, value in class_.names.items():
                for inner in _parts(value):
                    if inner != name:
                        found[inner].add(name)
        return found

    def _spread(self) -> tuple[frozenset[int], frozenset[str]]:
        """From the functions that hold a word of interest to all that may call one of them."""
        by_name: dict[str, list[_Body]] = defaultdict(list)
        for body in self._bodies:
            for name in body.calls:
                by_name[name].append(body)
        leading: set[int] = set()
        names: dict[str, set[str]] = defaultdict(set)
        todo = [body for body in self._bodies if body.of_interest]
        for body in todo:
            if id(body.site.node) in leading:
                continue
            leading.add(id(body.site.node))
            module = body.site.module
            for name in self._names_of(body.site, names.keys()):
                if module not in names[name]:
                    names[name].add(module)
                    todo += (caller for caller in by_name.get(name, ()) if self._sees(caller, module))
        return frozenset(leading), frozenset(names)

    def _sees(self, caller: _Body, module: str) -> bool:
        """A function can come by something of a module: through its own module, or by an import of its own."""
        return module in self._sight.of(caller.site.module) or module.rpartition(".")[2] in caller.calls

    def _names_of(self, site: Site, known: Collection[str]) -> set[str]:
        """By what names a function is called; for a constructor, by what names what it holds is called."""
        if site.node.name in PREPARING or self._scopes.is_kept(site):
            names = self._scopes.holders(site, known)
        elif site.owner is not None and site.node.name == "__call__":
            names = {"__call__", site.owner.name}
        else:
            names = {site.node.name}
        return names | {alias for name in names for alias in self._aliases.get(name, ())}


def _words_in(summary: Summary, bodies: slice) -> set[bytes]:
    """The names and texts in some bodies, dotted ones in parts; what is encoded is not decoded for it."""
    encoded = b"".join(body for body in summary.bodies[bodies] if isinstance(body, bytes))
    found = texts_in(encoded) if encoded else set()
    for body in summary.bodies[bodies]:
        if not isinstance(body, bytes):
            found |= {text.encode("utf-8", "replace") for text in _texts(body)}
    for text in [text for text in found if b"." in text]:
        found.update(text.split(b"."))
    return found


def _texts(node: object) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, tuple):
        for part in node:
            yield from _texts(part)


def _parts(value: Value) -> Iterator[str]:
    """The names of the functions in a value, and of the class whose instance it is."""
    for one in contents(value):
        match one:
            case FunctionValue(name=name):
                yield name
            case Instance(type=ClassValue(name=name)):
                yield name
