"""Alternatives are probed under one handler, so that one missing parent hides the others.

## What it does
Reports a probe that raises where its parent is absent, in a `try` that also holds the probe of an alternative: the
handler answers for both.

## Why is this bad?
`find_spec("a.b")` imports `a`, and raises `ModuleNotFoundError` where `a` is absent. The shared handler then says no,
although the other location was never asked. Only alternatives hide each other: probes that are all needed may share a
handler.

## Example
```python
from importlib.util import find_spec


def has_kernels():
    try:
        return find_spec("flash_attn.kernels") is not None or find_spec("aiter.kernels") is not None
    except ImportError:
        return False
```

Use instead:
```python
from importlib.util import find_spec


def _has(name):
    try:
        return find_spec(name) is not None
    except ImportError:
        return False


def has_kernels():
    return _has("flash_attn.kernels") or _has("aiter.kernels")
```

## Fix safety
The fix is unsafe: the answer changes, to yes, where only the second location is there.

## References
- [importlib.util.find_spec](https://docs.python.org/3/library/importlib.html#importlib.util.find_spec)
- [A serving engine's wrong first cure](https://github.com/vllm-project/vllm/pull/40289)
"""

from __future__ import annotations

from collections.abc import Iterator

from optdep_lint.findings import Finding
from optdep_lint.rules import Rule
from optdep_lint.rules.wording import find
from optdep_lint.world.probes_hidden import hidden_siblings
from optdep_lint.world.probes_imported import hidden_imports
from optdep_lint.world.survey import Survey


def check(survey: Survey) -> Iterator[Finding]:
    """Probes that raise into a handler that they share with an alternative."""
    for hidden in hidden_siblings(survey):
        message = f"without `{hidden.missing}` this raises into the handler for both, and `{hidden.alternative}` is never asked for"
        yield find(RULE, survey, hidden.path, hidden.at, message, root=hidden.missing)
    for one in hidden_imports(survey):
        message = f"without `{one.root}` this raises into the handler for both, and `{one.alternative}` is never tried"
        yield find(RULE, survey, one.path, one.at, message, root=one.root)


RULE = Rule(code="OPD401", name="hidden-sibling-probe", check=check, fixable="sometimes")
