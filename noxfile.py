"""The suite on every Python, with and without the extras, and with the oldest dependencies."""

from __future__ import annotations

import nox

nox.options.default_venv_backend = "uv|virtualenv"
nox.options.sessions = ["tests", "bare"]

PYTHONS = ["3.10", "3.11", "3.12", "3.13", "3.14"]


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """All tests, with branch coverage."""
    session.install("-e", ".[dev]")
    session.run("coverage", "run", "-m", "pytest", *session.posargs)
    session.run("coverage", "combine")
    session.run("coverage", "report")


@nox.session(python=PYTHONS)
def bare(session: nox.Session) -> None:
    """Without flake8 and the other extras: what needs them is skipped, the rest passes."""
    session.install("-e", ".", "pytest", "hypothesis")
    session.run("pytest", "--ignore=tests/house", *session.posargs)


@nox.session(python="3.10")
def oldest(session: nox.Session) -> None:
    """The oldest versions of the dependencies that we say we work with."""
    session.install("uv")
    session.run(
        "uv", "pip", "install", "--python", session.virtualenv.bin, "--resolution", "lowest-direct", "-e", ".[dev]"
    )
    session.run("pytest", "--ignore=tests/house", *session.posargs)


@nox.session
def lint(session: nox.Session) -> None:
    """What the house tests check, by itself."""
    session.install("-e", ".[dev]")
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("mypy")
    session.run("lint-imports")
