"""A dependency is guarded, but nothing declares it.

## What it does
Reports the first guarded import or probe of a root that no requirement, extra or dependency group brings.

## Why is this bad?
The code can do without it, so nothing breaks. But no user can find out what to install for the feature, and nobody
tests it. The rule is off by default: many projects support what they do not want to name.

## Example
```python
# file: pyproject.toml
[project]
name = "acme"
version = "1"
# file: acme/__init__.py
try:
    import orjson
except ImportError:
    orjson = None
```

Use instead:
```python
# file: pyproject.toml
[project]
name = "acme"
version = "1"
optional-dependencies = { fast = ["orjson"] }
# file: acme/__init__.py
try:
    import orjson
except ImportError:
    orjson = None
```

## Fix safety
There is no fix: the extra's name and the versions that work are for the project to say.

## References
- [Optional dependencies](https://packaging.python.org/en/latest/specifications/pyproject-toml/#dependencies-optional-dependencies)
"""

from __future__ import annotations

from collections.abc import Iterator

from optdep_lint.findings import Finding
from optdep_lint.rules import Rule
from optdep_lint.rules.wording import find
from optdep_lint.world.blame import blames
from optdep_lint.world.probes_asked import first_askings
from optdep_lint.world.survey import Survey


def check(survey: Survey) -> Iterator[Finding]:
    """Roots that are guarded and undeclared."""
    blamed = {blame.root for blame in blames(survey) if blame.kind == "undeclared"}
    for root, path, at in first_askings(survey):
        if survey.declared.optional[root].source == "undeclared" and root not in blamed:
            message = f"`{root}` is asked for here, and no requirement or extra brings it"
            yield find(RULE, survey, path, at, message, root=root)


RULE = Rule(code="OPD601", name="undeclared-optional", check=check, default=False, severity="info")
