"""Rules are questions: asking once, or in another order, changes no answer."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from optdep_lint.config import Config
from optdep_lint.discovery import discover
from optdep_lint.engine import judge, look
from optdep_lint.registry import load_registry

INCIDENTS = Path(__file__).parents[2] / "fixtures" / "incidents"
VARIANTS = sorted(path.parent.relative_to(INCIDENTS).as_posix() for path in INCIDENTS.glob("*/*/pyproject.toml"))


@pytest.mark.parametrize("variant", VARIANTS)
def test_judged_twice(variant: str) -> None:
    (project,) = discover([INCIDENTS / variant], Config())
    project = replace(project, files=tuple(replace(file, reported=True) for file in project.files))
    looked = look(project, Config())
    first = judge(looked, Config())
    assert judge(looked, Config()).findings == first.findings
    backwards = look(project, Config())
    for rule in reversed(load_registry().enabled(Config())):
        list(rule.check(backwards.survey))
    assert judge(backwards, Config()).findings == first.findings
