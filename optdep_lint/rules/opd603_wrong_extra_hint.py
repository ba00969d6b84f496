"""The error message sends the user after an extra or a distribution that does not help.

## What it does
Reports a `raise` whose message says to install an extra that the project does not have, or an extra or distribution
that does not bring what is missing.

## Why is this bad?
The user does what the message says, gets the same error, and cannot know why.

## Example
```python
# file: pyproject.toml
[project]
name = "acme"
version = "1"
optional-dependencies = { frames = ["pandas"] }
# file: acme/__init__.py
def to_frame(rows):
    try:
        import pandas
    except ImportError as error:
        raise ImportError("to_frame() needs pandas: pip install acme[pandas]") from error
    return pandas.DataFrame(rows)
```

Use instead:
```python
# file: pyproject.toml
[project]
name = "acme"
version = "1"
optional-dependencies = { frames = ["pandas"] }
# file: acme/__init__.py
def to_frame(rows):
    try:
        import pandas
    except ImportError as error:
        raise ImportError("to_frame() needs pandas: pip install acme[frames]") from error
    return pandas.DataFrame(rows)
```

## Fix safety
There is no fix: the metadata can be what is wrong.

## References
- [Optional dependencies](https://packaging.python.org/en/latest/specifications/pyproject-toml/#dependencies-optional-dependencies)
"""

from __future__ import annotations

from collections.abc import Iterator

from optdep_lint.findings import Finding
from optdep_lint.rules import Rule
from optdep_lint.rules.wording import find
from optdep_lint.world.probes_hints import WrongHint, wrong_hints
from optdep_lint.world.survey import Survey


def check(survey: Survey) -> Iterator[Finding]:
    """Messages that name the wrong extra or distribution."""
    for hint in wrong_hints(survey):
        yield find(RULE, survey, hint.path, hint.at, _message(hint), root=hint.root or None)


def _message(hint: WrongHint) -> str:
    if hint.kind == "no extra":
        better = f": it is in `{hint.right}`" if hint.right else ""
        return f"the message names the extra `{hint.named}`, which does not exist{better}"
    what = "extra" if hint.kind == "extra" else "distribution"
    return f"the message names the {what} `{hint.named}`, which does not bring `{hint.root}`: `{hint.right}` does"


RULE = Rule(code="OPD603", name="wrong-extra-hint", check=check, severity="warning")
