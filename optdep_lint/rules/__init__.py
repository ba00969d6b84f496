"""One file for each rule, found by looking at this folder; the file's docstring is the rule's page."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal

from optdep_lint.findings import Finding

Fixable = Literal["no", "sometimes", "always"]
Severity = Literal["info", "warning", "error"]

FAMILIES = {
    "1": "import time",
    "2": "call time",
    "3": "operations",
    "4": "guards and probes",
    "5": "hot paths",
    "6": "declarations",
    "9": "the tool itself",
}


@dataclass(frozen=True, slots=True)
class Rule:
    """What a rule is called, how sure it is, and the pure function that finds its faults in a world."""

    code: str
    """Such as `OPD101`; the first digit is the family."""
    name: str
    """Such as `unguarded-optional-import`."""
    check: Callable[[Any], Iterator[Finding]]
    """From the view of the worlds to findings."""
    default: bool = True
    """Whether a plain run reports it."""
    fixable: Fixable = "no"
    severity: Severity = "error"
    page: str = ""
    """The docstring of the rule's file; the registry fills it in."""

    @property
    def family(self) -> str:
        """What the rules with the same first digit are about."""
        return FAMILIES[self.code[3]]

    @property
    def summary(self) -> str:
        """The first line of the page, without its closing stop."""
        return self.page.partition("\n")[0].rstrip(".")


def check_nothing(_view: object) -> Iterator[Finding]:
    """The check of a rule whose findings come from another room (suppressions, discovery)."""
    yield from ()
