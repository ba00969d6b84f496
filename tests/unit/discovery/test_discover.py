"""Which projects, files, modules and roles are found in every layout."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from optdep_lint.config import Config
from optdep_lint.discovery import DiscoveryError, Project, discover, find_project_root, with_unsaved

PROJECT = "[project]\nname = 'acme'\n"


def make(root: Path, *names: str, **contents: str) -> Path:
    for name in names:
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(contents.get(path.name.replace(".", "_"), ""), encoding="utf-8")
    return root


def only(projects: tuple[Project, ...]) -> Project:
    (project,) = projects
    return project


def modules(project: Project) -> dict[str, str | None]:
    return {file.relative: file.module for file in project.files}


def roles(project: Project) -> dict[str, str]:
    return {file.relative: file.role for file in project.files}


def test_a_testing_folder_that_holds_tests_itself(tmp_path: Path) -> None:
    make(
        tmp_path, "pyproject.toml", "acme/__init__.py", "acme/testing/test_a.py", "acme/testing/more.py",
        "acme/b/testing/help.py", "acme/b/testing/tests/test_b.py", pyproject_toml=PROJECT,
    )  # fmt: skip
    found = roles(only(discover([tmp_path], Config())))
    assert {name: found[name] for name in found if name != "pyproject.toml"} == {
        "acme/__init__.py": "subject",
        "acme/testing/test_a.py": "test",
        "acme/testing/more.py": "test",
        "acme/b/testing/help.py": "subject",
        "acme/b/testing/tests/test_b.py": "test",
    }


def test_src_layout(tmp_path: Path) -> None:
    make(
        tmp_path, "pyproject.toml", "src/acme/__init__.py", "src/acme/a/b.py", "src/single.py", "tests/test_a.py",
        "setup.py", "tool.py", "docs/conf.py", "examples/x.py", pyproject_toml=PROJECT,
    )  # fmt: skip
    project = only(discover([tmp_path], Config()))
    assert modules(project) == {
        "src/acme/__init__.py": "acme",
        "src/acme/a/b.py": "acme.a.b",
        "src/single.py": "single",
        "tests/test_a.py": None,
        "setup.py": None,
        "tool.py": None,
        "docs/conf.py": None,
        "examples/x.py": None,
    }
    assert roles(project)["src/acme/a/b.py"] == "subject"
    assert roles(project)["tests/test_a.py"] == "test"
    assert roles(project)["docs/conf.py"] == "docs"
    assert roles(project)["examples/x.py"] == "example"
    assert roles(project)["setup.py"] == roles(project)["tool.py"] == "script"
    assert project.import_roots == ("src",)
    assert [file.relative for file in project.files if file.is_package] == ["src/acme/__init__.py"]


def test_flat_layout(tmp_path: Path) -> None:
    make(
        tmp_path, "pyproject.toml", "acme/__init__.py", "acme/testing/x.py", "acme/test_utils.py",
        "acme/tests/__init__.py", "acme/tests/helper.py", "acme/tests/test_x.py", "acme/test/data.py", "tests/__init__.py",
        "tests/test_y.py", "csrc/build.py", "noxfile.py", "conftest.py", pyproject_toml=PROJECT,
    )  # fmt: skip
    project = only(discover([tmp_path], Config()))
    assert roles(project) == {
        "acme/__init__.py": "subject",
        "acme/testing/x.py": "subject",
        "acme/test_utils.py": "subject",
        "acme/tests/__init__.py": "test",
        "acme/tests/helper.py": "test",
        "acme/tests/test_x.py": "test",
        "acme/test/data.py": "subject",
        "tests/__init__.py": "test",
        "tests/test_y.py": "test",
        "csrc/build.py": "script",
        "noxfile.py": "script",
        "conftest.py": "test",
    }
    assert modules(project)["acme/tests/helper.py"] == "acme.tests.helper"
    assert modules(project)["tests/test_y.py"] == "tests.test_y"


@pytest.mark.parametrize(
    ("name", "text", "file", "module"),
    [
        ("setup.py", "setup(package_dir={'': 'lib'})", "lib/acme/a.py", "acme.a"),
        ("setup.py", "setup(packages=find_packages('code'))", "code/acme/a.py", "acme.a"),
        ("setup.cfg", "[options]\npackage_dir =\n  = code\n", "code/acme/a.py", "acme.a"),
        ("setup.cfg", "[metadata]\nname = x\n[options.packages.find]\nwhere = code\n", "code/acme/a.py", "acme.a"),
        ("pyproject.toml", PROJECT + "[tool.setuptools.packages.find]\nwhere=['code']\n", "code/acme/a.py", "acme.a"),
        ("pyproject.toml", PROJECT + "[tool.setuptools.package-dir]\n''='code'\n", "code/acme/a.py", "acme.a"),
        ("pyproject.toml", PROJECT + "[tool.hatch.build.targets.wheel]\npackages=['code/acme']\n", "code/acme/a.py", "acme.a"),
        ("pyproject.toml", "[tool.poetry]\nname='acme'\npackages=[{include='acme',from='code'}]\n", "code/acme/a.py", "acme.a"),
        ("pyproject.toml", PROJECT + "[tool.maturin]\npython-source='code'\n", "code/acme/a.py", "acme.a"),
        ("pyproject.toml", PROJECT + "[tool.setuptools]\npy-modules=['other']\n", "other.py", "other"),
    ],
)  # fmt: skip
def test_hints(tmp_path: Path, name: str, text: str, file: str, module: str) -> None:
    make(tmp_path, "acme_tools/__init__.py", file)
    (tmp_path / name).write_text(text)
    assert modules(only(discover([tmp_path], Config())))[file] == module


def test_a_folder_with_packages_is_a_container(tmp_path: Path) -> None:
    make(tmp_path, "pyproject.toml", "python/acme/__init__.py", "python/acme/a.py", "run.py", pyproject_toml=PROJECT)
    project = only(discover([tmp_path], Config()))
    assert modules(project) == {"python/acme/__init__.py": "acme", "python/acme/a.py": "acme.a", "run.py": None}


def test_namespace_packages(tmp_path: Path) -> None:
    text = "[project]\nname = 'google-cloud-x'\n"
    make(tmp_path, "pyproject.toml", "google/cloud/x/__init__.py", "google/y.py", pyproject_toml=text)
    project = only(discover([tmp_path], Config()))
    assert modules(project) == {"google/cloud/x/__init__.py": "google.cloud.x", "google/y.py": "google.y"}


def test_unpacked_wheel(tmp_path: Path) -> None:
    make(
        tmp_path, "acme-1.0.dist-info/METADATA", "acme/__init__.py", "acme/_C.cpython-311-x86_64-linux-gnu.so", "other.py",
        "acme-1.0.data/purelib/extra/__init__.py", "acme/py.typed", "acme/a.pyi", "ns/part/x.py",
    )  # fmt: skip
    project = only(discover([tmp_path], Config()))
    assert modules(project) == {
        "acme/__init__.py": "acme",
        "other.py": "other",
        "acme-1.0.data/purelib/extra/__init__.py": "extra",
        "ns/part/x.py": "ns.part.x",
    }
    assert project.extensions == {"acme._C"}
    assert [(stub.relative, stub.module) for stub in project.stubs] == [("acme/a.pyi", "acme.a")]
    assert set(roles(project).values()) == {"subject"}


def test_what_lies_below_tests_of_an_unpacked_wheel_is_a_module(tmp_path: Path) -> None:
    make(tmp_path, "acme-1.0.dist-info/METADATA", "acme/__init__.py", "acme/tests/test_x.py", "acme/tests/data/y.py")
    found = modules(only(discover([tmp_path], Config())))
    assert (found["acme/tests/test_x.py"], found["acme/tests/data/y.py"]) == ("acme.tests.test_x", "acme.tests.data.y")


def test_unpacked_sdist(tmp_path: Path) -> None:
    inner = make(tmp_path / "acme-1.0" / "acme-1.0", "setup.py", "acme/__init__.py", "PKG-INFO")
    project = only(discover([tmp_path / "acme-1.0"], Config()))
    assert project.root == inner
    assert modules(project)["acme/__init__.py"] == "acme"


def test_a_source_folder_given_directly(tmp_path: Path) -> None:
    make(tmp_path, "pyproject.toml", "src/acme/__init__.py", "other/x.py", pyproject_toml=PROJECT)
    project = only(discover([tmp_path / "src"], Config()))
    assert project.root == tmp_path
    assert {file.relative for file in project.files if file.reported} == {"src/acme/__init__.py"}
    bare = make(tmp_path / "bare" / "src", "acme/__init__.py", "single.py")
    (tmp_path / "pyproject.toml").unlink()
    assert modules(only(discover([bare], Config()))) == {"acme/__init__.py": "acme", "single.py": "single"}


def test_loose_files_and_a_package_given_directly(tmp_path: Path) -> None:
    make(tmp_path, "one.py", "two-three.py", "pkg/__init__.py", "pkg/sub/__init__.py", "pkg/sub/x.py")
    assert modules(only(discover([tmp_path], Config())))["two-three.py"] is None
    project = only(discover([tmp_path / "pkg" / "sub"], Config()))
    assert project.root == tmp_path
    assert modules(project)["pkg/sub/x.py"] == "pkg.sub.x"


def test_a_package_shadows_a_module(tmp_path: Path) -> None:
    make(tmp_path, "a.py", "a/__init__.py")
    assert modules(only(discover([tmp_path], Config()))) == {"a.py": None, "a/__init__.py": "a"}


def test_a_given_file_limits_what_is_reported(tmp_path: Path) -> None:
    make(tmp_path, "pyproject.toml", "acme/__init__.py", "acme/a.py", pyproject_toml=PROJECT)
    project = only(discover([tmp_path / "acme" / "a.py"], Config()))
    assert {file.relative: file.reported for file in project.files} == {"acme/__init__.py": False, "acme/a.py": True}
    everything = only(discover([tmp_path / "pyproject.toml"], Config()))
    assert all(file.reported for file in everything.files)


def test_several_projects(tmp_path: Path) -> None:
    make(tmp_path, "a/pyproject.toml", "a/acme/__init__.py", "a/tests/demo/pyproject.toml", "a/tests/demo/x.py",
         "b/setup.py", "b/beta/__init__.py", "script.py", pyproject_toml=PROJECT)  # fmt: skip
    projects = discover([tmp_path], Config())
    assert [project.root for project in projects] == [tmp_path, tmp_path / "a", tmp_path / "b"]
    assert list(modules(projects[0])) == ["script.py"]
    assert "tests/demo/x.py" in modules(projects[1])
    assert [each.root for each in discover([tmp_path / "b"], Config())] == [tmp_path / "b"]


def test_vendored_metadata_is_no_project(tmp_path: Path) -> None:
    make(tmp_path, "setup.py", "acme/__init__.py", "acme/_vendor/x-1.dist-info/METADATA", "acme/_vendor/x/__init__.py")
    project = only(discover([tmp_path / "acme" / "_vendor" / "x" / "__init__.py"], Config()))
    assert project.root == tmp_path
    assert modules(project)["acme/_vendor/x/__init__.py"] == "acme._vendor.x"


def test_exclusions(tmp_path: Path) -> None:
    make(
        tmp_path, "pyproject.toml", "acme/__init__.py", "acme/_version.py", "acme/gen/x.py", "acme/build/__init__.py",
        "build/lib/acme/__init__.py", ".venv/x.py", "env/pyvenv.cfg", "env/lib/x.py", "node_modules/x.py", "junk/y.py",
        "acme/vendored/z.py", pyproject_toml=PROJECT,
    )  # fmt: skip
    (tmp_path / ".gitignore").write_text("_version.py\njunk\n")
    (tmp_path / "acme" / ".gitignore").write_text("/gen/\n")
    project = only(discover([tmp_path], Config(exclude=("acme/vendored",))))
    assert {file.relative: file.reported for file in project.files} == {
        "acme/__init__.py": True,
        "acme/_version.py": False,
        "acme/build/__init__.py": True,
        "acme/vendored/z.py": False,
    }
    unrestricted = only(discover([tmp_path], Config(), respect_gitignore=False))
    assert "acme/gen/x.py" in modules(unrestricted)


def test_gitignore_above_the_project(tmp_path: Path) -> None:
    make(tmp_path, "python/pyproject.toml", "python/acme/__init__.py", "python/out/x.py", pyproject_toml=PROJECT)
    (tmp_path / ".git").mkdir()
    (tmp_path / ".gitignore").write_text("/python/out/\n")
    assert "out/x.py" not in modules(only(discover([tmp_path / "python"], Config())))
    (tmp_path / ".gitignore").write_text("python/\n")
    assert "out/x.py" in modules(only(discover([tmp_path / "python"], Config())))


def test_a_named_file_is_looked_at_unless_exclusion_is_forced(tmp_path: Path) -> None:
    make(tmp_path, "pyproject.toml", "acme/__init__.py", "acme/x.py", "junk/y.py", "bin/tool", pyproject_toml=PROJECT)
    config = Config(exclude=("x.py",))
    named = [tmp_path / "acme" / "x.py"]
    assert only(discover(named, config)).files[1].reported
    assert discover(named, config, force_exclude=True) == ()
    (tmp_path / ".gitignore").write_text("junk\n")
    stray = only(discover([tmp_path / "junk" / "y.py", tmp_path / "bin" / "tool"], Config()))
    assert {file.relative for file in stray.files if file.reported} == {"junk/y.py", "bin/tool"}
    assert discover([tmp_path / "junk" / "y.py"], Config(force_exclude=True)) == ()


def test_a_named_folder_is_looked_at_although_it_is_excluded(tmp_path: Path) -> None:
    make(tmp_path, "pyproject.toml", "acme/__init__.py", "fixtures/a/b/x.py", "fixtures/a/p/pyproject.toml",
         "fixtures/a/p/y.py", "fixtures/z.py", "build/w.py", pyproject_toml=PROJECT)  # fmt: skip
    config = Config(exclude=("fixtures",))
    projects = discover([tmp_path / "fixtures" / "a"], config)
    assert [file.relative for project in projects for file in project.files if file.reported] == [
        "fixtures/a/b/x.py",
        "y.py",
    ]
    assert discover([tmp_path / "fixtures" / "a" / "b"], config, force_exclude=True) == ()
    built = only(discover([tmp_path / "build"], config))
    assert [file.relative for file in built.files if file.reported] == ["build/w.py"]


def test_links(tmp_path: Path) -> None:
    make(
        tmp_path / "p",
        "pyproject.toml",
        "acme/__init__.py",
        "acme/a.py",
        ".hidden/real/__init__.py",
        pyproject_toml=PROJECT,
    )
    make(tmp_path / "outside", "x.py")
    links = {
        "acme/loop": tmp_path / "p",
        "acme/self": tmp_path / "p" / "acme",
        "acme/out": tmp_path / "outside",
        "acme/out.py": tmp_path / "outside" / "x.py",
        "acme/copy.py": tmp_path / "p" / "acme" / "a.py",
        "acme/broken.py": tmp_path / "nowhere.py",
    }
    for name, target in links.items():
        os.symlink(target, tmp_path / "p" / name)
    (tmp_path / "p" / ".gitignore").write_text(".hidden\n")
    os.symlink(tmp_path / "p" / ".hidden" / "real", tmp_path / "p" / "acme" / "linked")
    project = only(discover([tmp_path / "p"], Config()))
    assert list(modules(project)) == ["acme/__init__.py", "acme/a.py", "acme/linked/__init__.py"]


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(DiscoveryError, match=r"nowhere: no such file or directory"):
        discover([tmp_path / "nowhere"], Config())
    assert discover([tmp_path], Config()) == ()


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_folder_is_told(tmp_path: Path) -> None:
    make(tmp_path, "a.py", "b/c.py")
    (tmp_path / "b").chmod(0)
    assert "cannot list" in only(discover([tmp_path], Config())).problems[0]


def test_unsaved_text(tmp_path: Path) -> None:
    make(tmp_path, "pyproject.toml", "acme/__init__.py", "acme/a.py", pyproject_toml=PROJECT)
    project = with_unsaved(discover([tmp_path], Config()), tmp_path / "acme" / "a.py", b"new")
    assert [(file.relative, file.content) for file in project.files if file.reported] == [("acme/a.py", b"new")]
    fresh = with_unsaved(discover([tmp_path], Config()), tmp_path / "acme" / "b.py", b"new")
    assert [file.relative for file in fresh.files if file.reported] == ["acme/b.py"]


@pytest.mark.parametrize(
    ("files", "start", "found"),
    [
        ({"pyproject.toml": "[project]\nname='a'", "src/a/x.py": ""}, "src/a/x.py", ""),
        ({"pyproject.toml": "[project]", "sub/pyproject.toml": "[tool.x]"}, "sub", ""),
        ({"pyproject.toml": "[project]", "sub/pyproject.toml": "[project]"}, "sub", "sub"),
        ({"pyproject.toml": "[project", "sub/x.py": "", "s.py": ""}, "sub", ""),
        ({"pyproject.toml": "[tool.poetry]", "sub/x.py": ""}, "sub", ""),
        ({"setup.cfg": "[metadata]\nname=a", "a/x.py": ""}, "a", ""),
        ({"setup.cfg": "[flake8]", "a/setup.py": "setup()"}, "a", "a"),
        ({"pyproject.toml": "[project]", "a/__init__.py": "", "a/setup.py": "setup()"}, "a", ""),
        ({"a-1.dist-info/METADATA": "Name: a", "a/x.py": ""}, "a/x.py", ""),
        ({"pyproject.toml": "[project]", "w/a-1.dist-info/METADATA": "", "w/a.py": ""}, "w", "w"),
        ({"PKG-INFO": "Name: a", "a/x.py": ""}, "a", ""),
        ({".git/HEAD": "", "a/x.py": ""}, "a", "a"),
        ({"pyproject.toml": "[project]", "r/.git": "", "r/a.py": ""}, "r/a.py", "r"),
    ],
)
def test_project_root(tmp_path: Path, files: dict[str, str], start: str, found: str) -> None:
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    assert find_project_root(tmp_path / start) == tmp_path / found


def test_roots_end_at_the_checkout(tmp_path: Path) -> None:
    make(tmp_path, "pyproject.toml", "repo/a.py", pyproject_toml=PROJECT)
    (tmp_path / "repo" / ".git").mkdir()
    assert find_project_root(tmp_path / "repo" / "a.py") == tmp_path / "repo"


def test_thousands_of_files_are_quick(tmp_path: Path) -> None:
    for folder in range(40):
        make(tmp_path, *(f"acme/p{folder}/m{number}.py" for number in range(50)))
    (tmp_path / ".gitignore").write_text(
        "\n".join(["*.pyc", "build/", "!x", "/dist", *(f"name{n}" for n in range(60))])
    )
    start = time.process_time()
    assert len(only(discover([tmp_path], Config())).files) == 2000
    assert time.process_time() - start < 1


def test_a_project_within_a_package_is_an_example(tmp_path: Path) -> None:
    make(
        tmp_path, "acme-1.0.dist-info/METADATA", "acme/__init__.py", "acme/setup.py", "acme/bench/__init__.py",
        "acme/bench/shop/__init__.py", "acme/bench/shop/manage.py", "acme/bench/shop/shop/__init__.py",
        "acme/core/__init__.py", "acme/core/setup.py", "acme/core/part/__init__.py",
    )  # fmt: skip
    found = roles(only(discover([tmp_path], Config())))
    assert {name for name, role in found.items() if role == "example"} == {
        "acme/bench/shop/__init__.py", "acme/bench/shop/manage.py", "acme/bench/shop/shop/__init__.py",
    }  # fmt: skip
