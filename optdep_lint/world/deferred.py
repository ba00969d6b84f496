"""What fails when it is called although it needs nothing absent: it imports a module of the project that does need it, for something else."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from optdep_lint.facts.walk import Definition
from optdep_lint.world.calltime import CallTime, Functions
from optdep_lint.world.evaluation import Evaluation
from optdep_lint.world.frames import Frame
from optdep_lint.world.modules import Module
from optdep_lint.world.references import References
from optdep_lint.world.stdlib import is_stdlib_root
from optdep_lint.world.values import (
    ClassValue,
    Constant,
    Descriptor,
    External,
    Failure,
    FunctionValue,
    Instance,
    Items,
    Known,
    Method,
    ModuleValue,
    Table,
    Value,
)

_PLAIN = (ClassValue, Constant, Descriptor, FunctionValue, Instance, Items, Known, Method, ModuleValue, Table)


@dataclass(frozen=True, slots=True)
class Deferred:
    """A function that always fails for want of something that it does not use."""

    module: str
    function: str
    """Its dotted name in the module."""
    path: str
    at: int
    """The import in the function."""
    failure: Failure
    """That of the module it imports."""


def needless_failures(
    evaluation: Evaluation, base: Evaluation, functions: Functions, names: Iterable[str], references: References
) -> Iterator[Deferred]:
    """The functions that fail so in a world, of modules that import without what is absent.

    Args:
        evaluation: A world in which something is absent.
        base: The world in which everything is there.
        functions: The functions of all files.
        names: The modules that can differ.
        references: Those of either world.
    """
    failing = {name: evaluation.modules[name] for name in names if _fails_by_itself(evaluation.modules[name])}
    if not failing or not any(_lives_without(evaluation.modules[name], evaluation) for name in names):
        return
    called, whole = CallTime(evaluation, functions), CallTime(base, functions)
    words = {name.rpartition(".")[2] for name in failing}
    for name, spelled in references.spelling(words):
        reader = evaluation.modules.get(name)
        if reader is None or reader.status != "ok":
            continue
        for definition in functions.spelling(reader.source.summary, spelled):
            if reader.source.imports_any(reader.source.summary.body_of(definition.node.body), failing):
                yield from _failing(called, whole, base, reader, definition, failing)


def _fails_by_itself(module: Module) -> bool:
    failure = module.failure
    return module.status == "raises" and failure is not None and failure.cause is not None and not failure.chain


def _lives_without(module: Module, evaluation: Evaluation) -> bool:
    """A module that asks for what is absent, and imports all the same."""
    return module.status == "ok" and any(evaluation.world.missing(name) is not None for name in module.asked.felt)


def _failing(
    called: CallTime,
    whole: CallTime,
    base: Evaluation,
    reader: Module,
    definition: Definition,
    failing: dict[str, Module],
) -> Iterator[Deferred]:
    origins = {module.source.path: name for name, module in failing.items()}
    for use in called.call(reader, definition):
        failure = use.failure
        if not use.certain or failure.kind != "import" or len(failure.places) != 1 or failure.path not in origins:
            continue
        path, at = failure.places[0]
        name = origins[failure.path]
        if path == reader.source.path and _needs_nothing(
            whole, base, base.modules[reader.name], definition, base.modules[name]
        ):
            yield Deferred(reader.name, definition.name, path, at, failure)


def _needs_nothing(whole: CallTime, base: Evaluation, reader: Module, definition: Definition, needy: Module) -> bool:
    """All that the function comes to in the module is the project's own and plain."""
    reads: list[tuple[str, Value]] = []

    def look(name: str, value: Value, frame: Frame) -> None:
        if frame.module.name == needy.name and name in needy.namespace:
            reads.append((name, value))

    base.expressions.tell_of_reads(look)
    try:
        fails = any(use.certain for use in whole.call(reader, definition))
    finally:
        base.expressions.tell_of_reads(None)
    return whole.followed and not fails and bool(reads) and all(map(_is_plain, (value for _, value in reads)))


def _is_plain(value: Value) -> bool:
    if isinstance(value, External):
        return is_stdlib_root(value.path.partition(".")[0])
    return isinstance(value, _PLAIN)
