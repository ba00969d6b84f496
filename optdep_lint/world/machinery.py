"""Functions that ask whether something is there, or import it: `find_spec`, `import_module`, `version`."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, TypeAlias

from optdep_lint.world.frames import Frame
from optdep_lint.world.literals import NotPython, to_python
from optdep_lint.world.truth import Atom
from optdep_lint.world.values import (
    Cause,
    Choice,
    ClassValue,
    Constant,
    External,
    FunctionValue,
    Instance,
    Known,
    Raised,
    Unknown,
    Value,
    builtin,
    caused,
)

if TYPE_CHECKING:
    from optdep_lint.world.evaluation import Evaluation

Arguments: TypeAlias = tuple[Value, ...]
Keywords: TypeAlias = Mapping[str, Value]

FINDERS = frozenset({
    "importlib.util.find_spec", "importlib.find_loader", "pkgutil.find_loader", "imp.find_module",
    "importlib.machinery.PathFinder.find_spec",
})  # fmt: skip

IMPORTERS = frozenset({"importlib.import_module", "builtins.__import__", "django.utils.module_loading.import_string"})

DISTRIBUTION_PROBES = frozenset({
    f"{module}.{name}" for module in ("importlib.metadata", "importlib_metadata")
    for name in ("version", "distribution", "metadata", "requires", "files")
})  # fmt: skip


class Machinery:
    """Answers probes and importers."""

    def __init__(self, evaluation: Evaluation) -> None:
        self.evaluation = evaluation

    def find_spec(self, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> Value:
        """`importlib.util.find_spec(name)`: it imports the parents of a dotted name, and fails where one is absent."""
        given = arguments[0] if arguments else keywords.get("name", Unknown())
        name = self._module_name(given, arguments, keywords, frame, at)
        if isinstance(frame.state.settle(given), FunctionValue):
            error = AttributeError("'function' object has no attribute 'startswith'")
            return self.evaluation.expressions.as_python(error, frame, at)
        if name is None:
            return self._unknown_call("importlib.util.find_spec", arguments, frame)
        tree, world, imports = self.evaluation.tree, self.evaluation.world, self.evaluation.imports
        self.evaluation.feel(name)
        if name in self.evaluation.injected or tree.owns(name):
            parent = name.rpartition(".")[0]
            if parent and tree.owns(name) and not imports.is_found_whole(name, frame, at):
                try:
                    imports.import_dotted(parent, True, frame, at)
                except Raised as raised:  # which is not asked for if the module is there already
                    if not imports.is_perhaps_there(name):
                        raise
                    there = Atom(f"{name} is there already")
                    self.evaluation.expressions.may_fail(raised.failure, there, frame)
            if name in self.evaluation.injected:
                return self._spec_of(name, frame.state.settle(self.evaluation.injected[name]), frame, at)
            if tree.has(name):
                return Known("spec", name)
            return Constant(None) if tree.complete else Unknown(Atom(f"find_spec({name!r})"))
        missing = world.missing(name)
        if missing is None:
            return Known("spec", name)  # a submodule of something that is there is taken to be there, too
        cause = Cause(missing, frame.module.source.path, at)
        nothing = caused(Constant(None), cause)
        if missing == name and missing in self.evaluation.doubtful:
            put = self.evaluation.doubtful[missing]
            if isinstance(put, (Instance, ClassValue)):
                message = f"{name}.__spec__ is not set"
                self.evaluation.expressions.perhaps_missing("probe", "ValueError", message, frame, at)
            return Choice(Atom(f"{missing} is injected"), Known("spec", name), nothing)
        stand_in = self.evaluation.injected.get(name.rpartition(".")[0])
        if missing in self.evaluation.doubtful or (
            isinstance(stand_in, External) and not self.evaluation.is_stdlib(stand_in.path)
        ):
            kind, message = "ModuleNotFoundError", f"No module named '{name}'"
            self.evaluation.expressions.perhaps_missing("probe", kind, message, frame, at)
            return Unknown()
        if missing == name:
            return nothing
        message = f"No module named '{missing}'"
        failure = self.evaluation.expressions.failure(
            frame, at, "probe", message, cause, builtin("ModuleNotFoundError"), subject=name
        )
        raise Raised(failure)

    def _spec_of(self, name: str, put: Value, frame: Frame, at: int) -> Value:
        """The spec of what the project has put into `sys.modules`."""
        if isinstance(put, Constant) and put.value is None:
            return put
        self.evaluation.imports.ask(put, "__spec__", frame, at)
        if isinstance(put, Unknown) and put.doubt:
            self.evaluation.expressions.perhaps_missing("probe", "ValueError", f"{name}.__spec__ is not set", frame, at)
            return Unknown()
        if isinstance(put, (Constant, Instance, ClassValue)):
            return self.evaluation.expressions.as_python(ValueError(f"{name}.__spec__ is not set"), frame, at)
        return Known("spec", name)

    def _module_name(self, given: Value, arguments: Arguments, keywords: Keywords, frame: Frame, at: int) -> str | None:
        """The absolute module name that an argument gives, or None where it is not known."""
        name = to_python(frame.state.settle(given))
        if not isinstance(name, str) or not name:
            return None
        if not name.startswith("."):
            return name
        package_value = arguments[1] if len(arguments) > 1 else keywords.get("package", Unknown())
        package = to_python(frame.state.settle(package_value))
        if not isinstance(package, str):
            message = f"the 'package' argument is required to import {name!r}"
            self.evaluation.expressions.perhaps_missing("call", "TypeError", message, frame, at)
            return None
        level = len(name) - len(name.lstrip("."))
        parts = package.split(".")
        keep = len(parts) - (level - 1)
        if keep < 1:
            self.evaluation.imports.beyond_top(frame, at)
            return None
        rest = name.lstrip(".")
        return ".".join([*parts[:keep], rest] if rest else parts[:keep])

    def _unknown_call(self, path: str, arguments: Arguments, frame: Frame) -> Value:
        return self.evaluation.expressions.unknown(self.evaluation.calls.key_of(External(path), arguments, {}))

    def import_module(
        self, arguments: Arguments, keywords: Keywords, frame: Frame, at: int, *, last: bool = True
    ) -> Value:
        """`importlib.import_module(name)`; unless `last`, what is given is the package at the root."""
        given = arguments[0] if arguments else keywords.get("name", Unknown())
        name = self._module_name(given, arguments, keywords, frame, at)
        if name is None:
            return Unknown()
        return self.evaluation.imports.import_dotted(name, last, frame, at)

    def distribution(self, path: str, arguments: Arguments, frame: Frame, at: int) -> Value:
        """`importlib.metadata.version(distribution)` and its like."""
        name = to_python(frame.state.settle(arguments[0])) if arguments else NotPython
        world = self.evaluation.world
        if not isinstance(name, str):
            return Unknown()
        self.evaluation.feel(f"{normalized(name)} (distribution)")
        version = world.versions.get(normalized(name))
        if version is not None:
            return _said(path.rpartition(".")[2], version)
        missing = world.missing_distribution(normalized(name))
        cause = Cause(missing, frame.module.source.path, at) if missing is not None else None
        failure = self.evaluation.expressions.failure(
            frame, at, "probe", f"No package metadata was found for {name}", cause,
            External("importlib.metadata.PackageNotFoundError"), subject=name, certain=not self.evaluation.cautious,
        )  # fmt: skip
        if missing is not None:
            raise Raised(failure)
        if not self.evaluation.cautious:
            self.evaluation.expressions.may_fail(failure, None, frame)
        return self._unknown_call(path, arguments, frame)

    def _lazy_attribute(self, function: Known, arguments: Arguments, frame: Frame, at: int) -> Value:
        """The `__getattr__` of `lazy_loader.attach`: what is asked for is imported."""
        package, submodules, attributes = function.parts
        name = to_python(frame.state.settle(arguments[0])) if arguments else NotPython
        imports = self.evaluation.imports
        if name in submodules:
            return imports.import_dotted(f"{package}.{name}", True, frame, at)
        if isinstance(name, str) and name in attributes:
            holder = imports.import_dotted(f"{package}.{attributes[name]}", True, frame, at)
            if self.evaluation.cautious:  # the names that an import statement would not find are told of
                return imports.import_name(holder, name, frame, at)
            return self.evaluation.expressions.attribute(holder, name, frame, at)
        if isinstance(name, str) and not self.evaluation.cautious:
            message = f"No {package} attribute {name}"
            raise Raised(
                self.evaluation.expressions.failure(
                    frame, at, "attribute", message, None, builtin("AttributeError"), subject=name, certain=True
                )
            )
        return Unknown()


def _said(what: str, version: str) -> Value:
    """What the metadata of a distribution of that version says."""
    if what == "version":
        return Constant(version)
    if what != "distribution":
        return Unknown()
    found = Instance(External("importlib.metadata.Distribution"))
    found.attributes["version"] = Constant(version)
    return found


def normalized(name: str) -> str:
    """A distribution name in its normal form (PEP 503)."""
    return re.sub(r"[-_.]+", "-", name).lower()
