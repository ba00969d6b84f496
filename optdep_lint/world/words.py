"""Which words the functions of a file spell: a cheap way to see what cannot concern them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from optdep_lint.facts import syntax
from optdep_lint.facts.summary import Summary
from optdep_lint.facts.syntax import Block
from optdep_lint.facts.walk import Definition, definitions, expressions, statements


class Words:
    """The functions of every module, and the words that each spells."""

    def __init__(self) -> None:
        self._of: dict[int, list[tuple[Definition, frozenset[str]]]] = {}

    def of(self, summary: Summary) -> list[tuple[Definition, frozenset[str]]]:
        """The functions at the top of a file and in its classes, with all names, attributes, imported names and texts in them."""
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
        if isinstance(statement, syntax.ImportFrom):
            yield from (alias.name for alias in statement.names)
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
