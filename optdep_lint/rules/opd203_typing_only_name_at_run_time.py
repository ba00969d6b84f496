"""A name that is imported for type checkers only is used when the code runs.

## What it does
Reports a use, in code that runs, of a name that is bound only under `if TYPE_CHECKING:`.

## Why is this bad?
`TYPE_CHECKING` is false whenever the code runs: the use fails whatever is installed.

## Example
```python
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pandas as pd


def as_array(values):
    return values.to_numpy() if isinstance(values, pd.DataFrame) else values
```

Use instead:
```python
import sys


def as_array(values):
    pd = sys.modules.get("pandas")
    return values.to_numpy() if pd is not None and isinstance(values, pd.DataFrame) else values
```

## Fix safety
There is no fix: whether to import at run time is the author's decision.

## References
- [typing.TYPE_CHECKING](https://docs.python.org/3/library/typing.html#typing.TYPE_CHECKING)
"""

from __future__ import annotations

from collections.abc import Iterator

from optdep_lint.findings import Finding
from optdep_lint.rules import Rule
from optdep_lint.rules.wording import find, steps_of
from optdep_lint.world.survey import Survey
from optdep_lint.world.unguarded import unguarded_uses


def check(survey: Survey) -> Iterator[Finding]:
    """Uses of names bound under TYPE_CHECKING only."""
    for found in unguarded_uses(survey):
        if found.kind == "typing":
            failure = found.use.failure
            when = (
                f"`{found.use.function}` uses it when it runs"
                if found.use.function
                else f"importing `{found.use.module}` uses it"
            )
            message = f"`{failure.subject}` is imported under TYPE_CHECKING only, but {when}"
            yield find(RULE, survey, failure.path, failure.at, message, because=steps_of(failure))


RULE = Rule(code="OPD203", name="typing-only-name-at-run-time", check=check)
