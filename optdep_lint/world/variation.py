"""Another world, evaluated only where it can differ from one that has been evaluated already."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar

from optdep_lint.world.evaluation import Evaluation
from optdep_lint.world.modules import Module, Tree
from optdep_lint.world.values import Choice, ClassValue, Descriptor, FunctionValue, Instance, Known, Value
from optdep_lint.world.worlds import World

DISTRIBUTION = " (distribution)"


class Readers:
    """Who asked for what while a whole tree was evaluated: an index of every module's `asked`."""

    def __init__(self, evaluation: Evaluation) -> None:
        self.felt: dict[str, set[str]] = defaultdict(set)
        """The modules that asked for a name of another project, by the name."""
        self.reads: dict[tuple[str, str], set[str]] = defaultdict(set)
        """The modules that looked at a name of a module, by (module, name)."""
        for name, module in evaluation.modules.items():
            self.note(name, module)

    def note(self, name: str, module: Module) -> None:
        """Index what a module asked for."""
        for felt in module.asked.felt:
            self.felt[felt].add(name)
        for read in module.asked.reads:
            self.reads[read].add(name)

    def feeling(self, world: World) -> Iterator[str]:
        """The modules that ask for something that is absent in a world."""
        for dotted, names in self.felt.items():
            if dotted.endswith(DISTRIBUTION):
                absent = world.missing_distribution(dotted.removesuffix(DISTRIBUTION))
            else:
                absent = world.missing(dotted)
            if absent is not None:
                yield from names

    def reading(self, module: str, names: Iterable[str]) -> Iterator[str]:
        """The modules that looked at any of these names of a module."""
        for name in names:
            yield from self.reads.get((module, name), ())
            if name:
                yield from self.reads.get((module, "*"), ())


E = TypeVar("E", bound=Evaluation)


def vary(base: Evaluation, readers: Readers, world: World) -> Evaluation:
    """Evaluate a world in which more is absent than in `base`, sharing every module that cannot feel it."""
    return vary_as(Evaluation, base, readers, world)


def vary_as(make: Callable[[Tree, World], E], base: Evaluation, readers: Readers, world: World) -> E:
    """The same, by a kind of evaluation of one's own."""
    varied = make(base.tree, world)
    varied.modules = dict(base.modules)
    varied.shared = set(base.modules)
    varied.operations.base = base.operations
    varied.imported, varied.injected = set(base.imported), dict(base.injected)
    told: dict[str, set[str]] = defaultdict(set)
    todo: deque[str] = deque(sorted(set(readers.feeling(world))))
    for name in todo:
        _renew(varied, name)
    while todo:
        name = todo.popleft()
        module = varied.module(name)
        if module.status == "new":
            varied.run_module(module)
        new = _differences(module, base.modules[name]) - told[name]
        told[name] |= new
        for reader in sorted(set(readers.reading(name, new))):
            _renew(varied, reader)
            todo.append(reader)
    return varied


def _renew(varied: Evaluation, name: str) -> None:
    varied.shared.discard(name)
    varied.modules[name] = Module(varied.tree.sources[name])


def _differences(module: Module, base: Module) -> set[str]:
    """The names of a module whose values go back to something absent; empty for its import itself."""
    if module.status == "raises":
        return {"", *base.namespace}
    names = {name for name, value in module.namespace.items() if goes_back(value)}
    names |= base.namespace.keys() - module.namespace.keys()
    if any(failure.cause is not None for failure in module.maybe):
        names.add("")
    return names


def goes_back(value: Value, depth: int = 3) -> bool:
    """The value, or something in it, is as it is because something is absent."""
    if value.cause is not None:
        return True
    if not depth:
        return False
    match value:
        case Choice():
            return goes_back(value.yes, depth - 1) or goes_back(value.no, depth - 1)
        case ClassValue():
            return any(goes_back(part, depth - 1) for part in (*value.names.values(), *value.bases))
        case Instance():
            return any(goes_back(part, depth - 1) for part in (value.type, *value.attributes.values()))
        case FunctionValue():
            return any(goes_back(part, depth - 1) for part in value.defaults.values())
        case Descriptor():
            return goes_back(value.function, depth - 1)
        case Known():
            return any(goes_back(part, depth - 1) for part in value.parts if isinstance(part, Value))
    return False
