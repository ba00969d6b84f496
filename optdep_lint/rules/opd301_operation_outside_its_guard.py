"""A class or function uses an operation that is registered only under a guard, and stands outside it.

## What it does
Reports the first use of a custom operation (`torch.ops.acme.norm`, or the function that a registration decorates) in a
class, a function or a module's own code that is there although the operation may not be: its registration hangs on an
optional dependency or on the platform, and nothing around the use asks for the same.

## Why is this bad?
The class can be imported, exported and selected everywhere. Where the guard was false, its first call ends in
`AttributeError: '_OpNamespace' 'acme' object has no attribute 'norm'`, far from the guard and without a word about what
is missing.

## Example
```python
import torch

try:
    import fastnorm

    @torch.library.custom_op("acme::norm", mutates_args=())
    def norm(x: torch.Tensor) -> torch.Tensor:
        return fastnorm.norm(x)
except ImportError:
    pass


class Norm(torch.nn.Module):
    def forward(self, x):
        return torch.ops.acme.norm(x)
```

Use instead:
```python
import torch

try:
    import fastnorm
except ImportError:
    fastnorm = None

if fastnorm is not None:

    @torch.library.custom_op("acme::norm", mutates_args=())
    def norm(x: torch.Tensor) -> torch.Tensor:
        return fastnorm.norm(x)

    class Norm(torch.nn.Module):
        def forward(self, x):
            return torch.ops.acme.norm(x)
```

## Fix safety
The fix moves the definitions, and what depends on them, into the guard. It is unsafe: the names that move can no longer
be imported everywhere.

## References
- [torch.library](https://docs.pytorch.org/docs/stable/library.html)
"""

from __future__ import annotations

from collections.abc import Iterator

from optdep_lint.facts.position import line_of
from optdep_lint.findings import Finding, Step
from optdep_lint.rules import Rule
from optdep_lint.rules.wording import find, without
from optdep_lint.world.operations_faults import Fault, operation_faults
from optdep_lint.world.survey import Survey


def check(survey: Survey) -> Iterator[Finding]:
    """First uses of operations outside of their guard."""
    for fault in operation_faults(survey):
        registration = fault.registration
        because = (
            (Step(registration.path, line_of(registration.at), f"registers `{fault.operation}`"),)
            if registration
            else ()
        )
        yield find(RULE, survey, fault.path, fault.at, _message(survey, fault), root=fault.root, because=because)


def _message(survey: Survey, fault: Fault) -> str:
    user = f"`{fault.user}` is" if fault.user else "this line is"
    operation = f"`torch.ops.{fault.operation.replace('::', '.')}`"
    if fault.root is None:
        return f"{operation} is registered only under a guard that {user} outside of"
    return f"{operation} is not registered {without(survey, fault.root)}, and {user} there all the same"


RULE = Rule(code="OPD301", name="operation-outside-its-guard", check=check, fixable="sometimes")
