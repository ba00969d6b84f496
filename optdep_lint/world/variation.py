"""Another world, evaluated only where it can differ from one that has been evaluated already."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Generic, TypeVar

from optdep_lint.world import stdlib
from optdep_lint.world.carried import came_by, carry, comes_first
from optdep_lint.world.evaluation import Evaluation
from optdep_lint.world.modules import Asked, Module, Tree
from optdep_lint.world.values import Choice, ClassValue, Descriptor, FunctionValue, Instance, Known, Value
from optdep_lint.world.worlds import World

DISTRIBUTION = " (distribution)"


class Readers:
    """Who asked for what while a whole tree was evaluated: an index of every module's `asked`."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        self.felt: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        """The modules that asked for a name of another project: by its first part, and by the whole name."""
        self.reads: dict[tuple[str, str], set[str]] = defaultdict(set)
        """The modules that looked at a name of a module, by (module, name)."""
        self._reached: dict[frozenset[str], frozenset[str]] = {}
        self._readers: dict[str, set[str]] = defaultdict(set)
        """The modules that looked at anything of a module."""
        for name, module in evaluation.modules.items():
            self.note(name, module)

    def note(self, name: str, module: Module) -> None:
        """Index what a module asked for."""
        for felt in module.asked.felt:
            root = DISTRIBUTION if felt.endswith(DISTRIBUTION) else felt.partition(".")[0]
            self.felt[root][felt].add(name)
        for read in module.asked.reads:
            self.reads[read].add(name)
            self._readers[read[0]].add(name)

    def feeling(self, world: World) -> Iterator[str]:
        """The modules that ask for something that is absent in a world."""
        roots = {dotted.partition(".")[0] for dotted in world.absent} | world.namespaces.keys()
        for root, asked in self.felt.items():
            if root in (DISTRIBUTION, *roots) or world.present is not None or stdlib.is_stdlib_root(root):
                for felt, names in asked.items():
                    if _lacks(world, felt):
                        yield from names

    def reading(self, module: str, names: Iterable[str]) -> Iterator[str]:
        """The modules that looked at any of these names of a module."""
        for name in names:
            yield from self.reads.get((module, name), ())
            if name:
                yield from self.reads.get((module, "*"), ())

    def reached_from(self, names: Iterable[str]) -> frozenset[str]:
        """These modules and all that their imports looked at, directly or through others."""
        key = frozenset(names)
        found = self._reached.get(key)
        if found is None:
            found = self._reached[key] = frozenset(_closure(key, self._read_by))
        return found

    def _read_by(self, name: str) -> Iterable[str]:
        module = self._evaluation.modules.get(name)
        return {other for other, _ in module.asked.reads} if module is not None else ()

    def reaching(self, names: Iterable[str]) -> set[str]:
        """These modules and all whose imports looked at them, directly or through others."""
        return _closure(names, lambda name: self._readers.get(name, ()))


def _closure(names: Iterable[str], step: Callable[[str], Iterable[str]]) -> set[str]:
    found = set(names)
    todo = list(found)
    while todo:
        for name in step(todo.pop()):
            if name not in found:
                found.add(name)
                todo.append(name)
    return found


E = TypeVar("E", bound=Evaluation)


class _Modules(dict[str, Module]):
    """The modules of a world, which shares those of another; one that it does not share is made when it is asked for."""

    def __init__(self, base: Evaluation) -> None:
        super().__init__(base.modules)
        self._sources = base.tree.sources

    def __missing__(self, name: str) -> Module:
        module = self[name] = Module(self._sources[name])
        return module


class Variation(Generic[E]):
    """A world in which more is absent than in `base`, evaluated as far as somebody wants to know.

    Modules that cannot feel the absence are shared with `base`; those that can, and that nobody wanted, are evaluated
    when something that runs in this world comes to import them.
    """

    def __init__(self, make: Callable[[Tree, World], E], base: Evaluation, readers: Readers, world: World) -> None:
        self._base, self._readers = base, readers
        self.evaluation = varied = make(base.tree, world)
        varied.modules = _Modules(base)
        varied.shared = set(base.modules)
        varied.operations.base = base.operations
        varied.imported, varied.injected, varied.injecting = set(base.imported), dict(base.injected), base.injecting
        varied.doubtful = dict(base.doubtful)
        if (world.python, world.platform) == (base.world.python, base.world.platform):
            varied.calls.go_on_from(base.calls, self._is_alike)
        self._feeling = set(readers.feeling(world))
        self._told: dict[str, set[str]] = defaultdict(set)
        """Of each module, the names of which its readers know that they differ."""
        self._wanted: set[str] = set()
        self._renewed: dict[str, int] = {}
        """When a module was last found to differ, by the clock of its world."""
        self._carried: dict[str, str] = {}
        varied.carried = self._carried
        unknown = {name for name, module in base.modules.items() if module.status == "new"}
        stale = unknown | readers.reaching(self._feeling)
        varied.shared -= stale
        for name in stale:
            del varied.modules[name]

    def want(self, names: Iterable[str] | None = None) -> E:
        """The evaluation, with these modules, and what they import, as they are in this world; all without `names`."""
        varied = self.evaluation
        wanted = set(self._base.modules) if names is None else self._readers.reached_from(names)
        added = wanted - self._wanted
        self._wanted |= added
        for name in added - varied.shared:
            known, before = varied.modules.get(name), self._base.modules[name]
            if (known is None or known.status == "new") and before.status != "new":
                varied.modules[name] = before
                varied.shared.add(name)
        differing = (reader for name, told in self._told.items() for reader in self._readers.reading(name, told))
        todo = deque(sorted(added & self._feeling.union(differing)))
        for name in todo:
            self._renew(name)
        while todo:
            name = todo.popleft()
            module = self._evaluated(name)
            new = _differences(module, self._base.modules[name]) - self._told[name]
            self._told[name] |= new
            for reader in sorted(self._wanted.intersection(self._readers.reading(name, new)) - {name}):
                if not self._has_seen(reader, module) and self._reaches(reader, module, new):
                    todo.append(reader)
        varied.begin()
        return varied

    def _evaluated(self, name: str) -> Module:
        """A module as it comes out where nothing else has been imported; below a package that fails, by itself."""
        varied = self.evaluation
        varied.begin()
        if varied.module(name).status == "new":
            varied.outcome(name)
        if varied.module(name).status == "new":
            varied.begin()
            varied.run_module(varied.module(name))
        return varied.module(name)

    def _has_seen(self, reader: str, module: Module) -> bool:
        """The import of the reader was followed in this world with the module as it is now."""
        found = self.evaluation.modules[reader]
        if self.evaluation.is_shared(found) or found.status not in ("ok", "raises"):
            return False
        return self._renewed.get(module.name, 0) <= found.began and module.began < found.ended

    def _reaches(self, reader: str, module: Module, names: set[str]) -> bool:
        """Let a reader know that names of a module differ; False where that makes no difference to it."""
        found, base = self.evaluation.modules[reader], self._base.modules[reader]
        read = {name for name in (*names, "*") if (module.name, name) in found.asked.reads}
        if found.status in ("ok", "raises") and not read:
            return False
        if found.status == "new" or reader in self._feeling or not self.evaluation.is_shared(found):
            self._renew(reader)
            return True
        before = self._carried.get(reader)
        if before and found.status == "raises" and (comes_first(base, before, module.name) or came_by(base, module)):
            return False  # it never comes so far, or fails before
        carried = carry(found, base, module) if module.status == "raises" or read == {""} else None
        if carried is None:
            self._renew(reader)
        else:
            self._replace(reader, carried)
            self._carried[reader] = module.name
        return True

    def _is_alike(self, asked: Asked) -> bool:
        """All that was asked for is as it is in the base."""
        shared, world = self.evaluation.shared, self.evaluation.world
        return all(name in shared for name, _ in asked.reads) and not any(_lacks(world, felt) for felt in asked.felt)

    def _renew(self, name: str) -> None:
        self._carried.pop(name, None)
        self._replace(name, Module(self.evaluation.tree.sources[name]))

    def _replace(self, name: str, module: Module) -> None:
        self._renewed[name] = self.evaluation.clock
        self.evaluation.shared.discard(name)
        self.evaluation.modules[name] = module


def vary(base: Evaluation, readers: Readers, world: World, wanted: Iterable[str] | None = None) -> Evaluation:
    """Evaluate a world in which more is absent than in `base`, sharing every module that cannot feel it."""
    return Variation(Evaluation, base, readers, world).want(wanted)


def _lacks(world: World, felt: str) -> bool:
    """What somebody asked for is absent."""
    if felt.endswith(DISTRIBUTION):
        return world.missing_distribution(felt.removesuffix(DISTRIBUTION)) is not None
    return world.missing(felt) is not None


def _differences(module: Module, base: Module) -> set[str]:
    """The names of a module whose values go back to something absent; empty for its import itself."""
    if module.status == "raises":
        return {"", *base.namespace}
    names = {name for name, value in module.namespace.items() if goes_back(value, base.namespace.get(name))}
    names |= base.namespace.keys() - module.namespace.keys()
    if any(failure.cause is not None for failure in module.maybe):
        names.add("")
    return names


def goes_back(value: Value, base: Value | None = None, depth: int = 3) -> bool:
    """The value, or something in it, is as it is because something is absent; what it shares with `base` is not."""
    if value is base:
        return False
    if value.cause is not None:
        return base is None or value.cause != base.cause or type(value) is not type(base)
    if not depth:
        return False
    before = _parts(base)
    return any(goes_back(part, before.get(name), depth - 1) for name, part in _parts(value).items())


def _parts(value: Value | None) -> dict[Any, Value]:
    """What a value is made of, each by where it stands."""
    match value:
        case Choice():
            return {True: value.yes, False: value.no}
        case ClassValue():
            return {**value.names, **dict(enumerate(value.bases))}
        case Instance():
            return {0: value.type, **value.attributes}
        case FunctionValue():
            return dict(value.defaults)
        case Descriptor():
            return {0: value.function}
        case Known():
            return {index: part for index, part in enumerate(value.parts) if isinstance(part, Value)}
    return {}
