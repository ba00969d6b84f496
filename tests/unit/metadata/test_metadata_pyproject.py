"""pyproject.toml: the standard tables, groups, dynamic fields, package folders, and errors in it."""

from __future__ import annotations

import pickle
from typing import TYPE_CHECKING

import pytest

from optdep_lint.metadata import EntryPoint, MetadataError, read_project

if TYPE_CHECKING:
    from tests.unit.metadata.conftest import ReadFiles, WriteFiles

ACME = """
[project]
name = "Acme"
version = "1.2"
requires-python = ">=3.10,<3.13"
dependencies = [
    # "commented-out",
    "numpy>=1.20",
    "tomli; python_version < '3.11'",
    'pywin32; sys_platform == "win32"',
]

[project.optional-dependencies]
gpu = [ "torch>=2", "triton" ]
yaml_io = ["PyYAML"]
all = ["acme[gpu]", "ACME[yaml-io]; python_version > '3.10'"]

[project.scripts]
acme = "acme.cli:main"
acme-gpu = "acme.gpu:main [gpu]"

[project.entry-points."acme.plugins"]
fast = "acme.fast"

[dependency-groups]
test = ["pytest", {include-group = "Lint"}]
lint = ["ruff"]
self = ["acme[gpu]"]
"""


def by_name(project: object) -> set[tuple[str, str | None, str | None]]:
    return {(one.distribution, one.extra, one.group) for one in project.requirements}  # type: ignore[attr-defined]


def test_the_standard_tables(read_files: ReadFiles) -> None:
    project = read_files({"pyproject.toml": ACME})
    assert (project.name, project.version, project.requires_python) == (
        "Acme",
        "1.2",
        ">=3.10,<3.13",
    )
    assert [one.distribution for one in project.required] == ["numpy", "tomli", "pywin32"]
    assert by_name(project) >= {
        ("torch", "gpu", None),
        ("triton", "gpu", None),
        ("pyyaml", "yaml_io", None),
        ("torch", "all", None),
        ("triton", "all", None),
        ("pyyaml", "all", None),
        ("pytest", None, "test"),
        ("ruff", None, "test"),
        ("ruff", None, "lint"),
        ("torch", None, "self"),
    }
    assert project.extras == ("gpu", "yaml_io", "all")
    assert project.groups == ("test", "lint", "self")
    assert project.sources == ("pyproject.toml",)
    assert project.problems == ()
    assert project.python_versions() == ((3, 10), (3, 11), (3, 12))


def test_entry_points(read_files: ReadFiles) -> None:
    assert read_files({"pyproject.toml": ACME}).entry_points == (
        EntryPoint("console_scripts", "acme", "acme.cli:main"),
        EntryPoint("console_scripts", "acme-gpu", "acme.gpu:main", ("gpu",)),
        EntryPoint("acme.plugins", "fast", "acme.fast"),
    )


def test_lines_are_those_of_the_strings(read_files: ReadFiles) -> None:
    project = read_files({"pyproject.toml": ACME})
    lines = {(one.distribution, one.extra): one.line for one in project.requirements}
    assert lines["numpy", None] == 7
    assert lines["tomli", None] == 8
    assert lines["pywin32", None] == 9
    assert lines["torch", "gpu"] == 13
    assert lines["torch", "all"] == 15


def test_markers_are_kept_and_joined(read_files: ReadFiles) -> None:
    project = read_files({"pyproject.toml": ACME})
    markers = {(one.distribution, one.extra): one.marker for one in project.requirements}
    assert markers["tomli", None] == 'python_version < "3.11"'
    assert markers["pyyaml", "all"] == 'python_version > "3.10"'
    assert markers["torch", "all"] is None


def test_questions(read_files: ReadFiles) -> None:
    project = read_files({"pyproject.toml": ACME})
    assert [one.distribution for one in project.optional("YAML-io")] == ["pyyaml"]
    assert [one.distribution for one in project.in_group("LINT")] == ["ruff"]
    assert project.roots_of("PyYAML") == ("yaml", "_yaml")
    assert {one.extra for one in project.requirements_of("torch")} == {"gpu", "all", None}
    assert sorted(project.import_roots_required()) == sorted({"numpy", "tomli", *project.roots_of("pywin32")})
    assert "torch" in project.import_roots_optional()
    assert project.is_guaranteed("numpy")
    assert not project.is_guaranteed("tomli")
    assert not project.is_guaranteed("torch")
    assert project.absence_of("tomli").python_min == (3, 11)
    assert project.absence_of("win32api").platforms_excluded == {"win32"}


def test_markers_that_complete_each_other_guarantee_a_root(read_files: ReadFiles) -> None:
    text = """
    [project]
    name = "acme"
    dependencies = ["numpy<2; python_version<'3.12'", "numpy>=2; python_version>='3.12'"]
    """
    assert read_files({"pyproject.toml": text}).is_guaranteed("numpy")


def test_no_metadata_at_all(read_files: ReadFiles) -> None:
    project = read_files({"acme.py": ""})
    assert project.requirements == ()
    assert project.name is None
    assert project.sources == ()


def test_dynamic_dependencies_come_from_requirements_files(read_files: ReadFiles) -> None:
    project = read_files(
        {
            "pyproject.toml": """
            [project]
            name = "acme"
            dynamic = ["dependencies", "optional-dependencies"]
            [tool.setuptools.dynamic]
            dependencies = {file = ["requirements.txt", "gone.txt"]}
            optional-dependencies.gpu = {file = "gpu.txt"}
            [tool.setuptools.dynamic.optional-dependencies.docs]
            file = ["docs.txt"]
            """,
            "requirements.txt": "numpy\n",
            "gpu.txt": "torch\n",
            "docs.txt": "sphinx\n",
        }
    )
    assert by_name(project) == {
        ("numpy", None, None),
        ("torch", "gpu", None),
        ("sphinx", "docs", None),
    }
    assert project.sources == ("pyproject.toml", "requirements.txt", "gpu.txt", "docs.txt")
    assert [(one.path, one.line, one.message) for one in project.problems] == [
        ("pyproject.toml", 5, "there is no file gone.txt")
    ]


def test_requirements_files_count_for_nothing_unless_named(read_files: ReadFiles) -> None:
    project = read_files({"pyproject.toml": '[project]\nname = "acme"\n', "requirements.txt": "numpy\n"})
    assert project.requirements == ()


def test_static_dependencies_shut_out_other_sources(read_files: ReadFiles) -> None:
    project = read_files(
        {
            "pyproject.toml": '[project]\nname = "acme"\ndependencies = ["numpy"]\n',
            "setup.cfg": "[options]\ninstall_requires =\n    torch\n",
            "setup.py": "from setuptools import setup\nsetup(install_requires=['jax'])\n",
        }
    )
    assert by_name(project) == {("numpy", None, None)}


def test_hatch_reads_requirements_files(read_files: ReadFiles) -> None:
    project = read_files(
        {
            "pyproject.toml": """
            [project]
            name = "acme"
            dynamic = ["dependencies", "optional-dependencies"]
            [tool.hatch.metadata.hooks.requirements_txt]
            files = ["requirements.txt"]
            [tool.hatch.metadata.hooks.requirements_txt.optional-dependencies]
            gpu = ["gpu.txt"]
            """,
            "requirements.txt": "numpy\n",
            "gpu.txt": "torch\n",
        }
    )
    assert by_name(project) == {("numpy", None, None), ("torch", "gpu", None)}
    assert project.extras == ("gpu",)


def test_development_dependencies_of_pdm_and_uv_are_groups(read_files: ReadFiles) -> None:
    project = read_files(
        {
            "pyproject.toml": """
            [project]
            name = "acme"
            [tool.pdm.dev-dependencies]
            test = ["pytest", "-e file:///${PROJECT_ROOT}/plugin#egg=plugin"]
            [tool.uv]
            dev-dependencies = ["ruff"]
            """
        }
    )
    assert by_name(project) == {("pytest", None, "test"), ("ruff", None, "dev")}


@pytest.mark.parametrize(
    ("tables", "folders"),
    [
        ('[tool.setuptools]\npackage-dir = {"" = "src"}', (("", "src"),)),
        ('[tool.setuptools.packages.find]\nwhere = ["src", "lib/"]', (("", "src"), ("", "lib"))),
        ('[tool.hatch.build.targets.wheel]\npackages = ["src/acme"]', (("acme", "src/acme"),)),
        ('[tool.hatch.build.targets.wheel.sources]\n"src/x" = "acme"', (("acme", "src/x"),)),
        (
            '[tool.poetry]\npackages = [{include = "acme", from = "src"}]',
            (("acme", "src/acme"),),
        ),
        ('[tool.pdm.build]\npackage-dir = "src"', (("", "src"),)),
        ('[tool.maturin]\npython-source = "python"', (("", "python"),)),
        ('[tool.flit.module]\nname = "acme"', (("acme", "acme"),)),
        ('[build-system]\nbuild-backend = "uv_build"', (("", "src"),)),
        ('[tool.uv.build-backend]\nmodule-root = ""', (("", "."),)),
        ('[tool.scikit-build]\nwheel.packages = ["python/acme"]', (("acme", "python/acme"),)),
    ],
)
def test_package_folders(read_files: ReadFiles, tables: str, folders: tuple[tuple[str, str], ...]) -> None:
    text = f'[project]\nname = "acme"\n{tables}\n'
    assert read_files({"pyproject.toml": text}).package_dirs == folders


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[project\n", "pyproject.toml:1: invalid TOML: "),
        ("project = 3\n", "pyproject.toml:1: project: expected a table"),
        (
            "[project]\ndependencies = 'numpy'\n",
            "pyproject.toml:2: project.dependencies: expected an array of strings",
        ),
        (
            "[project]\ndependencies = [\n  'numpy',\n  'a b',\n]\n",
            "pyproject.toml:4: project.dependencies: bad version specifier 'b' in 'a b'",
        ),
        (
            "[project.optional-dependencies]\nx = {}\n",
            "pyproject.toml:2: project.optional-dependencies.x: expected an array of strings",
        ),
        ("[project]\nname = 1\n", "pyproject.toml:2: project.name: expected a string"),
        (
            "[dependency-groups]\na = [{include-group = 'b'}]\nb = [{include-group = 'a'}]\n",
            "pyproject.toml:2: dependency-groups.a: the group includes itself: a -> b -> a",
        ),
        (
            "[dependency-groups]\na = [{include-group = 'z'}]\n",
            "pyproject.toml:2: dependency-groups.a: there is no group 'z' to include",
        ),
        (
            "[dependency-groups]\na = [3]\n",
            'pyproject.toml:2: dependency-groups.a: expected a dependency or { include-group = "name" }',
        ),
        ("[tool.poetry.dependencies]\nx = 3\n", "pyproject.toml:2: tool.poetry.dependencies.x: "),
        ("[tool.poetry]\npackages = 3\n", "pyproject.toml:2: tool.poetry.packages: "),
    ],
)
def test_bad_input_is_one_line_that_names_file_and_key(write_files: WriteFiles, text: str, message: str) -> None:
    with pytest.raises(MetadataError) as caught:
        read_project(write_files({"pyproject.toml": text}))
    assert str(caught.value).startswith(message)
    assert "\n" not in str(caught.value)
    assert str(pickle.loads(pickle.dumps(caught.value))) == str(caught.value)


def test_byte_order_mark_and_windows_line_ends(read_files: ReadFiles) -> None:
    text = '\ufeff[project]\r\nname = "acme"\r\ndependencies = [\r\n  "numpy",\r\n]\r\n'
    project = read_files({"pyproject.toml": text})
    assert [(one.distribution, one.line) for one in project.required] == [("numpy", 4)]
