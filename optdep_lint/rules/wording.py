"""How rules turn what they see into findings."""

from __future__ import annotations

from optdep_lint.facts.position import line_of, span_of
from optdep_lint.findings import Finding, Step
from optdep_lint.metadata import Requirement, RootsSource
from optdep_lint.rules import Rule
from optdep_lint.world.survey import Survey
from optdep_lint.world.values import Failure

_NAMED_BY: dict[RootsSource, str] = {
    "table": "a known distribution",
    "user": "`package-module-name-map` says so",
    "installed": "its installed metadata say so",
    "guess": "guessed from its name",
    "brought": "known to come with it",
    "likely": "the name holds its words, and nothing else that is declared brings it",
}
"""How it is known what a distribution lets one import."""


def find(
    rule: Rule,
    survey: Survey,
    path: str,
    at: int,
    message: str,
    *,
    root: str | None = None,
    because: tuple[Step, ...] = (),
) -> Finding:
    """A finding of a rule at a packed position of a file; `root` is the optional root whose absence it needs."""
    optional = survey.declared.optional.get(root) if root is not None else None
    if optional is None or optional.requirement is None:
        return Finding(rule.code, rule.name, path, span_of(at), message, root, None, because)
    because = (*because, _declaration(optional.root, optional.requirement))
    return Finding(rule.code, rule.name, path, span_of(at), message, root, optional.extra, because)


def _declaration(root: str, requirement: Requirement) -> Step:
    """What declares the distribution that brings a root, and how its import name is known."""
    whose = f"extra `{requirement.extra}` installs " if requirement.extra is not None else ""
    named = f"imported as `{root}`: {_NAMED_BY[requirement.roots_source]}"
    return Step(requirement.path, requirement.line, f"{whose}`{requirement.distribution}`, {named}")


def steps_of(failure: Failure) -> tuple[Step, ...]:
    """The chain of a failure, down to the statement that failed and to what that goes back to."""
    steps = (*failure.chain, Step(failure.path, line_of(failure.at), failure.message))
    cause = failure.cause
    if cause is not None and cause.path and (cause.path, cause.at) != (failure.path, failure.at):
        steps = (*steps, Step(cause.path, line_of(cause.at), f"`{cause.missing}` is not there"))
    return steps


def without(survey: Survey, root: str) -> str:
    """How the absence of a root is put into words, with what would bring it."""
    optional = survey.declared.optional.get(root)
    if optional is None:
        return f"without `{root}`"
    if optional.extra is not None:
        return f"without `{root}` (extra `{optional.extra}`)"
    if optional.source == "group" and optional.requirement is not None:
        return f"without `{root}` (only in dependency group `{optional.requirement.group}`)"
    if optional.source == "marker" and optional.requirement is not None:
        return f"without `{root}` (required only for `{optional.requirement.marker}`)"
    if optional.source == "undeclared":
        return f"without `{root}` (which nothing declares)"
    return f"without `{root}`"
