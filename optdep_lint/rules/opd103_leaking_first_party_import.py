"""A module that does not need an optional dependency imports one of the project's own modules that does.

## What it does
Some modules import an optional dependency by design: its feature area. Reports an unguarded import that brings a module
outside that area into it.

## Why is this bad?
The failure has moved one module further: whoever imports the outer module needs the dependency too.

## Example
```python
# file: acme/integrations/pandas.py
import pandas

# file: acme/report.py
from acme.integrations import pandas as backend
```

Use instead:
```python
# file: acme/integrations/pandas.py
import pandas

# file: acme/report.py
def report():
    from acme.integrations import pandas as backend

    return backend
```

## Fix safety
The fix is unsafe: what uses the names has to expect their absence.

## References
- [Lazy imports](https://docs.python.org/3/faq/programming.html#what-are-the-best-practices-for-using-import-in-a-module)
"""

from __future__ import annotations

from collections.abc import Iterator

from optdep_lint.findings import Finding
from optdep_lint.rules import Rule
from optdep_lint.rules.wording import find, steps_of, without
from optdep_lint.world.blame import blames
from optdep_lint.world.survey import Survey


def check(survey: Survey) -> Iterator[Finding]:
    """Unguarded imports from outside a feature area into it."""
    for blame in blames(survey):
        if blame.kind == "leak":
            failure = blame.breakage.failure
            target = failure.chain[0].message.removeprefix("imports ")
            message = (
                f"`{target}` cannot be imported {without(survey, blame.root)}, and this import of it is not guarded"
            )
            yield find(RULE, survey, blame.path, blame.at, message, root=blame.root, because=steps_of(failure)[1:])


RULE = Rule(code="OPD103", name="leaking-first-party-import", check=check, fixable="sometimes")
