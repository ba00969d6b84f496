"""Custom operations: what registers them, on which conditions, and whether one is there where it is read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, NamedTuple

from optdep_lint.facts import syntax
from optdep_lint.world.platform_words import asks_platform
from optdep_lint.world.truth import Atom, Condition, Every, Negation, Some, Truth, decide, every, negate, some
from optdep_lint.world.values import Cause, Constant, FunctionValue, Known, Raised, Unknown, Value, builtin, caused

if TYPE_CHECKING:
    from optdep_lint.world.evaluation import Evaluation
    from optdep_lint.world.frames import Frame

_MOST_QUESTIONS = 8
"""Of how many open questions all answers are tried."""

Answers = tuple[tuple[Condition, bool], ...]


@dataclass(frozen=True, slots=True)
class Registration:
    """One statement that registers an operation, or would."""

    operation: str
    """`namespace::name`"""
    path: str
    at: int
    """The call or decorator that names the operation: where a helper is called, not the helper's own line."""
    module: str
    """The module whose import runs it."""
    conditions: Answers
    """The questions about the platform that must be answered so."""
    function: str | None
    """The name of the function that it decorates."""
    reached: bool
    """Importing the module gets there; otherwise a condition that is settled keeps it from that."""


class Presence(NamedTuple):
    """Whether an operation is registered."""

    truth: Truth
    condition: Condition | None = None
    """Where it is open: what must hold for it to be."""
    cause: Cause | None = None
    """Why it is not, or may not be."""


class PendingRead(NamedTuple):
    """A read of an operation while its module is imported: judged when all modules have been."""

    operation: str
    at: int
    assumed: Mapping[Condition, bool]


PRESENT = Presence(Truth.YES)


class Operations:
    """The operations that one world's modules register."""

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation
        self.base: Operations | None = None
        """The registry of the world in which everything is there, whose modules this world shares where they are alike."""
        self.log: dict[str, list[Registration]] = {}
        """By the module whose import runs them."""
        self.pending: dict[str, list[PendingRead]] = {}
        self.implementations: dict[str, FunctionValue] = {}
        """The functions of the project that are given for operations."""
        self.hypothetical = False
        """A branch is being looked at that is not taken."""
        self.settled = False
        """All modules have been imported: an operation that is missing now is missing."""
        self.called: list[Registration] = []
        """What the function that is being called has registered so far."""
        self.vague: tuple[str, Frame] | None = None
        """The library and frame in which something was defined last whose name cannot be told."""
        self._asks_torch: bool | None = None
        self._index: dict[str, list[Registration]] | None = None

    def asks_torch(self) -> bool:
        """Something in the project imports torch: without that, nothing registers operations."""
        if self.base is not None:
            return self.base.asks_torch()
        if self._asks_torch is None:
            sources = self.evaluation.tree.sources.values()
            asked = (name.partition(".")[0] for source in sources for name in source.summary.asks)
            self._asks_torch = "torch" in asked
        return self._asks_torch

    # --- registering ---------------------------------------------------------------------------------------------

    def register(self, operation: str, frame: Frame, at: int, function: Value | None = None) -> None:
        """Note that an operation is registered here."""
        self.evaluation.effects += 1
        site = _site(operation, function, frame, at)
        runner, path = site.outermost.module.name, site.frame.module.source.path
        reached = not self.hypothetical
        found = Registration(operation, path, site.at, runner, site.conditions, site.decorated, reached)
        if self.settled:
            self.called.append(found)
        else:
            self._index = None
            self.log.setdefault(runner, []).append(found)

    def implement(self, operation: str, function: Value) -> None:
        """Note which function does an operation's work."""
        found = _function(function)
        if found is not None:
            self.implementations.setdefault(operation, found)

    def forget(self, module: str) -> None:
        """The module is about to be imported anew."""
        self._index = None
        self.log.pop(module, None)
        self.pending.pop(module, None)

    @property
    def index(self) -> Mapping[str, list[Registration]]:
        """All registrations, by operation."""
        if self._index is None:
            self._index = {}
            for found in self._registrations():
                self._index.setdefault(found.operation, []).append(found)
        return self._index

    def _registrations(self) -> Iterator[Registration]:
        for found in self.log.values():
            yield from found
        if self.base is not None:
            for module, found in self.base.log.items():
                if self.evaluation.has_same_names(module):
                    yield from found

    def function_named(self, path: str, name: str) -> str | None:
        """The operation that a function of a file is registered as by its decorator."""
        return next((found.operation for found in (self.base or self).of_function(path, name)), None)

    def of_function(self, path: str, name: str) -> Iterator[Registration]:
        """The registrations that decorate a function of a file."""
        for found in self.index.values():
            yield from (one for one in found if one.function == name and one.path == path)

    # --- asking --------------------------------------------------------------------------------------------------

    def presence(self, operation: str, assumed: Mapping[Condition, bool]) -> Presence:
        """Whether an operation is registered, as far as this project registers it at all."""
        found = [*self.index.get(operation, ()), *(one for one in self.called if one.operation == operation)]
        reached = [one.conditions for one in found if one.reached]
        if reached:
            return self._open_presence(operation, reached, assumed, found)
        lost = self._lost(operation)
        if lost is not None:
            return Presence(Truth.NO, None, lost)
        if found:
            return Presence(Truth.NO, None, Cause(operation, found[0].path, found[0].at))
        root = self._root_of(operation.partition("::")[0])
        return Presence(Truth.NO, None, Cause(root, "", 0)) if root is not None else PRESENT

    def _root_of(self, namespace: str) -> str | None:
        """The absent root whose import would register what is in a namespace that the project itself does not fill."""
        for root in sorted(self.evaluation.world.absent):
            if namespace in namespaces_of(root):
                indexes = (self.index, self.base.index if self.base is not None else {})
                own = any(known.startswith(f"{namespace}::") for index in indexes for known in index)
                return None if own else root
        return None

    def _open_presence(
        self, operation: str, ways: list[Answers], assumed: Mapping[Condition, bool], found: list[Registration]
    ) -> Presence:
        truth = any_holds(ways, assumed)
        if truth is Truth.YES:
            return PRESENT
        condition = some(
            *(every(key if holds else negate(key) for key, holds in way) or Atom(operation) for way in ways)
        )
        if len(ways) == 1:
            condition = condition.operands[0] if isinstance(condition, Some) else condition
        return Presence(truth, condition, self._lost(operation) or Cause(operation, found[0].path, found[0].at))

    def doubtful_words(self) -> set[str]:
        """The names of the operations that may be missing in this world more than where everything is there.

        And those of the functions that are registered as them.
        """
        words: set[str] = set()
        for index in (self.index, self.base.index if self.base is not None else {}):
            for operation, found in index.items():
                before = self.base.presence(operation, {}).truth if self.base is not None else Truth.YES
                if self.presence(operation, {}).truth is not before:
                    words.add(operation.partition("::")[2])
                    words |= {one.function for one in found if one.function is not None}
        return words

    def _lost(self, operation: str) -> Cause | None:
        """The absence because of which an operation is not registered that is where everything is there."""
        if self.base is None or self.base.presence(operation, {}).truth is not Truth.YES:
            return None
        before = (
            next(one for one in self.base.index[operation] if one.reached) if operation in self.base.index else None
        )
        if before is None:
            return None
        felt = self.evaluation.module(before.module).asked.felt | self.base.evaluation.module(before.module).asked.felt
        missing = {found for dotted in felt if (found := self.evaluation.world.missing(dotted)) is not None}
        roots = sorted(missing & self.evaluation.world.absent) or sorted(self.evaluation.world.absent)
        return Cause(roots[0], before.path, before.at) if roots else None

    def probe(self, namespace: str, name: str, frame: Frame) -> Value:
        """`hasattr(torch.ops.namespace, name)`: only when all modules have been imported can it be told."""
        operation = f"{namespace}::{name}"
        if self.settled:
            found = self.presence(operation, frame.state.assumed)
            if found.truth is Truth.NO:
                return caused(Constant(False), found.cause)
            if found.condition is not None:
                return Unknown(found.condition)
            if operation in self.index:
                return Constant(True)
        return Unknown(Atom(f"hasattr(torch.ops.{namespace}, {name!r})"))

    def cause_of(self, name: str, frame: Frame) -> Cause | None:
        """Why a name is not bound that a registration binds where it is reached."""
        if not self.settled:
            return None
        path = frame.module.source.path
        for found in self.of_function(path, name):
            return Cause(found.operation, found.path, found.at)
        return None

    def read(self, namespace: str, name: str, frame: Frame, at: int) -> None:
        """`torch.ops.namespace.name` is read.

        Raises:
            Raised: where it is not registered for certain.
        """
        operation = f"{namespace}::{name}"
        if not self.settled:
            if frame.kind != "function" and not frame.protected and not self.hypothetical:
                pending = PendingRead(operation, at, dict(frame.state.assumed))
                self.pending.setdefault(frame.module.name, []).append(pending)
            return
        found = self.presence(operation, frame.state.assumed)
        if found.truth is Truth.YES:
            return
        expressions = self.evaluation.expressions
        message = f"'_OpNamespace' '{namespace}' object has no attribute '{name}'"
        failure = expressions.failure(
            frame, at, "operation", message, found.cause, builtin("AttributeError"), subject=operation
        )
        if found.truth is Truth.NO or found.condition is None:
            raise Raised(failure)
        expressions.may_fail(failure, negate(found.condition), frame)


class _Site(NamedTuple):
    """Where the project's own code names an operation that it registers."""

    frame: Frame
    at: int
    outermost: Frame
    conditions: Answers
    decorated: str | None


def _site(operation: str, function: Value | None, frame: Frame, at: int) -> _Site:
    """The call that names an operation, and what the platform must be for it to be reached.

    What a helper asks that is handed the name says how operations are registered in general, and nothing of this one.
    """
    name = operation.partition("::")[2]
    decorated = _decorated_name(function)
    chain: list[tuple[Frame, int]] = [(frame, at)]
    start = 0
    while chain[-1][0].called is not None:
        caller, called_at, arguments = chain[-1][0].called
        chain.append((caller, called_at))
        by_decorator = [found for argument in arguments if (found := _decorated_name(argument)) is not None]
        if by_decorator or any(_names(argument, name) for argument in arguments):
            start = len(chain) - 1
            decorated = by_decorator[0] if by_decorator else decorated
    conditions = {
        key: holds
        for outer, _ in chain[start:]
        for key, holds in outer.state.assumed.items()
        if all(map(asks_platform, atoms_of(key)))
    }
    return _Site(*chain[start], chain[-1][0], tuple(conditions.items()), decorated)


def _names(argument: Value, name: str) -> bool:
    """An argument carries the operation's name."""
    if isinstance(argument, Constant) and isinstance(argument.value, str):
        return argument.value.partition("(")[0].rpartition("::")[2].strip() == name
    function = _function(argument)
    return function is not None and function.name == name


def _decorated_name(value: Value | None) -> str | None:
    """The name of a function that is written with a decorator."""
    function = _function(value)
    return (
        function.name
        if function is not None and isinstance(function.node, syntax.Function) and function.node.decorators
        else None
    )


def _function(value: Value | None) -> FunctionValue | None:
    if isinstance(value, Known) and value.model == "decorated":
        value = value.parts[0]
    return value if isinstance(value, FunctionValue) else None


def atoms_of(condition: Condition) -> Iterator[str]:
    """The questions in a condition."""
    match condition:
        case Atom(key=key):
            yield key
        case Negation(operand=operand):
            yield from atoms_of(operand)
        case Every(operands=operands) | Some(operands=operands):
            for operand in operands:
                yield from atoms_of(operand)


def namespaces_of(root: str) -> frozenset[str]:
    """The namespaces that a distribution's import root registers its own operations in."""
    name = root.replace(".", "_")
    return frozenset(f"{before}{name}{after}" for before in ("", "_") for after in ("", "_C", "_ops"))


def any_holds(ways: Iterable[Answers], assumed: Mapping[Condition, bool]) -> Truth:
    """Whether at least one of several ways is open, whatever the answers that nothing is known of."""
    ways = [tuple((key, holds) for key, holds in way if decide(key, assumed) is not Truth.of(holds)) for way in ways]
    if any(not way for way in ways):
        return Truth.YES
    questions = sorted({text for way in ways for key, _ in way for text in atoms_of(key)})
    if len(questions) > _MOST_QUESTIONS:
        return Truth.YES
    results: set[bool] = set()
    for answers in product((True, False), repeat=len(questions)):
        tried: dict[Condition, bool] = dict(zip(map(Atom, questions), answers, strict=True))
        if any(decide(key, tried) is Truth.of(not holds) for key, holds in assumed.items()):
            continue
        results.add(any(all(decide(key, tried) is Truth.of(holds) for key, holds in way) for way in ways))
    if results == {True, False}:
        return Truth.MAYBE
    return Truth.of(results == {True})
