"""How the project itself guards optional imports: sentinels or flags, and how it names these."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from optdep_lint.facts import syntax
from optdep_lint.facts.summary import Summary
from optdep_lint.facts.walk import statements
from optdep_lint.world.survey import Survey

_AFFIXES = (
    ("HAS_", ""),
    ("_HAS_", ""),
    ("HAVE_", ""),
    ("", "_AVAILABLE"),
    ("_", "_AVAILABLE"),
    ("IS_", "_AVAILABLE"),
    ("", "_INSTALLED"),
    ("has_", ""),
    ("_has_", ""),
    ("", "_available"),
)


@dataclass(frozen=True, slots=True)
class Habit:
    """What stands in for a missing thing."""

    prefix: str | None = None
    """Of a flag's name; None where the project uses sentinels."""
    suffix: str = ""

    def flag(self, root: str) -> str | None:
        """The flag's name for a root, or None."""
        if self.prefix is None:
            return None
        word = root.replace(".", "_")
        affixes = self.prefix + self.suffix
        return self.prefix + (word.lower() if affixes.lower() == affixes else word.upper()) + self.suffix


def habit_of(survey: Survey, module: str) -> Habit:
    """The habit of a module, else that of the whole project; without any, a sentinel."""
    sources = survey.tree.sources
    own = _habits_in(sources[module].summary) if module in sources else Counter()
    seen = own or _habits_of_all(survey)
    return max(seen, key=lambda habit: (seen[habit], habit.prefix is None), default=Habit())


def _habits_of_all(survey: Survey) -> Counter[Habit]:
    """How often a project has which habit."""
    found: Counter[Habit] | None = survey.kept.get("habits")
    if found is None:
        found = survey.kept["habits"] = Counter()
        for source in survey.tree.sources.values():
            found.update(_habits_in(source.summary))
    return found


def _habits_in(summary: Summary) -> Counter[Habit]:
    habits = map(_habit_in, statements(summary.body))
    return Counter(habit for habit in habits if habit is not None)


def _habit_in(statement: syntax.Statement) -> Habit | None:
    """What a guarded import's handler leaves behind."""
    if not isinstance(statement, syntax.Try) or not any(
        isinstance(one, (syntax.Import, syntax.ImportFrom)) for one in statement.body
    ):
        return None
    for handler in statement.handlers:
        for one in handler.body:
            if not isinstance(one, syntax.Assign) or not isinstance(one.value, syntax.Constant):
                continue
            target = one.targets[0]
            if not isinstance(target, syntax.Name):
                continue
            if one.value.value is None:
                return Habit()
            if one.value.value is False:
                return _affixes(target.id)
    return None


def _affixes(name: str) -> Habit | None:
    for prefix, suffix in sorted(_AFFIXES, key=lambda pair: -len(pair[0]) - len(pair[1])):
        if name.startswith(prefix) and name.endswith(suffix) and len(name) > len(prefix) + len(suffix):
            return Habit(prefix, suffix)
    return None
