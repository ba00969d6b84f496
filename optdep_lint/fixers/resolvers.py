"""Functions that import something once per process, written for the statement whose work they take over."""

from __future__ import annotations

import libcst as cst

from optdep_lint.fixers import Refusal
from optdep_lint.fixers.bench import Bench
from optdep_lint.fixers.imports import import_name
from optdep_lint.fixers.placing import insert_definition, is_annotated


class Resolvers:
    """Collects the functions that one fix adds to a file."""

    def __init__(self, bench: Bench, place: cst.CSTNode) -> None:
        self._bench, self._place = bench, place
        self._taken: set[str] = set()
        self._definitions: list[str] = []

    def add(self, subject: str, body: str, *, returns: bool = True) -> str:
        """A cached function with this body, indented by one step; gives its name."""
        word = subject.strip("_").replace(".", "_")
        name = self._fresh(f"_resolve_{word}" if returns else f"_import_{word}")
        arrow = ""
        if is_annotated(self._bench.workshop, self._bench.source):
            arrow = f" -> {import_name(self._bench, 'typing', 'Any')}" if returns else " -> None"
        self._definitions.append(f"@{self.cache()}\ndef {name}(){arrow}:\n{body}")
        return name

    def cache(self) -> str:
        """The decorator that keeps results."""
        versions = self._bench.workshop.survey.declared.metadata.python_versions()
        if versions and min(versions) < (3, 9):
            return import_name(self._bench, "functools", "lru_cache") + "(maxsize=None)"
        return import_name(self._bench, "functools", "cache")

    def finish(self) -> None:
        """Put the functions above the definition that needs them."""
        if self._definitions:
            insert_definition(self._bench.draft, self._bench.source, self._place, "\n\n\n".join(self._definitions))

    def _fresh(self, wanted: str) -> str:
        name = self._bench.source.fresh_name(wanted)
        for number in range(2, 100):
            if name not in self._taken:
                self._taken.add(name)
                return name
            name = self._bench.source.fresh_name(f"{wanted}_{number}")
        raise Refusal("no name is free for the function")
