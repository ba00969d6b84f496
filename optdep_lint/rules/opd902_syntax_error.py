"""A file that cannot be read or parsed.

## What it does
Reports files that no supported Python can parse, whose encoding is wrong, or that cannot be read. The other files are
still checked. Newer syntax than the Python that runs optdep-lint is no error; `lazy import` inside `try`, a function or a class is.

## Why is this bad?
The file fails in every world, and nothing can be said about what it imports.

## Example
```python
import
```

Use instead:
```python
import json
```

## Fix safety
There is no automatic fix.

## References
- [The Python language reference](https://docs.python.org/3/reference/simple_stmts.html#the-import-statement)
- [PEP 810](https://peps.python.org/pep-0810/)
"""

from __future__ import annotations

from optdep_lint.rules import Rule, check_nothing

RULE = Rule(code="OPD902", name="syntax-error", check=check_nothing)
