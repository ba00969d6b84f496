"""Guards that stand outside of a function: in its callers, in its class, in a table, in its decorator, in what it takes.

A project is a text of files (`--- path`); a line that must be reported ends in `# expect: CODE`, all others stay quiet.
"""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from optdep_lint.config import Config
from optdep_lint.discovery import discover
from optdep_lint.engine import check

PYPROJECT = """
[project]
name = "acme"
version = "1"
[project.optional-dependencies]
fast = ["numba"]
"""
EXPECTED = re.compile(r"# expect: (OPD\d{3})$")
TRY = """
try:
    import numba
except ImportError:
    numba = None
"""
REQUIRES = textwrap.indent("""
--- acme/needs.py
from importlib.util import find_spec

def is_speed_available():
    return find_spec("numba") is not None

def requires(*, backends=()):
    def mark(thing):
        thing.backends = backends
        return thing
    return mark
""", " " * 8)  # fmt: skip
DEFERRING = """
        --- acme/needs.py
        class Deferred:
            def __init__(self):
                self.error = None

            def __enter__(self):
                return self

            def __exit__(self, kind, error, trace):
                if isinstance(error, ImportError):
                    self.error = error
                    return True

            def worked(self):
                return self.error is None

        def deferring():
            return Deferred()
        """
CASES = {
    "nobody asks": TRY + """
        def _sum(x):
            return numba.njit(x)  # expect: OPD202

        def total(x):
            return _sum(x)
        """,
    "a type of Python's own says nothing": "from typing import TextIO" + TRY + """
        def total(to: TextIO):
            return numba.njit(to)  # expect: OPD202
        """,
    "a context manager that is perhaps left by an exception": """
        import os
        from acme.needs import deferring

        with deferring() as plain:
            import math
            if os.cpu_count() < 2:
                raise ImportError("too few")
        with deferring() as fast:
            import numba

        def total(x):
            if not plain.worked() and not fast.worked():
                raise ImportError("numba")
            return math.fsum(x) if plain.worked() else _total(x)

        def _total(x):
            return numba.njit(x)

        def fast_total(x):
            return numba.njit(x)  # expect: OPD201
        """ + DEFERRING,
    "each call makes another object": """
        from acme.needs import deferring

        with deferring() as fast:
            import numba
        with deferring() as plain:
            import math

        def total(x):
            return math.fsum(x) if plain.worked() else numba.njit(x)

        def fast_total(x):
            return numba.njit(x) if plain.worked() else math.fsum(x)  # expect: OPD201
        """ + DEFERRING,
    "the only caller asks": TRY + """
        def _sum(x):
            return numba.njit(x)

        def total(x):
            if numba is None:
                raise ImportError("numba")
            return _sum(x)
        """,
    "one of two callers asks": TRY + """
        def _sum(x):
            return numba.njit(x)  # expect: OPD202

        def total(x):
            if numba is None:
                raise ImportError("numba")
            return _sum(x)

        def other(x):
            return _sum(x)
        """,
    "the caller's caller asks": TRY + """
        def _sum(x):
            return numba.njit(x)

        def _middle(x):
            return _sum(x)

        def total(x):
            if numba is None:
                raise ImportError("numba")
            return _middle(x)
        """,
    "listed for everybody": TRY + """
        __all__ = ["plain"]

        def plain(x):
            return numba.njit(x)  # expect: OPD202

        def total(x):
            if numba is None:
                raise ImportError("numba")
            return plain(x)
        """,
    "another name of the same handler is asked for": """
        try:
            import numba
            from numba import njit
        except ImportError:
            numba = njit = None

        def _sum(x):
            return numba.njit(x)

        def total(x):
            if njit is None:
                raise ImportError("numba")
            return _sum(x)
        """,
    "a private method of which every caller asks": TRY + """
        class Summer:
            def total(self, x):
                if numba is None:
                    raise ImportError("numba")
                return self._sum(x)

            def _sum(self, x):
                return numba.njit(x)
        """,
    "a private method": TRY + """
        class Summer:
            def total(self, x):
                return self._sum(x)

            def _sum(self, x):
                return numba.njit(x)  # expect: OPD202
        """,
    "a caller that is too long to follow": TRY + """
        HAS_NUMBA = numba is not None

        def _sum(x):
            return numba.njit(x)

        def _mean(x):
            return numba.njit(x)  # expect: OPD202

        def total(x, y):
            for number in range(5000):
                y += step(y, number)
            if HAS_NUMBA and y.kind in "ui":
                function = _sum
            else:
                function = sum
            if y:
                function = _mean
            return function(x)

        def step(y, number):
            return y + number if number % 3 else y - number
        """,
    "an argument that is called after it is asked for": TRY + """
        def _sum(x):
            return numba.njit(x)

        def total(x, numba_sum=None):
            if numba_sum is not None:
                return _sum(x)
            return x
        """,
    "a private method without an instance, where none can be made": TRY + """
        class Summer:
            def __init__(self):
                if numba is None:
                    raise ImportError("numba")

            @classmethod
            def _sum(cls, x):
                return numba.njit(x)

            @property
            def sum(self):
                return numba.njit(self)

            @classmethod
            def of(cls, x):
                return numba.njit(x)  # expect: OPD202
        """,
    "it takes what cannot be made": TRY + """
        class Summer:
            def __init__(self):
                if numba is None:
                    raise ImportError("numba")

        class Counter:
            pass

        def total(summers: list[Summer]):
            return numba.njit(summers)

        def other(counters: list[Counter]):
            return numba.njit(counters)  # expect: OPD202
        """,
    "instances are only made where it is there": TRY + """
        class Summer:
            def total(self, x):
                return numba.njit(x)

        def summer():
            if numba is None:
                raise ImportError("numba")
            return Summer()
        """,
    "a table filled only where it is there": TRY + """
        def _sum(x):
            return numba.njit(x)

        TABLE = {}
        if numba is not None:
            TABLE = {"sum": _sum}

        def total(name, x):
            return TABLE[name](x)
        """,
    "a table that is only read where it is there": TRY + """
        def _sum(x):
            return numba.njit(x)

        TABLE = {"sum": _sum}

        def total(name, x):
            if numba is None:
                raise ImportError("numba")
            return TABLE[name](x)
        """,
    "a table": TRY + """
        def _sum(x):
            return numba.njit(x)  # expect: OPD202

        TABLE = {"sum": _sum}

        def total(name, x):
            return TABLE[name](x)
        """,
    "registered under another name": TRY + """
        from elsewhere import register

        @register("sum")
        def _sum(x):
            return numba.njit(x)  # expect: OPD202

        def total(x):
            if numba is None:
                raise ImportError("numba")
            return _sum(x)
        """,
    "it takes what is not there": TRY + """
        def plain(x: "numba.types.Array"):
            return numba.njit(x)

        def many(xs: list["numba.types.Array"], y=None):
            return numba.njit(xs)

        def perhaps(x: "numba.types.Array | None"):
            return numba.njit(x)  # expect: OPD202

        def with_default(y, x: "numba.types.Array" = 0):
            return numba.njit(x)  # expect: OPD202
        """,
    "it says that it needs it": TRY + """
        from acme.needs import requires

        @requires(backends=("numba",))
        class Summer:
            def total(self, x):
                return numba.njit(x)

        @requires(backends=("speed",))
        def total(x):
            return numba.njit(x)

        @requires(backends=("torch",))
        def other(x):
            return numba.njit(x)  # expect: OPD202

        class Listed:
            required_packages = ["numba"]

            def total(self, x):
                return numba.njit(x)
        """ + REQUIRES,
    "what is missing is put into a list, by which is raised": TRY + """
        from acme.needs import collect, need

        def total(x):
            need(total, "fast")
            return numba.njit(x)

        def every(x):
            need(every, ["plain", "fast"])
            return numba.njit(x)

        def one_by_one(x):
            collect(("fast",))
            return numba.njit(x)

        class Sum:
            def __init__(self, *arguments):
                super().__init__(*arguments)
                need(self, "fast")

            def run(self, x):
                return numba.njit(x)

        def other(x):
            need(other, ["plain"])
            return numba.njit(x)  # expect: OPD202

        def another(x):
            collect(["plain"])
            return numba.njit(x)  # expect: OPD202
        --- acme/needs.py
        from collections import OrderedDict
        from importlib.util import find_spec

        class Own:
            def __init__(self, answer):
                self.answer = answer

        def is_fast():
            return find_spec("numba") is not None

        def is_plain():
            return True

        NEEDS = OrderedDict([("fast", (is_fast, "{0} needs numba")), ("plain", (is_plain, "{0}"))])

        def need(thing, needs):
            if not isinstance(needs, list | tuple):
                needs = [needs]
            name = thing.__name__ if hasattr(thing, "__name__") else thing.__class__.__name__
            failed = []
            for one in needs:
                if isinstance(one, Own):
                    there, message = one.answer, "no"
                else:
                    there, message = NEEDS[one]
                if not there():
                    failed.append(message.format(name))
            if failed:
                raise ImportError("".join(failed))

        def collect(needs):
            failed = [message for there, message in (NEEDS[one] for one in needs) if not there()]
            failed.extend(())
            if failed:
                raise ImportError("".join(failed))
        """,
    "a decorator that gives back what it is given": TRY + """
        def plainly(function):
            return function

        kept = []

        def keeping(function):
            kept.append(function)
            return function

        @plainly
        def _sum(x):
            return numba.njit(x)

        @keeping
        def _kept(x):
            return numba.njit(x)  # expect: OPD202

        def total(x):
            if numba is None:
                raise ImportError("numba")
            return _sum(x) + _kept(x)
        """,
    "the type of an argument, and what another root brings": "import enum" + TRY + """
        try:
            import torch
        except ImportError:
            torch = None

        def total(x):
            if isinstance(x, (enum.Enum, bytes)) or torch is not None and isinstance(x, torch.Tensor):
                return x
            if numba is not None and isinstance(x, numba.Table) or isinstance(x, numba.Row):  # expect: OPD202
                return len(x)
            return [total(one) for one in x]
        """,
    "a stand-in that has None for what is not there": """
        class Absent:
            Table = None

        try:
            import numba
        except ImportError:
            numba = Absent()

        def total(x):
            return isinstance(x, numba.Table)  # expect: OPD202
        """,
    "what is put under a decorator of a stand-in is run by nobody": """
        class Absent:
            exp = None

            def kernel(self, function):
                return function

        try:
            import numba
        except ImportError:
            numba = Absent()

        @numba.kernel
        def _total_kernel(x):
            return numba.exp(x)

        def total(x):
            return numba.exp(x)  # expect: OPD202
        """,
    "a type's name for the type": """
        try:
            from numba import Table
        except ImportError:
            Table: type = "Table"

        def total(x):
            return isinstance(x, Table)  # expect: OPD202
        """,
}  # fmt: skip


def places(folder: Path, project: str) -> tuple[set[tuple[str, int, str]], set[tuple[str, int, str]]]:
    """The places that are marked, and those that are reported."""
    (folder / "pyproject.toml").write_text(PYPROJECT)
    (folder / "acme").mkdir()
    (folder / "acme" / "__init__.py").write_text("")
    marked = set()
    for part in ("--- acme/core.py\n" + project).split("--- ")[1:]:
        path, _, text = part.partition("\n")
        (folder / path).write_text(text)
        for number, line in enumerate(text.splitlines(), start=1):
            found = EXPECTED.search(line)
            if found:
                marked.add((path, number, found[1]))
    config = Config(select=("OPD2",))
    report = check(discover([folder], config), config)
    return marked, {(one.path, one.span.line, one.code) for one in report.findings}


@pytest.mark.parametrize("project", CASES.values(), ids=CASES.keys())
def test_who_asks(project: str, tmp_path: Path) -> None:
    lines = (line[8:] if line.startswith(" " * 8) else line for line in project.splitlines())
    marked, reported = places(tmp_path, "\n".join(lines) + "\n")
    assert reported == marked
