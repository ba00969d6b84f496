"""What a flag or a function stands for: the dotted names that it was made from."""

from __future__ import annotations

from collections.abc import Iterator

from optdep_lint.facts import syntax
from optdep_lint.facts.walk import Definition, all_expressions, definitions, expressions, imported_names, statements
from optdep_lint.world.bound import bound_names
from optdep_lint.world.modules import Source
from optdep_lint.world.probes_census import census
from optdep_lint.world.survey import Survey

_DEEPEST = 4


class Origins:
    """What a flag or a function stands for: the dotted names that it was made from."""

    def __init__(self, survey: Survey) -> None:
        self._survey = survey
        self._known: dict[tuple[str, str], tuple[str, ...]] = {}

    def of(self, test: syntax.Expression, source: Source, definition: Definition | None = None) -> Iterator[str]:
        """The names that an expression asks for."""
        for part in expressions(test):
            if isinstance(part, syntax.Name):
                local = source.summary.body_of(definition.node.body) if definition is not None else ()
                if part.id in frozenset(bound_names(local)):
                    yield from self._find(source, part.id, _DEEPEST - 1, local)
                else:
                    yield from self.of_name(source.name, part.id)
            elif (
                isinstance(part, syntax.Constant)
                and isinstance(part.value, str)
                and part.value in census(self._survey).names
            ):
                yield part.value
            elif (
                isinstance(part, syntax.Attribute)
                and isinstance(part.value, syntax.Name)
                and part.value.id in ("self", "cls")
            ):
                yield from self._of_attribute(part.name, source, definition)

    def _of_attribute(self, name: str, source: Source, definition: Definition | None) -> Iterator[str]:
        """`self.has_x`, as the class's methods set it."""
        if definition is None or definition.owner is None:
            return
        for other in definitions(source.summary):
            if other.owner is definition.owner and other.name.endswith("__init__"):
                for statement in statements(source.summary.body_of(other.node.body)):
                    if isinstance(statement, syntax.Assign) and any(
                        isinstance(target, syntax.Attribute) and target.name == name for target in statement.targets
                    ):
                        yield from self.of(statement.value, source)

    def of_name(self, module: str, name: str, depth: int = _DEEPEST) -> tuple[str, ...]:
        """The names that a module's flag or function asks for."""
        key = module, name
        if key not in self._known:
            self._known[key] = ()
            source = self._survey.tree.sources.get(module)
            if source is not None and depth:
                self._known[key] = tuple(dict.fromkeys(self._find(source, name, depth, source.summary.body)))
        return self._known[key]

    def _find(self, source: Source, name: str, depth: int, block: syntax.Block) -> Iterator[str]:
        for statement in statements(block):
            match statement:
                case syntax.Assign() | syntax.Annotated() if statement.value is not None and name in _targets(
                    statement
                ):
                    yield from self._asked_in(source, statement.value, depth)
                case syntax.Function() if statement.name == name:
                    body = source.summary.body_of(statement.body)
                    for inner in statements(body):
                        yield from imported_names(inner)
                    for part in all_expressions(body):
                        yield from self._asked_in(source, part, depth, whole=False)
                case syntax.ImportFrom():
                    for alias in statement.names:
                        if (alias.asname or alias.name) == name:
                            yield from self.of_name(source.absolute(statement) or "", alias.name, depth - 1)
                case syntax.Try():
                    own = [inner for inner in statement.body if imported_names(inner) and name in bound_names((inner,))]
                    if own or any(name in _targets(inner) for inner in statements(statement.body + statement.orelse)):
                        for inner in own or statement.body:
                            yield from imported_names(inner)
                        for part in () if own else all_expressions(statement.body):
                            yield from self._asked_in(source, part, depth, whole=False)

    def _asked_in(self, source: Source, node: syntax.Expression, depth: int, *, whole: bool = True) -> Iterator[str]:
        for part in expressions(node) if whole else (node,):
            if (
                isinstance(part, syntax.Constant)
                and isinstance(part.value, str)
                and part.value in census(self._survey).names
            ):
                yield part.value
            elif isinstance(part, syntax.Name):
                yield from self.of_name(source.name, part.id, depth - 1)


def _targets(statement: syntax.Statement) -> frozenset[str]:
    match statement:
        case syntax.Assign():
            return frozenset(target.id for target in statement.targets if isinstance(target, syntax.Name))
        case syntax.Annotated(target=syntax.Name(id=name)):
            return frozenset({name})
    return frozenset()
