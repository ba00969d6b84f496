"""A test of one location returns before the alternative is asked for.

## What it does
Reports an exit for the case that one location is missing, where the code after it would also be content with another.

## Why is this bad?
Who has only the second location gets the answer of who has neither. That is how a rename upstream, first cured by
asking for the new place as well, stays uncured. A chain of exits for things that are all needed is fine.

## Example
```python
from importlib.util import find_spec


def has_attention():
    if find_spec("flash_attn") is None:
        return False
    if find_spec("aiter") is not None:
        return True
    return find_spec("flash_attn") is not None
```

Use instead:
```python
from importlib.util import find_spec


def has_attention():
    if find_spec("flash_attn") is not None:
        return True
    return find_spec("aiter") is not None
```

## Fix safety
The fix is unsafe: the answer changes, to yes, where only the second location is there.

## References
- [A serving engine's wrong first cure](https://github.com/vllm-project/vllm/pull/40289)
"""

from __future__ import annotations

from collections.abc import Iterator

from optdep_lint.findings import Finding
from optdep_lint.rules import Rule
from optdep_lint.rules.wording import find, without
from optdep_lint.world.probes_early import early_exits
from optdep_lint.world.survey import Survey


def check(survey: Survey) -> Iterator[Finding]:
    """Exits that hide an alternative."""
    for early in early_exits(survey):
        message = f"this decides {without(survey, early.root)} before `{early.alternative}`, which would do as well, is asked for"
        yield find(RULE, survey, early.path, early.at, message, root=early.root)


RULE = Rule(code="OPD403", name="early-return-hides-alternative", check=check, fixable="sometimes")
