"""Every setting that changes what is found: the same project without it and with it."""

from __future__ import annotations

import dataclasses
import re
import textwrap
from pathlib import Path
from typing import NamedTuple

import pytest

from optdep_lint import engine
from optdep_lint.config import Config, with_settings
from optdep_lint.discovery import discover

PROJECT = """
[project]
name = "acme"
version = "1"
dependencies = ["numpy"]

[project.optional-dependencies]
gpu = ["torch", "aiter"]
"""


class Case(NamedTuple):
    """A project, and one setting."""

    settings: dict[str, object]
    before: set[tuple[str, int, str]]
    """What is found without it, as (file, line, code)."""
    after: set[tuple[str, int, str]]
    """What is found with it."""
    sources: str
    """`# file: acme/x.py` starts a file."""


def found(folder: Path, sources: str, config: Config) -> set[tuple[str, int, str]]:
    (folder / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
    parts = re.split(r"^# file: (\S+)\n", textwrap.dedent(sources), flags=re.MULTILINE)
    for name, text in zip(["acme/__init__.py", *parts[1::2]], ["", *parts[2::2]], strict=True):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    report = engine.check(discover([folder], config), config)
    return {(one.path, one.span.line, one.code) for one in report.findings}


COMPAT = """
        # file: acme/compat.py
        from acme._table import lookup
        TORCH = KERNELS = True  # the build writes what it has found
        def has_torch():
            return TORCH
        def require(name):
            if not lookup(name):
                raise ImportError(f"{name} is missing")
        def ready():
            return KERNELS
        def needs(*names):
            def decorate(function):
                return lookup.guarding(function, names)
            return decorate
        # file: acme/_table.py
        import json
        import os
        lookup = json.loads(os.environ["TABLE"])
"""

CASES = {
    "platform-provides": Case(
        {"platform-provides": {"is_rocm": ["aiter"]}},
        {("acme/a.py", 3, "OPD102")},
        set(),
        """
        # file: acme/__init__.py
        import acme.a
        # file: acme/a.py
        from acme.platform import is_rocm
        if is_rocm():
            import aiter
        # file: acme/platform.py
        import numpy
        def is_rocm():
            return numpy.version.hip is not None
        """,
    ),
    "optional": Case(
        {"optional": ["numpy"]},
        set(),
        {("acme/__init__.py", 1, "OPD101")},
        """
        # file: acme/__init__.py
        import numpy
        """,
    ),
    "must-import": Case(
        {"must-import": ["acme.api"]},
        set(),
        {("acme/api.py", 1, "OPD101")},
        """
        # file: acme/api.py
        import torch
        """,
    ),
    "must-import, a glob": Case(
        {"must-import": ["acme.api.*"]},
        set(),
        {("acme/api/a.py", 1, "OPD101")},
        """
        # file: acme/api/__init__.py
        # file: acme/api/a.py
        import torch
        # file: acme/other.py
        import aiter
        """,
    ),
    "feature-modules": Case(
        {"feature-modules": {"torch": ["acme.nn*"]}},
        {("acme/nn/layers.py", 1, "OPD101")},
        set(),
        """
        # file: acme/__init__.py
        import acme.nn.layers
        # file: acme/nn/__init__.py
        # file: acme/nn/layers.py
        import torch
        """,
    ),
    "hot-paths": Case(
        {"hot-paths": ["acme.server.Server.handle"]},
        set(),
        {("acme/server.py", 3, "OPD501")},
        """
        # file: acme/server.py
        class Server:
            def handle(self, request):
                import torch
                return torch.tensor(request)
            def start(self):
                import torch
                return torch.zeros(1)
        """,
    ),
    "strict": Case(
        {"strict": True},
        set(),
        {("acme/torch_backend.py", 1, "OPD101")},
        """
        # file: acme/torch_backend.py
        import torch
        """,
    ),
    "strict, on hot paths": Case(
        {"strict": True, "hot-paths": ["acme.server.handle"]},
        set(),
        {("acme/server.py", 2, "OPD501")},
        """
        # file: acme/server.py
        def handle(request):
            import numpy
            return numpy.array(request)
        """,
    ),
    "without": Case(
        {"without": ["aiter"]},
        {("acme/__init__.py", 1, "OPD101"), ("acme/__init__.py", 2, "OPD101")},
        {("acme/__init__.py", 2, "OPD101")},
        """
        # file: acme/__init__.py
        import torch
        import aiter
        """,
    ),
    "atomic-extras": Case(
        {"atomic-extras": True},
        {("acme/__init__.py", 7, "OPD101")},
        set(),
        """
        # file: acme/__init__.py
        try:
            import torch
        except ImportError:
            torch = None
        else:
            # comes with the same extra
            import aiter
        """,
    ),
    "package-module-name-map": Case(
        {"package-module-name-map": {"numpy": ["numpy", "acme_arrays"]}},
        {("acme/__init__.py", 1, "OPD602")},
        set(),
        """
        # file: acme/__init__.py
        import acme_arrays
        """,
    ),
    "target-python": Case(
        {"target-python": "3.10"},
        set(),
        {("acme/__init__.py", 3, "OPD102")},
        """
        # file: acme/__init__.py
        import sys
        if sys.version_info < (3, 11):
            import torch
        """,
    ),
    "target-platform": Case(
        {"target-platform": "win32"},
        set(),
        {("acme/__init__.py", 3, "OPD102")},
        """
        # file: acme/__init__.py
        import sys
        if sys.platform == "win32":
            import torch
        """,
    ),
    "include-tests": Case(
        {"include-tests": True, "strict": True},
        set(),
        {("tests/test_a.py", 1, "OPD101")},
        """
        # file: tests/test_a.py
        import torch
        """,
    ),
    "guards, a function that answers": Case(
        {"guards": ["acme.compat.has_torch"]},
        {("acme/__init__.py", 3, "OPD102")},
        set(),
        """
        # file: acme/__init__.py
        from acme.compat import has_torch
        if has_torch():
            import torch
        """
        + COMPAT,
    ),
    "guards, an answer says nothing about another root": Case(
        {"guards": ["acme.compat.has_torch"]},
        {("acme/__init__.py", 3, "OPD102")},
        {("acme/__init__.py", 3, "OPD102")},
        """
        # file: acme/__init__.py
        from acme.compat import has_torch
        if has_torch():
            import aiter
        """
        + COMPAT,
    ),
    "guards, with the root in the settings": Case(
        {"guards": {"acme.compat.ready": ["torch", "aiter"]}},
        {("acme/__init__.py", 3, "OPD102"), ("acme/__init__.py", 4, "OPD102")},
        set(),
        """
        # file: acme/__init__.py
        from acme import compat
        if compat.ready():
            import torch
            import aiter
        """
        + COMPAT,
    ),
    "guards, a function that raises": Case(
        {"guards": ["require"]},
        {("acme/a.py", 8, "OPD201"), ("acme/a.py", 10, "OPD201"), ("acme/a.py", 12, "OPD201")},
        {("acme/a.py", 10, "OPD201"), ("acme/a.py", 12, "OPD201")},
        """
        # file: acme/a.py
        from acme.compat import require
        try:
            import torch
        except ImportError:
            pass
        def one(x):
            require("torch>=2")
            return torch.tensor(x)
        def other(x):
            return torch.tensor(x)
        def third(x):
            return torch.tensor(x) if require("aiter") else torch.zeros(1)
        """
        + COMPAT,
    ),
    "guards, a decorator": Case(
        {"guards": ["acme.compat.needs"]},
        {
            ("acme/a.py", 8, "OPD201"),
            ("acme/a.py", 12, "OPD201"),
            ("acme/a.py", 16, "OPD201"),
            ("acme/a.py", 19, "OPD201"),
        },
        {("acme/a.py", 16, "OPD201"), ("acme/a.py", 19, "OPD201")},
        """
        # file: acme/a.py
        from acme.compat import needs
        try:
            import torch
        except ImportError:
            pass
        @needs("torch")
        def one(x):
            return torch.tensor(x)
        @needs("numpy", "torch")
        class Model:
            def run(self, x):
                return torch.tensor(x)
        class Other:
            @needs("aiter")
            def run(self, x):
                return torch.tensor(x)
            @staticmethod
            def plain(x):
                return torch.tensor(x)
        """
        + COMPAT,
    ),
    "guards, a decorator of another project, without a call": Case(
        {"guards": {"guarding.needs_torch": ["torch"]}},
        {("acme/a.py", 8, "OPD201")},
        set(),
        """
        # file: acme/a.py
        from numpy import guarding
        try:
            import torch
        except ImportError:
            pass
        @guarding.needs_torch
        def one(x):
            return torch.tensor(x)
        """,
    ),
    "guards, at import time what is guarded refuses": Case(
        {"guards": ["acme.compat.needs"]},
        set(),
        {("acme/__init__.py", 5, "OPD101")},
        """
        # file: acme/__init__.py
        from acme.compat import needs
        @needs("torch")
        def load():
            import torch
        load()
        """
        + COMPAT,
    ),
}


ELSEWHERE = {
    "select", "ignore", "extend-select", "per-file-ignores", "severity", "fixable", "unfixable", "exclude",
    "respect-gitignore", "force-exclude", "python",
}  # fmt: skip
"""Settings that choose among findings or files, and have tests of their own."""


def test_every_setting_has_a_case() -> None:
    keys = {field.name.replace("_", "-") for field in dataclasses.fields(Config)}
    assert {name.partition(",")[0] for name in CASES} == keys - ELSEWHERE


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_a_setting_changes_what_is_found(case: Case, tmp_path: Path) -> None:
    config = Config(select=("OPD1", "OPD2", "OPD5", "OPD602"))
    assert found(tmp_path, case.sources, config) == case.before
    assert found(tmp_path, case.sources, with_settings(config, case.settings, "test")) == case.after
