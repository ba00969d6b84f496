"""A probe that cannot fail.

## What it does
Reports a test that says yes whatever is installed: `find_spec` of a module that the project itself ships as source, a
flag that is True also where the import has failed, a probing function that is named in a test but not called.

## Why is this bad?
It looks like a guard and guards nothing. A module that ships with the project is always found; whether what it imports
is there, is another question. Modules that are compiled can be left out of a build: to probe for those is fine.

## Example
```python
# file: pyproject.toml
[project]
name = "acme"
version = "1"
optional-dependencies = { rocm = ["aiter"] }
# file: acme/__init__.py
# file: acme/kernels.py
import aiter
# file: acme/runner.py
from importlib.util import find_spec


def run(batch):
    if find_spec("acme.kernels") is not None:
        from acme import kernels

        return kernels.aiter.run(batch)
    return batch
```

Use instead:
```python
# file: pyproject.toml
[project]
name = "acme"
version = "1"
optional-dependencies = { rocm = ["aiter"] }
# file: acme/__init__.py
# file: acme/kernels.py
import aiter
# file: acme/runner.py
from importlib.util import find_spec


def run(batch):
    if find_spec("aiter") is not None:
        from acme import kernels

        return kernels.aiter.run(batch)
    return batch
```

## Fix safety
The fix asks for what the project's own module needs, where that is one optional root; it is unsafe, for the answer changes.
For other probes there is none: what they were meant to ask for, the code does not say.

## References
- [importlib.util.find_spec](https://docs.python.org/3/library/importlib.html#importlib.util.find_spec)
- [A guard that proved nothing](https://github.com/vllm-project/vllm/pull/22795)
"""

from __future__ import annotations

from collections.abc import Iterator

from optdep_lint.findings import Finding
from optdep_lint.rules import Rule
from optdep_lint.rules.wording import find
from optdep_lint.world.probes_sham import shams
from optdep_lint.world.survey import Survey

_MESSAGES = {
    "source": "this is always found: `{name}` ships with the project, which says nothing about what it needs",
    "flag": "`{name}` is True also where the import of `{root}` has failed",
    "dropped": "`find_spec` raises nothing where `{name}` is missing, and its answer is dropped",
    "function": "`{name}` is a function that is not called here: it is always true",
}


def check(survey: Survey) -> Iterator[Finding]:
    """Probes that always say yes."""
    for sham in shams(survey):
        message = _MESSAGES[sham.kind].format(name=sham.name, root=sham.root)
        yield find(RULE, survey, sham.path, sham.at, message, root=sham.root or None)


RULE = Rule(code="OPD407", name="sham-probe", check=check, fixable="sometimes")
