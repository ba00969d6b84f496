"""An optional dependency is imported, unguarded, where an entry of the project reaches it.

## What it does
Works out what importing the project's entries (package roots, `__main__`, console scripts, `must-import`) does in a
world where an optional import root is absent, and reports the import that ends it. Modules that import the root by
design, and that no entry reaches, are left alone.

## Why is this bad?
`import pkg` fails for everybody who did not install the extra, and nobody who develops the project notices: there
everything is installed.

## Example
```python
import numba


def total(values):
    return numba.njit(sum)(values)
```

Use instead:
```python
try:
    import numba
except ImportError:
    numba = None


def total(values):
    return sum(values) if numba is None else numba.njit(sum)(values)
```

## Fix safety
The fix is safe, unless annotations name what is imported: they become text. Where the module needs the name while it is
imported itself, or already refuses on purpose, there is none.

## References
- [Optional dependencies](https://packaging.python.org/en/latest/guides/writing-pyproject-toml/#dependencies-and-requirements)
"""

from __future__ import annotations

from collections.abc import Iterator

from optdep_lint.facts.position import line_of
from optdep_lint.findings import Finding, Step
from optdep_lint.rules import Rule
from optdep_lint.rules.wording import find, steps_of, without
from optdep_lint.world.blame import Blame, blames
from optdep_lint.world.survey import Survey


def check(survey: Survey) -> Iterator[Finding]:
    """Imports that an entry reaches, or that the module itself means to live without."""
    for blame in blames(survey):
        if blame.kind == "import":
            failure = blame.breakage.failure
            message = f"importing `{blame.breakage.module}` fails {without(survey, blame.root)}: nothing guards this"
            because = (*_callers(survey, blame), *steps_of(failure))
            yield find(RULE, survey, blame.path, blame.at, message, root=blame.root, because=because)


def _callers(survey: Survey, blame: Blame) -> Iterator[Step]:
    """The functions that come to it when they are called, and use nothing that needs the root."""
    for root, one in survey.deferred:
        if root == blame.root and (one.failure.path, one.failure.at) == (blame.path, blame.at):
            message = f"`{one.function}` imports it when it is called, and uses nothing of it that needs `{root}`"
            yield Step(one.path, line_of(one.at), message)


RULE = Rule(code="OPD101", name="unguarded-optional-import", check=check, fixable="sometimes")
