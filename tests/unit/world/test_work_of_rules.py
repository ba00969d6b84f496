"""How much the rules do: it follows what can matter, not what is there. Work is counted, not timed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from optdep_lint import engine
from optdep_lint.config import Config
from optdep_lint.discovery import discover
from optdep_lint.facts.summary import Summary
from optdep_lint.facts.syntax import Block
from optdep_lint.facts.walk import Definition
from optdep_lint.world.calltime import CallTime, Use
from optdep_lint.world.evaluation import Evaluation
from optdep_lint.world.modules import Module
from optdep_lint.world.probes import Inquirer

FILES = {
    "pyproject.toml": '[project]\nname = "acme"\nversion = "1"\n[project.optional-dependencies]\nfast = ["numba", "cupy"]\n',
    "acme/__init__.py": "",
    "acme/probes.py": (
        "from importlib.util import find_spec\n\n\n"
        "def has_kernels():\n"
        "    try:\n"
        "        return find_spec('numba.core') is not None or find_spec('cupy.cuda') is not None\n"
        "    except ImportError:\n"
        "        return False\n"
    ),
    "acme/kernels.py": (
        "from acme.probes import has_kernels\n\n\n"
        "def run(batch):\n"
        "    if has_kernels():\n"
        "        import numba\n\n"
        "        return numba.jit(batch)\n"
        "    for one in batch:\n"
        "        import cupy\n\n"
        "        cupy.asarray(one)\n"
        "    return batch\n"
    ),
}
PLAIN = "import json\n\nfrom acme import probes\n\n\n" + "".join(
    f"def f{number}(text):\n"
    "    if not text:\n"
    f"        raise ValueError('nothing to read: {number}')\n"
    "    try:\n"
    "        return [json.loads(line) for line in text]\n"
    "    except Exception:\n"
    "        return None\n\n\n"
    for number in range(20)
)
"""A file of functions that have nothing to do with what is optional, though it could come by what probes."""


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How many bodies were decoded, how many inquiries made, and how often each module was evaluated."""
    done: Counter[str] = Counter()
    body_of, ask, run = Summary.body_of, Inquirer._ask, Evaluation.run_module

    def decoded(self: Summary, index: int) -> Block:
        done["decoded"] += index not in self.decoded
        return body_of(self, index)

    def asked(self: Inquirer, *given: object, **named: object) -> object:
        done["asked"] += 1
        return ask(self, *given, **named)  # type: ignore[arg-type]

    def ran(self: Evaluation, module: object) -> None:
        done[module.name] += 1  # type: ignore[attr-defined]
        run(self, module)  # type: ignore[arg-type]

    monkeypatch.setattr(Summary, "body_of", decoded)
    monkeypatch.setattr(Inquirer, "_ask", asked)
    monkeypatch.setattr(Evaluation, "run_module", ran)
    return done


def looked(root: Path, plain: int) -> engine.Looked:
    """A project with so many plain modules, in all its worlds."""
    return written(root, FILES | {f"acme/plain{number}.py": PLAIN for number in range(plain)})


def written(root: Path, files: Mapping[str, str]) -> engine.Looked:
    """A project of these files, in all its worlds."""
    for name, text in {"pyproject.toml": FILES["pyproject.toml"], "acme/__init__.py": "", **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (project,) = discover([root], Config())
    return engine.look(project, Config())


def test_the_work_of_the_rules_follows_what_can_matter(tmp_path: Path, work: Counter[str]) -> None:
    done = []
    for plain in (0, 1, 10):
        evaluated = looked(tmp_path / str(plain), plain)
        work.clear()
        findings = engine.judge(evaluated, Config(select=("ALL",))).findings
        assert {finding.code for finding in findings} >= {"OPD401", "OPD501"}
        done.append(dict(work))
    assert done[0] == done[1] == done[2], "functions that spell nothing of interest are not even decoded"
    assert 0 < done[0]["asked"] <= 20
    assert done[0]["decoded"] <= 2, "the functions of two modules, if the survey has not read them already"
    assert done[0].get("acme.kernels", 0) <= 4, "one inquiry is shared by all rules that ask the same"


def test_an_inquiry_is_made_once(tmp_path: Path, work: Counter[str]) -> None:
    evaluated = looked(tmp_path, 0)
    engine.judge(evaluated, Config(select=("ALL",)))
    work.clear()
    engine.judge(evaluated, Config(select=("OPD401", "OPD402", "OPD407")))
    assert not work["asked"], "what the rules have asked is kept with the survey"


def test_functions_that_only_read_a_root_are_not_decoded_for_hot_paths(tmp_path: Path, work: Counter[str]) -> None:
    functions = "".join(f"def f{number}(x):\n    return numba.jit(x)\n\n\n" for number in range(9))
    evaluated = written(tmp_path, {"acme/plain.py": f"import numba\n\n\n{functions}"})
    work.clear()
    engine.judge(evaluated, Config(select=("OPD501",)))
    assert not work["decoded"]


def test_what_fails_for_checkers_only_is_called_in_one_world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = (
        "from typing import TYPE_CHECKING\n\ntry:\n    import numba\nexcept ImportError:\n    numba = None\n"
        "if TYPE_CHECKING:\n    from acme.other import Other\n\n\ndef make():\n    return Other()\n"
    )
    called: Counter[str] = Counter()
    call = CallTime.call

    def counted(self: CallTime, module: Module, definition: Definition) -> Iterator[Use]:
        called[definition.name] += 1
        return call(self, module, definition)

    monkeypatch.setattr(CallTime, "call", counted)
    written(tmp_path, {"acme/makers.py": text, "acme/other.py": "class Other: ...\n"})
    assert called["make"] == 1, "without numba its module is evaluated again, but this is no other there"
