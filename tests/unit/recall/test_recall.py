"""How much is done again: work is counted, not timed. What is told is the same cold, warm, in parts and by any workers."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Executor, ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from optdep_lint import cache, engine, pool, reading, recall
from optdep_lint.cache import Cache
from optdep_lint.config import Config
from optdep_lint.discovery import Project, discover
from optdep_lint.world.evaluation import Evaluation

FILES = {
    "pyproject.toml": '[project]\nname = "acme"\nversion = "1"\n[project.optional-dependencies]\nfast = ["numba", "cupy"]\n',
    "acme/__init__.py": "from acme import kernels, plain\n",
    "acme/kernels.py": "import numba\n",
    "acme/plain.py": "import json\n\n\ndef f():\n    return json\n",
    "acme/other.py": "from acme import plain\n",
    "tests/test_kernels.py": "from acme import kernels\nimport cupy\n",
}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A project of four modules and a test."""
    for name, text in FILES.items():
        path = tmp_path / "project" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path / "project"


@pytest.fixture
def work(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How many files were summarized, how many only parsed, and how often each module was evaluated."""
    done: Counter[str] = Counter()
    summarize, parse, run = reading._summarize_bytes, reading._parse_bytes, Evaluation.run_module

    def counted(content: bytes) -> bytes:
        done["summarized"] += 1
        return summarize(content)

    def parsed(content: bytes) -> bytes:
        done["parsed"] += 1
        return parse(content)

    def ran(self: Evaluation, module: object) -> None:
        done[module.name] += 1  # type: ignore[attr-defined]
        run(self, module)  # type: ignore[arg-type]

    monkeypatch.setattr(reading, "_summarize_bytes", counted)
    monkeypatch.setattr(reading, "_parse_bytes", parsed)
    monkeypatch.setattr(Evaluation, "run_module", ran)
    return done


def project_of(root: Path) -> Project:
    (project,) = discover([root], Config())
    return project


def check(root: Path, config: Config = Config(), executor: Executor | None = None) -> tuple[object, ...]:  # noqa: B008  # frozen
    with Cache(root / "kept") as kept:
        return engine.check([project_of(root)], config, cache=kept, executor=executor).findings


def test_work_is_done_once(root: Path, work: Counter[str]) -> None:
    cold = check(root)
    assert cold, "there is something to find"
    assert (work.pop("summarized"), work.pop("parsed")) == (4, 1), "nothing of interest can import the test"
    assert work["acme.plain"] == 1, "what cannot feel the absence is evaluated in one world only"
    assert work["acme.kernels"] == 2
    assert work.keys() == {"acme", "acme.kernels", "acme.plain", "acme.other"}, "what only tests import, in none"
    work.clear()
    assert check(root) == cold
    assert not work, "a warm run summarizes and evaluates nothing"


def test_a_changed_file_is_summarized_alone(root: Path, work: Counter[str]) -> None:
    check(root)
    work.clear()
    (root / "acme/kernels.py").write_text("try:\n    import numba\nexcept ImportError:\n    numba = None\n")
    assert not check(root)
    assert work["summarized"] == 1


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", '[project]\nname = "acme"\nversion = "1"\ndependencies = ["numba"]\n'),
        ("acme/kernels.py", "import json\n"),
        ("requirements.txt", "numba\n"),
    ],
)
def test_what_findings_follow_from_is_in_the_key(root: Path, name: str, text: str) -> None:
    before = key(root)
    (root / name).write_text(text)
    assert (key(root) == before) is (name == "requirements.txt"), "nothing reads the requirements file"


def key(root: Path, config: Config = Config()) -> bytes:  # noqa: B008  # frozen
    project = project_of(root)
    metadata = engine._metadata(root, config)
    return recall.key_of(project, recall.digests_of(project), metadata, config, ["OPD101"])


def test_settings_in_the_key(root: Path) -> None:
    assert key(root) == key(root)
    assert key(root) == key(root, Config(ignore=("OPD101",), per_file_ignores={"x.py": ("OPD1",)})), "only what is told"
    for config in (
        Config(strict=True),
        Config(target_python=(3, 12)),
        Config(optional=("json",)),
        Config(without=("a",)),
    ):
        assert key(root) != key(root, config)


def test_another_place_is_no_other_project(root: Path, tmp_path: Path) -> None:
    moved = tmp_path / "elsewhere"
    before = key(root)
    root.rename(moved)
    assert key(moved) == before


def test_another_tool_is_a_miss(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = key(root)
    monkeypatch.setattr(recall, "own_code", lambda: b"another version")
    assert key(root) != before


@pytest.mark.parametrize("damage", [b"", b"x", b"[]", b"\xe9\x00\x00\x00\x00"])
def test_what_is_damaged_is_a_miss(
    root: Path, work: Counter[str], monkeypatch: pytest.MonkeyPatch, damage: bytes
) -> None:
    cold = check(root)
    work.clear()
    whole = key_of_report(root)
    get = cache.Cache.get
    monkeypatch.setattr(cache.Cache, "get", lambda self, key: damage if key == whole else get(self, key))
    assert check(root) == cold
    assert work["acme.kernels"] == 2
    assert not work["summarized"]


def key_of_report(root: Path) -> bytes:
    project, config = project_of(root), Config()
    codes = {rule.code for rule in engine.load_registry().enabled(config)} - engine._FROM_ELSEWHERE
    return recall.key_of(project, recall.digests_of(project), engine._metadata(root, config), config, codes)


def test_a_folder_that_cannot_be_written(root: Path, work: Counter[str]) -> None:
    (root / "kept").write_text("a file stands where the cache would lie")
    assert check(root) == check(root)
    assert (work["summarized"], work["parsed"]) == (8, 2)


@pytest.mark.parametrize(
    ("imports", "followed"),
    [
        ("", ()),
        ("from acme.tests import helpers\n", ("acme.tests", "acme.tests.helpers")),
        ("from .tests.helpers import f\n", ("acme.tests", "acme.tests.helpers")),
        ("import importlib\nimportlib.import_module('acme.tests')\n", ("acme.tests",)),
        (
            "import pkgutil\nlist(pkgutil.walk_packages(__path__))\n",
            ("acme.tests", "acme.tests.helpers", "acme.tests.test_it"),
        ),
    ],
)
def test_tests_are_followed_where_something_may_import_them(
    root: Path, imports: str, followed: tuple[str, ...]
) -> None:
    (root / "acme/tests").mkdir()
    for name, text in (("__init__", ""), ("helpers", "def f(): ...\n"), ("test_it", "from .helpers import f\n")):
        (root / f"acme/tests/{name}.py").write_text(text)
    (root / "acme/__init__.py").write_text(imports)
    tree = engine.look(project_of(root), Config()).survey.tree
    assert tuple(sorted(name for name in tree.sources if name.startswith("acme.tests"))) == followed


def test_a_later_look_follows_what_an_earlier_one_did(root: Path) -> None:
    (root / "acme/tests").mkdir()
    for name in ("__init__", "helpers", "test_it"):
        (root / f"acme/tests/{name}.py").touch()
    (root / "acme/other.py").write_text("from acme.tests import helpers\n")
    project = project_of(root)
    first = engine.look(project, Config())
    edited = {"acme/other.py": b"", "acme/tests/helpers.py": b"import os\n"}
    files = tuple(replace(one, content=edited.get(one.relative)) for one in project.files)
    again = engine.look(replace(project, files=files), Config(), before=first)
    assert "acme.tests.helpers" in first.survey.tree.sources
    assert again.survey.tree.sources.keys() == first.survey.tree.sources.keys()


def test_a_test_that_cannot_be_parsed_is_told(root: Path) -> None:
    (root / "tests/test_kernels.py").write_text("def f(:\n")
    for _ in ("cold", "warm"):
        assert ("OPD902", "tests/test_kernels.py") in [(one.code, one.path) for one in check(root)]


def test_a_fix_knows_all_tests(root: Path) -> None:
    (root / "acme/tests").mkdir()
    (root / "acme/tests/__init__.py").touch()
    (root / "acme/tests/test_it.py").write_text("from acme.kernels import f\n")
    looked = engine.look(project_of(root), Config())
    assert "acme.tests.test_it" not in looked.survey.tree.sources
    assert engine.whole_tree(looked, Config(), {}).sources["acme.tests.test_it"].summary.body


def test_comments_are_read_when_findings_are_known(root: Path) -> None:
    with Cache(root / "kept") as kept:
        assert engine.check([project_of(root)], Config(), cache=kept).findings
        assert not engine.check([project_of(root)], Config(per_file_ignores={"*.py": ("ALL",)}), cache=kept).findings


def parts(project: Project, count: int) -> Iterator[Project]:
    for part in range(count):
        files = (replace(file, reported=index % count == part) for index, file in enumerate(project.files))
        yield replace(project, files=tuple(files))


def test_parts_share_what_is_known(root: Path, work: Counter[str]) -> None:
    cold = check(root)
    work.clear()
    with Cache(root / "kept") as kept:
        found = [
            finding
            for part in parts(project_of(root), 3)
            for finding in engine.check([part], Config(), cache=kept).findings
        ]
    assert sorted(found, key=lambda one: one.sort_key) == list(cold)
    assert not work


def test_any_executor(root: Path) -> None:
    cold = check(root)
    with ThreadPoolExecutor(2) as threads:
        assert engine.check([project_of(root)], Config(), executor=threads).findings == cold


def test_a_dask_cluster(root: Path) -> None:
    """Two worker processes of a real cluster."""
    distributed = pytest.importorskip("distributed", reason="dask is not installed")
    with (
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None) as cluster,
        distributed.Client(cluster) as client,
    ):
        found = engine.check([project_of(root)], Config(), executor=client.get_executor()).findings
    assert found == check(root)


def test_a_warm_run_enters_no_world(root: Path) -> None:
    """Neither the rules nor what they look at are imported where everything is known."""
    command = [
        sys.executable,
        "-m",
        "optdep_lint",
        "--cache-dir",
        str(root / "kept"),
        "--output-format",
        "concise",
        str(root),
    ]
    assert subprocess.run(command, check=False).returncode == 1
    code = (
        f"import sys; from optdep_lint.cli import main; status = main({command[3:]!r}); "
        "print(status, [name for name in sys.modules if name.startswith(('optdep_lint.world', 'optdep_lint.rules.', "
        "'optdep_lint.summarize', 'optdep_lint.facts.', 'libcst'))])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "1 []"


def test_copies_of_the_process_find_the_same(root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (root / "acme/other.py").write_text("import cupy\n")
    alone = check(root)
    monkeypatch.setattr(engine, "_MANY", 1)
    monkeypatch.setattr("optdep_lint.world.survey.apart", counting := Counting())
    monkeypatch.setattr(engine, "apart", counting)
    assert engine.check([project_of(root)], Config(), jobs=2).findings == alone
    assert counting.acts == [2, 4], "half of the worlds each, then the rules by what they share"


class Counting:
    """How many acts were done apart."""

    def __init__(self) -> None:
        self.acts: list[int] = []

    def __call__(self, acts: Sequence[Callable[[], object]], jobs: int) -> list[object]:
        self.acts.append(len(acts))
        return pool.apart(acts, jobs)
