"""Which modules' functions a function can come by, without an import of its own."""

from __future__ import annotations

from collections.abc import Iterator

from optdep_lint.world.hot_scope import Scopes
from optdep_lint.world.hot_sites import alternatives
from optdep_lint.world.values import ClassValue, Descriptor, FunctionValue, Instance, Items, ModuleValue, Table, Value


class Sight:
    """Answers for every module whose functions its own can call: what it binds, inherits, hands down, and what these hold."""

    def __init__(self, scopes: Scopes) -> None:
        self._scopes = scopes
        self._known: dict[str, frozenset[str]] = {}
        self._near: dict[str, frozenset[str]] = {}

    def of(self, module: str) -> frozenset[str]:
        """The names of these modules, its own among them."""
        known = self._known.get(module)
        if known is None:
            near = self.near(module)
            known = self._known[module] = near.union(*(self.near(other) for other in self._kin(module)))
        return known

    def near(self, module: str) -> frozenset[str]:
        """The modules that what a module binds comes from."""
        known = self._near.get(module)
        if known is None:
            found = {module}
            for value in self._scopes.base.modules[module].namespace.values():
                for one in contents(value):
                    found.update(_homes(one))
            known = self._near[module] = frozenset(found)
        return known

    def _kin(self, module: str) -> set[str]:
        """The modules that it binds as such, and those of the classes that its classes inherit from or hand down to."""
        found: set[str] = set()
        for value in self._scopes.base.modules[module].namespace.values():
            for one in alternatives(value):
                if isinstance(one, ModuleValue):
                    found.add(one.module.name)
                elif isinstance(one, ClassValue):
                    found.update(_homes(one))
                    if one.module.name == module:
                        found.update(heir.module.name for heir in self._scopes.heirs(one))
        return {name for name in found if name in self._scopes.base.modules}


def contents(value: Value) -> Iterator[Value]:
    """What a value may be or hold: functions, classes, modules, instances."""
    for one in alternatives(value):
        match one:
            case Descriptor(function=function):
                yield from contents(function)
            case Table(entries=entries):
                for entry in entries.values():
                    yield from contents(entry)
            case Items(elements=elements):
                for element in elements:
                    yield from contents(element)
            case _:
                yield one


def _homes(value: Value) -> Iterator[str]:
    match value:
        case FunctionValue(module=module) | ModuleValue(module=module):
            yield module.name
        case ClassValue(module=module, bases=bases):
            yield module.name
            for base in bases:
                if isinstance(base, ClassValue):
                    yield from _homes(base)
        case Instance(type=ClassValue() as class_):
            yield from _homes(class_)
