"""What `torch.library` does: the calls, decorators and objects by which operations are registered."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from optdep_lint.world.frames import Frame
from optdep_lint.world.values import Constant, External, FunctionValue, Known, Unknown, Value

if TYPE_CHECKING:
    from optdep_lint.world.known import KnownThings

Arguments: TypeAlias = tuple[Value, ...]
Keywords: TypeAlias = Mapping[str, Value]
Answer: TypeAlias = Callable[["KnownThings", Arguments, Keywords, Frame, int], Value]


def call_library(
    known: KnownThings, function: Known, arguments: Arguments, keywords: Keywords, frame: Frame, at: int
) -> Value:
    """Call what this room has given out: a method of a `Library`, or a decorator that registers."""
    operations = known.evaluation.operations
    if function.model == "registrar":
        operation, keeps = function.parts
        value = arguments[0] if arguments else Unknown()
        operations.register(operation, frame, at, value)
        operations.implement(operation, value)
        return value if keeps else Known("decorated", value)
    library, name = function.parts
    if name == "define":
        text = _text(_given(arguments, keywords, 0, "schema"), frame)
        if text is not None:
            operations.register(operation_of(text, library.parts[0]), frame, at)
        else:
            operations.vague = (library.parts[0], frame)
    elif name == "impl":
        text = _text(_given(arguments, keywords, 0, "op_name"), frame)
        implementation = frame.state.settle(_given(arguments, keywords, 1, "fn"))
        if text is not None:
            operation = operation_of(text, library.parts[0])
            operations.implement(operation, implementation)
            if operations.vague == (library.parts[0], frame):
                operations.register(operation, frame, at, implementation)
    return Unknown()


def operation_of(text: str, namespace: str = "") -> str:
    """The operation that a name or a schema means, without its overload."""
    name = text.partition("(")[0].strip()
    space, _, last = name.rpartition("::")
    return f"{space or namespace}::{last.partition('.')[0]}"


def _library(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    """`Library(namespace, kind)`; one of kind IMPL implements what others define."""
    namespace = _text(_given(arguments, keywords, 0, "ns"), frame)
    kind = _text(_given(arguments, keywords, 1, "kind"), frame)
    return Known("library", namespace) if namespace is not None and kind != "IMPL" else Unknown()


def _custom_op(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    """`custom_op(name)` is a decorator, `custom_op(name, function)` registers at once."""
    name = _text(_given(arguments, keywords, 0, "name"), frame)
    if name is None:
        return Unknown()
    function = frame.state.settle(_given(arguments, keywords, 1, "fn"))
    operation = operation_of(name)
    if isinstance(function, (FunctionValue, Known)):
        known.evaluation.operations.register(operation, frame, at, function)
        known.evaluation.operations.implement(operation, function)
        return Known("decorated", function)
    if len(arguments) > 1 and not isinstance(function, Constant):
        known.evaluation.operations.register(operation, frame, at)
        return External(f"torch.ops.{operation.replace('::', '.')}")
    return Known("registrar", operation, False)


def _define(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    """`define("namespace::name", schema)`, or `define(library, schema)`."""
    first = frame.state.settle(_given(arguments, keywords, 0, "qualname"))
    if isinstance(first, Known) and first.model == "library":
        return call_library(known, Known("member", first, "define"), arguments[1:], keywords, frame, at)
    name = _text(first, frame)
    if name is not None:
        known.evaluation.operations.register(operation_of(name), frame, at)
    return Unknown()


def _impl(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    """`impl(...)` implements what has been defined: it registers nothing new, and keeps what it decorates."""
    return Known("decorator", "typing.final")


def _given(arguments: Arguments, keywords: Keywords, position: int, name: str) -> Value:
    if position < len(arguments):
        return arguments[position]
    return keywords.get(name) or Constant(None)


def _text(value: Value, frame: Frame) -> str | None:
    settled = frame.state.settle(value)
    return settled.value if isinstance(settled, Constant) and isinstance(settled.value, str) else None


LIBRARY_ANSWERS: dict[str, Answer] = {
    "torch.library.Library": _library,
    "torch.library.custom_op": _custom_op,
    "torch.library.triton_op": _custom_op,
    "torch._library.custom_op": _custom_op,
    "torch._custom_ops.custom_op": _custom_op,
    "torch._custom_op.impl.custom_op": _custom_op,
    "torch.library.define": _define,
    "torch.library.impl": _impl,
    "torch.library.register_fake": _impl,
    "torch.library.impl_abstract": _impl,
    "torch.library.register_kernel": _impl,
    "torch.library.register_autograd": _impl,
}
"""What the functions of `torch.library` do, by their paths."""
