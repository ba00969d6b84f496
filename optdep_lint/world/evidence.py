"""What shows, beside any guard, that a function runs only where something is there: the types it takes, the needs it names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from optdep_lint.facts import syntax
from optdep_lint.facts.walk import Definition, expressions, statements
from optdep_lint.world.constructors import after_making
from optdep_lint.world.evaluation import Evaluation
from optdep_lint.world.following import GiveUp
from optdep_lint.world.frames import Frame, State
from optdep_lint.world.machinery import normalized
from optdep_lint.world.modules import Module
from optdep_lint.world.truth import Truth
from optdep_lint.world.values import ClassValue, Constant, FunctionValue, Items, Raised, Value

_NEED = re.compile(r"requir|depend|backend", re.IGNORECASE)
"""What decorators, and attributes of classes, are called that name what is needed."""
_PREDICATE = re.compile(r"_?(?:is|has|have)_(\w+?)(?:_available|_installed|_present)?$")
_COLLECTIONS = re.compile(r"(list|tuple|sequence|iterable|iterator|set|dict|mapping|type)$", re.IGNORECASE)
_DOTTED = re.compile(r"[A-Za-z_][\w.]*")
_MOST_STEPS = 300


class Evidence:
    """Looks at functions in a world for what cannot be there when they run."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        self._imported: dict[str, dict[str, str]] = {}
        """By module, what its names are imported as, wherever at its top."""
        self._predicates: dict[str, list[FunctionValue]] | None = None
        self._absent: dict[str, bool] = {}

    def shows(self, module: Module, definition: Definition) -> bool:
        """The function takes what cannot be there in this world, or says by name that it needs it."""
        return self._takes_absent(module, definition) or self._names_absent(module, definition)

    # --- the types of arguments ----------------------------------------------------------------------------------

    def _takes_absent(self, module: Module, definition: Definition) -> bool:
        """An argument that must be given is of a type that is not there."""
        return any(
            parameter.default is None
            and parameter.kind not in ("*", "**")
            and parameter.annotation is not None
            and self._is_absent_type(module, parameter.annotation)
            for parameter in definition.node.parameters
        )

    def _is_absent_type(self, module: Module, node: syntax.Expression) -> bool:
        match node:
            case syntax.Constant(value=str() as text):
                return _DOTTED.fullmatch(text) is not None and self._is_absent_name(module, text)
            case syntax.Name() | syntax.Attribute():
                return self._is_absent_name(module, _dotted(node))
            case syntax.Binary(operator="|"):
                return self._is_absent_type(module, node.left) and self._is_absent_type(module, node.right)
            case syntax.Subscript() if _COLLECTIONS.search(_dotted(node.value)):
                parts = node.index.elements if isinstance(node.index, syntax.Collection) else (node.index,)
                return any(self._is_absent_type(module, part) for part in parts)
        return False

    def _is_absent_name(self, module: Module, dotted: str) -> bool:
        first, _, rest = dotted.partition(".")
        value = module.namespace.get(dotted)
        if isinstance(value, ClassValue) and value.module.status == "ok":
            return after_making(self._evaluation, value, value.module) is None
        origin = self._imports_of(module).get(first)
        if origin is None:
            return False
        whole = f"{origin}.{rest}" if rest else origin
        if self._evaluation.is_stdlib(whole):
            return False
        if not self._evaluation.tree.owns(whole):
            return self._evaluation.world.missing(whole) is not None
        holder = self._evaluation.modules.get(whole.rpartition(".")[0])
        return holder is not None and holder.status == "raises"

    def _imports_of(self, module: Module) -> dict[str, str]:
        found = self._imported.get(module.name)
        if found is None:
            found = self._imported[module.name] = {}
            frame = Frame("module", module, State({}, {}))
            for statement in statements(module.source.summary.body):
                if isinstance(statement, syntax.Import):
                    for alias in statement.names:
                        first = alias.name.partition(".")[0]
                        found[alias.asname or first] = alias.name if alias.asname else first
                elif isinstance(statement, syntax.ImportFrom):
                    origin = frame.module.source.absolute(statement)
                    found.update((alias.asname or alias.name, f"{origin}.{alias.name}") for alias in statement.names)
        return found

    # --- needs that are named ------------------------------------------------------------------------------------

    def _names_absent(self, module: Module, definition: Definition) -> bool:
        """A decorator, or an attribute of the class, names something as needed that is not there."""
        texts = set(_texts_of(definition.node.decorators))
        for class_ in self._classes(module, definition):
            node = class_.node
            texts.update(_texts_of(node.decorators) if isinstance(node, syntax.Class) else ())
            for name, value in class_.names.items():
                if _NEED.search(name) and isinstance(value, Items):
                    texts.update(part.value for part in value.elements if _is_text(part))  # type: ignore[attr-defined]
        return any(map(self._is_absent_need, sorted(texts)))

    def _classes(self, module: Module, definition: Definition) -> Iterator[ClassValue]:
        """The class that a method stands in, and the project's classes that this derives from."""
        value = module.namespace.get(definition.name.partition(".")[0]) if "." in definition.name else None
        waiting = [value]
        while waiting:
            one = waiting.pop()
            if isinstance(one, ClassValue):
                yield one
                waiting += one.bases

    def _is_absent_need(self, text: str) -> bool:
        """A root, a distribution, or a word for which the project has a predicate, that is not there."""
        absent = self._absent.get(text)
        if absent is None:
            world = self._evaluation.world
            name = _DOTTED.match(text.replace("-", "_"))
            absent = self._absent[text] = name is not None and (
                world.missing(name[0]) is not None
                or world.missing_distribution(normalized(name[0])) is not None
                or any(map(self._denies, self._predicates_for(name[0])))
            )
        return absent

    def _predicates_for(self, word: str) -> Iterable[FunctionValue]:
        if self._predicates is None:
            self._predicates = {}
            for name, module in self._evaluation.modules.items():
                for value in module.namespace.values():
                    if isinstance(value, FunctionValue) and value.module.name == name:
                        match = _PREDICATE.match(value.name)
                        if match is not None:
                            self._predicates.setdefault(match[1], []).append(value)
        return self._predicates.get(word, ())

    def _denies(self, predicate: FunctionValue) -> bool:
        """A predicate of the project says no in this world, because of what is absent."""
        module = self._evaluation.current(predicate.module)
        frame = Frame("module", module, State(module.namespace, dict(module.assumed)))
        self._evaluation.budget = _MOST_STEPS
        try:
            with self._evaluation.imagined():
                value = self._evaluation.calls.call(predicate, (), {}, frame, 0)
        except (Raised, GiveUp):
            return False
        finally:
            self._evaluation.budget = None
        truth, _ = self._evaluation.expressions.truth(value, frame)
        return truth is Truth.NO


def _is_text(value: Value) -> bool:
    return isinstance(value, Constant) and isinstance(value.value, str)


def _texts_of(decorators: Iterable[syntax.Expression]) -> Iterator[str]:
    """The texts that decorators are given which name what is needed."""
    for decorator in decorators:
        if isinstance(decorator, syntax.Call) and _NEED.search(_dotted(decorator.function).rpartition(".")[2]):
            given = (*decorator.arguments, *(keyword.value for keyword in decorator.keywords))
            for part in expressions(given):
                if isinstance(part, syntax.Constant) and isinstance(part.value, str):
                    yield part.value


def _dotted(node: syntax.Expression) -> str:
    """`a.b.c` as a text; empty for anything else."""
    if isinstance(node, syntax.Name):
        return node.id
    if isinstance(node, syntax.Attribute):
        holder = _dotted(node.value)
        return f"{holder}.{node.name}" if holder else ""
    return ""
