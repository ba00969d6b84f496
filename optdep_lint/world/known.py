"""What is known of things that are not the project's own: builtins, the import machinery, probes, decorators."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from optdep_lint.facts import syntax
from optdep_lint.world import stdlib
from optdep_lint.world.exceptions import is_exception, is_subclass, text_of
from optdep_lint.world.expressions import NotPython, from_python, to_python
from optdep_lint.world.frames import Frame
from optdep_lint.world.statements import elements_of
from optdep_lint.world.truth import Atom, Truth
from optdep_lint.world.values import (
    Cause,
    Choice,
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
)

if TYPE_CHECKING:
    from optdep_lint.world.evaluation import Evaluation

TYPING_ONLY = "TYPE_CHECKING"
"""The cause of what is bound for type checkers only: it holds in every world."""

Arguments = tuple[Value, ...]
Keywords = Mapping[str, Value]
Answer = Callable[["KnownThings", Arguments, Keywords, Frame, int], Value]

_KEEPING = frozenset({
    "functools.wraps", "functools.update_wrapper", "typing.no_type_check", "typing.final", "typing.overload",
    "typing.runtime_checkable", "typing_extensions.final", "typing_extensions.deprecated", "warnings.deprecated",
    "typing.override", "typing_extensions.override", "abc.abstractmethod", "functools.singledispatch",
    "typing_extensions.runtime_checkable", "functools.total_ordering", "atexit.register",
})  # fmt: skip
"""Decorators that give back what they are put on, or something that is called alike."""

_MEMOISING = frozenset({"functools.cache", "functools.lru_cache", "functools.cached_property", "cachetools.cached"})
_FINDERS = frozenset({
    "importlib.util.find_spec", "importlib.find_loader", "pkgutil.find_loader", "imp.find_module",
    "importlib.machinery.PathFinder.find_spec",
})  # fmt: skip
_IMPORTERS = frozenset({"importlib.import_module", "builtins.__import__", "django.utils.module_loading.import_string"})
_DISTRIBUTION_PROBES = frozenset({
    f"{module}.{name}" for module in ("importlib.metadata", "importlib_metadata")
    for name in ("version", "distribution", "metadata", "requires", "files")
})  # fmt: skip
_COMMON_VARIABLES = re.compile(
    r"HOME|PATH|USER\w*|LOGNAME|SHELL|TERM|LANG|LC_\w+|PWD|TMP|TEMP|TMPDIR|TZ|DISPLAY|HOSTNAME|PYTHON\w*|VIRTUAL_ENV|CONDA\w*"
    r"|XDG_\w+|APPDATA|LOCALAPPDATA|PROGRAM\w+|SYSTEM\w+|WINDIR|COMSPEC|OS|EDITOR|VISUAL|PAGER|COLUMNS|LINES|\w*_PROXY",
    re.IGNORECASE,
)
"""Environment variables that a process may well have; all others are taken to be unset until somebody asks for something."""
_TEXT_METHODS = frozenset({
    "format", "join", "split", "rsplit", "partition", "rpartition", "lower", "upper", "strip", "lstrip", "rstrip",
    "startswith", "endswith", "replace", "removeprefix", "removesuffix", "title", "capitalize", "count", "find", "index",
    "isidentifier", "isdigit", "encode", "splitlines",
})  # fmt: skip


class KnownThings:
    """Answers for attributes and calls of what is not the project's own."""

    def __init__(self, evaluation: Evaluation) -> None:
        self._evaluation = evaluation
        world = evaluation.world
        major, minor = world.python
        version = Items("tuple", (Constant(major), Constant(minor), Constant(9), Constant("final"), Constant(0)))
        self._constants: dict[str, Value] = {
            "sys.version_info": version,
            "sys.platform": Constant(world.platform),
            "os.name": Constant(world.os_name),
            "os.sep": Constant(world.separator),
            "sys.implementation.name": Constant("cpython"),
            "sys.byteorder": Constant("little"),
            "sys.maxsize": Constant(2**63 - 1),
            "sys.hexversion": Constant((major << 24) | (minor << 16) | (9 << 8) | 0xF0),
            "sys.flags.optimize": Constant(0),
            "os.environ": Known("environment"),
            "sys.argv": Items("list", (Constant("-c"),)),
            "typing.TYPE_CHECKING": caused(Constant(False), Cause(TYPING_ONLY, "", 0)),
            "typing_extensions.TYPE_CHECKING": caused(Constant(False), Cause(TYPING_ONLY, "", 0)),
            "six.PY2": Constant(False),
            "six.PY3": Constant(True),
            "six.PY34": Constant(True),
            "builtins.True": Constant(True),
            "builtins.False": Constant(False),
            "builtins.None": Constant(None),
            "builtins.NotImplemented": Unknown(),
            "builtins.Ellipsis": Unknown(),
        }
        self._calls: dict[str, Answer] = dict(_ANSWERS)
        self._loading: list[str] = []

    # --- attributes ----------------------------------------------------------------------------------------------

    def attribute(self, value: External, name: str, frame: Frame, at: int) -> Value:
        """`value.name`, also `from value import name`.

        Raises:
            Raised: where a module of the standard library is known to have no such name and somebody may catch that.
        """
        path = f"{value.path}.{name}"
        constant = self._constants.get(path)
        if constant is not None:
            return constant
        if path in self._evaluation.tree.sources:
            module = self._evaluation.module(path)
            if module.status in ("ok", "running"):
                return module.replaced or ModuleValue(module)
        if name == "__version__" or name == "VERSION":
            return self._version(value.path, path)
        if name == "__name__" and value.path in self._evaluation.imported:
            return Constant(value.path)
        if frame.protected and self._lacks(value.path, name):
            message = f"module '{value.path}' has no attribute '{name}'"
            failure = self._evaluation.expressions.failure(
                frame, at, "attribute", message, None, builtin("AttributeError"), subject=name
            )
            raise Raised(failure)
        return External(path)

    def _lacks(self, path: str, name: str) -> bool:
        world = self._evaluation.world
        return (
            path in self._evaluation.imported
            and stdlib.is_stdlib_root(path.partition(".")[0])
            and world.has_name(path, name) is Truth.NO
        )

    def _version(self, module: str, path: str) -> Value:
        version = self._evaluation.world.versions.get(_normalized(module.partition(".")[0]))
        return Constant(version) if version is not None else Unknown(Atom(path))

    def member(self, value: Known, name: str) -> Value:
        """An attribute of a known thing."""
        if value.model == "version":
            return _version_part(value, name)
        if value.model == "module" and isinstance(value.parts[0], str):
            return External(f"{value.parts[0]}.{name}")
        if value.model == "decorated" and name in ("__name__", "__wrapped__") and isinstance(value.parts[0], FunctionValue):
            return value.parts[0] if name == "__wrapped__" else Constant(value.parts[0].name)
        if value.model in ("namespace", "memoised", "decorated", "member", "environment"):
            return Known("member", value, name)
        return caused(Unknown(), value.cause)

    # --- calls ---------------------------------------------------------------------------------------------------

    def is_special(self, path: str) -> bool:
        """The call's arguments are not simply evaluated first."""
        return path in ("builtins.any", "builtins.all", "builtins.super", "builtins.globals", "builtins.vars", "builtins.locals")

    def call_special(self, path: str, node: syntax.Call, frame: Frame) -> Value:
        """A call that looks at its arguments one by one, or at where it stands."""
        if path in ("builtins.any", "builtins.all"):
            return self._any_all(path == "builtins.any", node, frame)
        if path == "builtins.super":
            return self._super(frame)
        for argument in node.arguments:
            self._evaluation.expressions.evaluate(argument, frame)
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
            return Unknown(Atom(f"{name} in os.environ")) if _COMMON_VARIABLES.fullmatch(name) else Constant(False)
        module = holder.parts[0]
        found = frame.state.settle(module.names.get(name) or Unbound())
        if isinstance(found, Choice) or (isinstance(found, Unbound) and module.dynamic):
            return Unknown()
        return caused(Constant(not isinstance(found, Unbound)), found.cause)

    def variable(self, name: str, default: Value | None, frame: Frame, at: int) -> Value:
        """An environment variable; `default` is None for a look-up that fails where there is none.

        Raises:
            Raised: where it is not set.
        """
        if _COMMON_VARIABLES.fullmatch(name):
            return Unknown(Atom(f"os.environ[{name!r}]"))
        if default is not None:
            return default
        failure = self._evaluation.expressions.failure(frame, at, "call", name, None, builtin("KeyError"), subject=name)
        raise Raised(failure)

    def _any_all(self, wants: bool, node: syntax.Call, frame: Frame) -> Value:
        expressions = self._evaluation.expressions
        values = None
        if len(node.arguments) == 1:
            argument = node.arguments[0]
            if isinstance(argument, syntax.Comprehension):
                values = expressions.iterate(argument, frame)
            if values is None:
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

    def _super(self, frame: Frame) -> Value:
        owner = frame.state.names.get("__class__")
        function = frame.function
        if not isinstance(owner, ClassValue) or function is None or not function.node.parameters:
            return Unknown()
        receiver = frame.state.names.get(function.node.parameters[0].name, Unknown())
        return Known("super", owner, receiver)

    def call(self, function: External, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
        """Call something that is not the project's own.

        Raises:
            Raised: where it is known to fail.
        """
        path = function.path
        answer = self._calls.get(path)
        if answer is not None:
            return answer(self, arguments, keywords, frame, at)
        if path in _FINDERS:
            return self.find_spec(arguments, keywords, frame, at)
        if path in _IMPORTERS:
            return self.import_module(arguments, keywords, frame, at)
        if path in _DISTRIBUTION_PROBES:
            return self.distribution(path, arguments, frame, at)
        if path.startswith("builtins.") and is_subclass(External(path), builtin("BaseException")) is Truth.YES and path[9:10].isupper():
            return Instance(External(path), arguments)
        last = path.rpartition(".")[2]
        if path in _MEMOISING or path in _KEEPING:
            if arguments and isinstance(arguments[0], (FunctionValue, Known, ClassValue)) and path != "functools.wraps":
                return self.decorate(path, arguments[0])
            return Known("decorator", path)
        if last in ("Version", "parse", "parse_version", "LooseVersion", "StrictVersion") and "version" in path.lower():
            return self._parse_version(arguments)
        if last.endswith(("Error", "Exception", "Warning")) and last[0].isupper():
            return Instance(External(path), arguments)
        text = self._evaluation.calls._key(function, arguments, keywords)
        return self._evaluation.expressions.unknown(text, function.cause)

    def call_known(self, function: Known, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
        """Call a known thing."""
        calls = self._evaluation.calls
        match function.model:
            case "decorator" if arguments:
                return self.decorate(function.parts[0], arguments[0])
            case "memoised":
                return calls.call(function.parts[0], arguments, keywords, frame, at)
            case "context factory":
                return Known("generator context", function.parts[0], arguments, dict(keywords))
            case "partial":
                inner, before, named = function.parts
                return calls.call(inner, before + arguments, {**named, **keywords}, frame, at)
            case "member":
                return self._call_member(function, arguments, keywords, frame, at)
            case "lazy attributes":
                return self._lazy_attribute(function, arguments, frame, at)
        return caused(Unknown(), function.cause)

    def _call_member(self, function: Known, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
        holder, name = function.parts
        if isinstance(holder, Constant) and isinstance(holder.value, str) and name in _TEXT_METHODS:
            python = [to_python(frame.state.settle(argument)) for argument in arguments]
            if NotPython not in python and not keywords:
                try:
                    result = getattr(holder.value, name)(*python)
                except Exception:  # what the project's own call would raise is not concluded from
                    return Unknown()
                return from_python(result) if not isinstance(result, bytes) else Unknown()
        if isinstance(holder, Table):
            return self._table_method(holder, name, arguments, frame)
        if isinstance(holder, Known) and holder.model == "namespace":
            return self._namespace_method(holder.parts[0], name, arguments, frame)
        if isinstance(holder, Known) and holder.model == "environment" and name in ("get", "setdefault") and arguments:
            return _environment(self, arguments, {}, frame, at)
        if isinstance(holder, Known) and holder.model == "memoised" and name == "__wrapped__":
            return Unknown()
        return Unknown()

    def _table_method(self, table: Table, name: str, arguments: Arguments, frame: Frame) -> Value:
        if name in ("keys", "__iter__") and table.complete:
            return Items("list", tuple(Constant(key) for key in table.entries))
        if name == "values" and table.complete:
            return Items("list", tuple(table.entries.values()))
        if name == "items" and table.complete:
            return Items("list", tuple(Items("tuple", (Constant(key), value)) for key, value in table.entries.items()))
        if name in ("get", "pop") and arguments:
            key = to_python(frame.state.settle(arguments[0]))
            if key is not NotPython and key in table.entries:
                return table.entries[key]
            if key is not NotPython and table.complete:
                return arguments[1] if len(arguments) > 1 else Constant(None)
        return Unknown()

    def _namespace_method(self, module: Any, name: str, arguments: Arguments, frame: Frame) -> Value:
        if name == "update":
            extra = frame.state.settle(arguments[0]) if arguments else Unknown()
            if isinstance(extra, Table):
                module.names.update({key: value for key, value in extra.entries.items() if isinstance(key, str)})
            module.dynamic = module.dynamic or not isinstance(extra, Table) or not extra.complete
        elif name == "setdefault":
            module.dynamic = True
        elif name == "get" and arguments:
            key = to_python(frame.state.settle(arguments[0]))
            found = module.names.get(key) if isinstance(key, str) else None
            if found is not None and not isinstance(found, Unbound):
                return found  # type: ignore[no-any-return]
            if isinstance(key, str) and not module.dynamic:
                return arguments[1] if len(arguments) > 1 else Constant(None)
        return Unknown()

    # --- probes and importers ------------------------------------------------------------------------------------

    def find_spec(self, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
        """`importlib.util.find_spec(name)`: it imports the parents of a dotted name, and fails where one is absent."""
        given = arguments[0] if arguments else keywords.get("name", Unknown())
        name = self._module_name(given, arguments, keywords, frame)
        if name is None:
            return self._unknown_call("importlib.util.find_spec", arguments, frame)
        tree, world, imports = self._evaluation.tree, self._evaluation.world, self._evaluation.imports
        self._evaluation.feel(name)
        if name in self._evaluation.injected or name in tree.sources or name in tree.namespaces:
            parent = name.rpartition(".")[0]
            if parent and tree.owns(name):
                imports.import_dotted(parent, True, frame, at)
            return Known("spec", name)
        if tree.owns(name):
            return Known("spec", name) if name in tree.extensions else Unknown(Atom(f"find_spec({name!r})"))
        missing = world.missing(name)
        if missing is None:
            return Known("spec", name) if "." not in name else self._spec_below(name)
        cause = Cause(missing, frame.module.source.path, at)
        if missing == name:
            return caused(Constant(None), cause)
        message = f"No module named '{missing}'"
        failure = self._evaluation.expressions.failure(
            frame, at, "probe", message, cause, builtin("ModuleNotFoundError"), subject=name
        )
        raise Raised(failure)

    def _spec_below(self, name: str) -> Value:
        """A submodule of something present: the standard library's are known, others are taken to be there."""
        if self._evaluation.is_stdlib(name):
            return Known("spec", name)
        return Known("spec", name)

    def _module_name(self, given: Value, arguments: Arguments, keywords: Keywords, frame: Frame) -> str | None:
        """The absolute module name that an argument gives, or None where it is not known."""
        name = to_python(frame.state.settle(given))
        if not isinstance(name, str) or not name:
            return None
        if not name.startswith("."):
            return name
        package_value = arguments[1] if len(arguments) > 1 else keywords.get("package", Unknown())
        package = to_python(frame.state.settle(package_value))
        if not isinstance(package, str):
            return None
        level = len(name) - len(name.lstrip("."))
        parts = package.split(".")
        keep = len(parts) - (level - 1)
        if keep < 1:
            return None
        rest = name.lstrip(".")
        return ".".join([*parts[:keep], rest] if rest else parts[:keep])

    def _unknown_call(self, path: str, arguments: Arguments, frame: Frame) -> Value:
        return self._evaluation.expressions.unknown(self._evaluation.calls._key(External(path), arguments, {}))

    def import_module(self, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
        """`importlib.import_module(name)`, `__import__(name)`."""
        given = arguments[0] if arguments else keywords.get("name", Unknown())
        name = self._module_name(given, arguments, keywords, frame)
        if name is None:
            return Unknown()
        return self._evaluation.imports.import_dotted(name, True, frame, at)

    def distribution(self, path: str, arguments: Arguments, frame: Frame, at: int) -> Value:
        """`importlib.metadata.version(distribution)` and its like."""
        name = to_python(frame.state.settle(arguments[0])) if arguments else NotPython
        world = self._evaluation.world
        if not isinstance(name, str):
            return Unknown()
        self._evaluation.feel(f"{_normalized(name)} (distribution)")
        version = world.versions.get(_normalized(name))
        if version is not None:
            return Constant(version) if path.endswith(".version") else Unknown()
        missing = world.missing_distribution(_normalized(name))
        if missing is None:
            return self._unknown_call(path, arguments, frame)
        cause = Cause(missing, frame.module.source.path, at)
        failure = self._evaluation.expressions.failure(
            frame, at, "probe", f"No package metadata was found for {name}", cause,
            External("importlib.metadata.PackageNotFoundError"), subject=name,
        )  # fmt: skip
        raise Raised(failure)

    def _parse_version(self, arguments: Arguments) -> Value:
        text = to_python(arguments[0]) if arguments else NotPython
        if not isinstance(text, str):
            return Unknown(arguments[0].condition) if arguments and isinstance(arguments[0], Unknown) and False else Unknown()
        from packaging.version import InvalidVersion, Version

        try:
            return Constant(Version(text))
        except InvalidVersion:
            return Unknown()

    # --- lazy modules --------------------------------------------------------------------------------------------

    def _lazy_attribute(self, function: Known, arguments: Arguments, frame: Frame, at: int) -> Value:
        """The `__getattr__` of `lazy_loader.attach`: what is asked for is imported."""
        package, submodules, attributes = function.parts
        name = to_python(frame.state.settle(arguments[0])) if arguments else NotPython
        imports = self._evaluation.imports
        if name in submodules:
            return imports.import_dotted(f"{package}.{name}", True, frame, at)
        if name in attributes:
            holder = imports.import_dotted(f"{package}.{attributes[name]}", True, frame, at)
            return imports.import_name(holder, name, frame, at)
        return Unknown()

    # --- decorators ----------------------------------------------------------------------------------------------

    def decorate(self, path: str, value: Value) -> Value:
        """`@path` over a function or class."""
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


# --- answers -----------------------------------------------------------------------------------------------------


def _hasattr(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    if len(arguments) < 2:
        return Unknown()
    value, name = frame.state.settle(arguments[0]), to_python(frame.state.settle(arguments[1]))
    if not isinstance(name, str):
        return Unknown()
    evaluation = known._evaluation
    if isinstance(value, External):
        if value.path in evaluation.imported:
            truth = evaluation.world.has_name(value.path, name)
            if truth is not Truth.MAYBE:
                return Constant(truth is Truth.YES)
        return Unknown(Atom(f"hasattr({value.path}, {name!r})"))
    if isinstance(value, ModuleValue):
        found = value.module.names.get(name)
        if found is not None:
            found = frame.state.settle(found)
            return caused(Constant(not isinstance(found, Unbound)), found.cause) if isinstance(found, (Unbound, Constant)) else Constant(True)
        return Constant(False) if not value.module.dynamic and "__getattr__" not in value.module.names else Unknown()
    if isinstance(value, Constant):
        return caused(Constant(hasattr(value.value, name)), value.cause)
    return Unknown()


def _getattr(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    if len(arguments) < 2:
        return Unknown()
    name = to_python(frame.state.settle(arguments[1]))
    if not isinstance(name, str):
        return Unknown()
    expressions = known._evaluation.expressions
    if len(arguments) == 2:
        return expressions.attribute(arguments[0], name, frame, at)
    answer = _hasattr(known, arguments[:2], keywords, frame, at)
    if isinstance(answer, Constant):
        if not answer.value:
            return caused(arguments[2], answer.cause)
        return expressions.attribute(arguments[0], name, frame, at)
    value = frame.state.settle(arguments[0])
    key = expressions.key(value)
    return expressions.unknown(f"getattr({key}, {name!r})" if key else None, value.cause)


def _isinstance(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    if len(arguments) < 2:
        return Unknown()
    value, wanted = frame.state.settle(arguments[0]), frame.state.settle(arguments[1])
    if isinstance(value, Instance):
        truth = is_subclass(value.type, wanted)
        return Constant(truth is Truth.YES) if truth is not Truth.MAYBE else Unknown()
    if isinstance(value, Constant) and isinstance(wanted, External) and wanted.path.startswith("builtins."):
        type_ = {"str": str, "int": int, "bool": bool, "float": float}.get(wanted.path[9:])
        if type_ is not None:
            return caused(Constant(isinstance(value.value, type_)), value.cause)
    return Unknown()


def _issubclass(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    if len(arguments) < 2:
        return Unknown()
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
    entries: dict[Any, Value] = {}
    complete = "**" not in keywords
    if arguments:
        first = frame.state.settle(arguments[0])
        complete = complete and isinstance(first, Table) and first.complete
        entries.update(first.entries if isinstance(first, Table) else {})
    entries.update({key: value for key, value in keywords.items() if key != "**"})
    return Table(entries, complete)


def _bool(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    if not arguments:
        return Constant(False)
    truth, condition = known._evaluation.expressions.truth(arguments[0], frame)
    cause = frame.state.settle(arguments[0]).cause
    return caused(Unknown(condition) if truth is Truth.MAYBE else Constant(truth is Truth.YES), cause)


def _text(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    return known.text(arguments[0], frame) if arguments else Constant("")


def _representation(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    value = frame.state.settle(arguments[0]) if arguments else Unknown()
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
        except (ValueError, OverflowError):
            return Unknown()
    return Unknown()


def _length(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    elements = elements_of(frame.state.settle(arguments[0])) if arguments else None
    return Constant(len(elements)) if elements is not None else Unknown()


def _enumerate(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    elements = elements_of(frame.state.settle(arguments[0])) if arguments else None
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
        except (ValueError, TypeError):
            return Unknown()
        if len(numbers) <= 100:
            return Items("list", tuple(map(Constant, numbers)))
    return Unknown()


def _sorted(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    python = to_python(frame.state.settle(arguments[0])) if arguments and not keywords else NotPython
    try:
        return from_python(sorted(python)) if python is not NotPython and python is not None else Unknown()
    except TypeError:
        return Unknown()


def _callable(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    value = frame.state.settle(arguments[0]) if arguments else Unknown()
    if isinstance(value, (FunctionValue, ClassValue)):
        return Constant(True)
    return caused(Constant(False), value.cause) if isinstance(value, Constant) else Unknown()


def _type(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    if len(arguments) == 3:
        name = to_python(frame.state.settle(arguments[0]))
        bases = frame.state.settle(arguments[1])
        names = frame.state.settle(arguments[2])
        parts = bases.elements if isinstance(bases, Items) else (Unknown(),)
        entries = {key: value for key, value in names.entries.items() if isinstance(key, str)} if isinstance(names, Table) else {}
        return ClassValue(frame.module, name if isinstance(name, str) else "?", tuple(parts), entries)
    value = frame.state.settle(arguments[0]) if arguments else Unknown()
    return value.type if isinstance(value, Instance) else Unknown()


def _setattr(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    if len(arguments) == 3:
        holder, name = frame.state.settle(arguments[0]), to_python(frame.state.settle(arguments[1]))
        if isinstance(holder, ModuleValue):
            if known._evaluation.is_shared(holder.module):
                return Constant(None)
            if isinstance(name, str):
                holder.module.names[name] = caused(arguments[2], frame.cause)
            else:
                holder.module.dynamic = True
        elif isinstance(holder, (ClassValue, Instance)) and isinstance(name, str):
            (holder.names if isinstance(holder, ClassValue) else holder.attributes)[name] = arguments[2]
    return Constant(None)


def _dynamic(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    frame.module.dynamic = True
    return Unknown()


def _suppress(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    return Known("suppress", arguments)


def _partial(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    if not arguments:
        return Unknown()
    function = frame.state.settle(arguments[0])
    if isinstance(function, External):
        return Unknown()
    return Known("partial", function, arguments[1:], dict(keywords))


def _exit(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    failure = known._evaluation.expressions.failure(
        frame, at, "raise", "SystemExit", frame.cause, builtin("SystemExit"), arguments
    )
    raise Raised(failure)


def _import_or_skip(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    try:
        return known.import_module(arguments[:1], {}, frame, at)
    except Raised as raised:
        if raised.failure.cause is None:
            raise
        failure = known._evaluation.expressions.failure(
            frame, at, "raise", raised.failure.message, raised.failure.cause, External("_pytest.outcomes.Skipped")
        )
        raise Raised(failure) from None


def _cast(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    return arguments[1] if len(arguments) > 1 else keywords.get("val", Unknown())


def _environment(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    name = to_python(frame.state.settle(arguments[0])) if arguments else NotPython
    default = arguments[1] if len(arguments) > 1 else keywords.get("default", Constant(None))
    return known.variable(name, default, frame, at) if isinstance(name, str) else Unknown()


def _slice(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    return Known("slice", *(frame.state.settle(argument) for argument in arguments))


def _platform(name: str) -> Answer:
    def answer(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
        world = known._evaluation.world
        return Constant({"system": world.system, "python_implementation": "CPython"}[name])

    return answer


def _python_version(parts: bool) -> Answer:
    def answer(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
        major, minor = known._evaluation.world.python
        return from_python((str(major), str(minor), "9")) if parts else Constant(f"{major}.{minor}.9")

    return answer


def _attach(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    """`lazy_loader.attach(package, submodules, submod_attrs)` gives `__getattr__`, `__dir__` and `__all__`."""
    given = dict(zip(("package_name", "submodules", "submod_attrs"), arguments, strict=False)) | dict(keywords)
    package = to_python(frame.state.settle(given.get("package_name", Unknown())))
    submodules = to_python(frame.state.settle(given.get("submodules", Constant(None))))
    table = frame.state.settle(given.get("submod_attrs", Constant(None)))
    attributes: dict[str, str] = {}
    if isinstance(table, Table):
        for submodule, names in table.entries.items():
            for element in elements_of(frame.state.settle(names)) or ():
                if isinstance(element, Constant):
                    attributes[element.value] = submodule
    known_names = set(submodules or ()) if submodules is not NotPython else set()
    hook = Known("lazy attributes", package, known_names, attributes)
    listed = Items("list", tuple(Constant(name) for name in sorted({*known_names, *attributes})))
    return Items("tuple", (hook, Unknown(), listed))


def _attach_stub(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    """`lazy_loader.attach_stub(__name__, __file__)`: the same, listed by the `.pyi` beside the module."""
    stub = known._evaluation.tree.stubs.get(frame.module.name)
    attributes: dict[str, str] = {}
    submodules: set[str] = set()
    for node in stub.body if stub is not None else ():
        if isinstance(node, syntax.ImportFrom) and node.level == 1:
            for alias in node.names:
                if node.module:
                    attributes[alias.asname or alias.name] = node.module
                else:
                    submodules.add(alias.asname or alias.name)
    hook = Known("lazy attributes", frame.module.name, submodules, attributes)
    listed = Items("list", tuple(Constant(name) for name in sorted({*submodules, *attributes})))
    return Items("tuple", (hook, Unknown(), listed))


def _extend_path(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    frame.module.dynamic_path = True
    return Unknown()


def _none(known: KnownThings, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
    return Constant(None)


_ANSWERS: dict[str, Answer] = {
    "builtins.hasattr": _hasattr,
    "builtins.getattr": _getattr,
    "builtins.isinstance": _isinstance,
    "builtins.issubclass": _issubclass,
    "builtins.tuple": _collect("tuple"),
    "builtins.list": _collect("list"),
    "builtins.set": _collect("set"),
    "builtins.frozenset": _collect("set"),
    "builtins.dict": _dict,
    "builtins.bool": _bool,
    "builtins.str": _text,
    "builtins.repr": _representation,
    "builtins.int": _integer,
    "builtins.len": _length,
    "builtins.enumerate": _enumerate,
    "builtins.zip": _zip,
    "builtins.range": _range,
    "builtins.sorted": _sorted,
    "builtins.slice": _slice,
    "builtins.callable": _callable,
    "builtins.type": _type,
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
    "os.getenv": _environment,
    "platform.system": _platform("system"),
    "platform.python_implementation": _platform("python_implementation"),
    "platform.python_version": _python_version(False),
    "platform.python_version_tuple": _python_version(True),
    "lazy_loader.attach": _attach,
    "lazy_loader.attach_stub": _attach_stub,
    "pkgutil.extend_path": _extend_path,
}


def _version_part(value: Known, name: str) -> Value:
    return Unknown()


def _normalized(name: str) -> str:
    """A distribution name in its normal form (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()
