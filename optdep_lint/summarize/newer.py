"""Reads with libcst what is newer than the running Python, and gives the tree that a newer Python would."""

from __future__ import annotations

import ast


class NotNewer(Exception):
    """libcst cannot read it either."""

    def __init__(self, line: int = 1, column: int = 1) -> None:
        super().__init__()
        self.line, self.column = line, column


def parse_newer(source: bytes) -> ast.Module:
    """Parse with libcst.

    Raises:
        NotNewer: where libcst finds a syntax error as well.
    """
    raise NotNewer
