"""The tables of poetry and the old ones of flit."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from optdep_lint.metadata.read_poetry import pep440

if TYPE_CHECKING:
    from tests.unit.metadata.conftest import ReadFiles

POETRY = """
[tool.poetry]
name = "acme"
version = "0.1"

[tool.poetry.dependencies]
python = "^3.9"
numpy = "^1.20"
uvicorn = {version = ">=0.2", extras = ["standard"]}
tomli = {version = "*", python = "<3.11"}
pywin32 = {version = ">=300", platform = "win32"}
uvloop = {version = "*", markers = "sys_platform != 'win32'"}
torch = {version = "^2", optional = true}
lonely = {version = "*", optional = true}
pandas = [
    {version = "<2", python = "~3.9 || ~3.10"},
    {version = ">=2", python = ">=3.11"},
]
local = {path = "../local"}

[tool.poetry.extras]
gpu = ["torch"]
all = ["torch"]

[tool.poetry.group.docs]
optional = true
[tool.poetry.group.docs.dependencies]
sphinx = "*"

[tool.poetry.dev-dependencies]
pytest = "*"

[tool.poetry.scripts]
acme = "acme:main"
other = {reference = "acme:other", type = "console"}

[tool.poetry.plugins."acme.plugins"]
fast = "acme.fast:Plugin"
"""


def test_poetry(read_files: ReadFiles) -> None:
    project = read_files({"pyproject.toml": POETRY})
    assert project.name == "acme"
    assert project.requires_python == ">=3.9,<4.0"
    found = {(one.distribution, one.specifier, one.marker, one.extra, one.group) for one in project.requirements}
    assert found == {
        ("numpy", ">=1.20,<2.0", None, None, None),
        ("uvicorn", ">=0.2", None, None, None),
        ("tomli", "", 'python_version < "3.11"', None, None),
        ("pywin32", ">=300", 'sys_platform == "win32"', None, None),
        ("uvloop", "", 'sys_platform != "win32"', None, None),
        ("torch", ">=2,<3", None, "gpu", None),
        ("torch", ">=2,<3", None, "all", None),
        (
            "pandas",
            "<2",
            (
                'python_version >= "3.9" and python_version < "3.10" or '
                'python_version >= "3.10" and python_version < "3.11"'
            ),
            None,
            None,
        ),
        ("pandas", ">=2", 'python_version >= "3.11"', None, None),
        ("local", "@ ../local", None, None, None),
        ("sphinx", "", None, None, "docs"),
        ("pytest", "", None, None, "dev"),
    }
    assert project.is_guaranteed("pandas")
    assert [one.message for one in project.problems] == ["lonely is optional, but no extra brings it"]
    assert [(one.group, one.name, one.value) for one in project.entry_points] == [
        ("console_scripts", "acme", "acme:main"),
        ("console_scripts", "other", "acme:other"),
        ("acme.plugins", "fast", "acme.fast:Plugin"),
    ]
    lines = {one.distribution: one.line for one in project.requirements}
    assert (lines["numpy"], lines["sphinx"]) == (7, 27)


def test_project_table_goes_before_poetrys(read_files: ReadFiles) -> None:
    text = """
    [project]
    name = "acme"
    dependencies = ["numpy"]
    [tool.poetry.dependencies]
    numpy = {git = "https://example.com/numpy"}
    jax = "*"
    [tool.poetry.group.test.dependencies]
    pytest = "*"
    """
    project = read_files({"pyproject.toml": text})
    assert [(one.distribution, one.group) for one in project.requirements] == [
        ("numpy", None),
        ("pytest", "test"),
    ]


@pytest.mark.parametrize(
    ("constraint", "specifier"),
    [
        ("^1.2.3", ">=1.2.3,<2.0.0"),
        ("^0.2.3", ">=0.2.3,<0.3.0"),
        ("^0.0.3", ">=0.0.3,<0.0.4"),
        ("^0", ">=0,<1"),
        ("~1.2.3", ">=1.2.3,<1.3.0"),
        ("~1", ">=1,<2"),
        ("1.2.*", "==1.2.*"),
        ("*", ""),
        ("1.2", "==1.2"),
        (">=1.2, <2", ">=1.2,<2"),
        ("~=1.2", "~=1.2"),
        ("", ""),
    ],
)
def test_version_language_of_poetry(constraint: str, specifier: str) -> None:
    assert pep440(constraint) == specifier


def test_old_flit(read_files: ReadFiles) -> None:
    text = """
    [tool.flit.metadata]
    module = "acme"
    dist-name = "acme-tool"
    requires-python = ">=3.8"
    requires = ["numpy", "tomli; python_version<'3.11'"]
    dev-requires = ["pytest"]
    [tool.flit.metadata.requires-extra]
    gpu = ["torch"]
    ".none" = ["click"]
    [tool.flit.scripts]
    acme = "acme:main"
    [tool.flit.entrypoints."acme.plugins"]
    fast = "acme.fast"
    """
    project = read_files({"pyproject.toml": text})
    assert project.name == "acme-tool"
    assert project.extras == ("gpu",)
    assert [(one.distribution, one.extra, one.group) for one in project.requirements] == [
        ("numpy", None, None),
        ("tomli", None, None),
        ("torch", "gpu", None),
        ("click", None, None),
        ("pytest", None, "dev"),
    ]
    assert [one.name for one in project.entry_points] == ["acme", "fast"]
    assert project.package_dirs == (("acme", "acme"),)
