"""Which words the functions of a file spell: a cheap way to see what cannot concern them."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence

from optdep_lint.facts import syntax
from optdep_lint.facts.summary import Summary
from optdep_lint.facts.syntax import Block
from optdep_lint.facts.walk import Definition, expressions, inner_definitions, outer_definitions, statements
from optdep_lint.world.values import Constant, Value

_NONE: frozenset[int] = frozenset()
_TEXT = re.compile(rb"[zZ\xda\xfa](?=(.[A-Za-z_][\w.]*))", re.DOTALL)
"""How `marshal` writes a short ASCII text: a tag, with or without the bit that lets it be referred to, the length, the text."""


def texts_in(body: bytes) -> set[bytes]:
    """The names and dotted names in an encoded body; what follows on one can look like more of it, so its length counts."""
    return {found[1 : found[0] + 1] for found in set(_TEXT.findall(body)) if len(found) > found[0]}


_NAME = re.compile(r"[A-Za-z_][\w.]*", re.ASCII)
_LONGEST = 0xFF
"""Longer texts are written in another way."""


class Index:
    """In which of many files a word stands in a function, or ends a dotted name; it says yes too often, never too rarely."""

    def __init__(self, files: Iterable[Summary]) -> None:
        self._holding: dict[bytes, set[int]] = {}
        self._unread: set[int] = set()
        """The files with functions that are not encoded."""
        self._count = 0
        for number, summary in enumerate(files):
            encoded = [body for body in summary.bodies if isinstance(body, bytes)]
            if len(encoded) < len(summary.bodies):
                self._unread.add(number)
            texts = texts_in(b"".join(encoded))
            for text in texts | {text.rpartition(b".")[2] for text in texts}:
                self._holding.setdefault(text, set()).add(number)
            self._count += 1

    def files(self, word: str) -> set[int]:
        """The numbers of the files, as they were given."""
        if len(word) > _LONGEST or _NAME.fullmatch(word) is None:
            return set(range(self._count))
        return self._holding.get(word.encode(), set()) | self._unread


def spelling_any(words: Iterable[str]) -> Callable[[bytes], bool]:
    """Whether an encoded body may spell one of these words."""
    encoded = [word.encode("utf-8", "surrogatepass") for word in sorted(words)]

    def spells(body: bytes) -> bool:
        for word in encoded:  # noqa: SIM110  # a generator would take as long as the search
            if word in body:
                return True
        return False

    return spells


class Outer:
    """The functions at the top of every file and in its classes."""

    def __init__(self) -> None:
        self._of: dict[int, list[tuple[Definition, slice]]] = {}
        self._numbers: dict[int, int] = {}
        """A number for each file."""
        self._looked: dict[str, set[int]] = {}
        """The files in which a word has been looked for."""
        self._spelling: dict[tuple[int, str], frozenset[int]] = {}
        """In which functions of a file it has been found."""

    def of(self, summary: Summary) -> list[tuple[Definition, slice]]:
        """The functions of a file; each with where its body and those of the functions and lambdas in it lie."""
        found = self._of.get(id(summary))
        if found is None:
            functions = list(outer_definitions(summary))
            ends = sorted(definition.node.body for definition in functions)
            firsts = dict(zip(ends, (0, *(end + 1 for end in ends)), strict=False))
            found = self._of[id(summary)] = [
                (definition, slice(firsts[definition.node.body], definition.node.body + 1)) for definition in functions
            ]
        return found

    def spelling(self, summary: Summary, words: Iterable[str]) -> list[Definition]:
        """The functions that may spell one of the words, in their order."""
        numbers: set[int] = set()
        for word in words:
            numbers |= self._spelling_one(summary, word)
        functions = self.of(summary) if numbers else []
        return [functions[number][0] for number in sorted(numbers)]

    def holding(self, summary: Summary, concerns: Callable[[bytes], object]) -> Iterator[Definition]:
        """The functions whose own code may be of concern, as its encoded form tells; those in functions too, after these."""
        bodies = summary.bodies
        hits = {number for number, body in enumerate(bodies) if not isinstance(body, bytes) or concerns(body)}
        for definition, part in self.of(summary) if hits else ():
            here = hits.intersection(range(part.start, part.stop))
            if definition.node.body in here:
                yield definition
                here.discard(definition.node.body)
            if here:
                yield from (one for one in inner_definitions(summary, definition) if one.node.body in here)

    def may_spell(self, summary: Summary, word: str) -> bool:
        """One of the functions may spell the word."""
        return bool(self._spelling_one(summary, word))

    def _spelling_one(self, summary: Summary, word: str) -> frozenset[int]:
        """The numbers of the functions that may spell a word: in most worlds it is the same words that are asked for."""
        number = self._numbers.setdefault(id(summary), len(self._numbers))
        looked = self._looked.setdefault(word, set())
        if number not in looked:
            looked.add(number)
            encoded = word.encode("utf-8", "surrogatepass")
            if summary.may_spell(encoded):
                functions = enumerate(self.of(summary))
                found = frozenset(index for index, (_, part) in functions if summary.may_spell(encoded, part))
                self._spelling[number, word] = found
        return self._spelling.get((number, word), _NONE)


class Words:
    """The functions of every module, and the words that each spells."""

    def __init__(self) -> None:
        self._outer = Outer()
        self._words: dict[int, frozenset[str]] = {}
        self._named: dict[int, dict[str, Definition]] = {}
        self._own: dict[int, Mapping[str, list[syntax.Statement]]] = {}
        self._texts: dict[int, tuple[Mapping[str, Value], dict[str, list[str]]]] = {}

    def texts(self, names: Mapping[str, Value], *, keep: bool) -> dict[str, list[str]]:
        """The texts that names are bound to, each with these names; `keep` it for a namespace that worlds share."""
        found = self._texts.get(id(names))
        if found is not None and found[0] is names:
            return found[1]
        texts: dict[str, list[str]] = {}
        for name, value in names.items():
            if isinstance(value, Constant) and isinstance(value.value, str):
                texts.setdefault(value.value, []).append(name)
        if keep:
            self._texts[id(names)] = (names, texts)
        return texts

    def may_spell(self, summary: Summary, word: str) -> bool:
        """Some function of a file may spell the word."""
        return self._outer.may_spell(summary, word)

    def functions(self, summary: Summary) -> Iterator[Definition]:
        """The functions at the top of a file and in its classes."""
        return (definition for definition, _ in self._outer.of(summary))

    def definition(self, summary: Summary, name: str) -> Definition | None:
        """The function at the top of a file, or in one of its classes, of that dotted name; the last where there are several."""
        named = self._named.get(id(summary))
        if named is None:
            named = self._named[id(summary)] = {one.name: one for one in self.functions(summary)}
        return named.get(name)

    def spelling(self, summary: Summary, words: Collection[str]) -> Iterator[Definition]:
        """Those that have one of the words among the names, attributes, imported names and texts in them."""
        for definition in self._outer.spelling(summary, words):
            if not self.of(summary, definition).isdisjoint(words):
                yield definition

    def outside(self, summary: Summary, word: str) -> Sequence[syntax.Statement]:
        """The statements of the file's own code that have the word for a name or an attribute in them, in their order."""
        own = self._own.get(id(summary))
        if own is None:
            own = self._own[id(summary)] = defaultdict(list)
            for statement in statements(summary.body):
                parts = expressions(statement)
                read = {
                    part.id if isinstance(part, syntax.Name) else part.name
                    for part in parts
                    if isinstance(part, (syntax.Name, syntax.Attribute))
                }
                for one in read:
                    own[one].append(statement)
        return own.get(word, ())

    def of(self, summary: Summary, definition: Definition) -> frozenset[str]:
        """The words of one function."""
        spelled = self._words.get(id(definition.node))
        if spelled is None:
            body = summary.body_of(definition.node.body)
            spelled = self._words[id(definition.node)] = frozenset(_words(summary, body))
        return spelled


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
