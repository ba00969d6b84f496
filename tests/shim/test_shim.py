"""The reference shim: each fact alone, asked once, from many threads, with finders that lie, break and change."""

from __future__ import annotations

import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import os
import subprocess
import sys
import textwrap
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType

import pytest

FIXTURES = Path(__file__).resolve().parents[2] / "fixtures"
SHIM = FIXTURES / "shim"
THREADS = 16


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Serves made-up modules from source text, and counts how often each is looked for and run."""

    def __init__(self, sources: dict[str, str]) -> None:
        self.sources = {name: textwrap.dedent(source) for name, source in sources.items()}
        self.roots = {name.partition(".")[0] for name in sources}
        self.looked = Counter[str]()
        self.ran = Counter[str]()

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        self.looked[fullname] += 1
        if fullname not in self.sources:
            return None
        package = any(name.startswith(fullname + ".") for name in self.sources)
        return importlib.util.spec_from_loader(fullname, self, is_package=package)

    def exec_module(self, module: ModuleType) -> None:
        self.ran[module.__name__] += 1
        exec(self.sources[module.__name__], vars(module))


@pytest.fixture
def shim(monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    """Return the shim, with nothing asked yet."""
    monkeypatch.syspath_prepend(str(SHIM))
    module = importlib.import_module("optional_runtime")
    module.forget()
    yield module
    module.forget()
    for name in [name for name in sys.modules if name.partition(".")[0] in ("optional_runtime", "example_engine")]:
        del sys.modules[name]


@pytest.fixture
def install(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Finder]]:
    """Return a function that installs made-up modules: `install({"pk": "", "pk.sub": "x = 1"})`."""
    finders: list[Finder] = []

    def make(sources: dict[str, str]) -> Finder:
        finder = Finder(sources)
        finders.append(finder)
        monkeypatch.setattr(sys, "meta_path", [finder, *sys.meta_path])
        return finder

    yield make
    for name in list(sys.modules):
        if any(name.partition(".")[0] in finder.roots for finder in finders):
            del sys.modules[name]


# -- facts -----------------------------------------------------------------------------------------------------------


def test_found_is_not_importable(shim: ModuleType, install: Callable[..., Finder]) -> None:
    finder = install({"broken": "raise ImportError('libx.so: cannot open shared object file')"})
    assert shim.found("broken")
    assert finder.ran["broken"] == 0, "asking whether something is there must not import it"
    assert not shim.importable("broken")
    assert str(shim.failure("broken")) == "libx.so: cannot open shared object file"


@pytest.mark.parametrize("error", ["ImportError", "ModuleNotFoundError", "OSError", "RuntimeError"])
def test_a_failing_parent_means_that_the_child_is_not_there(
    shim: ModuleType, install: Callable[..., Finder], error: str
) -> None:
    finder = install({"pk": f"raise {error}('no device')", "pk.sub": ""})
    assert not shim.found("pk.sub")
    assert not shim.importable("pk.sub")
    assert finder.ran["pk.sub"] == 0


def test_an_error_of_another_kind_is_a_fault_and_passes(shim: ModuleType, install: Callable[..., Finder]) -> None:
    install({"pk": "1 / 0"})
    with pytest.raises(ZeroDivisionError):
        shim.importable("pk")


def test_found_where_find_spec_raises(
    shim: ModuleType, install: Callable[..., Finder], monkeypatch: pytest.MonkeyPatch
) -> None:
    install({"plain": "", "pk": "", "pk.sub": ""})
    assert not shim.found("surely_not_there.sub")
    assert not shim.found("plain.sub"), "the parent is no package"
    assert not shim.found("pk.nosub")
    assert shim.found("pk.sub")
    monkeypatch.setitem(sys.modules, "injected", ModuleType("injected"))
    assert shim.found("injected"), "`__spec__` is None, for which find_spec raises ValueError"


def test_one_missing_location_does_not_hide_another(shim: ModuleType, install: Callable[..., Finder]) -> None:
    install({"new": "", "new.kernels": ""})
    assert shim.found("old.kernels") or shim.found("new.kernels")


def test_has_name(shim: ModuleType, install: Callable[..., Finder]) -> None:
    install({"pk": "def norm(): ...", "pk.sub": ""})
    assert shim.has_name("pk", "norm")
    assert shim.has_name("pk", "sub")
    assert not shim.has_name("pk", "_norm")
    assert not shim.has_name("absent_root", "norm")


def test_accepts_tells_the_old_signature_from_the_new(shim: ModuleType, install: Callable[..., Finder]) -> None:
    install(
        {
            "old": "def norm(q, q_eps): ...",
            "new": "def norm(q_out, q, q_eps): ...",
            "loose": "def norm(**options): ...",
            "strict": "def norm(q_out, /, q): ...",
            "odd": "norm = 3",
            "builtin": "norm = type",
        }
    )
    assert not shim.accepts("old", "norm", "q_out")
    assert shim.accepts("old", "norm", "q", "q_eps")
    assert shim.accepts("new", "norm", "q_out", "q")
    assert shim.accepts("loose", "norm", "q_out")
    assert not shim.accepts("strict", "norm", "q_out"), "positional only"
    assert not shim.accepts("odd", "norm", "q_out")
    assert not shim.accepts("builtin", "norm", "q_out")
    assert not shim.accepts("old", "other", "q")
    assert not shim.accepts("absent_root", "norm", "q")


def test_version_is_of_a_distribution(shim: ModuleType, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in (("fast-norms", "1.12.3rc1+rocm6"), ("epoch", "2!4.0")):
        folder = tmp_path / f"{name.replace('-', '_')}-{text}.dist-info"
        folder.mkdir()
        folder.joinpath("METADATA").write_text(
            f"Metadata-Version: 2.1\nName: {name}\nVersion: {text}\n", encoding="utf-8"
        )
    monkeypatch.syspath_prepend(str(tmp_path))
    assert shim.version("fast-norms") == (1, 12, 3)
    assert shim.version("fast-norms") >= (1, 9)
    assert shim.version("epoch") == (4, 0)
    assert shim.version("surely-not-there") is None


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("class version: hip = '6.4'", "rocm"),
        ("class version: hip = None\nclass cuda:\n    is_available = staticmethod(lambda: True)", "cuda"),
        ("class version: hip = None\nclass cuda:\n    is_available = staticmethod(lambda: False)", "cpu"),
        ("", "cpu"),
        ("raise ImportError('libtorch.so')", "cpu"),
    ],
)
def test_platform(
    shim: ModuleType, install: Callable[..., Finder], monkeypatch: pytest.MonkeyPatch, source: str, expected: str
) -> None:
    loaded = [name for name in sys.modules if name.partition(".")[0] == "torch"]
    for name in loaded:
        monkeypatch.delitem(sys.modules, name)
    install({"torch": source})
    assert shim.platform() == expected
    sys.modules.pop("torch", None)


def test_enabled(shim: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    assert shim.enabled("SHIM_A")
    assert not shim.enabled("SHIM_B", default=False)
    for value, expected in {"1": True, "TRUE": True, "0": False, "False": False, " off ": False, "": False}.items():
        monkeypatch.setenv("SHIM_C", value)
        shim.forget()
        assert shim.enabled("SHIM_C") is expected


# -- asked once ------------------------------------------------------------------------------------------------------


def test_every_answer_is_kept(
    shim: ModuleType, install: Callable[..., Finder], monkeypatch: pytest.MonkeyPatch
) -> None:
    finder = install({"pk": "norm = 1"})
    for _ in range(3):
        assert shim.importable("pk")
        assert not shim.importable("nope")
        assert not shim.found("nope")
        assert shim.has_name("pk", "norm")
    assert finder.ran["pk"] == 1
    assert finder.looked["nope"] == 2, "one look for the spec, one for the import"
    monkeypatch.setattr(sys, "meta_path", [])
    assert shim.importable("pk")
    assert not shim.found("nope")


def test_no_is_kept_until_forgotten(shim: ModuleType, install: Callable[..., Finder]) -> None:
    assert not shim.importable("late")
    install({"late": ""})
    assert not shim.importable("late")
    shim.forget()
    assert shim.importable("late")
    assert shim.failure("late") is None


def in_threads(action: Callable[[], object]) -> list[object]:
    """Start the action in many threads at the same instant."""
    barrier = threading.Barrier(THREADS)

    def run() -> object:
        barrier.wait(timeout=30)
        return action()

    with ThreadPoolExecutor(THREADS) as pool:
        return [future.result(timeout=30) for future in [pool.submit(run) for _ in range(THREADS)]]


def test_many_threads_one_import(shim: ModuleType, install: Callable[..., Finder]) -> None:
    finder = install({"slow": "import time; time.sleep(0.1)\nnorm = object()", "slow.sub": ""})
    answers = in_threads(lambda: (shim.has_name("slow", "norm"), shim.importable("slow"), shim.found("slow.sub")))
    assert answers == [(True, True, True)] * THREADS
    assert finder.ran["slow"] == 1


def test_many_threads_one_implementation(shim: ModuleType) -> None:
    """However many threads load a candidate, all get the one that was published."""
    pace = threading.Barrier(THREADS)

    def load() -> Callable[[], object]:
        pace.wait(timeout=30)  # every thread has passed the check of the cache before any publishes
        return lambda: None

    choice = shim.Implementation("only", [], load)
    dispatch = shim.Dispatch("a test", choice, distribution="d", extra="p[d]")
    answers = in_threads(dispatch.resolve)
    assert len({id(answer) for answer in answers}) == 1
    assert dispatch.resolve() is answers[0]


def test_no_lock_is_held_while_importing(shim: ModuleType, install: Callable[..., Finder]) -> None:
    """A module that asks the shim from another thread while it is being imported does not stop the process."""
    install(
        {
            "outer": """
                import threading
                import optional_runtime
                answer = []
                thread = threading.Thread(target=lambda: answer.append(optional_runtime.importable("json")))
                thread.start()
                thread.join(timeout=20)
                assert answer == [True]
            """
        }
    )
    assert shim.importable("outer")


# -- errors ----------------------------------------------------------------------------------------------------------


def test_require_returns_the_module(shim: ModuleType, install: Callable[..., Finder]) -> None:
    install({"pk": "", "pk.sub": "x = 1"})
    module = shim.require("pk.sub", purpose="a test", distribution="pk-dist", extra="proj[pk]")
    assert module is sys.modules["pk.sub"]


def test_require_names_distribution_and_extra(shim: ModuleType, install: Callable[..., Finder]) -> None:
    install({"broken": "raise OSError('libx.so is missing')"})
    wanted = {"purpose": "fast attention", "distribution": "fast-attn", "extra": "engine[fast-attn]"}
    with pytest.raises(ImportError) as caught:
        shim.require("fast_attn", **wanted)
    assert str(caught.value) == (
        "fast attention needs fast-attn (No module named 'fast_attn'); install it with: pip install 'engine[fast-attn]'"
    )
    assert isinstance(caught.value.__cause__, ModuleNotFoundError)
    with pytest.raises(ImportError, match=r"libx\.so is missing") as caught:
        shim.require("broken", **wanted)
    assert isinstance(caught.value.__cause__, OSError)


# -- dispatch ----------------------------------------------------------------------------------------------------------


def test_dispatch_asks_in_order_and_once(shim: ModuleType) -> None:
    asked: list[str] = []

    def fact(name: str, answer: bool) -> tuple[str, Callable[[], bool]]:
        return name, lambda: asked.append(name) or answer

    dispatch = shim.Dispatch(
        "a test",
        shim.Implementation(
            "first", [fact("a", True), fact("b", False), fact("c", True)], lambda: pytest.fail("loaded")
        ),
        shim.Implementation("second", [fact("d", True)], lambda: len),
        shim.Implementation("third", [fact("e", True)], lambda: pytest.fail("loaded")),
        distribution="d",
        extra="p[d]",
    )
    assert [dispatch.resolve(), dispatch.resolve(), dispatch.label] == [len, len, "second"]
    assert asked == ["a", "b", "d"]
    dispatch.forget()
    assert dispatch.available()
    assert asked == ["a", "b", "d"] * 2


def test_dispatch_says_why_there_is_none(shim: ModuleType) -> None:
    dispatch = shim.Dispatch(
        "the fused norm",
        shim.Implementation("new", [("there", lambda: True), ("wanted", lambda: False)], lambda: len),
        shim.Implementation("old", [("there", lambda: False)], lambda: len),
        distribution="aiter",
        extra="engine[aiter]",
    )
    assert not dispatch.available()
    with pytest.raises(ImportError) as caught:
        dispatch.resolve()
    assert str(caught.value) == (
        "the fused norm needs aiter (new: not wanted; old: not there); install it with: pip install 'engine[aiter]'"
    )


# -- the example engine, on the stub distributions -----------------------------------------------------------------------


def run(*stubs: str, code: str, **environment: str) -> str:
    """Run code beside the shim with stub distributions installed and nothing else."""
    path = os.pathsep.join(str(folder) for folder in (SHIM, *(FIXTURES / "stubs" / stub for stub in stubs)))
    process = subprocess.run(
        [sys.executable, "-S", "-B", "-c", code],
        env={"PATH": os.environ.get("PATH", ""), "PYTHONPATH": path, **environment},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )
    return process.stdout.strip() or process.stderr.strip().splitlines()[-1]


NORM = """
from example_engine import norms
layer = norms.NormLayer()
q, k = layer.forward([[3.0, 4.0]], [[6.0, 8.0]])
print(round(q[0][0], 4), round(k[0][1], 4), norms.FUSED_DUAL_NORM.label if norms.FUSED_DUAL_NORM.available() else None)
"""


@pytest.mark.parametrize(
    ("stubs", "label"),
    [
        ((), None),
        (("torch", "aiter_old"), "aiter, outputs by the callee"),
        (("torch", "aiter_new"), "aiter, outputs by the caller"),
        (("torch", "aiter_neither"), None),
        (("aiter_broken",), None),
        (("aiter_crashing",), None),
    ],
)
def test_example_norms(stubs: tuple[str, ...], label: str | None) -> None:
    assert run(*stubs, code=NORM) == f"0.8485 1.1314 {label}"
    assert run(*stubs, code=NORM, EXAMPLE_USE_AITER="0") == "0.8485 1.1314 None"


def test_example_says_what_is_missing() -> None:
    code = "from example_engine import norms; norms.FUSED_DUAL_NORM.resolve()"
    message = run("torch", "aiter_neither", code=code)
    assert message.startswith(
        "ImportError: the fused norm of q and k needs aiter (aiter, outputs by the caller: not there"
    )
    assert message.endswith("install it with: pip install 'example-engine[aiter]'")


ATTENTION = """
import torch
from example_engine import aiter_attention
layer = aiter_attention.AiterAttention()
keys, values = [[1.0, 0.0], [0.0, 1.0]], [[1.0, 2.0], [3.0, 4.0]]
print(layer.prefill([1.0, 0.0], keys, values) == layer.decode([1.0, 0.0], [keys], [values], [0]))
"""


@pytest.mark.parametrize("release", ["aiter_old", "aiter_new"])
def test_example_registers_beside_its_classes(release: str) -> None:
    """Both the engine's own operation and the one that importing aiter registers are there."""
    assert run("torch", release, code=ATTENTION) == "True"


@pytest.mark.parametrize("stubs", [("torch",), ("torch", "aiter_broken"), ("torch", "aiter_crashing")])
def test_example_without_aiter_has_neither_class_nor_operation(stubs: tuple[str, ...]) -> None:
    names = (
        "from example_engine import aiter_attention as a; print(hasattr(a, 'AiterAttention'), hasattr(a, 'attention'))"
    )
    assert run(*stubs, code=names) == "False False"
    chosen = "from example_engine.attention import attention_class; print(attention_class().__name__)"
    assert run(*stubs, code=chosen) == "TorchAttention"
    asked = "from example_engine.attention import aiter_attention_class as c; c()"
    message = run(*stubs, code=asked)
    assert message.startswith("ImportError: attention with aiter needs aiter (")
    assert message.endswith("pip install 'example-engine[aiter]'")


def test_example_platform_is_a_fact_of_its_own() -> None:
    code = (
        "import torch; torch.version = type('version', (), {'hip': '6.4'})\n"
        "from example_engine.attention import attention_class; print(attention_class().__name__)"
    )
    assert run("torch", "aiter_old", code=code) == "AiterAttention"
    assert run("torch", code=code) == "TorchAttention"
    assert run("torch", "aiter_old", code=code, EXAMPLE_USE_AITER="0") == "TorchAttention"
    assert run("torch", "aiter_old", code=code.replace("'6.4'", "None")) == "TorchAttention"


# -- small enough to copy ----------------------------------------------------------------------------------------------


def test_the_shim_is_one_small_file() -> None:
    text = (SHIM / "optional_runtime" / "__init__.py").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 250


def test_the_kernels_use_an_unchanged_copy() -> None:
    copies = list((FIXTURES / "kernels").rglob("_optional.py"))
    assert copies
    for path in copies:
        assert path.read_bytes() == (SHIM / "optional_runtime" / "__init__.py").read_bytes()


def test_the_shim_is_typed(tmp_path: Path) -> None:
    pytest.importorskip("mypy", reason="mypy checks the shim's types")
    process = subprocess.run(
        [
            *(sys.executable, "-m", "mypy", "--strict", "--config-file=", f"--cache-dir={tmp_path}"),
            *("--python-version=3.10", "optional_runtime", "example_engine/norms.py"),
        ],
        cwd=SHIM,
        capture_output=True,
        text=True,
        check=False,
    )
    assert process.returncode == 0, process.stdout
