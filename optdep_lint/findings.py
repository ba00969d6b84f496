"""What a rule has found: where, why, and how it could be repaired."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

Applicability = Literal["safe", "unsafe"]


class Span(NamedTuple):
    """A range of source text: lines and columns from 1, columns in code points, the end exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


@dataclass(frozen=True, slots=True)
class Step:
    """One link of the chain that leads to a finding.

    `path` is POSIX and relative to the project's root.
    """

    path: str
    line: int
    message: str


@dataclass(frozen=True, slots=True)
class Edit:
    """Replace the bytes `start` to `end` (exclusive) of the file `path` by `content`."""

    path: str
    start: int
    end: int
    content: str


@dataclass(frozen=True, slots=True)
class Fix:
    """Edits that repair a finding; `safe` ones change nothing where everything is installed."""

    applicability: Applicability
    message: str
    edits: tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class Finding:
    """One fault, placed on the statement to change."""

    code: str
    """The rule, such as `OPD101`."""
    name: str
    """The rule's name, such as `unguarded-optional-import`."""
    path: str
    """POSIX path of the file, relative to the project's root."""
    span: Span
    message: str
    absent: str | None = None
    """The dotted name whose absence breaks things, or None."""
    extra: str | None = None
    """The extra that provides it, or None."""
    because: tuple[Step, ...] = ()
    fix: Fix | None = None
    refused: str | None = None
    """Why there is no fix, where one was tried and failed its proof."""

    @property
    def sort_key(self) -> tuple[str, int, int, str, str]:
        """Reports are ordered by place, then by rule."""
        return (self.path, self.span.line, self.span.column, self.code, self.message)
