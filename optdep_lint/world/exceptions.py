"""Python's exception hierarchy, as far as names tell."""

from __future__ import annotations

import builtins
import functools

from optdep_lint.world.truth import Truth
from optdep_lint.world.values import Choice, ClassValue, External, Items, Value

_KNOWN_BASES = {
    "importlib.metadata.PackageNotFoundError": "builtins.ModuleNotFoundError",
    "importlib_metadata.PackageNotFoundError": "builtins.ModuleNotFoundError",
    "pkg_resources.DistributionNotFound": "pkg_resources.ResolutionError",
    "pkg_resources.VersionConflict": "pkg_resources.ResolutionError",
    "pkg_resources.ResolutionError": "builtins.Exception",
    "subprocess.CalledProcessError": "subprocess.SubprocessError",
    "subprocess.SubprocessError": "builtins.Exception",
    "unittest.SkipTest": "builtins.Exception",
    "unittest.case.SkipTest": "builtins.Exception",
    "importlib.metadata.distribution": "builtins.Exception",
    "packaging.version.InvalidVersion": "builtins.ValueError",
    "json.JSONDecodeError": "builtins.ValueError",
    "json.decoder.JSONDecodeError": "builtins.ValueError",
    "pytest.skip.Exception": "builtins.BaseException",
    "concurrent.futures.TimeoutError": "builtins.Exception",
    "ctypes.ArgumentError": "builtins.Exception",
    "zipimport.ZipImportError": "builtins.ImportError",
}
"""Facts about exceptions of other distributions and of the standard library, from their documentation."""


@functools.cache
def _ancestors(path: str) -> tuple[str, ...] | None:
    """The exception and its bases; None where they are not known."""
    root, _, name = path.partition(".")
    if root == "builtins":
        found = getattr(builtins, name, None)
        if isinstance(found, type) and issubclass(found, BaseException):
            return tuple(f"builtins.{base.__name__}" for base in found.__mro__[:-1])
        return None
    base = _KNOWN_BASES.get(path)
    if base is None:
        return None
    above = _ancestors(base)
    return None if above is None else (path, *above)


def is_subclass(type_: Value, wanted: Value) -> Truth:
    """Whether an exception class is, or derives from, another (or one of several)."""
    if isinstance(wanted, Items):
        return max((is_subclass(type_, element) for element in wanted.elements), default=Truth.NO)
    if isinstance(wanted, Choice):
        answers = {is_subclass(type_, wanted.yes), is_subclass(type_, wanted.no)}
        return answers.pop() if len(answers) == 1 else Truth.MAYBE
    if isinstance(wanted, External) and wanted.path in ("builtins.BaseException", "builtins.object"):
        return Truth.YES
    if isinstance(type_, ClassValue):
        if isinstance(wanted, ClassValue) and wanted.name == type_.name and wanted.module is type_.module:
            return Truth.YES
        return max((is_subclass(base, wanted) for base in type_.bases), default=Truth.NO)
    if not isinstance(type_, External) or not isinstance(wanted, (External, ClassValue)):
        return Truth.MAYBE
    if isinstance(wanted, ClassValue):
        return Truth.NO if _ancestors(type_.path) else Truth.MAYBE
    if type_.path == wanted.path:
        return Truth.YES
    ancestors = _ancestors(type_.path)
    if ancestors is not None and (wanted.path in ancestors or _ancestors(wanted.path) is not None):
        return Truth.of(wanted.path in ancestors)
    if ancestors is not None and not wanted.path.startswith("builtins."):
        return Truth.NO
    return Truth.MAYBE


def is_exception(type_: Value) -> bool:
    """Whether a class is known to be an exception's, with nothing of its own that changes its text."""
    if isinstance(type_, ClassValue):
        return not {"__str__", "__init__", "__repr__"} & set(type_.names) and any(map(is_exception, type_.bases))
    return isinstance(type_, External) and _ancestors(type_.path) is not None


def text_of(type_: Value) -> str:
    """How the class is called in a traceback."""
    if isinstance(type_, ClassValue):
        return type_.name
    return type_.path.removeprefix("builtins.").rpartition(".")[2] if isinstance(type_, External) else "Exception"
