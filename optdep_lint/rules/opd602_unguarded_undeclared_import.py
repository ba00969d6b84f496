"""Import time reaches an import root that nothing declares.

## What it does
Reports an unguarded import, at import time, of a third-party root that no requirement, extra or dependency group
provides and that no lock file shows to come with a declared one.

## Why is this bad?
A plain installation does not bring it. It works where something else happens to have installed it.

## Example
```python
# file: pyproject.toml
[project]
name = "acme"
version = "1"
# file: acme/__init__.py
import orjson
```

Use instead:
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

## Fix safety
The usual cure is to declare the requirement, which is the author's decision. Where the package is meant to live without it,
the fix guards the import, and lets the functions that use it say what to install; it is unsafe, for nobody says so.

## References
- [Declaring dependencies](https://packaging.python.org/en/latest/specifications/pyproject-toml/#dependencies-optional-dependencies)
"""

from __future__ import annotations

from collections.abc import Iterator

from optdep_lint.findings import Finding
from optdep_lint.metadata.import_names import lost_since
from optdep_lint.rules import Rule
from optdep_lint.rules.wording import find, steps_of
from optdep_lint.world.blame import blames
from optdep_lint.world.survey import Survey


def check(survey: Survey) -> Iterator[Finding]:
    """Unguarded imports of roots that nothing declares."""
    for blame in blames(survey):
        if blame.kind == "undeclared":
            failure = blame.breakage.failure
            message = f"importing `{blame.breakage.module}` needs `{blame.root}`, which {_missing(survey, blame.root)}"
            yield find(RULE, survey, blame.path, blame.at, message, root=blame.root, because=steps_of(failure))


def _missing(survey: Survey, root: str) -> str:
    """Why nothing brings a root: nobody asks for it, or what is asked for has lost it."""
    for one in survey.declared.metadata.required:
        since = lost_since(one.distribution, root)
        if since is not None:
            return f"`{one.distribution}` does not bring since its version {since}"
    return "no requirement or extra declares"


RULE = Rule(code="OPD602", name="unguarded-undeclared-import", check=check, fixable="sometimes")
