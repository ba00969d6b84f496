"""OPD301 finds who else in the project needs what moves under the guard: all are listed, whether that can be repaired or not."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FAMILY = Path(__file__).parents[2] / "fixtures" / "fixes" / "opd301" / "family" / "before"
IN_FUNCTION = "from acme import layers\n\n\ndef build():\n    return layers.Norm()\n"
BASE = "class Mine({}):\n    pass\n"


@pytest.fixture
def family(tmp_path: Path) -> Path:
    """Return a copy of a project with an operation that two modules need."""
    return Path(shutil.copytree(FAMILY, tmp_path / "project"))


def test_all_importers_are_listed(family: Path, repair: Callable[..., Any]) -> None:
    (family / "acme" / "early.py").write_text(f"from acme.layers import Norm\n\n\n{BASE.format('Norm')}")
    (family / "acme" / "late.py").write_text(IN_FUNCTION)
    (reason,) = repair(family).refused.values()
    assert reason.startswith("`Norm` is needed while acme/early.py is imported, in line 4; imported in ")
    for place in ("acme/early.py:1", "acme/model.py:1", "acme/extra.py:2 (in a function)"):
        assert place in reason
    assert "acme/late.py:5 (in a function)" in reason


def test_so_many_are_not_all_named(family: Path, repair: Callable[..., Any]) -> None:
    for number in range(12):
        (family / "acme" / f"user{number}.py").write_text("from acme.layers import Norm\n\nNAMES = (Norm,)\n")
    (reason,) = repair(family).refused.values()
    assert reason.startswith("13 files import it; imported in ")
    assert reason.endswith(" and 4 more")
    assert reason.count(".py:") == 10


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (f"from . import layers\n\n\n{BASE.format('layers.Norm')}", "`layers.Norm` is needed while acme/other.py"),
        (f"import acme.layers as L\n\n\n{BASE.format('L.Norm')}", "`L.Norm` is needed while acme/other.py"),
        (
            "from .layers import *\n\n\ndef build():\n    return Norm()\n",
            "`Norm` comes to acme/other.py by a star import, and is used there in line 5",
        ),
    ],
)
def test_what_cannot_be_repaired_is_refused(family: Path, repair: Callable[..., Any], text: str, reason: str) -> None:
    (family / "acme" / "other.py").write_text(text)
    (found,) = repair(family).refused.values()
    assert found.startswith(reason)


def test_who_imports_what_a_star_passes_on_is_repaired(family: Path, repair: Callable[..., Any]) -> None:
    (family / "acme" / "all.py").write_text("from .layers import *\n")
    (family / "acme" / "user.py").write_text("from .all import Norm\n\n\ndef build():\n    return Norm()\n")
    assert not repair(family).refused
    assert (
        (family / "acme" / "user.py").read_text().startswith("try:\n    from .all import Norm\nexcept ImportError:\n")
    )


def test_an_attribute_in_a_function_is_left_to_the_proof(family: Path, repair: Callable[..., Any]) -> None:
    (family / "acme" / "late.py").write_text(IN_FUNCTION)
    (reason,) = repair(family).refused.values()
    assert reason.startswith("the edit would bring OPD202 in acme/late.py:5")
