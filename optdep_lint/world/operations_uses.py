"""Where custom operations are used that may not be registered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace

from optdep_lint.facts import syntax
from optdep_lint.facts.summary import Summary
from optdep_lint.facts.syntax import Block
from optdep_lint.facts.walk import Definition, definitions, expressions, statements, way_to
from optdep_lint.world.calltime import CallTime, Functions, Use
from optdep_lint.world.evaluation import Evaluation
from optdep_lint.world.modules import Module, Tree
from optdep_lint.world.operations import PendingRead, atoms_of, namespaces_of
from optdep_lint.world.truth import Condition, Truth, negate
from optdep_lint.world.values import Failure, builtin


class Words:
    """The functions of every module, and the words that each spells."""

    def __init__(self) -> None:
        self._of: dict[int, list[tuple[Definition, frozenset[str]]]] = {}

    def of(self, summary: Summary) -> list[tuple[Definition, frozenset[str]]]:
        """The functions at the top of a file and in its classes, with all names, attributes and texts in them."""
        found = self._of.get(id(summary))
        if found is None:
            found = self._of[id(summary)] = [
                (definition, frozenset(_words(summary, summary.body_of(definition.node.body))))
                for definition in definitions(summary)
                if definition.outer is None
            ]
        return found

    def may_spell(self, summary: Summary, words: Iterable[str]) -> bool:
        """A function of the file may spell one of the words; cheap, and wrong on the safe side."""
        encoded = [word.encode() for word in words]
        return any(not isinstance(body, bytes) or any(word in body for word in encoded) for body in summary.bodies)


def _words(summary: Summary, block: Block) -> Iterator[str]:
    for statement in statements(block):
        if isinstance(statement, syntax.Function):
            yield from _words(summary, summary.body_of(statement.body))
        for part in expressions(statement):
            match part:
                case syntax.Name():
                    yield part.id
                case syntax.Attribute():
                    yield part.name
                case syntax.Constant(value=str() as text):
                    yield text
                case syntax.Lambda():
                    yield from _words(summary, summary.body_of(part.body))


class OperationUses:
    """Calls the functions of one world that spell an operation which may be missing in it."""

    def __init__(self, evaluation: Evaluation, functions: Functions, words: Words) -> None:
        self._evaluation, self._words = evaluation, words
        self._operations = evaluation.operations
        self._calltime = CallTime(evaluation, functions)

    def uses(self, subjects: Iterable[str]) -> Iterator[Use]:
        """The reads that fail, or may, each with what else must hold for it."""
        wanted = self._operations.doubtful_words() | self._namespaces()
        if not wanted:
            return
        self._operations.settled = True
        try:
            for name in subjects:
                module = self._evaluation.modules.get(name)
                if module is not None and module.status == "ok":
                    yield from self._at_import(module)
                    yield from self._in_functions(module, wanted)
        finally:
            self._operations.settled = False
            self._operations.called = []

    def _namespaces(self) -> set[str]:
        return {space for root in self._evaluation.world.absent for space in namespaces_of(root)}

    def _in_functions(self, module: Module, wanted: set[str]) -> Iterator[Use]:
        summary = module.source.summary
        if not self._words.may_spell(summary, wanted):
            return
        for definition, words in self._words.of(summary):
            if wanted.isdisjoint(words):
                continue
            self._operations.called = []
            for use in self._calltime.call(module, definition):
                found = self._as_operation(use, module, definition)
                if found is not None:
                    yield found

    def _as_operation(self, use: Use, module: Module, definition: Definition) -> Use | None:
        """The use, if what fails is that an operation is not registered."""
        failure = use.failure
        if failure.path != module.source.path or failure.cause is None or not _is_inside(failure, definition, module.source.summary):
            return None
        if failure.kind == "name":
            operation = self._operations.function_named(failure.path, failure.subject or "")
            if operation is None:
                return None
            failure = replace(failure, kind="operation")
        elif failure.kind == "operation" and failure.subject is not None:
            operation = failure.subject
        else:
            return None
        if not self._concerns(module, operation):
            return None
        return replace(use, failure=self._without_own_questions(failure, operation))

    def _without_own_questions(self, failure: Failure, operation: str) -> Failure:
        own = {
            text
            for found in (*self._operations.index.get(operation, ()), *self._base_index(operation))
            for key, _ in found.conditions
            for text in atoms_of(key)
        }
        rest = tuple(one for one in failure.conditions if not own.issuperset(atoms_of(one)) and not _is_mishap(one))
        return replace(failure, conditions=rest, chain=(), places=())

    def _base_index(self, operation: str) -> list:  # type: ignore[type-arg]
        base = self._operations.base
        return base.index.get(operation, []) if base is not None else []

    def _concerns(self, module: Module, operation: str) -> bool:
        """A module whose own import fails is meant to: whoever uses its operations without importing it is left alone."""
        registering = {found.module for found in self._base_index(operation)}
        failing = {name for name in registering if self._evaluation.module(name).status == "raises"}
        return not failing or failing != registering or any(reaches(self._evaluation.tree, module.name, name) for name in failing)

    def _at_import(self, module: Module) -> Iterator[Use]:
        """Reads by the module's own code, judged now that all modules have been imported."""
        registry = self._operations
        if registry.base is not None and module.name in self._evaluation.shared:
            registry = registry.base
        for pending in registry.pending.get(module.name, ()):
            found = self._operations.presence(pending.operation, pending.assumed)
            if found.truth is Truth.YES or found.cause is None or not self._concerns(module, pending.operation):
                continue
            failure = _failure(pending, module, tuple(pending.assumed.items()), found.cause)
            yield Use(module.name, "", self._without_own_questions(failure, pending.operation), found.truth is Truth.NO)


def _failure(pending: PendingRead, module: Module, assumed: tuple[tuple[Condition, bool], ...], cause: object) -> Failure:
    namespace, _, name = pending.operation.partition("::")
    return Failure(
        builtin("AttributeError"), cause, "operation", module.source.path, pending.at,  # type: ignore[arg-type]
        f"'_OpNamespace' '{namespace}' object has no attribute '{name}'", subject=pending.operation,
        conditions=tuple(key if holds else negate(key) for key, holds in assumed),
    )  # fmt: skip


def _is_inside(failure: Failure, definition: Definition, summary: Summary) -> bool:
    """It fails in the function's own body, though a decorator's wrapper may be what is called."""
    return not failure.chain or bool(way_to(summary.body_of(definition.node.body), failure.at))


def _is_mishap(condition: Condition) -> bool:
    """The condition only says that something went well, or wrong, that no program asks for."""
    return all(text.endswith(" fails") for text in atoms_of(condition))


def reaches(tree: Tree, start: str, goal: str) -> bool:
    """A module imports another, somewhere and through whatever modules."""
    seen, todo = {start}, [start]
    while todo:
        source = tree.sources.get(todo.pop())
        for asked in source.summary.asks if source is not None else ():
            for name in (asked, asked.rpartition(".")[0]):
                if name == goal:
                    return True
                if name in tree.sources and name not in seen:
                    seen.add(name)
                    todo.append(name)
    return False
