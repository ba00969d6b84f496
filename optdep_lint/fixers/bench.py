"""One file on which a fix is being made: what most steps of a repair need."""

from __future__ import annotations

from typing import NamedTuple

from optdep_lint.fixers.draft import Draft
from optdep_lint.fixers.source import Source
from optdep_lint.fixers.workshop import Workshop


class Bench(NamedTuple):
    """A fix in the making, the project and a file."""

    draft: Draft
    workshop: Workshop
    source: Source
