"""The papers say what is true today."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
PAPERS = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_pages", DOCS / "make_pages.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_generated_pages_are_fresh(maker: ModuleType) -> None:
    made = dict(maker.pages())
    stale = [
        name for name, text in made.items() if not (DOCS / name).is_file() or (DOCS / name).read_text("utf-8") != text
    ]
    assert not stale, "run `python docs/make_pages.py`"
    gone = [path.name for path in (DOCS / "rules").glob("*.md") if f"rules/{path.name}" not in made]
    assert not gone, "run `python docs/make_pages.py`"


@pytest.mark.parametrize("paper", PAPERS, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(paper: Path) -> None:
    text = re.sub(r"```.*?```", "", paper.read_text(encoding="utf-8"), flags=re.DOTALL)
    targets = [target.partition("#")[0] for target in re.findall(r"\]\(([^)\s]+)\)", text)]
    local = [target for target in targets if target and "://" not in target]
    assert [target for target in local if not (paper.parent / target).exists()] == []


def test_every_page_has_a_place() -> None:
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")
    placed = set(re.findall(r"^\s+/?(?:- (?:[\w ]+: )?)?([\w/-]+\.md)$", text, flags=re.MULTILINE))
    pages = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md") if not path.name.startswith("opd")}
    assert pages <= placed | {line.strip().lstrip("/") for line in text.splitlines()}


def test_the_session_in_the_readme() -> None:
    """Runs it again: what it shows is what a reader will see."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    session = re.search(r"```console\n\$ optdep-lint (.*)\n((?:.*\n)+?)```", text)
    assert session is not None
    done = subprocess.run(
        [sys.executable, "-m", "optdep_lint", *session[1].split()],
        cwd=ROOT, capture_output=True, text=True, check=False, env={**os.environ, "OPTDEP_LINT_NO_CACHE": "1", "COLUMNS": "200"},
    )  # fmt: skip
    assert done.stdout.rstrip() == session[2].rstrip()


def test_continuous_integration_runs_the_command_of_the_readme() -> None:
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    (command,) = {line for line in readme.splitlines() if line.endswith("pytest -q")}
    assert command in (ROOT / ".ci" / "run").read_text(encoding="utf-8").splitlines()
    assert command in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8").splitlines()


def test_commands_in_the_papers_exist() -> None:
    """Every `optdep-lint VERB` and every flag of it that a code block shows is one that the parsers know."""
    from optdep_lint.cli import arguments

    parsers = {
        "check": arguments.check_parser(), "matrix": arguments.matrix_parser(), "verify": arguments.verify_parser(),
        "rule": arguments.rule_parser(), "config": arguments.config_parser(), "server": arguments.server_parser(),
    }  # fmt: skip
    for paper in PAPERS:
        for block in re.findall(r"```console\n(.*?)```", paper.read_text(encoding="utf-8"), flags=re.DOTALL):
            for words in re.findall(r"^(?:\$ )?(?:\S+/)?optdep-lint\b(.*)$", block, flags=re.MULTILINE):
                first, *rest = words.partition(" #")[0].split() or [""]
                verb, given = (first, rest) if first in arguments.VERBS else ("check", [first, *rest])
                known = {option for action in parsers[verb]._actions for option in action.option_strings}
                assert [word for word in given if word.startswith("-") and word.partition("=")[0] not in known] == [], (
                    paper
                )
