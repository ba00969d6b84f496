"""Where something stands in a file, packed into one integer."""

from __future__ import annotations

from optdep_lint.findings import Span

Position = int
"""A packed Span: 24 bits of start line, then start column, number of further lines and end column, 16 bits each."""

_MOST = 0xFFFF


def pack(line: int, column: int, end_line: int, end_column: int) -> Position:
    """Pack a span; columns and heights of 65,535 and more saturate."""
    return (
        (line << 48) | (min(column, _MOST) << 32) | (min(max(end_line - line, 0), _MOST) << 16) | min(end_column, _MOST)
    )


def line_of(at: Position) -> int:
    """The start line, from 1."""
    return at >> 48


def end_line_of(at: Position) -> int:
    """The end line, from 1."""
    return (at >> 48) + ((at >> 16) & _MOST)


def span_of(at: Position) -> Span:
    """Unpack a position."""
    line = at >> 48
    return Span(line, (at >> 32) & _MOST, line + ((at >> 16) & _MOST), at & _MOST)
