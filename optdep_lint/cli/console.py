"""Where text goes, whether it is coloured, and how errors are told."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from optdep_lint.config import ConfigError
from optdep_lint.discovery import DiscoveryError

ISSUES = "https://github.com/optdep-lint/optdep-lint/issues"


class UsageError(Exception):
    """A command line that cannot be carried out; the text is one line."""


def user_errors() -> tuple[type[Exception], ...]:
    """The exceptions whose text is a line for the user, as opposed to faults of optdep-lint."""
    from optdep_lint.metadata.model import MetadataError

    return (ConfigError, DiscoveryError, MetadataError, UsageError)


def tell_error(text: str, options: argparse.Namespace) -> None:
    """One line on standard error, unless all is to be silent."""
    if not getattr(options, "silent", False):
        print(f"error: {' '.join(text.split())}", file=sys.stderr)


def tell_failure(error: Exception, options: argparse.Namespace) -> None:
    """A mistake of the user, or a fault of optdep-lint with how to report it; a traceback only with `-v`."""
    if isinstance(error, user_errors()):
        tell_error(str(error), options)
        return
    if options.verbose:
        import traceback

        traceback.print_exception(type(error), error, error.__traceback__)
    what = f"internal error: {type(error).__name__}: {error}"
    tell_error(f"{what}; please report it, with the output of `-v`, at {ISSUES}", options)


def tell_warning(text: str, options: argparse.Namespace) -> None:
    """One line on standard error, unless only findings are wanted."""
    if not (options.silent or options.quiet):
        print(f"warning: {' '.join(text.split())}", file=sys.stderr)


def write(text: str, options: argparse.Namespace) -> None:
    """`text` to `--output-file` or standard output, as UTF-8 whatever the locale says of the former."""
    output_file = getattr(options, "output_file", None)
    if output_file is not None:
        try:
            Path(output_file).write_text(text, encoding="utf-8", newline="\n")
        except OSError as error:
            raise UsageError(f"{output_file}: cannot write: {error.strerror or error}") from None
    elif not options.silent:
        write_out(text)


def write_out(text: str) -> None:
    """`text` to standard output; what its encoding lacks is escaped."""
    encoding = sys.stdout.encoding or "utf-8"
    sys.stdout.write(text.encode(encoding, "backslashreplace").decode(encoding))
    sys.stdout.flush()


def wants_colour(options: argparse.Namespace) -> bool:
    """`--color` first, then NO_COLOR, then FORCE_COLOR, then whether this is a terminal."""
    if options.color != "auto" or options.output_file is not None:
        return bool(options.color == "always")
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR", "0") not in ("", "0"):
        return True
    return sys.stdout.isatty() and os.environ.get("TERM") != "dumb"
