"""What is installed is asked anew on every step.

## What it does
Reports `find_spec`, `import_module` of an optional dependency, `importlib.metadata.version`, the parsing of a
`__version__`, and imports that only find out whether they work, in code that runs on every step and keeps no answer.
Which functions are hot is told by OPD501. A loop over several names asks for something else on every turn, and is fine.

## Why is this bad?
`find_spec` walks `sys.path`, and `version` reads a file: tens to hundreds of microseconds for an answer that cannot
change while the process runs.

## Example
```python
from importlib.util import find_spec

from torch import nn


def has_kernel():
    return find_spec("deep_gemm") is not None


class Linear(nn.Module):
    def forward(self, x):
        return x if has_kernel() else x + 1
```

Use instead:
```python
import functools
from importlib.util import find_spec

from torch import nn


@functools.cache
def has_kernel():
    return find_spec("deep_gemm") is not None


class Linear(nn.Module):
    def forward(self, x):
        return x if has_kernel() else x + 1
```

## Fix safety
The fix is unsafe: an answer that is kept does not change when something is installed later.

## References
- [What each form costs](https://github.com/optdep-lint/optdep-lint/blob/main/docs/hot-paths.md)
- [functools.cache](https://docs.python.org/3/library/functools.html#functools.cache)
"""

from __future__ import annotations

from collections.abc import Iterator

from optdep_lint.findings import Finding
from optdep_lint.rules import Rule
from optdep_lint.rules.wording import find
from optdep_lint.world.hot_paths import hot_paths
from optdep_lint.world.survey import Survey


def check(survey: Survey) -> Iterator[Finding]:
    """Probes on hot paths."""
    for sink, where, because in hot_paths(survey):
        if sink.kind == "probe":
            message = f"{sink.did} {where}, and the answer is not kept"
            yield find(RULE, survey, sink.path, sink.at, message, root=sink.root, because=because)


RULE = Rule(code="OPD503", name="probe-on-hot-path", check=check, fixable="sometimes", severity="warning")
