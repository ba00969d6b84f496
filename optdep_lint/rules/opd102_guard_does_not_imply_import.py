"""What stands around an import does not tell whether the import can work.

## What it does
Reports an import of an optional dependency under a guard that asks for something else: the platform, another
dependency's flag, a handler that is too narrow, or a handler whose fall-back is optional itself.

## Why is this bad?
The guard looks like protection, so nobody adds one. Where the answer to the other question is yes and the dependency is
absent, the import fails.

## Example
```python
from importlib.util import find_spec

HAS_PANDAS = find_spec("pandas") is not None

if HAS_PANDAS:
    import pyarrow
```

Use instead:
```python
from importlib.util import find_spec

HAS_PYARROW = find_spec("pyarrow") is not None

if HAS_PYARROW:
    import pyarrow
```

## Fix safety
The fix adds the missing test to the guard. It is unsafe, for what the block defines is then missing more often.
A fall-back that is optional itself gets a `try` of its own.

## References
- [importlib.util.find_spec](https://docs.python.org/3/library/importlib.html#importlib.util.find_spec)
"""

from __future__ import annotations

from collections.abc import Iterator

from optdep_lint.facts.position import line_of
from optdep_lint.findings import Finding
from optdep_lint.rules import Rule
from optdep_lint.rules.wording import find, steps_of, without
from optdep_lint.world.blame import blames
from optdep_lint.world.survey import Survey

_REASONS = {
    "other": "the `if` in line {line} asks for something else",
    "narrow": "the `try` in line {line} does not catch this",
    "fallback": "it is the fall-back of the `try` in line {line}, and optional itself",
}


def check(survey: Survey) -> Iterator[Finding]:
    """Imports under a guard that does not imply them."""
    for blame in blames(survey):
        if blame.kind == "guard" and blame.guard is not None:
            reason = _REASONS[blame.reason].format(line=line_of(blame.guard.at))
            verb = "fails" if blame.breakage.certain else "can fail"
            message = f"this import {verb} {without(survey, blame.root)}: {reason}"
            because = steps_of(blame.breakage.failure)
            yield find(RULE, survey, blame.path, blame.at, message, root=blame.root, because=because)


RULE = Rule(code="OPD102", name="guard-does-not-imply-import", check=check, fixable="sometimes")
