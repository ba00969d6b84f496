"""An exception chooses the implementation anew on every step.

## What it does
Reports a `try` (or `with suppress(ImportError)`) on a hot path that imports an optional dependency and, where that
fails, goes on with something else. Which functions are hot is told by OPD501. A handler that only raises does not
choose anything: there OPD501 reports the import.

## Why is this bad?
A failing import is not remembered: Python looks for the module again on every call, raises, and catches, which costs
many times what a kernel's launch may take. And an ImportError from within the dependency is taken for its absence.

## Example
```python
import torch


@torch.library.custom_op("acme::norm", mutates_args=())
def norm(x, w):
    try:
        import aiter

        return aiter.rms_norm(x, w, 1e-6)
    except ImportError:
        return x
```

Use instead:
```python
import torch

try:
    import aiter
except ImportError:
    aiter = None


@torch.library.custom_op("acme::norm", mutates_args=())
def norm(x, w):
    if aiter is None:
        return x
    return aiter.rms_norm(x, w, 1e-6)
```

## Fix safety
The fix is unsafe: a choice that is made once is not made again when something is installed later.

## References
- [What each form costs](https://github.com/optdep-lint/optdep-lint/blob/main/docs/hot-paths.md)
- [The try statement](https://docs.python.org/3/reference/compound_stmts.html#the-try-statement)
"""

from __future__ import annotations

from collections.abc import Iterator

from optdep_lint.findings import Finding
from optdep_lint.rules import Rule
from optdep_lint.rules.wording import find
from optdep_lint.world.hot_paths import hot_paths
from optdep_lint.world.survey import Survey


def check(survey: Survey) -> Iterator[Finding]:
    """Dispatch by exceptions on hot paths."""
    for sink, where, because in hot_paths(survey):
        if sink.kind == "fallback":
            message = f"whether `{sink.subject}` can be imported is found out by an exception {where}"
            yield find(RULE, survey, sink.path, sink.at, message, root=sink.root, because=because)


RULE = Rule(code="OPD502", name="import-fallback-on-hot-path", check=check, fixable="sometimes", severity="warning")
