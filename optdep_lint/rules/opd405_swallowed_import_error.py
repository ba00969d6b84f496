"""A handler for a missing dependency swallows failures that have nothing to do with it.

## What it does
Reports a handler for `ImportError` whose `try` also imports or calls something of the project's own that needs no
optional dependency, and a silent `except Exception` around an optional import.

## Why is this bad?
A mistake in the project's own module, or a dependency that is installed but broken, looks exactly like a dependency that
is not installed: the feature is switched off, and nobody is told why.

## Example
```python
try:
    from flash_attn import flash_attn_func
except Exception:
    flash_attn_func = None
```

Use instead:
```python
try:
    from flash_attn import flash_attn_func
except ImportError:
    flash_attn_func = None
```

## Fix safety
The fix is unsafe: failures that were hidden come to light. A handler that also names `OSError` or `RuntimeError`, for
native code that does not load, is never narrowed.

## References
- [ImportError](https://docs.python.org/3/library/exceptions.html#ImportError)
"""

from __future__ import annotations

from collections.abc import Iterator

from optdep_lint.findings import Finding, Step
from optdep_lint.rules import Rule
from optdep_lint.rules.wording import find
from optdep_lint.world.probes_swallowed import swallowing_handlers
from optdep_lint.world.survey import Survey


def check(survey: Survey) -> Iterator[Finding]:
    """Handlers that catch more than an absence."""
    for handler in swallowing_handlers(survey):
        because: tuple[Step, ...] = ()
        if handler.unrelated:
            message = f"this is for a missing `{handler.root}`, but also hides failures of {handler.unrelated}, which does not need it"
            because = (Step(handler.path, handler.line_of_it, handler.unrelated),)
        else:
            message = f"this hides every failure of `{handler.root}`, not only that it is missing, and says nothing"
        yield find(RULE, survey, handler.path, handler.at, message, root=handler.root, because=because)


RULE = Rule(code="OPD405", name="swallowed-import-error", check=check, fixable="sometimes", severity="warning")
