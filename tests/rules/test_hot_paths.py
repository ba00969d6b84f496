"""Which functions are hot, which parts of them are cold, and by which chain."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from optdep_lint import engine
from optdep_lint.config import Config
from optdep_lint.discovery import discover
from optdep_lint.findings import Finding

PROJECT = """
[project]
name = "acme"
version = "1"
dependencies = ["torch", "jax", "numpy"]

[project.optional-dependencies]
kernels = ["aiter", "deep-gemm"]
"""


def findings(folder: Path, sources: str, config: Config) -> list[Finding]:
    """What the 5xx rules find in a project; `# file: acme/x.py` starts a file, the first one is acme/m.py."""
    (folder / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
    parts = re.split(r"^# file: (\S+)\n", textwrap.dedent(sources), flags=re.MULTILINE)
    for name, text in zip(["acme/__init__.py", "acme/m.py", *parts[1::2]], ["", parts[0], *parts[2::2]], strict=True):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return list(engine.check(discover([folder], config), config).findings)


def expected(folder: Path) -> set[tuple[str, int, str]]:
    return {
        (path.relative_to(folder).as_posix(), number, code)
        for path in folder.rglob("*.py")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        for code in re.findall(r"# expect: (OPD\d+)", line)
    }


def check(folder: Path, sources: str, **settings: object) -> list[Finding]:
    config = Config(select=("OPD5",), **settings)  # type: ignore[arg-type]
    found = findings(folder, sources, config)
    assert {(one.path, one.span.line, one.code) for one in found} == expected(folder)
    return found


HOT = {
    "custom_op as a decorator": """
        from torch.library import custom_op
        @custom_op("acme::norm", mutates_args=())
        def norm(x):
            import aiter  # expect: OPD501
            return aiter.norm(x)
        @norm.register_fake
        def _(x):
            import aiter
            return aiter.empty(x)
        @norm.register_kernel("cuda")
        def norm_cuda(x):
            from aiter import norm_cuda  # expect: OPD501
            return norm_cuda(x)
    """,
    "custom_op as a call": """
        import torch
        def _norm(x):
            import aiter  # expect: OPD501
            return aiter.norm(x)
        norm = torch.library.custom_op("acme::norm", _norm, mutates_args=())
    """,
    "Library.impl, in a latch, not for Meta": """
        from torch.library import Library
        lib = Library("acme", "FRAGMENT")
        def _norm(x):
            import aiter  # expect: OPD501
            return aiter.norm(x)
        def _meta(x):
            import aiter
            return aiter.norm(x)
        _done = False
        def register_once():
            global _done
            if not _done:
                lib.define("norm(Tensor x) -> Tensor")
                lib.impl("norm", _norm, "CUDA")
                lib.impl("norm", _meta, "Meta")
                _done = True
    """,
    "a helper of another module registers its argument": """
        from acme.registration import register
        def _norm(x):
            from aiter.ops import norm  # expect: OPD501
            return norm(x)
        def _fake(x):
            import aiter
            return aiter.empty(x)
        class Ops:
            @staticmethod
            def _rope_impl(x):
                import aiter  # expect: OPD501
                return aiter.rope(x)
            @staticmethod
            def register_ops_once():
                register("rope", Ops._rope_impl)
        register(op_name="norm", op_func=_norm, fake_impl=_fake)
        # file: acme/registration.py
        from torch.library import Library
        lib = Library("acme", "FRAGMENT")
        def register(op_name, op_func, fake_impl=None, target=None):
            where = target or lib
            where.define(op_name + "(...) -> ...")
            where.impl(op_name, op_func, dispatch_key="CUDA")
            if fake_impl is not None:
                where._register_fake(op_name, fake_impl)
    """,
    "a decorator of the project registers": """
        import torch
        def operation(name):
            def register(function):
                return torch.library.custom_op(f"acme::{name}", function, mutates_args=())
            return register
        @operation("norm")
        def norm(x):
            import aiter  # expect: OPD501
            return aiter.norm(x)
    """,
    "forward, by a chain of methods and modules": """
        from torch import nn
        from acme.kernels import dispatch
        class Base(nn.Module):
            def forward(self, x):
                return self._run(x)
            def _run(self, x):
                raise NotImplementedError
        class Norm(Base):
            def _run(self, x):
                return dispatch(x)
        # file: acme/kernels.py
        def dispatch(x):
            return _kernel()(x)
        def _kernel():
            from aiter import norm  # expect: OPD501
            return norm
    """,
    "__call__ of a flax module, forward without a base": """
        import jax
        import flax.linen as nn
        import torch
        class Layer(nn.Module):
            def __call__(self, x):
                import aiter  # expect: OPD501
                return aiter.norm(x)
        class Impl:
            def forward(self, x):
                import aiter  # expect: OPD501
                return torch.ops.aiter.norm(x)
    """,
    "an object held by the module, a property": """
        from torch import nn
        class Kernels:
            @property
            def norm(self):
                import aiter  # expect: OPD501
                return aiter.norm
            def rope(self, x):
                import aiter  # expect: OPD501
                return aiter.rope(x)
        class Layer(nn.Module):
            def __init__(self):
                self.kernels = Kernels()
            def forward(self, x):
                kernels = Kernels()
                return self.kernels.rope(kernels.norm(x))
    """,
    "compiled under its own name": """
        import torch
        def step(x):
            import aiter  # expect: OPD501
            return aiter.step(x)
        step = torch.compile(step)
    """,
    "names that can be switched on": """
        from torch import nn
        USE_AITER = False
        USE_GEMM = False
        def switch_on():
            global USE_AITER
            USE_AITER = True
        try:
            import deep_gemm
            USE_GEMM = True
        except ImportError:
            pass
        class Norm(nn.Module):
            def forward(self, x):
                if USE_AITER:
                    import aiter  # expect: OPD501
                    x = aiter.norm(x)
                if USE_GEMM:
                    from deep_gemm import gemm  # expect: OPD501
                    return gemm(x)
                return x
    """,
    "compiled, without gradients, jit through partial": """
        import functools
        import jax
        import torch
        @torch.inference_mode()
        def step(x):
            import aiter  # expect: OPD501
            return aiter.step(x)
        def plain(x):
            import aiter  # expect: OPD501
            return aiter.step(x)
        fast = torch.compile(plain, dynamic=True)
        @functools.partial(jax.jit, static_argnums=0)
        def traced(x):
            import aiter  # expect: OPD501
            return aiter.step(x)
    """,
    "a table of implementations, functions that are handed on, another name": """
        from torch import nn
        from torch.utils.checkpoint import checkpoint
        from engine.utils import direct_register_custom_op
        def _aiter(x):
            import aiter  # expect: OPD501
            return aiter.norm(x)
        def _plain(x):
            return x
        def _rope(x):
            import aiter  # expect: OPD501
            return aiter.rope(x)
        def _fake(x):
            import aiter
            return aiter.empty(x)
        def _renamed(self, x):
            import aiter  # expect: OPD501
            return aiter.rope(x)
        KERNELS = {"aiter": _aiter, "plain": _plain}
        class Layer(nn.Module):
            def _inner(self, x):
                import deep_gemm  # expect: OPD501
                return deep_gemm.run(x)
            def forward(self, x):
                return checkpoint(self._inner, KERNELS[self.kind](x))
        class Other(nn.Module):
            forward = _renamed
        direct_register_custom_op("rope", op_func=_rope, fake_impl=_fake)
    """,
    "autograd function": """
        import torch
        class Norm(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                import aiter  # expect: OPD501
                return aiter.norm(x)
            @staticmethod
            def backward(ctx, g):
                import aiter  # expect: OPD501
                return aiter.norm_backward(g)
    """,
    "loops": """
        def evaluate(batches):
            for batch in batches:
                import aiter  # expect: OPD501
                aiter.run(batch)
            while batches.pop():
                if batches:
                    from aiter import run  # expect: OPD501
                    run(batches)
            async def inner():
                async for batch in batches:
                    import aiter  # expect: OPD501
                    aiter.run(batch)
    """,
    "a probe in a loop and in a comprehension": """
        from importlib.util import find_spec
        def pick(xs):
            found = [x for x in xs if find_spec("aiter")]  # expect: OPD503
            while xs:
                found += find_spec("deep_gemm")  # expect: OPD503
            return found
    """,
    "exceptions choose": """
        import contextlib
        import torch
        @torch.library.custom_op("acme::a", mutates_args=())
        def a(x):
            try:  # expect: OPD502
                from aiter import new
                return new(x)
            except (ImportError, AttributeError):
                from aiter import old
                return old(x)
        @torch.library.custom_op("acme::b", mutates_args=())
        def b(x):
            kernel = None
            with contextlib.suppress(ImportError):  # expect: OPD502
                from aiter import kernel
            return kernel(x) if kernel else x
        @torch.library.custom_op("acme::c", mutates_args=())
        def c(x):
            try:
                import aiter  # expect: OPD501
            except ImportError as error:
                raise RuntimeError("install aiter") from error
            return aiter.c(x)
    """,
    "probes": """
        import importlib
        import importlib.metadata
        import importlib.util
        from packaging.version import parse
        import deep_gemm
        from torch import nn
        NAME = "aiter"
        def _has(name):
            return importlib.util.find_spec(name) is not None  # expect: OPD503
        def _is_new():
            return importlib.metadata.version("deep-gemm") >= "2"  # expect: OPD503
        def _works():
            try:
                import aiter.ops  # expect: OPD503
                return True
            except ImportError:
                return False
        class Layer(nn.Module):
            def forward(self, x):
                if _has("aiter") and _is_new() and _works():
                    return importlib.import_module(NAME).norm(x)  # expect: OPD503
                if parse(deep_gemm.__version__) >= parse("2"):  # expect: OPD503
                    return x
                return x
    """,
}

COLD = {
    "memoised": """
        import functools
        from torch import nn
        from acme.tools import once
        @functools.lru_cache(maxsize=None)
        def kernel():
            import aiter
            return aiter.norm
        @once
        def other():
            import aiter
            return aiter.norm
        class Layer(nn.Module):
            @functools.cached_property
            def _norm(self):
                import aiter
                return aiter.norm
            def forward(self, x):
                return kernel()(other()(self._norm(x)))
        # file: acme/tools.py
        def once(function):
            kept = []
            def call():
                if not kept:
                    kept.append(function())
                return kept[0]
            return call
    """,
    "latches": """
        import torch
        from torch import nn
        _kernel = None
        _table = {}
        _ready = False
        def latch():
            global _kernel
            if _kernel is None:
                from aiter import norm
                _kernel = norm
            return _kernel
        def latch_by_return():
            global _kernel
            if _kernel is not None:
                return _kernel
            try:
                from aiter import norm
            except ImportError:
                norm = None
            _kernel = norm
            return _kernel
        def table(name):
            if name not in _table:
                import aiter
                _table[name] = getattr(aiter, name)
            return _table[name]
        def table_by_error(name):
            try:
                return _table[name]
            except KeyError:
                import aiter
                _table[name] = getattr(aiter, name)
                return _table[name]
        def default(name, _kept={}):
            if (found := _kept.get(name)) is None:
                import aiter
                found = _kept[name] = getattr(aiter, name)
            return found
        def _set_up():
            global _ready
            import aiter
            aiter.init()
            _ready = True
        class Layer(nn.Module):
            def __init__(self):
                import aiter
                self.norm = None
            def _load(self):
                import aiter
                self.norm = aiter.norm
            def forward(self, x):
                if not _ready:
                    _set_up()
                if self.norm is None:
                    self._load()
                if not hasattr(self, "_rope"):
                    import aiter
                    self._rope = aiter.rope
                return latch()(latch_by_return()(table("a")(table_by_error("b")(default("c")(x)))))
    """,
    "weights are prepared without gradients": """
        import torch
        class Experts:
            @torch.no_grad()
            def prepare_weights(self, w):
                from aiter.ops.shuffle import shuffle
                return shuffle(w)
        @torch.inference_mode()
        def kernels_warmup(x):
            from aiter import norm
            return norm(x)
    """,
    "a stage of a pipeline runs once a request": """
        import torch
        class DecodingStage:
            @torch.no_grad()
            def forward(self, batch):
                import aiter
                return aiter.decode(batch)
    """,
    "constants that switch off": """
        from torch import nn
        USE_AITER = False
        USE_BOTH: bool = True
        class Norm(nn.Module):
            def forward(self, x):
                if USE_AITER and x.is_cuda:
                    import aiter
                    return aiter.norm(x)
                if not USE_BOTH:
                    from aiter import both
                    return both(x)
                y = x if USE_BOTH else self.other(x)
                if not USE_AITER:
                    return y
                import aiter
                return aiter.norm(y)
            def other(self, x):
                import aiter
                return aiter.norm(x)
    """,
    "more latches": """
        import threading
        import torch
        from acme import state
        _UNSET = object()
        _lock = threading.Lock()
        _annotated: "object | None" = None
        _first = _second = None
        _else = _aliased = _locked = _tried = _operation = None
        _sentinel = _UNSET
        def annotated():
            global _annotated
            if _annotated is None:
                from aiter.ops import norm
                _annotated = norm
            return _annotated
        def both():
            global _first, _second
            if not _first:
                from aiter.ops import norm, rope
                _first, _second = norm, rope
            return _first
        def by_else():
            global _else
            if _else is not None:
                kernel = _else
            else:
                from aiter.ops import norm
                kernel = _else = norm
            return kernel
        def aliased():
            global _aliased
            if _aliased is None:
                import aiter.ops as _aliased
            return _aliased.norm
        def locked():
            global _locked
            if _locked is None:
                with _lock:
                    if _locked is None:
                        from aiter.ops import norm
                        _locked = norm
            return _locked
        def tried():
            global _tried
            if _tried is None:
                try:
                    from aiter.ops import norm
                    _tried = norm
                except ImportError:
                    _tried = False
            return _tried
        def by_sentinel():
            global _sentinel
            if _sentinel is _UNSET:
                from aiter.ops import norm
                _sentinel = norm
            return _sentinel
        def elsewhere():
            if state.kernel is None:
                from aiter.ops import norm
                state.kernel = norm
            return state.kernel
        def make():
            kernel = None
            @torch.compile
            def run(x):
                nonlocal kernel
                if kernel is None:
                    from aiter.ops import norm
                    kernel = norm
                return kernel(x)
            return run
        @torch.compile
        def run(xs):
            for x in xs:
                x = annotated()(both()(by_else()(aliased()(locked()(x)))))
                x = tried()(by_sentinel()(elsewhere()(x)))
        def _operation_impl(x):
            global _operation
            if _operation is None:
                from aiter.ops import norm
                _operation = norm
            return _operation(x)
        torch.library.custom_op("acme::norm", _operation_impl, mutates_args=())
        # file: acme/state.py
        kernel = None
    """,
    "a latch that is filled at import time": """
        import torch
        _KERNEL = None
        def kernel():
            global _KERNEL
            if _KERNEL is None:
                from aiter import norm
                _KERNEL = norm
            return _KERNEL
        kernel()
        @torch.library.custom_op("acme::norm", mutates_args=())
        def norm(x):
            return kernel()(x)
    """,
    "before a raise, for type checkers, in a handler": """
        from typing import TYPE_CHECKING
        from torch import nn
        def refuse(x):
            import aiter
            raise ValueError(aiter.describe(x))
        class Layer(nn.Module):
            def forward(self, x):
                if TYPE_CHECKING:
                    import aiter
                if x is None:
                    import aiter
                    raise ValueError(aiter.describe(x))
                try:
                    return x + 1
                except RuntimeError:
                    import aiter
                    aiter.report(x)
                if x > 3:
                    refuse(x)
                return x
    """,
    "constructed, defined, not called": """
        import torch
        from torch import nn
        class Kernels:
            def __init__(self):
                import aiter
        class Layer(nn.Module):
            def setup(self):
                import aiter
            def forward(self, x):
                def later():
                    import aiter
                    return aiter
                self.callback = later
                self.lazy = lambda: __import__("aiter")
                return x, Kernels()
        @torch.no_grad()
        def init_weights(module):
            import aiter
            aiter.fill(module)
    """,
    "required, first-party, standard library": """
        from torch import nn
        class Layer(nn.Module):
            def forward(self, x):
                import math
                import numpy as np
                from acme import other
                return np.sqrt(math.pi) + other.x
        # file: acme/other.py
        x = 1
    """,
    "loops that leave, loops over names, imports before loops": """
        import importlib
        from importlib.util import find_spec
        def retry():
            while True:
                try:
                    import aiter
                    break
                except ImportError:
                    install()
        def first(names):
            for name in names:
                if find_spec(name):
                    return importlib.import_module(name)
            for name in ("aiter", "deep_gemm"):
                try:
                    return importlib.import_module(name)
                except ImportError:
                    continue
        def evaluate(batches):
            import aiter
            for batch in batches:
                aiter.run(batch)
            for batch in batches:
                if batch:
                    import deep_gemm
                    return deep_gemm.run(batch)
            else:
                import deep_gemm
            return [aiter.run(one) for one in aiter.batches()]
        for name in ("aiter", "deep_gemm"):
            HAS = find_spec("aiter")
    """,
    "a forward of something else": """
        class Proxy:
            def forward(self, request):
                import aiter
                return aiter.send(request)
            def __call__(self, request):
                import aiter
                return aiter.send(request)
    """,
    "tests": """
        # file: acme/tests/test_layer.py
        from torch import nn
        class Layer(nn.Module):
            def forward(self, x):
                import aiter
                return aiter.norm(x)
    """,
}


@pytest.mark.parametrize("sources", HOT.values(), ids=HOT.keys())
def test_hot(tmp_path: Path, sources: str) -> None:
    check(tmp_path, sources)
    assert expected(tmp_path)


@pytest.mark.parametrize("sources", COLD.values(), ids=COLD.keys())
def test_cold(tmp_path: Path, sources: str) -> None:
    check(tmp_path, sources)


def test_configured(tmp_path: Path) -> None:
    sources = """
        class Server:
            def step(self, batch):
                import aiter  # expect: OPD501
                return aiter.run(batch)
            def start(self):
                import aiter
        # file: acme/other.py
        def step():
            import aiter
    """
    (found,) = check(tmp_path, sources, hot_paths=("acme.m.*step",))
    assert "a hot path by configuration" in found.message


def test_strict(tmp_path: Path) -> None:
    sources = """
        from torch import nn
        class Layer(nn.Module):
            def forward(self, x):
                import numpy as np  # expect: OPD501
                from acme import other  # expect: OPD501
                return np.sqrt(other.x)
        # file: acme/other.py
        x = 1
    """
    check(tmp_path, sources, strict=True)


def test_chain(tmp_path: Path) -> None:
    (found,) = check(tmp_path, HOT["forward, by a chain of methods and modules"])
    assert "on every call of `Base.forward`" in found.message
    assert "through `Norm._run` and `dispatch` and `_kernel`" in found.message
    assert [step.path for step in found.because] == ["acme/m.py"] * 3 + ["acme/kernels.py"] * 2 + ["pyproject.toml"]


def test_turns(tmp_path: Path) -> None:
    sources = """
        def run(events):
            for event in events:
                import aiter  # expect: OPD501
                aiter.note(event)
                if event.kind == "start":
                    import deep_gemm  # expect: OPD501
                    deep_gemm.start(event)
    """
    found = check(tmp_path, sources)
    assert [one.message.partition("imported ")[2] for one in sorted(found, key=lambda one: one.span)] == [
        "on every turn of the loop in line 3",
        "on some turns of the loop in line 3",
    ]


def test_side_effect(tmp_path: Path) -> None:
    found = check(tmp_path, HOT["__call__ of a flax module, forward without a base"])
    assert ["side effect" in one.message for one in found] == [False, True]
