"""Where a marker holds: the Pythons and platforms that markers tell apart."""

from __future__ import annotations

import re
from itertools import product
from typing import TYPE_CHECKING, TypeAlias

from optdep_lint.metadata.markers import (
    AllOf,
    AnyOf,
    Comparison,
    Marker,
    all_of,
    comparisons,
    parse_marker,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

PythonVersion: TypeAlias = tuple[int, int]
Environment: TypeAlias = dict[str, str]

KNOWN_VERSIONS: tuple[PythonVersion, ...] = tuple((3, minor) for minor in range(8, 16))
"""The Python versions that are told apart."""

OTHER_PLATFORM = "other"
"""Stands for every platform that is not named."""

_PLATFORMS: dict[str, tuple[str, str, str]] = {
    # sys.platform: (platform.system(), os.name, a usual machine)
    "linux": ("Linux", "posix", "x86_64"),
    "darwin": ("Darwin", "posix", "arm64"),
    "win32": ("Windows", "nt", "AMD64"),
    "cygwin": ("CYGWIN_NT-10.0", "posix", "x86_64"),
    "android": ("Android", "posix", "aarch64"),
    "ios": ("iOS", "posix", "arm64"),
    "emscripten": ("Emscripten", "posix", "wasm32"),
    "wasi": ("wasi", "posix", "wasm32"),
    OTHER_PLATFORM: ("Other", "posix", "other"),
}
_IMPLEMENTATIONS = (("cpython", "CPython"), ("pypy", "PyPy"), ("other", "Other"))
_PLATFORM_VARIABLES = frozenset({"sys_platform", "platform_system", "os_name"})
_PYTHON_VARIABLES = frozenset({"python_version", "python_full_version", "implementation_version"})
_IMPLEMENTATION_VARIABLES = frozenset({"implementation_name", "platform_python_implementation"})
_LAST_PATCH = 99
_VERSION = re.compile(r"\s*v?(\d+(?:\.\d+)*)\s*((?:[-_.]?(?:a|b|c|rc|alpha|beta|dev))?)")
_CLAUSE = re.compile(r"\s*(===|==|~=|!=|<=|>=|<|>)\s*([^\s,]+)\s*$")

_VersionKey: TypeAlias = tuple[int, int, int, int]


def marker_holds(marker: str | None, python: PythonVersion = (3, 11), platform: str = "linux") -> bool:
    """Tell whether ``marker`` holds on CPython ``python`` and the usual machine of ``platform``.

    ``platform`` is a value of ``sys.platform``. No extra is chosen. Raises `MarkerSyntaxError`.
    """
    if marker is None:
        return True
    return holds(parse_marker(marker), _environment(f"{python[0]}.{python[1]}.0", platform))


def can_all_be_false(markers: Sequence[str | None], versions: Sequence[PythonVersion]) -> bool:
    """Tell whether some environment with one of ``versions`` makes every marker false."""
    return any(True for _ in falsifying(markers, versions))


def can_hold(marker: Marker, versions: Sequence[PythonVersion]) -> bool:
    """Tell whether some environment with one of ``versions`` makes the marker true."""
    return any(holds(marker, one) for one in environments([marker], versions))


def falsifying(markers: Sequence[str | None], versions: Sequence[PythonVersion]) -> Iterator[Environment]:
    """Yield the environments with one of ``versions`` in which no marker holds."""
    trees = [parse_marker(one) for one in markers if one is not None]
    if len(trees) < len(markers):
        return
    for environment in environments(trees, versions):
        if not any(holds(tree, environment) for tree in trees):
            yield environment


def supported_versions(requires_python: str | None) -> tuple[PythonVersion, ...]:
    """Return the `KNOWN_VERSIONS` of which a ``requires-python`` admits some patch release.

    A clause that cannot be read admits everything: it is not this room's place to refuse a Python.
    """
    clauses: list[Marker] = []
    for text in (requires_python or "").split(","):
        found = _CLAUSE.match(text)
        if found and _VERSION.match(found.group(2)):
            operator, version = found.groups()
            if operator not in {"==", "!="}:
                version = version.removesuffix(".*")
            clauses.append(Comparison("python_full_version", operator, version))
    if not clauses:
        return KNOWN_VERSIONS
    admitted = all_of(clauses)
    return tuple(one for one in KNOWN_VERSIONS if can_hold(admitted, (one,)))


def environments(markers: Sequence[Marker], versions: Sequence[PythonVersion]) -> Iterator[Environment]:
    """Yield one environment for each way in which the comparisons of ``markers`` can turn out."""
    asked = [one for marker in markers for one in comparisons(marker)]
    variables = {one.variable for one in asked}
    free = sorted(variables - _PLATFORM_VARIABLES - _PYTHON_VARIABLES - _IMPLEMENTATION_VARIABLES)
    pythons = _pythons(asked, versions)
    platforms = _platforms(asked) if variables & _PLATFORM_VARIABLES else ["linux"]
    implementations = _IMPLEMENTATIONS if variables & _IMPLEMENTATION_VARIABLES else _IMPLEMENTATIONS[:1]
    values = [_free_values(one for one in asked if one.variable == name) for name in free]
    for python, platform, implementation, *chosen in product(pythons, platforms, implementations, *values):
        yield {
            **_environment(python, platform),
            "implementation_name": implementation[0],
            "platform_python_implementation": implementation[1],
            **dict(zip(free, chosen, strict=True)),
        }


def _environment(full_version: str, platform: str) -> Environment:
    system, os_name, machine = _PLATFORMS.get(platform, (platform, "posix", "other"))
    return {
        "python_version": ".".join(full_version.split(".")[:2]),
        "python_full_version": full_version,
        "implementation_version": full_version,
        "implementation_name": "cpython",
        "platform_python_implementation": "CPython",
        "sys_platform": platform,
        "platform_system": system,
        "os_name": os_name,
        "platform_machine": machine,
        "platform_release": "",
        "platform_version": "",
        "extra": "",
        "extras": "",
        "dependency_groups": "",
    }


def _pythons(asked: Sequence[Comparison], versions: Sequence[PythonVersion]) -> list[str]:
    """Return full versions: of each minor the first, the last, and those next to a literal."""
    literals = [
        key
        for one in asked
        if one.variable in {"python_full_version", "implementation_version"}
        for key in [_version_key(one.literal)]
        if key is not None
    ]
    pythons: list[str] = []
    for version in versions:
        patches = {0, _LAST_PATCH}
        for major, minor, patch, _ in literals:
            if (major, minor) == version:
                patches |= {max(patch - 1, 0), patch, patch + 1}
        pythons += [f"{version[0]}.{version[1]}.{patch}" for patch in sorted(patches)]
    return pythons


def _platforms(asked: Iterable[Comparison]) -> list[str]:
    named = [one.literal for one in asked if one.variable == "sys_platform" and one.literal.isalnum()]
    return list(dict.fromkeys([*_PLATFORMS, *named]))


def _free_values(asked: Iterable[Comparison]) -> list[str]:
    """Return the literals, the words in them, and one value to either side of all of them."""
    words = [word for one in asked for word in [one.literal, *re.split(r"[\s,;|]+", one.literal)] if word]
    return list(dict.fromkeys(["!", *words, "~"]))


def holds(marker: Marker, environment: Environment) -> bool:
    """Tell whether ``marker`` holds in ``environment``."""
    match marker:
        case AllOf(parts):
            return all(holds(part, environment) for part in parts)
        case AnyOf(parts):
            return any(holds(part, environment) for part in parts)
        case Comparison(variable, operator, literal, literal_first):
            value = environment[variable]
            if operator in {"in", "not in"}:
                inside = literal in value if literal_first else value in literal
                return inside is (operator == "in")
            if variable in _PYTHON_VARIABLES and operator != "===":
                found = _version_holds(value, operator, literal)
                if found is not None:
                    return found
            return _string_holds(value, operator, literal)


def _string_holds(value: str, operator: str, literal: str) -> bool:
    match operator:
        case "==" | "===":
            return value == literal
        case "!=":
            return value != literal
        case "<":
            return value < literal
        case "<=":
            return value <= literal
        case ">":
            return value > literal
        case _:
            return value >= literal


def _version_holds(value: str, operator: str, literal: str) -> bool | None:
    """Compare versions as PEP 440 does; None when the literal is not a version."""
    left, right = _version_key(value), _version_key(literal)
    if left is None or right is None:
        return None
    if literal.endswith(".*"):
        length = literal.count(".")
        return (left[:length] == right[:length]) is (operator == "==")
    match operator:
        case "==":
            return left == right
        case "!=":
            return left != right
        case "<":
            return left < right
        case "<=":
            return left <= right
        case ">":
            return left > right
        case "~=":
            length = literal.count(".")
            return left >= right and left[:length] == right[:length]
        case _:
            return left >= right


def _version_key(text: str) -> _VersionKey | None:
    """Return (major, minor, patch, -1 for a pre-release or 0), or None for what is no version."""
    found = _VERSION.match(text)
    if found is None:
        return None
    numbers = [int(part) for part in found.group(1).split(".")][:3]
    major, minor, patch = (*numbers, 0, 0)[:3]
    return (major, minor, patch, -1 if found.group(2) else 0)
