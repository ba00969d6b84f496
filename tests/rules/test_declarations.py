"""A finding says what declares the missing distribution, and how its import name is known."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from optdep_lint.cli import main

PROJECT = """
[project]
name = "acme"
version = "1"
[project.optional-dependencies]
{extra} = ["{distribution}"]
[tool.optdep-lint]
package-module-name-map = {{ acme-kernels = ["akern"] }}
"""


@pytest.mark.parametrize(
    ("distribution", "root", "arguments", "known"),
    [
        ("opencv-python>=4", "cv2", [], "a known distribution"),
        ("Acme_Kernels", "akern", [], "`package-module-name-map` says so"),
        ("some-thing", "some_thing", [], "guessed from its name"),
        ("vendor-deep-gemm", "deep_gemm", [], "the name holds its words, and nothing else that is declared brings it"),
        ("vendors-kern", "vendor_kern", [], "the name holds its words, and nothing else that is declared brings it"),
        ("hypothesis", "_hypothesis_ftz_detector", ["--python", sys.executable], "its installed metadata say so"),
    ],
)
def test_declaration(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], distribution: str, root: str, arguments: list[str], known: str
) -> None:
    (tmp_path / "pyproject.toml").write_text(PROJECT.format(extra="fast", distribution=distribution))
    (tmp_path / "acme").mkdir()
    (tmp_path / "acme" / "__init__.py").write_text(f"import {root}\n")
    assert main(["check", "--no-cache", "--output-format", "json", *arguments, str(tmp_path)]) == 1
    (finding,) = json.loads(capsys.readouterr().out)
    step = finding["because"][-1]
    assert (Path(step["path"]).name, step["line"], finding["extra"]) == ("pyproject.toml", 6, "fast")
    assert f"extra `fast` installs `{distribution.lower().replace('_', '-').removesuffix('>=4')}`" in step["message"]
    assert step["message"].endswith(f"imported as `{root}`: {known}")


REQUIRED = """
[project]
name = "acme"
version = "1"
dependencies = ["{distribution}"]
"""


@pytest.mark.parametrize(
    ("distribution", "imports", "found"),
    [
        ("vendor-deep-gemm", ["deep_gemm"], []),
        ("thing-kernels", ["thing"], []),
        ("vendor-deep-gemm", ["vendor_deep_gemm", "deep_gemm"], ["deep_gemm"]),
        ("vendor-deep-gemm", ["gemm_deep"], ["gemm_deep"]),
        ("vendors-kern", ["vend"], ["vend"]),
        ("vendor-kern", ["vendorkern"], []),
        ("pyvendor", ["vendor"], []),
        ("acme.vendor", ["vendor"], ["vendor"]),
    ],
)
def test_likely_name(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], distribution: str, imports: list[str], found: list[str]
) -> None:
    """A required distribution brings what its name holds, unless the project imports it by its own name."""
    (tmp_path / "pyproject.toml").write_text(REQUIRED.format(distribution=distribution))
    (tmp_path / "acme").mkdir()
    (tmp_path / "acme" / "__init__.py").write_text("".join(f"import {name}\n" for name in imports))
    main(["check", "--no-cache", "--output-format", "json", str(tmp_path)])
    assert [finding["absent"] for finding in json.loads(capsys.readouterr().out)] == found


@pytest.mark.parametrize(
    ("distribution", "root", "modules", "told"),
    [
        ("acme-paths", "odd", 3, False),
        ("acme-paths", "odd", 2, True),
        ("acme-paths", "packaging", 3, True),
        ("rich", "odd", 3, True),
    ],
    ids=["all over the project", "here and there", "known by itself", "known to bring another"],
)
def test_a_requirement_of_which_nothing_is_known(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], distribution: str, root: str, modules: int, told: bool
) -> None:
    """What is asked for all over a project comes with a requirement that the project never asks for by its own name."""
    (tmp_path / "pyproject.toml").write_text(REQUIRED.format(distribution=distribution))
    (tmp_path / "acme").mkdir()
    (tmp_path / "acme" / "__init__.py").write_text("")
    for number in range(modules):
        (tmp_path / "acme" / f"m{number}.py").write_text(f"import {root}\n")
    main(["check", "--no-cache", "--output-format", "json", str(tmp_path)])
    assert bool(json.loads(capsys.readouterr().out)) is told


def test_a_root_that_a_distribution_has_lost(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "pyproject.toml").write_text(REQUIRED.format(distribution="setuptools>=40"))
    (tmp_path / "acme").mkdir()
    (tmp_path / "acme" / "__init__.py").write_text("import pkg_resources\n")
    main(["check", "--no-cache", "--output-format", "json", str(tmp_path)])
    (finding,) = json.loads(capsys.readouterr().out)
    assert finding["message"].endswith("needs `pkg_resources`, which `setuptools` does not bring since its version 82")
