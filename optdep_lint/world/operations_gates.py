"""Gates that disagree: both put in place what needs a capability, and only one asks for it."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass

from optdep_lint.facts import syntax
from optdep_lint.facts.walk import all_expressions
from optdep_lint.world.calltime import CallTime, Functions
from optdep_lint.world.capabilities import Probe, answers_no, asked_in, candidates
from optdep_lint.world.evaluation import Evaluation
from optdep_lint.world.gates import Asked, Consulted, gates_of, makers_of
from optdep_lint.world.probes_asked import functions_spelling
from optdep_lint.world.survey import Survey
from optdep_lint.world.values import ClassValue
from optdep_lint.world.variation import Readers, vary
from optdep_lint.world.words import Words

_MOST_PROBES = 20


@dataclass(frozen=True, slots=True)
class Disagreement:
    """A gate that does not ask the probe."""

    gate: Asked
    path: str
    installs: str
    """The class that it puts in place."""
    probe: Probe
    elsewhere: tuple[str, int]
    """Where another gate asks it: a path and a position."""


def disagreements(survey: Survey) -> Iterator[Disagreement]:
    """Every gate that installs a class without asking the probe for what the class needs."""
    words = Words()
    readers: Readers | None = None
    evaluations: dict[str, Evaluation] = {}
    for count, (probe, needing) in enumerate(_probes_with_needs(survey)):
        if count == _MOST_PROBES:
            return
        elsewhere = _asked_elsewhere(survey, probe)
        if elsewhere is None:
            continue
        evaluation = evaluations.get(probe.asked.module)
        if evaluation is None:
            readers = readers or Readers(survey.base)
            world = survey.declared.world(f"without {probe.asked.module}", {probe.asked.module})
            evaluation = evaluations[probe.asked.module] = vary(survey.base, readers, world)
        if not answers_no(evaluation, probe) or answers_no(survey.base, probe):
            continue
        users = _users(survey, evaluation, needing, words)
        yield from _in_gates(survey, probe, elsewhere, users, words)


def _probes_with_needs(survey: Survey) -> Iterator[tuple[Probe, list[tuple[str, str]]]]:
    """Probes, and the functions elsewhere that ask for the same in order to use it."""
    probes = list(candidates(survey))
    asking = _asking(survey, {probe.asked.module for probe in probes})
    for probe in probes:
        needing = []
        for name in asking[probe.asked.module]:
            source = survey.tree.sources[name]
            for definition in functions_spelling(survey, source, (probe.asked.module,)):
                if definition.outer is None and (name, definition.name) != (probe.module, probe.function):
                    asked = {one.module: one.names for one in asked_in(source.summary, definition)}
                    names = asked.get(probe.asked.module)
                    if names is not None and (not probe.asked.names or names <= probe.asked.names):
                        needing.append((name, definition.name))
        if needing:
            yield probe, needing


def _asking(survey: Survey, wanted: Collection[str]) -> Mapping[str, Collection[str]]:
    """The files that ask for some modules, or for something in them."""
    found: dict[str, dict[str, None]] = {module: {} for module in wanted}
    for name, source in survey.tree.sources.items() if wanted else ():
        for asked in source.summary.asks:
            module = asked
            while module:
                if module in found:
                    found[module][name] = None
                module = module.rpartition(".")[0]
    return found


def _users(
    survey: Survey, evaluation: Evaluation, needing: list[tuple[str, str]], words: Words
) -> set[tuple[str, str]]:
    """The classes that fail without the capability: by their own code, or by the operations that they call."""
    calltime = CallTime(evaluation, Functions())

    def fails(name: str, function: str) -> bool:
        module = evaluation.modules[name]
        definition = next((one for one in words.functions(module.source.summary) if one.name == function), None)
        if definition is None or module.status != "ok":
            return False
        return any(use.certain and use.failure.cause is not None for use in calltime.call(module, definition))

    users = {(name, function.partition(".")[0]) for name, function in needing if fails(name, function)}
    modules = {name for name, _ in needing}
    operations = {
        operation.partition("::")[2]
        for operation, found in survey.base.operations.implementations.items()
        if found.module.name in modules and fails(found.module.name, found.name)
    }
    if operations:
        users |= set(_spelling(survey, operations, words))
    users = {user for user in users if isinstance(survey.base.modules[user[0]].namespace.get(user[1]), ClassValue)}
    return users | {maker for user in users for maker in makers_of(survey.base, *user)}


def _spelling(survey: Survey, operations: set[str], words: Words) -> Iterator[tuple[str, str]]:
    """The classes and functions that read one of these operations."""
    for name, source in survey.tree.sources.items():
        reading = {one.name for one in words.spelling(source.summary, ("ops",))}
        for one in words.spelling(source.summary, operations):
            if one.name in reading:
                yield name, one.name.partition(".")[0]


def _in_gates(
    survey: Survey, probe: Probe, elsewhere: tuple[str, int], users: set[tuple[str, str]], words: Words
) -> Iterator[Disagreement]:
    consulted = Consulted(survey.base)
    key = (probe.module, probe.function)
    for module, name in sorted(users):
        if _asks_itself(survey, module, name, probe, words):
            continue
        for gate in gates_of(survey.base, module, name):
            found = [(condition, *consulted.by(condition.test, gate.module)) for condition in gate.conditions]
            if any(key in seen for _, seen, _ in found):
                continue
            roots = [
                condition
                for condition, _, asked in found
                if any(survey.declared.root_of(one) == probe.root for one in asked if one)
            ]
            if roots:
                yield Disagreement(roots[-1], survey.tree.sources[gate.module].path, name, probe, elsewhere)


def _asked_elsewhere(survey: Survey, probe: Probe) -> tuple[str, int] | None:
    """A place that asks the probe."""
    for name, source in survey.tree.sources.items():
        for definition in functions_spelling(survey, source, (probe.function,)):
            if (name, definition.name) == (probe.module, probe.function):
                continue
            for part in all_expressions(source.summary.body_of(definition.node.body)):
                if isinstance(part, syntax.Call) and _calls(part, probe.function):
                    return source.path, part.at
    return None


def _calls(call: syntax.Call, name: str) -> bool:
    function = call.function
    return (isinstance(function, syntax.Name) and function.id == name) or (
        isinstance(function, syntax.Attribute) and function.name == name
    )


def _asks_itself(survey: Survey, module: str, name: str, probe: Probe, words: Words) -> bool:
    """The class asks the probe in its own code."""
    summary = survey.tree.sources[module].summary
    asking = words.spelling(summary, (probe.function,))
    return any(one.name.partition(".")[0] == name for one in asking)
