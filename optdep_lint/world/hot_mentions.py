"""Which functions can lead to something of interest, by the names in them: a quick look that spares most from being decoded."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from optdep_lint.facts.summary import Summary
from optdep_lint.world.hot_scope import Scopes
from optdep_lint.world.hot_sites import Site, alternatives
from optdep_lint.world.values import ClassValue, Descriptor, FunctionValue, Instance, Items, Table, Value

_TOKEN = re.compile(rb"[A-Za-z_][A-Za-z_0-9]+")
_MISREAD = re.compile(rb"[zZ][0-9]")
"""In an encoded body, a name of 48 to 57 letters may follow what looks like these two."""


class _Body(NamedTuple):
    """The names in a function and in those within it, as far as they matter."""

    site: Site
    calls: frozenset[str]
    """The names of functions of the project, or of what may stand for one."""
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
        self._bodies = [body for module, each in sites.items() for body in self._read(module, each, names)]
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

    def _read(self, module: str, sites: list[Site], names: set[str]) -> Iterator[_Body]:
        """The body of a function is numbered right after those of the functions in it."""
        summary, words = self._scopes.base.tree.sources[module].summary, self._words_in(module)
        before = -1
        for site in sites:
            found: set[str] = set()
            for index in range(before + 1, site.node.body + 1):
                found |= words_of(summary, index)
            before = site.node.body
            yield _Body(site, frozenset(found & names), words is None or not found.isdisjoint(words))

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
        names: set[str] = set()
        todo = [body for body in self._bodies if body.of_interest]
        for body in todo:
            if id(body.site.node) in leading:
                continue
            leading.add(id(body.site.node))
            for name in self._names_of(body.site) - names:
                names.add(name)
                todo += by_name.get(name, ())
        return frozenset(leading), frozenset(names)

    def _names_of(self, site: Site) -> set[str]:
        """By what names a function is called; a constructor stands for what it assigns."""
        names = {site.node.name}
        if site.owner is not None and site.node.name == "__call__":
            names.add(site.owner.name)
        if site.owner is not None and site.node.name in self._scopes.constructors:
            names |= self._scopes.assigned_by(site.owner)
        return names | {alias for name in names for alias in self._aliases.get(name, ())}


def words_of(summary: Summary, index: int) -> set[str]:
    """The names and texts in a body, dotted ones in parts; an encoded body is not decoded for it."""
    body = summary.bodies[index]
    if not isinstance(body, bytes):
        return {part for text in _texts(body) for part in text.split(".")}
    tokens = set(_TOKEN.findall(body))
    tokens |= {token[2:] for token in tokens if _MISREAD.match(token)}
    return {token.decode() for token in tokens}


def _texts(node: object) -> Iterator[str]:
    if isinstance(node, str):
        yield node
    elif isinstance(node, tuple):
        for part in node:
            yield from _texts(part)


def _parts(value: Value) -> Iterator[str]:
    """The names of the functions in a value, and of the class whose instance it is."""
    for one in alternatives(value):
        match one:
            case FunctionValue(name=name):
                yield name
            case Descriptor(function=function):
                yield from _parts(function)
            case Instance(type=ClassValue(name=name)):
                yield name
            case Table(entries=entries):
                for entry in entries.values():
                    yield from _parts(entry)
            case Items(elements=elements):
                for element in elements:
                    yield from _parts(element)
