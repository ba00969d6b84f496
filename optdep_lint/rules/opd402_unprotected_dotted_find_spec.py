"""`find_spec` of a dotted name raises where the parent is absent, and nothing protects it.

## What it does
Reports a probe for a submodule whose parent can be absent, where no handler catches the error and no test asks for the
parent first.

## Why is this bad?
`find_spec("a.b")` imports `a` to look inside. Where `a` is absent it does not give None: it raises
`ModuleNotFoundError`, in the very code that was to find out.

## Example
```python
from importlib.util import find_spec

HAS_COMM = find_spec("flashinfer.comm") is not None
```

Use instead:
```python
from importlib.util import find_spec

HAS_COMM = find_spec("flashinfer") is not None and find_spec("flashinfer.comm") is not None
```

## Fix safety
The fix is safe: what raised before says no.

## References
- [importlib.util.find_spec](https://docs.python.org/3/library/importlib.html#importlib.util.find_spec)
"""

from __future__ import annotations

from collections.abc import Iterator

from optdep_lint.facts.position import line_of
from optdep_lint.findings import Finding, Step
from optdep_lint.rules import Rule
from optdep_lint.rules.wording import find, steps_of, without
from optdep_lint.world.blame import blames
from optdep_lint.world.probes_unprotected import unprotected_probes
from optdep_lint.world.survey import Survey


def check(survey: Survey) -> Iterator[Finding]:
    """Probes that raise, at import time or when their function is called."""
    told: set[tuple[str, int]] = set()
    for blame in blames(survey):
        if blame.kind == "probe":
            failure = blame.breakage.failure
            told |= {(failure.path, failure.at), (blame.path, blame.at), *failure.places}
            message = f"this probe raises {without(survey, blame.root)}, and importing `{blame.breakage.module}` fails"
            yield find(RULE, survey, blame.path, blame.at, message, root=blame.root, because=steps_of(failure))
    for probe in unprotected_probes(survey):
        if (probe.path, probe.at) not in told:
            message = f"asking for `{probe.name}` raises {without(survey, probe.root)}: nothing asks for the parent first, or catches it"
            path, at = probe.asked_at
            there = () if probe.asked_at == (probe.path, probe.at) else (Step(path, line_of(at), "is asked for here"),)
            yield find(RULE, survey, probe.path, probe.at, message, root=probe.root, because=there)


RULE = Rule(code="OPD402", name="unprotected-dotted-find-spec", check=check, fixable="sometimes")
