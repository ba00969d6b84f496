"""Fixes that must not be applied, and why; and packages that are really imported after a fix."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FIXES = Path(__file__).parents[2] / "fixtures" / "fixes"

STUBS = {
    "torch/__init__.py": "class Tensor: pass\n\n\nclass version:\n    hip = None\n",
    "torch/nn.py": "class Module:\n    pass\n",
    "numba.py": "njit = jit = lambda function: function\nnan = 0.0\nset_num_threads = print\n",
    "pyarrow.py": "def table(x):\n    return x\n\n\nclass Schema:\n    pass\n\n\nclass Table:\n    def __init__(self, x):\n        pass\n",
    "orjson.py": "dumps = str\n",
    "zstandard.py": "compress = print\n",
    "uvloop.py": "def install():\n    pass\n",
    "aiter/__init__.py": "rms_norm = lambda *args: args\ngemm = lambda *args: args\n",
    "aiter/ops.py": "",
    "flash_attn/__init__.py": "rms_norm = lambda *args: args\n",
}


@pytest.fixture
def stubs(tmp_path: Path) -> Path:
    """A folder of stub distributions."""
    for name, content in STUBS.items():
        path = tmp_path / "stubs" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    return tmp_path / "stubs"


def run(project: Path, code: str, *paths: Path) -> str:
    """The last line of what a fresh process prints, or its error."""
    search = os.pathsep.join(map(str, (project, *paths)))
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        env={"PYTHONPATH": search, "PATH": os.environ["PATH"]}, cwd=project, capture_output=True, text=True, check=False,
    )  # fmt: skip
    return (done.stdout if done.returncode == 0 else done.stderr).strip().rpartition("\n")[2]


def names(module: str) -> str:
    return f"import {module} as m; print(sorted(name for name in vars(m) if not name.startswith('_')))"


@pytest.mark.parametrize(
    ("case", "module", "call", "message"),
    [
        (
            "opd101/sentinel",
            "acme.report",
            "m.total([1])",
            "ImportError: total() needs numba: pip install 'acme[fast]'",
        ),
        ("opd101/flag_habit", "acme.table", "m.compiled(print)", "ImportError: compiled() needs numba"),
        ("opd101/shared_lines", "acme.odd", "m.g(1)", "ImportError: g() needs numba"),
        (
            "opd602/undeclared",
            "acme.codec",
            "m.dumps(1, fast=True)",
            "ImportError: dumps() needs orjson: pip install orjson",
        ),
        ("opd104/conditional_name", "acme.core", "m.total([1], fast=True)", "ImportError: total() needs numba"),
        ("opd201/handlers", "acme.expr", "m.run()", "ImportError: run() needs uvloop"),
        ("opd202/sentinels", "acme.nanops", "m.mean(1)", "ImportError: mean() needs numba"),
        ("opd204/goes_on", "acme.comp", "m.other(1)", "ImportError: other() needs numba"),
        ("opd402/module_level", "acme.probe", "print(m.HAS_OPS, m.NO_MHA)", "False True"),
        ("opd101/annotations", "acme.reader", "m.merge(pools={})", "ImportError: merge() needs pyarrow"),
        ("opd102/fallback", "acme.compat", "m.compiled(print)", "ImportError: compiled() needs numba"),
        ("opd204/other_branch", "acme.comp", "m.compiled(print)", "ImportError: compiled() needs numba"),
        ("opd602/behind", "acme.codec", "m.dumps(1)", "ImportError: dumps() needs orjson"),
        ("opd404/set_together", "acme.table", "print(m.HAS_NUMBA, m.HAS_ORJSON)", "False False"),
        ("opd403/early", "acme.probe", "print(m.has_mha())", "False"),
        ("opd404/flags", "acme.table", "print(m.HAS_NUMBA, m.HAS_PYARROW)", "False False"),
        ("opd405/rest", "acme.setup", "print(m.HAS_NUMBA)", "False"),
    ],
)
def test_really(
    tmp_path: Path, stubs: Path, repair: Callable[..., Any], case: str, module: str, call: str, message: str
) -> None:
    """Without the root the fixed module imports and says what is missing; with it the public names are as before."""
    before = Path(shutil.copytree(FIXES / case / "before", tmp_path / "before"))
    after = Path(shutil.copytree(FIXES / case / "before", tmp_path / "after"))
    repair(after)
    torch = tmp_path / "torch"
    shutil.copytree(stubs / "torch", torch / "torch")
    assert message in run(after, f"import {module} as m; {call}", torch)
    was, is_now = run(before, names(module), stubs), run(after, names(module), stubs)
    assert was.startswith("["), was
    helpers = {"find_spec", "cache", "Any", "HAS_NUMBA", "TYPE_CHECKING"}
    assert set(eval(is_now)) - helpers == set(eval(was)) - helpers
    assert "Error" not in run(after, f"import {module} as m", stubs)


def test_both_alternatives_are_asked(tmp_path: Path, stubs: Path, repair: Callable[..., Any]) -> None:
    project = Path(shutil.copytree(FIXES / "opd403/early/before", tmp_path / "project"))
    only = tmp_path / "only"
    shutil.copytree(stubs / "aiter", only / "aiter")
    call = "import acme.probe as m; print(m.has_mha())"
    assert run(project, call, only) == "False"
    repair(project)
    assert run(project, call, only) == "True"


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        (
            {"acme/__init__.py": "from acme import m\n", "acme/m.py": "import numba\n\nX = numba.njit\n"},
            "`numba` is needed while the module is imported, in line 3",
        ),
        (
            {
                "acme/__init__.py": "from acme import m\n",
                "acme/m.py": "import numba\n\n\ndef f(x: numba.Type['a', \"b\"]):\n    return x\n",
            },
            "the annotation in line 4 cannot be put in quotes",
        ),
        (
            {"acme/__init__.py": "from acme import m\n", "acme/m.py": "import numba\n\nf = lambda: numba.njit\n"},
            "`numba` is used in a lambda outside of functions, in line 3",
        ),
        (
            {"acme/__init__.py": "from acme import m\n", "acme/m.py": "class A:\n    import numba as _numba\n"},
            "the import stands in a class body",
        ),
        ({"acme/__init__.py": "from acme import m\n", "acme/m.py": "from numba import *\n"}, "star import"),
        (
            {
                "acme/__init__.py": "from acme import m\n",
                "acme/m.py": "try:\n    import orjson\nexcept ImportError:\n    raise RuntimeError('no')\n",
            },
            "already says so and gives up, on purpose",
        ),
        (
            {
                "acme/__init__.py": "from acme import m\n",
                "acme/m.py": "import numba\nfrom torch.errors import ImportError\n\ndef f(x): return numba.njit(x)\n",
            },
            "the file gives `ImportError` a meaning of its own",
        ),
    ],
)
def test_refusals(make: Any, repair: Callable[..., Any], files: dict[str, str], reason: str) -> None:
    root = make(files)
    outcome = repair(root)
    assert not outcome.contents
    assert any(reason in text for text in outcome.refused.values()), outcome.refused


def test_a_fix_that_brings_something_new_is_refused(
    make: Any, repair: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A repair that only moves the fault is caught by the proof."""
    from optdep_lint.fixers import absence

    monkeypatch.setattr(absence, "insert_checks", lambda *_: None)
    root = make(
        {
            "acme/__init__.py": "from acme import m\n",
            "acme/m.py": "import numba\n\n\ndef f(x):\n    return numba.njit(x)\n",
        }
    )
    outcome = repair(root)
    assert not outcome.contents
    assert "the edit would bring OPD202 in acme/m.py" in next(iter(outcome.refused.values()))


def test_what_was_in_the_way_is_tried_after_a_refusal(make: Any, repair: Callable[..., Any]) -> None:
    """Two fixes want the same line; the first is refused, and the second is applied nevertheless."""
    root = make({
        "acme/__init__.py": "from acme import m\n",
        "acme/m.py": "import numba\nimport pyarrow\n\nif numba:\n    import numba.cuda\n\n\ndef f(x):\n    return numba.njit(x), pyarrow.table(x)\n",
        "acme/n.py": "import pyarrow;import numba\n\nif f:\n    import pyarrow.compute as c\n\n\ndef f(x):\n    return numba.njit(x), pyarrow.table(x), c\n",
    })  # fmt: skip
    outcome = repair(root)
    assert outcome.contents.keys() == {"acme/m.py"}


def test_what_comes_to_light_is_repaired_as_well(make: Any, repair: Callable[..., Any]) -> None:
    """Behind a cured import stands another: both are repaired, or neither is."""
    fallback = "try:\n    from {} import go as {}\nexcept ImportError:\n    from {} import go as {}\n\n"
    text = fallback.format("numba", "run", "numba.old", "run") + fallback.format("ujson", "dump", "orjson", "dump")
    text += "\ndef f(x):\n    return run(x), dump(x)\n"
    root = make({"acme/__init__.py": "from acme import m\n", "acme/m.py": text})
    outcome = repair(root)
    assert [finding.absent for finding in outcome.applied] == ["numba", "orjson"]
    root = make({"acme/__init__.py": "from acme import m\n", "acme/m.py": f"{text}\n\nX = dump\n"})
    outcome = repair(root)
    assert not outcome.contents


def test_a_name_in_a_quoted_annotation_is_no_variable(make: Any, repair: Callable[..., Any]) -> None:
    root = make({
        "acme/__init__.py": "from acme import m\n",
        "acme/py.typed": "",
        "acme/m.py": "import numba as nb\n\n\ndef f(x: 'list[nb.T]') -> object:\n    return nb.njit(x)\n",
    })  # fmt: skip
    assert repair(root).applied
    assert "if TYPE_CHECKING:\n    import numba as nb\nelse:\n    try:\n" in (root / "acme/m.py").read_text()


def test_a_resolver_imports_what_its_question_needs(make: Any, repair: Callable[..., Any]) -> None:
    root = make({
        "acme/__init__.py": "from acme import m\n",
        "acme/m.py": "from torch import nn\n\n\nclass A(nn.Module):\n    def forward(self, x):\n        import importlib.util\n"
        "        if importlib.util.find_spec('numba'):\n            from numba import (\n                njit,\n            )\n"
        "            return njit(x)\n        return x\n",
    })  # fmt: skip
    assert repair(root).applied
    text = (root / "acme/m.py").read_text()
    assert "    import importlib.util\n\n    return importlib.util.find_spec('numba')\n" in text
    assert "    from numba import (\n        njit,\n    )\n\n    return njit\n" in text


def test_a_flag_before_an_elif_goes_before_the_first_branch(make: Any, repair: Callable[..., Any]) -> None:
    root = make({
        "acme/__init__.py": "from acme import m\n",
        "acme/m.py": "import sys\n\nif sys.platform == 'darwin':\n    njit = print\nelif sys.platform == 'linux':\n"
        "    from numba import njit\nelse:\n    njit = print\n\n\ndef f(x):\n    return njit(x)\n",
    })  # fmt: skip
    assert repair(root).applied
    assert (
        "HAS_NUMBA = find_spec(\"numba\") is not None\n\nif sys.platform == 'darwin':"
        in (root / "acme/m.py").read_text()
    )


def test_find_spec_under_another_name(make: Any, repair: Callable[..., Any]) -> None:
    root = make({
        "acme/__init__.py": "from acme import m\n",
        "acme/m.py": "from importlib import import_module, util as u\n\nHAS = u.find_spec('pyarrow.parquet') is not None\n",
    })  # fmt: skip
    assert repair(root).applied
    assert "    return u.find_spec(name) is not None\n" in (root / "acme/m.py").read_text()


def test_safe_fixes_alone(make: Any, repair: Callable[..., Any]) -> None:
    root = make({
        "acme/__init__.py": "from acme import m\n",
        "acme/m.py": "import numba\n\n\ndef f(x):\n    return numba.njit(x)\n",
        "acme/n.py": "try:\n    from pyarrow import Table\nexcept Exception:\n    Table = None\n\n\ndef f():\n    return Table is None\n",
    })  # fmt: skip
    outcome = repair(root, unsafe=False)
    assert outcome.contents.keys() == {"acme/m.py"}
    assert repair(root).contents.keys() == {"acme/n.py"}


def test_suppressed_findings_are_left(make: Any, repair: Callable[..., Any]) -> None:
    text = "import numba  # optdep: ignore[OPD101]\n\n\ndef f(x):\n    return numba.njit(x)\n"
    root = make({"acme/__init__.py": "from acme import m\n", "acme/m.py": text})
    assert not repair(root).contents


GUARDED = {
    "acme/__init__.py": "from acme import m\n",
    "acme/m.py": "import numba\n\n\ndef f(x):\n    return numba.njit(x)\n",
}


def test_what_has_been_read_is_not_read_again(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A proof reads the edited files alone."""
    from optdep_lint import engine, reading
    from optdep_lint.config import Config
    from optdep_lint.discovery import discover
    from optdep_lint.fixers.passes import Passes

    root = make(GUARDED)
    (project,) = discover([root], Config())
    looked = engine.look(project, Config())
    summarized: list[bytes] = []
    original = reading._summarize_bytes
    monkeypatch.setattr(reading, "_summarize_bytes", lambda content: summarized.append(content) or original(content))
    outcome = Passes(looked, Config(), fixable=None, unsafe=True).run()
    assert summarized == [outcome.contents["acme/m.py"]]


def test_a_file_that_changes_meanwhile_is_not_repaired(make: Any) -> None:
    """Places that were found in other bytes mean nothing."""
    from optdep_lint import engine
    from optdep_lint.config import Config
    from optdep_lint.discovery import discover
    from optdep_lint.fixers.passes import Passes

    root = make(GUARDED)
    (project,) = discover([root], Config())
    looked = engine.look(project, Config())
    (root / "acme" / "m.py").write_text("# mine\nimport numba\n")
    outcome = Passes(looked, Config(), fixable=None, unsafe=True).run()
    assert not outcome.contents
    assert list(outcome.refused.values()) == ["it has changed since it was read"]
