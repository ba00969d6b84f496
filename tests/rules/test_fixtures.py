"""Every fixture of a rule: what is marked in `before` is found and nothing else, and `after` is quiet."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from optdep_lint import engine
from optdep_lint.config import Config
from optdep_lint.discovery import discover

RULES = Path(__file__).resolve().parents[2] / "fixtures" / "rules"
CASES = sorted(path.relative_to(RULES).as_posix() for path in RULES.glob("*/*") if path.is_dir())
EXPECTED = re.compile(r"# expect: (OPD\d{3}(?:, OPD\d{3})*)\s*$")


def findings(project: Path, code: str) -> set[tuple[str, int, str]]:
    """Path, line and code of what a plain run finds, the rule itself selected also where it is off by default."""
    config = Config(extend_select=(code,), include_tests=False)
    report = engine.check(discover([project], config), config)
    return {(one.path, one.span.line, one.code) for one in report.findings}


def expectations(project: Path) -> set[tuple[str, int, str]]:
    return {
        (path.relative_to(project).as_posix(), number, code)
        for pattern in ("*.py", "*.toml")
        for path in project.rglob(pattern)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if (found := EXPECTED.search(line))
        for code in found.group(1).split(", ")
    }


@pytest.mark.parametrize("case", CASES)
def test_before_is_found(case: str) -> None:
    project = RULES / case / "before"
    marked = expectations(project)
    assert findings(project, case[:6].upper()) == marked
    assert case[:6].upper() in {code for _, _, code in marked}


@pytest.mark.parametrize("case", CASES)
def test_after_is_quiet(case: str) -> None:
    assert findings(RULES / case / "after", case[:6].upper()) == set()


def test_every_rule_has_a_fixture() -> None:
    from optdep_lint.registry import load_registry

    assert {rule.code.lower() for rule in load_registry().rules} == {case[:6] for case in CASES}
