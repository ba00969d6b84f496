"""Independent optional imports share one `try`.

## What it does
Reports the second of two imports of optional dependencies in one `try`, where they have separate flags, or where code
uses the one without the other.

## Why is this bad?
Where one of the two is missing, both count as missing: who installed pandas is told that there is no pandas, because
pyarrow is not there. Imports that are only used together may share a `try`.

## Example
```python
try:
    import pandas
    import pyarrow

    HAS_PANDAS = True
    HAS_PYARROW = True
except ImportError:
    HAS_PANDAS = False
    HAS_PYARROW = False
```

Use instead:
```python
try:
    import pandas

    HAS_PANDAS = True
except ImportError:
    HAS_PANDAS = False
try:
    import pyarrow

    HAS_PYARROW = True
except ImportError:
    HAS_PYARROW = False
```

## Fix safety
The fix is unsafe: what was switched off together is now switched off apart.

## References
- [The try statement](https://docs.python.org/3/reference/compound_stmts.html#the-try-statement)
"""

from __future__ import annotations

from collections.abc import Iterator

from optdep_lint.findings import Finding
from optdep_lint.rules import Rule
from optdep_lint.rules.wording import find
from optdep_lint.world.probes_shared import shared_tries
from optdep_lint.world.survey import Survey


def check(survey: Survey) -> Iterator[Finding]:
    """Second imports in a `try` that stand for themselves."""
    for shared in shared_tries(survey):
        message = f"this import shares its `try` with that of `{shared.first}`, but is used without it: where one is missing, both count as missing"
        yield find(RULE, survey, shared.path, shared.at, message, root=shared.second)


RULE = Rule(code="OPD404", name="shared-try", check=check, fixable="sometimes")
