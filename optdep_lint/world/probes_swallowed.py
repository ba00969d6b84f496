"""Which handlers meant for a missing dependency swallow more: failures of the project itself, or everything there is."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from optdep_lint.facts import syntax
from optdep_lint.facts.walk import all_expressions, expressions, statements
from optdep_lint.world.modules import Module
from optdep_lint.world.probes import Unit, inquirer
from optdep_lint.world.probes_asked import functions_spelling
from optdep_lint.world.probes_census import census
from optdep_lint.world.probes_shared import (
    Guarded,
    catches_absence,
    caught_names,
    goes_on,
    guarded_tries,
    imported_by_call,
    imports_of,
)
from optdep_lint.world.survey import Survey
from optdep_lint.world.values import ClassValue, External, FunctionValue, Value

_BROAD = frozenset({"Exception", "BaseException"})
_ABSENCE = frozenset({"ImportError", "ModuleNotFoundError"})


@dataclass(frozen=True, slots=True)
class Swallowing:
    """A handler that catches more than an absence."""

    path: str
    at: int
    root: str
    """The optional root whose absence it is for."""
    unrelated: str = ""
    """The project's own import or call whose failure it hides; empty where it hides everything."""
    line_of_it: int = 0


def swallowing_handlers(survey: Survey) -> Iterator[Swallowing]:
    """Handlers that hide failures that have nothing to do with an absence."""
    for guarded in guarded_tries(survey):
        root = next(_roots(survey, guarded), None)
        if root is None:
            continue
        found = _broad(guarded, root) or _mixed(survey, guarded, root)
        if found is not None and not _needs(survey, guarded.source.name, root):
            yield found
    yield from _suppressed(survey)


def _needs(survey: Survey, module: str, root: str) -> bool:
    """The module does not import without the root: its handlers are about something else."""
    return inquirer(survey).inquiry(Unit(module), {root}, forgiving=False).module(module).status == "raises"


def _roots(survey: Survey, guarded: Guarded) -> Iterator[str]:
    """The optional roots that the body itself imports."""
    yield from _roots_in(survey, guarded.statement.body)


def _roots_in(survey: Survey, block: syntax.Block) -> Iterator[str]:
    for statement in statements(block):
        for dotted, _, _ in imports_of(statement):
            root = survey.declared.root_of(dotted)
            if root in survey.declared.optional:
                yield root


# --- a handler for everything ------------------------------------------------------------------------------------


def _broad(guarded: Guarded, root: str) -> Swallowing | None:
    """`except Exception`, silent, round nothing but imports."""
    if not all(_only_imports(statement) for statement in guarded.statement.body):
        return None
    for handler in guarded.statement.handlers:
        names = caught_names(handler)
        if names & _ABSENCE and not names & _BROAD:
            return None
        if names & _BROAD:
            rest = names - _BROAD - _ABSENCE
            return Swallowing(guarded.source.path, handler.at, root) if not rest and _is_silent(handler) else None
    return None


def _suppressed(survey: Survey) -> Iterator[Swallowing]:
    """`with suppress(Exception)` round nothing but imports."""
    for source in survey.tree.sources.values():
        module = survey.base.modules.get(source.name) if source.name in survey.judged else None
        if module is None or "contextlib" not in " ".join(source.summary.asks):
            continue
        words = {"suppress", *(name for name, value in module.namespace.items() if _is_suppress(value))}
        functions = functions_spelling(survey, source, words)
        for block in (source.summary.body, *(source.summary.body_of(one.node.body) for one in functions)):
            for statement in statements(block):
                if isinstance(statement, syntax.With) and all(_only_imports(one) for one in statement.body):
                    root = next(_roots_in(survey, statement.body), None)
                    if root is not None and any(
                        _suppresses_all(survey, module, item.context) for item in statement.items
                    ):
                        yield Swallowing(source.path, statement.at, root)


def _suppresses_all(survey: Survey, module: Module, node: syntax.Expression) -> bool:
    if not isinstance(node, syntax.Call):
        return False
    value = census(survey).resolve(node.function, module, {})
    names = {part.id for one in node.arguments for part in expressions(one) if isinstance(part, syntax.Name)}
    return _is_suppress(value) and bool(names & _BROAD)


def _is_suppress(value: Value | None) -> bool:
    return isinstance(value, External) and value.path == "contextlib.suppress"


def _only_imports(statement: syntax.Statement) -> bool:
    match statement:
        case syntax.Import() | syntax.ImportFrom():
            return True
        case syntax.Assign() | syntax.Return() | syntax.Annotated():
            return imported_by_call(statement.value) is not None or not any(
                isinstance(part, (syntax.Call, syntax.Subscript, syntax.Opaque))
                for part in expressions(statement.value)
            )
        case syntax.Delete() | syntax.Scope():
            return True
    return False


def _is_silent(handler: syntax.Handler) -> bool:
    """Nothing is said, kept or raised."""
    for statement in statements(handler.body):
        if isinstance(statement, (syntax.Raise, syntax.Try, syntax.Import, syntax.ImportFrom)):
            return False
    for part in all_expressions(handler.body):
        if isinstance(part, syntax.Call) or (isinstance(part, syntax.Name) and part.id == handler.name):
            return False
    return True


# --- a body that does more ---------------------------------------------------------------------------------------


def _mixed(survey: Survey, guarded: Guarded, root: str) -> Swallowing | None:
    """A handler for ImportError over something of the project's own that needs nothing optional."""
    handler = next((one for one in guarded.statement.handlers if catches_absence(one)), None)
    if handler is None or not goes_on(handler) or caught_names(handler) - _ABSENCE or _keeps(handler):
        return None
    for statement in guarded.statement.body:
        unrelated = _unrelated(survey, guarded, statement)
        if unrelated is not None:
            return Swallowing(
                guarded.source.path,
                handler.at,
                root,
                unrelated,
                (statement.at if hasattr(statement, "at") else 0) >> 48,
            )
    return None


def _keeps(handler: syntax.Handler) -> bool:
    """The handler does something with the exception itself."""
    return handler.name is not None and any(
        isinstance(part, syntax.Name) and part.id == handler.name for part in all_expressions(handler.body)
    )


def _unrelated(survey: Survey, guarded: Guarded, statement: syntax.Statement) -> str | None:
    match statement:
        case syntax.Import():
            for alias in statement.names:
                if _needs_nothing(survey, guarded, alias.name):
                    return f"the import of `{alias.name}`"
        case syntax.ImportFrom():
            module = guarded.source.absolute(statement)
            for alias in statement.names:
                name = f"{module}.{alias.name}" if f"{module}.{alias.name}" in survey.tree.sources else module
                if name is None or not _needs_nothing(survey, guarded, name):
                    return None
            return f"the import of `{module}`"
        case syntax.Evaluate(value=syntax.Call() as call):
            return _unrelated_call(survey, guarded, call)
    return None


def _needs_nothing(survey: Survey, guarded: Guarded, name: str) -> bool:
    """A module of the project whose import asks for nothing optional, directly or through others."""
    module = survey.base.modules.get(name)
    if module is None or module.status != "ok" or module.dynamic:
        return False
    own = guarded.source.name
    seen, waiting = {name}, [name]
    while waiting:
        current = survey.base.modules.get(waiting.pop())
        if current is None:
            return False
        if any(_is_optional(survey, felt) for felt in (*current.asked.felt, *current.source.summary.asks)):
            return False
        for read, _ in current.asked.reads:
            if read not in seen and own != read and not own.startswith(f"{read}."):
                seen.add(read)
                waiting.append(read)
    return True


def _is_optional(survey: Survey, felt: str) -> bool:
    return felt.endswith(")") or survey.declared.root_of(felt) in survey.declared.optional


def _unrelated_call(survey: Survey, guarded: Guarded, call: syntax.Call) -> str | None:
    """A call of one of the project's own functions that has nothing to do with what was just imported."""
    module = survey.base.modules[guarded.source.name]
    value = census(survey).resolve(call.function, module, {}, guarded.definition)
    if not isinstance(value, (FunctionValue, ClassValue)) or value.module.name == guarded.source.name:
        return None
    given = [*call.arguments, *(keyword.value for keyword in call.keywords)]
    if any(isinstance(part, syntax.Name) or _names_root(survey, part) for one in given for part in expressions(one)):
        return None
    return f"the call of `{value.name}`" if _needs_nothing(survey, guarded, value.module.name) else None


def _names_root(survey: Survey, node: syntax.Expression) -> bool:
    """A text that names an optional root: what it is given to may be the question whether that is there."""
    return (
        isinstance(node, syntax.Constant)
        and isinstance(node.value, str)
        and survey.declared.root_of(node.value) in survey.declared.optional
    )
