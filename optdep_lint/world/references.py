"""Who refers to a function or class of the project, and what is known where they do."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from typing import NamedTuple, TypeAlias

from optdep_lint.facts import syntax
from optdep_lint.facts.walk import Definition, Place, expressions, is_private, is_within, statements, way_to
from optdep_lint.world.calltime import CallTime
from optdep_lint.world.evaluation import Evaluation
from optdep_lint.world.frames import Frame, State
from optdep_lint.world.lazily import Lazily
from optdep_lint.world.modules import Module
from optdep_lint.world.truth import Condition, Truth, assume
from optdep_lint.world.values import (
    Choice,
    ClassValue,
    Descriptor,
    FunctionValue,
    Known,
    Method,
    Raised,
    Unbound,
    Value,
)
from optdep_lint.world.words import Index, Words

_Import: TypeAlias = "syntax.Import | syntax.ImportFrom"


class Reference(NamedTuple):
    """A place where code reads a function or class."""

    module: str
    holder: str
    """The function or class at the top of that module in which it stands; empty for the module's own code."""
    assumed: Mapping[Condition, bool]
    """What holds there."""
    function: str = ""
    """The dotted name of the function in which it stands; empty outside of functions."""
    kept: str = ""
    """The name of the module's that a list or table with it is bound to."""


class References:
    """Finds the references to what a world's modules define."""

    def __init__(
        self, evaluation: Evaluation, calltime: CallTime, words: Words, subjects: Iterable[str],
        base: References | None = None,
    ) -> None:  # fmt: skip
        self._evaluation, self._calltime, self._words, self._subjects = evaluation, calltime, words, tuple(subjects)
        self._base = base
        """Those of a world with which modules are shared."""
        self._known: dict[tuple[str, str], Lazily[Reference]] = {}
        self._bound: dict[str, dict[int, set[str]]] = {}
        """By module, the names of its functions and classes, by the identity of what defines them."""

    def spelled(self, module: str, name: str) -> Iterator[tuple[Module, Definition, object]]:
        """The functions that may read what a module calls by a name, each with its module, and what defines that name."""
        node = self._definition(module, name)
        for reader, aliases in self._readers(node, name):
            words = {*aliases, *({name} - reader.namespace.keys())}
            for definition in self._words.spelling(reader.source.summary, words):
                if (reader.name, definition.name) != (module, name):
                    yield reader, definition, node

    def outside_functions(self, module: str, name: str) -> Iterator[Reference]:
        """The places in the modules' own code that read what a module calls by a name, its own body left out."""
        node = self._definition(module, name)
        for reader, aliases in self._readers(node):
            for one in self._in_module(reader, aliases, None):
                if (one.module, one.holder) != (module, name):
                    yield one

    def to(self, module: str, name: str) -> Lazily[Reference]:
        """The places that this world reaches and that read what a module calls by a name, its own body left out."""
        key = (module, name)
        if key not in self._known:
            places = self._reading(module, name)
            self._known[key] = Lazily(one for one in places if (one.module, one.holder) != key)
        return self._known[key]

    def _reading(self, module: str, name: str) -> Iterator[Reference]:
        node = self._definition(module, name)
        owner, _, method = name.rpartition(".")
        holder = self._definition(module, owner) if owner else node
        for reader, aliases in self._readers(holder, method) if node is not None else ():
            if aliases:
                yield from self._in_module(reader, aliases, method if owner else None)
            yield from self._in_functions(reader, node, {method} if owner else {*aliases, method})

    def spelling(self, words: Iterable[str]) -> list[tuple[str, list[str]]]:
        """The modules that may spell some of these words in a function, each with those; in order of the alphabet."""
        index = (self._base or self)._spelling  # noqa: SLF001  # of the same class
        found: dict[str, list[str]] = defaultdict(list)
        for word in words:
            for number in index.files(word):
                found[self._subjects[number]].append(word)
        return sorted(found.items())

    def to_module(self, module: str) -> Lazily[Reference]:
        """The statements that import a module, or something in it, as far as this world reaches them; its own parts left out."""
        key = (module, "")
        if key not in self._known:
            self._known[key] = Lazily(self._importing_module(module))
        return self._known[key]

    def _importing_module(self, module: str) -> Iterator[Reference]:
        for name, statement in (self._base or self)._importers.get(module, ()):  # noqa: SLF001  # of the same class
            yield from self._importing(name, statement)
        for reader in map(self._evaluation.modules.get, self._subjects):
            if reader is not None and not is_within(reader.name, module):
                yield from self._importing_in_functions(reader, module)

    @cached_property
    def _importers(self) -> Mapping[str, list[tuple[str, _Import]]]:
        """By the names of modules, the imports of them, or of what is in them, in the own code of others."""
        found: dict[str, list[tuple[str, _Import]]] = defaultdict(list)
        for reader in map(self._evaluation.modules.get, self._subjects):
            for statement in statements(reader.source.summary.body) if reader is not None else ():
                if isinstance(statement, (syntax.Import, syntax.ImportFrom)):
                    assert reader is not None
                    parts = [name.split(".") for name in reader.source.imported(statement)]
                    names = {".".join(part[:length]) for part in parts for length in range(1, len(part) + 1)}
                    for name in names:
                        if not is_within(reader.name, name):
                            found[name].append((reader.name, statement))
        return found

    def _importing(self, name: str, statement: _Import) -> Iterator[Reference]:
        reader = self._evaluation.modules[name]
        way = way_to(reader.source.summary.body, statement.at)
        assumed = self._way_is_taken(way, reader) if reader.status == "ok" else {}
        if assumed is not None:
            yield Reference(name, "", assumed)

    def _importing_in_functions(self, reader: Module, module: str) -> Iterator[Reference]:
        """Of the imports in functions it is not known what holds there."""
        summary = reader.source.summary
        for definition in self._words.spelling(summary, (module.rpartition(".")[2],)):
            if reader.source.imports_any(summary.body_of(definition.node.body), (module,)):
                yield Reference(reader.name, definition.name.partition(".")[0], {})

    def _definition(self, module: str, name: str) -> object | None:
        """The function or class of that name, or the method of a class that needs no instance, or that others leave alone."""
        owner, _, method = name.partition(".")
        value = self._evaluation.modules[module].namespace.get(owner)
        if not method:
            return node_of(value)
        held = value.names.get(method) if isinstance(value, ClassValue) else None
        if isinstance(held, Descriptor):
            return node_of(held.function) if held.kind != "property" else None
        return node_of(held) if is_private(method) else None

    def _readers(self, node: object | None, word: str = "") -> Iterator[tuple[Module, Collection[str]]]:
        """The modules that bind a function or class, with the names, and those that may spell the word in a function."""
        if node is None:
            return
        base, modules = self._base or self, self._evaluation.modules
        spelling = base._spelling.files(word) if word else set()  # noqa: SLF001  # of the same class
        binding = base._binding.get(id(node), set()) | self._differing  # noqa: SLF001  # as above
        for number in sorted(binding | spelling):
            reader = modules.get(self._subjects[number])
            if reader is not None and reader.status == "ok":
                aliases = self._aliases(reader, node)
                if aliases or number in spelling:
                    yield reader, aliases

    @cached_property
    def _differing(self) -> set[int]:
        """The numbers of the modules of this world that are not shared."""
        if self._base is None:
            return set()
        modules, is_shared = self._evaluation.modules, self._evaluation.is_shared
        return {
            number for number, name in enumerate(self._subjects)
            if (module := modules.get(name)) is not None and not is_shared(module)
        }  # fmt: skip

    @cached_property
    def _spelling(self) -> Index:
        return Index(self._evaluation.tree.sources[name].summary for name in self._subjects)

    @cached_property
    def _binding(self) -> Mapping[int, set[int]]:
        """By the identity of what defines a function or class, the numbers of the modules that bind it."""
        found: dict[int, set[int]] = {}
        for number, name in enumerate(self._subjects):
            reader = self._evaluation.modules.get(name)
            for node in self._names_of(reader) if reader is not None else ():
                found.setdefault(node, set()).add(number)
        return found

    def _aliases(self, reader: Module, node: object) -> Collection[str]:
        """By what names a module binds a function or class: looked up in an index, made of what differs in this world alone."""
        if self._base is not None and self._evaluation.is_shared(reader):
            return self._base._aliases(reader, node)  # noqa: SLF001  # of the same class
        return self._names_of(reader).get(id(node), ())

    def _names_of(self, reader: Module) -> Mapping[int, set[str]]:
        bound = self._bound.get(reader.name)
        if bound is None:
            bound = self._bound[reader.name] = defaultdict(set)
            for alias, value in reader.namespace.items():
                found = node_of(value)
                if found is not None:
                    bound[id(found)].add(alias)
        return bound

    def _in_module(self, reader: Module, aliases: Collection[str], method: str | None) -> Iterator[Reference]:
        """By the module's own code: class bodies, bases, decorators, tables."""
        summary = reader.source.summary
        body = summary.body
        words = aliases if method is None else (method,)
        found = {id(one): one for word in words for one in self._words.outside(summary, word)}
        for statement in sorted(found.values(), key=lambda one: getattr(one, "at", 0)):
            if not any(_reads(part, aliases, method) for part in expressions(statement)):
                continue
            way = way_to(body, getattr(statement, "at", 0))
            assumed = self._way_is_taken(way, reader)
            if assumed is not None:
                holders = [
                    place.statement.name
                    for place in way
                    if isinstance(place.statement, (syntax.Class, syntax.Function))
                ]
                yield Reference(reader.name, holders[0] if holders else "", assumed, kept=_kept_as(way[-1].statement))

    def _way_is_taken(self, way: tuple[Place, ...], reader: Module) -> Mapping[Condition, bool] | None:
        """What the branches around a statement say; None where one of them is not taken."""
        frame = Frame("module", reader, State(reader.namespace, dict(reader.assumed)))
        for place in way:
            if not isinstance(place.statement, syntax.If) or not place.part:
                continue
            wants = place.part == "body"
            try:
                truth, condition, _ = self._evaluation.expressions.test(place.statement.test, frame)
            except Raised:
                return None
            if truth is Truth.of(not wants):
                return None
            if condition is not None and truth is Truth.MAYBE:
                assume(condition, wants, frame.state.assumed)
        return frame.state.assumed

    def _in_functions(self, reader: Module, node: object, aliases: Collection[str]) -> Iterator[Reference]:
        for definition in self._words.spelling(reader.source.summary, aliases):
            for assumed in self._seen_in(reader, definition, node):
                yield Reference(reader.name, definition.name.partition(".")[0], assumed, definition.name)

    def _seen_in(self, reader: Module, definition: Definition, node: object) -> list[Mapping[Condition, bool]]:
        seen: list[Mapping[Condition, bool]] = []

        def look(_: str, value: Value, frame: Frame) -> None:
            for one, assumed in _arms(value, frame.state.assumed):
                if node_of(one) is node:
                    seen.append(dict(assumed))

        self._evaluation.expressions.tell_of_reads(look)
        try:
            for _ in self._calltime.call(reader, definition):
                pass
        finally:
            self._evaluation.expressions.tell_of_reads(None)
        return seen


def _reads(part: syntax.Expression, aliases: Collection[str], method: str | None) -> bool:
    """An expression is one of the names, or with a method that method of it."""
    if method is not None:
        return isinstance(part, syntax.Attribute) and part.name == method and _reads(part.value, aliases, None)
    return isinstance(part, syntax.Name) and part.id in aliases


def _arms(value: Value, assumed: Mapping[Condition, bool]) -> Iterator[tuple[Value, Mapping[Condition, bool]]]:
    """What a value may be, each with what holds then."""
    if not isinstance(value, Choice):
        yield value, assumed
        return
    for arm, holds in ((value.yes, True), (value.no, False)):
        there = dict(assumed)
        assume(value.condition, holds, there)
        yield from _arms(arm, there)


def _kept_as(statement: syntax.Statement) -> str:
    """The one name that a statement binds to a display."""
    if isinstance(statement, syntax.Annotated):
        target, value = statement.target, statement.value
    elif isinstance(statement, syntax.Assign) and len(statement.targets) == 1:
        target, value = statement.targets[0], statement.value
    else:
        return ""
    return (
        target.id if isinstance(target, syntax.Name) and isinstance(value, (syntax.Collection, syntax.Mapping)) else ""
    )


def stands_for(value: Value, node: object) -> bool:
    """The value is, or may be, what a node defines."""
    return any(node_of(one) is node for one, _ in _arms(value, {}))


def node_of(value: Value | None) -> object | None:
    """The definition that a value stands for."""
    while isinstance(value, Choice):
        value = value.yes if not isinstance(value.yes, Unbound) else value.no
    if isinstance(value, Method):
        value = value.function
    if isinstance(value, Known) and value.model == "decorated":
        value = value.parts[0]
    return value.node if isinstance(value, (FunctionValue, ClassValue)) else None
