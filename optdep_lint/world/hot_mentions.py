"""Which functions can lead to something of interest, by the names in them: a quick look that spares most from being decoded."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple

from optdep_lint.facts import syntax
from optdep_lint.facts.codec import marks_of
from optdep_lint.facts.summary import Summary
from optdep_lint.world.hot_scope import Scopes
from optdep_lint.world.hot_sight import Sight, contents
from optdep_lint.world.hot_sinks import SinkWords
from optdep_lint.world.hot_sites import PREPARING, Site
from optdep_lint.world.values import ClassValue, FunctionValue, Instance, Value
from optdep_lint.world.words import spelling_any, texts_in


class _Body(NamedTuple):
    """The names in a function and in those within it, as far as they matter."""

    site: Site
    calls: frozenset[str]
    """The names of functions and modules of the project, or of what may stand for one."""


class Mentions:
    """Answers whether a function can lead to a word of interest through calls; it says yes too often, never too rarely."""

    def __init__(self, scopes: Scopes, modules: Iterable[str], words_in: Callable[[str], SinkWords | None]) -> None:
        self._scopes = scopes
        self._words_in = words_in
        self._sites = {module: sorted(scopes.sites(module), key=lambda site: site.node.body) for module in modules}
        self._sight = Sight(scopes)

    @property
    def modules(self) -> Iterable[str]:
        """The modules that are looked at."""
        return self._sites

    @cached_property
    def names(self) -> frozenset[str]:
        """By what names the functions are called that can lead to a word of interest."""
        return self._spread[1]

    @cached_property
    def holding(self) -> list[Site]:
        """The functions, at the top of modules and in classes, that hold a word of interest, or a function that does."""
        found = []
        for module, sites in self._sites.items():
            summary, words = self._summary(module), self._words_in(module)
            if words is None:
                found += sites
                continue
            wanted = {word.encode("utf-8", "replace") for word in words.imported | words.called}
            may_hold = _holding(words)
            for site, bodies in _bodies(sites):
                spelling = any(not isinstance(body, bytes) or may_hold(body) for body in summary.bodies[bodies])
                if spelling and not wanted.isdisjoint(_words_in(summary, bodies)):
                    found.append(site)
        return found

    def leading(self) -> Iterator[Site]:
        """These, and all that may lead to one of them."""
        leading = self._spread[0]
        yield from (site for sites in self._sites.values() for site in sites if id(site.node) in leading)

    def may_lead(self, site: Site) -> bool:
        """The function, or the one that it stands in, is one of these."""
        while site.outer is not None:
            site = site.outer
        return id(site.node) in self._spread[0]

    def _summary(self, module: str) -> Summary:
        return self._scopes.base.tree.sources[module].summary

    def _read(self, names: set[str]) -> Iterator[_Body]:
        """Which of some names each function has in it."""
        known = {name.encode("utf-8", "replace"): name for name in names}
        for module, sites in self._sites.items():
            summary = self._summary(module)
            for site, bodies in _bodies(sites):
                yield _Body(site, frozenset(map(known.__getitem__, known.keys() & _words_in(summary, bodies))))

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

    @cached_property
    def _spread(self) -> tuple[frozenset[int], frozenset[str]]:
        """From the functions that hold a word of interest to all that may call one of them."""
        aliases = self._other_names(self._sites)
        known = {site.node.name for sites in self._sites.values() for site in sites}
        known |= {alias for each in aliases.values() for alias in each}
        known |= {module.rpartition(".")[2] for module in self._sites}
        by_name: dict[str, list[_Body]] = defaultdict(list)
        for body in self._read(known) if self.holding else ():
            for name in body.calls:
                by_name[name].append(body)
        leading: set[int] = set()
        names: dict[str, set[str]] = defaultdict(set)
        todo = list(self.holding)
        for site in todo:
            if id(site.node) in leading:
                continue
            leading.add(id(site.node))
            for name in self._names_of(site, names.keys(), aliases):
                if site.module not in names[name]:
                    names[name].add(site.module)
                    todo += [caller.site for caller in by_name.get(name, ()) if self._sees(caller, site.module)]
        return frozenset(leading), frozenset(names)

    def _sees(self, caller: _Body, module: str) -> bool:
        """A function can come by something of a module: through its own module, or by an import of its own."""
        return module in self._sight.of(caller.site.module) or module.rpartition(".")[2] in caller.calls

    def _names_of(self, site: Site, known: Collection[str], aliases: Mapping[str, set[str]]) -> set[str]:
        """By what names a function is called; for a constructor, by what names what it holds is called."""
        if site.node.name in PREPARING or self._scopes.is_kept(site):
            names = self._scopes.holders(site, known)
        elif site.owner is not None and site.node.name == "__call__":
            names = {"__call__", site.owner.name}
        else:
            names = {site.node.name}
        return names | {alias for name in names for alias in aliases.get(name, ())}


_IMPORTS = marks_of(syntax.Import, syntax.ImportFrom)


def _holding(words: SinkWords) -> Callable[[bytes], bool]:
    """Whether an encoded body may hold a sink."""
    imports, calls = spelling_any(words.imported), spelling_any(words.called)
    return lambda body: calls(body) or (any(mark in body for mark in _IMPORTS) and imports(body))


def _bodies(sites: list[Site]) -> Iterator[tuple[Site, slice]]:
    """Functions with what is in them: the body of a function is numbered right after those of the functions in it."""
    before = 0
    for site in sites:
        yield site, slice(before, site.node.body + 1)
        before = site.node.body + 1


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
