"""What repairs a finding: edits of the original bytes, proved in every world before anything is written.

A *repair* (one file for each family, in `repairs/`, found by looking at that folder) turns a finding into a Fix, or
refuses with the reason. `passes` applies the fixes that do not overlap, `prove` evaluates the edited project again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from optdep_lint.findings import Finding, Fix

if TYPE_CHECKING:
    from optdep_lint.fixers.workshop import Workshop


class Refusal(Exception):  # no error: an answer
    """Why a finding is not repaired; the text is told to the user."""


@dataclass(frozen=True, slots=True)
class Repair:
    """How the findings of some rules are repaired."""

    codes: tuple[str, ...]
    build: Callable[[Finding, Workshop], Fix]
    """From a finding to its fix; raises Refusal."""


def load_repairs() -> Mapping[str, Repair]:
    """The repairs by the code of the rule, found by importing every file of `repairs/`."""
    import pkgutil
    from importlib import import_module

    from optdep_lint.fixers import repairs

    found: dict[str, Repair] = {}
    for info in pkgutil.iter_modules(repairs.__path__):
        repair = getattr(import_module(f"{repairs.__name__}.{info.name}"), "REPAIR", None)
        if isinstance(repair, Repair):
            found.update(dict.fromkeys(repair.codes, repair))
    return found
