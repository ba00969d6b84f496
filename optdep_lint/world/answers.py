"""What calls of builtins and of the standard library give."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeAlias

from optdep_lint.world import lazy
from optdep_lint.world.builtin_types import is_of
from optdep_lint.world.computed import COMPUTED
from optdep_lint.world.displays import table_of
from optdep_lint.world.exceptions import is_subclass, text_of
from optdep_lint.world.frames import Frame, join_values
from optdep_lint.world.imports import MODULE_ATTRIBUTES
from optdep_lint.world.listing import iter_modules
from optdep_lint.world.literals import NotPython, from_python, to_python
from optdep_lint.world.machinery import Arguments, Keywords
from optdep_lint.world.truth import Atom, Truth
from optdep_lint.world.values import (
    ClassValue,
    Constant,
    Descriptor,
    External,
    FunctionValue,
    Instance,
    Items,
    Known,
    ModuleValue,
    Raised,
    Table,
    Unbound,
    Unknown,
    Value,
    builtin,
    caused,
    elements_of,
    type_of,
)

if TYPE_CHECKING:
    from optdep_lint.world.known import KnownThings

Answer: TypeAlias = Callable[["KnownThings", Arguments, Keywords, Frame, int], Value]


def _hasattr(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    value, name = frame.state.settle(arguments[0]), to_python(frame.state.settle(arguments[1]))
    if not isinstance(name, str):
        return Unknown()
    evaluation = known.evaluation
    if isinstance(value, External):
        if value.path.startswith("torch.ops."):
            return evaluation.operations.probe(value.path[len("torch.ops.") :], name, frame)
        if value.path in evaluation.imported:
            truth = evaluation.world.has_name(value.path, name)
            if truth is not Truth.MAYBE:
                return Constant(truth is Truth.YES)
        return Unknown(Atom(f"hasattr({value.path}, {name!r})"))
    if isinstance(value, ModuleValue):
        module = evaluation.current(value.module)
        evaluation.read(module, name)
        found = module.names.get(name)
        if found is not None:
            found = frame.state.settle(found)
            if isinstance(found, Unknown) and found.doubt == "name":
                return Unknown()
            return (
                caused(Constant(not isinstance(found, Unbound)), found.cause)
                if isinstance(found, (Unbound, Constant))
                else Constant(True)
            )
        if name in module.implicit or name in MODULE_ATTRIBUTES or evaluation.imports.is_below(module, name):
            return Constant(True)
        if isinstance(module.names.get("__getattr__"), (FunctionValue, Known)):
            return _answered(lambda: evaluation.imports.module_attribute(module, name, frame, at))
        return Constant(False) if not module.dynamic and "__getattr__" not in module.names else Unknown()
    if isinstance(value, Constant):
        return caused(Constant(hasattr(value.value, name)), value.cause)
    if isinstance(value, ClassValue) and not name.startswith("__"):
        found = evaluation.expressions.class_member(value, name)
        return Constant(True) if isinstance(found, (FunctionValue, ClassValue, Constant, Descriptor)) else Unknown()
    return Unknown()


def _answered(ask: Callable[[], Value]) -> Value:
    """Whether what is asked for comes, and not an AttributeError."""
    try:
        found = ask()
    except Raised as raised:
        truth = is_subclass(raised.failure.type, builtin("AttributeError"))
        if truth is Truth.NO:
            raise
        return caused(Constant(False) if truth is Truth.YES else Unknown(), raised.failure.cause)
    return Unknown() if isinstance(found, Unknown) else caused(Constant(True), found.cause)


def _getattr(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    name = to_python(frame.state.settle(arguments[1]))
    if not isinstance(name, str):
        return Unknown()
    expressions = known.evaluation.expressions
    if len(arguments) == 2:
        return expressions.attribute(arguments[0], name, frame, at)
    answer = _hasattr(known, arguments[:2], keywords, frame, at)
    if isinstance(answer, Constant):
        if not answer.value:
            return caused(arguments[2], answer.cause)
        return expressions.attribute(arguments[0], name, frame, at)
    value = frame.state.settle(arguments[0])
    if isinstance(value, External) and value.path.startswith("torch.ops.") and isinstance(answer, Unknown):
        return join_values(answer.condition, External(f"{value.path}.{name}"), arguments[2])
    key = expressions.key(value)
    found = expressions.unknown(f"getattr({key}, {name!r})" if key else None, value.cause)
    if known.evaluation.cautious:
        return found
    asked = (answer.condition if isinstance(answer, Unknown) else None) or Atom(f"{frame.module.name}@{at} has it")
    return join_values(asked, found, arguments[2])


def _isinstance(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    value, wanted = frame.state.settle(arguments[0]), frame.state.settle(arguments[1])
    python = type_of(value)
    if python is not None:
        truth = is_of(python, wanted, known.evaluation.expressions.is_closed)
    elif isinstance(value, Instance):
        truth = is_subclass(value.type, wanted)
    else:
        truth = Truth.MAYBE
    if truth is not Truth.YES:
        _refuse_sentinels(known, wanted, frame, at)
    return caused(Constant(truth is Truth.YES), value.cause) if truth is not Truth.MAYBE else Unknown()


def _refuse_sentinels(known: KnownThings, wanted: Value, frame: Frame, at: int) -> None:
    """None, or its name, in the place of a type that is not there: among others it fails unless one before it fits.

    Raises:
        Raised: where it stands alone, or nobody has made the call that is followed.
    """
    types = [frame.state.settle(one) for one in (wanted.elements if isinstance(wanted, Items) else (wanted,))]
    sentinel = next((one for one in types if isinstance(one, Constant)), None)
    message = "isinstance() arg 2 must be a type, a tuple of types, or a union"
    if sentinel is not None and sentinel.cause is None:
        known.evaluation.expressions.as_python(TypeError(message), frame, at)
    elif sentinel is not None and (len(types) == 1 or known.evaluation.foresees):
        type_ = builtin("TypeError")
        raise Raised(known.evaluation.expressions.failure(frame, at, "call", message, sentinel.cause, type_))


def _issubclass(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    truth = is_subclass(frame.state.settle(arguments[0]), frame.state.settle(arguments[1]))
    return Constant(truth is Truth.YES) if truth is not Truth.MAYBE else Unknown()


def _collect(kind: str) -> Answer:
    def answer(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
        if not arguments:
            return Items(kind, ())
        value = frame.state.settle(arguments[0])
        elements = elements_of(value)
        return Items(kind, elements) if elements is not None else Unknown()

    return answer


def _dict(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    first = frame.state.settle(arguments[0]) if arguments else Table({})
    given = table_of(first.elements) if isinstance(first, Items) else first
    before = given if isinstance(given, Table) else Table({}, complete=False)
    entries = {**before.entries, **{key: value for key, value in keywords.items() if key != "**"}}
    complete = before.complete and "**" not in keywords
    return Table(entries, complete)


def _bool(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    if len(arguments) > 1:
        error = TypeError(f"bool expected at most 1 argument, got {len(arguments)}")
        return known.evaluation.expressions.as_python(error, frame, at)
    if not arguments:
        return Constant(False)
    truth, condition = known.evaluation.expressions.truth(arguments[0], frame)
    cause = frame.state.settle(arguments[0]).cause
    return caused(Unknown(condition) if truth is Truth.MAYBE else Constant(truth is Truth.YES), cause)


def _text(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    return known.text(arguments[0], frame) if arguments else Constant("")


def _representation(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    value = frame.state.settle(arguments[0])
    if isinstance(value, Instance):
        parts = [to_python(frame.state.settle(argument)) for argument in value.arguments]
        if parts and NotPython not in parts:
            return caused(Constant(f"{text_of(value.type)}({', '.join(map(repr, parts))})"), value.cause)
    return caused(Constant(repr(value.value)), value.cause) if isinstance(value, Constant) else Unknown()


def _integer(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    value = frame.state.settle(arguments[0]) if arguments else Constant(0)
    if isinstance(value, Constant) and isinstance(value.value, (str, int, float)) and len(arguments) == 1:
        try:
            return Constant(int(value.value))
        except (ValueError, OverflowError) as error:
            return known.evaluation.expressions.as_python(error, frame, at)
    return Unknown()


def _length(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    value = frame.state.settle(arguments[0])
    elements = elements_of(value)
    if elements is None and isinstance(value, Constant):
        error = TypeError(f"object of type '{type(value.value).__name__}' has no len()")
        return known.evaluation.expressions.as_python(error, frame, at)
    return Constant(len(elements)) if elements is not None else Unknown()


def _enumerate(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    elements = elements_of(frame.state.settle(arguments[0]))
    if elements is None:
        return Unknown()
    return Items("list", tuple(Items("tuple", (Constant(index), element)) for index, element in enumerate(elements)))


def _zip(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    columns = [elements_of(frame.state.settle(argument)) for argument in arguments]
    if None in columns or not columns:
        return Unknown()
    return Items("list", tuple(Items("tuple", row) for row in zip(*[column or () for column in columns], strict=False)))


def _range(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    python = [to_python(frame.state.settle(argument)) for argument in arguments]
    if python and all(isinstance(part, int) for part in python) and len(python) <= 3:
        try:
            numbers = range(*python)
        except (ValueError, TypeError) as error:
            return known.evaluation.expressions.as_python(error, frame, at)
        if len(numbers) <= 100:
            return Items("list", tuple(map(Constant, numbers)))
    return Unknown()


def _callable(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    value = frame.state.settle(arguments[0])
    if isinstance(value, (FunctionValue, ClassValue)):
        return Constant(True)
    return caused(Constant(False), value.cause) if isinstance(value, Constant) else Unknown()


def _type(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    if len(arguments) == 3:
        name = to_python(frame.state.settle(arguments[0]))
        bases = frame.state.settle(arguments[1])
        names = frame.state.settle(arguments[2])
        parts = bases.elements if isinstance(bases, Items) else (Unknown(),)
        entries = (
            {key: value for key, value in names.entries.items() if isinstance(key, str)}
            if isinstance(names, Table)
            else {}
        )
        return ClassValue(frame.module, name if isinstance(name, str) else "?", tuple(parts), entries)
    value = frame.state.settle(arguments[0])
    return value.type if isinstance(value, Instance) else Unknown()


def _object(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    return Instance(builtin("object"))


def _setattr(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    holder, name = frame.state.settle(arguments[0]), to_python(frame.state.settle(arguments[1]))
    if isinstance(name, str):
        known.evaluation.statements.put_attribute(holder, name, arguments[2], frame, at)
    elif isinstance(holder, ModuleValue) and not known.evaluation.is_shared(holder.module):
        holder.module.dynamic = True
    return Constant(None)


def _dynamic(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    frame.module.dynamic = True
    return Unknown()


def _suppress(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    return Known("suppress", arguments)


def _partial(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    function = frame.state.settle(arguments[0])
    if isinstance(function, External):
        return Unknown()
    return Known("partial", function, arguments[1:], dict(keywords))


def _exit(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    failure = known.evaluation.expressions.failure(
        frame, at, "raise", "SystemExit", frame.cause, builtin("SystemExit"), arguments, certain=True
    )
    raise Raised(failure)


def _cast(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    return arguments[1] if len(arguments) > 1 else keywords.get("val", Unknown())


def _slice(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    return Known("slice", *(frame.state.settle(argument) for argument in arguments))


def _none(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    return Constant(None)


def _import_or_skip(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    try:
        return known.import_module(arguments[:1], {}, frame, at)
    except Raised as raised:
        if raised.failure.cause is None:
            raise
        failure = known.evaluation.expressions.failure(
            frame, at, "raise", raised.failure.message, raised.failure.cause, External("_pytest.outcomes.Skipped")
        )
        raise Raised(failure) from None


def environment(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    """`os.environ.get(name, default)`"""
    name = to_python(frame.state.settle(arguments[0])) if arguments else NotPython
    default = arguments[1] if len(arguments) > 1 else keywords.get("default", Constant(None))
    return known.variable(name, default, frame, at) if isinstance(name, str) else Unknown()


def _platform(name: str) -> Answer:
    def answer(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
        world = known.evaluation.world
        return Constant({"system": world.system, "python_implementation": "CPython"}[name])

    return answer


def _python_version(parts: bool) -> Answer:
    def answer(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
        major, minor = known.evaluation.world.python
        return from_python((str(major), str(minor), "9")) if parts else Constant(f"{major}.{minor}.9")

    return answer


FEWEST = {
    f"{module}.{name}": count
    for module, name, count in (
        ("builtins", "hasattr", 2), ("builtins", "getattr", 2), ("builtins", "isinstance", 2), ("builtins", "issubclass", 2),
        ("builtins", "setattr", 3), ("functools", "partial", 1), ("builtins", "enumerate", 1), ("builtins", "len", 1),
        ("builtins", "callable", 1), ("builtins", "type", 1), ("builtins", "repr", 1),
    )
}  # fmt: skip
"""How many arguments without a name a call takes at the least."""

ANSWERS: dict[str, Answer] = COMPUTED | {
    "builtins.hasattr": _hasattr,
    "builtins.getattr": _getattr,
    "builtins.isinstance": _isinstance,
    "builtins.issubclass": _issubclass,
    "builtins.tuple": _collect("tuple"),
    "builtins.list": _collect("list"),
    "builtins.set": _collect("set"),
    "builtins.frozenset": _collect("set"),
    "builtins.dict": _dict,
    "collections.OrderedDict": _dict,
    "builtins.bool": _bool,
    "builtins.str": _text,
    "builtins.repr": _representation,
    "builtins.int": _integer,
    "builtins.len": _length,
    "builtins.enumerate": _enumerate,
    "builtins.zip": _zip,
    "builtins.range": _range,
    "builtins.slice": _slice,
    "builtins.callable": _callable,
    "builtins.type": _type,
    "builtins.object": _object,
    "builtins.setattr": _setattr,
    "builtins.exec": _dynamic,
    "builtins.eval": lambda known, arguments, keywords, frame, at: Unknown(),
    "builtins.print": _none,
    "builtins.exit": _exit,
    "builtins.quit": _exit,
    "warnings.warn": _none,
    "contextlib.suppress": _suppress,
    "functools.partial": _partial,
    "functools.partialmethod": _partial,
    "sys.exit": _exit,
    "os._exit": _exit,
    "pytest.importorskip": _import_or_skip,
    "typing.cast": _cast,
    "typing_extensions.cast": _cast,
    "os.getenv": environment,
    "platform.system": _platform("system"),
    "platform.python_implementation": _platform("python_implementation"),
    "platform.python_version": _python_version(False),
    "platform.python_version_tuple": _python_version(True),
    "lazy_loader.attach": lazy.attach,
    "lazy_loader.attach_stub": lazy.attach_stub,
    "pkgutil.extend_path": lazy.extend_path,
    "pkgutil.iter_modules": iter_modules,
}
