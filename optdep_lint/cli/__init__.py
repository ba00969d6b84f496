"""The command line: `optdep-lint [VERB] ...`, where a missing verb means `check`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from optdep_lint import __version__
from optdep_lint.cli import arguments, console

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Runs a verb; returns 0 (clean), 1 (findings) or 2 (a usage, configuration or internal error)."""
    words = list(sys.argv[1:] if argv is None else argv)
    options = argparse.Namespace(verbose="-v" in words or "--verbose" in words, silent=False)
    try:
        return _dispatch(words)
    except SystemExit as stop:  # argparse, after --help or a mistake
        return stop.code if isinstance(stop.code, int) else 0 if stop.code is None else 2
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 2
    except KeyboardInterrupt:
        console.tell_error("interrupted", options)
        return 2
    except Exception as error:  # noqa: BLE001  # The last resort: never a traceback for a user.
        console.tell_failure(error, options)
        return 2


def _dispatch(words: list[str]) -> int:
    first = words[0] if words else ""
    if first in ("-V", "--version"):
        return _version()
    if first in ("-h", "--help", "help"):
        arguments.top_parser().print_help()
        return 0
    verb, rest = (first, words[1:]) if first in arguments.VERBS else ("check", words)
    return _run_verb(verb, rest)


def _run_verb(verb: str, rest: list[str]) -> int:
    """Imports what the verb needs, and no more."""
    if verb == "check":
        from optdep_lint.cli.check import check

        return check(arguments.check_parser().parse_intermixed_args(rest))
    if verb == "matrix":
        from optdep_lint.cli.matrix import matrix

        return matrix(arguments.matrix_parser().parse_intermixed_args(rest))
    if verb == "verify":
        from optdep_lint.cli.verify import verify

        return verify(arguments.verify_parser().parse_intermixed_args(rest))
    if verb == "version":
        return _version()
    from optdep_lint.cli import verbs

    return verbs.run(verb, rest)


def _version() -> int:
    print(f"optdep-lint {__version__}")
    return 0
