"""Writes docs/upstream-cures.md: the founding incidents, the cures that were merged, and what `--fix` writes, side by side.

Run `python docs/make_cures.py` after a change of the incident fixtures or of fixes; a test says when that was forgotten.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from optdep_lint.config import Config
from optdep_lint.discovery import discover
from optdep_lint.engine import look
from optdep_lint.fixers.passes import Passes

PAGE = Path(__file__).with_name("upstream-cures.md")
INCIDENTS = Path(__file__).parents[1] / "fixtures" / "incidents"
MARK = re.compile(r"  # expect[^\n]*")

HEAD = """\
# Upstream cures, side by side

Three faults of a large serving engine made us write optdep-lint. `fixtures/incidents` has each of them anew, as a small
package that runs: as it was released, as cures went wrong, and as it was merged in the end. This page holds the merged
cure against what `optdep-lint --fix --unsafe-fixes` writes on the same code. It is made by `docs/make_cures.py`, and a
test fails where it is not what the fixes write today; other tests run the repaired packages, with the dependency and
without it.

| the reviewers asked for | `--fix` writes |
| --- | --- |
| what uses the operation stands inside its guard, and importers expect its absence | the same ([first](#imported-under-a-test-of-the-platform)) |
| every gate asks the probe; the function is looked up once, not on every call | the same ([second](#a-rename-and-two-gates)) |
| each location has a probe of its own, joined by `or` | the same ([third](#probes-that-hide-each-other)) |
"""


@dataclass(frozen=True)
class Part:
    """One difference to show."""

    title: str
    text: str
    old: str
    """The variant of the incident that it starts from."""
    new: str = ""
    """The variant that it leads to; empty for what `--fix` makes of the old one."""
    only: str = ""
    """The file to show, by the end of its path; all that differ where it is empty."""


@dataclass(frozen=True)
class Incident:
    """One of the three."""

    folder: str
    title: str
    fault: str
    parts: tuple[Part, ...]


STORY = (
    Incident(
        "platform_guard",
        "Imported under a test of the platform",
        """\
`if current_platform.is_rocm():` guards `import aiter` and the registration of an operation; the classes that call the
operation stand outside. Without aiter every worker on ROCm dies at start; with the guard alone mended, the backend can
still be chosen, and calls operations that were never registered. See
[#22795](https://github.com/vllm-project/vllm/pull/22795) and [#23106](https://github.com/vllm-project/vllm/pull/23106).
""",
        (
            Part(
                "The cure that was merged",
                """\
The importer first asks `find_spec` for the project's own wrapper, which is always found (OPD407), and imports the class
below that test. The registration moved into a module of its own, and `import aiter` into the method that needs its
operations. The classes stay where they are. What the reviewer of the second change asked for, all definitions inside the
guard, was not done.
""",
                "before", "after", "eagle.py",
            ),
            Part(
                "What `--fix` writes",
                """\
What the reviewer asked for: the guard asks for the package as well (OPD102), every definition that depends on the
operation moves under it in order, decorators and docstrings included, and the importer learns to live without the name
(OPD301). `import aiter` is neither dropped nor moved: it registers operations.
""",
                "before",
            ),
        ),
    ),
    Incident(
        "gate_and_rename",
        "A rename and two gates",
        """\
The dependency renamed a function. A probe for just that function exists, and the default setting asks it; the pass
manager, which installs what calls the function, only asks whether the dependency is there. The implementation of the
operation imports the function on every call. See [#42606](https://github.com/vllm-project/vllm/pull/42606).
""",
        (
            Part(
                "The cure that was merged",
                """\
The pass manager asks the probe. The implementation imports the module, once on each call, and looks at the names that it
has: the import statement stayed on the hot path (OPD501).
""",
                "before", "after",
            ),
            Part(
                "What `--fix` writes",
                """\
The pass manager asks the same probe (OPD302), and the import moves into a function whose result is kept, so that a
process imports once (OPD501). Which of two names a release has, no fix can know: that part of the cure stays with people.
""",
                "before",
            ),
            Part(
                "What `--fix` writes on the merged cure",
                "What was left is repaired: nothing is imported on a call any more.\n",
                "after",
            ),
        ),
    ),
    Incident(
        "hidden_probe",
        "Probes that hide each other",
        """\
A probe asked for kernels in a place that no current release has; they had moved to another package. The first cures asked
for the second place as well, but below an early `return` for the first package, or in the same `try`: `find_spec` of a
dotted name raises where its parent is absent, and the second place is never asked. See
[#40289](https://github.com/vllm-project/vllm/pull/40289).
""",
        (
            Part(
                "The cure that was merged",
                "A helper with a handler of its own answers for each place, and the answers are joined by `or`.\n",
                "before", "after", "rocm.py",
            ),
            Part(
                "What `--fix` writes on the first cure that went wrong",
                """\
The early `return` goes, since what follows asks for the same place again, and each place gets the helper (OPD403). The
fault as it was released is no fault of the code's form: `--against` a release says that the place is gone (OPD408), and
where the kernels have moved is not for a linter to say.
""",
                "wrong_top_guard_kept",
            ),
            Part(
                "What `--fix` writes on the second",
                "The helper again, for both places (OPD401).\n",
                "wrong_shared_try",
            ),
        ),
    ),
)  # fmt: skip


def page() -> str:
    """The whole page."""
    return "\n".join((HEAD, *(line for incident in STORY for line in _incident(incident))))


def _incident(incident: Incident) -> Iterator[str]:
    yield f"## {incident.title}\n\n{incident.fault}"
    for part in incident.parts:
        folder = INCIDENTS / incident.folder
        old = _files(folder / part.old)
        new = _files(folder / part.new) if part.new else {**old, **_fixed(folder / part.old)}
        shown = {path for path in old if path.endswith(part.only)}
        yield f"### {part.title}\n\n{part.text}\n```diff\n{_difference(old, new, shown)}```\n"


def _files(folder: Path) -> dict[str, str]:
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in sorted(folder.rglob("*.py"))
    }


def _fixed(folder: Path) -> Mapping[str, str]:
    """What fixes, unsafe ones too, make of the files that they change."""
    (project,) = discover([folder], Config())
    outcome = Passes(look(project, Config()), Config(), fixable=None, unsafe=True).run()
    return {path: new.decode() for path, _, new in outcome.changed()}


def _difference(old: Mapping[str, str], new: Mapping[str, str], shown: Iterable[str]) -> str:
    text = ""
    for path in sorted(shown):
        before, after = (MARK.sub("", side[path]).splitlines(keepends=True) for side in (old, new))
        text += "".join(difflib.unified_diff(before, after, path, path, n=2))
    return text


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
