"""A suppression that hides nothing.

## What it does
Reports `# optdep: ignore[...]` comments, and OPD codes in `# noqa: ...` comments, on statements where the rule finds
nothing (any more). Only codes of enabled rules are judged; a `# noqa` without codes, and codes of other linters, never are.

## Why is this bad?
A comment that hides nothing misleads its reader, and hides the next fault that appears on that line.

## Example
```python
import json  # optdep: ignore[OPD101] json is always there
```

Use instead:
```python
import json
```

## Fix safety
The fix is safe: it takes the code out of the comment, or the comment out of the file, and leaves what others wrote in it.

## References
- [Suppressing findings](https://github.com/optdep-lint/optdep-lint/blob/main/docs/suppressing.md)
"""

from __future__ import annotations

from optdep_lint.rules import Rule, check_nothing

RULE = Rule(code="OPD901", name="unused-suppression", severity="warning", check=check_nothing, fixable="sometimes")
