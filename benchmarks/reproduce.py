"""Shows findings to be true: imports the module for real, with stubs for all that is there, and meets the failure.

    python benchmarks/reproduce.py PROJECT FINDINGS.json [--code OPD402] [--most 10] [--every]

`FINDINGS.json` is what `optdep-lint check --output-format json` printed for PROJECT. Each finding is tried in a process of
its own in which its `absent` root cannot be found and every other root that is not the project's is a stub. What counts
as shown:

- OPD1xx and OPD602: importing the module raises an error that names the root, or that comes from the line found;
- OPD301: the operation of the message is not registered after importing the module, and what uses it is there;
- OPD402: calling the function that the line stands in raises ModuleNotFoundError for the parent;
- OPD401 and OPD403: with only one of the alternatives there, the function says no; with all of them, it says yes;
- OPD405: the root is there, and its import raises RuntimeError: the `try`, cut out and run by itself, lets nothing out;
- OPD407, for a function that is not called: it is true where the root is not there, and its answer is not.
"""

from __future__ import annotations

import argparse
import ast
import builtins
import collections
import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import json
import re
import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any


class Stub:
    """Anything: called, subscripted, compared, inherited from, used as a decorator."""

    def __init__(self, name: str) -> None:
        self.__dict__["_name"] = name

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        return Stub(f"{self._name}.{name}")

    def __setattr__(self, name: str, value: object) -> None:
        self.__dict__[name] = value

    def __call__(self, *given: Any, **named: Any) -> Any:
        wrapped = given[0] if len(given) == 1 and not named else None
        return wrapped if isinstance(wrapped, (types.FunctionType, type)) else self

    def __mro_entries__(self, bases: tuple[object, ...]) -> tuple[type, ...]:
        return (type(self._name.rpartition(".")[2] or "Base", (), {"__getattr__": lambda _, name: Stub(name)}),)

    def __instancecheck__(self, _: object) -> bool:
        return False

    def __subclasscheck__(self, _: object) -> bool:
        return False

    def __iter__(self) -> Iterator[Any]:
        return iter(())

    def __getitem__(self, _: object) -> Any:
        return self

    def __setitem__(self, _: object, __: object) -> None:
        return None

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def _same(self, *_: object) -> Any:
        return self

    __or__ = __ror__ = __add__ = __radd__ = __sub__ = __mul__ = __rmul__ = __truediv__ = __and__ = __neg__ = _same

    def _compares(self, _: object) -> bool:
        """Every version is the right one."""
        return True

    __lt__ = __gt__ = __ge__ = __le__ = _compares

    def __len__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        return True

    def __int__(self) -> int:
        return 1

    __index__ = __int__

    def __float__(self) -> float:
        return 1.0

    def __fspath__(self) -> str:
        return self._name

    def __repr__(self) -> str:
        return self._name


class Namespace(Stub):
    """`torch.ops.name`: has what was registered."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or f"{self._name}::{name}" not in REGISTERED:
            raise AttributeError(f"'_OpNamespace' '{self._name}' object has no attribute '{name}'")
        return Stub(name)


REGISTERED: set[str] = set()


class Library:
    """`torch.library.Library`"""

    def __init__(self, name: str, *_: object, **__: object) -> None:
        self.name = self.ns = name

    def define(self, schema: str, *_: object, **__: object) -> str:
        name = re.split(r"[(.]", schema)[0]
        REGISTERED.add(f"{self.name}::{name}")
        return name

    def impl(self, name: str, *_: object, **__: object) -> None:
        REGISTERED.add(f"{self.name}::{name}")

    def __getattr__(self, name: str) -> Any:
        return Stub(name)


def _custom_op(name: str, *given: Any, **_: object) -> Any:
    REGISTERED.add(name)
    return given[0] if given and callable(given[0]) else lambda function: function


def _define(name: str, *_: object, **__: object) -> Any:
    REGISTERED.add(name)
    return lambda function: function


class StubModule(types.ModuleType):
    """A module that has everything."""

    def __getattr__(self, name: str) -> Any:
        if name == "__version__":
            return "99.0"
        if name.startswith("__") and name.endswith("__"):
            raise AttributeError(name)
        if self.__name__ == "torch.ops" or (self.__name__, name) == ("torch", "ops"):
            return sys.modules["torch.ops"] if name == "ops" else Namespace(name)
        special = {"Library": Library, "custom_op": _custom_op, "define": _define}
        if self.__name__ == "torch.library" and name in special:
            return special[name]
        if name in ("Tensor", "dtype", "device", "Module") or name.endswith(("Error", "Exception")):
            base = Exception if name.endswith(("Error", "Exception")) else object
            value: Any = type(name, (base,), {})
        else:
            value = Stub(f"{self.__name__}.{name}")
        setattr(self, name, value)
        return value


RAISED: list[str] = []
"""The modules of the broken root whose import was tried."""
_UNRELATED = "a library that it links against is broken"


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds a stub for every root but the project's, Python's, and those that are absent."""

    def __init__(self, own: set[str], absent: set[str], broken: str) -> None:
        self._own, self._absent, self._broken = own, absent, broken

    def find_spec(self, name: str, path: object = None, target: object = None) -> importlib.machinery.ModuleSpec | None:
        """The spec of a stub."""
        root = name.partition(".")[0]
        if any(name == one or name.startswith(f"{one}.") for one in self._absent):
            return None
        if root in self._own or root in sys.stdlib_module_names:
            return None
        return importlib.machinery.ModuleSpec(name, self, is_package=True)

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> types.ModuleType:
        """The stub."""
        return StubModule(spec.name)

    def exec_module(self, module: types.ModuleType) -> None:
        """Nothing to do, but for the root that is broken."""
        if module.__name__.partition(".")[0] == self._broken:
            RAISED.append(module.__name__)
            raise RuntimeError(_UNRELATED)


def install(project: Path, absent: set[str], broken: str = "") -> None:
    """Only what is not absent can be found from now on."""
    own = {path.stem for path in project.iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    sys.path[:] = [str(project), *[entry for entry in sys.path if "site-packages" not in entry]]
    sys.meta_path.insert(0, Finder(own, absent, broken))

    def version(name: str) -> str:
        if re.sub(r"[-.]", "_", name) in absent:
            raise importlib.metadata.PackageNotFoundError(name)
        return "99.0"

    importlib.metadata.version = version
    importlib.import_module("torch.ops") if "torch" not in absent else None


def module_of(path: str) -> str:
    """The import name of a file."""
    parts = list(Path(path).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def function_at(project: Path, finding: dict[str, Any]) -> list[str]:
    """The names of the classes and functions around a line, outermost first."""
    found: list[str] = []

    def visit(node: ast.AST) -> None:
        for child in ast.iter_child_nodes(node):
            if isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
                if child.lineno <= finding["line"] <= (child.end_lineno or 0):
                    found.append(child.name)
                    visit(child)
            else:
                visit(child)

    visit(ast.parse((project / finding["path"]).read_text(encoding="utf-8")))
    return found


def attempt(project: Path, finding: dict[str, Any], absent: set[str]) -> str:
    """What happens in this process: an empty text where the failure is not met."""
    code, name = finding["code"], module_of(finding["path"])
    install(project, absent)
    try:
        importlib.import_module(name)
    except BaseException as error:  # noqa: BLE001  # whatever the import raises is what is asked for
        text = f"{type(error).__name__}: {error}"
        lines = set()
        trace = error.__traceback__
        while trace is not None:
            lines.add((trace.tb_frame.f_code.co_filename, trace.tb_lineno))
            trace = trace.tb_next
        here = any(file.endswith(finding["path"]) and line == finding["line"] for file, line in lines)
        named = any(root.rpartition(".")[2] in str(error) for root in absent)
        return text if code[3] in "16" and (here or named) else f"? {text}"
    if code == "OPD301":
        operation = re.search(r"torch\.ops\.(\w+)\.(\w+)", finding["message"])
        if operation is None or f"{operation[1]}::{operation[2]}" in REGISTERED:
            return ""
        return f"torch.ops.{operation[1]}.{operation[2]} is not registered"
    return "?"


def call(project: Path, finding: dict[str, Any], absent: set[str]) -> str:
    """What the function that a finding stands in says, cut out of its file with all that it needs from there."""
    install(project, absent)
    names = function_at(project, finding)
    if not names:
        return "? not in a function"
    namespace = cut(project, finding["path"], names[0])
    value: Any = namespace[names[0]]
    for part in names[1:]:
        value = getattr(value, part)
    value = getattr(value, "__wrapped__", value)
    given = [Stub(name) for name in list(value.__code__.co_varnames[: value.__code__.co_argcount])]
    try:
        return f"says {bool(value(*given))}"
    except ImportError as error:
        return f"{type(error).__name__}: {error}"


def swallow(project: Path, finding: dict[str, Any]) -> str:
    """What the `try` of a finding lets out where the root is there and fails for another reason."""
    tree = ast.parse((project / finding["path"]).read_text(encoding="utf-8"))
    around = [
        node for node in ast.walk(tree)
        if isinstance(node, ast.Try) and any(one.lineno == finding["line"] for one in node.handlers)
    ]  # fmt: skip
    if not around or not finding["absent"]:
        return "? no such handler"
    root = finding["absent"].partition(".")[0]
    install(project, set(), root)
    names = {node.id for node in ast.walk(around[-1]) if isinstance(node, ast.Name)}
    namespace: dict[str, Any] = {name: Stub(name) for name in names if not hasattr(builtins, name)}
    namespace["__name__"] = module_of(finding["path"])
    module = ast.parse("def run():\n    pass")
    module.body[0].body = [around[-1]]  # type: ignore[attr-defined]
    exec(compile(ast.fix_missing_locations(module), finding["path"], "exec"), namespace)  # as asked for
    try:
        namespace["run"]()
    except RuntimeError as error:
        return f"? lets out {error}"
    return f"hides RuntimeError: {_UNRELATED}" if RAISED else "? never imports it"


def is_called(project: Path, finding: dict[str, Any], absent: set[str]) -> str:
    """What a function that is not called is by itself, and what it says when it is."""
    name = re.match(r"`(\w+)` is a function that is not called", finding["message"])
    if name is None:
        return "? of another kind"
    install(project, absent)
    function = cut(project, finding["path"], name[1])[name[1]]
    said = bool(getattr(function, "__wrapped__", function)())
    return f"is {bool(function)}, says {said}" if function and not said else f"? says {said}"


def cut(project: Path, path: str, name: str) -> dict[str, Any]:
    """A namespace in which `name` is defined as in a file, and what it reads; all else that it reads is a stub."""
    top = ast.parse((project / path).read_text(encoding="utf-8")).body
    wanted, kept = {name}, set()
    while True:
        more = {index for index, one in enumerate(top) if index not in kept and wanted & bound_by(one)}
        if not more:
            break
        kept |= more
        wanted |= {
            node.id for index in more if not isinstance(top[index], (ast.Import, ast.ImportFrom))
            for node in ast.walk(top[index]) if isinstance(node, ast.Name)
        }  # fmt: skip
    package = list(Path(path).parent.parts)
    namespace: dict[str, Any] = {one: Stub(one) for one in wanted if not hasattr(builtins, one)}
    namespace["__name__"] = module_of(path)
    body: list[ast.stmt] = []
    for index in sorted(kept):
        one = top[index]
        if isinstance(one, ast.ImportFrom):
            parts = (
                [*package[: len(package) - one.level + 1], *(one.module or "").split(".")]
                if one.level
                else (one.module or "").split(".")
            )
            origin = next(
                (
                    file
                    for file in (Path(*parts).with_suffix(".py"), Path(*parts, "__init__.py"))
                    if (project / file).exists()
                ),
                None,
            )
            for alias in one.names:
                if origin is not None and (alias.asname or alias.name) in wanted:
                    namespace[alias.asname or alias.name] = cut(project, origin.as_posix(), alias.name).get(alias.name)
            if origin is not None:
                continue
        body.append(one)
    exec(compile(ast.Module(body, []), path, "exec"), namespace)  # the project's own code, as asked for
    return namespace


def bound_by(statement: ast.stmt) -> set[str]:
    """The names that a statement binds."""
    found = {statement.name} if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)) else set()
    if found:
        return found
    for node in ast.walk(statement):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            found.add(node.id)
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {(alias.asname or alias.name).partition(".")[0] for alias in node.names}
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            found.add(node.name)
    return found


def show(project: Path, finding: dict[str, Any], path: Path, index: int) -> str:
    """Try a finding in processes of its own."""

    def run(absent: set[str]) -> str:
        command = [sys.executable, __file__, str(project), str(path), "--one", str(index), *sorted(absent)]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
        return done.stdout.strip().splitlines()[-1] if done.stdout.strip() else f"? {done.stderr.strip()[-200:]}"

    if finding["code"] in ("OPD401", "OPD403"):
        texts = " ".join([finding["message"], *(step["message"] for step in finding["because"])])
        roots = dict.fromkeys(
            name.partition(".")[0] for name in re.findall(r"[`'\"(]([a-z_]\w*(?:\.\w+)*)[`'\")]", texts)
        )
        alone = {root: run(set(roots) - {root}) for root in roots}
        return f"all: {run(set())}; alone: {alone}"
    return run({finding["absent"]} if finding["absent"] else set())


def main() -> None:
    """Tries each finding and prints what it met."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("project", type=Path)
    parser.add_argument("findings", type=Path)
    parser.add_argument("--code", default="OPD")
    parser.add_argument("--most", type=int, default=10, help="findings of a rule, spread evenly")
    parser.add_argument("--one", nargs="*", help=argparse.SUPPRESS)
    options = parser.parse_args()
    findings = json.loads(options.findings.read_text(encoding="utf-8"))
    if options.one is not None:
        finding = findings[int(options.one[0])]
        project, absent = options.project.resolve(), set(options.one[1:])
        act = {"OPD405": lambda *given: swallow(*given[:2]), "OPD407": is_called}.get(
            finding["code"], call if finding["code"] in ("OPD401", "OPD402", "OPD403") else attempt
        )
        print(act(project, finding, absent))
        return
    of_rule: dict[str, list[int]] = collections.defaultdict(list)
    for index, finding in enumerate(findings):
        if finding["code"].startswith(options.code):
            of_rule[finding["code"]].append(index)
    for code, indices in sorted(of_rule.items()):
        for index in indices[:: max(1, len(indices) // options.most)][: options.most]:
            finding = findings[index]
            met = show(options.project.resolve(), finding, options.findings.resolve(), index)
            print(
                f"{code} {finding['path']}:{finding['line']} without {finding['absent']}: {met or 'nothing'}",
                flush=True,
            )


if __name__ == "__main__":
    main()
