"""A guard notices that a dependency is missing, and goes on to a use that fails.

## What it does
Reports an `if` that is taken where an optional dependency is absent, that warns, logs or does something else, and does
not leave, before a use that fails in that case.

## Why is this bad?
The test was written, but it guards nothing: the warning is followed by a crash.

## Example
```python
import warnings

try:
    import dask
except ImportError:
    dask = None


def compute(graph):
    if dask is None:
        warnings.warn("dask is not installed")
    return dask.compute(graph)
```

Use instead:
```python
try:
    import dask
except ImportError:
    dask = None


def compute(graph):
    if dask is None:
        raise ImportError("compute() needs dask: pip install acme[dask]")
    return dask.compute(graph)
```

## Fix safety
The fix is safe: what failed before fails with a better message.

## References
- [The raise statement](https://docs.python.org/3/reference/simple_stmts.html#raise)
"""

from __future__ import annotations

from collections.abc import Iterator

from optdep_lint.facts.position import line_of
from optdep_lint.findings import Finding, Step
from optdep_lint.rules import Rule
from optdep_lint.rules.wording import find, steps_of, without
from optdep_lint.world.survey import Survey
from optdep_lint.world.unguarded import unguarded_uses


def check(survey: Survey) -> Iterator[Finding]:
    """Guards that do not leave before a use that fails."""
    for found in unguarded_uses(survey):
        if found.kind == "passed" and found.guard is not None:
            failure = found.use.failure
            message = f"this branch is taken {without(survey, found.root)}, but goes on to line {line_of(failure.at)}: {failure.message}"
            because = (*steps_of(failure), Step(failure.path, line_of(found.guard.at), "noticed here"))
            yield find(RULE, survey, failure.path, found.guard.at, message, root=found.root, because=because)


RULE = Rule(code="OPD204", name="guard-without-exit", check=check, fixable="sometimes")
