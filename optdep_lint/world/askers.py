"""Whether whoever calls a function asks first: guards that stand outside of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import chain
from typing import NamedTuple

from optdep_lint.facts import syntax
from optdep_lint.facts.walk import Definition, expressions, inner_definitions, is_private, last_name
from optdep_lint.world.calltime import CallTime
from optdep_lint.world.evaluation import Evaluation
from optdep_lint.world.evidence import Evidence
from optdep_lint.world.frames import Frame
from optdep_lint.world.hiding import may_guard
from optdep_lint.world.lazily import Lazily
from optdep_lint.world.modules import Module
from optdep_lint.world.operations import atoms_of
from optdep_lint.world.references import References, stands_for
from optdep_lint.world.truth import Condition
from optdep_lint.world.values import FunctionValue, Items, Table, Value
from optdep_lint.world.words import Words
from optdep_lint.world.written_guards import WrittenGuards

_DEEPEST = 5
"""Over how many callers it is followed who asks."""
_MOST_READERS = 40
"""A name that more functions spell than these is nobody's in particular."""
_PLAIN_DECORATORS = frozenset({
    "abstractmethod", "cache", "cached_property", "classmethod", "contextmanager", "dataclass", "lru_cache", "no_grad",
    "overload", "override", "property", "staticmethod", "total_ordering", "wraps",
})  # fmt: skip
"""What does not hand a definition on to somebody else."""


class Entry(NamedTuple):
    """A place in a world that can be reached and reads a function or class."""

    module: str
    holder: str
    """The dotted name of the function or class in which it stands; empty for the module's own code."""


class Askers:
    """Follows the callers of functions in one world."""

    def __init__(
        self, evaluation: Evaluation, calltime: CallTime, words: Words, subjects: Iterable[str], references: References,
        base: References,
    ) -> None:  # fmt: skip
        self._evaluation, self._calltime, self._words = evaluation, calltime, words
        self._subjects = sorted(subjects)
        self._references, self._base = references, base
        """Those of this world, and those of the one in which everything is there."""
        self._evidence = Evidence(evaluation)
        self._entries: dict[tuple[str, str], Lazily[Entry] | None] = {}

    def ask(self, module: str, function: str) -> bool:
        """Every way to a function asks first, or shows that what is absent is there.

        Args:
            module: The function's module.
            function: Its dotted name in that.
        """
        return self._is_guarded((module, function), frozenset())

    def _is_guarded(self, user: tuple[str, str], seen: frozenset[tuple[str, str]]) -> bool:
        module, name = user
        definition = self._words.definition(self._evaluation.tree.sources[module].summary, name)
        if definition is not None and self._evidence.shows(self._evaluation.modules[module], definition):
            return True
        if len(seen) == _DEEPEST:
            return False
        names = [name, name.partition(".")[0]] if "." in name else [name]
        return any(self._all_ask((module, one), seen | {user, (module, one)}) for one in names)

    def _all_ask(self, user: tuple[str, str], seen: frozenset[tuple[str, str]]) -> bool:
        """Whoever reads a name of a module, and can be reached, is guarded; and somebody does where everything is there."""
        if user not in self._entries:
            found = self._find_entries(*user)
            self._entries[user] = Lazily(found) if found is not None else None
        entries = self._entries[user]
        if entries is None:
            return False
        return all(
            (entry.module, entry.holder) in seen
            or (bool(entry.holder) and self._is_guarded((entry.module, entry.holder), seen))
            for entry in entries
        )

    def _find_entries(self, module: str, name: str) -> Iterator[Entry] | None:
        """The places that read a function or class; None where others may get at it."""
        found = self._evaluation.modules[module]
        if found.status != "ok" or found.exports(name) or self._is_handed_on(module, name):
            return None
        if isinstance(found.namespace.get(name), (Items, Table)):
            return self._reading_table(found, name)
        if "." in name:
            last = name.rpartition(".")[2]
            return self._reading_method(module, name, last) if is_private(last) else None
        return self._reading(module, name)

    def _reading(self, module: str, name: str) -> Iterator[Entry] | None:
        """The places that read a function or class that stands at a module's top."""
        outside = [
            Entry(one.module, one.holder or one.kept) for one in self._references.outside_functions(module, name)
        ]
        spelling = list(self._references.spelled(module, name))
        if len(spelling) > _MOST_READERS:
            return None
        if not outside and not spelling and not any(self._base.outside_functions(module, name)):
            return None
        inside = (
            Entry(reader.name, definition.name)
            for reader, definition, node in spelling
            if self._is_read(reader, definition, lambda _, value, node=node: stands_for(value, node), name)  # type: ignore[misc]
        )
        return chain(outside, inside)

    def _is_handed_on(self, module: str, name: str) -> bool:
        """A decorator may have kept it for whoever asks for it by another name."""
        value = self._evaluation.modules[module].namespace.get(name)
        definition = self._words.definition(self._evaluation.tree.sources[module].summary, name)
        node = definition.node if definition is not None else getattr(value, "node", None)
        decorators = node.decorators if isinstance(node, (syntax.Function, syntax.Class)) else ()
        return any(last_name(one) not in _PLAIN_DECORATORS and not self._gives_back(module, one) for one in decorators)

    def _gives_back(self, module: str, decorator: syntax.Expression) -> bool:
        """A decorator of the project that gives back what it is given, and does nothing else."""
        names = self._evaluation.modules[module].namespace
        value = names.get(decorator.id) if isinstance(decorator, syntax.Name) else None
        if not isinstance(value, FunctionValue) or not isinstance(value.node, syntax.Function) or value.node.decorators:
            return False
        match value.module.source.summary.body_of(value.node.body):
            case (syntax.Return(value=syntax.Name(id=given)),):
                return [parameter.name for parameter in value.node.parameters] == [given]
        return False

    def _reading_table(self, keeper: Module, name: str) -> Iterator[Entry] | None:
        """The functions that read a list or table of a module, there or where it is imported by its name."""
        value = keeper.namespace.get(name)
        readers = [
            one for one in map(self._evaluation.modules.get, self._subjects)
            if one is not None and one.status == "ok" and (one is keeper or one.namespace.get(name) is value)
        ]  # fmt: skip
        if any(self._is_read_outside_functions(one, name) for one in readers):
            return None
        return (
            Entry(reader.name, definition.name)
            for reader in readers
            for definition in self._words.spelling(reader.source.summary, (name,))
            if self._is_read(reader, definition, lambda read, _: read == name, name)
        )

    def _is_read_outside_functions(self, module: Module, name: str) -> bool:
        """The module's own code reads one of its names."""
        for statement in self._words.outside(module.source.summary, name):
            bare = (syntax.Assign, syntax.Annotated)
            read = (statement.value,) if isinstance(statement, bare) else statement
            if any(isinstance(part, syntax.Name) and part.id == name for part in expressions(read)):
                return True
        return False

    def _reading_method(self, module: str, name: str, last: str) -> Iterator[Entry] | None:
        """The functions that read an attribute of that name, whatever it is an attribute of."""
        spelling = [
            (reader, definition)
            for reader in self._subjects
            for definition in self._words.spelling(self._evaluation.tree.sources[reader].summary, (last,))
            if (reader, definition.name) != (module, name)
        ]
        if not spelling or len(spelling) > _MOST_READERS:
            return None
        return (
            Entry(reader, definition.name)
            for reader, definition in spelling
            if (found := self._evaluation.modules.get(reader)) is not None
            and found.status == "ok"
            and self._is_read(found, definition, lambda read, _: read == last, last)
        )

    # --- what a call comes to ------------------------------------------------------------------------------------

    def _is_read(self, reader: Module, definition: Definition, wanted: Callable[[str, Value], bool], last: str) -> bool:
        """Calling a function comes to where it reads what is wanted, as far as can be seen."""
        seen: list[Mapping[Condition, bool]] = []

        def look(name: str, value: Value, frame: Frame) -> None:
            if wanted(name, value):
                seen.append(dict(frame.state.assumed))

        expressions = self._evaluation.expressions
        expressions.tell_of_reads(look)
        try:
            uses = list(self._calltime.call(reader, definition))
        finally:
            expressions.tell_of_reads(None)
        if any(self._hides_nothing(reader.name, definition.name, assumed) for assumed in seen):
            return True
        if not self._calltime.followed:
            return not WrittenGuards(self._evaluation, reader, definition).keep_out(last)
        return not seen and not any(use.certain for use in uses) and self._spells_within(reader, definition, last)

    def _spells_within(self, reader: Module, definition: Definition, last: str) -> bool:
        """A function in the function has the name: when that is called is not known."""
        summary = reader.source.summary
        return any(last in self._words.of(summary, inner) for inner in inner_definitions(summary, definition))

    # --- what is asked on the way --------------------------------------------------------------------------------

    def _hides_nothing(self, module: str, function: str, assumed: Mapping[Condition, bool]) -> bool:
        """On the way through a function to a place nothing is asked for in which a guard could hide."""
        definition = self._words.definition(self._evaluation.tree.sources[module].summary, function)
        reader = self._evaluation.modules[module]
        if definition is None:
            return True
        before = self._calltime.assumed_in(reader, definition)
        new = (key for key, holds in assumed.items() if before.get(key) is not holds)
        absent = self._evaluation.world.absent
        return not any(may_guard(text, reader, definition, absent) for key in new for text in atoms_of(key))
