"""What the names in a function mean, as far as that can be said without running it: functions, classes, modules."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator

from optdep_lint.facts import syntax
from optdep_lint.facts.syntax import Expression
from optdep_lint.facts.walk import last_name, statements
from optdep_lint.world.bound import target_names
from optdep_lint.world.evaluation import Evaluation
from optdep_lint.world.hot_sites import Site, Sites, alternatives
from optdep_lint.world.values import (
    ClassValue,
    Constant,
    Descriptor,
    External,
    FunctionValue,
    Instance,
    Items,
    Known,
    ModuleValue,
    Table,
    Value,
)

_DEEPEST = 6
_MOST_ELEMENTS = 20
_CONSTRUCTORS = ("__init__", "__post_init__", "setup", "build", "_init", "setUp", "initialize")
"""The methods whose assignments to `self` are looked at."""


class Scopes(Sites):
    """Answers for every function of a project what a name or an attribute in it may be."""

    def __init__(self, base: Evaluation) -> None:
        super().__init__(base)
        self._locals: dict[int, dict[str, list[object]]] = {}
        self._assigned: dict[int, dict[str, list[tuple[Expression, Site]]]] = {}
        self._meanings: dict[int, tuple[Value, ...]] = {}
        self._declared: dict[int, frozenset[str]] = {}
        """The names that a function declares `global` or `nonlocal`."""

    def holders(self, site: Site, names: Collection[str]) -> set[str]:
        """The attributes to which a constructor assigns functions of these names, or instances that are called."""
        if site.owner is None:
            return set()
        return {
            attribute
            for attribute, assigned in self._assignments(site.owner).items()
            for node, where in assigned
            if last_name(node) in names
            and any(_is_called(one, names) for one in self.values(node, where, where.module))
        }

    def meanings(self, node: Expression, site: Site) -> tuple[Value, ...]:
        """What an expression in a function may be; remembered, so the node must be one of its body."""
        known = self._meanings.get(id(node))
        if known is None:
            known = self._meanings[id(node)] = tuple(self.values(node, site, site.module))
        return known

    # --- values --------------------------------------------------------------------------------------------------

    def values(self, node: Expression, site: Site | None, module: str, depth: int = 0) -> Iterator[Value]:
        """What an expression may be, in a function or at the top of a module."""
        if depth > _DEEPEST:
            return
        match node:
            case syntax.Name(id=name):
                yield from self._named(name, site, module, depth)
            case syntax.Attribute(value=held, name=name):
                for value in list(self.values(held, site, module, depth + 1)):
                    yield from self.members(value, name, depth + 1)
            case syntax.Call():
                yield from self._called(node, site, module, depth)
            case syntax.Boolean(operands=operands):
                for operand in operands:
                    yield from self.values(operand, site, module, depth + 1)
            case syntax.Conditional(body=body, orelse=orelse):
                yield from self.values(body, site, module, depth + 1)
                yield from self.values(orelse, site, module, depth + 1)
            case syntax.Walrus(value=value_node):
                yield from self.values(value_node, site, module, depth + 1)
            case syntax.Subscript(value=held):
                for value in list(self.values(held, site, module, depth + 1)):
                    yield from _elements(value)
            case syntax.Constant(value=constant):
                yield Constant(constant)

    def _named(self, name: str, site: Site | None, module: str, depth: int) -> Iterator[Value]:
        while site is not None:
            bindings = self._bindings(site).get(name)
            if bindings is not None:
                for binding in bindings:
                    yield from self._bound(binding, name, site, depth)
                return
            site = site.outer
        found = self.base.modules[module].namespace.get(name)
        if found is not None:
            yield from alternatives(found)
        else:
            yield External(f"builtins.{name}")

    def _bindings(self, site: Site) -> dict[str, list[object]]:
        """What binds each local name of a function."""
        known = self._locals.get(id(site.node))
        if known is not None:
            return known
        found: dict[str, list[object]] = defaultdict(list)
        declared: set[str] = set()
        for parameter in site.node.parameters:
            found[parameter.name].append(parameter)
        for statement in statements(self.body(site)):
            if isinstance(statement, syntax.Scope):
                declared.update(statement.names)
            for name, binding in _bindings_of(statement):
                found[name].append(binding)
        kept = {name: bindings for name, bindings in found.items() if name not in declared}
        self._declared[id(site.node)] = frozenset(declared)
        self._locals[id(site.node)] = kept
        return kept

    def is_local(self, name: str, site: Site) -> bool:
        """The name is bound anew on every call; a parameter whose default is a container outlives the call."""
        bindings = self._bindings(site).get(name)
        if bindings is None:
            return False
        return not any(
            isinstance(one, syntax.Parameter) and isinstance(one.default, (syntax.Mapping, syntax.Collection))
            for one in bindings
        )

    def is_foreign(self, name: str, site: Site) -> bool:
        """The name is a module or something in another project, and no local one."""
        return not self.is_local(name, site) and isinstance(
            self.base.modules[site.module].namespace.get(name), External
        )

    def may_change(self, name: str, site: Site) -> bool:
        """A name that is not local is a variable, not a function, class, module, or builtin."""
        if name in self._bindings(site) or name in self._declared[id(site.node)]:
            return True
        found = self.base.modules[site.module].namespace.get(name)
        if found is None:
            return site.outer is not None
        return not isinstance(found, (FunctionValue, ClassValue, ModuleValue, External))

    def assigned_to(self, name: str, site: Site) -> list[Expression]:
        """The expressions that a local name is bound to."""
        return [one for one in self._bindings(site).get(name, ()) if isinstance(one, _EXPRESSIONS)]

    def _bound(self, binding: object, name: str, site: Site, depth: int) -> Iterator[Value]:
        match binding:
            case syntax.Parameter():
                yield from self._parameter(name, site)
            case syntax.Function():
                inner = self.site(site.module, f"{site.name}.{name}", binding, None, site)
                function = FunctionValue(self.base.modules[site.module], name, binding, None)
                function.memoised = self.is_kept(inner)
                yield function
            case syntax.Import() | syntax.ImportFrom():
                yield from self._imported(binding, name, site)
            case _ if isinstance(binding, _EXPRESSIONS):
                yield from self.values(binding, site, site.module, depth + 1)

    def _parameter(self, name: str, site: Site) -> Iterator[Value]:
        parameters = site.node.parameters
        if site.owner is None or not parameters or parameters[0].name != name:
            return
        kinds = {last_name(decorator) for decorator in site.node.decorators}
        if "staticmethod" in kinds:
            return
        as_class = "classmethod" in kinds or name == "cls"
        for heir in self.heirs(site.owner):
            member = self.base.expressions.class_member(heir, site.node.name)
            if heir is site.owner or any(_node_of(one) is site.node for one in alternatives(member)):
                yield heir if as_class else Instance(heir)

    def _imported(self, statement: syntax.Import | syntax.ImportFrom, name: str, site: Site) -> Iterator[Value]:
        for alias in statement.names:
            if isinstance(statement, syntax.Import):
                if name == alias.asname:
                    yield from self._module(alias.name)
                elif alias.asname is None and name == alias.name.partition(".")[0]:
                    yield from self._module(name)
            elif name == (alias.asname or alias.name):
                origin = self.absolute(statement, site.module)
                for module in list(self._module(origin)):
                    yield from self.members(module, alias.name, 0)

    def absolute(self, statement: syntax.ImportFrom, module: str) -> str:
        """The absolute name of the module that a from-import names; empty above the top."""
        return self.base.tree.sources[module].absolute(statement) or ""

    def _module(self, name: str) -> Iterator[Value]:
        module = self.base.modules.get(name)
        if module is not None:
            yield module.replaced if module.replaced is not None else ModuleValue(module)
        elif not self.base.tree.owns(name):
            yield External(name)

    # --- attributes and calls ------------------------------------------------------------------------------------

    def members(self, value: Value, name: str, depth: int = 0) -> Iterator[Value]:
        """What an attribute of a value may be."""
        match value:
            case ModuleValue(module=module):
                found = module.namespace.get(name)
                if found is not None:
                    yield from alternatives(found)
                else:
                    yield from self._module(f"{module.name}.{name}")
            case External(path=path):
                yield External(f"{path}.{name}")
            case ClassValue():
                yield from alternatives(self.base.expressions.class_member(value, name))
            case Instance(type=ClassValue() as class_):
                found = value.attributes.get(name) or self.base.expressions.class_member(class_, name)
                yield from alternatives(found)
                if not isinstance(found, (FunctionValue, Descriptor)) and depth <= _DEEPEST:
                    yield from self._held(class_, name, depth)
            case Known(model="super", parts=(ClassValue() as class_,)):
                for base in class_.bases:
                    if isinstance(base, ClassValue):
                        yield from alternatives(self.base.expressions.class_member(base, name))

    def _held(self, class_: ClassValue, name: str, depth: int) -> Iterator[Value]:
        """What the constructors of a class, or of those that it inherits from, assign to `self.name`."""
        for node, site in self._assignments(class_).get(name, ()):
            yield from self.values(node, site, site.module, depth + 2)
        for base in class_.bases:
            if isinstance(base, ClassValue):
                yield from self._held(base, name, depth + 1)

    def _assignments(self, class_: ClassValue) -> dict[str, list[tuple[Expression, Site]]]:
        known = self._assigned.get(id(class_))
        if known is not None:
            return known
        found: dict[str, list[tuple[Expression, Site]]] = defaultdict(list)
        self._assigned[id(class_)] = found
        for constructor in _CONSTRUCTORS:
            function = next(iter(alternatives(class_.names.get(constructor))), None)
            function = function.function if isinstance(function, Descriptor) else function
            site = self.site_of(function) if isinstance(function, FunctionValue) else None
            if site is None or not site.node.parameters:
                continue
            receiver = site.node.parameters[0].name
            for statement in statements(self.body(site)):
                if isinstance(statement, syntax.Assign):
                    for target in statement.targets:
                        match target:
                            case syntax.Attribute(value=syntax.Name(id=holder), name=name) if holder == receiver:
                                found[name].append((statement.value, site))
        return found

    def _called(self, node: syntax.Call, site: Site | None, module: str, depth: int) -> Iterator[Value]:
        for function in list(self.values(node.function, site, module, depth + 1)):
            match function:
                case ClassValue():
                    yield Instance(function)
                case External(path="builtins.super") if site is not None and site.owner is not None:
                    yield Known("super", site.owner)
                case External(path="builtins.getattr") if len(node.arguments) > 1:
                    match node.arguments[1]:
                        case syntax.Constant(value=str(name)):
                            for held in list(self.values(node.arguments[0], site, module, depth + 1)):
                                yield from self.members(held, name, depth + 1)
                case External(path=path) if path in _TRANSPARENT and node.arguments:
                    yield from self.values(node.arguments[0], site, module, depth + 1)


_TRANSPARENT = frozenset({
    "functools.partial", "functools.wraps", "torch.compile", "torch.no_grad", "torch.inference_mode", "jax.jit",
    "torch.jit.script", "builtins.staticmethod", "builtins.type",
})  # fmt: skip
"""What gives back its first argument in another guise."""


def _elements(value: Value) -> Iterator[Value]:
    """What an index may find."""
    match value:
        case Table(entries=entries):
            found: Iterable[Value] = entries.values()
        case Items(elements=elements):
            found = elements
        case _:
            return
    for element in itertools.islice(found, _MOST_ELEMENTS):
        yield from alternatives(element)


def _node_of(value: Value) -> object:
    if isinstance(value, Descriptor):
        value = next(iter(alternatives(value.function)), value)
    return value.node if isinstance(value, FunctionValue) else None


def _bindings_of(statement: syntax.Statement) -> Iterator[tuple[str, object]]:
    match statement:
        case syntax.Import():
            for alias in statement.names:
                yield alias.asname or alias.name.partition(".")[0], statement
        case syntax.ImportFrom():
            for alias in statement.names:
                yield alias.asname or alias.name, statement
        case syntax.Function():
            yield statement.name, statement
        case syntax.Assign(targets=targets, value=value):
            for target in targets:
                if isinstance(target, syntax.Name):
                    yield target.id, value
                else:
                    yield from ((name, None) for name in target_names(target))
        case syntax.Annotated(target=syntax.Name(id=name), value=value) if value is not None:
            yield name, value
        case syntax.For(target=target):
            yield from ((name, None) for name in target_names(target))
        case syntax.With(items=items):
            for item in items:
                if item.target is not None:
                    yield from ((name, item.context) for name in target_names(item.target))
        case syntax.Class(name=name):
            yield name, None


def _is_called(value: Value, names: Collection[str]) -> bool:
    match value:
        case FunctionValue(name=name):
            return name in names
        case Instance(type=ClassValue(name=name)):
            return "__call__" in names and name in names
    return False


_EXPRESSIONS = (
    syntax.Constant, syntax.Name, syntax.Attribute, syntax.Call, syntax.Boolean, syntax.Conditional, syntax.Walrus,
    syntax.Subscript, syntax.Compare, syntax.Not, syntax.Opaque,
)  # fmt: skip
