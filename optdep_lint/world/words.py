"""Which words the functions of a file spell: a cheap way to see what cannot concern them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator

from optdep_lint.facts import syntax
from optdep_lint.facts.summary import Summary
from optdep_lint.facts.syntax import Block
from optdep_lint.facts.walk import Definition, expressions, outer_definitions, statements


class Outer:
    """The functions at the top of every file and in its classes."""

    def __init__(self) -> None:
        self._of: dict[int, list[tuple[Definition, slice]]] = {}
        self._told: dict[int, dict[bytes, bool]] = {}

    def of(self, summary: Summary) -> list[tuple[Definition, slice]]:
        """The functions of a file; each with where its body and those of the functions and lambdas in it lie."""
        found = self._of.get(id(summary))
        if found is None:
            found = self._of[id(summary)] = []
            first = 0
            for definition in outer_definitions(summary):
                found.append((definition, slice(first, definition.node.body + 1)))
                first = definition.node.body + 1
        return found

    def spelling(self, summary: Summary, words: Iterable[str]) -> list[Definition]:
        """The functions that may spell one of the words."""
        spelled = [encoded for encoded in map(_encoded, words) if self._may_spell(summary, encoded)]
        if not spelled:
            return []
        return [definition for definition, bodies in self.of(summary) if summary.may_spell(spelled, bodies)]

    def _may_spell(self, summary: Summary, word: bytes) -> bool:
        """A function of the file may spell a word; looked up once, however many worlds ask."""
        told = self._told.setdefault(id(summary), {})
        known = told.get(word)
        if known is None:
            known = told[word] = summary.may_spell((word,))
        return known


def _encoded(word: str) -> bytes:
    return word.encode("utf-8", "surrogatepass")


class Words:
    """The functions of every module, and the words that each spells."""

    def __init__(self) -> None:
        self._outer = Outer()
        self._words: dict[int, frozenset[str]] = {}

    def functions(self, summary: Summary) -> Iterator[Definition]:
        """The functions at the top of a file and in its classes."""
        return (definition for definition, _ in self._outer.of(summary))

    def spelling(self, summary: Summary, words: Collection[str]) -> Iterator[Definition]:
        """Those that have one of the words among the names, attributes, imported names and texts in them."""
        for definition in self._outer.spelling(summary, words):
            spelled = self._words.get(id(definition.node))
            if spelled is None:
                body = summary.body_of(definition.node.body)
                spelled = self._words[id(definition.node)] = frozenset(_words(summary, body))
            if not spelled.isdisjoint(words):
                yield definition


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
