"""The calls in what each module runs when it is imported, found once for all rules that look at them."""

from __future__ import annotations

from optdep_lint.facts import syntax
from optdep_lint.facts.walk import all_expressions
from optdep_lint.world.modules import Source
from optdep_lint.world.survey import Survey


def own_calls(survey: Survey, source: Source) -> list[syntax.Call]:
    """The calls that stand outside of functions, those in class bodies among them."""
    known: dict[str, list[syntax.Call]] = survey.kept.setdefault("own calls", {})
    found = known.get(source.name)
    if found is None:
        body = source.summary.body
        found = known[source.name] = [one for one in all_expressions(body) if isinstance(one, syntax.Call)]
    return found
