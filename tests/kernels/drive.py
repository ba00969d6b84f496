"""Runs every operation of the kernel fixtures on the CPU and prints, as JSON, how far each is from the reference.

Started by test_kernels.py in a fresh process for each release of the dependency; not a test itself.
"""

from __future__ import annotations

import importlib.util
import json
import sys
from collections.abc import Callable

import numpy as np
import torch
from engine_kernels import norms, plain, reference, rotary

DTYPES = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}
SHAPES = [(0, 96, 64), (1, 96, 64), (5, 100, 70), (3, 1536, 512)]
FUSED = importlib.util.find_spec("fused_kernels") is not None


def error(actual: torch.Tensor, expected: np.ndarray) -> float:
    """Return the largest deviation from the float64 reference, relative to values above one."""
    if actual.numel() == 0:
        return 0.0
    got = actual.detach().double().numpy()
    return float(np.max(np.abs(got - expected) / np.maximum(np.abs(expected), 1)))


def norm_arguments(shape: tuple[int, int, int], dtype: torch.dtype) -> tuple[object, ...]:
    """Return q and k as slices of one wider projection, as in latent attention, with own weights and epsilons."""
    tokens, q_size, k_size = shape
    torch.manual_seed(tokens + q_size)
    projected = torch.randn(tokens, q_size + k_size + 16).to(dtype)
    q, k = projected[:, :q_size], projected[:, q_size + 8 : q_size + 8 + k_size]
    return q, torch.randn(q_size).to(dtype), 1e-6, k, torch.randn(k_size).to(dtype), 1e-3


def wide(arguments: tuple[object, ...]) -> list[object]:
    """Return the arguments for the reference."""
    return [a.double().numpy() if isinstance(a, torch.Tensor) else a for a in arguments]


def into_given_outputs(*arguments: object) -> tuple[torch.Tensor, torch.Tensor]:
    """Call the operation that writes to its caller's outputs, here rows of wider buffers."""
    q, q_weight, q_eps, k, k_weight, k_eps = arguments
    q_out = torch.full((q.shape[0], q.shape[1] + 3), torch.nan, dtype=q.dtype)
    k_out = torch.full((k.shape[0], k.shape[1] + 3), torch.nan, dtype=k.dtype)
    inner = q_out[:, : q.shape[1]], k_out[:, : k.shape[1]]
    norms.dual_rms_norm_out(inner[0], q, q_weight, q_eps, inner[1], k, k_weight, k_eps)
    assert q_out[:, q.shape[1] :].isnan().all(), "written beyond the output"
    assert k_out[:, k.shape[1] :].isnan().all(), "written beyond the output"
    return inner


def check_norms() -> dict[str, float]:
    """Return the error of each way to the norm, by dtype."""
    ways: dict[str, Callable[..., tuple[torch.Tensor, torch.Tensor]]] = {
        "plain": plain.dual_rms_norm,
        "resolved": norms.dual_rms_norm,
        "out": into_given_outputs,
        "by name": torch.ops.engine_kernels.dual_rms_norm,
    }
    if FUSED:
        ways["per call import"] = norms.dual_rms_norm_per_call_import
        ways["per call hasattr"] = norms.dual_rms_norm_per_call_hasattr
    answer = {}
    for way, function in ways.items():
        for name, dtype in DTYPES.items():
            worst = 0.0
            for shape in SHAPES:
                arguments = norm_arguments(shape, dtype)
                q, k = function(*arguments)
                assert (q.dtype, k.dtype) == (dtype, dtype)
                q_expected, k_expected = reference.dual_rms_norm(*wide(arguments))
                worst = max(worst, error(q, q_expected), error(k, k_expected))
            answer[f"{way} {name}"] = worst
    return answer


def check_rotary() -> dict[str, float]:
    """Return the error of rotary embedding, by implementation and dtype; in place and not."""
    answer = {}
    direct = rotary.ROTARY.resolve()
    for name, dtype in DTYPES.items():
        worst = {"plain": 0.0, "resolved": 0.0, "in place": 0.0}
        for headdim, half, interleaved, offset in [
            (16, 8, False, 0),
            (16, 6, True, 2),
            (24, 5, False, 1),
            (64, 32, True, 0),
        ]:
            torch.manual_seed(headdim + half)
            x = torch.randn(2, 3, 4, headdim).to(dtype)
            cos, sin = torch.randn(6, half).to(dtype), torch.randn(6, half).to(dtype)
            expected = reference.apply_rotary_emb(*wide((x, cos, sin)), interleaved, offset)
            outputs = {
                "plain": plain.apply_rotary_emb(x, cos, sin, interleaved, seqlen_offsets=offset),
                "resolved": rotary.apply_rotary_emb(x, cos, sin, interleaved, offset),
            }
            other = x.clone()
            outputs["in place"] = direct(other, cos, sin, interleaved, True, offset)
            assert outputs["in place"].data_ptr() == other.data_ptr()
            for way, out in outputs.items():
                worst[way] = max(worst[way], error(out, expected))
        answer |= {f"{way} {name}": value for way, value in worst.items()}
    return answer


def check_operations() -> list[str]:
    """Let torch check schema and fake implementation, then trace the operations into one graph."""
    arguments = norm_arguments((5, 96, 64), torch.float32)
    q, k = arguments[0], arguments[3]
    out = (q.new_empty(q.shape), *arguments[:3], k.new_empty(k.shape), *arguments[3:])
    x, cos, sin = torch.randn(2, 3, 4, 16), torch.randn(6, 8), torch.randn(6, 8)
    tests = ("test_schema", "test_faketensor", "test_aot_dispatch_dynamic")
    torch.library.opcheck(norms.dual_rms_norm, arguments, test_utils=tests)
    torch.library.opcheck(norms.dual_rms_norm_out, out, test_utils=tests)
    torch.library.opcheck(rotary.apply_rotary_emb, (x, cos, sin, True, 1), test_utils=tests)
    if FUSED:
        torch.library.opcheck(norms.dual_rms_norm_per_call_import, arguments, test_utils=tests)
        torch.library.opcheck(norms.dual_rms_norm_per_call_hasattr, arguments, test_utils=tests)

    def model(*inputs: object) -> torch.Tensor:
        q_new, k_new = norms.dual_rms_norm(*inputs)
        return q_new.sum() + k_new.sum()

    compiled = torch.compile(model, backend="aot_eager", fullgraph=True)
    torch.testing.assert_close(compiled(*arguments), model(*arguments))
    return list(tests)


def check_conventions() -> dict[str, object]:
    """Call the dependency itself, by its own convention."""
    if not FUSED:
        return {}
    from fused_kernels import dual_norm

    q, q_weight, q_eps, k, k_weight, k_eps = norm_arguments((5, 96, 64), torch.float32)
    if hasattr(dual_norm, "fused_qk_rmsnorm"):
        outputs = dual_norm.fused_qk_rmsnorm(q=q, q_weight=q_weight, q_eps=q_eps, k=k, k_weight=k_weight, k_eps=k_eps)
        return {"old": [out.is_contiguous() for out in outputs]}
    mine = torch.empty(5, 96)
    rest = {"q": q, "q_weight": q_weight, "q_eps": q_eps, "k": k, "k_weight": k_weight, "k_eps": k_eps}
    both = dual_norm._fused_qk_rmsnorm(q_out=None, k_out=None, **rest)
    one = dual_norm._fused_qk_rmsnorm(q_out=mine, k_out=None, **rest)
    return {"new": [torch.equal(both[0], mine), one[0] is mine, torch.equal(both[1], one[1])]}


def refusals() -> list[str]:
    """Return what the fused kernels say to inputs that they cannot take."""
    if not norms.DUAL_NORM.label.startswith("fused"):
        return []
    q, q_weight, q_eps, k, k_weight, k_eps = norm_arguments((5, 96, 64), torch.float32)
    heard = []
    for bad in ((q.t(), q_weight), (q, q_weight[:-1]), (q[:3], q_weight)):
        try:
            norms.resolved(*bad, q_eps, k, k_weight, k_eps)
        except ValueError as refusal:
            heard.append(str(refusal))
    return heard


if __name__ == "__main__":
    json.dump(
        {
            "label": [norms.DUAL_NORM.label, norms.DUAL_NORM_OUT.label, rotary.ROTARY.label],
            "norms": check_norms(),
            "rotary": check_rotary(),
            "operations": check_operations(),
            "conventions": check_conventions(),
            "refusals": refusals(),
        },
        sys.stdout,
    )
