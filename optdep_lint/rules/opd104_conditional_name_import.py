"""A name is imported from one of the project's own modules that binds it only sometimes.

## What it does
Reports `from module import name` where the module can be imported without an optional dependency, but then does not
have the name.

## Why is this bad?
The guard in the other module protects that module only. The import fails with "cannot import name", which says nothing
about what is missing.

## Example
```python
# file: acme/_fast.py
try:
    import numba

    def fast_sum(values):
        return numba.njit(sum)(values)
except ImportError:
    pass

# file: acme/core.py
from acme._fast import fast_sum
```

Use instead:
```python
# file: acme/_fast.py
try:
    import numba

    def fast_sum(values):
        return numba.njit(sum)(values)
except ImportError:
    def fast_sum(values):
        return sum(values)

# file: acme/core.py
from acme._fast import fast_sum
```

## Fix safety
The fix is unsafe: what uses the name has to expect its absence.

## References
- [The import statement](https://docs.python.org/3/reference/simple_stmts.html#import)
"""

from __future__ import annotations

from collections.abc import Iterator

from optdep_lint.findings import Finding
from optdep_lint.rules import Rule
from optdep_lint.rules.wording import find, steps_of, without
from optdep_lint.world.blame import blames
from optdep_lint.world.survey import Survey


def check(survey: Survey) -> Iterator[Finding]:
    """From-imports of names that a module does not bind in some world."""
    for blame in blames(survey):
        if blame.kind == "name":
            failure = blame.breakage.failure
            message = f"{failure.message} {without(survey, blame.root)}"
            yield find(RULE, survey, blame.path, blame.at, message, root=blame.root, because=steps_of(failure))


RULE = Rule(code="OPD104", name="conditional-name-import", check=check, fixable="sometimes")
