"""Tiny projects from strings."""

import textwrap

import pytest

from optdep_lint.summarize import summarize
from optdep_lint.world.evaluation import Evaluation
from optdep_lint.world.modules import Source, Tree
from optdep_lint.world.worlds import World

ABSENT = frozenset({"gone", "lost"})


class Project:
    """Modules from strings, in a world in which `gone` and `lost` are absent."""

    def __init__(self, modules, world=None, **tree):
        sources = {}
        for name, text in modules.items():
            package = any(other.startswith(f"{name}.") for other in modules)
            path = name.replace(".", "/") + ("/__init__.py" if package else ".py")
            sources[name] = Source(name, path, package, summarize(textwrap.dedent(text).encode()))
        distributions = {root: root for root in ABSENT}
        world = world or World("test", absent=ABSENT, distributions=distributions)
        self.evaluation = Evaluation(Tree(sources, complete=True, **tree), world)

    def outcome(self, name):
        """`ok`, `maybe`, or the missing name where importing raises."""
        outcome = self.evaluation.outcome(name)
        if outcome.status != "raises":
            return outcome.status
        return outcome.failure.cause.missing if outcome.failure.cause else "raises"

    def value(self, module, name):
        """The constant that a module binds a name to."""
        self.evaluation.outcome(module)
        return self.evaluation.modules[module].names[name].value


@pytest.fixture
def project():
    """Make a project: `project({"a": "import gone"})`."""
    return Project


@pytest.fixture
def outcome():
    """What importing one module with this source does."""
    return lambda text, world=None, **modules: Project({"m": text, **modules}, world).outcome("m")
