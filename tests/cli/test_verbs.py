"""matrix, rule, config, version."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from optdep_lint import __version__


def test_matrix(engine: Any, tree: Path, run: Any) -> None:
    assert run("matrix", "--format", "json", "--target-python", "3.12", ".") == 0
    assert json.loads(run.out)["modules"]["acme.a"]["missing"] == "torch"
    assert engine.configs[-1].target_python == (3, 12)
    assert engine.matrices[-1] == (Path("."), None)
    assert run("matrix", "acme") == 0
    assert run.out == "acme.a  raises  torch\n0 ok, 1 raises, 0 maybe\n"
    assert run("matrix", "-o", "m.json", "--format", "json") == 0
    assert json.loads((tree / "m.json").read_text())["version"] == 1


def test_what_is_present(engine: Any, tree: Path, run: Any) -> None:
    (tree / "present").write_text(
        "\ufeffnumpy\n# comment\n\ngoogle.protobuf  # here\nscikit-learn==1.5.0\n", encoding="utf-8"
    )
    assert run("matrix", "--present-file", "present", ".") == 0
    present = engine.matrices[-1][1]
    assert present.roots == {"numpy", "google.protobuf"}
    assert present.versions == {"scikit-learn": "1.5.0"}
    (tree / "present").write_text("numpy\nsome thing\n")
    assert run("matrix", "--present-file", "present", ".") == 2
    assert "--present-file present:2: expected an import root or NAME==VERSION, got 'some thing'" in run.err
    (tree / "present").write_bytes(b"\xff")
    assert run("matrix", "--present-file", "present", ".") == 2


def test_rule(run: Any) -> None:
    assert run("rule", "opd901") == 0
    assert run.out.startswith("# unused-suppression (OPD901)\n")
    assert run("rule", "--all", "--output-format", "json") == 0
    assert {"OPD901", "OPD902"} <= {each["code"] for each in json.loads(run.out)}
    assert run("rule", "syntax-error", "--output-format", "json") == 0
    assert json.loads(run.out)["name"] == "syntax-error"


def test_config(run: Any) -> None:
    assert run("config", "target-platform") == 0
    assert 'Default: "linux"' in run.out
    assert run("config", "--output-format", "json") == 0
    rows = json.loads(run.out)
    assert rows["select"]["default"] == '["OPD"]'
    assert all(row["doc"] for row in rows.values())
    assert run("config", "--schema") == 0
    schema = json.loads(run.out)
    assert set(schema["properties"]) == set(rows)


@pytest.mark.parametrize("words", [("version",), ("--version",), ("-V",)])
def test_version(run: Any, words: tuple[str, ...]) -> None:
    assert run(*words) == 0
    assert run.out == f"optdep-lint {__version__}\n"


@pytest.mark.parametrize("words", [("--help",), ("-h",), ("help",), ("check", "--help"), ("matrix", "--help")])
def test_help(run: Any, words: tuple[str, ...]) -> None:
    assert run(*words) == 0
    assert "optdep-lint" in run.out


def test_as_a_module() -> None:
    done = subprocess.run([sys.executable, "-m", "optdep_lint", "version"], capture_output=True, text=True, check=True)
    assert done.stdout.startswith("optdep-lint ")
