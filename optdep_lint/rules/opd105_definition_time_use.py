"""A definition uses a name that is not there without an optional dependency.

## What it does
Base classes, decorators, default values, class bodies and (unless postponed) annotations are evaluated when the
definition runs. Reports those that fail while the module is imported.

## Why is this bad?
The import itself is guarded, so the module looks safe, but importing it fails all the same.

## Example
```python
try:
    import numba
except ImportError:
    numba = None


@numba.njit
def roll(values):
    return values
```

Use instead:
```python
try:
    from numba import njit
except ImportError:
    def njit(function):
        return function


@njit
def roll(values):
    return values
```

## Fix safety
There is no fix: what should stand in for the missing thing is the author's decision.

## References
- [Function definitions](https://docs.python.org/3/reference/compound_stmts.html#function-definitions)
"""

from __future__ import annotations

from collections.abc import Iterator

from optdep_lint.findings import Finding
from optdep_lint.rules import Rule
from optdep_lint.rules.wording import find, steps_of, without
from optdep_lint.world.blame import blames
from optdep_lint.world.survey import Survey


def check(survey: Survey) -> Iterator[Finding]:
    """Expressions evaluated at import time that meet a missing name."""
    for blame in blames(survey):
        if blame.kind == "definition":
            failure = blame.breakage.failure
            message = f"importing `{blame.breakage.module}` fails {without(survey, blame.root)}: {failure.message}"
            yield find(RULE, survey, blame.path, blame.at, message, root=blame.root, because=steps_of(failure))


RULE = Rule(code="OPD105", name="definition-time-use", check=check)
