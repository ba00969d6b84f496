"""What code that probes answers where things are absent, and what it would answer if no probe could stop the next one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import NamedTuple, TypeAlias

from optdep_lint.facts.syntax import Block
from optdep_lint.facts.walk import Definition
from optdep_lint.world.calls import Calls
from optdep_lint.world.constructors import made
from optdep_lint.world.evaluation import Evaluation
from optdep_lint.world.following import GiveUp
from optdep_lint.world.frames import Exit, Frame, State
from optdep_lint.world.imports import Imports
from optdep_lint.world.known import KnownThings
from optdep_lint.world.modules import Module, Tree
from optdep_lint.world.survey import Survey
from optdep_lint.world.truth import Atom, negate
from optdep_lint.world.values import (
    Cause,
    ClassValue,
    Constant,
    Descriptor,
    Failure,
    FunctionValue,
    Instance,
    Known,
    Method,
    Raised,
    Unknown,
    Value,
    caused,
)
from optdep_lint.world.variation import Readers, Variation
from optdep_lint.world.worlds import World

MAYBE = "!"
"""The name in an answer under which a failure stands that happens only under conditions."""
_STEPS = 500


class Asking(NamedTuple):
    """One probe or import that was met."""

    kind: str
    """`spec`, `distribution` or `import`."""
    name: str
    """What was asked for: a dotted name, or for a distribution the import root that it stands for."""
    places: tuple[tuple[str, int], ...]
    """The calls that led to it, and itself last, as (path, at)."""
    failed: bool
    """It raised."""


class Unit(NamedTuple):
    """Something that answers: a function, or all that a module binds."""

    module: str
    definition: Definition | None = None


Answer: TypeAlias = "Mapping[str, Value] | Failure"
"""What a unit gives, by name (a function's result is `return`), or how it fails."""


class Inquiry(Evaluation):
    """Evaluation that takes down what is asked for; the environment is open, for users set it for what they want.

    A forgiving one answers None where a probe would raise: what the code would say if each probe had a handler of its own.
    """

    def __init__(self, tree: Tree, world: World, *, forgiving: bool = False) -> None:
        super().__init__(tree, world)
        self.forgiving = forgiving
        self.askings: list[Asking] = []
        self.way: list[tuple[str, int]] = []
        self.calls = _Followed(self)
        self.imports = _Noted(self)
        self.known = _Answering(self)

    def note(self, kind: str, name: str, frame: Frame, at: int, *, failed: bool) -> None:
        """Take down that something was asked for."""
        self.askings.append(Asking(kind, name, (*self.way, (frame.module.source.path, at)), failed))


class _Followed(Calls):
    """Calls that remember by which way evaluation came."""

    def __init__(self, inquiry: Inquiry) -> None:
        super().__init__(inquiry)
        self._inquiry = inquiry

    def run_function(  # as what it stands for
        self, function: FunctionValue, arguments: tuple[Value, ...], keywords: Mapping[str, Value], frame: Frame, at: int,
        cause: Cause | None = None, thrown: Failure | None = None, repeatable: bool = False,
    ) -> Value:  # fmt: skip
        self._inquiry.way.append((frame.module.source.path, at))
        try:
            return super().run_function(function, arguments, keywords, frame, at, cause, thrown, repeatable)
        finally:
            self._inquiry.way.pop()

    def run_edited(self, function: FunctionValue, body: Block, arguments: tuple[Value, ...], frame: Frame) -> Value:
        """Call a function as if it had another body."""
        inner = self.frame_of(function, frame, None)
        self.bind_parameters(function, arguments, {"**": Unknown()}, inner)
        falls = self._inquiry.statements.run(body, inner)
        if falls:
            inner.exits.append(Exit("return", inner.state, Constant(None)))
        return self._result(function, inner, {}, frame, 0)

    def forget(self) -> None:
        """Follow every call anew."""
        self._results.clear()
        self._idle.clear()


class _Noted(Imports):
    """Imports that are taken down."""

    def __init__(self, inquiry: Inquiry) -> None:
        super().__init__(inquiry)
        self._inquiry = inquiry

    def _external(self, name: str, last: bool, frame: Frame, at: int) -> Value:
        failed = self._inquiry.world.missing(name) is not None
        self._inquiry.note("import", name, frame, at, failed=failed)
        return super()._external(name, last, frame, at)


class _Answering(KnownThings):
    """Probes that are taken down and, where that is wanted, forgiven."""

    def __init__(self, inquiry: Inquiry) -> None:
        super().__init__(inquiry)
        self._inquiry = inquiry

    def find_spec(self, arguments: tuple[Value, ...], keywords: Mapping[str, Value], frame: Frame, at: int) -> Value:
        name = self._module_name(
            arguments[0] if arguments else keywords.get("name", Unknown()), arguments, keywords, frame, at
        )
        try:
            value = super().find_spec(arguments, keywords, frame, at)
        except Raised as raised:
            return self._forgive(raised, "spec", name or "", frame, at)
        if name is not None:
            self._inquiry.note("spec", name, frame, at, failed=False)
        return value

    def distribution(self, path: str, arguments: tuple[Value, ...], frame: Frame, at: int) -> Value:
        given = frame.state.settle(arguments[0]) if arguments else None
        name = given.value if isinstance(given, Constant) and isinstance(given.value, str) else ""
        try:
            value = super().distribution(path, arguments, frame, at)
        except Raised as raised:
            cause = raised.failure.cause
            return self._forgive(raised, "distribution", cause.missing if cause else name, frame, at)
        if name:
            self._inquiry.note("distribution", name, frame, at, failed=False)
        return value

    def _forgive(self, raised: Raised, kind: str, name: str, frame: Frame, at: int) -> Value:
        self._inquiry.note(kind, name, frame, at, failed=True)
        if not self._inquiry.forgiving or raised.failure.cause is None:
            raise raised
        return caused(Constant(None), raised.failure.cause)

    def variable(self, name: str, default: Value | None, frame: Frame, at: int) -> Value:
        return Unknown(Atom(f"os.environ[{name!r}]"))


class Inquirer:
    """Asks units for their answers in worlds, each world evaluated once."""

    def __init__(self, survey: Survey) -> None:
        self.survey = survey
        self._readers = Readers(survey.base)
        self._inquiries: dict[tuple[frozenset[str], bool], Variation[Inquiry]] = {}
        self._answers: dict[tuple[str, int, frozenset[str], bool], tuple[Answer, list[Asking]]] = {}

    def inquiry(self, unit: Unit, absent: Iterable[str], *, forgiving: bool) -> Inquiry:
        """The evaluation of a world in which these dotted names are absent, as far as a unit can feel it."""
        key = frozenset(absent), forgiving
        variation = self._inquiries.get(key)
        if variation is None:
            world = self.survey.declared.world("probes", key[0])
            variation = self._inquiries[key] = Variation(
                lambda tree, of: Inquiry(tree, of, forgiving=forgiving), self.survey.base, self._readers, world
            )
        found = variation.want((unit.module,))
        found.calls.forget()  # type: ignore[attr-defined]
        found.askings.clear()
        return found

    def ask(
        self, unit: Unit, absent: Iterable[str] = (), *, forgiving: bool = False, body: Block | None = None
    ) -> tuple[Answer, list[Asking]]:
        """What a unit answers, perhaps as if it had another body, and what it asked for."""
        if body is not None:
            return self._ask(unit, absent, forgiving=forgiving, body=body)
        node = id(unit.definition.node) if unit.definition is not None else 0
        key = unit.module, node, frozenset(absent), forgiving
        found = self._answers.get(key)
        if found is None:
            found = self._answers[key] = self._ask(unit, absent, forgiving=forgiving, body=None)
        return found

    def _ask(
        self, unit: Unit, absent: Iterable[str], *, forgiving: bool, body: Block | None
    ) -> tuple[Answer, list[Asking]]:
        inquiry = self.inquiry(unit, absent, forgiving=forgiving)
        inquiry.way.clear()
        inquiry.budget = _STEPS if unit.definition is not None else None
        answer: Answer
        try:
            with inquiry.imagined():
                answer = (
                    _of_function(inquiry, unit, body)
                    if unit.definition is not None
                    else _of_module(inquiry, unit, body)
                )
        except Raised as raised:
            answer = raised.failure
        except GiveUp:
            answer = {}
        finally:
            inquiry.budget = None
        return answer, list(inquiry.askings)


def inquirer(survey: Survey) -> Inquirer:
    """The one inquirer of a survey."""
    found = survey.kept.get("inquirer")
    if not isinstance(found, Inquirer):
        found = survey.kept["inquirer"] = Inquirer(survey)
    return found


def _of_function(inquiry: Inquiry, unit: Unit, body: Block | None) -> Answer:
    module = inquiry.module(unit.module)
    function, receiver = function_of(module, unit)
    if function is None and body is None:
        function = _wrapper_of(module, unit.definition)
    if function is None:
        return {}
    frame = Frame("module", module, State(dict(module.namespace), {}))
    if isinstance(receiver, Instance) and function.name != "__init__":
        receiver = _made(inquiry, receiver, module)
    given = dict(receiver.attributes) if isinstance(receiver, Instance) else {}
    arguments = (receiver,) if receiver is not None else ()
    if body is not None:
        assert isinstance(inquiry.calls, _Followed)
        result = inquiry.calls.run_edited(function, body, arguments, frame)
    else:
        result = inquiry.calls.run_function(function, arguments, {"**": Unknown()}, frame, 0)
    answer: dict[str, Value] = {"return": result}
    if isinstance(receiver, Instance):
        kept = receiver.attributes.items()
        answer |= {f"self.{name}": value for name, value in kept if given.get(name) is not value}
    for exit_ in frame.exits:
        if exit_.failure is not None and exit_.failure.cause is not None:
            conditions = tuple(key if holds else negate(key) for key, holds in exit_.state.assumed.items())
            answer.setdefault(MAYBE, Known("failure", replace(exit_.failure, conditions=conditions)))
    return answer


def _wrapper_of(module: Module, definition: Definition | None) -> FunctionValue | None:
    """What a decorator of the project has put in a function's place."""
    assert definition is not None
    value = module.namespace.get(definition.name)
    return (
        value if isinstance(value, FunctionValue) and definition.node.decorators and value.closure is not None else None
    )


def _made(inquiry: Inquiry, receiver: Instance, module: Module) -> Instance:
    """What a method is called on, as its constructor leaves it; what that asks for is not the method's own asking."""
    assert isinstance(receiver.type, ClassValue)
    budget, asked = inquiry.budget, list(inquiry.askings)
    found = made(inquiry, receiver.type, module)
    inquiry.budget, inquiry.askings[:] = budget, asked
    return found


def _of_module(inquiry: Inquiry, unit: Unit, body: Block | None) -> Answer:
    module = Module(inquiry.tree.sources[unit.module])
    frame = Frame("module", module, State({}, {}))
    module.status, module.frame = "running", frame
    module.implicit = inquiry.module(unit.module).implicit
    falls = inquiry.statements.run(module.source.summary.body if body is None else body, frame)
    if falls:
        return dict(frame.state.names)
    failures = [exit_.failure for exit_ in frame.exits if exit_.failure is not None]
    return failures[0] if failures else {}


def function_of(module: Module, unit: Unit) -> tuple[FunctionValue | None, Value | None]:
    """A unit's function as its module binds it, and what it is called on."""
    assert unit.definition is not None
    holder: dict[str, Value] = module.namespace
    owner: ClassValue | None = None
    parts = unit.definition.name.split(".")
    for part in parts[:-1]:
        found = holder.get(part)
        if not isinstance(found, ClassValue):
            return None, None
        owner, holder = found, found.names
    value = holder.get(parts[-1])
    kind = ""
    if isinstance(value, Descriptor):
        kind, value = value.kind, value.function
    while isinstance(value, (Known, Method)):
        inner = value.function if isinstance(value, Method) else value.parts[0] if value.parts else None
        if not isinstance(inner, Value):
            return None, None
        value = inner
    if not isinstance(value, FunctionValue) or value.node is not unit.definition.node:
        return None, None
    if owner is None or kind == "staticmethod":
        return value, None
    return value, owner if kind == "classmethod" else Instance(owner)


def failure_of(answer: Answer) -> Failure | None:
    """How a unit fails, or may."""
    if isinstance(answer, Failure):
        return answer
    found = answer.get(MAYBE)
    return found.parts[0] if isinstance(found, Known) else None
