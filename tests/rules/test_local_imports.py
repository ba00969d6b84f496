"""What functions that import something themselves, and go on without it, do with what they did not get."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from optdep_lint import engine
from optdep_lint.config import Config
from optdep_lint.discovery import discover

PROJECT = """
[project]
name = "acme"
version = "1"

[project.optional-dependencies]
fast = ["fastsum"]
"""

CASES = {
    "a handler that says so": """
        import logging

        def total(values):
            try:
                import fastsum
            except ImportError:
                logging.getLogger(__name__).error("no fastsum")
            return fastsum.total(values)  # expect: OPD201
        """,
    "a handler that perhaps never comes back": """
        def main(parser, values):
            try:
                import fastsum
            except ImportError:
                parser.error("no fastsum")
            return fastsum.total(values)
        """,
    "suppress": """
        from contextlib import suppress

        def total(values):
            with suppress(ImportError):
                import fastsum
            return fastsum.total(values)  # expect: OPD201
        """,
    "a flag of the function": """
        def total(values):
            try:
                import fastsum
                fast = True
            except ImportError:
                fast = False
            return fastsum.total(values) if fast else sum(values)
        """,
    "a method that loads": """
        class Total:
            def _load(self):
                try:
                    import fastsum
                except ImportError:
                    return None
                return fastsum

            def of(self, values):
                return self._load().total(values)  # expect: OPD202
        """,
    "a helper that is asked": """
        def _load():
            try:
                import fastsum
            except ImportError:
                return None
            return fastsum

        def total(values):
            found = _load()
            return found.total(values) if found else sum(values)
        """,
    "a handler that leaves": """
        def total(values):
            try:
                import fastsum
            except ImportError:
                return sum(values)
            return fastsum.total(values)
        """,
}


@pytest.mark.parametrize("name", CASES)
def test_local_imports(name: str, tmp_path: Path) -> None:
    text = textwrap.dedent(CASES[name])
    (tmp_path / "acme").mkdir()
    (tmp_path / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
    (tmp_path / "acme" / "__init__.py").write_text(text, encoding="utf-8")
    config = Config(select=("OPD1", "OPD2"))
    found = {(one.span.line, one.code) for one in engine.check(discover([tmp_path], config), config).findings}
    marked = {
        (number, code)
        for number, line in enumerate(text.splitlines(), 1)
        for code in re.findall(r"# expect: (OPD\d+)", line)
    }
    assert found == marked
