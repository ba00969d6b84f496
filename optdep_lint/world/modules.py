"""The modules of a project, and where each stands while importing is followed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field

from optdep_lint.facts import syntax
from optdep_lint.facts.summary import Summary
from optdep_lint.facts.walk import statements
from optdep_lint.world.frames import Frame
from optdep_lint.world.truth import Condition
from optdep_lint.world.values import Constant, Failure, Items, Value


@dataclass(frozen=True, slots=True)
class Source:
    """One module of the project as it lies on disk."""

    name: str
    """Its import name."""
    path: str
    """POSIX path, relative to the project's root."""
    is_package: bool
    summary: Summary

    def absolute(self, node: syntax.ImportFrom) -> str | None:
        """The absolute name of the module that a from-import in this one names; None above the top."""
        if node.level == 0:
            return node.module
        parts = self.name.split(".")
        keep = len(parts) - node.level + self.is_package
        if keep < 1:
            return None
        return ".".join([*parts[:keep], node.module] if node.module else parts[:keep])

    def imported(self, node: syntax.Import | syntax.ImportFrom) -> list[str]:
        """The absolute names of what an import statement in it imports: modules, or what may be one or a name in one."""
        if isinstance(node, syntax.Import):
            return [alias.name for alias in node.names]
        origin = self.absolute(node)
        return [f"{origin}.{alias.name}" for alias in node.names] if origin else []

    def imports_any(self, block: syntax.Block, modules: Collection[str]) -> bool:
        """A block of it imports one of these modules, something in one, or what lies below."""
        return any(
            name in modules or any(parent in modules for parent in parents_of(name))
            for statement in statements(block)
            if isinstance(statement, (syntax.Import, syntax.ImportFrom))
            for name in self.imported(statement)
        )


@dataclass(frozen=True, slots=True)
class Tree:
    """All modules of a project; a package without a source of its own is a namespace."""

    sources: Mapping[str, Source]
    extensions: frozenset[str] = frozenset()
    """The compiled modules that are there."""
    stubs: Mapping[str, Summary] = field(default_factory=dict)
    """What `.pyi` files beside the sources say, by module name."""
    complete: bool = False
    """Nothing is generated later: an unpacked wheel, not a source tree."""
    namespaces: frozenset[str] = frozenset()
    """Packages that have no source, only modules below them."""

    def owns(self, name: str) -> bool:
        """The root of a dotted name is the project's own."""
        root = name.partition(".")[0]
        return root in self.sources or root in self.namespaces or root in self.extensions

    def has(self, name: str) -> bool:
        """A module of that name lies in the project."""
        return name in self.sources or name in self.namespaces or name in self.extensions


def parents_of(name: str) -> Iterator[str]:
    """The packages around a module, innermost first."""
    while name := name.rpartition(".")[0]:
        yield name


class Asked:
    """What evaluation has asked of the world and of other modules, so that it need not be done again where all is alike."""

    __slots__ = ("felt", "reads")

    def __init__(self) -> None:
        self.felt: set[str] = set()
        """Dotted names of other projects, and `name (distribution)`."""
        self.reads: set[tuple[str, str]] = set()
        """Names of modules of the project, as (module, name); `*` is all, empty the import itself."""

    @property
    def imports(self) -> bool:
        """Something was imported or probed."""
        return bool(self.felt) or any(not name for _, name in self.reads)

    def include(self, other: Asked) -> None:
        """Ask for all that the other asked for."""
        self.felt |= other.felt
        self.reads |= other.reads

    def with_all_of(self, other: Asked) -> Asked:
        """All that either asked for."""
        both = Asked()
        both.felt, both.reads = self.felt | other.felt, self.reads | other.reads
        return both


class Module:
    """A module of the project in one world."""

    __slots__ = (
        "_imports", "asked", "assumed", "began", "declared", "doubtful", "dynamic", "dynamic_path", "ended", "failure", "frame", "implicit", "injections", "loads", "maybe", "namespace", "replaced",
        "source", "status", "touched",
    )  # fmt: skip

    def __init__(self, source: Source) -> None:
        self.source = source
        self.status = "new"
        """`new`, `running`, `ok` or `raises`."""
        self.began = self.ended = 0
        """When its import began and ended, by the clock of its world."""
        self.frame: Frame | None = None
        self.namespace: dict[str, Value] = {}
        """What it binds; while it runs, the state of its frame is what counts."""
        self.assumed: dict[Condition, bool] = {}
        """What must hold for its import to have come to its end."""
        self.failure: Failure | None = None
        self.maybe: list[Failure] = []
        """Failures that happen under a condition that this world leaves open, whatever comes in the end."""
        self.declared: set[str] = set()
        """Names that it annotates without binding them: somebody else is to do that."""
        self.doubtful = False
        """It is open whether this process comes to its import."""
        self.dynamic = False
        """It may have names that cannot be seen."""
        self.dynamic_path = False
        """It changes its `__path__`, so that submodules can lie elsewhere."""
        self.implicit: dict[str, Value] = {}
        """The names that the import system binds, such as `__name__`."""
        self.injections: dict[str, Value] = {}
        """What its import puts into `sys.modules`."""
        self.replaced: Value | None = None
        """What it put in its own place in `sys.modules`."""
        self.asked = Asked()
        """What its import asks for."""
        self.loads: dict[str, int | None] = {}
        """The project's modules that its import loads, in order, each with the position of the statement of its own body that
        loads it first and that nothing protects; None for all other ways."""
        self._imports: tuple[str, ...] | None = None
        self.touched: set[str] = set()
        """Modules that it met half imported."""

    @property
    def name(self) -> str:
        """Its import name."""
        return self.source.name

    @property
    def imports(self) -> tuple[str, ...]:
        """The modules of the project that its import imports."""
        if self._imports is None or self.status not in ("ok", "raises"):
            self._imports = tuple(name for name, what in self.asked.reads if not what)
        return self._imports

    @property
    def is_open(self) -> bool:
        """Whether its import, having come to its end here, is to be found in `sys.modules` is not certain."""
        return self.doubtful or bool(self.maybe)

    def exports(self, name: str) -> bool:
        """Its `__all__` lists a name."""
        listed = self.namespace.get("__all__")
        elements = listed.elements if isinstance(listed, Items) else ()
        return any(isinstance(element, Constant) and element.value == name for element in elements)

    def renew(self) -> None:
        """As if it had not been imported."""
        self._imports = None
        self.status, self.failure, self.maybe, self.touched = "new", None, [], set()
        self.dynamic, self.replaced = False, None

    @property
    def names(self) -> dict[str, Value]:
        """What it binds now."""
        return self.frame.state.names if self.frame is not None else self.namespace
