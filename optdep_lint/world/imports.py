"""What an import finds, loads and binds."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from optdep_lint.facts import syntax
from optdep_lint.facts.position import line_of
from optdep_lint.findings import Step
from optdep_lint.world.exceptions import is_subclass
from optdep_lint.world.frames import Frame
from optdep_lint.world.modules import Module
from optdep_lint.world.truth import Atom, Condition, Truth, some
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
)

if TYPE_CHECKING:
    from optdep_lint.world.evaluation import Evaluation


MODULE_ATTRIBUTES = frozenset(dir(sys)) - frozenset(name for name in dir(sys) if not name.startswith("__"))
"""What every module has."""


class Imports:
    """Follows import statements and the functions that do the same."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation

    def absolute(self, node: syntax.ImportFrom, frame: Frame) -> str | None:
        """The absolute name of the module that a from-import names; None above the top."""
        if node.level == 0:
            return node.module
        return self.resolve(node.module, node.level, frame.module)

    def beyond_top(self, frame: Frame, at: int) -> Value:
        """A relative import of what lies above the project's top: only there if the project lies in another package.

        Raises:
            Raised: where the project is whole.
        """
        if not self._evaluation.tree.complete:
            return Unknown()
        message = "attempted relative import beyond top-level package"
        type_ = builtin("ImportError")
        raise Raised(self._evaluation.expressions.failure(frame, at, "import", message, None, type_, certain=True))

    def resolve(self, name: str, level: int, module: Module) -> str | None:
        """A relative name made absolute."""
        parts = module.name.split(".")
        if not module.source.is_package:
            parts.pop()
        keep = len(parts) - (level - 1)
        if keep < 1:
            return None
        return ".".join([*parts[:keep], name] if name else parts[:keep])

    def is_lazy(self, name: str, frame: Frame) -> bool:
        """The module asks for this import to be lazy (PEP 810), which holds outside `try`, functions and classes."""
        if frame.kind != "module" or frame.protected or "__lazy_modules__" not in frame.state.names:
            return False
        lazy = frame.state.names["__lazy_modules__"]
        return isinstance(lazy, Items) and any(
            isinstance(part, Constant) and part.value == name for part in lazy.elements
        )

    def import_dotted(self, name: str, last: bool, frame: Frame, at: int) -> Value:
        """`import name`: the module of its last part, or of its first.

        Raises:
            Raised: where the module cannot be imported.
        """
        injected = self._evaluation.injected
        if injected and name in injected:
            return injected[name] if last else self._root_of(name, frame, at)
        tree = self._evaluation.tree
        if not tree.owns(name):
            return self._external(name, last, frame, at)
        if self._is_in_doubt(name, frame):
            return self._try_out(name, last, frame, at)
        if not last or not self._is_perhaps_there(name):
            return self._import_own(name, last, frame, at)
        try:
            return self._import_own(name, last, frame, at)
        except Raised as raised:  # one of its parents fails, which is not asked for if the module is there already
            failure = raised.failure
        self._evaluation.expressions.may_fail(failure, Atom(f"{name} is there already"), frame)
        found = self._evaluation.module(name)
        return found.replaced or (ModuleValue(found) if found.status == "ok" else Unknown())

    def _import_own(self, name: str, last: bool, frame: Frame, at: int) -> Value:
        """A module below one of the project's own roots, its parents first."""
        tree, injected = self._evaluation.tree, self._evaluation.injected
        if "." in name and self.is_found_whole(name, frame, at):
            module = self.load(name if last else name.partition(".")[0], frame, at)
            return module.replaced or ModuleValue(module)
        first: Value | None = None
        value: Value = Unknown()
        prefix = ""
        parent: Module | None = None
        put = next((parent for parent in _parents(name) if parent in injected), "") if injected else ""
        for part in name.split("."):
            prefix = f"{prefix}.{part}" if prefix else part
            if len(prefix) < len(put):  # what is there already is not asked for its parents
                continue
            if prefix in injected:
                value, parent = injected[prefix], None
            elif prefix in tree.sources and self._is_passed_over(prefix, name):
                parent = None
            elif prefix in tree.sources:
                module = self.load(prefix, frame, at)
                value = module.replaced or ModuleValue(module)
                if parent is not None and module.status == "ok" and not self._evaluation.is_shared(parent):
                    parent.names[part] = self._bound_below(parent, part, value, module, frame)
                parent = module
            else:
                value = self._without_source(prefix, parent, frame, at)
                parent = None
            first = first or value
        if not last and "." in put:
            return self._root_of(name, frame, at)
        if not last and self._is_passed_over(name.partition(".")[0], name):
            self.load(name.partition(".")[0], frame, at)
        return value if last else first or value

    def _root_of(self, name: str, frame: Frame, at: int) -> Value:
        """What `import a.b` binds, where `a.b` was there already."""
        root = name.partition(".")[0]
        if root in self._evaluation.injected or root not in self._evaluation.tree.sources:
            return self._evaluation.injected.get(root, Unknown())
        module = self.load(root, frame, at)
        return module.replaced or ModuleValue(module)

    def _bound_below(self, parent: Module, part: str, value: Value, module: Module, frame: Frame) -> Value:
        """What a package has under the name of a module below it: where a call may have failed to import that, perhaps not."""
        before = parent.names.get(part)
        known = isinstance(before, ModuleValue) and before.module is module
        if known or frame.kind != "function" or not module.maybe:
            return value
        fails = some(*(_condition_of(failure, module) for failure in module.maybe))
        return Choice(fails, before or caused(Unbound(), module.maybe[0].cause), value)

    def _is_passed_over(self, package: str, name: str) -> bool:
        """A package that failed is not asked for again where one between it and the module has been imported."""
        if package not in self._evaluation.tree.sources or self._evaluation.module(package).status != "raises":
            return False
        parts = name.split(".")
        between = (".".join(parts[:length]) for length in range(package.count(".") + 2, len(parts)))
        return any(self._is_whole_already(one) for one in between)

    def _is_in_doubt(self, name: str, frame: Frame) -> bool:
        """A call may or may not import a module for the first time."""
        if frame.kind != "function" or not frame.uncertain or not self._evaluation.cautious:
            return False
        found = self._evaluation.modules.get(name)
        return name in self._evaluation.tree.sources and (found is None or found.status == "new")

    def _is_perhaps_there(self, name: str) -> bool:
        """It is open whether a module that lies in a package has been imported by now."""
        found = self._evaluation.modules.get(name) if "." in name else None
        if found is None:
            return False
        return name in self._evaluation.tried_out or (found.status == "ok" and found.is_open)

    def _try_out(self, name: str, last: bool, frame: Frame, at: int) -> Value:
        """What an import gives that may not happen: where it meets modules half imported, it is as if it did not."""
        evaluation = self._evaluation
        if name in evaluation.tried_out:
            return Unknown()
        done = {module.name for module in evaluation.modules.values() if module.status != "new"}
        failure: Raised | None = None
        value: Value = Unknown()
        try:
            value = self._import_own(name, last, frame, at)
        except Raised as raised:
            failure = raised
        fresh = [module for module in evaluation.modules.values() if module.name not in done]
        if any(module.touched for module in fresh):
            evaluation.tried_out |= {name, *(module.name for module in fresh)}
            for module in fresh:
                module.renew()
            return Unknown()
        if failure is not None:
            raise failure
        return value

    def import_as(self, name: str, frame: Frame, at: int) -> Value:
        """`import name as x`: the module, found by way of its parents.

        Raises:
            Raised: where it or a parent cannot be imported.
        """
        if "." in name and self._is_whole_already(name):
            root, *parts = name.split(".")
            self.load(root, frame, at)
            parent = root
            for part in parts[:-1]:
                outer, parent = parent, f"{parent}.{part}"
                if not {outer, parent} <= self._evaluation.tree.sources.keys():
                    continue
                module = self._evaluation.module(parent)
                if module.status not in ("ok", "running"):
                    cause = module.failure.cause if module.failure is not None else None
                    raise Raised(self._no_name(self._evaluation.module(outer), part, cause, frame, at))
        value = self.import_dotted(name, True, frame, at)
        root = name.partition(".")[0]
        if root != name and root in self._evaluation.tree.sources and self._evaluation.module(root).status == "raises":
            self.load(root, frame, at)
        return value

    def _note_parents(self, name: str, frame: Frame, at: int) -> None:
        """Where nothing has been imported before, the parents come first: another world may be asked in that order."""
        parent = name.rpartition(".")[0]
        while parent:
            if parent in self._evaluation.tree.sources:
                self._evaluation.read(self._evaluation.module(parent), "")
                self._evaluation.note_load(parent, frame, at)
            parent = parent.rpartition(".")[0]

    def is_found_whole(self, name: str, frame: Frame, at: int) -> bool:
        """The module is there already, which is noted."""
        found = self._is_whole_already(name)
        if found:
            self._note_parents(name, frame, at)
        return found

    def _is_whole_already(self, name: str) -> bool:
        """The module has been imported in this process: its parents are not asked for, even if they have failed."""
        module = self._evaluation.modules.get(name)
        if module is None or name.partition(".")[0] not in self._evaluation.tree.sources:
            return False
        return module.status == "ok" and not module.is_open and self._evaluation.has_imported(name)

    def _without_source(self, name: str, parent: Module | None, frame: Frame, at: int) -> Value:
        """A name below one of the project's own roots for which there is no source."""
        tree = self._evaluation.tree
        if name in tree.namespaces or name in tree.extensions or (parent is not None and parent.dynamic_path):
            self._evaluation.imported.add(name)
            return External(name)
        root = name.partition(".")[0]
        if root in tree.namespaces:
            missing = self._evaluation.world.missing(name)
            if missing is not None and "." in missing:
                raise Raised(self._absent(missing, name, frame, at))
            return External(name)
        if any(extension.startswith(f"{name}.") for extension in tree.extensions):
            return External(name)
        message = f"No module named '{name}'"
        failure = self._evaluation.expressions.failure(
            frame, at, "import", message, None, builtin("ModuleNotFoundError"), subject=name, certain=tree.complete
        )
        if tree.complete:
            raise Raised(failure)
        return Unknown()

    def _external(self, name: str, last: bool, frame: Frame, at: int) -> Value:
        missing = self._evaluation.world.missing(name)
        root = name.partition(".")[0]
        self._evaluation.feel(name)
        if missing is not None and missing in self._evaluation.doubtful:
            failure = self._absent(missing, name, frame, at)
            self._evaluation.expressions.may_fail(failure, Atom(f"{missing} is injected"), frame)
            return self._evaluation.doubtful[missing] if name == missing else Unknown()
        if missing is not None:
            raise Raised(self._absent(missing, name, frame, at))
        found = name if last else root
        if "." in name and frame.protected and not self._evaluation.is_stdlib(name) and not self._listed(name):
            self._perhaps_absent(name, frame, at)
        self._evaluation.imported.add(name)
        self._evaluation.imported.add(root)
        return External(found)

    def _listed(self, name: str) -> bool:
        """It is known to be there."""
        return name in self._evaluation.world.namespaces.get(name.partition(".")[0], ())

    def _perhaps_absent(self, name: str, frame: Frame, at: int) -> None:
        """A submodule of something that is there, in a `try`: whether it can be imported is not known."""
        message = f"No module named '{name}'"
        expressions = self._evaluation.expressions
        failure = expressions.failure(frame, at, "import", message, None, builtin("ImportError"), subject=name)
        expressions.may_fail(failure, Atom(f"import {name} fails"), frame)

    def _absent(self, missing: str, name: str, frame: Frame, at: int) -> Failure:
        cause = Cause(missing, frame.module.source.path, at)
        message = f"No module named '{missing}'"
        return self._evaluation.expressions.failure(
            frame, at, "import", message, cause, builtin("ModuleNotFoundError"), subject=name
        )

    def load(self, name: str, frame: Frame | None, at: int) -> Module:
        """Import a module of the project, unless that has been done.

        Raises:
            Raised: where its import fails.
        """
        module = self._evaluation.again(self._evaluation.module(name))
        self._evaluation.read(module, "")
        self._evaluation.note_load(name, frame, at)
        self._evaluation.note_doubt(module, frame)
        if module.status == "new":
            self._evaluation.run_module(module)
        elif module.status == "running" and frame is not None:
            self._evaluation.touch(frame.module, (name,))
        self._evaluation.enter(module)
        if frame is not None:
            if module.touched:
                self._evaluation.touch(frame.module, module.touched)
            self._pass_on(module, frame, at)
        return module

    def _pass_on(self, module: Module, frame: Frame, at: int) -> None:
        """Let a module's failures go through the statement that imports it."""
        last = module.failure if module.status == "raises" else None
        for failure in module.maybe if last is None or not self._evaluation.cautious else ():
            if last is not None and failure.origin == last.origin:
                continue
            self._evaluation.expressions.may_fail(
                through(failure, frame, at, f"imports {module.name}"), _condition_of(failure, module), frame
            )
        if last is not None:
            raise Raised(through(last, frame, at, f"imports {module.name}"))

    # --- names of modules ----------------------------------------------------------------------------------------

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
        return self.import_dotted(name, True, frame, at)

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
        return value

    def _no_name(self, module: Module, name: str, cause: Cause | None, frame: Frame, at: int) -> Failure:
        certain = module.status == "running" or self._evaluation.is_never_bound(module, name)
        message = f"cannot import name '{name}' from '{module.name}'"
        return self._evaluation.expressions.failure(
            frame, at, "name", message, cause, builtin("ImportError"), subject=f"{module.name}.{name}", certain=certain
        )

    def import_star(self, holder: Value, frame: Frame, at: int) -> None:
        """`from holder import *`

        Raises:
            Raised: where `__all__` names what is not there.
        """
        if not isinstance(holder, ModuleValue):
            frame.module.dynamic = True
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
            self._evaluation.calls.call(hook, (Constant(name),), {}, frame, at)
        except Raised as raised:
            return is_subclass(raised.failure.type, builtin("AttributeError")) is not Truth.YES
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
        if half and module.names.keys().isdisjoint((name, "__getattr__")):
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
        if isinstance(hook, (FunctionValue, Known)) and (value is None or isinstance(value, Unbound)):
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
        if not isinstance(value, Unbound):
            return value
        message = f"module '{module.name}' has no attribute '{name}'"
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
            return ModuleValue(found)
        if perhaps is not None:
            return perhaps
        if name in self._evaluation.tree.sources:
            return self._evaluation.expressions.as_python(KeyError(name), frame, at)
        return Unknown()


def _parents(name: str) -> Iterator[str]:
    """The packages around a module, innermost first."""
    while name := name.rpartition(".")[0]:
        yield name


def _condition_of(failure: Failure, module: Module) -> Condition:
    """On what it hangs that a module's import fails."""
    return failure.conditions[0] if failure.conditions else Atom(f"{module.name} fails")


def through(failure: Failure, frame: Frame, at: int, message: str) -> Failure:
    """The failure as it is seen outside the statement at `at`."""
    path = frame.module.source.path
    step = Step(path, line_of(at), message)
    return replace(failure, chain=(step, *failure.chain), places=((path, at), *failure.places))
