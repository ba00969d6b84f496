"""What following a call has shown, for when the same call comes again, in this world or in one where nothing of it differs."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from optdep_lint.world.modules import Asked

Shown = TypeVar("Shown")


class Recalled(Generic[Shown]):
    """What calls have shown, by whatever tells them apart, each with what it has asked the world and other modules for."""

    def __init__(self) -> None:
        self._own: dict[Hashable, tuple[Shown, Asked]] = {}
        self._before: Recalled[Shown] | None = None
        self._holds: Callable[[Shown, Asked], bool] = lambda _shown, _asked: False

    def go_on_from(self, before: Recalled[Shown], holds: Callable[[Shown, Asked], bool]) -> None:
        """Recall what was shown in another world, too, wherever it holds in this one."""
        self._before, self._holds = before, holds

    def get(self, key: Hashable) -> tuple[Shown, Asked] | None:
        """What a call has shown, with what it has asked for; None where it has not been followed."""
        found = self._own.get(key)
        if found is None and self._before is not None:
            found = self._before.get(key)
            if found is not None and not self._holds(*found):
                return None
        return found

    def put(self, key: Hashable, shown: Shown, asked: Asked) -> None:
        """Keep what a call has shown."""
        self._own[key] = (shown, asked)

    def clear(self) -> None:
        """Recall nothing."""
        self._own.clear()
        self._before = None
