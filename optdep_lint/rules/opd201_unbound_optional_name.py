"""A function uses a name that is bound only where an optional dependency is there.

## What it does
Reports a use, in code that runs when something is called, of a name that the guarded import leaves unbound.

## Why is this bad?
The caller gets `NameError: name 'ne' is not defined` instead of a word about what to install.

## Example
```python
try:
    import numexpr as ne
except ImportError:
    pass


def evaluate(text):
    return ne.evaluate(text)
```

Use instead:
```python
try:
    import numexpr as ne
except ImportError:
    ne = None


def evaluate(text):
    if ne is None:
        raise ImportError("evaluate() needs numexpr: pip install acme[numexpr]")
    return ne.evaluate(text)
```

## Fix safety
The fix is safe: what failed before fails with a better message.

## References
- [NameError](https://docs.python.org/3/library/exceptions.html#NameError)
"""

from __future__ import annotations

from collections.abc import Iterator

from optdep_lint.findings import Finding
from optdep_lint.rules import Rule
from optdep_lint.rules.wording import find, steps_of, without
from optdep_lint.world.survey import Survey
from optdep_lint.world.unguarded import unguarded_uses


def check(survey: Survey) -> Iterator[Finding]:
    """Uses of unbound names at call time."""
    for found in unguarded_uses(survey):
        if found.kind == "unbound":
            failure = found.use.failure
            message = f"{failure.message} {without(survey, found.root)}, and `{found.use.function}` does not ask"
            yield find(RULE, survey, failure.path, failure.at, message, root=found.root, because=steps_of(failure))


RULE = Rule(code="OPD201", name="unbound-optional-name", check=check, fixable="sometimes")
