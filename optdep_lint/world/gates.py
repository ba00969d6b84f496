"""Gates: conditions under which the project puts an implementation in place, and what they ask."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from optdep_lint.facts import syntax
from optdep_lint.facts.syntax import Block, Expression
from optdep_lint.facts.walk import all_expressions, definitions, expressions, parts_of, statements
from optdep_lint.world.evaluation import Evaluation
from optdep_lint.world.modules import Module
from optdep_lint.world.values import ClassValue, Descriptor, FunctionValue, Known, ModuleValue, Value

_DEEPEST = 6


class Asked(NamedTuple):
    """A condition: of an `if`, of a conditional expression, or before an `and`."""

    test: Expression
    at: int
    """The position of the `if`, or of what the expression asks."""


class Gate(NamedTuple):
    """A statement that puts a class in place, and the conditions around it, outermost first."""

    module: str
    conditions: tuple[Asked, ...]


def gates_of(evaluation: Evaluation, module: str, name: str) -> Iterator[Gate]:
    """Every place where code reads a class, by its name or by its dotted path in a text, under at least one condition."""
    for reader, _, around in _readings(evaluation, module, name):
        if around:
            yield Gate(reader, around)


def makers_of(evaluation: Evaluation, module: str, name: str) -> Iterator[tuple[str, str]]:
    """The classes whose constructors read a class whatever the conditions."""
    for reader, function, around in _readings(evaluation, module, name):
        if function.endswith(".__init__") and not around:
            yield reader, function.partition(".")[0]


def _readings(evaluation: Evaluation, module: str, name: str) -> Iterator[tuple[str, str, tuple[Asked, ...]]]:
    """Where a class is read: the module, the function (empty for the module's own code) and the conditions around it."""
    node = getattr(evaluation.modules[module].namespace.get(name), "node", None)
    for reader in evaluation.modules.values():
        if reader.status != "ok":
            continue
        aliases = {alias for alias, value in reader.namespace.items() if getattr(value, "node", None) is node}
        texts = {f"{module}.{name}", f"{module}:{name}"}
        summary = reader.source.summary
        bodies = [("", summary.body)]
        if aliases or any(not isinstance(body, bytes) or name.encode() in body for body in summary.bodies):
            bodies += [(one.name, summary.body_of(one.node.body)) for one in definitions(summary)]
        for function, body in bodies:
            for conditions in _places(body, aliases | {name}, texts, ()):
                yield reader.name, function, conditions


def _places(block: Block, aliases: set[str], texts: set[str], around: tuple[Asked, ...]) -> Iterator[tuple[Asked, ...]]:
    for statement in block:
        if isinstance(statement, (syntax.Import, syntax.ImportFrom)):
            continue
        yield from ((*around, *asked) for asked in _reads(statement, aliases, texts))
        inner = (*around, Asked(statement.test, statement.at)) if isinstance(statement, syntax.If) else around
        for _, part in parts_of(statement):
            yield from _places(part, aliases, texts, inner)
        if isinstance(statement, syntax.If) and statement.body and _leaves(statement.body):
            around = inner


def _reads(statement: syntax.Statement, aliases: set[str], texts: set[str]) -> Iterator[tuple[Asked, ...]]:
    """Where a statement reads the class itself, under which conditions of its own; to ask for an attribute puts nothing in place."""
    parts = list(expressions(statement))
    holders = {id(part.value) for part in parts if isinstance(part, syntax.Attribute)}
    asked: dict[int, list[Asked]] = defaultdict(list)
    for part in parts:
        for test, arms in _conditions_in(part):
            at = next((inner.at for inner in expressions(test) if hasattr(inner, "at")), 0)
            for inner in expressions(arms):
                asked[id(inner)].append(Asked(test, at))
    for part in parts:
        if (
            part.id in aliases and id(part) not in holders
            if isinstance(part, syntax.Name)
            else isinstance(part, syntax.Constant) and isinstance(part.value, str) and part.value in texts
        ):
            yield tuple(asked[id(part)])


def _conditions_in(part: Expression) -> Iterator[tuple[Expression, tuple[Expression, ...]]]:
    """What an expression asks, and which parts of it hang on that."""
    match part:
        case syntax.Conditional(test=test, body=body, orelse=orelse):
            yield test, (body, orelse)
        case syntax.Boolean(operator="and", operands=operands):
            for index, operand in enumerate(operands[:-1]):
                yield operand, operands[index + 1 :]


def _leaves(block: Block) -> bool:
    return isinstance(block[-1], (syntax.Return, syntax.Raise, syntax.Continue, syntax.Break))


class Consulted:
    """What a condition asks, through the functions and flags that it goes through."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation

    def by(self, test: Expression, module: str) -> tuple[set[tuple[str, str]], set[str]]:
        """The functions and flags that a condition consults, and the dotted names that these ask for."""
        seen: set[tuple[str, str]] = set()
        asked: set[str] = set()
        self._follow([test], self._evaluation.modules[module], seen, asked, 0)
        return seen, asked

    def _follow(
        self, parts: list[Expression], module: Module, seen: set[tuple[str, str]], asked: set[str], depth: int
    ) -> None:
        for part in parts:
            for inner in expressions(part):
                if isinstance(inner, syntax.Constant) and isinstance(inner.value, str):
                    asked.add(inner.value)
                elif isinstance(inner, syntax.Name):
                    self._enter_name(inner.id, module, seen, asked, depth)
                elif isinstance(inner, syntax.Attribute):
                    self._enter(self._value(inner, module), seen, asked, depth)

    def _enter_name(self, name: str, module: Module, seen: set[tuple[str, str]], asked: set[str], depth: int) -> None:
        value = module.namespace.get(name)
        if isinstance(_function(value), FunctionValue):
            self._enter(value, seen, asked, depth)
        elif (module.name, name) not in seen and depth < _DEEPEST:
            seen.add((module.name, name))
            for statement in statements(module.source.summary.body):
                match statement:
                    case syntax.Assign(targets=(syntax.Name(id=bound),)) if bound == name:
                        self._follow([statement.value], module, seen, asked, depth + 1)
                    case syntax.ImportFrom() if any((alias.asname or alias.name) == name for alias in statement.names):
                        source = module.source.absolute(statement)
                        origin = self._evaluation.modules.get(source or "")
                        if origin is not None:
                            own = next(alias.name for alias in statement.names if (alias.asname or alias.name) == name)
                            self._enter_name(own, origin, seen, asked, depth + 1)
                        elif source:
                            asked.add(source)

    def _enter(self, value: Value | None, seen: set[tuple[str, str]], asked: set[str], depth: int) -> None:
        function = _function(value)
        if function is None or depth >= _DEEPEST:
            return
        key = (function.module.name, function.name)
        if key in seen:
            return
        seen.add(key)
        module = self._evaluation.modules[function.module.name]
        body = function.module.source.summary.body_of(function.node.body)
        for statement in statements(body):
            if isinstance(statement, syntax.Import):
                asked.update(alias.name for alias in statement.names)
            elif isinstance(statement, syntax.ImportFrom) and not statement.level:
                asked.add(statement.module)
        self._follow(list(all_expressions(body)), module, seen, asked, depth + 1)

    def _value(self, node: syntax.Attribute, module: Module) -> Value | None:
        """What a chain of names stands for, as far as modules and classes bind it."""
        holder: Value | None = None
        if isinstance(node.value, syntax.Name):
            holder = module.namespace.get(node.value.id)
        elif isinstance(node.value, syntax.Attribute):
            holder = self._value(node.value, module)
        if isinstance(holder, ModuleValue):
            return self._evaluation.modules[holder.module.name].namespace.get(node.name)
        return holder.names.get(node.name) if isinstance(holder, ClassValue) else None


def _function(value: Value | None) -> FunctionValue | None:
    if isinstance(value, Descriptor):
        value = value.function
    if isinstance(value, Known) and value.model == "decorated":
        value = value.parts[0]
    return value if isinstance(value, FunctionValue) and isinstance(value.node, syntax.Function) else None
