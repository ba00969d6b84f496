"""How exact the fixtures' kernels are, and what one call costs by the way that it reaches its kernel.

    python benchmarks/kernel_dispatch.py                # on a machine with a GPU, torch, triton and numpy
    python benchmarks/kernel_dispatch.py --cpu          # a smoke run: Triton's interpreter, no CUDA graphs

Three ways to reach an optional kernel that has had two names (`fixtures/kernels`):

(a) per-call import with fallback: `from ... import new`, and `except ImportError: from ... import old`, on every call;
(b) import once per call, hasattr: `import module` and `hasattr(module, new)` on every call;
(c) resolved once (shim): the reference shim decides once per process.

Each release of the dependency (the old name, the new name) is measured in a process of its own. The ways take turns, so
that drift in the machine's clocks meets them alike. Times are wall-clock microseconds for one call: batches of calls between two
synchronisations, the median over the batches with its quartiles. Errors are against NumPy in float64.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

KERNELS = Path(__file__).resolve().parents[1] / "fixtures" / "kernels"
RELEASES = {"old": "0.1, old name", "new": "0.2, new name"}
WAYS = {
    "per_call_import": "(a) per-call import with fallback",
    "per_call_hasattr": "(b) import once per call, hasattr",
    "resolved": "(c) resolved once (shim)",
}
Q_SIZE, K_SIZE = 1536, 512


# -- in the measured process ---------------------------------------------------------------------------------------


class Worker:
    """Measures one release of the dependency."""

    def __init__(self, *, cpu: bool, batches: int) -> None:
        import torch

        self.torch = torch
        self.cpu = cpu
        self.batches = batches
        self.device = "cpu" if cpu else "cuda"
        self.synchronize: Callable[[], None] = (lambda: None) if cpu else torch.cuda.synchronize
        self.batch_seconds = 0.002 if cpu else 0.02

    def run(self) -> dict[str, Any]:
        """Return everything that is known about this release on this machine."""
        from engine_kernels import norms, rotary

        report: dict[str, Any] = {"machine": self.machine()}
        report["labels"] = {"norm": norms.DUAL_NORM.label, "rotary": rotary.ROTARY.label}
        report["errors"] = self.errors()
        report["reach"] = self.reach_only()
        report["times"] = self.times()
        return report

    def machine(self) -> dict[str, str]:
        """Say what was measured on."""
        import triton

        torch = self.torch
        name = "CPU, Triton interpreted" if self.cpu else torch.cuda.get_device_name()
        return {
            "device": name,
            "torch": torch.__version__,
            "triton": triton.__version__,
            "CUDA": "none" if self.cpu else str(torch.version.cuda or torch.version.hip),
            "Python": platform.python_version(),
        }

    # -- errors

    def norm_arguments(self, tokens: int, dtype: Any, sizes: tuple[int, int] = (Q_SIZE, K_SIZE)) -> tuple[Any, ...]:
        """Return q and k as slices of one wider projection, as in latent attention."""
        torch = self.torch
        torch.manual_seed(tokens)
        projected = torch.randn(tokens, sum(sizes) + 64, device=self.device).to(dtype)
        q, k = projected[:, : sizes[0]], projected[:, sizes[0] : sum(sizes)]
        q_weight, k_weight = (torch.randn(size, device=self.device).to(dtype) for size in sizes)
        return q, q_weight, 1e-6, k, k_weight, 1e-5

    def wide(self, arguments: tuple[Any, ...]) -> list[Any]:
        """Return the arguments as NumPy has them, tensors in float64."""
        is_tensor = self.torch.is_tensor
        return [value.double().cpu().numpy() if is_tensor(value) else value for value in arguments]

    def error(self, actual: Any, expected: Any) -> tuple[float, float]:
        """Return the largest absolute error and the largest error relative to values above one."""
        import numpy as np

        deviation = np.abs(actual.double().cpu().numpy() - expected)
        return float(deviation.max()), float((deviation / np.maximum(np.abs(expected), 1)).max())

    def errors(self) -> list[dict[str, Any]]:
        """Compare every implementation with the reference, by dtype."""
        from engine_kernels import norms, plain, reference, rotary

        torch = self.torch
        shapes = (
            [(3, (96, 64)), (5, (100, 70))] if self.cpu else [(1, (1536, 512)), (4096, (1536, 512)), (33, (100, 70))]
        )
        rotations = (
            [(16, 8, False), (24, 5, True)] if self.cpu else [(128, 64, False), (128, 64, True), (192, 32, False)]
        )
        rows = []
        for name, dtype in (("fp32", torch.float32), ("fp16", torch.float16), ("bf16", torch.bfloat16)):
            norm_errors: dict[str, list[tuple[float, float]]] = {"Triton": [], "torch": []}
            for tokens, sizes in shapes:
                arguments = self.norm_arguments(tokens, dtype, sizes)
                expected = reference.dual_rms_norm(*self.wide(arguments))
                for label, function in (("Triton", norms.dual_rms_norm), ("torch", plain.dual_rms_norm)):
                    norm_errors[label] += map(self.error, function(*arguments), expected)
            rotary_errors: dict[str, list[tuple[float, float]]] = {"Triton": [], "torch": []}
            for headdim, half, interleaved in rotations:
                x = torch.randn(2, 7, 4, headdim, device=self.device).to(dtype)
                angles = torch.rand(16, half, device=self.device) * 2 * math.pi
                arguments = (x, angles.cos().to(dtype), angles.sin().to(dtype))
                expected = reference.apply_rotary_emb(*self.wide(arguments), interleaved, 3)
                for label, out in (
                    ("Triton", rotary.apply_rotary_emb(*arguments, interleaved, 3)),
                    ("torch", plain.apply_rotary_emb(*arguments, interleaved, seqlen_offsets=3)),
                ):
                    rotary_errors[label].append(self.error(out, expected))
            for kernel, errors in (("dual RMS norm", norm_errors), ("rotary", rotary_errors)):
                for label, pairs in errors.items():
                    worst = [max(values) for values in zip(*pairs, strict=True)]
                    rows.append(
                        {"kernel": kernel, "by": label, "dtype": name, "absolute": worst[0], "relative": worst[1]}
                    )
        return rows

    # -- times

    def compare(self, calls: dict[str, Callable[[], object]], each: int = 1) -> dict[str, Any]:
        """Time the calls in turns; `each` says how many calls of the kernel one call makes."""
        counts = {}
        for way, call in calls.items():
            for _ in range(2 if self.cpu else 10):
                call()
            self.synchronize()
            started = time.perf_counter()
            for _ in range(3):
                call()
            self.synchronize()
            counts[way] = max(1, int(self.batch_seconds / max((time.perf_counter() - started) / 3, 1e-8)))
        samples: dict[str, list[float]] = {way: [] for way in calls}
        for _ in range(self.batches):
            for way, call in calls.items():
                count = counts[way]
                self.synchronize()
                started = time.perf_counter()
                for _ in range(count):
                    call()
                self.synchronize()
                samples[way].append((time.perf_counter() - started) / count / each * 1e6)
        return {way: statistics.quantiles(values, n=4, method="inclusive") for way, values in samples.items()}

    def reach_only(self) -> dict[str, Any]:
        """Time the way to the kernel alone: the kernel is replaced by a function that does nothing."""
        import fused_kernels.dual_norm as module
        from engine_kernels import _optional, norms

        new = hasattr(module, "_fused_qk_rmsnorm")
        name = "_fused_qk_rmsnorm" if new else "fused_qk_rmsnorm"
        real = getattr(module, name)
        if new:
            nothing: Any = lambda q_out, q, q_weight, q_eps, k_out, k, k_weight, k_eps: None  # noqa: E731
        else:
            nothing = lambda q, q_weight, q_eps, k, k_weight, k_eps: None  # noqa: E731
        setattr(module, name, nothing)
        _optional.forget()
        try:
            calls = {way: partial(getattr(norms, way), 1, 2, 3, 4, 5, 6) for way in WAYS}
            kept = norms.DUAL_NORM.resolve()
            calls["kept"] = partial(kept, 1, 2, 3, 4, 5, 6)
            return self.compare(calls)
        finally:
            setattr(module, name, real)
            _optional.forget()

    def times(self) -> list[dict[str, Any]]:
        """Time one call in each mode, for each number of tokens."""
        from engine_kernels import norms

        rows = []
        for tokens in [2] if self.cpu else [1, 64, 4096]:
            arguments = self.norm_arguments(tokens, self.torch.bfloat16)
            operations = {
                "per_call_import": norms.dual_rms_norm_per_call_import,
                "per_call_hasattr": norms.dual_rms_norm_per_call_hasattr,
                "resolved": norms.dual_rms_norm,
            }
            modes: dict[str, Callable[[], dict[str, Any]]] = {
                "eager, Python function": lambda: self.compare(
                    {way: partial(getattr(norms, way), *arguments) for way in WAYS}  # noqa: B023
                ),
                "eager, registered operation": lambda: self.compare(
                    {way: partial(operation, *arguments) for way, operation in operations.items()}  # noqa: B023
                ),
            }
            if self.cpu:
                modes["torch.compile (aot_eager)"] = lambda: self.compiled(operations, arguments, backend="aot_eager")  # noqa: B023
            else:
                modes["CUDA graph (20 calls)"] = lambda: self.graphed(operations, arguments)  # noqa: B023
                modes["torch.compile"] = lambda: self.compiled(operations, arguments)  # noqa: B023
                modes["torch.compile (reduce-overhead)"] = lambda: self.compiled(
                    operations,  # noqa: B023
                    arguments,  # noqa: B023
                    mode="reduce-overhead",
                )
            for mode, measure in modes.items():
                row: dict[str, Any] = {"tokens": tokens, "mode": mode}
                try:
                    row["times"] = measure()
                except Exception as error:  # noqa: BLE001 - one mode that fails must not cost the run
                    row["failed"] = f"{type(error).__name__}: {error}".splitlines()[0][:200]
                rows.append(row)
                print(f"  {mode}, {tokens} tokens", file=sys.stderr, flush=True)
        return rows

    def compiled(self, operations: dict[str, Any], arguments: tuple[Any, ...], **options: Any) -> dict[str, Any]:
        """Time each operation inside a compiled function."""
        torch = self.torch
        torch._dynamo.reset()  # noqa: SLF001
        q, q_weight, q_eps, k, k_weight, k_eps = arguments
        calls = {}
        for way, operation in operations.items():

            def step(q: Any, q_weight: Any, k: Any, k_weight: Any, operation: Any = operation) -> Any:
                return operation(q, q_weight, q_eps, k, k_weight, k_eps)

            function = torch.compile(step, fullgraph=True, dynamic=False, **options)
            calls[way] = partial(function, q, q_weight, k, k_weight)
        with torch.no_grad():
            return self.compare(calls)

    def graphed(self, operations: dict[str, Any], arguments: tuple[Any, ...], calls: int = 20) -> dict[str, Any]:
        """Time the replay of a CUDA graph of several calls, for one of them."""
        torch = self.torch
        graphs = {}
        for way, operation in operations.items():
            side = torch.cuda.Stream()
            side.wait_stream(torch.cuda.current_stream())
            with torch.cuda.stream(side):
                for _ in range(3):
                    operation(*arguments)
            torch.cuda.current_stream().wait_stream(side)
            graph = torch.cuda.CUDAGraph()
            with torch.cuda.graph(graph):
                kept = [operation(*arguments) for _ in range(calls)]
            graphs[way] = (graph, kept)
        return self.compare({way: graph.replay for way, (graph, _) in graphs.items()}, each=calls)


# -- in the process that reports --------------------------------------------------------------------------------------


def spawn(release: str, options: argparse.Namespace) -> dict[str, Any]:
    """Measure one release in a process of its own."""
    path = os.pathsep.join(map(str, (KERNELS, KERNELS / "releases" / release)))
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, [path, os.environ.get("PYTHONPATH")]))}
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    environment.pop("TRITON_INTERPRET", None)
    if options.cpu:
        environment |= {"TRITON_INTERPRET": "1", "CUDA_VISIBLE_DEVICES": ""}
    command = [sys.executable, __file__, "--worker", release, "--batches", str(options.batches)]
    print(f"fused-kernels {RELEASES[release]}", file=sys.stderr, flush=True)
    process = subprocess.run(
        command + ["--cpu"] * options.cpu, env=environment, stdout=subprocess.PIPE, text=True, check=False
    )
    if process.returncode:
        raise SystemExit(f"measuring release {release} failed with exit status {process.returncode}")
    report: dict[str, Any] = json.loads(process.stdout.splitlines()[-1])
    return report


def cell(quartiles: list[float] | None) -> str:
    """Write a median with its quartiles."""
    if quartiles is None:
        return "-"
    low, median, high = quartiles
    digits = 3 if median < 10 else 1
    return f"{median:.{digits}f} [{low:.{digits}f}, {high:.{digits}f}]"


def table(head: list[str], rows: list[list[str]]) -> list[str]:
    """Write a Markdown table."""
    return ["| " + " | ".join(line) + " |" for line in (head, ["---"] * len(head), *rows)]


def markdown(reports: dict[str, dict[str, Any]]) -> str:
    """Write the report."""
    machine = next(iter(reports.values()))["machine"]
    lines = [
        ", ".join(f"{name} {value}" if name != "device" else f"**{value}**" for name, value in machine.items()),
        "",
    ]
    rows = [
        [row["kernel"], row["by"], row["dtype"], f"{row['absolute']:.2e}", f"{row['relative']:.2e}"]
        for row in reports["new"]["errors"]
    ]
    old = {(row["kernel"], row["by"], row["dtype"]): row for row in reports["old"]["errors"]}
    same = all(old[row["kernel"], row["by"], row["dtype"]] == row for row in reports["new"]["errors"])
    both = (
        "both releases show the same errors" if same else "the errors are those of the new release; the old one differs"
    )
    lines += [f"Largest error against NumPy in float64 (relative: to values above one); {both}."]
    lines += ["", *table(["kernel", "by", "dtype", "absolute", "relative"], rows), ""]

    lines += [
        "The way to the kernel alone, microseconds for one call (median [quartiles]); the kernel does nothing.",
        "",
    ]
    rows = [
        [RELEASES[name], *(cell(report["reach"][way]) for way in (*WAYS, "kept"))] for name, report in reports.items()
    ]
    lines += [*table(["release", *WAYS.values(), "(c), kept by the caller"], rows), ""]

    lines += [f"One call of the fused norm, q [tokens, {Q_SIZE}] and k [tokens, {K_SIZE}] in bf16, microseconds.", ""]
    rows = []
    for name, report in reports.items():
        for row in report["times"]:
            times = row.get("times")
            cells = [cell(times[way]) for way in WAYS] if times else [row["failed"], "-", "-"]
            saved = f"{times['per_call_import'][1] - times['resolved'][1]:+.2f}" if times else "-"
            rows.append([RELEASES[name], str(row["tokens"]), row["mode"], *cells, saved])
    lines += table(["release", "tokens", "mode", *WAYS.values(), "(a) - (c)"], rows)
    return "\n".join(lines) + "\n"


def main() -> None:
    """Measure both releases and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cpu", action="store_true", help="smoke run without a GPU; its times mean nothing")
    parser.add_argument(
        "--batches", type=int, default=None, help="timed batches for each cell (default 40; 3 with --cpu)"
    )
    parser.add_argument("--output", type=Path, help="write the Markdown here as well")
    parser.add_argument("--worker", choices=RELEASES, help=argparse.SUPPRESS)
    options = parser.parse_args()
    options.batches = options.batches or (3 if options.cpu else 40)
    if options.worker:
        print(json.dumps(Worker(cpu=options.cpu, batches=options.batches).run()))
        return
    text = markdown({release: spawn(release, options) for release in RELEASES})
    print(text)
    if options.output:
        options.output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
