"""What the modules that an import asks for come to: found and loaded, failing, or not there."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from optdep_lint.facts.position import line_of
from optdep_lint.findings import Step
from optdep_lint.world.exceptions import is_subclass
from optdep_lint.world.frames import Frame
from optdep_lint.world.modules import Module, parents_of
from optdep_lint.world.truth import Atom, Condition, Truth, some
from optdep_lint.world.values import (
    Cause,
    Choice,
    Constant,
    External,
    Failure,
    FunctionValue,
    Instance,
    Items,
    ModuleValue,
    Raised,
    Unbound,
    Unknown,
    Value,
    builtin,
    caused,
    is_none,
)

if TYPE_CHECKING:
    from optdep_lint.world.evaluation import Evaluation


class Loading:
    """Finds and loads modules, the project's own and those of others."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation

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
            if is_none(injected[name]):
                message = f"import of {name} halted; None in sys.modules"
                type_ = builtin("ModuleNotFoundError")
                raise Raised(
                    self._evaluation.expressions.failure(frame, at, "import", message, None, type_, certain=True)
                )
            return injected[name] if last else self._root_of(name, frame, at)
        tree = self._evaluation.tree
        if not tree.owns(name):
            return self._external(name, last, frame, at)
        if self._is_in_doubt(name, frame):
            return self._try_out(name, last, frame, at)
        if not last or not self.is_perhaps_there(name):
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
        put = next((parent for parent in parents_of(name) if parent in injected), "") if injected else ""
        for part in name.split("."):
            prefix = f"{prefix}.{part}" if prefix else part
            if len(prefix) < len(put):  # what is there already is not asked for its parents
                continue
            if prefix in injected:
                value, parent = injected[prefix], None
            elif prefix in tree.sources and self.is_passed_over(prefix, name):
                parent = None
            elif prefix in tree.sources:
                module = self.load(prefix, frame, at)
                value = module.replaced or ModuleValue(module)
                if parent is not None and module.status == "ok" and self._gets(parent, module):
                    parent.names[part] = self._bound_below(parent, part, value, module, frame)
                parent = module
            else:
                value = self._without_source(prefix, parent, frame, at)
                parent = None
            first = first or value
        if not last and "." in put:
            return self._root_of(name, frame, at)
        if not last and self.is_passed_over(name.partition(".")[0], name):
            self.load(name.partition(".")[0], frame, at)
        return value if last else first or value

    def _root_of(self, name: str, frame: Frame, at: int) -> Value:
        """What `import a.b` binds, where `a.b` was there already."""
        root = name.partition(".")[0]
        if root in self._evaluation.injected or root not in self._evaluation.tree.sources:
            return self._evaluation.injected.get(root, Unknown())
        module = self.load(root, frame, at)
        return module.replaced or ModuleValue(module)

    def _gets(self, parent: Module, module: Module) -> bool:
        """A package is given a module below it when that is imported: one imported anew does not get what was there before."""
        evaluation = self._evaluation
        outlived = parent.name in evaluation.set_aside and module.ended < parent.began
        return not (outlived or evaluation.is_shared(parent))

    def _bound_below(self, parent: Module, part: str, value: Value, module: Module, frame: Frame) -> Value:
        """What a package has under the name of a module below it: where a call may have failed to import that, perhaps not."""
        before = parent.names.get(part)
        known = isinstance(before, ModuleValue) and before.module is module
        if known or frame.kind != "function" or not module.maybe:
            return value
        fails = some(*(_condition_of(failure, module) for failure in module.maybe))
        return Choice(fails, before or caused(Unbound(), module.maybe[0].cause), value)

    def is_passed_over(self, package: str, name: str) -> bool:
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

    def is_perhaps_there(self, name: str) -> bool:
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
        package = name.rpartition(".")[0]
        self.ask(self._evaluation.injected.get(package), "__path__", frame, at)
        if missing is not None and missing in self._evaluation.doubtful:
            failure = self._absent(missing, name, frame, at)
            self._evaluation.expressions.may_fail(failure, Atom(f"{missing} is injected"), frame)
            return self._evaluation.doubtful[missing] if name == missing else Unknown()
        if missing is not None and package in self._evaluation.injected:
            message = f"No module named '{name}'; '{package}' is not a package"
            raise Raised(replace(self._absent(missing, name, frame, at), message=message))
        if missing is not None:
            raise Raised(self._absent(missing, name, frame, at))
        found = name if last else root
        if "." in name and frame.protected and not self._evaluation.is_stdlib(name) and not self._listed(name):
            self._perhaps_absent(name, frame, at)
        self._evaluation.imported.add(name)
        self._evaluation.imported.add(root)
        return External(found)

    def ask(self, holder: Value | None, name: str, frame: Frame, at: int) -> None:
        """An object in the place of a module is asked for what modules have.

        Raises:
            Raised: where it answers by another exception than that it does not have that.
        """
        expressions, calls = self._evaluation.expressions, self._evaluation.calls
        hook = holder.module.names.get("__getattr__") if isinstance(holder, ModuleValue) else None
        try:
            if isinstance(holder, Instance):
                expressions.attribute(holder, name, frame, at)
            elif isinstance(hook, FunctionValue):
                calls.call(hook, (Constant(name),), {}, frame, at)
        except Raised as raised:
            if is_subclass(raised.failure.type, builtin("AttributeError")) is Truth.NO:
                raise

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

    def _no_name(self, module: Module, name: str, cause: Cause | None, frame: Frame, at: int) -> Failure:
        certain = module.status == "running" or self._evaluation.is_never_bound(module, name)
        message = f"cannot import name '{name}' from '{module.name}'"
        return self._evaluation.expressions.failure(
            frame, at, "name", message, cause, builtin("ImportError"), subject=f"{module.name}.{name}", certain=certain
        )


def _condition_of(failure: Failure, module: Module) -> Condition:
    """On what it hangs that a module's import fails."""
    return failure.conditions[0] if failure.conditions else Atom(f"{module.name} fails")


def through(failure: Failure, frame: Frame, at: int, message: str) -> Failure:
    """The failure as it is seen outside the statement at `at`."""
    path = frame.module.source.path
    step = Step(path, line_of(at), message)
    return replace(failure, chain=(step, *failure.chain), places=((path, at), *failure.places))
