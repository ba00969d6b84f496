"""Importing the modules of a project in one world, without running any of it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from types import MappingProxyType

from optdep_lint.world import stdlib
from optdep_lint.world.bound import all_names, local_names
from optdep_lint.world.calls import Calls
from optdep_lint.world.expressions import Expressions
from optdep_lint.world.following import GiveUp, decisive
from optdep_lint.world.frames import Frame, State, join_values
from optdep_lint.world.guards import Guards
from optdep_lint.world.imports import Imports
from optdep_lint.world.known import KnownThings
from optdep_lint.world.listing import folders_of
from optdep_lint.world.modules import Asked, Module, Tree
from optdep_lint.world.operations import Operations
from optdep_lint.world.statements import Statements
from optdep_lint.world.truth import Atom, Condition, every, negate
from optdep_lint.world.values import Constant, Failure, FunctionValue, ModuleValue, Raised, Unknown, Value
from optdep_lint.world.worlds import World

MOST_OPEN = 8
"""So many failures of a module that its world leaves open are kept."""
_MOST_ASSUMED = 8
_MOST_TRIES = 4


@dataclass(frozen=True, slots=True)
class Outcome:
    """What importing a module does."""

    status: str
    """`ok`, `raises` or `maybe`."""
    failure: Failure | None = None
    """What is raised, or may be."""


class Evaluation:
    """One world's worth of a project's modules."""

    carried: Mapping[str, str] = MappingProxyType({})
    """The modules that differ from those of another world only by the failure of one that they import, and which that is."""

    foresees = False
    """Calls are followed that nobody has made: where a body could fail, its handlers are looked at, too."""

    def __init__(self, tree: Tree, world: World, *, cautious: bool = True) -> None:
        self.tree, self.world = tree, world
        self.cautious = cautious
        """What functions raise for no absence is not concluded from: in large projects, imprecision brings it about."""
        self.modules: dict[str, Module] = {}
        self.imported: set[str] = set()
        """Dotted names of other projects' modules and names that an import statement has bound."""
        self.shared: set[str] = set()
        """The modules whose import was followed in another world, where nothing differs from this one."""
        self.running: list[Asked] = []
        """What the modules being imported, and the calls whose results are kept, have asked for; innermost last."""
        self.blurred: set[str] = set()
        """The modules of which functions were called that evaluation could not follow: what they bind may have changed."""
        self.effects = self.clock = 0
        """How often a function has changed something that outlives its call, and the import of a module begun or ended."""
        self._changed: list[tuple[dict[str, Value], str, Value | None]] | None = None
        """What a call that is only imagined has changed, and what was there before."""
        self._process: set[str] = set()
        """The project's modules that have been imported since the process being imagined began."""
        self.set_aside: dict[str, Module] = {}
        """Modules whose import failed, as they were before it was tried again in this process."""
        self.passing: list[Module] = []
        """Modules whose outcome holds in this process only."""
        self.tried_out: set[str] = set()
        """Modules that calls may or may not import, which would change the order of all imports."""
        self.failed: dict[str, int] = {}
        """How often a module that fails has been imported in this process."""
        self._entered: dict[str, Module] = {}
        """Those of which it has not been followed yet what else they have imported."""
        self.injecting = False
        """Some module puts something into `sys.modules`."""
        self.importing: list[Module] = []
        """The modules being imported, innermost last."""
        self.doubtful: dict[str, Value] = {}
        """What may have been put into `sys.modules`."""
        self.injected: dict[str, Value] = {}
        """What the project itself has put into `sys.modules`."""
        self.budget: int | None = None
        """Steps left for the call that is being followed; None outside of calls."""
        self.touching: dict[str, list[Module]] = {}
        """The modules that met a module half imported, by its name."""
        self._locals: dict[int, frozenset[str]] = {}
        self._bound: dict[str, frozenset[str]] = {}
        self.expressions = Expressions(self)
        self.guards = Guards(self)
        self.calls = Calls(self)
        self.imports = Imports(self)
        self.known = KnownThings(self)
        self.statements = Statements(self)
        self.operations = Operations(self)

    def module(self, name: str) -> Module:
        """The module of that name; it may not have been imported yet."""
        module = self.modules.get(name)
        if module is None:
            module = self.modules[name] = Module(self.tree.sources[name])
        return module

    def current(self, module: Module) -> Module:
        """This world's own version of a module that a value from another world carries."""
        found = self.modules.get(module.name, module)
        if found.status == "new":
            self.run_module(found)
        return found

    def is_shared(self, module: Module) -> bool:
        """The module was imported in another world, and binds the same in this one: nothing may change it."""
        return module.name in self.shared or module.name in self.carried

    def has_same_names(self, name: str) -> bool:
        """A module was imported in another world, and all that it does, but for failing perhaps, it does in this one."""
        return name in self.shared or (name in self.carried and self.modules[name].status == "ok")

    def feel(self, dotted: str) -> None:
        """Note that the module being imported asked whether a name of another project is there."""
        if self.running:
            self.running[-1].felt.add(dotted)

    def read(self, module: Module, name: str) -> None:
        """Note that the module being imported looked at a name of another; `*` for all, empty for its import, `sys.modules`."""
        if self.running:
            self.running[-1].reads.add((module.name, name))

    def note_load(self, name: str, frame: Frame | None, at: int) -> None:
        """Note that the module being imported loads another."""
        if self.importing:
            loading = self.importing[-1]
            own = frame is not None and frame.kind == "module" and frame.module is loading
            plain = own and frame is not None and not frame.protected and not frame.uncertain
            loading.loads.setdefault(name, at if plain else None)

    def blur(self, *modules: Module) -> None:
        """A call could not be followed: with caution, nothing is concluded any more from what these modules lack."""
        if self.cautious:
            self.blurred.update(module.name for module in modules)

    def begin(self) -> None:
        """A fresh process: what came only of the order in the one before is not kept."""
        self._process, self._entered, self.injected, self.failed = set(), {}, {}, {}
        for module in self.passing:
            module.renew()
        self.passing.clear()
        self.modules.update(self.set_aside)
        self.set_aside.clear()

    def outcome(self, name: str) -> Outcome:
        """What `import name` does in a fresh process."""
        maybe: list[Failure] = []
        parts = name.split(".")
        self.begin()
        for length in range(1, len(parts) + 1):
            prefix = ".".join(parts[:length])
            if prefix not in self.tree.sources:
                continue
            module = self.module(prefix)
            if module.status == "new":
                self.run_module(module)
            self.enter(module)
            if module.status == "raises":
                return Outcome("raises", module.failure)
            maybe += module.maybe
        return Outcome("maybe", maybe[0]) if maybe else Outcome("ok")

    def again(self, module: Module) -> Module:
        """A module to import: one that has failed is tried afresh where it would now meet something else."""
        if module.status != "raises" or not (module.asked.reads or self._meets_injected(module)):
            return module
        below = [running.name for running in self.importing if running.name.startswith(f"{module.name}.")]
        if not all(self.imports.is_passed_over(module.name, name) for name in below):
            return module  # a package that failed before what is below it began: no process comes to this
        tried = self.failed.get(module.name, 0)
        self.failed[module.name] = tried + 1
        if tried >= _MOST_TRIES or not (tried or self._meets_others(module, set())):
            return module
        self.set_aside.setdefault(module.name, module)
        fresh = self.modules[module.name] = Module(module.source)
        return fresh

    def _meets_injected(self, module: Module) -> bool:
        """It asked for what is in `sys.modules` by now."""
        return bool(self.injected) and not self.injected.keys().isdisjoint(module.asked.felt)

    def _meets_others(self, module: Module, seen: set[str]) -> bool:
        """Importing it now meets a module half imported, or one that has been put there in the meantime."""
        seen.add(module.name)
        if self._meets_injected(module):
            return True
        for name, what in module.asked.reads:
            other = self.modules.get(name) if not what and name not in seen else None
            if other is None or other is module:
                continue
            if other.status == "running" and name not in module.touched:
                return True
            if other.status == "raises" and self._meets_others(other, seen):
                return True
        return False

    def touch(self, module: Module, names: Iterable[str]) -> None:
        """Note that a module has met others half imported, or one that has."""
        for name in names:
            if name not in module.touched:
                module.touched.add(name)
                self.touching.setdefault(name, []).append(module)

    def enter(self, module: Module) -> None:
        """Note that a module whose import has been followed before is imported in this process, too."""
        if module.name not in self._process:
            self._entered[module.name] = module
            if self.injecting:
                self._follow_entered()

    def note_doubt(self, module: Module, frame: Frame | None) -> None:
        """Note whether evaluation comes to a module's import for sure."""
        parent = self.modules.get(module.name.rpartition(".")[0])
        open_parent = parent is not None and parent.status == "ok" and bool(parent.maybe)
        doubtful = frame is not None and (
            open_parent
            or frame.uncertain > 0
            or frame.module.doubtful
            or (frame.kind == "module" and (frame.left or bool(frame.exits)))
        )
        module.doubtful = doubtful and (module.doubtful or module.name not in self._process)

    def has_imported(self, name: str) -> bool:
        """A module of the project has been imported in this process."""
        self._follow_entered()
        return name in self._process

    def _follow_entered(self) -> None:
        while self._entered:
            name, module = self._entered.popitem()
            if name in self._process:
                continue
            self._process.add(name)
            if not module.doubtful:
                self.injected.update(module.injections)
            for other in module.imports:
                if other not in self._process and other in self.modules:
                    self._entered[other] = self.modules[other]

    def run_module(self, module: Module) -> None:
        """Run a module's statements and note how that ended."""
        frame = Frame("module", module, State({}, {}))
        module.status, module.frame = "running", frame
        budget, self.budget = self.budget, None
        parent = module.name.rpartition(".")[0]
        module.implicit = {
            "__name__": Constant(module.name),
            "__package__": Constant(module.name if module.source.is_package else parent),
            **{
                name: Unknown()
                for name in ("__file__", "__doc__", "__spec__", "__loader__", "__builtins__", "__annotations__")
            },
        }
        if module.source.is_package:
            module.implicit["__path__"] = folders_of(module)
        module.loads = {}
        self.operations.forget(module.name)
        self.running.append(module.asked)
        self.importing.append(module)
        self._process.add(module.name)
        self.clock += 1
        module.began = self.clock
        falls = self.statements.run(module.source.summary.body, frame)
        self.clock += 1
        module.ended = self.clock
        perhaps = module.doubtful or falls + sum(exit_.failure is not None for exit_ in frame.exits) > 1
        for name, value in module.injections.items() if perhaps else ():
            if name not in self.tree.sources and self.injected.pop(name, None) is not None:
                self._inject_perhaps(name, value)
        self.running.pop()
        self.importing.pop()
        self.budget = budget
        self._finish(module, frame, falls)

    def _finish(self, module: Module, frame: Frame, falls: bool) -> None:
        raised = [exit_.failure for exit_ in frame.exits if exit_.failure is not None]
        module.namespace, module.assumed, module.frame = frame.state.names, frame.state.assumed, None
        module.touched.discard(module.name)
        module.maybe = _open_failures(frame, self.cautious)
        if falls:
            module.status = "ok"
        else:
            module.status = "raises"
            self.failed.setdefault(module.name, 1)
            module.failure = decisive(raised)
        self._note_dependents(module)

    def _note_dependents(self, module: Module) -> None:
        """Outcomes that were reached while this module was half imported hold in this process, elsewhere if it became whole."""
        touching = self.touching.pop(module.name, [])
        still = [other for other in touching if module.name in other.touched and other.status not in ("ok", "raises")]
        if still:
            self.touching[module.name] = still
        for other in touching:
            known = other in (self.modules.get(other.name), self.set_aside.get(other.name))
            if not known or self.is_shared(other):
                continue
            if module.name in other.touched and other.status in ("ok", "raises"):
                other.touched.discard(module.name)
                if module.status == "raises" or other.status == "raises":
                    self.passing.append(other)

    def inject(self, name: str | None, value: Value, frame: Frame) -> None:
        """`sys.modules[name] = value`"""
        self.effects += 1
        if name is None:
            for module in self.modules.values():
                module.dynamic = module.dynamic or module.status == "running"
            return
        if isinstance(value, Unknown) and not self.tree.owns(name) and self.world.missing(name) is None:
            return  # a lazy loader at work: what is there is better known than what is put in its place
        perhaps = frame.uncertain or self.statements.may_have_left(frame, module=True)
        if perhaps and name not in self.tree.sources:
            self._inject_perhaps(name, value)
            return
        own = self.modules.get(name)
        if own is not None and own.status in ("running", "ok"):
            if not self.is_shared(own):
                own.replaced = value if not isinstance(value, ModuleValue) else None
        else:
            self.injected[name] = value
            if self.importing:
                self.injecting = True
                self.importing[-1].injections[name] = value

    def _inject_perhaps(self, name: str, value: Value) -> None:
        """Something may have been put into `sys.modules`."""
        self.doubtful[name] = value if self.doubtful.get(name, value) is value else Unknown()
        if name in self.injected:
            self.injected[name] = join_values(None, value, self.injected[name])

    def change(self, names: dict[str, Value], name: str) -> None:
        """Note that a name that outlives the call is about to be bound."""
        self.effects += 1
        if self._changed is not None:
            self._changed.append((names, name, names.get(name)))

    @contextmanager
    def imagined(self) -> Iterator[None]:
        """Calls that only ask what would be: the names of modules and classes are as before when it is over."""
        outer, self._changed = self._changed, []
        try:
            yield
        finally:
            for names, name, value in reversed(self._changed):
                if value is None:
                    names.pop(name, None)
                else:
                    names[name] = value
            self._changed = outer

    def is_stdlib(self, name: str) -> bool:
        """The name's root is the standard library's."""
        return stdlib.is_stdlib_root(name.partition(".")[0])

    def is_never_bound(self, module: Module, name: str) -> bool:
        """Nothing in a module binds a name: where something does, being cautious is to suppose that it did."""
        if not self.cautious:
            return True
        found = self._bound.get(module.name)
        if found is None:
            found = self._bound[module.name] = all_names(module.source.summary.body)
        return name not in found

    def locals_of(self, function: FunctionValue) -> frozenset[str]:
        """The names that are local to a function, parameters included."""
        key = id(function.node)
        found = self._locals.get(key)
        if found is None:
            body = function.module.source.summary.body_of(function.node.body)
            found = local_names(body) | {parameter.name for parameter in function.node.parameters}
            self._locals[key] = found
        return found

    def count_step(self) -> None:
        """One statement has been run.

        Raises:
            GiveUp: where the call being followed has used up its steps.
        """
        if self.budget is not None:
            self.budget -= 1
            if self.budget < 0:
                raise GiveUp


def _open_failures(frame: Frame, cautious: bool) -> list[Failure]:
    """The failures, each once, that happen under a condition that the world leaves open."""
    found: dict[tuple[str, int, str | None], Failure] = {}
    for exit_ in frame.exits:
        failure = exit_.failure
        if failure is None or not failure.concludes or (cautious and failure.cause is None):
            continue
        if failure.origin in found or len(found) == MOST_OPEN:
            continue
        condition: Condition | None = Atom(f"{failure.path}@{failure.at} fails")
        if len(exit_.state.assumed) <= _MOST_ASSUMED:
            condition = every(key if holds else negate(key) for key, holds in exit_.state.assumed.items())
        found[failure.origin] = replace(failure, conditions=(condition,) if condition else ())
    return list(found.values())


__all__ = ["Evaluation", "Outcome", "Raised"]
