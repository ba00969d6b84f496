"""setup.cfg, setup.py that is never run, and the requirements files these read."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from optdep_lint.metadata import MetadataError, read_project

if TYPE_CHECKING:
    from optdep_lint.metadata import ProjectMetadata
    from tests.unit.metadata.conftest import ReadFiles, WriteFiles


def named(project: ProjectMetadata) -> list[tuple[str, str | None]]:
    return [(one.distribution, one.extra) for one in project.requirements]


def test_setup_cfg(read_files: ReadFiles) -> None:
    project = read_files(
        {
            "setup.cfg": """
            [metadata]
            name = acme
            version = attr: acme.__version__

            [options]
            python_requires = >=3.9
            package_dir =
                =src
            packages = find:
            install_requires =
                numpy>=1.20
                # a comment
                tomli; python_version < "3.11"
                bad line here

            [options.packages.find]
            where = src

            [options.extras_require]
            gpu =
                torch
                triton; sys_platform == "linux"
            all = file: all.txt

            [options.entry_points]
            console_scripts =
                acme = acme.cli:main
            """,
            "all.txt": "jax\n",
        }
    )
    assert (project.name, project.version, project.requires_python) == ("acme", None, ">=3.9")
    assert named(project) == [
        ("numpy", None),
        ("tomli", None),
        ("torch", "gpu"),
        ("triton", "gpu"),
        ("jax", "all"),
    ]
    assert [one.line for one in project.requirements] == [11, 13, 21, 22, 1]
    assert [(one.path, one.line) for one in project.problems] == [("setup.cfg", 14)]
    assert project.package_dirs == (("", "src"),)
    assert [one.value for one in project.entry_points] == ["acme.cli:main"]


def test_a_broken_setup_cfg_is_an_error(write_files: WriteFiles) -> None:
    with pytest.raises(MetadataError, match=r"^setup\.cfg:1: invalid setup\.cfg: "):
        read_project(write_files({"setup.cfg": "no section\n"}))


def test_setup_py_with_names_and_concatenation(read_files: ReadFiles) -> None:
    project = read_files(
        {
            "setup.py": """
            import sys
            from setuptools import find_packages, setup

            raise SystemExit("this file must never run")
            NAME = "ac" + "me"
            BASE = ["numpy>=1"]
            EXTRAS = {"gpu": ["torch"], "io": ["PyYAML", "h5py"]}
            EXTRAS["all"] = EXTRAS["gpu"] + EXTRAS["io"]
            EXTRAS.update({"docs": ("sphinx",)})
            BASE += ["attrs"]
            BASE.append("click")
            if sys.version_info < (3, 11):
                BASE.append("conditional")

            def main():
                setup(
                    name=NAME,
                    version="1",
                    python_requires=">=3.8",
                    install_requires=BASE + ["tomli; python_version < '3.11'"],
                    extras_require=EXTRAS,
                    entry_points={"console_scripts": ["acme = acme:main"]},
                    package_dir={"": "src"},
                    packages=find_packages(where="src"),
                )

            if __name__ == "__main__":
                main()
            """
        }
    )
    assert (project.name, project.version, project.requires_python) == ("acme", "1", ">=3.8")
    assert named(project) == [
        ("numpy", None),
        ("attrs", None),
        ("click", None),
        ("tomli", None),
        ("torch", "gpu"),
        ("pyyaml", "io"),
        ("h5py", "io"),
        ("torch", "all"),
        ("pyyaml", "all"),
        ("h5py", "all"),
        ("sphinx", "docs"),
    ]
    assert project.extras == ("gpu", "io", "all", "docs")
    assert project.requirements[0].line == 6
    assert project.package_dirs == (("", "src"),)
    assert project.problems == ()


@pytest.mark.parametrize(
    "code",
    [
        "setup(install_requires=open('requirements.txt').read().splitlines())",
        "setup(install_requires=[line.strip() for line in open('requirements.txt')])",
        "with open('requirements.txt') as f:\n    R = f.read().split('\\n')\nsetup(install_requires=R)",
        "def read(name):\n    return open(name).readlines()\nsetup(install_requires=read('requirements.txt'))",
        (
            "def requires():\n    with open(os.path.join(HERE, 'requirements.txt')) as f:\n"
            "        return f.readlines()\nsetup(install_requires=requires())"
        ),
        "R = pathlib.Path(__file__).parent / 'requirements.txt'\nsetup(install_requires=R.read_text().splitlines())",
        (
            "R = parse_requirements('requirements.txt', session=False)\n"
            "setup(**{'install_requires': [str(r.req) for r in R]})"
        ),
        (
            "R = []\nwith open('requirements.txt') as f:\n    for line in f:\n        R.append(line)\n"
            "setup(install_requires=list(map(str, open('requirements.txt'))))"
        ),
    ],
)
def test_setup_py_that_reads_a_literal_file(read_files: ReadFiles, code: str) -> None:
    files = {"setup.py": f"from setuptools import setup\n{code}\n", "requirements.txt": "numpy\n"}
    project = read_files(files)
    assert [(one.distribution, one.path) for one in project.required] == [("numpy", "requirements.txt")]


def test_of_files_for_several_platforms_only_the_common_part_is_required(
    read_files: ReadFiles,
) -> None:
    project = read_files(
        {
            "pyproject.toml": '[project]\nname = "acme"\ndynamic = ["dependencies"]\n',
            "setup.py": """
            from setuptools import setup

            def get_requirements():
                def _read(name):
                    return (ROOT / "requirements" / name).read_text().splitlines()

                if cuda():
                    requirements = _read("cuda.txt")
                elif rocm():
                    requirements = _read("rocm.txt")
                    changed = []
                    for requirement in requirements:
                        changed.append(requirement)
                    requirements = changed
                else:
                    raise ValueError
                return requirements

            setup(install_requires=get_requirements())
            """,
            "requirements/common.txt": "numpy\n",
            "requirements/cuda.txt": "-r common.txt\nflashinfer-python\n",
            "requirements/rocm.txt": "-r common.txt\namd-aiter==0.1\n",
            "requirements/rocm-test.txt": "pytest\n",
        }
    )
    assert named(project) == [("numpy", None)]
    platform = project.platform_requirements
    assert sorted(platform) == ["cuda", "rocm"]
    assert [(one.distribution, one.path) for one in platform["rocm"]] == [
        ("numpy", "requirements/common.txt"),
        ("amd-aiter", "requirements/rocm.txt"),
    ]
    assert platform["rocm"][1].roots == ("aiter",)


@pytest.mark.parametrize(
    ("code", "line"),
    [("setup(install_requires=compute())", 1), ("X = f()\nsetup(extras_require=X)", 2)],
)
def test_what_is_computed_is_a_problem(read_files: ReadFiles, code: str, line: int) -> None:
    project = read_files({"setup.py": code + "\n"})
    assert [(one.path, one.line) for one in project.problems] == [("setup.py", line)]


@pytest.mark.parametrize(
    "code",
    [
        "print 'python 2'",
        "setup()",
        "setup(install_requires=A)\nA = B\nB = A\n",
        "def f():\n    return f()\nsetup(install_requires=f())",
        "setup(extras_require={k: [k] for k in 'ab'})",
        "import setuptools",
        "setup(name='a\\q')",
    ],
)
def test_odd_code_is_survived(read_files: ReadFiles, code: str) -> None:
    assert read_files({"setup.py": code}).requirements == ()


def test_extras_of_setup_py_with_markers_in_their_keys(read_files: ReadFiles) -> None:
    project = read_files(
        {
            "setup.py": """
            setup(extras_require={
                ":python_version<'3.11'": ["tomli"],
                "win:sys_platform=='win32'": "pywin32",
            })
            """
        }
    )
    assert [(one.distribution, one.extra, one.marker) for one in project.requirements] == [
        ("tomli", None, 'python_version < "3.11"'),
        ("pywin32", "win", 'sys_platform == "win32"'),
    ]


REQUIREMENTS = r"""
# comment
--index-url https://example.com/simple
-c constraints.txt
numpy>=1.0,\
    <2  # trailing
requests[socks] >= 2 ; python_version < "3.11"
-r more.txt
-r requirements.txt
-r gone.txt
-e .
./local
-e git+https://example.com/x.git#egg=editable
git+https://example.com/plain.git@main#egg=plain
https://example.com/wheels/foo_bar-1.0-py3-none-any.whl
named @ https://example.com/named.zip
hashed==1.0 --hash=sha256:abc \
    --hash=sha256:def
this is bad
"""


def test_requirements_files_as_pip_reads_them(read_files: ReadFiles) -> None:
    project = read_files(
        {
            "setup.py": "setup(install_requires=open('requirements.txt').readlines())",
            "requirements.txt": REQUIREMENTS,
            "more.txt": "attrs\n",
        }
    )
    assert [(one.distribution, one.line) for one in project.required] == [
        ("numpy", 4),
        ("requests", 6),
        ("attrs", 1),
        ("editable", 12),
        ("plain", 13),
        ("foo-bar", 14),
        ("named", 15),
        ("hashed", 16),
    ]
    assert project.required[0].specifier == ">=1.0,<2"
    assert project.required[1].requested_extras == ("socks",)
    assert [(one.path, one.line) for one in project.problems] == [
        ("requirements.txt", 9),
        ("requirements.txt", 18),
    ]


def test_a_pyproject_of_one_platform_is_a_fact(read_files: ReadFiles) -> None:
    project = read_files(
        {
            "pyproject.toml": "[project]\nname = 'acme'\n",
            "pyproject_npu.toml": "[project]\nname = 'acme'\ndependencies = [\n  'torch_npu',\n]\n",
            "pyproject_xpu.toml": "[project",
        }
    )
    assert project.requirements == ()
    npu = project.platform_requirements["npu"]
    assert [(one.distribution, one.path, one.line) for one in npu] == [("torch-npu", "pyproject_npu.toml", 4)]
    assert [one.path for one in project.problems] == ["pyproject_xpu.toml"]


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("requirements/rocm.txt", "rocm"),
        ("requirements-cuda.txt", "cuda"),
        ("requirements_npu.txt", "npu"),
        ("requirements/requirements-xpu.txt", "xpu"),
        ("requirements-cu124.txt", "cuda"),
        ("requirements-rocm6.2.txt", "rocm"),
        ("requirements/dev.txt", None),
        ("requirements/rocm-build.txt", None),
        ("docs/requirements-rocm.txt", None),
        ("requirements.txt", None),
    ],
)
def test_platform_requirements_go_by_the_name_of_the_file(read_files: ReadFiles, name: str, word: str | None) -> None:
    project = read_files({name: "acme-kernels\n"})
    assert list(project.platform_requirements) == ([] if word is None else [word])
    assert project.requirements == ()
