"""Unpacked wheels and sdists, lock files, installed metadata, import names."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import pytest

from optdep_lint.metadata import (
    EntryPoint,
    ImportNames,
    InstalledNames,
    MetadataError,
    read_project,
)
from optdep_lint.metadata.installed import roots_of_files
from optdep_lint.metadata.known_import_names import DEEP_NAMESPACES, NAMESPACES, ROOTS
from optdep_lint.metadata.names import normalized

if TYPE_CHECKING:
    from pathlib import Path

    from tests.unit.metadata.conftest import ReadFiles, WriteFiles

METADATA = """\
Metadata-Version: 2.4
Name: Acme
Version: 1.0
License: Some text
{blank}
        with a blank line in it
Requires-Python: >=3.9
Requires-Dist: numpy>=1
Requires-Dist: tomli; python_version < "3.11" and extra == "toml"
Requires-Dist: torch; extra == "gpu-x" or extra == "all"
Requires-Dist: acme[gpu_x]; extra == "everything"
Requires-Dist: attrs (>=20)
Requires-Dist: b a d
Provides-Extra: gpu_x
Provides-Extra: all

Requires-Dist: not-this
""".replace("{blank}", " " * 8)


def test_an_unpacked_wheel(read_files: ReadFiles) -> None:
    project = read_files(
        {
            "acme/__init__.py": "",
            "acme-1.0.dist-info/METADATA": METADATA,
            "acme-1.0.dist-info/entry_points.txt": """
            [console_scripts]
            acme = acme.cli:main [gpu_x]

            [acme.plugins]
            ; comment
            fast=acme.fast
            """,
            "acme-1.0.dist-info/top_level.txt": "acme\n_acme\n",
        }
    )
    found = [(one.distribution, one.extra, one.marker, one.line) for one in project.requirements]
    assert found == [
        ("numpy", None, None, 8),
        ("tomli", "toml", 'python_version < "3.11"', 9),
        ("torch", "gpu_x", None, 10),
        ("torch", "all", None, 10),
        ("torch", "everything", None, 11),
        ("attrs", None, None, 12),
    ]
    assert (project.name, project.version, project.requires_python) == ("Acme", "1.0", ">=3.9")
    assert project.extras == ("gpu_x", "all")
    assert project.top_level == ("acme", "_acme")
    assert project.entry_points == (
        EntryPoint("console_scripts", "acme", "acme.cli:main", ("gpu_x",)),
        EntryPoint("acme.plugins", "fast", "acme.fast"),
    )
    assert [(one.path, one.line) for one in project.problems] == [("acme-1.0.dist-info/METADATA", 13)]


def test_several_dist_infos_are_no_wheel(read_files: ReadFiles) -> None:
    files = {f"{name}-1.dist-info/METADATA": f"Name: {name}\n" for name in ("a", "b")}
    assert read_files(files).name is None


def test_an_sdist_answers_what_its_pyproject_leaves_open(read_files: ReadFiles) -> None:
    project = read_files(
        {
            "PKG-INFO": "Name: acme\nRequires-Dist: numpy\nRequires-Dist: torch; extra == 'gpu'\n",
            "pyproject.toml": '[project]\nname = "acme"\ndynamic = ["dependencies"]\n',
            "setup.py": "setup(install_requires=['jax'])",
        }
    )
    assert [(one.distribution, one.extra) for one in project.requirements] == [("numpy", None)]


def test_an_egg_info_counts_where_nothing_else_does(read_files: ReadFiles) -> None:
    egg = {
        "src/acme.egg-info/PKG-INFO": "Name: acme\nVersion: 1\n",
        "src/acme.egg-info/requires.txt": """
        numpy

        [:python_version < "3.11"]
        tomli

        [gpu]
        torch

        [gpu:sys_platform == "linux"]
        triton
        """,
        "src/acme.egg-info/top_level.txt": "acme\n",
    }
    project = read_files({"setup.py": "setup(install_requires=compute())", **egg})
    found = [(one.distribution, one.extra, one.marker) for one in project.requirements]
    assert found == [
        ("numpy", None, None),
        ("tomli", None, 'python_version < "3.11"'),
        ("torch", "gpu", None),
        ("triton", "gpu", 'sys_platform == "linux"'),
    ]
    assert project.extras == ("gpu",)
    project = read_files({"setup.py": "setup(install_requires=['jax'])"})
    assert [one.distribution for one in project.requirements] == ["jax"]


PROJECT = """
[project]
name = "acme"
requires-python = ">=3.10"
dependencies = ["uvicorn[standard]", "rich"]
[project.optional-dependencies]
plain = ["uvicorn"]
"""
UV_LOCK = """
version = 1
[[package]]
name = "uvicorn"
version = "1"
dependencies = [
    { name = "click" },
    { name = "colorama", marker = "python_full_version < '3.8'" },
]
wheels = [
    { url = "https://example.com/u.whl", hash = "sha256:0", size = 1 },
]
[package.optional-dependencies]
standard = [
    { name = "httptools", extra = ["fast"] },
]
[[package]]
name = "click"
dependencies = [{ name = "uvicorn" }]
[[package]]
name = "httptools"
[package.optional-dependencies]
fast = [{ name = "cython" }]
"""
POETRY_LOCK = """
[[package]]
name = "uvicorn"
[package.dependencies]
click = ">=7"
colorama = {version = "*", markers = "python_version < \\"3.8\\""}
httptools = {version = "*", optional = true, markers = "extra == \\"standard\\""}
[package.extras]
standard = ["httptools[fast] (>=0.6)"]
[[package]]
name = "click"
[package.dependencies]
uvicorn = [{version = "*"}]
[[package]]
name = "httptools"
files = [
    {file = "h.whl", hash = "sha256:0"},
]
[package.extras]
fast = ["cython"]
"""
PDM_LOCK = """
[[package]]
name = "uvicorn"
dependencies = ["click>=7", "colorama; python_version < '3.8'"]
[[package]]
name = "uvicorn"
extras = ["standard"]
dependencies = ["httptools[fast]", "uvicorn==1"]
[[package]]
name = "click"
dependencies = ["uvicorn"]
[[package]]
name = "httptools"
extras = ["fast"]
dependencies = ["cython"]
"""
PYLOCK = """
lock-version = "1.0"
[[packages]]
name = "uvicorn"
dependencies = [{name = "click"}]
"""


@pytest.mark.parametrize(("name", "text"), [("uv.lock", UV_LOCK), ("poetry.lock", POETRY_LOCK), ("pdm.lock", PDM_LOCK)])
def test_lock_files_say_what_is_brought(read_files: ReadFiles, name: str, text: str) -> None:
    project = read_files({"pyproject.toml": PROJECT, name: text})
    assert project.bring == {
        "uvicorn": {"click"},
        "uvicorn[standard]": {"click", "httptools", "cython"},
    }
    asked, _, plain = project.requirements
    assert project.brought_by(asked) == {"click", "httptools", "cython"}
    assert project.brought_by(plain) == {"click"}
    assert project.sources == ("pyproject.toml", name)


def test_pylock(read_files: ReadFiles) -> None:
    project = read_files({"pyproject.toml": PROJECT, "pylock.toml": PYLOCK})
    assert project.bring["uvicorn"] == {"click"}


def test_a_broken_lock_file_is_a_problem(read_files: ReadFiles) -> None:
    project = read_files({"pyproject.toml": PROJECT, "uv.lock": "version = 1\n<<<<<<< HEAD\n"})
    assert [(one.path, one.line) for one in project.problems] == [("uv.lock", 2)]
    assert project.bring == {}


@pytest.fixture
def site(write_files: WriteFiles) -> Path:
    root = write_files(
        {
            "site/google/cloud/storage/__init__.py": "raise SystemExit('never run')",
            "site/google_cloud_storage-1.dist-info/METADATA": "Name: google-cloud-storage\n"
            "Version: 1\nRequires-Dist: requests\nRequires-Dist: grpcio; extra == 'grpc'\n",
            "site/google_cloud_storage-1.dist-info/RECORD": "google/cloud/storage/__init__.py,,\n"
            "google/cloud/storage/_http.py,,\n",
            "site/odd.py": "",
            "site/odd_name-2.dist-info/METADATA": "Name: Odd.Name\nVersion: 2\n",
            "site/odd_name-2.dist-info/RECORD": "odd.py,,\n__pycache__/odd.pyc,,\n",
            "pyproject.toml": "[project]\nname='x'\ndependencies=['Odd_Name','google-cloud-storage']",
        }
    )
    return root / "site"


def test_installed_metadata_of_a_folder(site: Path) -> None:
    found = InstalledNames.from_site(site)
    assert found.roots == {"google-cloud-storage": ("google.cloud.storage",), "odd-name": ("odd",)}
    assert found.versions["odd-name"] == "2"
    project = read_project(site.parent, installed=found, name_map={"google.cloud_storage": ["gcs"]})
    assert [(one.roots, one.roots_source) for one in project.requirements] == [
        (("odd",), "installed"),
        (("gcs",), "user"),
    ]
    assert project.bring["google-cloud-storage"] == {"requests"}


def test_installed_metadata_of_an_interpreter() -> None:
    found = InstalledNames.from_python(sys.executable)
    assert found.roots["packaging"] == ("packaging",)
    assert "pytest" in found.roots["pytest"]
    assert any(line.startswith("pluggy") for line in found.requires["pytest"])


@pytest.mark.parametrize("executable", ["/no/such/python", "false"])
def test_an_interpreter_that_does_not_answer_is_an_error(executable: str) -> None:
    with pytest.raises(MetadataError, match="cannot list what is installed"):
        InstalledNames.from_python(executable)


def test_a_missing_site_folder_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(MetadataError, match="no such folder"):
        InstalledNames.from_site(tmp_path / "gone")


@pytest.mark.parametrize(
    ("files", "roots"),
    [
        (["a/__init__.py", "a/b/__init__.py", "a/c.py"], ("a",)),
        (["a.py", "_a.cpython-311-x86_64-linux-gnu.so"], ("_a", "a")),
        (["zope/interface/__init__.py", "zope/interface/x.py"], ("zope.interface",)),
        (["ns/x.py", "ns/y/z.py"], ("ns",)),
        (["../../bin/tool.py", "a-1.dist-info/x.py", "a.pth"], ()),
    ],
)
def test_roots_of_files(files: list[str], roots: tuple[str, ...]) -> None:
    assert roots_of_files(files) == roots


@pytest.mark.parametrize(
    ("distribution", "roots", "source"),
    [
        ("opencv-python", "cv2", "table"),
        ("PyYAML", "yaml _yaml", "table"),
        ("Pillow", "PIL", "table"),
        ("scikit_learn", "sklearn", "table"),
        ("attrs", "attr attrs", "table"),
        ("amd-aiter", "aiter", "table"),
        ("google-cloud-bigquery-storage", "google.cloud.bigquery_storage", "table"),
        ("azure-storage-blob", "azure.storage.blob", "table"),
        ("opentelemetry-sdk", "opentelemetry.sdk", "table"),
        (
            "opentelemetry-instrumentation-aiohttp-client",
            "opentelemetry.instrumentation.aiohttp_client",
            "table",
        ),
        ("types-requests", "", "table"),
        ("pandas-stubs", "", "table"),
        ("ruamel-yaml", "ruamel.yaml", "table"),
        ("zope.interface", "zope.interface", "table"),
        ("zope-interface", "zope.interface", "table"),
        ("flash-attn-4", "flash_attn_4", "guess"),
        ("Flask", "flask", "guess"),
        ("Products.CMFPlone", "Products.CMFPlone", "guess"),
        ("sentence-transformers", "sentence_transformers", "guess"),
    ],
)
def test_import_names(distribution: str, roots: str, source: str) -> None:
    assert ImportNames({}).roots_of(distribution) == (tuple(roots.split()), source)


def test_the_table_is_tidy() -> None:
    assert all(name == normalized(name) for name in ROOTS)
    assert all(part.isidentifier() for roots in ROOTS.values() for part in roots.replace(".", " ").split())
    redundant = {name for name, roots in ROOTS.items() if roots == name.replace("-", "_")}
    assert redundant == set()
    assert set(NAMESPACES) >= DEEP_NAMESPACES
