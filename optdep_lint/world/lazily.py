"""What is looked for one by one, since mostly the first that is found settles the question."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count, islice
from typing import Generic, TypeVar

Item = TypeVar("Item")


class Lazily(Generic[Item]):
    """The items of an iterator, made when they are asked for and kept for whoever asks again."""

    def __init__(self, items: Iterator[Item]) -> None:
        self._items = items
        self._made: list[Item] = []

    def __iter__(self) -> Iterator[Item]:
        for number in count():
            if number == len(self._made):
                self._made.extend(islice(self._items, 1))
            if number == len(self._made):
                return
            yield self._made[number]

    def __bool__(self) -> bool:
        return any(True for _ in self)
