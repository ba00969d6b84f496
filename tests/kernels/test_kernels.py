"""The kernel fixtures on a CPU: torch and Triton (through its interpreter) against NumPy in float64."""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec("torch") is None or importlib.util.find_spec("numpy") is None,
    reason="needs torch and numpy (a CPU build will do)",
)
needs_triton = pytest.mark.skipif(
    importlib.util.find_spec("triton") is None, reason="needs triton, for its interpreter"
)

ROOT = Path(__file__).resolve().parents[2]
KERNELS = ROOT / "fixtures" / "kernels"
TOLERANCE = {"fp32": 2e-6, "fp16": 1e-3, "bf16": 8e-3}
LABELS = {
    "old": ["fused, outputs by the callee", "fused, outputs by the callee, copied", "fused"],
    "new": ["fused, outputs by the caller", "fused, outputs by the caller", "fused"],
    None: ["torch", "torch, copied", "torch"],
}


def drive(release: str | None, **environment: str) -> dict[str, object]:
    """Run the driver with one release of the dependency installed, or none."""
    folders = [KERNELS, *([KERNELS / "releases" / release] if release else [])]
    process = subprocess.run(
        [sys.executable, "-B", str(Path(__file__).with_name("drive.py"))],
        env={
            **os.environ,
            "PYTHONPATH": os.pathsep.join(map(str, folders)),
            "TRITON_INTERPRET": "1",
            "CUDA_VISIBLE_DEVICES": "",
            **environment,
        },
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert process.returncode == 0, process.stderr
    return json.loads(process.stdout)


def check(report: dict[str, object], expected: str | None, ways: int) -> None:
    assert report["label"] == LABELS[expected]
    assert len(report["norms"]) == ways * len(TOLERANCE)
    assert len(report["rotary"]) == 3 * len(TOLERANCE)
    for errors in (report["norms"], report["rotary"]):
        for name, worst in errors.items():
            assert worst <= TOLERANCE[name.rpartition(" ")[2]], (name, worst)
    assert "test_faketensor" in report["operations"]


def test_without_the_dependency() -> None:
    check(drive(None), None, 4)


@needs_triton
@pytest.mark.parametrize("release", ["old", "new"])
def test_with_the_dependency(release: str) -> None:
    report = drive(release)
    check(report, release, 6)
    assert all(report["conventions"][release])
    assert report["refusals"] == [
        "expected [tokens, size], a weight [size] and an output like the input",
        "expected [tokens, size], a weight [size] and an output like the input",
        "q and k have different numbers of tokens",
    ]


@needs_triton
def test_there_but_not_wanted() -> None:
    check(drive("new", ENGINE_USE_FUSED="0"), None, 6)


def test_found_but_not_importable(tmp_path: Path) -> None:
    """A release whose Triton is missing falls back to torch, for every operation."""
    blocked = tmp_path / "triton"
    blocked.mkdir()
    blocked.joinpath("__init__.py").write_text(
        "raise ImportError('libtriton.so: undefined symbol')\n", encoding="utf-8"
    )
    code = (
        "import json\n"
        "from engine_kernels import norms, rotary, _optional\n"
        "print(json.dumps([norms.DUAL_NORM.label, norms.DUAL_NORM_OUT.label, rotary.ROTARY.label,"
        " _optional.found('fused_kernels'), str(_optional.failure('fused_kernels.dual_norm'))]))"
    )
    path = os.pathsep.join(map(str, (tmp_path, KERNELS, KERNELS / "releases" / "new")))
    process = subprocess.run(
        [sys.executable, "-B", "-c", code],
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert json.loads(process.stdout) == [*LABELS[None], True, "libtriton.so: undefined symbol"], process.stderr


@needs_triton
def test_the_benchmark_runs_without_a_gpu() -> None:
    process = subprocess.run(
        [sys.executable, "-B", str(ROOT / "benchmarks" / "kernel_dispatch.py"), "--cpu"],
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )
    assert process.returncode == 0, process.stderr
    for words in ("per-call import with fallback", "import once per call, hasattr", "resolved once (shim)", "bf16"):
        assert words in process.stdout
