"""Where custom operations are used that may not be registered."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import partial

from optdep_lint.facts.summary import Summary
from optdep_lint.facts.walk import Definition, is_within, way_to
from optdep_lint.world.calltime import CallTime, Functions, Use
from optdep_lint.world.evaluation import Evaluation
from optdep_lint.world.modules import Module, Tree
from optdep_lint.world.operations import PendingRead, atoms_of, namespaces_of
from optdep_lint.world.operations_users import OperationUsers, is_mishap
from optdep_lint.world.references import Reference, References
from optdep_lint.world.truth import Condition, Every, Negation, Some, Truth, negate
from optdep_lint.world.values import Cause, Failure, builtin
from optdep_lint.world.words import Words


class OperationUses:
    """Calls the functions of one world that spell an operation which may be missing in it."""

    def __init__(
        self,
        evaluation: Evaluation,
        functions: Functions,
        words: Words,
        subjects: Iterable[str],
        base: References | None,
    ) -> None:
        self._evaluation, self._words, self._subjects = evaluation, words, sorted(subjects)
        self._operations = evaluation.operations
        self._calltime = CallTime(evaluation, functions)
        self.references = References(evaluation, self._calltime, words, self._subjects, base)
        self._users = OperationUsers(evaluation, self.references, base or self.references, words)

    def uses(self) -> Iterator[Use]:
        """The reads that fail, or may, each with what else must hold for it."""
        if not self._operations.asks_torch():
            return
        doubtful, empty = self._operations.doubtful_words(), self._namespaces()
        self._operations.settled = True
        try:
            for name in self._concerned(doubtful, empty):
                module = self._evaluation.modules.get(name)
                if module is not None and module.status == "ok":
                    yield from self._at_import(module)
                    for use in list(self._in_functions(module, doubtful, empty)):
                        if self._may_be_fault(use) and not self._users.ask(use):
                            yield use
        finally:
            self._operations.settled = False
            self._operations.called = []

    def _concerned(self, doubtful: set[str], empty: set[str]) -> Iterable[str]:
        """The modules that can use an operation which may be missing: those that ask for one at import, or spell one."""
        if doubtful:
            return self._subjects
        base = self._operations.base
        asking = self._operations.pending.keys() | (base.pending.keys() if base is not None else set())
        sources = self._evaluation.tree.sources
        return [
            name for name in self._subjects
            if name in asking or (empty and self._words.may_spell(sources[name].summary, "ops"))
        ]  # fmt: skip

    def _namespaces(self) -> set[str]:
        return {space for root in self._evaluation.world.absent for space in namespaces_of(root)}

    def _in_functions(self, module: Module, doubtful: set[str], empty: set[str]) -> Iterator[Use]:
        for definition in self._spelling(module, doubtful, empty):
            self._operations.called = []
            for use in self._calltime.call(module, definition):
                found = self._as_operation(use, module, definition)
                if found is not None:
                    yield found

    def _spelling(self, module: Module, doubtful: set[str], empty: set[str]) -> Iterable[Definition]:
        """The functions that spell a doubtful operation, or `ops` and a namespace that is empty."""
        summary = module.source.summary
        texts = self._words.texts(module.namespace, keep=module.name in self._evaluation.shared)
        doubtful, empty = _with_names_of(texts, doubtful), _with_names_of(texts, empty)
        found = list(self._words.spelling(summary, doubtful)) if doubtful else []
        for definition in self._words.spelling(summary, ("ops",)) if empty else ():
            known = any(one is definition for one in found)
            if not known and not empty.isdisjoint(self._words.of(summary, definition)):
                found.append(definition)
        return found

    def _as_operation(self, use: Use, module: Module, definition: Definition) -> Use | None:
        """The use, if what fails is that an operation is not registered."""
        failure = use.failure
        if (
            failure.path != module.source.path
            or failure.cause is None
            or not _is_inside(failure, definition, module.source.summary)
        ):
            return None
        if failure.kind in ("name", "attribute"):
            operation = self._function_read(failure)
            if operation is None:
                return None
            failure = replace(failure, kind="operation", subject=operation)
        elif failure.kind == "operation" and failure.subject is not None:
            operation = failure.subject
        else:
            return None
        if not self._concerns(module, operation) or self._is_told_apart(failure.cause, module, definition, operation):
            return None
        return replace(use, failure=self._without_own_questions(failure, operation))

    def _function_read(self, failure: Failure) -> str | None:
        """The operation that the missing name, or attribute of a module of the project, is registered as."""
        module, _, name = (failure.subject or "").rpartition(".")
        source = self._evaluation.tree.sources.get(module) if module else None
        if module and source is None:
            return None
        return self._operations.function_named(failure.path if source is None else source.path, name)

    def _is_told_apart(self, cause: Cause | None, module: Module, definition: Definition, operation: str) -> bool:
        """Where only the platform decides, an instance or module that refuses by another question may well mean the same."""
        if cause is None or cause.missing != operation:
            return False
        own = self._users.questions(operation)
        return any(
            not own.issuperset(atoms_of(key)) and not is_mishap(key)
            for key in self._calltime.assumed_in(module, definition)
        )

    def _may_be_fault(self, use: Use) -> bool:
        """Nothing on the way to the use asks for more than what the caller passed, and some caller passes that."""
        texts = [text for condition in use.failure.conditions for text in atoms_of(condition)]
        if not all(text.startswith(f"{use.failure.path}@") for text in texts):
            return False
        references = self.references.to(use.module, use.function) if texts and "." not in use.function else ()
        return not references or any(map(partial(self._comes_through, use), references))

    def _comes_through(self, use: Use, reference: Reference) -> bool:
        """A function that calls the user meets the same failure."""
        module = self._evaluation.modules[reference.module]
        place = (use.failure.path, use.failure.at)
        return any(
            (met.failure.path, met.failure.at) == place
            for definition in self._words.spelling(module.source.summary, (use.function,))
            if definition.name.partition(".")[0] == reference.holder
            for met in self._calltime.call(module, definition)
        )

    def _without_own_questions(self, failure: Failure, operation: str) -> Failure:
        own = self._users.questions(operation)
        parts = dict.fromkeys(part for whole in failure.conditions for part in _conjuncts(whole))
        rest = tuple(one for one in parts if not own.issuperset(atoms_of(one)) and not is_mishap(one))
        return replace(failure, conditions=rest, chain=(), places=())

    def _concerns(self, module: Module, operation: str) -> bool:
        """A module whose own import fails is meant to: whoever uses its operations without importing it is left alone."""
        registering = {found.module for found in self._users.base_index(operation)}
        if not registering and not self._operations.index.get(operation):
            return self._names_root(module, operation.partition("::")[0])
        failing = {name for name in registering if self._evaluation.module(name).status == "raises"}
        return (
            not failing
            or failing != registering
            or any(reaches(self._evaluation.tree, module.name, name) for name in failing)
        )

    def _names_root(self, module: Module, namespace: str) -> bool:
        """The module itself imports the root that fills a namespace, somewhere."""
        roots = {root for root in self._evaluation.world.absent if namespace in namespaces_of(root)}
        return any(is_within(asked, root) for asked in module.source.summary.asks for root in roots)

    def _at_import(self, module: Module) -> Iterator[Use]:
        """Reads by the module's own code, judged now that all modules have been imported."""
        registry = self._operations
        if registry.base is not None and self._evaluation.has_same_names(module.name):
            registry = registry.base
        for pending in registry.pending.get(module.name, ()):
            found = self._operations.presence(pending.operation, pending.assumed)
            if found.truth is Truth.YES or found.cause is None or not self._concerns(module, pending.operation):
                continue
            failure = _failure(pending, module, tuple(pending.assumed.items()), found.cause)
            yield Use(module.name, "", self._without_own_questions(failure, pending.operation), found.truth is Truth.NO)


def _with_names_of(texts: Mapping[str, Iterable[str]], words: set[str]) -> set[str]:
    """The words, and the names of a module that stand for them."""
    return words.union(*(texts[word] for word in texts.keys() & words))


def _failure(
    pending: PendingRead, module: Module, assumed: tuple[tuple[Condition, bool], ...], cause: object
) -> Failure:
    namespace, _, name = pending.operation.partition("::")
    return Failure(
        builtin("AttributeError"), cause, "operation", module.source.path, pending.at,  # type: ignore[arg-type]
        f"'_OpNamespace' '{namespace}' object has no attribute '{name}'", subject=pending.operation,
        conditions=tuple(key if holds else negate(key) for key, holds in assumed),
    )  # fmt: skip


def _is_inside(failure: Failure, definition: Definition, summary: Summary) -> bool:
    """It fails in the function's own body, though a decorator's wrapper may be what is called."""
    return not failure.chain or bool(way_to(summary.body_of(definition.node.body), failure.at))


def _conjuncts(condition: Condition) -> Iterator[Condition]:
    """The conditions that all hold where one does."""
    match condition:
        case Every(operands=operands):
            for operand in operands:
                yield from _conjuncts(operand)
        case Negation(operand=Some(operands=operands)):
            for operand in operands:
                yield from _conjuncts(negate(operand))
        case _:
            yield condition


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
