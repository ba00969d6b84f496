"""An optional dependency is imported anew on every step.

## What it does
Reports an import of an optional dependency in a function that runs on every step: the implementation of an operation,
`forward` or `__call__` of a module, the body of a loop, a function that is compiled or runs without gradients, one that
`hot-paths` in the configuration names, and what these call within the project. With `--strict`, every import there.

Memoised functions, branches that store what they ask for, and code that only runs before a `raise` are cold.

## Why is this bad?
An import statement asks `sys.modules`, takes part in the import system's locking, and binds the name again, each time:
a few tenths of a microsecond where all is well, some microseconds where it fails. It also breaks the graph of compilers
that trace the function, and the first call pays for the whole import.

## Example
```python
from torch import nn


class RotaryEmbedding(nn.Module):
    def forward(self, x):
        from flash_attn.layers.rotary import apply_rotary_emb

        return apply_rotary_emb(x)
```

Use instead:
```python
import functools

from torch import nn


@functools.cache
def rotary_kernel():
    from flash_attn.layers.rotary import apply_rotary_emb

    return apply_rotary_emb


class RotaryEmbedding(nn.Module):
    def forward(self, x):
        return rotary_kernel()(x)
```

## Fix safety
The fix is unsafe: an import whose result is kept is not seen to appear later. An import that is there for its side
effect is kept.

## References
- [What each form costs](https://github.com/optdep-lint/optdep-lint/blob/main/docs/hot-paths.md)
- [The import statement](https://docs.python.org/3/reference/simple_stmts.html#the-import-statement)
"""

from __future__ import annotations

from collections.abc import Iterator

from optdep_lint.findings import Finding
from optdep_lint.rules import Rule
from optdep_lint.rules.wording import find
from optdep_lint.world.hot_paths import hot_paths
from optdep_lint.world.survey import Survey


def check(survey: Survey) -> Iterator[Finding]:
    """Imports on hot paths."""
    for sink, where, because in hot_paths(survey):
        if sink.kind == "import":
            kept = (
                "; nothing it binds is used here, so keep the import for its side effect, but do it once"
                * sink.for_effect
            )
            message = f"`{sink.subject}` is imported {where}{kept}"
            yield find(RULE, survey, sink.path, sink.at, message, root=sink.root, because=because)


RULE = Rule(code="OPD501", name="import-on-hot-path", check=check, fixable="sometimes", severity="warning")
