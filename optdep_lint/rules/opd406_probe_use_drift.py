"""The guard asks for one thing, and the guarded code uses another.

## What it does
Reports an import in a function whose guard asks for another root, or for another submodule of the same root, so that
the guard says yes where the import fails.

## Why is this bad?
A probe and what it protects drift apart when names move: the probe learns of the new place, the import keeps the old
one. Where only the new place is there, the guard lets the code through to an `ImportError`.

## Example
```python
from importlib.util import find_spec


def has_deep_gemm():
    return find_spec("deep_gemm") is not None


def buffer():
    if has_deep_gemm():
        from deep_ep import Buffer

        return Buffer()
    return None
```

Use instead:
```python
from importlib.util import find_spec


def has_deep_ep():
    return find_spec("deep_ep") is not None


def buffer():
    if has_deep_ep():
        from deep_ep import Buffer

        return Buffer()
    return None
```

## Fix safety
There is no fix: which of the two is meant, the code does not say.

## References
- [A cure that left the caller behind](https://github.com/vllm-project/vllm/pull/40289)
"""

from __future__ import annotations

from collections.abc import Iterator

from optdep_lint.findings import Finding
from optdep_lint.rules import Rule
from optdep_lint.rules.wording import find, without
from optdep_lint.world.probes_drift import drifts
from optdep_lint.world.survey import Survey


def check(survey: Survey) -> Iterator[Finding]:
    """Imports in functions under guards for something else."""
    for drift in drifts(survey):
        what = (
            without(survey, drift.root)
            if drift.root != survey.declared.root_of(drift.probed)
            else f"without `{drift.used}`"
        )
        message = f"this import fails {what}, but its guard asks for `{drift.probed}`"
        yield find(RULE, survey, drift.path, drift.at, message, root=drift.root)


RULE = Rule(code="OPD406", name="probe-use-drift", check=check)
