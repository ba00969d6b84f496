"""What is known of things that are not the project's own: builtins, the import machinery, probes, decorators."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from optdep_lint.facts import syntax
from optdep_lint.world import stdlib
from optdep_lint.world.answers import ANSWERS, FEWEST, Answer, environment
from optdep_lint.world.attributes import may_be_unbound
from optdep_lint.world.computed import TYPES
from optdep_lint.world.exceptions import is_exception, is_subclass
from optdep_lint.world.frames import Frame
from optdep_lint.world.imports import MODULE_ATTRIBUTES
from optdep_lint.world.literals import NotPython, from_python, to_python
from optdep_lint.world.machinery import (
    DISTRIBUTION_PROBES,
    FINDERS,
    IMPORTERS,
    Arguments,
    Keywords,
    Machinery,
    normalized,
)
from optdep_lint.world.operations_library import LIBRARY_ANSWERS, call_library
from optdep_lint.world.origins import ORIGIN, is_origin
from optdep_lint.world.origins import call_member as origin_member
from optdep_lint.world.surroundings import COMMON_VARIABLES, constants
from optdep_lint.world.truth import Atom, Truth
from optdep_lint.world.values import (
    Choice,
    ClassValue,
    Constant,
    Descriptor,
    External,
    FunctionValue,
    Instance,
    Items,
    Known,
    Method,
    ModuleValue,
    Raised,
    Table,
    Unbound,
    Unknown,
    Value,
    builtin,
    caused,
    doubted,
    elements_of,
    typed,
)

if TYPE_CHECKING:
    from optdep_lint.world.evaluation import Evaluation

_KEEPING = frozenset({
    "functools.wraps", "functools.update_wrapper", "typing.no_type_check", "typing.final", "typing.overload",
    "typing.runtime_checkable", "typing_extensions.final", "typing_extensions.deprecated", "warnings.deprecated",
    "typing.override", "typing_extensions.override", "abc.abstractmethod", "functools.singledispatch",
    "typing_extensions.runtime_checkable", "functools.total_ordering", "atexit.register",
})  # fmt: skip
"""Decorators that give back what they are put on, or something that is called alike."""

_MEMOISING = frozenset({"functools.cache", "functools.lru_cache", "functools.cached_property", "cachetools.cached"})

_NAMING = FINDERS | IMPORTERS | DISTRIBUTION_PROBES
"""Functions to which a name is given."""

_TEXT_METHODS = frozenset({
    "format", "join", "split", "rsplit", "partition", "rpartition", "lower", "upper", "strip", "lstrip", "rstrip",
    "startswith", "endswith", "replace", "removeprefix", "removesuffix", "title", "capitalize", "count", "find", "index",
    "isidentifier", "isdigit", "encode", "splitlines",
})  # fmt: skip


class KnownThings(Machinery):
    """Answers for attributes and calls of what is not the project's own."""

    def __init__(self, evaluation: Evaluation) -> None:
        super().__init__(evaluation)
        self._constants = constants(evaluation.world)
        self._calls: dict[str, Answer] = ANSWERS | LIBRARY_ANSWERS

    def attribute(self, value: External, name: str, frame: Frame, at: int) -> Value:
        """`value.name`, also `from value import name`.

        Raises:
            Raised: where a module of the standard library is known to have no such name and somebody may catch that.
        """
        path = f"{value.path}.{name}"
        if path.startswith("torch.ops.") and path.count(".") == 3:
            self.evaluation.operations.read(value.path[len("torch.ops.") :], name, frame, at)
        constant = self._constants.get(path)
        if constant is not None:
            return constant
        if not self.evaluation.cautious and name in self.evaluation.statements.altered.get(value.path, ()):
            return doubted(Unknown())
        if path in self.evaluation.tree.sources:
            module = self.evaluation.module(path)
            if module.status == "ok" or (module.status == "running" and self.evaluation.cautious):
                return module.replaced or ModuleValue(module)
            error = AttributeError(f"module '{value.path}' has no attribute '{name}'")
            return self.evaluation.expressions.as_python(error, frame, at)
        if name in ("__version__", "VERSION"):
            return self._version(value.path, path)
        if name == "__name__" and value.path in self.evaluation.imported:
            return Constant(value.path)
        if name == "__module__":
            return ORIGIN
        careless = not self.evaluation.cautious
        if (frame.protected or careless) and self._lacks(value.path, name):
            message = f"module '{value.path}' has no attribute '{name}'"
            failure = self.evaluation.expressions.failure(
                frame, at, "attribute", message, None, builtin("AttributeError"), subject=name, certain=careless
            )
            raise Raised(failure)
        return External(path)

    def _lacks(self, path: str, name: str) -> bool:
        world, tree = self.evaluation.world, self.evaluation.tree
        if path in tree.namespaces:
            return tree.complete and not (
                self.evaluation.cautious or tree.has(f"{path}.{name}") or name in MODULE_ATTRIBUTES
            )
        return (
            path in self.evaluation.imported
            and stdlib.is_stdlib_root(path.partition(".")[0])
            and world.has_name(path, name) is Truth.NO
        )

    def _version(self, module: str, path: str) -> Value:
        version = self.evaluation.world.versions.get(normalized(module.partition(".")[0]))
        return Constant(version) if version is not None else Unknown(Atom(path))

    def member(self, value: Known, name: str) -> Value:
        """An attribute of a known thing."""
        if value.model == "super":
            owner, receiver = value.parts
            return self._inherited(owner, receiver, name)
        if (
            value.model == "decorated"
            and name in ("__name__", "__wrapped__")
            and isinstance(value.parts[0], FunctionValue)
        ):
            return value.parts[0] if name == "__wrapped__" else Constant(value.parts[0].name)
        if value.model in ("namespace", "decorated", "member", "environment", "library", "origin"):
            return Known("member", value, name)
        return caused(Unknown(), value.cause)

    def _inherited(self, owner: ClassValue, receiver: Value, name: str) -> Value:
        """`super().name`; not followed where the uses of operations are looked for: each method is judged by itself."""
        if self.evaluation.operations.settled:
            return Unknown()
        for base in owner.bases:
            found = self.evaluation.expressions.class_member(base, name) if isinstance(base, ClassValue) else None
            if isinstance(found, Descriptor):
                return found.function if found.kind == "staticmethod" else Method(found.function, receiver)
            if isinstance(found, FunctionValue):
                return Method(found, receiver)
            if isinstance(found, (Constant, Items, Table)):
                return found
            if found is not None or not isinstance(base, ClassValue):
                break
        return Unknown()

    def is_special(self, path: str) -> bool:
        """The call's arguments are not simply evaluated first."""
        return path in (
            "builtins.any",
            "builtins.all",
            "builtins.super",
            "builtins.globals",
            "builtins.vars",
            "builtins.locals",
        )

    def call_special(self, path: str, node: syntax.Call, frame: Frame) -> Value:
        """A call that looks at its arguments one by one, or at where it stands."""
        if path in ("builtins.any", "builtins.all"):
            return typed(self._any_all(path == "builtins.any", node, frame), bool)
        if path == "builtins.super":
            return self._super(frame, node.at)
        for argument in node.arguments:
            self.evaluation.expressions.evaluate(argument, frame)
        if path == "builtins.globals" or (not node.arguments and frame.kind == "module"):
            return Known("namespace", frame.module)
        return Unknown()

    def text(self, value: Value, frame: Frame) -> Value:
        """`str(value)`"""
        value = frame.state.settle(value)
        if isinstance(value, Instance) and len(value.arguments) == 1 and is_exception(value.type):
            return caused(self.text(value.arguments[0], frame), value.cause)
        return caused(Constant(str(value.value)), value.cause) if isinstance(value, Constant) else Unknown()

    def contains(self, holder: Known, item: Value, frame: Frame) -> Value:
        """`item in globals()`, `item in os.environ`"""
        name = to_python(item)
        if not isinstance(name, str):
            return Unknown()
        if holder.model == "environment":
            return Unknown(Atom(f"{name} in os.environ")) if self._may_be_set(name) else Constant(False)
        module = holder.parts[0]
        found = frame.state.settle(module.names.get(name) or Unbound())
        if may_be_unbound(found) is Truth.MAYBE or (isinstance(found, Unbound) and module.dynamic):
            return Unknown()
        return caused(Constant(not isinstance(found, Unbound)), found.cause)

    def variable(self, name: str, default: Value | None, frame: Frame, at: int) -> Value:
        """An environment variable; `default` is None for a look-up that fails where there is none.

        Raises:
            Raised: where it is not set.
        """
        if self._may_be_set(name):
            return Unknown(Atom(f"os.environ[{name!r}]"))
        if default is not None:
            return default
        failure = self.evaluation.expressions.failure(
            frame, at, "call", name, None, builtin("KeyError"), subject=name, certain=True
        )
        raise Raised(failure)

    def _may_be_set(self, name: str) -> bool:
        return self.evaluation.world.open_environment or COMMON_VARIABLES.fullmatch(name) is not None

    def _any_all(self, wants: bool, node: syntax.Call, frame: Frame) -> Value:
        expressions = self.evaluation.expressions
        if len(node.arguments) != 1 or node.keywords:
            return expressions.as_python(TypeError("it takes exactly one argument"), frame, node.at)
        argument = node.arguments[0]
        values: Iterable[Value] | None
        if isinstance(argument, syntax.Comprehension):
            values = expressions.iterate(argument, frame)
            if values is None:
                return self._any_all_alike(wants, expressions.typical(argument, frame), frame)
        else:
            values = elements_of(frame.state.settle(expressions.evaluate(argument, frame)))
        if values is None:
            return Unknown()
        cause, open_ = None, False
        for value in values:
            truth, _ = expressions.truth(value, frame)
            cause = cause or frame.state.settle(value).cause
            if truth is Truth.of(wants):
                return caused(Constant(wants), frame.state.settle(value).cause) if not open_ else Unknown()
            open_ = open_ or truth is Truth.MAYBE
        return Unknown() if open_ else caused(Constant(not wants), cause)

    def _any_all_alike(self, wants: bool, element: Value, frame: Frame) -> Value:
        """`any(...)` or `all(...)` over elements of which only is known what all are like; there may be none."""
        truth, _ = self.evaluation.expressions.truth(element, frame)
        settled = truth is Truth.of(not wants)
        return caused(Constant(not wants) if settled else Unknown(), frame.state.settle(element).cause)

    def _super(self, frame: Frame, at: int) -> Value:
        owner = frame.state.names.get("__class__")
        function = frame.function
        if not isinstance(owner, ClassValue) or function is None or not function.node.parameters:
            return self.evaluation.expressions.as_python(RuntimeError("super(): no arguments"), frame, at)
        receiver = frame.state.names.get(function.node.parameters[0].name, Unknown())
        return Known("super", owner, receiver)

    def call(self, function: External, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
        """Call something that is not the project's own.

        Raises:
            Raised: where it is known to fail.
        """
        path = function.path
        given = frame.state.settle(arguments[0]) if arguments else None
        if isinstance(given, Choice) and path in _NAMING:
            rest = arguments[1:]
            return self.evaluation.expressions.choose(
                given, lambda one: self.call(function, (one, *rest), keywords, frame, at), frame
            )
        answer = self._calls.get(path)
        if answer is not None and len(arguments) < FEWEST.get(path, 0):
            message = f"{path} lacks an argument"
            if "**" not in keywords:
                return self.evaluation.expressions.as_python(TypeError(message), frame, at)
            self.evaluation.expressions.perhaps_missing("call", "TypeError", message, frame, at)
            return Unknown()
        if answer is not None:
            return typed(answer(self, arguments, keywords, frame, at), TYPES.get(path))
        if path in FINDERS:
            return self.find_spec(arguments, keywords, frame, at)
        if path == "builtins.__import__":
            wanted = frame.state.settle(
                arguments[3] if len(arguments) > 3 else keywords.get("fromlist", Constant(None))
            )
            below = self.evaluation.expressions.truth(wanted, frame)[0] is not Truth.NO
            return self.import_module(arguments[:1], keywords, frame, at, last=below)
        if path in IMPORTERS:
            return self.import_module(arguments, keywords, frame, at)
        if path in DISTRIBUTION_PROBES:
            return self.distribution(path, arguments, frame, at)
        if (
            path.startswith("builtins.")
            and is_subclass(External(path), builtin("BaseException")) is Truth.YES
            and path[9:10].isupper()
        ):
            return Instance(External(path), arguments)
        last = path.rpartition(".")[2]
        if path in _MEMOISING or path in _KEEPING:
            if arguments and isinstance(arguments[0], (FunctionValue, Known, ClassValue)) and path != "functools.wraps":
                return self.decorate(path, arguments[0])
            return Known("decorator", path, *arguments[:1])
        if last in ("Version", "parse", "parse_version", "LooseVersion", "StrictVersion") and "version" in path.lower():
            return self._parse_version(arguments, frame, at)
        if last.endswith(("Error", "Exception", "Warning")) and last[0].isupper():
            return Instance(External(path), arguments)
        text = self.evaluation.calls.key_of(function, arguments, keywords)
        return self.evaluation.expressions.unknown(text, function.cause)

    def call_known(self, function: Known, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
        """Call a known thing."""
        calls = self.evaluation.calls
        match function.model:
            case "registrar":
                return call_library(self, function, arguments, keywords, frame, at)
            case "decorator" if arguments:
                return self.decorate(*function.parts[:1], *arguments[:1], *function.parts[1:])
            case "context factory":
                return Known("generator context", function.parts[0], arguments, dict(keywords))
            case "partial":
                inner, before, named = function.parts
                return calls.call(inner, before + arguments, {**named, **keywords}, frame, at)
            case "member":
                return self._call_member(function, arguments, keywords, frame, at)
            case "refused":
                return self.evaluation.guards.refuse(function, frame, at)
            case "lazy attributes":
                return self._lazy_attribute(function, arguments, frame, at)
        self.evaluation.expressions.perhaps_missing("call", "TypeError", "it is not callable", frame, at)
        return caused(Unknown(), function.cause)

    def _call_member(self, function: Known, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
        holder, name = function.parts
        if isinstance(holder, Constant) and isinstance(holder.value, str) and name in _TEXT_METHODS:
            python = [to_python(frame.state.settle(argument)) for argument in arguments]
            if NotPython not in python and not keywords:
                try:
                    result = getattr(holder.value, name)(*python)
                except (TypeError, ValueError, LookupError) as error:
                    return self.evaluation.expressions.as_python(error, frame, at)
                return from_python(result) if not isinstance(result, bytes) else Unknown()
        if isinstance(holder, Table):
            return self._table_method(holder, name, arguments, frame)
        if isinstance(holder, Known) and holder.model == "library":
            return call_library(self, function, arguments, keywords, frame, at)
        if isinstance(holder, Known) and holder.model == "namespace":
            return self._namespace_method(holder.parts[0], name, arguments, keywords, frame)
        if isinstance(holder, Known) and holder.model == "environment" and name in ("get", "setdefault") and arguments:
            return environment(self, arguments, {}, frame, at)
        if is_origin(holder):
            return origin_member(self.evaluation, name, arguments, frame)
        return Unknown()

    def _table_method(self, table: Table, name: str, arguments: Arguments, frame: Frame) -> Value:
        if name == "keys" and table.complete:
            return Items("dict_keys", tuple(Constant(key) for key in table.entries))
        if name == "values" and table.complete:
            return Items("dict_values", tuple(table.entries.values()))
        if name == "items" and table.complete:
            return Items(
                "dict_items", tuple(Items("tuple", (Constant(key), value)) for key, value in table.entries.items())
            )
        if name in ("get", "pop") and arguments:
            key = to_python(frame.state.settle(arguments[0]))
            if key is not NotPython and key in table.entries:
                return table.entries[key]
            if key is not NotPython and table.complete:
                return arguments[1] if len(arguments) > 1 else Constant(None)
            return doubted(Unknown())
        return Unknown()

    def _namespace_method(
        self, module: Any, name: str, arguments: Arguments, keywords: Keywords, frame: Frame
    ) -> Value:
        if name == "update":
            extra = frame.state.settle(arguments[0]) if arguments else Table({})
            given = {**(extra.entries if isinstance(extra, Table) else {}), **keywords}
            for key, value in given.items():
                if isinstance(key, str) and key != "**":
                    self.evaluation.statements.bind_global(key, value, frame)
            complete = isinstance(extra, Table) and extra.complete and "**" not in keywords
            module.dynamic = module.dynamic or not complete
            return Constant(None)
        if name == "setdefault":
            key = to_python(frame.state.settle(arguments[0])) if arguments else NotPython
            found = module.names.get(key) if isinstance(key, str) else None
            if isinstance(key, str) and (found is None or isinstance(found, Unbound)) and not module.dynamic:
                found = arguments[1] if len(arguments) > 1 else Constant(None)
                self.evaluation.statements.bind_global(key, found, frame)
            module.dynamic = module.dynamic or not isinstance(key, str)
            return found if found is not None and not isinstance(found, Unbound) else Unknown()
        if name == "get" and arguments:
            key = to_python(frame.state.settle(arguments[0]))
            found = module.names.get(key) if isinstance(key, str) else None
            if found is not None and not isinstance(found, Unbound):
                return found  # type: ignore[no-any-return]
            if isinstance(key, str) and not module.dynamic:
                return arguments[1] if len(arguments) > 1 else Constant(None)
            return doubted(Unknown())
        return Unknown()

    def _parse_version(self, arguments: Arguments, frame: Frame, at: int) -> Value:
        text = to_python(arguments[0]) if arguments else NotPython
        if not isinstance(text, str):
            return Unknown()
        expressions = self.evaluation.expressions
        from packaging.version import InvalidVersion, Version

        try:
            return Constant(Version(text))
        except InvalidVersion as error:
            type_ = External("packaging.version.InvalidVersion")
            failure = expressions.failure(frame, at, "call", str(error), None, type_, certain=True)
            if not self.evaluation.cautious:
                raise Raised(failure) from None
            return Unknown()

    def decorate(self, path: str, value: Value, given: Value | None = None) -> Value:
        """`@path` or `@path(given)` over a function or class."""
        if path == "functools.wraps" and isinstance(value, FunctionValue) and isinstance(given, FunctionValue):
            value.attributes = {**given.attributes, "__name__": Constant(given.name), "__wrapped__": given}
        if path == "functools.singledispatch" and isinstance(value, FunctionValue):
            value.dispatches = True
        if isinstance(value, ClassValue) or path in _KEEPING:
            return value
        if path in _MEMOISING:
            if isinstance(value, FunctionValue):
                value.memoised = True
            return Descriptor("property", value) if path == "functools.cached_property" else value
        if path in ("builtins.property", "builtins.staticmethod", "builtins.classmethod"):
            return Descriptor(path.rpartition(".")[2], value)
        if path in ("contextlib.contextmanager", "contextlib.asynccontextmanager"):
            return Known("context factory", value)
        return Known("decorated", value)
