"""What stands together in a `try`: which optional roots its body needs, which names and flags go with each, who uses them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from optdep_lint.facts import syntax
from optdep_lint.facts.summary import Summary
from optdep_lint.facts.syntax import Block, Statement
from optdep_lint.facts.walk import Definition, definitions, expressions, last_name, parts_of, statements
from optdep_lint.world.modules import Source
from optdep_lint.world.probes_asked import asking_sources, asking_words, functions_spelling
from optdep_lint.world.survey import Survey

CATCHES_ABSENCE = frozenset({"ImportError", "ModuleNotFoundError", "Exception", "BaseException"})
_IMPORTING = frozenset({"import_module", "__import__"})


@dataclass(frozen=True, slots=True)
class Guarded:
    """A `try` whose handler lets the program go on without what its body imports."""

    source: Source
    statement: syntax.Try
    definition: Definition | None
    """The function that it stands in."""
    block: Block
    """The block that it stands in."""


@dataclass(slots=True)
class Together:
    """An optional root that a `try` imports."""

    root: str
    at: int
    """Its first import."""
    names: set[str] = field(default_factory=set)
    """What its imports bind, and the flags that are set between it and the next root's import."""


@dataclass(frozen=True, slots=True)
class Shared:
    """Two roots in one `try` that are used apart."""

    path: str
    at: int
    """The import of the second."""
    first: str
    second: str


def guarded_tries(survey: Survey) -> list[Guarded]:
    """Every `try` of the subjects with a handler that catches an absence and goes on, where something optional can be asked for."""
    found: list[Guarded] | None = survey.kept.get("guarded tries")
    if found is None:
        found = survey.kept["guarded tries"] = list(_guarded_tries(survey))
    return found


def _guarded_tries(survey: Survey) -> Iterator[Guarded]:
    for source in asking_sources(survey):
        yield from _tries(source, None, source.summary.body)
        for definition in functions_spelling(survey, source, asking_words(survey, source)):
            yield from _tries(source, definition, source.summary.body_of(definition.node.body))


def _suppressing(survey: Survey) -> Iterator[Guarded]:
    """Every `with suppress(ImportError)` at the top of a file, as the `try` with an empty handler that it is."""
    for source in asking_sources(survey):
        for statement in source.summary.body:
            if isinstance(statement, syntax.With) and len(statement.items) == 1:
                context = statement.items[0].context
                if isinstance(context, syntax.Call) and last_name(context.function) == "suppress":
                    handlers = tuple(syntax.Handler(one, None, (), statement.at) for one in context.arguments)
                    if any(map(catches_absence, handlers)):
                        node = syntax.Try(statement.body, handlers, (), (), False, statement.at)
                        yield Guarded(source, node, None, source.summary.body)


def _tries(source: Source, definition: Definition | None, block: Block) -> Iterator[Guarded]:
    for statement in block:
        if isinstance(statement, syntax.Try) and any(
            catches_absence(one) and goes_on(one) for one in statement.handlers
        ):
            yield Guarded(source, statement, definition, block)
        for _, inner in parts_of(statement):
            yield from _tries(source, definition, inner)


def caught_names(handler: syntax.Handler) -> frozenset[str]:
    """The last parts of the names of what a handler catches; `BaseException` where it names nothing."""
    if handler.type is None:
        return frozenset({"BaseException"})
    parts = list(expressions(handler.type))
    return frozenset(
        {part.id for part in parts if isinstance(part, syntax.Name)}
        | {part.name for part in parts if isinstance(part, syntax.Attribute)}
    )


def catches_absence(handler: syntax.Handler) -> bool:
    """The handler catches ImportError, by this or a wider name."""
    return bool(caught_names(handler) & CATCHES_ABSENCE)


def goes_on(handler: syntax.Handler) -> bool:
    """The handler does not raise on every way through it, as far as its last statement tells."""
    return not handler.body or not isinstance(handler.body[-1], syntax.Raise)


# --- roots that are used apart -----------------------------------------------------------------------------------


def shared_tries(survey: Survey) -> Iterator[Shared]:
    """Imports of independent roots in one `try`, whose flags or uses are separate."""
    for guarded in (*guarded_tries(survey), *_suppressing(survey)):
        together = _roots(survey, guarded)
        for index, second in enumerate(together[1:], 1):
            first = next((one for one in together[:index] if _are_apart(survey, guarded, one, second)), None)
            if first is not None:
                yield Shared(guarded.source.path, second.at, first.root, second.root)
                break


def _roots(survey: Survey, guarded: Guarded) -> list[Together]:
    """The optional roots that the body imports at its own level, with the names that go with each."""
    found: dict[str, Together] = {}
    last: Together | None = None
    for statement in guarded.statement.body:
        imported = list(imports_of(statement))
        if not imported and isinstance(statement, syntax.Assign) and last is not None:
            reads = {part.id for part in expressions(statement.value) if isinstance(part, syntax.Name)}
            holder = next((one for one in found.values() if reads & one.names), last)
            holder.names |= {target.id for target in statement.targets if isinstance(target, syntax.Name)}
        for dotted, name, at in imported:
            root = survey.declared.root_of(dotted)
            if root in survey.declared.optional:
                last = found.setdefault(root, Together(root, at))
                last.names.add(name)
    return list(found.values())


def imports_of(statement: Statement) -> Iterator[tuple[str, str, int]]:
    """The names of other projects that a statement imports, each with what it is bound to and where; `x = import_module("y")` is one."""
    match statement:
        case syntax.Import():
            for alias in statement.names:
                yield alias.name, alias.asname or alias.name.partition(".")[0], statement.at
        case syntax.ImportFrom(level=0):
            for alias in statement.names:
                yield f"{statement.module}.{alias.name}", alias.asname or alias.name, statement.at
        case (
            syntax.Assign(targets=(syntax.Name(id=name), *_), value=value)
            | syntax.Annotated(target=syntax.Name(id=name), value=value)
        ):
            dotted = imported_by_call(value)
            if dotted is not None:
                yield dotted, name, statement.at


def imported_by_call(value: syntax.Expression | None) -> str | None:
    """What `import_module("x")`, or an attribute of that, imports."""
    while isinstance(value, syntax.Attribute):
        value = value.value
    if isinstance(value, syntax.Call) and value.arguments and last_name(value.function) in _IMPORTING:
        first = value.arguments[0]
        if isinstance(first, syntax.Constant) and isinstance(first.value, str) and not first.value.startswith("."):
            return first.value
    return None


def _are_apart(survey: Survey, guarded: Guarded, first: Together, second: Together) -> bool:
    if come_together(survey, first.root, second.root):
        return False
    flags = _flags(guarded)
    if len(flags) > 1:
        mine, others = _flags_of(flags, first), _flags_of(flags, second)
        return bool(mine) and bool(others) and mine.isdisjoint(others)
    if flags or guarded.definition is not None:
        return False
    return _used_apart(guarded, first, second)


def _flags(guarded: Guarded) -> frozenset[str]:
    """Names that the body, or what runs after it, sets to True and a handler to False."""
    positive = _set_to(guarded.statement.body + guarded.statement.orelse, value=True)
    negative = {
        name for handler in guarded.statement.handlers for name in _set_to(handler.body, value=False)
    } | _set_to(guarded.block, value=False)
    return frozenset(positive & negative)


def _set_to(block: Block, *, value: bool) -> set[str]:
    return {
        target.id
        for statement in block
        if isinstance(statement, syntax.Assign)
        and isinstance(statement.value, syntax.Constant)
        and statement.value.value is value
        for target in statement.targets
        if isinstance(target, syntax.Name)
    }


def _flags_of(flags: frozenset[str], root: Together) -> frozenset[str]:
    """The flags that speak of a root: by their names, or by where they are set."""
    first = root.root.partition(".")[0]
    words = {first, *root.names, *(part for part in first.split("_") if len(part) > 3)} - flags
    plain = {word.replace("_", "").lower() for word in words if len(word) > 2}
    named = frozenset(flag for flag in flags if any(word in flag.replace("_", "").lower() for word in plain))
    return named or frozenset(flags & root.names)


def come_together(survey: Survey, first: str, second: str) -> bool:
    """One distribution or one extra brings both, or one is an addition to the other."""
    requirements = survey.declared.metadata.requirements_of
    mine, others = requirements(first), requirements(second)
    if {one.distribution for one in mine} & {one.distribution for one in others}:
        return True
    if {one.extra for one in mine if one.extra} & {one.extra for one in others if one.extra}:
        return True
    left, right = (root.replace("_", "").replace(".", "").lower() for root in (first, second))
    return left in right or right in left


def _used_apart(guarded: Guarded, first: Together, second: Together) -> bool:
    """A handler puts sentinels in the place of both, and the project asks for each of them alone, never for both at once."""
    if not all(_is_sentinel(guarded, root) for root in (first, second)):
        return False
    about = [(bool(names & first.names), bool(names & second.names)) for names in _tests(guarded.source.summary)]
    return (True, False) in about and (False, True) in about and (True, True) not in about


def _tests(summary: Summary) -> Iterator[frozenset[str]]:
    """The names in every condition of a file that asks whether something is there."""
    blocks = [summary.body, *(summary.body_of(definition.node.body) for definition in definitions(summary))]
    for block in blocks:
        for statement in statements(block):
            tests = [statement.test] if isinstance(statement, (syntax.If, syntax.Assert)) else []
            tests += [part.test for part in expressions(statement) if isinstance(part, syntax.Conditional)]
            for test in tests:
                if _asks(test):
                    yield frozenset(part.id for part in expressions(test) if isinstance(part, syntax.Name))


def _asks(test: syntax.Expression) -> bool:
    """A condition compares a name with None, or takes it as yes or no."""
    match test:
        case syntax.Name() | syntax.Not(operand=syntax.Name()):
            return True
        case syntax.Compare(left=syntax.Name(), rights=(syntax.Constant(value=None),)):
            return True
        case syntax.Boolean(operands=operands):
            return any(_asks(operand) for operand in operands)
    return False


def _is_sentinel(guarded: Guarded, root: Together) -> bool:
    """A handler binds a root's names to something else, or leaves them unbound: each is its own flag."""
    bound = {
        target.id
        for handler in guarded.statement.handlers
        for statement in statements(handler.body)
        if isinstance(statement, syntax.Assign)
        for target in statement.targets
        if isinstance(target, syntax.Name)
    }
    return bool(bound & root.names) or all(not handler.body for handler in guarded.statement.handlers)
