"""Custom operations: every way to register and to use one, each with a sound twin.

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
dependencies = ["torch"]
[project.optional-dependencies]
aiter = ["aiter"]
flashinfer = ["flashinfer"]
triton = ["triton"]
"""
EXPECTED = re.compile(r"# expect: (OPD\d{3})$")
REGISTER = """
--- acme/reg.py
from torch.library import Library

LIB = Library("acme", "FRAGMENT")


def register_op(op_name, op_func, fake_impl=None):
    LIB.define(op_name + "(Tensor x) -> Tensor")
    LIB.impl(op_name, op_func)
    if fake_impl is not None:
        LIB._register_fake(op_name, fake_impl)
"""
HAS = """
--- acme/has.py
from importlib.util import find_spec

HAS_AITER = find_spec("aiter") is not None
HAS_FLASHINFER = find_spec("flashinfer") is not None


def has_aiter():
    return HAS_AITER
"""


def places(folder: Path, project: str) -> tuple[set[tuple[str, int, str]], set[tuple[str, int, str]]]:
    """The places that are marked, and those that are reported by the rules of the third family and of unbound names."""
    (folder / "pyproject.toml").write_text(PYPROJECT)
    (folder / "acme").mkdir()
    (folder / "acme" / "__init__.py").write_text("")
    marked = set()
    for part in re.split(r"^(?= *--- )", project, flags=re.MULTILINE)[1:]:
        name, _, text = textwrap.dedent(part).removeprefix("--- ").partition("\n")
        (folder / name).write_text(text)
        for number, line in enumerate(text.splitlines(), start=1):
            found = EXPECTED.search(line)
            if found:
                marked.add((name, number, found[1]))
    config = Config(select=("OPD2", "OPD3"))
    report = check(discover([folder], config), config)
    return marked, {(one.path, one.span.line, one.code) for one in report.findings}


CAPABILITY = """
--- acme/_ops.py
from functools import cache
from importlib.util import find_spec

import torch


def is_enabled():
    return find_spec("aiter") is not None


@cache
def has_fused_norm():
    try:
        from aiter.ops.norm import fused_norm  # noqa: F401
    except ImportError:
        return False
    return True


def _fused_norm_impl(x):
    from aiter.ops.norm import fused_norm

    return fused_norm(x)


torch.library.custom_op("acme::fused_norm", _fused_norm_impl, mutates_args=())
--- acme/passes.py
import torch

from acme import _ops


class FusedNormPass:
    def __call__(self, graph):
        return graph.replace(torch.ops.acme.fused_norm)


class OwnKernel:
    def forward(self, x):
        from aiter.ops.norm import fused_norm

        return fused_norm(x)
--- acme/defaults.py
from acme._ops import has_fused_norm, is_enabled


def fuse_norm():
    return is_enabled() and has_fused_norm()
"""


FAULTS = {
    "try": """
        --- acme/a.py
        import torch

        try:
            import aiter

            @torch.library.custom_op("acme::norm", mutates_args=())
            def norm(x):
                return aiter.norm(x)
        except ImportError:
            pass


        def run(x):
            return torch.ops.acme.norm(x)  # expect: OPD301
    """,
    "a private method whose class asks for arguments only": REGISTER
    + """
        --- acme/has.py
        from importlib.util import find_spec


        def has_aiter():
            return find_spec("aiter") is not None
        --- acme/ops.py
        import torch

        from acme.has import has_aiter
        from acme.reg import register_op

        if has_aiter():
            register_op("norm", lambda x: x)


        class Ops:
            @staticmethod
            def norm(x):
                return torch.ops.acme.norm(x)  # expect: OPD301
        --- acme/layer.py
        from acme.ops import Ops


        class Layer:
            def forward(self, x, steps):
                if steps:
                    x = self._normed(x)
                return self._normed(x) if x.shape else x

            def _normed(self, x):
                return Ops.norm(x)
        --- acme/model.py
        from acme.layer import Layer

        LAYERS = [Layer]
    """,
    "with suppress": """
        --- acme/a.py
        from contextlib import suppress

        import torch

        with suppress(ImportError):
            import aiter

            @torch.library.custom_op("acme::norm", mutates_args=())
            def norm(x):
                return aiter.norm(x)


        def run(x):
            return torch.ops.acme.norm.default(x)  # expect: OPD301
    """,
    "else of try": REGISTER
    + """
        --- acme/a.py
        from torch import ops

        from acme.reg import register_op

        try:
            import aiter
        except ImportError:
            aiter = None
        else:
            register_op("norm", lambda x: aiter.norm(x))


        class Norm:
            @staticmethod
            def apply(x):
                return ops.acme.norm(x)  # expect: OPD301
    """,
    "call form": HAS
    + """
        --- acme/a.py
        import torch

        from acme.has import HAS_AITER


        def _norm(x):
            return x


        if HAS_AITER:
            norm = torch.library.custom_op("acme::norm", _norm, mutates_args=())


        class Norm:
            def forward(self, x):
                return torch.ops.acme.norm(x)  # expect: OPD301
    """,
    "define and impl": HAS
    + """
        --- acme/a.py
        import torch

        from acme.has import has_aiter

        if has_aiter():
            torch.library.define("acme::norm", "(Tensor x) -> Tensor")

            @torch.library.impl("acme::norm", "CUDA")
            def norm(x):
                return x


        class Norm:
            @property
            def op(self):
                return torch.ops.acme.norm  # expect: OPD301
    """,
    "schema text": HAS
    + """
        --- acme/a.py
        from torch.library import Library, impl, register_fake

        import torch
        from acme.has import has_aiter

        lib = Library("acme", "DEF")
        SCHEMA = "norm(Tensor x, float eps=1e-6) -> Tensor"
        if has_aiter():
            lib.define(SCHEMA)

            @impl(lib, "norm", "CUDA")
            def norm(x, eps=1e-6):
                return x

            @register_fake("acme::norm")
            def norm_fake(x, eps=1e-6):
                return x


        ops = torch.ops.acme


        def run(x):
            return ops.norm(x)  # expect: OPD301
    """,
    "formatted name": HAS
    + """
        --- acme/a.py
        import torch

        from acme.has import has_aiter

        NAMESPACE = "acme"


        def register(name, function):
            torch.library.custom_op(f"{NAMESPACE}::{name}", function, mutates_args=())


        if has_aiter():
            register("norm", lambda x: x)


        def run(x):
            return getattr(torch.ops.acme, "norm")(x)  # expect: OPD301
    """,
    "loop over a table": HAS
    + REGISTER
    + """
        --- acme/a.py
        import torch

        from acme.has import has_aiter
        from acme.reg import register_op


        def _norm(x):
            return x


        TABLE = {"norm": _norm, "gemm": _norm}
        if has_aiter():
            for name, function in TABLE.items():
                register_op(name, function)


        def run(x):
            def inner(y):
                return y

            return torch.ops.acme.gemm(inner(x))  # expect: OPD301
    """,
    "decorating helper": HAS
    + REGISTER
    + """
        --- acme/deco.py
        import torch

        from acme.reg import register_op


        def register_custom_op(fn=None, *, op_name=None, mutates_args=()):
            def decorator(op_func):
                name = op_name or op_func.__name__
                register_op(op_name=name, op_func=op_func)
                return getattr(torch.ops.acme, name)

            return decorator(fn) if fn is not None else decorator
        --- acme/a.py
        from acme.deco import register_custom_op
        from acme.has import HAS_AITER

        if HAS_AITER:

            @register_custom_op(mutates_args=["x"])
            def norm(x):
                return x


        def run(x):
            return norm(x)  # expect: OPD301
        --- acme/b.py
        import torch

        from acme import a


        def run(x):
            return torch.ops.acme.norm(x)  # expect: OPD301
    """,
    "registrar class": HAS
    + """
        --- acme/a.py
        import torch
        from torch.library import Library

        from acme.has import has_aiter


        class Registrar:
            def __init__(self, namespace):
                self.library = Library(namespace, "FRAGMENT")

            def register(self, name, function):
                self.library.define(f"{name}(Tensor x) -> Tensor")
                self.library.impl(name, function, "CUDA")


        registrar = Registrar("acme")
        if has_aiter():
            registrar.register("norm", lambda x: x)


        def run(x):
            return torch.ops.acme.norm(x)  # expect: OPD301
    """,
    "latch called at import": REGISTER
    + """
        --- acme/a.py
        import torch

        from acme.reg import register_op

        _REGISTERED = False


        def register_ops_once():
            global _REGISTERED
            if _REGISTERED:
                return
            try:
                import aiter
            except ImportError:
                return
            register_op("norm", aiter.norm)
            _REGISTERED = True


        register_ops_once()


        class Norm:
            def forward(self, x):
                if x is None:
                    return None
                return torch.ops.acme.norm(x)  # expect: OPD301
    """,
    "latch under a flag": HAS
    + REGISTER
    + """
        --- acme/_ops.py
        from acme.reg import register_op


        class Ops:
            _done = False

            @staticmethod
            def register_once():
                if not Ops._done:
                    register_op(op_name="norm", op_func=lambda x: x)
                    Ops._done = True
        --- acme/a.py
        import torch

        from acme._ops import Ops
        from acme.has import has_aiter

        if has_aiter():
            Ops.register_once()


        class Norm:
            def forward(self, x):
                return torch.ops.acme.norm(x)  # expect: OPD301
    """,
    "another flag": HAS
    + REGISTER
    + """
        --- acme/a.py
        import torch

        from acme.has import HAS_AITER, HAS_FLASHINFER
        from acme.reg import register_op

        if HAS_AITER:
            register_op("norm", lambda x: x)


        def run(x):
            if HAS_FLASHINFER:
                return torch.ops.acme.norm(x)  # expect: OPD301
            return x
    """,
    "platform of torch": REGISTER
    + """
        --- acme/a.py
        import torch

        from acme.reg import register_op

        if torch.cuda.is_available():
            register_op("norm", lambda x: x)


        class Norm:
            def forward(self, x):
                return torch.ops.acme.norm(x)  # expect: OPD301
    """,
    "platform of another project": REGISTER
    + """
        --- acme/a.py
        import torch
        from torch.testing import current_platform

        from acme.reg import register_op

        if not current_platform.is_cuda():
            register_op("norm", lambda x: x)


        class Norm:
            def forward(self, x):
                return torch.ops.acme.norm(x)  # expect: OPD301
    """,
    "decorated under the platform": """
        --- acme/a.py
        import torch
        from torch.testing import is_rocm

        if is_rocm():

            @torch.library.custom_op("acme::norm", mutates_args=())
            def norm(x):
                return x


        class Norm:
            def forward(self, x):
                return norm(x)  # expect: OPD301
    """,
    "platform that is settled": REGISTER
    + """
        --- acme/platforms.py
        IS_ROCM = False


        def is_rocm():
            return IS_ROCM
        --- acme/a.py
        import torch

        from acme.platforms import is_rocm
        from acme.reg import register_op

        if is_rocm():

            @torch.library.custom_op("acme::gemm", mutates_args=())
            def gemm(x):
                return x

            for name in ("norm", "rope"):
                register_op(name, lambda x: x)


        class Norm:
            def forward(self, x):
                return torch.ops.acme.rope(x)  # expect: OPD301


        def run(x):
            return gemm(x)  # expect: OPD301
    """,
    "module code": REGISTER
    + """
        --- acme/a.py
        import torch
        from torch.testing import is_rocm

        from acme.reg import register_op

        if is_rocm():
            register_op("norm", lambda x: x)

        NORM = torch.ops.acme.norm  # expect: OPD301
    """,
    "side effect of an import": """
        --- acme/a.py
        import torch

        try:
            import aiter  # noqa: F401
        except ImportError:
            pass


        class Attention:
            def forward(self, q):
                return torch.ops.aiter.paged_attention(q)  # expect: OPD301
    """,
    "module that needs the root": """
        --- acme/_ops.py
        import aiter
        import torch


        @torch.library.custom_op("acme::norm", mutates_args=())
        def norm(x):
            return aiter.norm(x)
        --- acme/a.py
        import torch

        try:
            from acme import _ops
        except ImportError:
            _ops = None


        class Norm:
            def forward(self, x):
                return torch.ops.acme.norm(x)  # expect: OPD301
    """,
    "first use of a class": HAS
    + REGISTER
    + """
        --- acme/a.py
        import torch

        from acme.has import has_aiter
        from acme.reg import register_op

        if has_aiter():
            register_op("norm", lambda x: x)
            register_op("gemm", lambda x: x)


        class Layer:
            def norm(self, x):
                return torch.ops.acme.norm(x)  # expect: OPD301

            def gemm(self, x):
                return torch.ops.acme.gemm(x)


        class Child(Layer):
            def norm(self, x):
                return super().norm(x) + torch.ops.acme.gemm(x)  # expect: OPD301
    """,
    "gate of a pass": CAPABILITY
    + """
        --- acme/manager.py
        from acme import _ops
        from acme.passes import FusedNormPass


        def passes(config):
            found = []
            if not config.fuse:
                return found
            if _ops.is_enabled():  # expect: OPD302
                found.append(FusedNormPass())
            return found
    """,
    "gate of a pass that makes what needs it": CAPABILITY
    + """
        --- acme/fusion.py
        from acme.passes import FusedNormPass


        class Fusion:
            def __init__(self, sizes):
                self.patterns = []
                for size in sizes:
                    self.patterns.append(FusedNormPass())
        --- acme/manager.py
        from acme import _ops
        from acme.fusion import Fusion


        def passes(config):
            if config.fuse and _ops.is_enabled():  # expect: OPD302
                return [Fusion(config.sizes)]
            return []
    """,
    "gate that leaves early": CAPABILITY
    + """
        --- acme/manager.py
        from acme._ops import is_enabled
        from acme.passes import OwnKernel


        def kernel():
            if not is_enabled():  # expect: OPD302
                return None
            return OwnKernel()
    """,
    "gates in expressions": CAPABILITY
    + """
        --- acme/manager.py
        from acme._ops import is_enabled
        from acme.passes import FusedNormPass


        def passes():
            return [*([FusedNormPass()] if is_enabled() else [])]  # expect: OPD302


        def one():
            return is_enabled() and FusedNormPass()  # expect: OPD302
    """,
    "gate of a registry of texts": CAPABILITY
    + """
        --- acme/manager.py
        from acme._ops import is_enabled

        KERNELS = {}
        HAS_AITER = is_enabled()
        if HAS_AITER:  # expect: OPD302
            KERNELS["aiter"] = "acme.passes.OwnKernel"
    """,
    "getattr, aliases, imported namespaces": HAS
    + REGISTER
    + """
        --- acme/a.py
        import torch
        import torch.ops as operations
        from torch.ops import acme as own

        from acme.has import HAS_AITER
        from acme.reg import register_op

        if HAS_AITER:
            register_op("norm", lambda x: x)

        NAME = "norm"
        namespace = torch.ops.acme


        def by_getattr(x):
            return getattr(torch.ops.acme, "norm")(x)  # expect: OPD301


        def by_name(x):
            return getattr(torch.ops.acme, NAME)(x)  # expect: OPD301


        def by_alias(x):
            return namespace.norm(x)  # expect: OPD301


        def by_local_alias(x):
            space = torch.ops.acme
            kernel = space.norm.default  # expect: OPD301
            return kernel(x)


        def by_import(x):
            return operations.acme.norm(x) if x else None  # expect: OPD301


        def by_imported_namespace(x):
            return own.norm(x)  # expect: OPD301
    """,
    "a decorated function of another module": HAS
    + """
        --- acme/a.py
        import torch

        from acme.has import HAS_AITER

        if HAS_AITER:

            @torch.library.custom_op("acme::norm", mutates_args=())
            def norm(x):
                return x
        --- acme/b.py
        from acme import a
        from acme.has import HAS_AITER


        def by_module(x):
            return a.norm(x)  # expect: OPD301


        def by_import(x):
            from acme.a import norm  # expect: OPD301

            return norm(x)


        def asks(x):
            return a.norm(x) if a.HAS_AITER else x


        def catches(x):
            try:
                from acme.a import norm
            except ImportError:
                return x
            return norm(x)
    """,
    "a class that only a text names": HAS
    + REGISTER
    + """
        --- acme/a.py
        import torch

        from acme.has import HAS_AITER
        from acme.reg import register_op

        if HAS_AITER:
            register_op("norm", lambda x: x)


        class Norm:
            def forward(self, x):
                return torch.ops.acme.norm(x)  # expect: OPD301
        --- acme/registry.py
        from importlib import import_module

        BACKENDS = {"aiter": "acme.a:Norm"}


        def make(name):
            module, _, attribute = BACKENDS[name].partition(":")
            return getattr(import_module(module), attribute)()
    """,
    "a module that is imported where its owner says yes, and by others": HAS
    + REGISTER
    + """
        --- acme/ops.py
        from acme.has import has_aiter
        from acme.reg import register_op


        class Ops:
            @classmethod
            def is_enabled(cls):
                return has_aiter()


        if has_aiter():
            register_op("norm", lambda x: x)
        --- acme/fusion.py
        import torch


        class NormPass:
            def __call__(self, x):
                return torch.ops.acme.norm(x)  # expect: OPD301
        --- acme/passes.py
        from acme.ops import Ops

        if Ops.is_enabled():
            from .fusion import NormPass
        --- acme/other.py
        from acme.fusion import NormPass

        PASSES = [NormPass()]
    """,
    "an owner hands out operations, and somebody takes one without asking": HAS
    + """
        --- acme/ops.py
        import torch

        from acme.has import has_aiter


        class Ops:
            @staticmethod
            def norm_op():
                return torch.ops.acme.norm.default  # expect: OPD301


        if has_aiter():
            torch.library.define("acme::norm", "(Tensor x) -> Tensor")
        --- acme/fusion.py
        from acme.ops import Ops


        class NormPass:
            OP = Ops.norm_op()
    """,
    "listed by its package": """
        --- acme/__init__.py
        from acme.a import norm

        __all__ = ["norm"]
        --- acme/a.py
        import torch

        try:
            import aiter  # noqa: F401
        except ImportError:
            pass


        def norm(x):
            return torch.ops.aiter.norm(x)  # expect: OPD301


        def run(x, fast=False):
            return norm(x) if fast else x
    """,
    "a constructor that chooses by something else": """
        --- acme/a.py
        import torch

        HAS_AITER = False
        try:
            import aiter  # noqa: F401

            HAS_AITER = True
        except ImportError:
            pass


        class Norm(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self._forward_method = self.forward_fast
                if not torch.cuda.is_available():
                    self._forward_method = self.forward_native

            def forward_native(self, x):
                return x

            def forward_fast(self, x):
                return torch.ops.aiter.norm(x)  # expect: OPD301
    """,
    "a triton kernel": """
        --- acme/a.py
        try:
            import triton

            HAS_TRITON = True
        except ImportError:
            HAS_TRITON = False

        if HAS_TRITON:

            @triton.jit
            def kernel(x):
                pass


        def run(x):
            kernel[(1,)](x)  # expect: OPD201


        def asks(x):
            if HAS_TRITON:
                kernel[(1,)](x)
    """,
}

SOUND = {
    "no guard": REGISTER
    + """
        --- acme/a.py
        import torch

        from acme.reg import register_op


        def _norm(x):
            from aiter import norm

            return norm(x)


        register_op("norm", _norm)


        class Norm:
            def forward(self, x):
                return torch.ops.acme.norm(x)
    """,
    "same flag": HAS
    + REGISTER
    + """
        --- acme/a.py
        import torch

        from acme.has import HAS_AITER, has_aiter
        from acme.reg import register_op

        if HAS_AITER:
            register_op("norm", lambda x: x)


        def run(x):
            return torch.ops.acme.norm(x) if has_aiter() else x


        def early(x):
            if not HAS_AITER:
                raise ImportError("needs aiter")
            return torch.ops.acme.norm(x)


        def both(x, fused):
            return fused and HAS_AITER and torch.ops.acme.norm(x)
    """,
    "same predicate": REGISTER
    + """
        --- acme/a.py
        import torch
        from torch.testing import current_platform

        from acme.reg import register_op

        if current_platform.is_rocm():
            register_op("norm", lambda x: x)


        class Norm:
            def forward(self, x):
                if current_platform.is_rocm():
                    return torch.ops.acme.norm(x)
                return x


        if current_platform.is_rocm():

            class RocmNorm:
                def forward(self, x):
                    return torch.ops.acme.norm(x)
    """,
    "probe": REGISTER
    + """
        --- acme/a.py
        import torch
        from torch.testing import is_rocm

        from acme.reg import register_op

        if is_rocm():
            register_op("norm", lambda x: x)

        HAS_NORM = hasattr(torch.ops.acme, "norm")


        def run(x):
            if hasattr(torch.ops.acme, "norm"):
                return torch.ops.acme.norm(x)
            return x


        def flagged(x):
            return torch.ops.acme.norm(x) if HAS_NORM else x


        def default(x):
            norm = getattr(torch.ops.acme, "norm", None)
            return norm(x) if norm is not None else x


        def caught(x):
            try:
                return torch.ops.acme.norm(x)
            except AttributeError:
                return x
    """,
    "probe in a world": HAS
    + REGISTER
    + """
        --- acme/a.py
        import torch

        from acme.has import HAS_AITER
        from acme.reg import register_op

        if HAS_AITER:
            register_op("norm", lambda x: x)


        def run(x):
            if not hasattr(torch.ops.acme, "norm"):
                raise RuntimeError("needs aiter")
            return torch.ops.acme.norm(x)


        def caught(x):
            try:
                return torch.ops.acme.norm(x)
            except AttributeError:
                return x
    """,
    "both arms": HAS
    + REGISTER
    + """
        --- acme/a.py
        import torch
        from torch.testing import is_rocm

        from acme.has import has_aiter
        from acme.reg import register_op

        if has_aiter():
            register_op("norm", lambda x: x)
        else:
            register_op("norm", lambda x: x + 0)

        if is_rocm():
            register_op("gemm", lambda x: x)
        else:
            register_op("gemm", lambda x: x + 0)


        def run(x):
            return torch.ops.acme.norm(torch.ops.acme.gemm(x))
    """,
    "fallback of a registration": REGISTER
    + """
        --- acme/a.py
        import torch

        from acme.reg import register_op


        def _norm(x):
            return x


        try:
            register_op("norm", _norm)
            norm = torch.ops.acme.norm
        except AttributeError:
            norm = _norm


        def run(x):
            return norm(x)
    """,
    "fallback of a read": HAS
    + REGISTER
    + """
        --- acme/a.py
        import torch

        from acme.has import has_aiter
        from acme.reg import register_op

        if has_aiter():
            register_op("norm", lambda x: x)


        def norm(x):
            return x


        try:
            norm = torch.ops.acme.norm
        except AttributeError:
            pass


        def run(x):
            return norm(x)
    """,
    "native": """
        --- acme/a.py
        import torch
        from torch.testing import is_rocm

        try:
            import acme._C
        except ImportError:
            pass

        if hasattr(torch.ops._C, "norm"):

            @torch.library.register_fake("_C::norm")
            def norm_fake(x):
                return x

        if is_rocm():
            torch.ops.load_library("libacme.so")

            @torch.library.impl("acme_native::norm", "CUDA")
            def norm(x):
                return x


        def run(x):
            return torch.ops._C.norm(x) + torch.ops.acme_native.norm(x) + torch.ops.aten.add(x, x)
    """,
    "constructor refuses": HAS
    + REGISTER
    + """
        --- acme/a.py
        import torch

        from acme.has import has_aiter
        from acme.reg import register_op

        if has_aiter():
            register_op("norm", lambda x: x)


        class Norm:
            def __init__(self):
                if not has_aiter():
                    raise ImportError("needs aiter")

            def forward(self, x):
                return torch.ops.acme.norm(x)


        class Child(Norm):
            def twice(self, x):
                return torch.ops.acme.norm(torch.ops.acme.norm(x))
    """,
    "constructor refuses by platform": REGISTER
    + """
        --- acme/a.py
        import torch
        from torch.testing import is_rocm

        from acme.reg import register_op

        if is_rocm():
            register_op("norm", lambda x: x)


        class Norm:
            def __init__(self):
                if not is_rocm():
                    raise RuntimeError("needs ROCm")

            def forward(self, x):
                return torch.ops.acme.norm(x)


        class Asserting:
            def __init__(self):
                assert is_rocm()

            def forward(self, x):
                return torch.ops.acme.norm(x)
    """,
    "decorator refuses": HAS
    + REGISTER
    + """
        --- acme/a.py
        import functools

        import torch

        from acme.has import has_aiter
        from acme.reg import register_op

        if has_aiter():
            register_op("norm", lambda x: x)


        def requires_aiter(function):
            @functools.wraps(function)
            def wrapper(*args, **kwargs):
                if not has_aiter():
                    raise ImportError("needs aiter")
                return function(*args, **kwargs)

            return wrapper


        @requires_aiter
        def run(x):
            return torch.ops.acme.norm(x)
    """,
    "head of the module": REGISTER
    + """
        --- acme/a.py
        import torch
        from torch.testing import is_rocm

        from acme.reg import register_op

        if not is_rocm():
            raise ImportError("needs ROCm")

        register_op("norm", lambda x: x)


        class Norm:
            def forward(self, x):
                return torch.ops.acme.norm(x)
    """,
    "head of the module, elsewhere": HAS
    + REGISTER
    + """
        --- acme/_ops.py
        from acme.has import has_aiter
        from acme.reg import register_op

        if has_aiter():
            register_op("norm", lambda x: x)
        --- acme/a.py
        import torch

        from acme import _ops
        from acme.has import has_aiter

        if not has_aiter():
            raise ImportError("acme.a needs aiter")


        class Norm:
            def forward(self, x):
                return torch.ops.acme.norm(x)
    """,
    "latch called first": REGISTER
    + """
        --- acme/a.py
        import torch
        from torch.testing import is_rocm

        from acme.reg import register_op

        _done = False


        def register_ops_once():
            global _done
            if not _done:
                register_op("norm", lambda x: x)
                _done = True


        if is_rocm():
            register_ops_once()


        def run(x):
            register_ops_once()
            return torch.ops.acme.norm(x)
    """,
    "an owner hands out operations to a module that is imported where it says yes": HAS
    + REGISTER
    + """
        --- acme/ops.py
        import torch

        from acme.has import has_aiter
        from acme.reg import register_op


        def _norm(x):
            return x


        class Ops:
            @classmethod
            def is_enabled(cls):
                return has_aiter() and torch.cuda.is_available()

            @staticmethod
            def register_once():
                if has_aiter():
                    register_op("norm", _norm)

            @staticmethod
            def norm_op():
                return torch.ops.acme.norm.default

            @staticmethod
            def norm_op_that_nobody_wants():
                return torch.ops.acme.norm.default

            @classmethod
            def norm_that_nobody_calls(cls, x):
                x = x.contiguous()
                return torch.ops.acme.norm(x)


        Ops.register_once()
        --- acme/fusion.py
        import torch

        from acme.ops import Ops


        class NormPass:
            OP = Ops.norm_op()


        class OtherPass:
            def __call__(self, x):
                return torch.ops.acme.norm(x)
        --- acme/more.py
        from acme.fusion import NormPass, OtherPass

        PASSES = [NormPass, OtherPass]
        --- acme/passes.py
        from acme.ops import Ops

        if Ops.is_enabled():
            from .fusion import NormPass
            from . import more
    """,
    "a private method that is called where something has been turned on": REGISTER
    + """
        --- acme/has.py
        from importlib.util import find_spec


        def has_aiter():
            return find_spec("aiter") is not None
        --- acme/ops.py
        import torch

        from acme.has import has_aiter
        from acme.reg import register_op

        if has_aiter():
            register_op("norm", lambda x: x)


        class Ops:
            @staticmethod
            def norm(x):
                return torch.ops.acme.norm(x)
        --- acme/layer.py
        from acme.ops import Ops


        class Layer:
            def __init__(self):
                self.fast = False

            def speed_up(self):
                from aiter import tune

                tune()
                self.fast = True

            def forward(self, x):
                return self._normed(x) if self.fast else x

            def _normed(self, x):
                return Ops.norm(x)
        --- acme/model.py
        from acme.layer import Layer

        LAYERS = [Layer]
    """,
    "a constructor that chooses by the flag of the import": """
        --- acme/a.py
        import torch

        HAS_AITER = False
        try:
            import aiter  # noqa: F401

            HAS_AITER = True
        except ImportError:
            pass


        class Norm(torch.nn.Module):
            def __init__(self):
                super().__init__()
                self._forward_method = self.dispatch()
                if torch.cuda.is_available() and not HAS_AITER:
                    self._forward_method = self.forward_native

            def dispatch(self):
                return self.forward_fast if torch.cuda.is_available() else self.forward_native

            def forward(self, x):
                return self._forward_method(x)

            def forward_native(self, x):
                return x

            def forward_fast(self, x):
                return torch.ops.aiter.norm(x)
    """,
    "listed by its own module, and called where a method says so": """
        --- acme/a.py
        import torch

        __all__ = ["Method", "norm"]


        class Method:
            def __init__(self):
                import aiter  # noqa: F401


        def norm(x):
            return torch.ops.aiter.norm(x)
        --- acme/b.py
        from acme.a import Method, norm


        class Layer:
            def packed(self):
                return self.weight if isinstance(self.method, Method) else None

            def forward(self, x):
                packed = self.packed()
                if packed is not None:
                    return norm(x)
                return x
    """,
    "callers ask": HAS
    + REGISTER
    + """
        --- acme/a.py
        import torch

        from acme.has import has_aiter
        from acme.reg import register_op

        if has_aiter():
            register_op("norm", lambda x: x)


        def _fused(x):
            return torch.ops.acme.norm(x)


        class AiterNorm:
            def forward(self, x):
                return torch.ops.acme.norm(x)
        --- acme/b.py
        from acme.a import AiterNorm, _fused
        from acme.has import has_aiter


        def norm(x):
            if has_aiter():
                return _fused(x)
            return x


        def make():
            return AiterNorm() if has_aiter() else None
    """,
    "callers ask for the platform": REGISTER
    + """
        --- acme/a.py
        import torch
        from torch.testing import current_platform

        from acme.reg import register_op

        if current_platform.is_rocm():
            register_op("norm", lambda x: x)


        def rocm_norm(x):
            return torch.ops.acme.norm(x)
        --- acme/b.py
        from torch.testing import current_platform

        from acme.a import rocm_norm


        def dispatch():
            if current_platform.is_rocm():
                return rocm_norm
            return None
    """,
    "callers pass what they have asked for": REGISTER
    + """
        --- acme/a.py
        import torch
        from torch.testing import current_platform, settings

        from acme.reg import register_op

        if current_platform.is_rocm():
            register_op("norm", lambda x: x)


        def dispatch(fused):
            if fused:
                return torch.ops.acme.norm
            return None


        def is_fused():
            return current_platform.is_rocm() and settings.fused


        def run(x):
            return dispatch(fused=current_platform.is_rocm() and x.is_contiguous())
    """,
    "one name for two": REGISTER
    + """
        --- acme/a.py
        import torch
        from torch.testing import current_platform

        from acme.reg import register_op

        if current_platform.is_rocm():
            register_op("norm", lambda x: x)


        def rocm_norm(x):
            return torch.ops.acme.norm(x)
        --- acme/b.py
        from torch.testing import current_platform, settings


        def is_enabled():
            return current_platform.is_rocm() and settings.fused


        if is_enabled():
            from acme.a import rocm_norm as norm
        else:
            from torch import norm


        class Layer:
            def forward(self, x):
                return norm(x)
    """,
    "import before the use": """
        --- acme/a.py
        import torch

        try:
            import aiter  # noqa: F401
        except ImportError:
            pass


        class Attention:
            def forward(self, q):
                import aiter  # noqa: F401

                return torch.ops.aiter.paged_attention(q)
    """,
    "feature module": """
        --- acme/_ops.py
        import aiter
        import torch


        @torch.library.custom_op("acme::norm", mutates_args=())
        def norm(x):
            return aiter.norm(x)


        def run(x):
            return torch.ops.acme.norm(x)
        --- acme/layer.py
        import torch


        class Norm:
            def forward(self, x):
                return torch.ops.acme.norm(x)
    """,
    "flag that nobody can settle": REGISTER
    + """
        --- acme/a.py
        import torch
        from torch.testing import settings

        from acme.reg import register_op

        if settings.fused:
            register_op("norm", lambda x: x)


        def run(x):
            return torch.ops.acme.norm(x)
    """,
    "condition on the object": HAS
    + REGISTER
    + """
        --- acme/a.py
        import torch

        from acme.has import has_aiter
        from acme.reg import register_op

        if has_aiter():
            register_op("norm", lambda x: x)


        class Norm:
            def __init__(self, config):
                self.fused = has_aiter() and config.fused

            def forward(self, x):
                if self.fused:
                    return torch.ops.acme.norm(x)
                return x
    """,
    "gates that agree": CAPABILITY
    + """
        --- acme/manager.py
        from acme import _ops
        from acme.passes import FusedNormPass, OwnKernel

        HAS_FUSED_NORM = _ops.is_enabled() and _ops.has_fused_norm()
        KERNELS = {}
        if HAS_FUSED_NORM:
            KERNELS["aiter"] = "acme.passes.OwnKernel"


        def passes(config):
            if _ops.is_enabled():
                if _ops.has_fused_norm() and config.fuse:
                    yield FusedNormPass()


        def kernel():
            if not _ops.has_fused_norm():
                raise ImportError("needs a newer aiter")
            return OwnKernel() if _ops.is_enabled() else None
    """,
    "gate beside a class that only hands the operation out": CAPABILITY
    + """
        --- acme/table.py
        import torch


        class Table:
            @staticmethod
            def norm():
                return torch.ops.acme.fused_norm

            @staticmethod
            def block():
                return 8
        --- acme/manager.py
        from acme import _ops
        from acme.table import Table


        def block():
            if _ops.is_enabled():
                return Table.block()
            return 1
    """,
    "gate that asks nothing of the root": CAPABILITY
    + """
        --- acme/manager.py
        from acme.passes import FusedNormPass


        def passes(config):
            if config.fuse:
                yield FusedNormPass()
    """,
    "probe that nobody asks": """
        --- acme/a.py
        from importlib.util import find_spec


        def is_enabled():
            return find_spec("aiter") is not None


        def has_fused_norm():
            try:
                from aiter.ops.norm import fused_norm  # noqa: F401
            except ImportError:
                return False
            return True


        class Norm:
            def forward(self, x):
                from aiter.ops.norm import fused_norm

                return fused_norm(x)


        def make():
            if is_enabled():
                return Norm()
            return None
    """,
    "implementation that falls back": """
        --- acme/a.py
        from importlib.util import find_spec


        def is_enabled():
            return find_spec("aiter") is not None


        def has_fused_norm():
            try:
                from aiter.ops.norm import fused_norm  # noqa: F401
            except ImportError:
                return False
            return True


        class Norm:
            def forward(self, x):
                try:
                    from aiter.ops.norm import fused_norm
                except ImportError:
                    return x
                return fused_norm(x)


        def make():
            if is_enabled():
                return Norm()
            return None


        def default():
            return is_enabled() and has_fused_norm()
    """,
}


@pytest.mark.parametrize("name", FAULTS)
def test_fault(tmp_path: Path, name: str) -> None:
    marked, found = places(tmp_path, FAULTS[name])
    assert marked
    assert found == marked


@pytest.mark.parametrize("name", SOUND)
def test_sound(tmp_path: Path, name: str) -> None:
    _, found = places(tmp_path, SOUND[name])
    assert found == set()
