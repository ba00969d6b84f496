"""What really happens: every variant of every incident, with every combination of stub distributions."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from pathlib import Path

import pytest

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"

AITER = ("aiter_absent", "aiter_old", "aiter_new", "aiter_neither", "aiter_broken", "aiter_crashing")
WORKING_AITER = ("aiter_old", "aiter_new", "aiter_neither")
FLASH_ATTN = ("flash_attn_absent", "flash_attn_old", "flash_attn_new")
PLATFORMS = ("cuda", "rocm")

BROKEN = ("ImportError", "libamdhip64.so.7: cannot open shared object file: No such file or directory")
CRASHING = ("RuntimeError", "no ROCm-capable device is detected")
ABSENT = ("ModuleNotFoundError", "No module named 'aiter'")
FAILURES = {"aiter_absent": ABSENT, "aiter_broken": BROKEN, "aiter_crashing": CRASHING}

Maker = Callable[..., "object"]


# -- platform_guard: aiter imported under a test of the platform ---------------------------------------------------

GUARD = ("before", "wrong_availability_on_block_only", "wrong_sham_find_spec", "after", "recommended")
BACKEND = "llmserve/v1/attention/backends/rocm_aiter_fa.py"
EAGLE = "llmserve/v1/spec_decode/eagle.py"
RUNNER = "llmserve/v1/worker/gpu_model_runner.py"
IMPORT_RUNNER = "from llmserve.v1.worker.gpu_model_runner import GPUModelRunner\n"
PREFILL = IMPORT_RUNNER + (
    "r = GPUModelRunner(speculative=SPECULATIVE)\n"
    "result = [type(r.impl).__name__, r.prefill([1.0, 0.0], [[1.0, 0.0], [0.0, 1.0]], [[1.0, 2.0], [3.0, 4.0]])]"
)
DECODE = IMPORT_RUNNER + (
    "r = GPUModelRunner(speculative=SPECULATIVE)\n"
    "out = r.decode([1.0, 0.0], [[[9.0, 9.0]], [[1.0, 0.0], [0.0, 1.0]]], [[[9.0, 9.0]], [[1.0, 2.0], [3.0, 4.0]]], [1])\n"
    "result = [type(r.impl).__name__, out]"
)
FIRST = math.exp(1 / math.sqrt(2)) / (1 + math.exp(1 / math.sqrt(2)))
ATTENTION = pytest.approx([1 * FIRST + 3 * (1 - FIRST), 2 * FIRST + 4 * (1 - FIRST)])


BOTH = PREFILL + "\nfirst = result\n" + DECODE + "\nresult = [first, result]"


@pytest.mark.parametrize(("variant", "release"), list(itertools.product(GUARD, AITER)))
def test_guard_cuda_never_notices(stage: Maker, variant: str, release: str) -> None:
    """The reason why continuous integration never saw it: on NVIDIA the guard is false."""
    scene = stage(f"platform_guard/{variant}", release, LLMSERVE_PLATFORM="cuda")
    outcome = scene.run(BOTH.replace("SPECULATIVE", "True"))
    assert outcome.error is None, outcome
    assert outcome.result == [["TorchSDPAImpl", ATTENTION]] * 2


@pytest.mark.parametrize("speculative", ["True", "False"])
@pytest.mark.parametrize(("variant", "release"), list(itertools.product(GUARD, WORKING_AITER)))
def test_guard_rocm_with_aiter(stage: Maker, variant: str, release: str, speculative: str) -> None:
    scene = stage(f"platform_guard/{variant}", release, LLMSERVE_PLATFORM="rocm")
    outcome = scene.run(BOTH.replace("SPECULATIVE", speculative))
    assert outcome.error is None, outcome
    assert outcome.result == [["AiterFlashAttentionImpl", ATTENTION]] * 2


@pytest.mark.parametrize("use_aiter", ["0", "1"])
@pytest.mark.parametrize("release", FAILURES)
def test_guard_before_dies_at_start(stage: Maker, release: str, use_aiter: str) -> None:
    """Fault A: every worker dies on import, whether aiter is wanted or not."""
    scene = stage("platform_guard/before", release, LLMSERVE_PLATFORM="rocm", LLMSERVE_ROCM_USE_AITER=use_aiter)
    outcome = scene.run(IMPORT_RUNNER)
    assert (outcome.error, outcome.message) == FAILURES[release]
    assert outcome.places == (
        (BACKEND, scene.line_of(BACKEND, "import aiter")),
        (EAGLE, scene.line_of(EAGLE, "rocm_aiter_fa import")),
        (RUNNER, scene.line_of(RUNNER, "eagle import")),
    )


def test_guard_availability_on_the_block_only(stage: Maker) -> None:
    """Fault B: the engine starts, the backend is selectable, and its operation was never registered."""
    variant = "platform_guard/wrong_availability_on_block_only"
    scene = stage(variant, "aiter_absent", LLMSERVE_PLATFORM="rocm")
    assert scene.run(IMPORT_RUNNER + "GPUModelRunner(speculative=True)").error is None
    outcome = scene.run(PREFILL.replace("SPECULATIVE", "True"))
    assert (outcome.error, outcome.message) == (
        "AttributeError",
        "'_OpNamespace' 'llmserve' object has no attribute 'flash_attn_varlen_func'",
    )
    assert outcome.places[0] == (BACKEND, scene.line_of(BACKEND, "torch.ops.llmserve"))
    outcome = scene.run(DECODE.replace("SPECULATIVE", "True"))
    assert (outcome.error, outcome.message) == (
        "AttributeError",
        "'_OpNamespace' 'aiter' object has no attribute 'paged_attention_v1'",
    )
    assert outcome.places[0] == (BACKEND, scene.line_of(BACKEND, "torch.ops.aiter"))
    scene = stage(variant, "aiter_absent", LLMSERVE_PLATFORM="rocm", LLMSERVE_ROCM_USE_AITER="0")
    assert scene.run(PREFILL.replace("SPECULATIVE", "True")).result == ["TorchSDPAImpl", ATTENTION]


@pytest.mark.parametrize("release", ["aiter_broken", "aiter_crashing"])
def test_guard_found_is_not_importable(stage: Maker, release: str) -> None:
    """A spec is no promise: a broken aiter still stops the variants that import it at start, with its own error."""
    for variant in ("wrong_availability_on_block_only", "recommended"):
        code = PREFILL.replace("SPECULATIVE", "True")
        outcome = stage(f"platform_guard/{variant}", release, LLMSERVE_PLATFORM="rocm").run(code)
        assert (outcome.error, outcome.message) == FAILURES[release]
        assert outcome.places[0][0] == BACKEND


@pytest.mark.parametrize("release", FAILURES)
def test_guard_sham_find_spec(stage: Maker, release: str) -> None:
    """The spec of the engine's own module is always there: the start survives, the drafter does not."""
    scene = stage("platform_guard/wrong_sham_find_spec", release, LLMSERVE_PLATFORM="rocm", LLMSERVE_ROCM_USE_AITER="0")
    assert scene.run(IMPORT_RUNNER).error is None
    assert scene.run(PREFILL.replace("SPECULATIVE", "False")).result == ["TorchSDPAImpl", ATTENTION]
    outcome = scene.run(PREFILL.replace("SPECULATIVE", "True"))
    assert (outcome.error, outcome.message) == FAILURES[release]
    assert outcome.places[:2] == (
        (BACKEND, scene.line_of(BACKEND, "import aiter")),
        (EAGLE, scene.line_of(EAGLE, "import AiterFlashAttentionMetadata")),
    )


@pytest.mark.parametrize("use_aiter", ["0", "1"])
@pytest.mark.parametrize("variant", ["after", "recommended"])
def test_guard_cured_without_aiter(stage: Maker, variant: str, use_aiter: str) -> None:
    scene = stage(
        f"platform_guard/{variant}", "aiter_absent", LLMSERVE_PLATFORM="rocm", LLMSERVE_ROCM_USE_AITER=use_aiter
    )
    outcome = scene.run(BOTH.replace("SPECULATIVE", "True"))
    assert outcome.result == [["TorchSDPAImpl", ATTENTION]] * 2, outcome


@pytest.mark.parametrize("release", ["aiter_broken", "aiter_crashing"])
def test_guard_after_fails_on_first_call_only(stage: Maker, release: str) -> None:
    """What is left after the cure: a broken aiter is met in the middle of the first forward."""
    scene = stage("platform_guard/after", release, LLMSERVE_PLATFORM="rocm")
    assert scene.run(IMPORT_RUNNER + "GPUModelRunner(speculative=True)").error is None
    for code, place in (
        (PREFILL, ("llmserve/_aiter_ops.py", "from aiter import")),
        (DECODE, (BACKEND, "import aiter")),
    ):
        outcome = scene.run(code.replace("SPECULATIVE", "True"))
        assert (outcome.error, outcome.message) == FAILURES[release]
        assert outcome.places[0] == (place[0], scene.line_of(*place))


def test_guard_the_cost_of_the_cure(stage: Maker) -> None:
    """With the definitions inside the guard, importing one without aiter says so; importers must ask first."""
    scene = stage("platform_guard/recommended", "aiter_absent", LLMSERVE_PLATFORM="rocm")
    outcome = scene.run("from llmserve.v1.attention.backends.rocm_aiter_fa import AiterFlashAttentionMetadata")
    assert outcome.error == "ImportError"
    assert outcome.message.startswith("cannot import name 'AiterFlashAttentionMetadata'")


def test_guard_the_import_is_the_registration(stage: Maker) -> None:
    """`import aiter` that nobody reads is what registers `torch.ops.aiter.*`; without it the operation is not there."""
    scene = stage("platform_guard/after", "aiter_old", LLMSERVE_PLATFORM="rocm")
    outcome = scene.run("import torch; torch.ops.aiter.paged_attention_v1")
    assert outcome.message == "'_OpNamespace' 'aiter' object has no attribute 'paged_attention_v1'"
    assert scene.run("import torch, aiter; result = callable(torch.ops.aiter.paged_attention_v1)").result is True


# -- gate_and_rename: an upstream rename and two gates ---------------------------------------------------------------

GATE = ("before", "wrong_nested_try_per_call", "after", "recommended")
OPS = "llmserve/_aiter_ops.py"
STEP = """
from llmserve.config.compilation import PassConfig
from llmserve.config.engine import EngineConfig
from llmserve.v1.worker.gpu_model_runner import GPUModelRunner


def calls():
    try:
        import aiter.ops.fused_qk_norm_rope_cache_quant as fused_ops
    except Exception:
        return []
    made = fused_ops.CALLS[:]
    fused_ops.CALLS.clear()
    return made


def answer(choice):
    try:
        runner = GPUModelRunner(EngineConfig(PassConfig(choice)))
        out = [runner.execute([[3.0, 4.0]], [[6.0, 8.0]]) for _ in range(3)][-1]
    except Exception as error:
        frame = error.__traceback__
        while frame.tb_next:
            frame = frame.tb_next
        cause = type(error.__cause__).__name__
        return [type(error).__name__, str(error), frame.tb_lineno, cause, error.__suppress_context__]
    return [out, calls()]


result = [answer(choice) for choice in (None, False, True)]
"""
NORMS = [
    pytest.approx([x / math.sqrt(12.5 + 1e-6) for x in (3.0, 4.0)]),
    pytest.approx([2 * x / math.sqrt(50 + 1e-5) for x in (6.0, 8.0)]),
]
# Which names each variant's implementation can call.
CALLS = {
    "before": {"aiter_old": "fused_qk_rmsnorm"},
    "wrong_nested_try_per_call": {"aiter_old": "fused_qk_rmsnorm", "aiter_new": "_fused_qk_rmsnorm"},
    "after": {"aiter_old": "fused_qk_rmsnorm", "aiter_new": "_fused_qk_rmsnorm"},
    "recommended": {"aiter_old": "fused_qk_rmsnorm", "aiter_new": "_fused_qk_rmsnorm"},
}
# Where the second gate does not ask the probe, an explicit choice installs the pass and the step fails.
CLAIMS = {
    "before": "the fused norm of q and k needs a newer aiter; set fuse_mla_dual_rms_norm to False",
    "wrong_nested_try_per_call": "aiter has no fused norm of q and k; set fuse_mla_dual_rms_norm to False",
}


@pytest.mark.parametrize(("variant", "release", "platform"), list(itertools.product(GATE, AITER, PLATFORMS)))
def test_gate(stage: Maker, variant: str, release: str, platform: str) -> None:
    """The three choices of a user: let the default decide, off, on."""
    scene = stage(f"gate_and_rename/{variant}", release, LLMSERVE_PLATFORM=platform)
    outcome = scene.run(STEP)
    assert outcome.error is None, outcome
    enabled = platform == "rocm" and release != "aiter_absent"
    for choice, answer in zip((None, False, True), outcome.result, strict=True):
        asked = enabled and choice is not False
        if asked and release == "aiter_crashing":
            # The probe (or, behind the gate that does not ask it, the implementation) meets an error that is not an
            # ImportError: loud.
            assert tuple(answer[:2]) == CRASHING
        elif asked and choice and variant in CLAIMS and release not in CALLS[variant]:
            assert answer[:3] == ["ImportError", CLAIMS[variant], scene.line_of(OPS, "raise ImportError")]
        else:
            (q, k), calls = answer
            assert [q[0], k[0]] == NORMS
            name = CALLS[variant].get(release) if asked else None
            assert calls == ([name] * 3 if name else [])


@pytest.mark.parametrize("release", ["aiter_old", "aiter_new", "aiter_neither"])
@pytest.mark.parametrize("variant", GATE)
def test_gate_the_probe_knows(stage: Maker, variant: str, release: str) -> None:
    """The probe for exactly this capability exists in every variant; only the pass manager fails to ask it."""
    scene = stage(f"gate_and_rename/{variant}", release, LLMSERVE_PLATFORM="rocm")
    outcome = scene.run("from llmserve._aiter_ops import check_aiter_fused_qk_rmsnorm as c; result = [c(), c()]")
    assert outcome.result == [release in CALLS[variant]] * 2


def test_gate_nested_try_swallows_the_cause(stage: Maker) -> None:
    """A broken aiter is reported as one that is too old: the real error is gone from the chain."""
    causes = {"wrong_nested_try_per_call": ["NoneType", True], "before": ["ImportError", True]}
    for variant, expected in causes.items():
        outcome = stage(f"gate_and_rename/{variant}", "aiter_broken", LLMSERVE_PLATFORM="rocm").run(STEP)
        assert outcome.result[2][3:] == expected, outcome


COUNT_IMPORTS = """
import builtins
from llmserve._aiter_ops import _fused_mla_dual_rms_norm_impl as impl, check_aiter_fused_qk_rmsnorm
check_aiter_fused_qk_rmsnorm()
seen = []
real = builtins.__import__
def counting(name, *args, **kwargs):
    seen.append(name)
    return real(name, *args, **kwargs)
builtins.__import__ = counting
for _ in range(10):
    impl([[1.0]], [1.0], [[1.0]], [1.0], 1e-6, 1e-6)
builtins.__import__ = real
result = len(seen)
"""


@pytest.mark.parametrize(
    ("variant", "release", "each_call"),
    [
        ("before", "aiter_old", 1),
        ("wrong_nested_try_per_call", "aiter_old", 2),
        ("wrong_nested_try_per_call", "aiter_new", 1),
        ("after", "aiter_old", 1),
        ("after", "aiter_new", 1),
        ("recommended", "aiter_old", 0),
        ("recommended", "aiter_new", 0),
    ],
)
def test_gate_imports_per_call(stage: Maker, variant: str, each_call: int, release: str) -> None:
    """Fault B: after the merged cure the import statement still runs on every call; resolved once, it does not."""
    scene = stage(f"gate_and_rename/{variant}", release, LLMSERVE_PLATFORM="rocm")
    assert scene.run(COUNT_IMPORTS).result == 10 * each_call


# -- hidden_probe: probes that hide each other ---------------------------------------------------------------------------

HIDDEN = ("before", "wrong_top_guard_kept", "wrong_shared_try", "after", "recommended")
ROCM = "llmserve/platforms/rocm.py"
FA_UTILS = "llmserve/v1/attention/backends/fa_utils.py"
EMBED = """
from llmserve.model_executor.layers.vit_attention import VitAttention
attention = VitAttention()
out = attention([1.0, 0.0], [[1.0, 0.0], [0.0, 1.0]], [[1.0, 2.0], [3.0, 4.0]])
result = [attention.backend, None if out[0] != out[0] else out, getattr(attention.attend, "__module__", None)]
"""
OLD_PLACE = "flash_attn.flash_attn_triton_amd"
NEW_PLACE = "aiter.ops.triton._triton_kernels.flash_attn_triton_amd"
FALLBACK = ["TORCH_SDPA", None, "torch.nn.functional"]


def expected_hidden(variant: str, flash_attn: str, release: str) -> object:
    """Say what a gfx1151 machine gets: a backend and where its kernels came from, or an error."""
    if flash_attn == "flash_attn_old":
        return ["FLASH_ATTN", ATTENTION, OLD_PLACE]
    if flash_attn == "flash_attn_new":
        # Looking below flash_attn imports it, and with it aiter.
        if release == "aiter_crashing":
            return CRASHING
        if release != "aiter_new" or variant == "before":
            return FALLBACK
        return ["FLASH_ATTN", ATTENTION, NEW_PLACE]
    if variant in ("after", "recommended"):
        if release == "aiter_crashing":
            return CRASHING
        if release == "aiter_new":
            sound = variant == "recommended"
            return (
                ["FLASH_ATTN", ATTENTION, NEW_PLACE]
                if sound
                else ("ModuleNotFoundError", "No module named 'flash_attn'")
            )
    return FALLBACK


@pytest.mark.parametrize(("variant", "flash_attn", "release"), list(itertools.product(HIDDEN, FLASH_ATTN, AITER)))
def test_hidden(stage: Maker, variant: str, flash_attn: str, release: str) -> None:
    scene = stage(
        f"hidden_probe/{variant}",
        flash_attn,
        release,
        LLMSERVE_PLATFORM="rocm",
        LLMSERVE_GFX="gfx1151",
        FLASH_ATTENTION_TRITON_AMD_ENABLE="TRUE",
    )
    outcome = scene.run(EMBED)
    expected = expected_hidden(variant, flash_attn, release)
    if isinstance(expected, tuple):
        assert (outcome.error, outcome.message) == expected
        if outcome.error == "ModuleNotFoundError":
            # Probe and use have drifted apart.
            assert outcome.places[0] == (FA_UTILS, scene.line_of(FA_UTILS, "from flash_attn import"))
    else:
        assert outcome.error is None, outcome
        assert outcome.result == expected


@pytest.mark.parametrize(
    ("flash_attn", "release"), list(itertools.product(FLASH_ATTN, ("aiter_absent", "aiter_crashing")))
)
@pytest.mark.parametrize("variant", HIDDEN)
def test_hidden_cuda_never_asks(stage: Maker, variant: str, flash_attn: str, release: str) -> None:
    outcome = stage(f"hidden_probe/{variant}", flash_attn, release, LLMSERVE_PLATFORM="cuda").run(EMBED)
    assert outcome.result == ["TORCH_SDPA", ATTENTION, "torch.nn.functional"], outcome


@pytest.mark.parametrize("variant", HIDDEN)
def test_hidden_switched_off(stage: Maker, variant: str) -> None:
    """Capability and preference are two facts: all kernels there, none wanted."""
    outcome = stage(f"hidden_probe/{variant}", "flash_attn_old", "aiter_new", LLMSERVE_PLATFORM="rocm").run(EMBED)
    assert outcome.result == ["TORCH_SDPA", ATTENTION, "torch.nn.functional"], outcome


@pytest.mark.parametrize("variant", HIDDEN)
def test_hidden_module_without_spec(stage: Maker, variant: str) -> None:
    """`find_spec` of a module in `sys.modules` whose spec is None raises ValueError, which only some helpers expect."""
    code = (
        "import sys, types\n"
        "sys.modules['flash_attn'] = types.ModuleType('flash_attn')\n"
        "from llmserve.platforms.rocm import flash_attn_triton_available as available\n"
        "result = available()"
    )
    scene = stage(f"hidden_probe/{variant}", "aiter_new", FLASH_ATTENTION_TRITON_AMD_ENABLE="TRUE")
    outcome = scene.run(code)
    if variant in ("before", "wrong_top_guard_kept"):
        assert (outcome.error, outcome.message) == ("ValueError", "flash_attn.__spec__ is None")
    else:
        # The parent is no package: ModuleNotFoundError, which the shared handler turns into "no" for both places.
        assert outcome.result is (variant != "wrong_shared_try"), outcome


def test_what_find_spec_does(stage: Maker) -> None:
    """The measurements that the third incident rests on."""
    code = (
        "import sys\n"
        "from importlib.util import find_spec\n"
        "def ask(name):\n"
        "    try:\n"
        "        return find_spec(name) is not None\n"
        "    except Exception as error:\n"
        "        return type(error).__name__\n"
        "names = ['nope', 'nope.sub', 'aiter', 'aiter.nosub', 'aiter.ops.fused_qk_norm_rope_cache_quant.x']\n"
        "loaded = []\n"
        "answers = []\n"
        "for name in names:\n"
        "    answers.append(ask(name))\n"
        "    loaded.append('aiter' in sys.modules)\n"
        "result = [answers, loaded]"
    )
    answers, loaded = stage("hidden_probe/before", "aiter_old").run(code).result
    assert answers == [False, "ModuleNotFoundError", True, False, "ModuleNotFoundError"]
    assert loaded == [False, False, False, True, True]
    broken = "from importlib.util import find_spec\nresult = find_spec('aiter') is not None"
    assert stage("hidden_probe/before", "aiter_broken").run(broken).result is True


# -- the variants themselves -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("incident", ["platform_guard", "gate_and_rename", "hidden_probe"])
def test_variants_differ_only_where_the_story_does(incident: str) -> None:
    """Every variant has the modules of `before`, and most of them unchanged."""
    folder = FIXTURES / "incidents" / incident
    before = {path.relative_to(folder / "before"): path.read_bytes() for path in (folder / "before").rglob("*.py")}
    variants = sorted(path.name for path in folder.iterdir() if path.is_dir())
    assert {"before", "after", "recommended"} < set(variants)
    for variant in variants:
        changed = {path for path, text in before.items() if (folder / variant / path).read_bytes() != text}
        assert len(changed) <= 4, (variant, changed)
        assert variant == "before" or changed
