"""The linter's verdicts on the incidents, held against the marked lines, and what its fixes do to the running packages.

Every variant is checked on a copy, so that no configuration of this repository reaches it. A line ends in `# expect: CODE`
where a finding must stand, and no other line may have one.
"""

from __future__ import annotations

import json
import math
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

pytest.importorskip("optdep_lint.engine", reason="the engine that gives the verdicts has not landed yet")

ROOT = Path(__file__).resolve().parents[2]
INCIDENTS = ROOT / "fixtures" / "incidents"
STUBS = ROOT / "fixtures" / "stubs"
VARIANTS = sorted(path.parent.relative_to(INCIDENTS).as_posix() for path in INCIDENTS.glob("*/*/pyproject.toml"))
FAULTY = [name for name in VARIANTS if not name.endswith(("/recommended", "hidden_probe/before"))]

EXPECTED = re.compile(r"# expect: (OPD\d{3}(?:, OPD\d{3})*)\s*$")
EXPECTED_AGAINST = re.compile(r"# expect against (\w+): (OPD\d{3})\s*$")


def check(project: Path, *arguments: str) -> tuple[int, str]:
    """Run the linter on a project folder as a user would; return the exit code and standard output."""
    search = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH")]))
    process = subprocess.run(
        [
            sys.executable,
            "-m",
            "optdep_lint",
            "check",
            "--output-format",
            "json",
            "--no-cache",
            "--isolated",
            *arguments,
            ".",
        ],
        cwd=project,
        env={**os.environ, "PYTHONPATH": search, "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    assert process.returncode in (0, 1), process.stderr
    return process.returncode, process.stdout


def places(output: str) -> set[tuple[str, int, str]]:
    """Return path, line and code of each finding."""
    findings = json.loads(output)
    answer = {(finding["path"].removeprefix("./"), finding["line"], finding["code"]) for finding in findings}
    assert len(answer) == len(findings), "one cause is one finding"
    return answer


def expectations(project: Path, pattern: re.Pattern[str] = EXPECTED) -> set[tuple[str, int, str]]:
    """Return path, line and code of each mark."""
    marks = set()
    for path in project.rglob("*.py"):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if found := pattern.search(line):
                codes = found.group(found.lastindex or 1).split(", ")
                marks |= {(path.relative_to(project).as_posix(), number, code) for code in codes}
    return marks


@pytest.fixture
def copy(tmp_path: Path) -> Callable[[str], Path]:
    """Return a function that copies one variant to a folder of its own."""

    def make(variant: str) -> Path:
        return Path(shutil.copytree(INCIDENTS / variant, tmp_path / variant.replace("/", "-")))

    return make


@pytest.mark.parametrize("variant", VARIANTS)
def test_verdicts(copy: Callable[[str], Path], variant: str) -> None:
    """Both ways: every mark has its finding, every finding its mark."""
    project = copy(variant)
    code, output = check(project)
    assert places(output) == expectations(project)
    assert code == (1 if expectations(project) else 0)


def test_verdict_against_a_release(copy: Callable[[str], Path]) -> None:
    """With the new release at hand, a probe for the place that it gave up is dead."""
    if (
        "--against"
        not in subprocess.run(
            [sys.executable, "-m", "optdep_lint", "check", "--help"],
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=False,
        ).stdout
    ):
        pytest.skip("`check --against` has not landed yet")
    project = copy("hidden_probe/before")
    _, output = check(project, "--against", str(STUBS / "flash_attn_new"))
    assert places(output) == expectations(project, EXPECTED_AGAINST)
    _, output = check(project, "--against", str(STUBS / "flash_attn_old"))
    assert places(output) == set()


def test_shim_is_quiet_when_strict(tmp_path: Path) -> None:
    """The form that the rules ask for has nothing to report, whatever is asked."""
    project = Path(shutil.copytree(ROOT / "fixtures" / "shim", tmp_path / "shim"))
    code, output = check(project, "--strict")
    assert places(output) == set()
    assert code == 0


def test_kernels_are_marked(tmp_path: Path) -> None:
    """The ways to a kernel that the benchmark measures against the shim are reported, and nothing else."""
    source = ROOT / "fixtures" / "kernels"
    project = Path(shutil.copytree(source, tmp_path / "kernels", ignore=shutil.ignore_patterns("releases")))
    _, output = check(project)
    assert places(output) == expectations(project)


# -- after `--fix` -----------------------------------------------------------------------------------------------------

START = """
from llmserve.v1.worker.gpu_model_runner import GPUModelRunner
runner = GPUModelRunner(speculative=True)
keys, values = [[1.0, 0.0], [0.0, 1.0]], [[1.0, 2.0], [3.0, 4.0]]
result = [runner.prefill([1.0, 0.0], keys, values), runner.decode([1.0, 0.0], [keys], [values], [0])]
"""
STEP = """
from llmserve.config.compilation import PassConfig
from llmserve.config.engine import EngineConfig
from llmserve.v1.worker.gpu_model_runner import GPUModelRunner
runner = GPUModelRunner(EngineConfig(PassConfig(True)))
q, k = runner.execute([[3.0, 4.0]], [[6.0, 8.0]])
import builtins
seen, real = [], builtins.__import__
def counting(name, *args, **kwargs):
    seen.append(name)
    return real(name, *args, **kwargs)
builtins.__import__ = counting
for _ in range(10):
    runner.execute([[3.0, 4.0]], [[6.0, 8.0]])
builtins.__import__ = real
import aiter.ops.fused_qk_norm_rope_cache_quant as fused_ops
result = [q[0], k[0], len(seen), len(fused_ops.CALLS)]
"""
AVAILABLE = "from llmserve.platforms.rocm import flash_attn_triton_available as available\nresult = available()"
EMBED = """
from llmserve.model_executor.layers.vit_attention import VitAttention
attention = VitAttention()
result = [attention.backend, attention([1.0, 0.0], [[1.0, 0.0], [0.0, 1.0]], [[1.0, 2.0], [3.0, 4.0]])]
"""
FIRST = math.exp(1 / math.sqrt(2)) / (1 + math.exp(1 / math.sqrt(2)))
ATTENTION = pytest.approx([1 * FIRST + 3 * (1 - FIRST), 2 * FIRST + 4 * (1 - FIRST)])
NORMS = [
    pytest.approx([x / math.sqrt(12.5 + 1e-6) for x in (3.0, 4.0)]),
    pytest.approx([2 * x / math.sqrt(50 + 1e-5) for x in (6.0, 8.0)]),
]
ROCM = {"LLMSERVE_PLATFORM": "rocm"}


@pytest.fixture
def fixed(copy: Callable[[str], Path]) -> Callable[[str], Path]:
    """Return a function that copies one variant and lets the linter repair the copy."""

    def make(variant: str) -> Path:
        project = copy(variant)
        check(project, "--fix", "--unsafe-fixes")
        return project

    return make


@pytest.mark.parametrize("variant", FAULTY)
def test_fix_is_stable(fixed: Callable[[str], Path], variant: str) -> None:
    """A second run changes no byte."""
    project = fixed(variant)
    once = {path: path.read_bytes() for path in sorted(project.rglob("*.py"))}
    check(project, "--fix", "--unsafe-fixes")
    assert {path: path.read_bytes() for path in sorted(project.rglob("*.py"))} == once


@pytest.mark.parametrize(
    ("variant", "codes"),
    [
        ("platform_guard/before", {"OPD102", "OPD301"}),
        ("platform_guard/wrong_availability_on_block_only", {"OPD301"}),
        ("platform_guard/wrong_sham_find_spec", {"OPD102", "OPD301"}),
        ("gate_and_rename/before", {"OPD302", "OPD501"}),
        ("gate_and_rename/wrong_nested_try_per_call", {"OPD302", "OPD502"}),
        ("gate_and_rename/after", {"OPD501"}),
        ("hidden_probe/wrong_top_guard_kept", {"OPD403"}),
        ("hidden_probe/wrong_shared_try", {"OPD401"}),
    ],
)
def test_fix_removes_the_finding(fixed: Callable[[str], Path], variant: str, codes: set[str]) -> None:
    _, output = check(fixed(variant))
    assert not {code for _, _, code in places(output)} & codes


@pytest.mark.parametrize("variant", [name for name in FAULTY if name.startswith("platform_guard/")])
def test_fix_guard_changes_nothing_with_aiter(
    stage: Callable[..., object], fixed: Callable[[str], Path], variant: str
) -> None:
    """With aiter there, both operations are registered and called as before: the side-effect import has survived."""
    project = fixed(variant)
    outcome = stage(project, "aiter_old", **ROCM).run(START + "import aiter\nresult.append(aiter.CALLS)")
    assert outcome.error is None, outcome
    assert outcome.result == [
        ATTENTION,
        ATTENTION,
        ["flash_attn_varlen_func", "paged_attention_v1", "flash_attn_varlen_func"],
    ]


@pytest.mark.parametrize("variant", [name for name in FAULTY if name.startswith("platform_guard/")])
def test_fix_guard_starts_without_aiter(
    stage: Callable[..., object], fixed: Callable[[str], Path], variant: str
) -> None:
    """A machine without aiter that does not ask for it starts, drafts and answers."""
    project = fixed(variant)
    outcome = stage(project, "aiter_absent", LLMSERVE_ROCM_USE_AITER="0", **ROCM).run(START)
    assert outcome.error is None, outcome
    assert outcome.result == [ATTENTION, ATTENTION]


@pytest.mark.parametrize("variant", [name for name in FAULTY if name.startswith("platform_guard/")])
def test_fix_guard_never_calls_what_is_not_registered(
    stage: Callable[..., object], fixed: Callable[[str], Path], variant: str
) -> None:
    """Where aiter is asked for and absent, whatever happens, it is not an operation that does not exist."""
    outcome = stage(fixed(variant), "aiter_absent", **ROCM).run(START)
    assert "_OpNamespace" not in outcome.message


@pytest.mark.parametrize(
    ("variant", "release", "fused"),
    [
        ("before", "aiter_old", True),
        ("before", "aiter_new", False),
        ("before", "aiter_neither", False),
        ("wrong_nested_try_per_call", "aiter_old", True),
        ("wrong_nested_try_per_call", "aiter_new", True),
        ("wrong_nested_try_per_call", "aiter_neither", False),
        ("after", "aiter_old", True),
        ("after", "aiter_new", True),
        ("after", "aiter_neither", False),
    ],
)
def test_fix_gate(
    stage: Callable[..., object], fixed: Callable[[str], Path], variant: str, release: str, fused: bool
) -> None:
    """Both gates agree, so no step fails; and no call imports anything any more."""
    outcome = stage(fixed(f"gate_and_rename/{variant}"), release, **ROCM).run(STEP)
    assert outcome.error is None, outcome
    assert outcome.result == [*NORMS, 0, 11 if fused else 0]


@pytest.mark.parametrize("variant", ["wrong_top_guard_kept", "wrong_shared_try"])
def test_fix_hidden_probe_answers(stage: Callable[..., object], fixed: Callable[[str], Path], variant: str) -> None:
    """The probe now sees the kernels on a machine that has aiter only, and stays right everywhere else."""
    project = fixed(f"hidden_probe/{variant}")
    switched_on = {"FLASH_ATTENTION_TRITON_AMD_ENABLE": "TRUE", **ROCM}
    for stubs, expected in (
        (("aiter_new",), True),
        (("aiter_old",), False),
        ((), False),
        (("flash_attn_old",), True),
        (("flash_attn_new", "aiter_new"), True),
        (("flash_attn_new",), False),
    ):
        outcome = stage(project, *stubs, **switched_on).run(AVAILABLE)
        assert outcome.result is expected, (stubs, outcome)
    assert stage(project, "flash_attn_old", **ROCM).run(AVAILABLE).result is False
    assert stage(project, "flash_attn_old", **switched_on).run(EMBED).result == ["FLASH_ATTN", ATTENTION]
