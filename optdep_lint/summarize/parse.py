"""From bytes to a syntax tree, whatever Python the file was written for."""

from __future__ import annotations

import ast
import io
import tokenize
import warnings

_EARLIER = ("was never closed", "Perhaps you forgot a comma?")
"""How Python's messages end that name the place where the error began, not where it shows."""


class Unreadable(Exception):
    """A file that no Python could run; `line` and `column` count from 1."""

    def __init__(self, message: str, line: int = 1, column: int = 1) -> None:
        super().__init__(message)
        self.message, self.line, self.column = message, line, column


class Columns:
    """Turns the byte columns of the tree into code points."""

    __slots__ = ("_lines",)

    def __init__(self, text: str | None) -> None:
        """`text` is None where every character is a byte."""
        self._lines = None if text is None else io.StringIO(text, newline=None).read().split("\n")

    @property
    def trivial(self) -> bool:
        """Byte columns are code point columns."""
        return self._lines is None

    def of(self, line: int, offset: int) -> int:
        """The column, from 1, of the byte `offset` in `line`."""
        if self._lines is None or line > len(self._lines):
            return offset + 1
        text = self._lines[line - 1]
        return (
            offset + 1
            if text.isascii()
            else len(text.encode("utf-8", "surrogatepass")[:offset].decode("utf-8", "ignore")) + 1
        )


def parse(source: bytes) -> tuple[ast.Module, Columns]:
    """Parse a file.

    Raises:
        Unreadable: where neither the running Python nor libcst can read it.
        RecursionError: where it is nested too deeply.
    """
    columns = Columns(None if source.isascii() else _text(source))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source), columns
    except (SyntaxError, ValueError) as error:
        return _parse_newer(source, error), columns
    except MemoryError:
        raise Unreadable("nested too deeply to be read") from None


def _text(source: bytes) -> str:
    """Decode by BOM or cookie, as PEP 263 has it."""
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(source).readline)
        return source.decode(encoding)
    except (SyntaxError, UnicodeDecodeError, LookupError) as error:
        line = source.count(b"\n", 0, error.start) + 1 if isinstance(error, UnicodeDecodeError) else 1
        raise Unreadable(f"cannot be decoded: {error}", line) from None


def _parse_newer(source: bytes, error: SyntaxError | ValueError) -> ast.Module:
    """Read with libcst what the running Python rejects."""
    from optdep_lint.summarize.newer import NotNewer, parse_newer

    try:
        return parse_newer(source)
    except NotNewer as refused:
        line, column = getattr(error, "lineno", None) or 1, getattr(error, "offset", None) or 1
        message = error.msg if isinstance(error, SyntaxError) else str(error)
        further = refused.line > line and not message.endswith(_EARLIER)
        if refused.parsed or further:  # what the running Python stumbled over is only newer than it
            line, column, message = refused.line, refused.column, refused.message
        raise Unreadable(message, line, column) from None
