"""Is an edited project better, in every world: the finding gone, no new one, and everything still bound where all is there?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace

from optdep_lint import engine
from optdep_lint.cache import FOLDER_NAME, Cache
from optdep_lint.config import Config
from optdep_lint.discovery import Project
from optdep_lint.facts import syntax
from optdep_lint.facts.walk import statements
from optdep_lint.findings import Finding
from optdep_lint.world.values import Unbound

Key = tuple[str, str, str, str]


@dataclass(frozen=True, slots=True)
class State:
    """A project as it stands, evaluated, with all its findings."""

    project: Project
    looked: engine.Looked
    findings: tuple[Finding, ...]


class Prover:
    """Evaluates edited projects. Summaries are read from the project's cache; nothing is written there."""

    def __init__(self, project: Project, config: Config) -> None:
        self._cache = Cache(project.root / FOLDER_NAME)
        self._config = replace(config, select=("OPD", *config.select), ignore=(), per_file_ignores={})
        """Whatever the user wants to see, a fix may bring nothing new."""

    def look(self, project: Project) -> State:
        """Evaluate a project; every file counts, also those that nobody asked about."""
        whole = replace(project, files=tuple(replace(file, reported=True) for file in project.files))
        looked = engine.look(whole, self._config, cache=self._cache)
        return State(project, looked, engine.judge(looked, self._config).findings)

    def objection(self, before: State, after: State, cured: Iterable[Finding], edited: Collection[str]) -> str | None:
        """Why the edited project is not better, or None.

        Args:
            before: The project as it was.
            after: The project with the edits.
            cured: The findings that the edits are to repair.
            edited: The paths of the files that they touch.
        """
        for path, fault in after.looked.faults.items():
            if path not in before.looked.faults:
                return f"the edited {path} could not be read: {fault.message}"
        old, new = _count(before), _count(after)
        for finding in cured:
            key = _key(finding, before)
            if new[key] >= old[key]:
                return "the edit would not make the finding go away"
        for finding in after.findings:
            key = _key(finding, after)
            if new[key] > old[key] and not _was_masked(finding, before, edited):
                return f"the edit would bring {finding.code} in {finding.path}:{finding.span.line}: {finding.message}"
        return _lost_name(before, after, edited, guarded=any(finding.code == "OPD301" for finding in cured))


def _count(state: State) -> Counter[Key]:
    return Counter(_key(finding, state) for finding in state.findings)


def _key(finding: Finding, state: State) -> Key:
    """What makes a finding the same before and after an edit: no line, but the definition in which it stands."""
    return finding.code, finding.path, finding.absent or "", _definition(finding, state) or finding.message


def _definition(finding: Finding, state: State) -> str:
    """The definition around a finding, dotted, or empty."""
    name = state.looked.survey.source_of(finding.path)
    source = state.looked.survey.tree.sources.get(name) if name is not None else None
    if source is None:
        return ""
    from optdep_lint.facts.position import end_line_of, line_of
    from optdep_lint.facts.walk import definitions

    line, best = finding.span.line, ""
    for definition in definitions(source.summary):
        if line_of(definition.node.at) <= line <= end_line_of(definition.node.at):
            best = definition.name
    return best


def _was_masked(finding: Finding, before: State, edited: Collection[str]) -> bool:
    """A fault that was there all along, where the edit did not touch: it shows only now that a world gets that far."""
    if finding.path in edited:
        return False
    return any(other.absent is not None for other in before.findings)


def _lost_name(before: State, after: State, edited: Collection[str], *, guarded: bool) -> str | None:
    """A name that a touched module no longer binds where everything is there.

    Definitions that have moved under the guard of an operation (`guarded`) may go where that guard asks for another
    platform than the one that is judged: without the operation they could not have worked there.
    """
    for name, source in before.looked.survey.tree.sources.items():
        if source.path not in edited:
            continue
        old, new = before.looked.survey.base.modules.get(name), after.looked.survey.base.modules.get(name)
        if old is None or new is None:
            continue
        if old.status == "ok" and new.status != "ok":
            return f"`{name}` could no longer be imported where everything is there"
        bound = {word for word, value in old.namespace.items() if not isinstance(value, Unbound)}
        kept = new.namespace.keys() | (_defined(after, name) if guarded else set())
        lost = sorted(bound - kept)
        if lost:
            return f"`{name}` would no longer bind `{lost[0]}`"
    return None


def _defined(state: State, module: str) -> set[str]:
    """The classes and functions that a module defines at its top, under whatever guard."""
    body = state.looked.survey.tree.sources[module].summary.body
    return {one.name for one in statements(body) if isinstance(one, (syntax.Class, syntax.Function))}
