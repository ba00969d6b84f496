"""`optdep-lint verify` runs tiny packages for real, with the optional roots blocked."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from optdep_lint.cli import main
from optdep_lint.verify import Interpreter, Scene, Seen, Verdict, compare
from optdep_lint.world.worlds import World

PROJECT = """\
[project]
name = "acme"
version = "1"
optional-dependencies = { versions = ["packaging"], table = ["no-such-table"] }
"""
# `packaging` is installed wherever these tests run: that it is missed shows that it was blocked.
PRESENT = {"acme/__init__.py": ""}


def make(root: Path, files: Mapping[str, str], project: str = PROJECT) -> Path:
    for name, text in {"pyproject.toml": project, **PRESENT, **files}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def verify(root: Path, capfd: pytest.CaptureFixture[str], *words: str) -> tuple[int, str, str]:
    status = main(["verify", "--no-cache", "-j2", *words, str(root)])
    out, err = capfd.readouterr()
    return status, out, err


def test_agrees(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    files = {
        "acme/breaks.py": "import packaging.version\n",
        "acme/guarded.py": "try:\n    import packaging\nexcept ImportError:\n    packaging = None\n",
        "acme/probes.py": "from importlib.util import find_spec\nif find_spec('packaging') is not None:\n    raise OSError\n",
        "acme/asks.py": (
            "from importlib.metadata import PackageNotFoundError, version\n"
            "try:\n    version('packaging')\nexcept PackageNotFoundError:\n    pass\nelse:\n    raise OSError\n"
        ),
        "acme/leaks.py": "from acme import breaks\n",
        "acme/speaks.py": "print('{}')\n",
        "acme/leaves.py": "raise SystemExit(3)\n",
    }
    status, out, err = verify(make(tmp_path, files), capfd)
    assert (status, out) == (0, "8 as expected, 0 not, 0 open\n")
    assert err.startswith("verify runs the project's code: it imports 8 modules of ")
    assert "blocked: packaging" in err
    assert not list(tmp_path.rglob("__pycache__")), "nothing is left behind"


def test_differs(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    status, out, _ = verify(make(tmp_path, {"acme/odd.py": "x = [][int('5')]\n"}), capfd)
    assert status == 1
    first, last = out.splitlines()
    assert first == (
        "acme/odd.py: acme.odd: expected to import, but it raises IndexError: list index out of range (acme/odd.py:1)"
    )
    assert last == "1 as expected, 1 not, 0 open"


def test_one_root_is_blocked(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    root = make(tmp_path, {"acme/one.py": "import packaging\n", "acme/other.py": "import no_such_table\n"})
    assert verify(root, capfd)[:2] == (0, "3 as expected, 0 not, 0 open\n")
    status, out, _ = verify(root, capfd, "--without", "no_such_table")
    assert (status, out) == (0, "3 as expected, 0 not, 0 open\n")
    status, out, _ = verify(root, capfd, "--without", "packaging")
    assert status == 0
    assert out.splitlines() == [
        "acme/other.py: acme.other: open: cannot be told here: `no_such_table` should be there, but No module named 'no_such_table'",
        "2 as expected, 0 not, 1 open",
    ]


def test_what_does_not_end_stays_open(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    files = {"acme/sleeps.py": "import time\ntime.sleep(60)\n", "acme/dies.py": "import os\nos._exit(7)\n"}
    status, out, _ = verify(make(tmp_path, files), capfd, "--timeout", "2")
    assert status == 0
    assert "acme.sleeps: open: cannot be told: not done after 2 s" in out
    assert "acme.dies: open: cannot be told: the process ended with status 7" in out


def test_a_source_folder(tmp_path: Path, capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(tmp_path / "elsewhere"))
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere" / "packaging.py").write_text("")
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    (tmp_path / "src" / "acme").mkdir(parents=True)
    (tmp_path / "src" / "acme" / "__init__.py").write_text("from acme.parts import x\n")
    (tmp_path / "src" / "acme" / "parts.py").write_text("import packaging as x\n")
    status, out, _ = verify(tmp_path, capfd, "--format", "json")
    assert status == 0
    assert {row["module"]: (row["result"], row["seen"]["error"]) for row in json.loads(out)} == {
        "acme": ("agrees", "ModuleNotFoundError"), "acme.parts": ("agrees", "ModuleNotFoundError"),
    }  # fmt: skip


def test_another_interpreter(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    root = make(tmp_path, {})
    assert verify(root, capfd, "--python", sys.executable)[0] == 0
    status, _, err = verify(root, capfd, "--python", str(tmp_path / "none"))
    assert status == 2
    assert err.startswith("error: --python: ")


def test_nothing_to_import(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "pyproject.toml").write_text(PROJECT)
    (tmp_path / "setup.py").write_text("")
    status, _, err = verify(tmp_path, capfd)
    assert status == 2
    assert len(err.splitlines()) == 1


HERE = Interpreter(sys.executable, (3, 11), "linux", "/lib/python3.11")
ROOT = Path("/src/acme")


@pytest.mark.parametrize(
    ("verdict", "seen", "result", "reason"),
    [
        ("ok", Seen("ok"), "agrees", ""),
        ("maybe", Seen("ok"), "open", "expected maybe; it imports"),
        ("raises", Seen("ok"), "differs", "expected to raise without `torch`, but it imports"),
        ("raises", Seen("raises", "ModuleNotFoundError", "", "torch.nn", True), "agrees", ""),
        ("raises", Seen("raises", "ModuleNotFoundError", "No torchvision", "tables", True), "differs", "for want of `torch`"),
        ("raises", Seen("raises", "ImportError", "install torch", None, True), "agrees", ""),
        ("ok", Seen("raises", "ImportError", "cannot import", "acme.x", True), "differs", "expected to import, but it"),
        ("ok", Seen("raises", "ModuleNotFoundError", "No requests", "requests", True), "open", "`requests` should be there"),
        (
            "ok", Seen("raises", "OSError", "no driver", frames=(("/src/acme/a.py", 3), ("/v/site-packages/gpu/x.py", 9))),
            "open", "/v/site-packages/gpu/x.py raises OSError: no driver",
        ),
        (
            "ok", Seen("raises", "OSError", "no file", frames=(("/src/acme/a.py", 3), ("/lib/python3.11/io.py", 9))),
            "differs", "raises OSError: no file (a.py:3)",
        ),
        (
            "ok", Seen("raises", "OSError", "", frames=(("/src/acme/.venv/lib/site-packages/b.py", 3),)),
            "open", "site-packages/b.py raises OSError",
        ),
        ("ok", Seen("unknown", message="not done after 9 s"), "open", "cannot be told: not done after 9 s"),
    ],
)  # fmt: skip
def test_comparison(verdict: str, seen: Seen, result: str, reason: str) -> None:
    expected = Verdict("acme.a", "acme/a.py", verdict, "torch" if verdict == "raises" else None)
    world = World("bare", frozenset({"torch", "tables"}))
    row = compare(expected, seen, Scene(ROOT, (), world, HERE), {"acme"})
    assert row.result == result
    assert reason in row.reason
