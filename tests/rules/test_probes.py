"""What the rules on guards and probes say about many spellings of each fault, and of its sound twin."""

from __future__ import annotations

import re
import textwrap
from pathlib import Path

import pytest

from optdep_lint import engine
from optdep_lint.config import Config
from optdep_lint.discovery import discover

PROJECT = """
[project]
name = "acme"
version = "1"
dependencies = ["torch", "numpy"]

[project.optional-dependencies]
aiter = ["aiter"]
flash = ["flash-attn"]
gemm = ["deep-gemm"]
ep = ["deep-ep"]
pandas = ["pandas"]
arrow = ["pyarrow"]
expr = ["numexpr"]
image = ["opencv-python"]
both = ["left", "right"]
"""


def codes(folder: Path, sources: str) -> tuple[set[tuple[str, int, str]], set[tuple[str, int, str]]]:
    """What is found, and what is marked; `# file: acme/x.py` starts a file, the first one is acme/m.py."""
    (folder / "pyproject.toml").write_text(PROJECT, encoding="utf-8")
    parts = re.split(r"^# file: (\S+)\n", textwrap.dedent(sources), flags=re.MULTILINE)
    for name, text in zip(["acme/__init__.py", "acme/m.py", *parts[1::2]], ["", parts[0], *parts[2::2]], strict=True):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    config = Config(select=("OPD4", "OPD603"))
    found = {(one.path, one.span.line, one.code) for one in engine.check(discover([folder], config), config).findings}
    marked = {
        (path.relative_to(folder).as_posix(), number, code)
        for path in folder.rglob("*.py")
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        for code in re.findall(r"# expect: (OPD\d+)", line)
    }
    return found, marked


HIDDEN = {
    "or in one return": """
        from importlib.util import find_spec
        def has():
            try:
                return find_spec("aiter.mha") is not None or find_spec("flash_attn.mha") is not None  # expect: OPD401
            except ImportError:
                return False
    """,
    "bool of specs": """
        import importlib.util as util
        def has():
            try:
                return bool(util.find_spec("aiter.mha") or util.find_spec("flash_attn.mha"))  # expect: OPD401
            except (ImportError, ValueError):
                return False
    """,
    "early returns": """
        from importlib.util import find_spec as probe
        def has():
            try:
                if probe("aiter.mha"):  # expect: OPD401
                    return True
                if probe("flash_attn.mha"):
                    return True
            except ModuleNotFoundError:
                pass
            return False
    """,
    "loop over a constant": """
        import importlib.util
        PLACES = ("flash_attn.triton", "aiter.triton")
        def has():
            try:
                for name in PLACES:
                    if importlib.util.find_spec(name) is not None:  # expect: OPD401
                        return True
            except ImportError:
                return False
            return False
    """,
    "generator in any": """
        from importlib.util import find_spec
        def has():
            try:
                return any(find_spec(name) for name in ["flash_attn.triton", "aiter.triton"])  # expect: OPD401
            except ImportError:
                return False
    """,
    "helper without a handler": """
        from importlib.util import find_spec
        def _has(name):
            return find_spec(name) is not None
        def has():
            try:
                return _has("aiter.mha") or _has("flash_attn.mha")  # expect: OPD401
            except ImportError:
                return False
    """,
    "helper in another module": """
        from acme.probing import has_spec
        def has():
            try:
                found = has_spec("aiter.mha")  # expect: OPD401
                if not found:
                    found = has_spec("flash_attn.mha")
                return found
            except ImportError:
                return False
        # file: acme/probing.py
        import importlib.util
        def has_spec(name):
            return importlib.util.find_spec(name) is not None
    """,
    "enum values": """
        import enum
        from importlib.util import find_spec
        class Place(enum.Enum):
            OLD = "flash_attn.triton"
            NEW = "aiter.triton"
        def has():
            try:
                return find_spec(Place.OLD.value) is not None or find_spec(Place.NEW.value) is not None  # expect: OPD401
            except ImportError:
                return False
    """,
    "a flag of the module": """
        from importlib.util import find_spec
        try:
            HAS = find_spec("aiter.mha") is not None  # expect: OPD401
            HAS = HAS or find_spec("flash_attn.mha") is not None
        except ImportError:
            HAS = False
    """,
    "two flags of the module": """
        from importlib.util import find_spec
        try:
            HAS_A = find_spec("aiter.mha") is not None  # expect: OPD401
            HAS_F = find_spec("flash_attn.mha") is not None
        except ImportError:
            HAS_A = HAS_F = False
    """,
    "suppress": """
        from contextlib import suppress
        from importlib.util import find_spec
        def has():
            found = False
            with suppress(ImportError):
                found = find_spec("aiter.mha") is not None or find_spec("flash_attn.mha") is not None  # expect: OPD401
            return found
    """,
    "a method": """
        from importlib.util import find_spec
        class Platform:
            @classmethod
            def has(cls):
                try:
                    return find_spec("aiter.mha") is not None or find_spec("flash_attn.mha") is not None  # expect: OPD401
                except Exception:
                    return False
    """,
    "nested try": """
        from importlib.util import find_spec
        def has():
            try:
                if find_spec("aiter.mha") is not None:  # expect: OPD401
                    return True
                try:
                    return find_spec("flash_attn.mha") is not None
                except ImportError:
                    return False
            except ImportError:
                return False
    """,
    "a cached function with an environment test": """
        import os
        from functools import cache
        from importlib.util import find_spec
        @cache
        def has():
            try:
                if find_spec("aiter.mha") is None and find_spec("flash_attn.mha") is None:  # expect: OPD401
                    return False
                return os.environ.get("ACME_FLASH") == "1"
            except ImportError:
                return False
    """,
    "distributions": """
        from importlib.metadata import PackageNotFoundError, version
        def known():
            try:
                return version("aiter") or version("flash-attn")  # expect: OPD401
            except PackageNotFoundError:
                return None
    """,
}

HIDDEN |= {
    "imports": """
        def kernels():
            try:
                from aiter import mha  # expect: OPD401
                if mha.usable:
                    return mha
                from flash_attn import mha
                return mha
            except ImportError:
                return None
    """,
    "imports and one flag": """
        HAS = False
        try:
            import aiter  # expect: OPD401
            HAS = True
            import flash_attn
            HAS = True
        except ImportError:
            pass
    """,
    "a loop of imports": """
        from importlib import import_module
        def kernels():
            try:
                for name in ("aiter.mha", "flash_attn.mha"):
                    return import_module(name)  # expect: OPD401
            except ImportError:
                return None
    """,
}

NOT_HIDDEN = {
    "imports that are all needed": """
        def kernels():
            try:
                import aiter
                if not aiter.usable:
                    return None
                import flash_attn
                return flash_attn.mha(aiter)
            except ImportError:
                return None
    """,
    "a loop that imports all": """
        from importlib import import_module
        def kernels():
            try:
                for name in ("aiter.mha", "flash_attn.mha"):
                    import_module(name)
            except ImportError:
                return False
            return True
    """,
    "and": """
        from importlib.util import find_spec
        def has():
            try:
                return find_spec("aiter.mha") is not None and find_spec("flash_attn.mha") is not None
            except ImportError:
                return False
    """,
    "a loop over what is all needed, after the first": """
        import importlib.metadata
        from importlib.util import find_spec
        from packaging import version
        NEEDED = {"pyarrow": "1.0", "deep-gemm": "2.0"}
        def has():
            if find_spec("aiter") is None:
                return False
            for distribution, least in NEEDED.items():
                try:
                    installed = importlib.metadata.version(distribution)
                except importlib.metadata.PackageNotFoundError:
                    return False
                if version.parse(installed) < version.parse(least):
                    return False
            return True
    """,
    "all": """
        from importlib.util import find_spec
        def has():
            try:
                return all(find_spec(name) is not None for name in ("aiter.mha", "flash_attn.mha"))
            except ImportError:
                return False
    """,
    "one parent": """
        from importlib.util import find_spec
        def has():
            try:
                return find_spec("aiter.mha") is not None or find_spec("aiter.mla") is not None
            except ImportError:
                return False
    """,
    "a handler for each": """
        from importlib.util import find_spec
        def _has(name):
            try:
                return find_spec(name) is not None
            except ImportError:
                return False
        def has():
            try:
                return _has("aiter.mha") or _has("flash_attn.mha")
            except ImportError:
                return False
    """,
    "roots do not raise": """
        from importlib.util import find_spec
        def has():
            try:
                return find_spec("aiter") is not None or find_spec("flash_attn") is not None
            except ImportError:
                return False
    """,
    "parents asked first": """
        from importlib.util import find_spec
        def has():
            try:
                if find_spec("aiter") and find_spec("aiter.mha"):
                    return True
                return bool(find_spec("flash_attn") and find_spec("flash_attn.mha"))
            except ImportError:
                return False
    """,
    "the handler asks the other": """
        from importlib.util import find_spec
        def has():
            try:
                return find_spec("aiter.mha") is not None
            except ImportError:
                return find_spec("flash_attn") is not None
    """,
    "the handler goes on to the next": """
        from importlib.util import find_spec
        def has():
            for name in ("aiter.mha", "flash_attn.mha"):
                try:
                    if find_spec(name) is not None:
                        return True
                except ImportError:
                    continue
            return False
    """,
    "a chain of exits for what is all needed": """
        from importlib.util import find_spec
        def has():
            try:
                if find_spec("aiter.mha") is None:
                    return False
                if find_spec("flash_attn.mha") is None:
                    return False
            except ImportError:
                return False
            return True
    """,
}

UNPROTECTED = {
    "in a function": """
        from importlib.util import find_spec
        def has():
            return find_spec("aiter.ops") is not None  # expect: OPD402
    """,
    "through a helper": """
        from importlib.util import find_spec
        def _has(name):
            return find_spec(name) is not None
        def has():
            return _has("aiter.ops")  # expect: OPD402
    """,
    "another parent was asked for": """
        from importlib.util import find_spec
        def has_plugins():
            if find_spec("aiter") is None:
                return False
            return find_spec("aiterplugins.deck") is not None  # expect: OPD402
    """,
    "a handler for something else": """
        from importlib.util import find_spec
        def has():
            try:
                return find_spec("aiter.ops") is not None  # expect: OPD402
            except AttributeError:
                return False
    """,
    "at import, through a helper": """
        from importlib.util import find_spec
        def _has(name):
            return find_spec(name) is not None
        HAS = _has("aiter.ops")  # expect: OPD402
    """,
    "on a terminal": """
        import sys
        from importlib.util import find_spec
        def has():
            return find_spec("aiter.ops") is not None if sys.stdout.isatty() else None  # expect: OPD402
    """,
    "under a platform test": """
        import sys
        from importlib.util import find_spec
        import torch
        def has():
            if torch.cuda.is_available():
                return find_spec("aiter.ops") is not None  # expect: OPD402
            return False
    """,
}

PROTECTED = {
    "and": """
        from importlib.util import find_spec
        def has():
            return find_spec("aiter") is not None and find_spec("aiter.ops") is not None
    """,
    "same parent returns early": """
        from importlib.util import find_spec
        def has_aiter():
            return find_spec("aiter") is not None
        def has():
            if not has_aiter():
                return False
            return find_spec("aiter.ops") is not None
    """,
    "three levels, the parent asked for": """
        from importlib.util import find_spec
        def has():
            if find_spec("aiter") is None:
                return False
            if find_spec("aiter.ops") is None:
                return False
            return find_spec("aiter.ops.norm") is not None
    """,
    "callers catch": """
        from importlib.util import find_spec
        def _ask():
            return find_spec("aiter.ops") is not None
        def has():
            try:
                return _ask()
            except ImportError:
                return False
    """,
    "callers ask first": """
        from importlib.util import find_spec
        HAS = find_spec("aiter") is not None
        def _ask():
            return find_spec("aiter.ops") is not None
        def has():
            return HAS and _ask()
    """,
    "a required parent": """
        from importlib.util import find_spec
        def has():
            return find_spec("torch.distributed") is not None
        HAS = find_spec("os.path") is not None
    """,
    "imported before": """
        from importlib.util import find_spec
        def has():
            import aiter
            return find_spec("aiter.ops") is not None
    """,
}

EARLY = {
    "one location, then both": """
        from importlib.util import find_spec
        def has():
            if find_spec("flash_attn") is None:  # expect: OPD403
                return False
            if find_spec("aiter") is not None:
                return True
            return find_spec("flash_attn") is not None
    """,
    "the top guard kept": """
        from importlib.util import find_spec
        def _has(name):
            try:
                return find_spec(name) is not None
            except ImportError:
                return False
        def has():
            if not _has("flash_attn"):  # expect: OPD403
                return False
            return _has("flash_attn.mha") or _has("aiter.mha")
    """,
    "the positive form": """
        from importlib.util import find_spec
        def _has(name):
            try:
                return find_spec(name) is not None
            except ImportError:
                return False
        def has():
            if _has("flash_attn"):  # expect: OPD403
                return _has("flash_attn.mha") or _has("aiter.mha")
            return False
    """,
    "a loop with else": """
        from importlib.util import find_spec
        def has():
            for name in ("flash_attn", "aiter"):
                if find_spec(name) is not None:  # expect: OPD403
                    return True
                else:
                    return False
    """,
    "a conjunction": """
        from importlib.util import find_spec
        def _has(name):
            try:
                return find_spec(name) is not None
            except ImportError:
                return False
        def has():
            return _has("flash_attn") and (_has("flash_attn.mha") or _has("aiter.mha"))  # expect: OPD403
    """,
    "a handler that returns in a loop": """
        from importlib.util import find_spec
        def has():
            for name in ("flash_attn.mha", "aiter.mha"):
                try:
                    if find_spec(name) is not None:  # expect: OPD401
                        return True
                except ImportError:
                    return False
            return False
    """,
    "imports": """
        def has():
            try:
                import flash_attn
            except ImportError:  # expect: OPD403
                return False
            try:
                import aiter
                return True
            except ImportError:
                pass
            try:
                import flash_attn
                return True
            except ImportError:
                return False
    """,
}

NOT_EARLY = {
    "all are needed": """
        from importlib.util import find_spec
        def has():
            if find_spec("flash_attn") is None:
                return False
            if find_spec("aiter") is None:
                return False
            return True
    """,
    "the second is needed too": """
        from importlib.util import find_spec
        def has():
            if find_spec("flash_attn") is None:
                return False
            return find_spec("aiter") is not None
    """,
    "joined by or": """
        from importlib.util import find_spec
        def has():
            if find_spec("flash_attn") is not None:
                return True
            return find_spec("aiter") is not None
    """,
    "a base with one of two engines": """
        from importlib.util import find_spec
        def has():
            if find_spec("pandas") is None:
                return False
            return find_spec("pyarrow") is not None or find_spec("numexpr") is not None
    """,
    "a choice with a last resort": """
        from importlib.util import find_spec
        def engine():
            if find_spec("flash_attn") is None:
                return None
            if find_spec("aiter") is not None:
                return "aiter"
            return "flash"
    """,
    "a name that is bound only where the first is there": """
        import os
        from importlib.util import find_spec
        def has_flash():
            return find_spec("flash_attn") is not None
        def is_aiter_enabled():
            if os.environ.get("AITER") != "1":
                return False
            return find_spec("aiter") is not None
        if has_flash():
            from flash_attn import Settings
        def set_up(settings):
            if not is_aiter_enabled():
                if not has_flash():
                    raise ImportError("install flash-attn")
            found = {"enabled": True}
            if isinstance(settings, Settings):
                found["own"] = settings.pop("own")
            if is_aiter_enabled():
                return "aiter"
            return "flash"
    """,
    "what is not concluded": """
        from importlib.util import find_spec
        def count(total):
            {steps}
            return total > 5
        def has(given):
            if find_spec("flash_attn") is None:
                return False
            if find_spec("flash_attn") is None and find_spec("aiter") is None:
                return count(given)
            return True
    """.replace("{steps}", "; ".join(["total = len(given)"] * 700)),
    "a condition on the type of what is given": """
        from importlib.util import find_spec
        class Kernels: pass
        def kernels():
            if find_spec("aiter") is None:
                raise ImportError("install aiter")
            return Kernels()
        def has(found):
            if isinstance(kernels(), Kernels):
                found = {}
            return find_spec("aiter") is not None or find_spec("flash_attn") is not None
    """,
    "a condition on what was given": """
        from importlib.util import find_spec
        class State:
            def __init__(self, settings):
                self.found = None
                if isinstance(settings, dict):
                    if find_spec("flash_attn") is not None:
                        self.found = "flash"
                if find_spec("aiter") is not None:
                    self.found = self.found or "aiter"
    """,
    "companions": """
        from importlib.util import find_spec
        def has():
            if find_spec("flashinfer") is None:
                return False
            return find_spec("flashinfer_cubin") is not None or find_spec("flashinfer.jit") is not None
    """,
}

SHARED = {
    "two flags": """
        try:
            import pandas as pd
            import pyarrow as pa  # expect: OPD404
            HAS_PANDAS = True
            HAS_PYARROW = True
        except ImportError:
            HAS_PANDAS = False
            HAS_PYARROW = False
    """,
    "flags set before": """
        HAS_PANDAS = HAS_PYARROW = False
        try:
            import pandas
            HAS_PANDAS = True
            import pyarrow  # expect: OPD404
            HAS_PYARROW = True
        except ImportError:
            pass
    """,
    "flags in else": """
        try:
            import pandas
            from pyarrow import Table  # expect: OPD404
        except ImportError:
            has_pandas = has_pyarrow = False
        else:
            has_pandas = has_pyarrow = True
    """,
    "flags that are named for a part of the root": """
        try:
            import aiter
            import flash_attn  # expect: OPD404
            HAS_AITER = True
            HAS_FLASH = True
        except ImportError:
            HAS_AITER = HAS_FLASH = False
    """,
    "sentinels used apart": """
        try:
            import pandas as pd
            import pyarrow as pa  # expect: OPD404
        except ImportError:
            pd = pa = None
        def frame(x):
            return x if pd is None else pd.DataFrame(x)
        def table(x):
            return x if pa is None else pa.table(x)
    """,
}

SHARED |= {
    "sentinels asked for apart": """
        try:
            import pandas as pd
            import pyarrow as pa  # expect: OPD404
        except ImportError:
            pd = None
            pa = None
        def kind(x):
            if pd is not None and isinstance(x, pd.DataFrame):
                return "frame"
            if pa is not None and isinstance(x, pa.Table):
                return "table"
            return "other"
    """,
}

NOT_SHARED = {
    "one is asked for, both are used": """
        try:
            import pandas
            from pyarrow import Table
        except ImportError:
            pandas = None
            Table = None
        class Store:
            def __init__(self):
                if Table is None:
                    raise ImportError("needs both")
            def frame(self, x):
                return pandas.DataFrame(x)
    """,
    "asked for at once": """
        try:
            import pandas as pd
            import pyarrow as pa
        except ImportError:
            pd = pa = None
        def table(x):
            if pd is None or pa is None:
                return x
            return pa.table(pd.DataFrame(x))
    """,
    "one stands for both": """
        try:
            import pandas as pd
            import pyarrow as pa
        except ImportError:
            pd = pa = None
        def table(x):
            if pd is None:
                return x
            return pa.table(pd.DataFrame(x))
    """,
    "one flag": """
        try:
            import pandas as pd
            import pyarrow as pa
            HAS_FRAMES = True
        except ImportError:
            HAS_FRAMES = False
        def frame(x):
            return pa.table(pd.DataFrame(x)) if HAS_FRAMES else x
    """,
    "used together": """
        try:
            import pandas as pd
            import pyarrow as pa
        except ImportError:
            pd = pa = None
        def frame(x):
            return x if pd is None else pa.table(pd.DataFrame(x))
    """,
    "one extra": """
        try:
            import left
            import right
            HAS_LEFT = HAS_RIGHT = True
        except ImportError:
            HAS_LEFT = HAS_RIGHT = False
    """,
    "a required one beside": """
        try:
            import numpy
            import pandas
            HAS_NUMPY = HAS_PANDAS = True
        except ImportError:
            HAS_NUMPY = HAS_PANDAS = False
    """,
    "the handler raises": """
        try:
            import pandas
            import pyarrow
        except ImportError as error:
            raise ImportError("needs both") from error
    """,
}

SWALLOWED = {
    "a call and an import of one's own": """
        try:
            import numexpr as ne
            from .plugins import load
            ne.set_num_threads(4)
            load()
            HAS = True
        except ImportError:  # expect: OPD405
            HAS = False
        # file: acme/plugins.py
        def load():
            return []
    """,
    "an import of one's own in a function": """
        def evaluate(text):
            try:
                import numexpr
                from acme.plugins import load
            except ImportError:  # expect: OPD405
                return None
            return numexpr.evaluate(load(text))
        # file: acme/plugins.py
        def load(text):
            return text
    """,
    "except Exception": """
        try:
            import aiter
        except Exception:  # expect: OPD405
            aiter = None
    """,
    "bare except": """
        try:
            from aiter import norm
            HAS = True
        except:  # expect: OPD405
            HAS = False
    """,
    "suppress": """
        from contextlib import suppress
        aiter = None
        with suppress(Exception):  # expect: OPD405
            import aiter
    """,
    "silent in a function": """
        def has():
            try:
                import aiter
                return True
            except BaseException:  # expect: OPD405
                return False
    """,
}

NOT_SWALLOWED = {
    "in a module that cannot do without the root": """
        import aiter
        try:
            from aiter.newer import norm
        except Exception:
            norm = None
        def f(x):
            try:
                from aiter.settings import queue
            except Exception:
                return None
            return queue(x)
    """,
    "a module that needs the root itself": """
        try:
            import numexpr
            from .fast import run
        except ImportError:
            run = None
        # file: acme/fast.py
        import numexpr
        def run(text):
            return numexpr.evaluate(text)
    """,
    "a call that is told what to look for": """
        from acme.needs import demand
        try:
            demand("numexpr")
            from numexpr import evaluate
        except ImportError:
            evaluate = None
        # file: acme/needs.py
        from importlib import import_module
        def demand(name):
            return import_module(name)
    """,
    "only a module of one's own": """
        try:
            from ._build import version
        except ImportError:
            version = "0"
        # file: acme/_build.py
        version = "1"
    """,
    "broken native code": """
        try:
            import aiter
        except (ImportError, OSError, RuntimeError):
            aiter = None
    """,
    "it says so": """
        import logging
        try:
            import aiter
        except Exception:
            logging.getLogger(__name__).warning("aiter is broken", exc_info=True)
            aiter = None
    """,
    "it keeps the error": """
        try:
            import aiter
        except Exception as error:
            aiter, problem = None, error
    """,
    "calls can fail in any way": """
        try:
            import aiter
            aiter.init()
        except Exception:
            aiter = None
    """,
    "a handler of its own for absence": """
        try:
            import aiter
        except ImportError:
            aiter = None
        except Exception:
            aiter = None
    """,
    "calls of the dependency": """
        try:
            import numexpr as ne
            ne.set_num_threads(4)
        except ImportError:
            ne = None
    """,
}

DRIFT = {
    "another root": """
        from functools import cache
        from importlib.util import find_spec
        @cache
        def has_gemm():
            return find_spec("deep_gemm") is not None
        def buffer():
            if has_gemm():
                from deep_ep import Buffer  # expect: OPD406
                return Buffer()
            return None
    """,
    "a flag in another module": """
        from acme.flags import HAS_GEMM
        def buffer():
            if not HAS_GEMM:
                return None
            import deep_ep  # expect: OPD406
            return deep_ep.Buffer()
        # file: acme/flags.py
        try:
            import deep_gemm
            HAS_GEMM = True
        except ImportError:
            HAS_GEMM = False
    """,
    "another submodule": """
        from importlib.util import find_spec
        def _has(name):
            try:
                return find_spec(name) is not None
            except ModuleNotFoundError:
                return False
        HAS_GEMM = _has("aiter.ops.triton.gemm")
        def run(w):
            if HAS_GEMM:
                from aiter.ops.shuffle import shuffle_weight  # expect: OPD406
                return shuffle_weight(w)
            return w
    """,
    "a submodule that is asked for elsewhere": """
        from importlib.util import find_spec
        def has_flash():
            return find_spec("flash_attn") is not None
        def has_rotary():
            return find_spec("flash_attn") is not None and find_spec("flash_attn.ops.rotary") is not None
        def rotate(x):
            if has_flash():
                from flash_attn.ops.rotary import rotate  # expect: OPD406
                return rotate(x)
            return x
    """,
    "import_module under a flag of the instance": """
        from importlib.util import find_spec
        HAS_GEMM = find_spec("deep_gemm") is not None
        class Layer:
            def run(self, x):
                if HAS_GEMM:
                    from deep_ep import run  # expect: OPD406
                    return run(x)
                return x
    """,
}

DRIFT |= {
    "a flag of the function": """
        def buffer():
            try:
                import deep_gemm
                usable = True
            except ImportError:
                usable = False
            if usable:
                from deep_ep import Buffer  # expect: OPD406
                return Buffer()
            return None
    """,
}

DRIFT |= {
    "a module that has moved": """
        def has_norm():
            try:
                from aiter.fused.norm import norm  # noqa
                return True
            except ImportError:
                return False
        def run(x):
            if has_norm():
                from aiter.ops.norm import norm  # expect: OPD406
                return norm(x)
            return x
    """,
}

NO_DRIFT = {
    "a running library by its name": """
        from acme.running import is_gemm
        def buffer():
            if is_gemm():
                import deep_gemm
                return deep_gemm.Buffer()
            return None
        # file: acme/running.py
        def is_gemm():
            try:
                import deep_ep
                return deep_ep.current() == "deep_gemm"
            except ImportError:
                return False
    """,
    "the same root": """
        from importlib.util import find_spec
        def has_ep():
            return find_spec("deep_ep") is not None
        def buffer():
            if has_ep():
                from deep_ep.buffers import Buffer
                return Buffer()
    """,
    "both are asked for": """
        from importlib.util import find_spec
        HAS_EP = find_spec("deep_ep") is not None
        HAS_GEMM = find_spec("deep_gemm") is not None
        def buffer():
            if HAS_GEMM and HAS_EP:
                from deep_ep import Buffer
                return Buffer()
    """,
    "one extra brings both": """
        from importlib.util import find_spec
        def buffer():
            if find_spec("left") is not None:
                import right
                return right.Buffer()
    """,
    "a function that needs it anyway": """
        from importlib.util import find_spec
        def buffer(verbose):
            from deep_ep import Buffer
            if find_spec("deep_gemm") is not None:
                return Buffer("gemm")
            return Buffer()
    """,
    "the import has a handler": """
        from importlib.util import find_spec
        def buffer():
            if find_spec("deep_gemm") is not None:
                try:
                    from deep_ep import Buffer
                except ImportError:
                    return None
                return Buffer()
    """,
    "a parent of what is asked for": """
        from importlib.util import find_spec
        def rotate(x):
            if find_spec("flash_attn") and find_spec("flash_attn.ops.rotary"):
                from flash_attn import rotate
                return rotate(x)
    """,
    "None not in what is found, after the base class has asked for the other": """
        import importlib.util
        def is_ep_available():
            return None not in [importlib.util.find_spec("deep_ep"), importlib.util.find_spec("deep_gemm")]
        def is_gemm_available():
            return importlib.util.find_spec("deep_gemm") is not None
        class Base:
            def __init__(self):
                if not is_gemm_available():
                    raise RuntimeError("needs deep_gemm")
                import deep_gemm
                self._gemm = deep_gemm
        class Callback(Base):
            def __init__(self):
                super().__init__()
                if not is_ep_available():
                    raise ImportError("needs deep_ep")
                from deep_ep.upload import Repo
                self.repo = Repo
    """,
    "a module of the root is imported to see whether it is there": """
        def is_aiter_available():
            try:
                from aiter.modeling import REGISTRY  # noqa
                return True
            except ImportError:
                return False
        def register(model):
            if is_aiter_available() and model.wants_lists:
                from aiter.structures.lists import List
                return List(model)
    """,
    "the root and the submodule are asked for, and a part of that is used": """
        import importlib.util
        from functools import lru_cache
        @lru_cache
        def is_hpu_available():
            if importlib.util.find_spec("aiter") is None or importlib.util.find_spec("aiter.torch") is None:
                return False
            return True
        @lru_cache
        def is_first():
            if not is_hpu_available():
                return False
            import aiter.torch.utils.experimental as experimental
            return experimental.kind() == 1
    """,
    "what is asked for on the way, but not by a condition": """
        from importlib.util import find_spec
        def is_quantized(kind):
            return kind.startswith("fp8")
        class Base:
            def __init__(self):
                if find_spec("deep_gemm") is None:
                    raise NotImplementedError("use another backend")
        class Impl(Base):
            def __init__(self, kind):
                super().__init__()
                if not is_quantized(kind):
                    raise NotImplementedError("needs fp8")
                from deep_ep import warm_up
                warm_up()
    """,
    "a submodule that is imported by its name for use": """
        from importlib import import_module
        from importlib.util import find_spec
        def array_type():
            return import_module("aiter.array").Array
        def reshape(x):
            if find_spec("aiter") is not None:
                from aiter.array import reshape
                return reshape(x)
            return x
    """,
    "requires one, uses both": """
        from importlib.util import find_spec
        def buffer():
            if find_spec("deep_gemm") is None:
                raise ImportError("needs deep_gemm")
            from deep_ep import Buffer
            return Buffer()
    """,
}

SHAM = {
    "own source": """
        from importlib.util import find_spec
        def run(x):
            if find_spec("acme.kernels"):  # expect: OPD407
                from acme import kernels
                return kernels.run(x)
            return x
        # file: acme/kernels.py
        import aiter
        run = aiter.run
    """,
    "own source by an enum's method": """
        import enum
        from importlib.util import find_spec
        class Backend(enum.Enum):
            FA = "acme.kernels.Kernel"
            def get_path(self, classname=True):
                return self.value if classname else self.value.rpartition(".")[0]
        HAS = find_spec(Backend.FA.get_path(classname=False)) is not None  # expect: OPD407
        # file: acme/kernels.py
        import aiter
        class Kernel:
            pass
    """,
    "own source through a helper": """
        from importlib.util import find_spec
        def _has(name):
            return find_spec(name) is not None
        HAS = True and _has("acme.kernels")  # expect: OPD407
        # file: acme/kernels.py
        import aiter
    """,
    "a flag after the try": """
        try:
            import aiter
        except ImportError:
            pass
        HAS_AITER = True  # expect: OPD407
    """,
    "a flag before the import": """
        try:
            HAS_AITER = True  # expect: OPD407
            import aiter
        except ImportError:
            pass
    """,
    "a flag before the try": """
        HAS_AITER = True  # expect: OPD407
        try:
            import aiter
        except ImportError:
            pass
    """,
    "a flag in both": """
        try:
            import aiter
            HAS_AITER = True
        except ImportError:
            HAS_AITER = True  # expect: OPD407
    """,
    "a function that is not called": """
        from importlib.util import find_spec
        def has_aiter():
            return find_spec("aiter") is not None
        def run(x):
            if has_aiter:  # expect: OPD407
                return x
    """,
}

SHAM |= {
    "a function that says yes after the try": """
        def has_aiter():
            try:
                import aiter
            except ImportError:
                pass
            return True  # expect: OPD407
    """,
}

NO_SHAM = {
    "a flag before the try that the handler takes back": """
        HAS_AITER = True
        try:
            import aiter
        except ImportError:
            HAS_AITER = False
    """,
    "a function that says no in the handler": """
        def has_aiter():
            try:
                import aiter
            except ImportError:
                return False
            return True
    """,
    "compiled": """
        from importlib.util import find_spec
        HAS = find_spec("acme._C") is not None
    """,
    "where it lies": """
        from importlib.util import find_spec
        FOLDER = find_spec("acme.kernels").origin
        # file: acme/kernels.py
        X = 1
    """,
    "set before, reset": """
        HAS_AITER = True
        try:
            import aiter
        except ImportError:
            HAS_AITER = False
    """,
    "a negative flag": """
        try:
            import aiter
            NO_AITER = False
        except ImportError:
            NO_AITER = True
    """,
    "another flag after": """
        try:
            import aiter
        except ImportError:
            aiter = None
        HAS_TYPES = True
    """,
}

HINTS = {
    "no such extra": """
        def f():
            try:
                import pandas
            except ImportError as error:
                raise ImportError("pip install acme[frames]") from error  # expect: OPD603
            return pandas
    """,
    "the wrong extra": """
        def f():
            try:
                import pandas
            except ImportError as error:
                raise ImportError("f() needs pandas; run `pip install 'acme[arrow]'`.") from error  # expect: OPD603
            return pandas
    """,
    "under a sentinel": """
        try:
            import pandas
        except ImportError:
            pandas = None
        def f():
            if pandas is None:
                raise ImportError("f() needs pandas: pip install acme[expr]")  # expect: OPD603
            return pandas.DataFrame()
    """,
    "the import name is no distribution": """
        def f():
            try:
                import cv2
            except ImportError as error:
                raise ImportError("pip install cv2") from error  # expect: OPD603
            return cv2
    """,
    "another distribution": """
        def f():
            try:
                import pandas
            except ImportError as error:
                raise ImportError("Please pip install pyarrow.") from error  # expect: OPD603
            return pandas
    """,
}

RIGHT_HINTS = {
    "the one that is preferred": """
        try:
            import pandas as frames
        except ImportError:
            try:
                import pyarrow as frames
            except ImportError:
                raise RuntimeError("pip install pandas") from None
    """,
    "the right extra": """
        def f():
            try:
                import pandas
            except ImportError as error:
                raise ImportError("pip install acme[pandas]") from error
            return pandas
    """,
    "one of several": """
        def f():
            try:
                import pandas
            except ImportError as error:
                raise ImportError("pip install 'acme[expr,pandas]'") from error
            return pandas
    """,
    "the right distribution": """
        def f():
            try:
                import cv2
            except ImportError as error:
                raise ImportError("cv2 is missing: pip install opencv-python") from error
            return cv2
    """,
    "another project": """
        def f():
            try:
                import pandas
            except ImportError as error:
                raise ImportError("pip install other[frames]") from error
            return pandas
    """,
}

FAMILIES = {
    "hidden": HIDDEN, "not hidden": NOT_HIDDEN, "unprotected": UNPROTECTED, "protected": PROTECTED, "early": EARLY,
    "not early": NOT_EARLY, "shared": SHARED, "not shared": NOT_SHARED, "swallowed": SWALLOWED,
    "not swallowed": NOT_SWALLOWED, "drift": DRIFT, "no drift": NO_DRIFT, "sham": SHAM, "no sham": NO_SHAM,
    "hints": HINTS, "right hints": RIGHT_HINTS,
}  # fmt: skip


@pytest.mark.parametrize(
    ("family", "title"), [(family, title) for family, cases in FAMILIES.items() for title in cases]
)  # fmt: skip
def test_marks(tmp_path: Path, family: str, title: str) -> None:
    """Both ways: every mark has its finding, every finding its mark."""
    found, marked = codes(tmp_path, FAMILIES[family][title])
    assert found == marked
    assert bool(marked) is (
        family in ("hidden", "unprotected", "early", "shared", "swallowed", "drift", "sham", "hints")
    )
