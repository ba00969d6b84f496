"""Two gates put the same thing in place; one asks the probe for what it needs, the other does not.

## What it does
Reports an `if` that installs a class (a graph pass, a backend) whose code fails without a certain part of an optional
dependency, where the project has a probe for exactly that part and asks it elsewhere, but not here.

## Why is this bad?
The gate asks whether the dependency is there at all. With a release that lacks the part, or has renamed it, one gate
says no and the other yes: the class is installed and fails at its first call.

## Example
```python
from importlib.util import find_spec

import torch


def has_fastnorm():
    return find_spec("fastnorm") is not None


def has_fused_norm():
    try:
        from fastnorm.ops import fused_norm  # noqa: F401
    except ImportError:
        return False
    return True


def _fused_norm_impl(x: torch.Tensor) -> torch.Tensor:
    from fastnorm.ops import fused_norm

    return fused_norm(x)


torch.library.custom_op("acme::fused_norm", _fused_norm_impl, mutates_args=())


class FusedNormPass:
    def __call__(self, graph):
        return graph.replace(torch.ops.acme.fused_norm)


def default_of_fuse_norm():
    return has_fastnorm() and has_fused_norm()


def passes():
    if has_fastnorm():
        yield FusedNormPass()
```

Use instead:
```python
import functools
from importlib.util import find_spec

import torch


def has_fastnorm():
    return find_spec("fastnorm") is not None


def has_fused_norm():
    try:
        from fastnorm.ops import fused_norm  # noqa: F401
    except ImportError:
        return False
    return True


@functools.cache
def _fused_norm_kernel():
    from fastnorm.ops import fused_norm

    return fused_norm


def _fused_norm_impl(x: torch.Tensor) -> torch.Tensor:
    return _fused_norm_kernel()(x)


torch.library.custom_op("acme::fused_norm", _fused_norm_impl, mutates_args=())


class FusedNormPass:
    def __call__(self, graph):
        return graph.replace(torch.ops.acme.fused_norm)


def default_of_fuse_norm():
    return has_fastnorm() and has_fused_norm()


def passes():
    if has_fastnorm() and has_fused_norm():
        yield FusedNormPass()
```

## Fix safety
The fix adds the probe to the gate. It is safe where the part is there; where it is not, the class is no longer installed.

## References
- [importlib.util.find_spec](https://docs.python.org/3/library/importlib.html#importlib.util.find_spec)
"""

from __future__ import annotations

from collections.abc import Iterator

from optdep_lint.facts.position import line_of
from optdep_lint.findings import Finding, Step
from optdep_lint.rules import Rule
from optdep_lint.rules.wording import find
from optdep_lint.world.operations_gates import disagreements
from optdep_lint.world.survey import Survey


def check(survey: Survey) -> Iterator[Finding]:
    """Gates that do not ask the probe for what they install."""
    reported: set[tuple[str, int]] = set()
    for found in disagreements(survey):
        if (found.path, found.gate.at) in reported:
            continue
        reported.add((found.path, found.gate.at))
        probe = found.probe
        message = f"this gate installs `{found.installs}`, which needs `{probe.asked.module}`, without asking `{probe.function}()`"
        path, at = found.elsewhere
        because = (Step(path, line_of(at), f"asks `{probe.function}()`"),)
        yield find(RULE, survey, found.path, found.gate.at, message, root=probe.root, because=because)


RULE = Rule(code="OPD302", name="gate-disagreement", check=check, fixable="sometimes")
