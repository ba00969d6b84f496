"""Whether those who refer to the user of an operation ask first for what it needs."""

from __future__ import annotations

from optdep_lint.facts.walk import is_private
from optdep_lint.world.calltime import Use
from optdep_lint.world.constructors import chooses_by
from optdep_lint.world.evaluation import Evaluation
from optdep_lint.world.hiding import may_guard
from optdep_lint.world.operations import Registration, atoms_of
from optdep_lint.world.probes_answers import shape
from optdep_lint.world.references import Reference, References, node_of
from optdep_lint.world.truth import Condition, Truth
from optdep_lint.world.values import ClassValue, Descriptor, External, FunctionValue
from optdep_lint.world.words import Words

_DEEPEST = 4
"""Over how many references it is followed who asks for an operation."""
_CALLED_BY_BASE = frozenset({"forward", "backward", "setup_context"})
"""Methods that `torch.autograd.Function` calls when its `apply` is."""


class OperationUsers:
    """Follows references to the classes, functions and modules that use operations."""

    def __init__(self, evaluation: Evaluation, references: References, base: References, words: Words) -> None:
        self._evaluation, self._operations = evaluation, evaluation.operations
        self._references, self._base, self._words = references, base, words

    def ask(self, use: Use) -> bool:
        """Whoever refers to the class or function asks first, or to this very method where no instance is needed."""
        operation = use.failure.subject or ""
        if self._is_chosen(use) or self._is_for_nobody(use):
            return True
        names = [use.function.partition(".")[0], *([use.function] if "." in use.function else [])]
        return self._is_imported_under(use.module, operation, frozenset()) or any(
            self._is_asked_for((use.module, name), operation, frozenset()) for name in names
        )

    def _is_chosen(self, use: Use) -> bool:
        """The constructor of a method's class chooses by a flag that the absence has changed."""
        owner, _, method = use.function.partition(".")
        class_ = self._evaluation.modules[use.module].namespace.get(owner)
        base = self._operations.base
        if not method or not isinstance(class_, ClassValue) or base is None:
            return False

        def differs(constructor: FunctionValue, name: str) -> bool:
            here = constructor.module.namespace.get(name)
            before = base.evaluation.modules[constructor.module.name].namespace.get(name)
            return here is not before and shape(here) != shape(before)

        return chooses_by(class_, differs)

    def _is_for_nobody(self, use: Use) -> bool:
        """A method that needs no instance is not used by anybody, though its class is."""
        owner, _, method = use.function.partition(".")
        class_ = self._evaluation.modules[use.module].namespace.get(owner)
        found = class_.names.get(method) if isinstance(class_, ClassValue) else None
        if not isinstance(found, Descriptor) or found.kind == "property":
            return False
        if (
            isinstance(class_, ClassValue)
            and method in _CALLED_BY_BASE
            and any(isinstance(one, External) for one in class_.bases)
        ):
            return False
        return bool(self._base.to(use.module, owner)) and not self._base.to(use.module, use.function)

    def _is_imported_under(self, module: str, operation: str, seen: frozenset[str]) -> bool:
        """Whoever imports a module does so only where something is asked that may well mean the operation."""
        if len(seen) == _DEEPEST or module in seen or not self._base.to_module(module):
            return False
        return all(
            self._hides(one, operation)
            or (not one.holder and self._is_imported_under(one.module, operation, seen | {module}))
            for one in self._references.to_module(module)
        )

    def _is_asked_for(self, user: tuple[str, str], operation: str, seen: frozenset[tuple[str, str]]) -> bool:
        """Whoever refers to a class or function does so only where the operation is there."""
        module, name = user
        if len(seen) == _DEEPEST:
            return False
        if self._evaluation.modules[module].status != "ok" or self._is_exported(module, name):
            return False
        if not self._base.to(module, name):
            return False
        within = is_private(name.rpartition(".")[2])
        for reference in self._references.to(module, name):
            if self._operations.presence(operation, reference.assumed).truth is Truth.YES or self._hides(
                reference, operation, within
            ):
                continue
            holders = {(reference.module, holder) for holder in (reference.function, reference.holder) if holder} - seen
            asked = any(self._is_asked_for(one, operation, seen | {user}) for one in sorted(holders))
            if not asked and not self._is_imported_under(reference.module, operation, frozenset()):
                return False
        return True

    def _is_exported(self, module: str, name: str) -> bool:
        """`__all__` of a package lists it, of the one that defines it or of those around that."""
        modules = self._evaluation.modules
        node = node_of(modules[module].namespace.get(name))
        parts = module.split(".")
        return any(
            holder is not None
            and holder.source.is_package
            and node_of(holder.namespace.get(name)) is node
            and holder.exports(name)
            for holder in (modules.get(".".join(parts[:length])) for length in range(1, len(parts) + 1))
        )

    def _hides(self, reference: Reference, operation: str, within: bool = False) -> bool:
        """What is asked on the way to a reference may well mean the operation; within a class not what is asked of arguments."""
        own, before = self.questions(operation), self._evaluation.modules[reference.module].assumed
        asked = (
            key
            for key in reference.assumed
            if key not in before and not own.issuperset(atoms_of(key)) and not is_mishap(key)
        )
        if not within:
            return any(True for _ in asked)
        module = self._evaluation.modules[reference.module]
        definition = self._words.definition(module.source.summary, reference.function)
        return definition is not None and any(
            may_guard(text, module, definition) for key in asked for text in atoms_of(key)
        )

    def questions(self, operation: str) -> set[str]:
        """What the registrations of an operation hang on."""
        found = (*self._operations.index.get(operation, ()), *self.base_index(operation))
        return {text for one in found for key, _ in one.conditions for text in atoms_of(key)}

    def base_index(self, operation: str) -> list[Registration]:
        """What registers an operation where everything is there."""
        base = self._operations.base
        return base.index.get(operation, []) if base is not None else []


def is_mishap(condition: Condition) -> bool:
    """The condition only says that something went well, or wrong, that no program asks for."""
    return all(text.endswith(" fails") for text in atoms_of(condition))
