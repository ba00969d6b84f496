"""What an import binds: names of modules, attributes, what `sys.modules` holds."""

from __future__ import annotations

import sys
from dataclasses import replace

from optdep_lint.facts import syntax
from optdep_lint.world.exceptions import is_subclass
from optdep_lint.world.frames import Frame
from optdep_lint.world.loading import Loading
from optdep_lint.world.modules import Module
from optdep_lint.world.truth import Atom, Truth
from optdep_lint.world.values import (
    Cause,
    Choice,
    Constant,
    External,
    Failure,
    FunctionValue,
    Items,
    Known,
    ModuleValue,
    Raised,
    Unbound,
    Unknown,
    Value,
    builtin,
    caused,
    doubted,
)

MODULE_ATTRIBUTES = frozenset(name for name in (*dir(sys), *dir(type(sys))) if name.startswith("__"))
"""What every module has."""


class Imports(Loading):
    """Follows import statements and the functions that do the same."""

    def import_name(self, holder: Value, name: str, frame: Frame, at: int) -> Value:
        """`from holder import name`

        Raises:
            Raised: where there is no such name.
        """
        holder = frame.state.settle(holder)
        if isinstance(holder, External):
            return self._external_name(holder.path, name, frame, at)
        if isinstance(holder, ModuleValue):
            return self._own_name(self._evaluation.current(holder.module), name, frame, at)
        try:
            return self._evaluation.expressions.attribute(holder, name, frame, at)
        except Raised as raised:
            if raised.failure.kind != "attribute" or raised.failure.subject != name:
                raise
            raise Raised(replace(raised.failure, type=builtin("ImportError"))) from None

    def _external_name(self, path: str, name: str, frame: Frame, at: int) -> Value:
        world, expressions = self._evaluation.world, self._evaluation.expressions
        full = f"{path}.{name}"
        if full in self._evaluation.tree.sources:
            return ModuleValue(self.load(full, frame, at))
        if full in self._evaluation.injected:
            return self._evaluation.injected[full]
        if full in world.absent or (path in self._evaluation.tree.namespaces and self._lacks_portion(full)):
            raise Raised(self._portion_absent(full, frame, at))
        if not self._evaluation.tree.owns(path) and world.has_name(path, name) is Truth.NO:
            cause = None
            missing = world.missing(full)
            if missing is not None and not self._evaluation.is_stdlib(missing):
                cause = Cause(missing, frame.module.source.path, at)
            message = f"cannot import name '{name}' from '{path}'"
            raise Raised(
                expressions.failure(
                    frame, at, "import", message, cause, builtin("ImportError"), subject=name, certain=True
                )
            )
        value = self._evaluation.known.attribute(External(path), name, frame, at)
        if isinstance(value, External):
            self._evaluation.imported.add(value.path)
        return value

    def _lacks_portion(self, name: str) -> bool:
        """It is known of all distributions that share a namespace that none has this."""
        tree = self._evaluation.tree
        return not tree.has(name) and self._evaluation.world.missing(name) == name

    def _portion_absent(self, name: str, frame: Frame, at: int) -> Failure:
        """`from namespace import portion`, where other distributions keep the namespace there: a plain ImportError."""
        failure = self._absent(name, name, frame, at)
        message = f"cannot import name '{name.rpartition('.')[2]}' from '{name.rpartition('.')[0]}'"
        return replace(failure, type=builtin("ImportError"), message=message)

    def import_from(self, name: str, names: tuple[syntax.Alias, ...], frame: Frame, at: int) -> Value:
        """The module that a from-import takes names from.

        Raises:
            Raised: where it cannot be imported.
        """
        world = self._evaluation.world
        if name in world.portions and name in world.absent and not self._evaluation.tree.owns(name):
            self._evaluation.feel(name)
            raise Raised(self._portion_absent(f"{name}.{names[0].name}", frame, at))
        holder = self.import_dotted(name, True, frame, at)
        if isinstance(holder, ModuleValue) and not (self._evaluation.cautious or holder.module.source.is_package):
            self.ask(holder, "__path__", frame, at)
        return holder

    def _own_name(self, module: Module, name: str, frame: Frame, at: int, *, unseen: str = "ImportError") -> Value:
        """A name taken from a module; `unseen` is what it raises where its names cannot be seen, empty for nothing."""
        self._evaluation.read(module, name)
        value = module.names.get(name)
        submodule = f"{module.name}.{name}"
        tree = self._evaluation.tree
        below = value.no if isinstance(value, Choice) else value
        if isinstance(below, ModuleValue) and below.module.name == submodule in tree.sources:
            return self.import_dotted(submodule, True, frame, at)  # Whoever bound it, this depends on its import.
        if value is not None and not isinstance(value, Unbound):
            return self._present_part(value, module, name, frame, at)
        hook = module.names.get("__getattr__")
        if isinstance(hook, (FunctionValue, Known)) and (value is None or isinstance(value, Unbound)):
            try:
                return self._evaluation.calls.call(hook, (Constant(name),), {}, frame, at)
            except Raised as raised:
                if is_subclass(raised.failure.type, builtin("AttributeError")) is Truth.NO:
                    raise
        if submodule in self._evaluation.injected:
            return self._evaluation.injected[submodule]
        if submodule in tree.sources:
            if module.source.is_package:
                return self.import_dotted(submodule, True, frame, at)
            return Unknown()
        if submodule in tree.extensions or submodule in tree.namespaces:
            return External(submodule)
        if module.dynamic and unseen and name not in module.implicit:
            message = f"cannot import name '{name}' from '{module.name}'"
            self._evaluation.expressions.perhaps_missing("name", unseen, message, frame, at)
        declared = name in module.declared and self._evaluation.cautious
        if module.dynamic or module.replaced is not None or name in module.implicit or declared:
            return Unknown()
        raise Raised(self._no_name(module, name, value.cause if value is not None else None, frame, at))

    def _present_part(self, value: Value, module: Module, name: str, frame: Frame, at: int) -> Value:
        """The value of a name that may be bound."""
        value = frame.state.settle(value)
        if isinstance(value, Choice):
            return self._evaluation.expressions.choose(
                value, lambda one: self._present_part(one, module, name, frame, at), frame
            )
        if isinstance(value, Unbound):
            raise Raised(self._no_name(module, name, value.cause, frame, at))
        if isinstance(value, Unknown) and value.doubt == "name":
            message = f"cannot import name '{name}' from '{module.name}'"
            self._evaluation.expressions.perhaps_missing("name", "ImportError", message, frame, at)
        return value

    def import_star(self, holder: Value, frame: Frame, at: int) -> None:
        """`from holder import *`

        Raises:
            Raised: where `__all__` names what is not there.
        """
        if not isinstance(holder, ModuleValue):
            frame.module.dynamic = True
            path = holder.path if isinstance(holder, External) else ""
            altered = self._evaluation.statements.altered.get(path, set())
            for name in {*altered, *frame.state.names} if "__all__" in altered else altered:
                self._evaluation.statements.bind(name, doubted(Unknown()), frame)
            return
        module = self._evaluation.current(holder.module)
        self._evaluation.read(module, "*")
        listed = frame.state.settle(module.names["__all__"]) if "__all__" in module.names else None
        if isinstance(listed, Items):
            names = [
                part.value for part in listed.elements if isinstance(part, Constant) and isinstance(part.value, str)
            ]
            if module.source.is_package:
                self._import_listed(module, names, frame, at)
            for name in names:
                self._evaluation.statements.bind(name, self._listed_name(module, name, frame, at), frame)
            return
        open_ended = self._evaluation.cautious and (module.status == "running" or "__getattr__" in module.names)
        if listed is not None or module.dynamic or open_ended or self._answers_for(module, "__all__", frame, at):
            frame.module.dynamic = True
        for name, value in list(module.names.items()):
            if not name.startswith("_"):
                known = frame.state.names.get(name)
                if not isinstance(value, Unbound) or known is None:
                    self._evaluation.statements.bind(name, value, frame)

    def _answers_for(self, module: Module, name: str, frame: Frame, at: int) -> bool:
        """The module's `__getattr__` has something to give for a name."""
        hook = module.names.get("__getattr__")
        if not isinstance(hook, (FunctionValue, Known)):
            return hook is not None
        try:
            answer = self._evaluation.calls.call(hook, (Constant(name),), {}, frame, at)
        except Raised as raised:
            return is_subclass(raised.failure.type, builtin("AttributeError")) is not Truth.YES
        if isinstance(answer, Constant) and not isinstance(answer.value, str):
            error = TypeError(f"'{type(answer.value).__name__}' object is not iterable")
            self._evaluation.expressions.as_python(error, frame, at, answer)
        return True

    def import_below(self, holder: Value, names: list[str], frame: Frame, at: int) -> None:
        """Before a from-import binds any of its names, Python imports those of them that are submodules.

        Raises:
            Raised: where one of these cannot be imported.
        """
        if isinstance(holder, ModuleValue) and holder.module.source.is_package:
            module = self._evaluation.current(holder.module)
            below = [name for name in names if f"{module.name}.{name}" in self._evaluation.tree.sources]
            self._import_listed(module, below, frame, at)

    def _import_listed(self, module: Module, names: list[str], frame: Frame, at: int) -> None:
        """Before it takes names, Python imports the submodules that `__all__` of a package lists."""
        for name in names:
            try:
                self._own_name(module, name, frame, at, unseen="")
            except Raised as raised:
                if raised.failure.subject != f"{module.name}.{name}":
                    raise

    def _listed_name(self, module: Module, name: str, frame: Frame, at: int) -> Value:
        """What `__all__` names, where its absence is an AttributeError; no module has a submodule that is half imported."""
        try:
            value = self._own_name(module, name, frame, at, unseen="AttributeError")
        except Raised as raised:
            if raised.failure.subject != f"{module.name}.{name}":
                raise
            raise Raised(replace(raised.failure, type=builtin("AttributeError"))) from None
        half = isinstance(value, ModuleValue) and value.module.status == "running"
        hook = module.names.get("__getattr__")
        if half and name not in module.names and isinstance(hook, (FunctionValue, Known)):
            return self._evaluation.calls.call(hook, (Constant(name),), {}, frame, at)
        if half and name not in module.names and hook is None:
            raise Raised(replace(self._no_name(module, name, None, frame, at), type=builtin("AttributeError")))
        return value

    def module_attribute(self, module: Module, name: str, frame: Frame, at: int) -> Value:
        """`module.name`, for a module of the project."""
        expressions = self._evaluation.expressions
        self._evaluation.read(module, name)
        value = module.names.get(name)
        if value is None:
            value = module.implicit.get(name)
        hook = module.names.get("__getattr__")
        asks = not (module.dynamic or name in MODULE_ATTRIBUTES) and (value is None or isinstance(value, Unbound))
        if isinstance(hook, (FunctionValue, Known)) and asks:
            return self._evaluation.calls.call(hook, (Constant(name),), {}, frame, at)
        if value is None:
            submodule = f"{module.name}.{name}"
            if self.is_below(module, name):
                return ModuleValue(self._evaluation.module(submodule))
            left_open = submodule in self._evaluation.tree.sources and self._evaluation.cautious
            if left_open or not self._is_whole(module, name):
                if module.dynamic:
                    message = f"module '{module.name}' has no attribute '{name}'"
                    expressions.perhaps_missing("attribute", "AttributeError", message, frame, at)
                return expressions.unknown(submodule)
            value = Unbound()
        value = frame.state.settle(value)
        if isinstance(value, Choice):
            return expressions.choose(value, lambda one: self._attribute_part(one, module, name, frame, at), frame)
        return self._attribute_part(value, module, name, frame, at)

    def is_below(self, module: Module, name: str) -> bool:
        """A submodule of that name has been imported, by whatever way: out of caution, its parent has it, too."""
        submodule = f"{module.name}.{name}"
        if not self._evaluation.cautious or submodule not in self._evaluation.tree.sources:
            return False
        return self._evaluation.module(submodule).status in ("ok", "running")

    def _attribute_part(self, value: Value, module: Module, name: str, frame: Frame, at: int) -> Value:
        message = f"module '{module.name}' has no attribute '{name}'"
        if isinstance(value, Unknown) and value.doubt == "name":
            self._evaluation.expressions.perhaps_missing("attribute", "AttributeError", message, frame, at)
        if not isinstance(value, Unbound):
            return value
        raise Raised(
            self._evaluation.expressions.failure(
                frame,
                at,
                "attribute",
                message,
                value.cause,
                builtin("AttributeError"),
                subject=f"{module.name}.{name}",
                certain=self._is_whole(module, name),
            )
        )

    def _is_whole(self, module: Module, name: str) -> bool:
        """What the module does not bind under that name is not there."""
        return not (
            module.dynamic
            or module.replaced is not None
            or (name in module.declared and self._evaluation.cautious)
            or name in MODULE_ATTRIBUTES
            or module.name in self._evaluation.blurred
            or f"{module.name}.{name}" in self._evaluation.tree.extensions | self._evaluation.tree.namespaces
        )

    # --- sys.modules ---------------------------------------------------------------------------------------------

    def is_loaded(self, name: Value) -> Value:
        """`name in sys.modules`"""
        if not isinstance(name, Constant) or not isinstance(name.value, str):
            return Unknown()
        dotted = name.value
        if dotted in self._evaluation.injected:
            return Constant(True)
        if self._evaluation.tree.owns(dotted):
            found = self._evaluation.modules.get(dotted)
            if dotted in self._evaluation.tree.sources:
                self._evaluation.read(self._evaluation.module(dotted), "sys.modules")
            there = found is not None and found.status in ("ok", "running") and self._evaluation.has_imported(dotted)
            return Unknown() if there and found is not None and found.is_open else Constant(there)
        self._evaluation.feel(dotted)
        if dotted in self._evaluation.doubtful:
            return Unknown()
        missing = self._evaluation.world.missing(dotted)
        if missing is not None:
            return caused(Constant(False), Cause(missing, "", 0))
        return Constant(True) if dotted in ("sys", "builtins", "os") else Unknown(Atom(f"{dotted} in sys.modules"))

    def loaded(self, name: str | None, frame: Frame, at: int) -> Value:
        """`sys.modules[name]`"""
        if name is None:
            message = "it is not in sys.modules"
            self._evaluation.expressions.perhaps_missing("call", "KeyError", message, frame, at)
            return Unknown()
        if name in self._evaluation.injected:
            return self._evaluation.injected[name]
        found = self._evaluation.modules.get(name)
        there = found is not None and found.status in ("ok", "running")
        perhaps = self._evaluation.doubtful.get(name)
        if perhaps is not None or (found is not None and found.is_open):
            self._evaluation.expressions.perhaps_missing("call", "KeyError", f"{name} is not there", frame, at)
        if found is not None and there:
            return found.replaced or ModuleValue(found)
        if perhaps is not None:
            return perhaps
        if name in self._evaluation.tree.sources:
            return self._evaluation.expressions.as_python(KeyError(name), frame, at)
        return Unknown()
