"""Fixes applied in passes until nothing is left to repair: those that do not overlap together, each pass proved."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from optdep_lint.config import Config
from optdep_lint.discovery import Project
from optdep_lint.discovery.globs import compile_patterns
from optdep_lint.engine import Looked
from optdep_lint.findings import Edit, Finding, Fix
from optdep_lint.fixers import Refusal, Repair, load_repairs
from optdep_lint.fixers.prove import Objection, Prover, State
from optdep_lint.fixers.splice import outside_is_kept, overlaps, splice
from optdep_lint.fixers.workshop import Shelf, Workshop
from optdep_lint.pool import seldom_collected
from optdep_lint.suppressions import is_ignored

MOST_PASSES = 50
_MOST_FOLLOWING = 3
_COME_TO_LIGHT = ("OPD101", "OPD102", "OPD103", "OPD104", "OPD602")
"""What an import that fails hides from view, as long as it fails."""

Key = tuple[str, str, str, str]


@dataclass(slots=True)
class Outcome:
    """What became of a project."""

    originals: dict[str, bytes] = field(default_factory=dict)
    """The old bytes of each file that a fix wanted to change, by its path in the project."""
    contents: dict[str, bytes] = field(default_factory=dict)
    """The new bytes of each file that changed."""
    passes: list[tuple[Finding, ...]] = field(default_factory=list)
    """The findings that each pass repaired, with their fixes, whose offsets count in the files as that pass found them."""
    refused: dict[Key, str] = field(default_factory=dict)
    """Why a finding is left, by `key_of`."""
    fault: str | None = None
    """A mistake of optdep-lint itself: fixes that undo each other."""

    @property
    def applied(self) -> list[Finding]:
        """The findings that were repaired."""
        return [finding for of_pass in self.passes for finding in of_pass]

    def changed(self) -> Iterator[tuple[str, bytes, bytes]]:
        """Path, old and new bytes of each file that differs."""
        for path, new in sorted(self.contents.items()):
            if self.originals[path] != new:
                yield path, self.originals[path], new


def key_of(finding: Finding) -> Key:
    """What names a finding while lines move."""
    return finding.code, finding.path, finding.absent or "", finding.message


class Passes:
    """Repairs one project in memory."""

    def __init__(
        self, looked: Looked, config: Config, *, fixable: Collection[str] | None, unsafe: bool, jobs: int = 1
    ) -> None:
        project = looked.project
        self._config, self._fixable, self._unsafe = config, fixable, unsafe
        self._wanted = {file.relative for file in project.files if file.reported}
        self._ignores = [(compile_patterns([glob]), codes) for glob, codes in config.per_file_ignores.items()]
        self._prover = Prover(config, jobs)
        self._repairs: Mapping[str, Repair] = load_repairs()
        self._files = {file.relative: file for file in project.files}
        self._shelf = Shelf()
        self.state = self._prover.judge(looked)
        self._outcome = Outcome()
        self._tried: dict[Key, frozenset[tuple[str, str]]] = {}
        """What the fixes that failed their proof would have written."""
        self._chosen_again = 0
        """How many passes there had been when the refused were looked at again."""

    def run(self) -> Outcome:
        """Apply passes until none changes anything."""
        with seldom_collected():
            return self._run()

    def _run(self) -> Outcome:
        seen = {self._fingerprint()}
        while len(self._outcome.passes) < MOST_PASSES:
            chosen = self._choose() or self._choose_again()
            if not chosen:
                return self._outcome
            if not self._apply(chosen):
                continue  # all of them are refused now: those that were in their way have not been tried
            if self._fingerprint() in seen:
                self._outcome.fault = "fixes undo each other; please report this"
                self._outcome.contents.clear()
                return self._outcome
            seen.add(self._fingerprint())
        self._outcome.fault = f"fixes are not done after {MOST_PASSES} passes; please report this"
        return self._outcome

    def _fingerprint(self) -> int:
        return hash(tuple(sorted(self._outcome.contents.items())))

    def _choose(self) -> list[Finding]:
        """The findings to repair now, each with its fix: as many as do not get in each other's way."""
        workshop = Workshop(self.state.looked, self._config, self.state.findings, self._shelf)
        taken: dict[str, list[Edit]] = {}
        chosen = []
        split: set[str] = set()
        for finding in sorted(self.state.findings, key=_urgency):
            if finding.path in split and finding.code.startswith("OPD2"):
                continue
            fix = self._fix_for(finding, workshop)
            if fix is not None and not overlaps(taken, fix):
                chosen.append(replace(finding, fix=fix))
                if finding.code == "OPD404":
                    split.add(finding.path)  # its flags come to mean something else, which the next pass can ask for
                for edit in fix.edits:
                    taken.setdefault(edit.path, []).append(edit)
        return chosen

    def _choose_again(self) -> list[Finding]:
        """What was refused in a state that is gone may have another fix now."""
        if len(self._outcome.passes) == self._chosen_again:
            return []
        self._chosen_again = len(self._outcome.passes)
        refused, self._outcome.refused = self._outcome.refused, {}
        chosen = []
        for finding in self._choose():
            key = key_of(finding)
            if _words_of(finding) == self._tried.get(key):
                self._outcome.refused[key] = refused[key]
            else:
                chosen.append(finding)
        return chosen

    def _fix_for(self, finding: Finding, workshop: Workshop, *, quiet: bool = False) -> Fix | None:
        if finding.path not in self._wanted or key_of(finding) in self._outcome.refused:
            return None
        if self._fixable is not None and finding.code not in self._fixable:
            return None
        if is_ignored(finding, self._ignores):
            return None
        fix = build(finding, workshop, self._repairs)
        if isinstance(fix, str):
            if not quiet:
                self._outcome.refused[key_of(finding)] = fix
            return None
        if fix is not None and fix.applicability == "unsafe" and not self._unsafe:
            return None
        return fix

    def _apply(self, chosen: Sequence[Finding]) -> bool:
        """Apply what can be proved; True where anything was applied.

        Whose fix is to blame is left out and refused; where it is not clear whose, the others are tried first, then halves.
        """
        while chosen:
            state, contents, objections = self._try(chosen, self.state, self._outcome.contents)
            passes = [tuple(chosen)]
            for _ in range(_MOST_FOLLOWING if objections else 0):
                following = self._repair_brought(state, objections)
                if not following:
                    break
                passes.append(tuple(following))
                state, contents, objections = self._try(chosen, state, contents, following)
            if not objections:
                self.state, self._outcome.contents = state, contents
                self._outcome.passes += passes
                return True
            blamed = {id(each): one for one in reversed(objections) if _is_clear(one) for each in one.suspects}
            if not blamed:
                suspects = {id(each) for one in objections for each in one.suspects}
                others = [finding for finding in chosen if id(finding) not in suspects]
                half = len(chosen) // 2
                first = others or chosen[:half]
                return self._apply(first) or self._apply([one for one in chosen if one not in first])
            for finding in chosen:
                if id(finding) in blamed:
                    self._tried[key_of(finding)] = _words_of(finding)
                    self._outcome.refused[key_of(finding)] = blamed[id(finding)].reason
            chosen = [finding for finding in chosen if id(finding) not in blamed]
        return False

    def _try(
        self, chosen: Sequence[Finding], state: State, contents: dict[str, bytes], following: Sequence[Finding] = ()
    ) -> tuple[State, dict[str, bytes], list[Objection]]:
        """The state and the contents with some edits more, and what speaks against them all, held against now.

        Args:
            chosen: The findings to cure, with their fixes.
            state: What the edits count in: the project as it is or, after those of `chosen`, as it would be.
            contents: The new bytes of the files in that state.
            following: Findings of that state, whose fixes are put in instead.
        """
        contents = dict(contents)
        edits: dict[str, list[Edit]] = {}
        for finding in following or chosen:
            assert finding.fix is not None
            for edit in finding.fix.edits:
                edits.setdefault(edit.path, []).append(edit)
        for path, of_file in edits.items():
            old = contents[path] if path in contents else self._original(path)
            self._outcome.originals.setdefault(path, old)
            contents[path] = splice(old, of_file)
            assert outside_is_kept(old, contents[path], of_file), path
        after = self._prover.look(with_contents(self.state.project, contents), state)
        return after, contents, list(self._prover.objections(self.state, after, chosen, edits))

    def _repair_brought(self, state: State, objections: Sequence[Objection]) -> list[Finding]:
        """Fixes for what has come to light behind a cured import: another one that nothing guards, and the like.

        Empty where that is not all that speaks against the edits, or where something has no fix.
        """
        workshop = Workshop(state.looked, self._config, state.findings, self._shelf)
        taken: dict[str, list[Edit]] = {}
        found = []
        for one in objections:
            if one.brought is None or one.brought.code not in _COME_TO_LIGHT:
                return []
            fix = self._fix_for(one.brought, workshop, quiet=True)
            if fix is None or overlaps(taken, fix):
                return []
            found.append(replace(one.brought, fix=fix))
            for edit in fix.edits:
                taken.setdefault(edit.path, []).append(edit)
        return found

    def _original(self, path: str) -> bytes:
        file = self._files[path]
        return file.content if file.content is not None else self._shelf.contents[file.path]


def build(finding: Finding, workshop: Workshop, repairs: Mapping[str, Repair]) -> Fix | str | None:
    """The fix of a finding, why there is none, or None where its rule has no repair."""
    repair = repairs.get(finding.code)
    if repair is None:
        return None
    try:
        return repair.build(finding, workshop)
    except Refusal as refusal:
        return str(refusal)


def with_contents(project: Project, contents: Mapping[str, bytes]) -> Project:
    """The project with other bytes in some files."""
    files = (replace(file, content=contents.get(file.relative, file.content)) for file in project.files)
    return replace(project, files=tuple(files))


def _is_clear(objection: Objection) -> bool:
    """One fix is to blame, or all those that make one and the same edit, or each by itself."""
    if objection.together:
        return True
    fixes = [set(one.fix.edits) for one in objection.suspects if one.fix is not None]
    return len(fixes) == 1 or bool(set.intersection(*fixes))


def _words_of(finding: Finding) -> frozenset[tuple[str, str]]:
    """What the fix of a finding would put where, whatever lines have moved."""
    return frozenset((edit.path, edit.content) for edit in (finding.fix.edits if finding.fix is not None else ()))


def _urgency(finding: Finding) -> tuple[object, ...]:
    """Guards first: much of what follows from them goes away with them; comments last."""
    order = {"3": 0, "1": 1, "4": 2, "2": 3, "5": 4}
    return order.get(finding.code[3], 9), finding.sort_key
