"""Is an edited project better, in every world: the finding gone, no new one, and everything still bound where all is there?"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace

from optdep_lint import engine
from optdep_lint.config import Config
from optdep_lint.discovery import Project
from optdep_lint.facts import syntax
from optdep_lint.facts.position import end_line_of, line_of
from optdep_lint.facts.summary import Summary
from optdep_lint.facts.walk import Definition, definitions, expressions, statements
from optdep_lint.findings import Finding
from optdep_lint.world.survey import Breakage, Survey
from optdep_lint.world.values import Unbound

_PROBES = ("OPD401", "OPD402", "OPD403", "OPD404", "OPD405", "OPD407")
Key = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class State:
    """A project as it stands, evaluated, with all its findings."""

    project: Project
    looked: engine.Looked
    findings: tuple[Finding, ...]


@dataclass(frozen=True, slots=True)
class Objection:
    """Why edits are not applied."""

    reason: str
    suspects: list[Finding]
    """The findings whose fixes may be to blame."""
    brought: Finding | None = None
    """What was not there before."""
    together: bool = False
    """Each of the suspects is to blame: what it writes changes what a rule asks of the whole project."""


class Prover:
    """Evaluates edited projects. What has been read once is not read again; nothing is written to a cache."""

    def __init__(self, config: Config, jobs: int = 1) -> None:
        self._jobs = jobs
        self._config = replace(config, select=("OPD", *config.select), ignore=(), per_file_ignores={})
        """Whatever the user wants to see, a fix may bring nothing new."""

    def judge(self, looked: engine.Looked) -> State:
        """Find every fault of a project; all its files count, also those that nobody asked about."""
        project = looked.project
        whole = replace(project, files=tuple(replace(file, reported=True) for file in project.files))
        report = engine.judge(replace(looked, project=whole), self._config, jobs=self._jobs)
        return State(project, looked, report.findings)

    def look(self, project: Project, before: State) -> State:
        """Evaluate a project in which some files have other bytes than before."""
        return self.judge(engine.look(project, self._config, jobs=self._jobs, before=before.looked))

    def objections(
        self, before: State, after: State, cured: Sequence[Finding], also: Collection[str] = ()
    ) -> Iterator[Objection]:
        """Why the edited project is not better; nothing where it is.

        Args:
            before: The project as it was.
            after: The project with the edits.
            cured: The findings that the edits are to repair, with their fixes.
            also: Files that have other bytes besides those that these fixes edit.
        """
        edited = set(also)
        edited |= {edit.path for finding in cured if finding.fix is not None for edit in finding.fix.edits}
        for path, fault in after.looked.faults.items():
            if path not in before.looked.faults:
                yield Objection(f"the edited {path} could not be read: {fault.message}", _editing(path, cured))
        old, new = _count(before), _count(after)
        for finding in cured:
            key = _key(finding, before)
            if new[key] >= old[key]:
                yield Objection("the edit would not make the finding go away", [finding])
        for finding in after.findings:
            key = _key(finding, after)
            if new[key] > old[key] and not (finding.path not in edited and _was_masked(finding, before, after, cured)):
                reason = f"the edit would bring {finding.code} in {finding.path}:{finding.span.line}: {finding.message}"
                suspects = _suspects(finding, cured)
                alike = [] if suspects else _alike(finding, cured)
                yield Objection(reason, suspects or alike or list(cured), finding, together=bool(alike))
        yield from _lost_names(before, after, cured, edited)


def _editing(path: str, cured: Sequence[Finding]) -> list[Finding]:
    """The findings whose fixes touch a file, or all where none does."""
    found = [one for one in cured if one.fix is not None and any(edit.path == path for edit in one.fix.edits)]
    return found or list(cured)


def _suspects(brought: Finding, cured: Sequence[Finding]) -> list[Finding]:
    """Whose fixes may have brought a finding: those that touch its file, else what leads to it; none where none does."""
    steps = {brought.path, *(step.path for step in brought.because)}
    for paths in ({brought.path}, steps):
        found = [one for one in cured if one.fix is not None and any(edit.path in paths for edit in one.fix.edits)]
        if found:
            return found
    return []


def _alike(brought: Finding, cured: Sequence[Finding]) -> list[Finding]:
    """The findings of its root, of its rule where there are such.

    A project that asks for a root in one place is taken to mean to live without it everywhere.
    """
    found = [one for one in cured if one.absent == brought.absent]
    return [one for one in found if one.code == brought.code] or found


def _count(state: State) -> Counter[Key]:
    return Counter(_key(finding, state) for finding in state.findings)


def _key(finding: Finding, state: State) -> Key:
    """What makes a finding the same before and after an edit: no line, but the definition in which it stands."""
    where = _definition(finding, state) or re.sub(r"\d+", "#", finding.message)
    return finding.code, finding.path, finding.absent or "", where


def _definition(finding: Finding, state: State) -> str:
    """The definition around a finding, dotted, or empty."""
    best = ""
    for first, last, name in _extents(state.looked.survey, finding.path):
        if first <= finding.span.line <= last:
            best = name
    return best


def _extents(survey: Survey, path: str) -> list[tuple[int, int, str]]:
    """First and last line of each definition of a file, and its name, outer ones first."""
    known: dict[str, list[tuple[int, int, str]]] = survey.kept.setdefault("extents", {})
    if path not in known:
        source = survey.tree.sources.get(survey.source_of(path) or "")
        summary = source.summary if source is not None else Summary()
        known[path] = [(line_of(one.node.at), _last_line(summary, one), one.name) for one in definitions(summary)]
    return known[path]


def _last_line(summary: Summary, definition: Definition) -> int:
    """The position of a definition is its head's."""
    last = end_line_of(definition.node.at)
    for statement in statements(summary.body_of(definition.node.body)):
        for part in (statement, *expressions(statement)):
            last = max(last, end_line_of(getattr(part, "at", 0)))
    return last


def _was_masked(finding: Finding, before: State, after: State, cured: Sequence[Finding]) -> bool:
    """A fault that was there all along, in a file that no edit touches, and shows only now that a world gets that far.

    Either importing that very line failed before, in a module that no entry could reach and one does now; or the cured probe
    now says yes where it should, and what stands under it uses something else.
    """
    if finding.code == "OPD406":
        return any(one.code in _PROBES for one in cured)
    reached = [breakage.reached for breakage in _breakages_at(finding, before)]
    return bool(reached) and not any(reached) and any(one.reached for one in _breakages_at(finding, after))


def _breakages_at(finding: Finding, state: State) -> Iterator[Breakage]:
    """The failures of an import at the place of a finding."""
    for breakage in state.looked.survey.breakages:
        places = (breakage.origin, *breakage.failure.places)
        if breakage.root == finding.absent and any(
            path == finding.path and line_of(at) == finding.span.line for path, at in places
        ):
            yield breakage


def _lost_names(before: State, after: State, cured: Sequence[Finding], edited: Collection[str]) -> Iterator[Objection]:
    """The names that a touched module no longer binds where everything is there.

    Definitions that have moved under the guard of an operation may go where that guard asks for another platform than
    the one that is judged: without the operation they could not have worked there.
    """
    guarded = any(finding.code == "OPD301" for finding in cured)
    for name, source in before.looked.survey.tree.sources.items():
        if source.path not in edited:
            continue
        old, new = before.looked.survey.base.modules.get(name), after.looked.survey.base.modules.get(name)
        if old is None or new is None:
            continue
        if old.status == "ok" and new.status != "ok":
            reason = f"`{name}` could no longer be imported where everything is there"
            yield Objection(reason, _editing(source.path, cured))
        bound = {word for word, value in old.namespace.items() if not isinstance(value, Unbound)}
        kept = new.namespace.keys() | (_defined(after, name) if guarded else set())
        for lost in sorted(bound - kept)[:1]:
            yield Objection(f"`{name}` would no longer bind `{lost}`", _editing(source.path, cured))


def _defined(state: State, module: str) -> set[str]:
    """The classes and functions that a module defines at its top, under whatever guard."""
    body = state.looked.survey.tree.sources[module].summary.body
    return {one.name for one in statements(body) if isinstance(one, (syntax.Class, syntax.Function))}
