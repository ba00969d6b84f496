"""Capabilities: parts of an optional dependency that the project probes for apart from the whole."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

from optdep_lint.facts import syntax
from optdep_lint.facts.summary import Summary
from optdep_lint.facts.syntax import Block
from optdep_lint.facts.walk import Definition, all_expressions, expressions, last_name, statements
from optdep_lint.world.evaluation import Evaluation
from optdep_lint.world.following import GiveUp
from optdep_lint.world.frames import Frame, State
from optdep_lint.world.probes_asked import functions_spelling, optional_words
from optdep_lint.world.survey import Survey
from optdep_lint.world.truth import Truth
from optdep_lint.world.values import FunctionValue, Raised


class Asked(NamedTuple):
    """What a function asks of an optional dependency."""

    module: str
    """Dotted."""
    names: frozenset[str]
    """Of that module; empty where it asks for the module itself."""


@dataclass(frozen=True, slots=True)
class Probe:
    """A function that says whether a part of an optional dependency is there."""

    module: str
    function: str
    root: str
    asked: Asked


def candidates(survey: Survey) -> Iterator[Probe]:
    """The functions that look like probes for a part of an optional root: they ask for it, and do nothing with it."""
    for name, source in survey.tree.sources.items():
        if not any(
            "." in asked and survey.declared.root_of(asked) in survey.declared.optional for asked in source.summary.asks
        ):
            continue
        for definition in functions_spelling(survey, source, optional_words(survey, source)):
            if definition.outer is not None or definition.owner is not None or definition.node.parameters:
                continue
            for asked in asked_in(source.summary, definition):
                root = survey.declared.root_of(asked.module)
                if root in survey.declared.optional and _only_asks(source.summary.body_of(definition.node.body)):
                    yield Probe(name, definition.name, root, asked)


def asked_in(summary: Summary, definition: Definition) -> list[Asked]:
    """The submodules, and names of them, that a function imports or looks for."""
    modules: dict[str, set[str]] = {}
    for statement in statements(summary.body_of(definition.node.body)):
        match statement:
            case syntax.ImportFrom(level=0) if "." in statement.module:
                modules.setdefault(statement.module, set()).update(alias.name for alias in statement.names)
            case syntax.Import():
                for alias in statement.names:
                    if "." in alias.name:
                        modules.setdefault(alias.name, set())
        for part in expressions(statement):
            if (
                isinstance(part, syntax.Call)
                and last_name(part.function) in ("find_spec", "import_module")
                and part.arguments
            ):
                first = part.arguments[0]
                if (
                    isinstance(first, syntax.Constant)
                    and isinstance(first.value, str)
                    and "." in first.value.strip(".")
                ):
                    modules.setdefault(first.value, set())
    return [Asked(module, frozenset(names)) for module, names in modules.items()]


def _only_asks(body: Block) -> bool:
    """What is imported is not called: it is only seen to be there."""
    bound: set[str] = set()
    for statement in statements(body):
        if isinstance(statement, (syntax.Import, syntax.ImportFrom)):
            bound |= {alias.asname or alias.name.partition(".")[0] for alias in statement.names}
    for part in all_expressions(body):
        if isinstance(part, syntax.Call):
            function = part.function
            while isinstance(function, syntax.Attribute):
                function = function.value
            if isinstance(function, syntax.Name) and function.id in bound - {"importlib"}:
                return False
    return True


def answers_no(evaluation: Evaluation, probe: Probe) -> bool:
    """In this world the probe says no, and does not fail."""
    module = evaluation.modules.get(probe.module)
    function = module.namespace.get(probe.function) if module is not None and module.status == "ok" else None
    if module is None or not isinstance(function, FunctionValue):
        return False
    frame = Frame("module", module, State(module.namespace, {}))
    evaluation.budget = 1000
    try:
        with evaluation.imagined():
            answer = evaluation.calls.run_function(function, (), {}, frame, 0)
            return evaluation.expressions.truth(answer, frame)[0] is Truth.NO
    except (Raised, GiveUp):
        return False
    finally:
        evaluation.budget = None
