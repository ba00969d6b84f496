"""Findings as text for people and machines: one file for each output format, named after it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module

from optdep_lint.findings import Finding

URL = "https://github.com/optdep-lint/optdep-lint/blob/main/docs/rules"


@dataclass(frozen=True, slots=True)
class Sheet:
    """What a reporter gets: findings whose paths are relative to where the run was started, and how to look things up."""

    findings: Sequence[Finding]
    read: Callable[[str], str | None]
    """The text of a file by such a path, or None."""
    severity: Callable[[str], str]
    """`error`, `warning` or `info`, by code."""
    fixable: frozenset[str] = frozenset()
    """Codes that the configuration lets fixes touch."""
    unsafe_fixes: bool = False
    fixed: int = 0
    """How many findings this run has repaired already."""
    footer: bool = True
    colour: bool = False


def format_names() -> tuple[str, ...]:
    """The output formats, found by looking at this folder."""
    import pkgutil

    return tuple(sorted(info.name.replace("_", "-") for info in pkgutil.iter_modules(__path__)))


def render(output_format: str, sheet: Sheet) -> str:
    """The whole report in one of `format_names()`, closed by a newline unless empty."""
    module = import_module(f"{__name__}.{output_format.replace('-', '_')}")
    text: str = module.render(sheet)
    return text


def applicable(finding: Finding, sheet: Sheet) -> bool:
    """Whether `--fix`, with the flags of this run, would repair it."""
    if finding.fix is None or finding.code not in sheet.fixable:
        return False
    return sheet.unsafe_fixes or finding.fix.applicability == "safe"


def url(finding: Finding) -> str:
    """The page of the finding's rule."""
    return f"{URL}/{finding.code}.md"
