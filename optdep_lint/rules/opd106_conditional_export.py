"""A public name is exported only where an optional dependency is there, and without a word not otherwise.

## What it does
Reports names in `__all__` that a public module binds only in a `try` around an optional dependency, where nothing says
that they are missing: no stand-in, no warning, no flag, no module `__getattr__`.

## Why is this bad?
Who imports the name, as the documentation tells, reads "cannot import name", as if it had been mistyped or removed;
nothing says what to install. Where `__all__` still lists the name, every `import *` fails as well.

## Example
```python
# file: acme/__init__.py
__all__ = ["total"]

def total(values):
    return sum(values)

try:
    import numba
except ImportError:
    pass
else:
    def fast_total(values):
        return numba.njit(sum)(values)

    __all__ += ["fast_total"]
```

Use instead:
```python
# file: acme/__init__.py
__all__ = ["fast_total", "total"]

def total(values):
    return sum(values)

try:
    import numba
except ImportError:
    def fast_total(values):
        raise ImportError("fast_total needs numba: pip install numba")
else:
    def fast_total(values):
        return numba.njit(sum)(values)
```

## Fix safety
There is no fix: whether the name should refuse, fall back or not be public is the author's decision.

## References
- [The import statement](https://docs.python.org/3/reference/simple_stmts.html#import)
"""

from __future__ import annotations

from collections.abc import Iterator

from optdep_lint.facts.position import line_of
from optdep_lint.findings import Finding, Step
from optdep_lint.rules import Rule
from optdep_lint.rules.wording import find, without
from optdep_lint.world.exports import Loss
from optdep_lint.world.survey import Survey


def check(survey: Survey) -> Iterator[Finding]:
    """Exports that vanish; what goes with several roots is told for the one that an extra brings."""
    nearest: dict[tuple[str, int], tuple[str, Loss]] = {}
    for root, loss in survey.losses:
        known = nearest.get((loss.path, loss.at))
        if known is None or (_is_declared(survey, root) and not _is_declared(survey, known[0])):
            nearest[loss.path, loss.at] = root, loss
    for root, loss in nearest.values():
        first = loss.names[0]
        which = f"`{first}`" if len(loss.names) == 1 else f"`{first}` and {len(loss.names) - 1} more"
        why = "and `import *` fails" if loss.listed else "and importing it by name does not say why"
        message = f"`{loss.module}` does not have {which} {without(survey, root)}, {why}"
        step = Step(loss.cause.path, line_of(loss.cause.at), f"`{loss.cause.missing}` is not there")
        yield find(RULE, survey, loss.path, loss.at, message, root=root, because=(step,))


def _is_declared(survey: Survey, root: str) -> bool:
    return survey.declared.optional[root].extra is not None


RULE = Rule(code="OPD106", name="conditional-export", check=check)
