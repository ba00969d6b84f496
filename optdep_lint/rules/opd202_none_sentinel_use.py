"""A function uses what stands in for a missing dependency as if it were the dependency.

## What it does
Reports a use, in code that runs when something is called, of a `None` (or another constant) that the handler of a
guarded import has left in the dependency's place.

## Why is this bad?
The caller gets `'NoneType' object has no attribute 'nanmean'` instead of a word about what to install.

## Example
```python
try:
    import bottleneck as bn
except ImportError:
    bn = None


def nanmean(values):
    return bn.nanmean(values)
```

Use instead:
```python
try:
    import bottleneck as bn
except ImportError:
    bn = None


def nanmean(values):
    if bn is None:
        raise ImportError("nanmean() needs bottleneck: pip install acme[bottleneck]")
    return bn.nanmean(values)
```

## Fix safety
The fix is safe: what failed before fails with a better message.

## References
- [AttributeError](https://docs.python.org/3/library/exceptions.html#AttributeError)
"""

from __future__ import annotations

from collections.abc import Iterator

from optdep_lint.findings import Finding
from optdep_lint.rules import Rule
from optdep_lint.rules.wording import find, steps_of, without
from optdep_lint.world.survey import Survey
from optdep_lint.world.unguarded import unguarded_uses


def check(survey: Survey) -> Iterator[Finding]:
    """Uses of sentinels at call time."""
    for found in unguarded_uses(survey):
        if found.kind == "sentinel":
            failure = found.use.failure
            message = f"{failure.message} {without(survey, found.root)}, and `{found.use.function}` does not ask"
            yield find(RULE, survey, failure.path, failure.at, message, root=found.root, because=steps_of(failure))


RULE = Rule(code="OPD202", name="none-sentinel-use", check=check, fixable="sometimes")
