"""Which dotted probes raise in a function, where nothing that leads to them asks for the parent or catches the error."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from optdep_lint.world.probes import Asking, Inquirer, failure_of, inquirer
from optdep_lint.world.probes_census import Site, census
from optdep_lint.world.probes_hidden import can_raise, discover, place_of
from optdep_lint.world.survey import Survey
from optdep_lint.world.truth import Atom, Condition, Every, Negation, Some
from optdep_lint.world.values import Failure

_SAYS_NOTHING = re.compile(
    r"os\.environ|sys\.(?:std(?:in|out|err)|argv)|rocm|cuda|hip|npu|xpu|tpu|hpu|mps|musa|platform|linux|darwin|windows|win32",
    re.IGNORECASE,
)
"""Conditions on platform, environment and terminal, which do not tell whether a distribution is installed."""
_PLACE = re.compile(r"@\d+$")
"""A condition that is known only by where it stands."""


@dataclass(frozen=True, slots=True)
class Unprotected:
    """A probe that raises when it is reached."""

    path: str
    at: int
    name: str
    root: str
    asked_at: tuple[str, int]
    """Where it is asked for in the end: in a function that takes the name, elsewhere."""


def unprotected_probes(survey: Survey) -> Iterator[Unprotected]:
    """Dotted probes in functions that raise without their parent, each place once."""
    seen: set[tuple[str, int]] = set()
    asker = inquirer(survey)
    for site in census(survey).sites:
        if site.unit.definition is None or not (site.asks and site.raises):
            continue
        for asking in discover(asker, site):
            if asking.kind != "spec" or not can_raise(asking):
                continue
            found = _raises(asker, site, asking)
            if found is not None and (found.path, found.at) not in seen:
                seen.add((found.path, found.at))
                yield found


def _raises(asker: Inquirer, site: Site, asking: Asking) -> Unprotected | None:
    survey = asker.survey
    root = survey.declared.root_of(asking.name)
    if not _escapes(asker, site, root, asking.name):
        return None
    _, asked = asker.ask(site.unit, {root})
    failed = next((one for one in reversed(asked) if one.failed and one.name == asking.name), None)
    place = place_of(survey, failed, site) if failed is not None else None
    if place is None or not site.holds(*place) or _callers_protect(asker, site, root, asking.name):
        return None
    assert failed is not None
    return Unprotected(*place, asking.name, root, failed.places[-1])


def _escapes(asker: Inquirer, site: Site, root: str, name: str) -> bool:
    """The probe's error leaves the site in the world without the root."""
    failure = failure_of(asker.ask(site.unit, {root})[0])
    return failure is not None and failure.kind == "probe" and failure.subject == name and _is_free(failure)


def _is_free(failure: Failure) -> bool:
    """Nothing that it hangs on can be meant as a guard."""
    return all(
        _SAYS_NOTHING.search(text) and not _PLACE.search(text)
        for condition in failure.conditions
        for text in _texts(condition)
    )


def _texts(condition: Condition) -> Iterator[str]:
    match condition:
        case Atom(key=key):
            yield key
        case Negation(operand=operand):
            yield from _texts(operand)
        case Every(operands=operands) | Some(operands=operands):
            for operand in operands:
                yield from _texts(operand)


def _callers_protect(asker: Inquirer, site: Site, root: str, name: str) -> bool:
    """The project calls the function, and everywhere catches the error or asks for the parent first."""
    assert site.unit.definition is not None
    callers = census(asker.survey).callers.get(id(site.unit.definition.node), [])
    return bool(callers) and not any(_fails_in(asker, caller, root, name) for caller in callers)


def _fails_in(asker: Inquirer, caller: Site, root: str, name: str) -> bool:
    failure = failure_of(asker.ask(caller.unit, {root})[0])
    return failure is not None and failure.kind == "probe" and failure.subject == name
