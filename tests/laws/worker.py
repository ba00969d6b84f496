"""Runs programs for real, each in a forked process: reads one JSON object a line, answers with one."""

from __future__ import annotations

import gc
import importlib
import importlib.abc
import importlib.machinery
import importlib.metadata
import importlib.util
import json
import os
import signal
import sys
import traceback
import types

LAZY_LOADER = """
import importlib

def attach(package_name, submodules=None, submod_attrs=None):
    submodules = set(submodules or ())
    owners = {name: module for module, names in (submod_attrs or {}).items() for name in names}

    def __getattr__(name):
        if name in submodules:
            return importlib.import_module(f"{package_name}.{name}")
        if name in owners:
            return getattr(importlib.import_module(f"{package_name}.{owners[name]}"), name)
        raise AttributeError(f"No {package_name} attribute {name}")

    listed = sorted(submodules | owners.keys())
    return __getattr__, lambda: listed, listed.copy()
"""
"""What the distribution of that name does, as far as programs ask for it."""


PYTEST = """
import importlib

class Skipped(BaseException):
    pass

def importorskip(name):
    try:
        return importlib.import_module(name)
    except ImportError as error:
        raise Skipped(name) from error
"""
"""Of that distribution, too, what programs ask for."""

WITHOUT_METADATA = ("there", "shared", "packaging", "lazy_loader", "pytest")
"""Roots that are there, and of which no distribution says so."""

FOLDER = "folder of "
"""How the place of a package begins."""

LONGEST = 20
"""Seconds after which a program is stopped, which counts as a disagreement."""


STANDARD = ("enum", "functools", "pkgutil", "platform", "xml.dom")
"""Modules that many programs ask for, imported before they run."""


class Part(types.ModuleType):
    """A module of a distribution that is there."""

    def __getattr__(self, name: str) -> object:
        if name == "__version__" and self.__name__ == "here":
            return "1.2"
        if name.startswith("__") or (self.__name__ == "shared" and name != "kept"):
            raise AttributeError(name)
        if name.endswith("Error"):
            return type(name, (Exception,), {})
        return Part("thing")

    def __iter__(self) -> object:
        return iter(())

    def __call__(self, *arguments: object) -> object:
        return arguments[0] if arguments else Part("thing")

    def __enter__(self) -> object:
        return self

    def __exit__(self, *_: object) -> None:
        return None

    def __mro_entries__(self, bases: tuple[object, ...]) -> tuple[type, ...]:
        return ()


class Installed(importlib.metadata.Distribution):
    """The metadata of the one distribution that says its version."""

    def read_text(self, filename: str) -> str:
        return "Name: here\nVersion: 1.2\n"

    def locate_file(self, path: object) -> object:
        return path


class Listing:
    """Tells `pkgutil` of the modules below a package."""

    def __init__(self, modules: dict[str, str], below: str) -> None:
        self.modules, self.below = modules, below

    def find_spec(self, name, target=None):
        return None

    def iter_modules(self, prefix):
        for name in sorted(self.modules):
            last = name.removeprefix(self.below)
            if last != name and "." not in last:
                yield prefix + last, any(other.startswith(f"{name}.") for other in self.modules)


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds a program's modules and the roots that are there; nothing else that is not loaded or standard."""

    def __init__(self, modules: dict[str, str], present: list[str]) -> None:
        self.modules, self.present = modules, present

    def find_spec(self, name, path=None, target=None):
        if name in self.modules:
            package = any(other.startswith(f"{name}.") for other in self.modules)
            spec = importlib.machinery.ModuleSpec(name, self, is_package=package)
            if package:
                spec.submodule_search_locations.append(FOLDER + name)
            return spec
        if any(other.startswith(f"{name}.") for other in self.modules):
            spec = importlib.machinery.ModuleSpec(name, None, is_package=True)
            spec.submodule_search_locations.append(FOLDER + name)
            return spec
        if name.partition(".")[0] in self.present and not name.startswith(("shared.missed", "shared.other")):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def listing(self, path):
        """What tells of the modules below a package of the program."""
        if not path.startswith(FOLDER):
            raise ImportError(path)
        return Listing(self.modules, path.removeprefix(FOLDER) + ".")

    def find_distributions(self, context):
        if context.name == "here" or (context.name in self.present and context.name not in WITHOUT_METADATA):
            yield Installed()

    def create_module(self, spec):
        return Part(spec.name) if spec.name not in self.modules else None

    def exec_module(self, module):
        source = self.modules.get(module.__name__)
        if source is not None:
            exec(compile(source, module.__name__.replace(".", "/") + ".py", "exec", dont_inherit=True), module.__dict__)


def file_of(error, position):
    frames = frames_of(error)
    return frames[position][0] if frames else None


def roots_behind(error, everywhere, seen):
    """The absent roots in an exception's chain; unless `everywhere`, only as far as one module's own code goes."""
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        name = getattr(error, "name", None)
        if isinstance(error, importlib.metadata.PackageNotFoundError):
            yield name
        elif str(error).startswith(("cannot import name 'missed' from", "cannot import name 'other' from")):
            yield "shared"
        elif isinstance(error, ModuleNotFoundError) and name and str(error) == f"No module named {name!r}":
            yield name.partition(".")[0]
        if error.__cause__ is not None:
            yield from roots_behind(error.__cause__, everywhere, seen)
        before = error.__context__
        if before is not None and not everywhere and file_of(before, 0) != file_of(error, -1):
            return
        error = before


def frames_of(error):
    """Where a program's own code was when the exception was raised, outermost first."""
    trace = traceback.extract_tb(error.__traceback__)
    return [[frame.filename, frame.lineno] for frame in trace if not frame.filename.startswith(("/", "<"))]


def told(value: object) -> object:
    """A value as far as it is compared."""
    if value is None or isinstance(value, (bool, int, str)):
        return ["constant", repr(value)]
    return [type(value).__name__]


def run(program: dict) -> dict:
    """Import `top`, or the module that is asked for, and say what came of it."""
    target = program.get("target", "top")
    finder = Finder({**program["modules"], "lazy_loader": LAZY_LOADER, "pytest": PYTEST}, program["present"])
    sys.meta_path.append(finder)
    sys.path_hooks.append(finder.listing)
    try:
        importlib.import_module(target)
    except BaseException as error:  # noqa: BLE001  # what a program raises is what we ask for
        return {
            "status": "raises",
            "type": type(error).__name__,
            "roots": list(roots_behind(error, False, set())),
            "all_roots": list(roots_behind(error, True, set())),
            "text": str(error),
            "frames": frames_of(error),
        }
    return {
        "status": "ok",
        "names": {name: told(value) for name, value in vars(sys.modules[target]).items() if not name.startswith("__")},
    }


def main() -> None:
    for name in STANDARD:
        importlib.import_module(name)
    for name in ("gone", "lost"):
        importlib.util.find_spec(name)  # whose finders keep what lies in the folders that they look through
    gc.freeze()
    for line in sys.stdin:
        reading, writing = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(reading)
            signal.alarm(LONGEST)
            sys.stdout = sys.stderr = open(os.devnull, "w")  # noqa: SIM115
            with os.fdopen(writing, "w") as pipe:
                json.dump(run(json.loads(line)), pipe)
            os._exit(0)
        os.close(writing)
        with os.fdopen(reading) as pipe:
            answer = pipe.read()
        os.waitpid(child, 0)
        sys.stdout.write((answer or '{"status": "crash"}') + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
