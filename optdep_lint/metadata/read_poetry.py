"""What poetry's tables declare: requirements, groups, extras, scripts, and its version language."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from optdep_lint.metadata.declarations import Declarations, Declared, entry_point
from optdep_lint.metadata.dependency_syntax import Dependency
from optdep_lint.metadata.markers import (
    Comparison,
    Marker,
    MarkerSyntaxError,
    all_of,
    any_of,
    parse_marker,
)
from optdep_lint.metadata.model import MetadataProblem
from optdep_lint.metadata.names import normalized

if TYPE_CHECKING:
    from collections.abc import Iterator

    from optdep_lint.metadata.model import EntryPoint
    from optdep_lint.metadata.toml_text import TomlFile

_POETRY = ("tool", "poetry")
_CLAUSE = re.compile(r"(?P<operator>\^|~=|~|===?|!=|<=|>=|<|>|)\s*(?P<version>[\w.*+!-]+)")
_SOURCES = ("git", "url", "path", "file")


def read_poetry(file: TomlFile) -> Declarations:
    """Read ``[tool.poetry]``, empty when there is none; wrong types raise `MetadataError`.

    ``extras`` is only consulted for optional dependencies, as poetry does; an optional dependency
    in no extra cannot be installed by pip at all, and is a problem.
    """
    if not file.table(*_POETRY):
        return Declarations()
    members = {
        extra: frozenset(normalized(_name(one)) for one in file.texts(*_POETRY, "extras", extra))
        for extra in file.table(*_POETRY, "extras")
    }
    declared, problems = list(_groups(file)), []
    for one in _dependencies(file, (*_POETRY, "dependencies"), None):
        name = normalized(one.written.dependency.name)
        extras = [extra for extra, names in members.items() if name in names]
        if not one.optional:
            declared.append(one.written)
            continue
        declared += [replace(one.written, extra=extra) for extra in extras]
        if not extras:
            message = f"{one.written.dependency.name} is optional, but no extra brings it"
            problems.append(MetadataProblem(file.shown, one.written.line, message))
    return Declarations(
        name=file.text(*_POETRY, "name"),
        version=file.text(*_POETRY, "version"),
        requires_python=_requires_python(file),
        declared=tuple(declared),
        entry_points=tuple(_entry_points(file)),
        extras=tuple(members),
        sources=(file.shown,),
        problems=tuple(problems),
        settles=frozenset({"dependencies", "optional-dependencies", "entry-points"}),
    )


@dataclass(frozen=True, slots=True)
class _PoetryDependency:
    """A dependency of poetry's, and whether it is marked as optional."""

    written: Declared
    optional: bool


def _name(written: str) -> str:
    return re.split(r"[\[\s<>=!~;(]", written.strip(), maxsplit=1)[0]


def _groups(file: TomlFile) -> Iterator[Declared]:
    for group in file.table(*_POETRY, "group"):
        for one in _dependencies(file, (*_POETRY, "group", group, "dependencies"), group):
            yield one.written
    for one in _dependencies(file, (*_POETRY, "dev-dependencies"), "dev"):
        yield one.written


def _dependencies(file: TomlFile, key: tuple[str, ...], group: str | None) -> Iterator[_PoetryDependency]:
    for name, constraint in file.table(*key).items():
        if name == "python":
            continue
        place = (*key, name)
        alternatives: list[Any] = constraint if isinstance(constraint, list) else [constraint]
        for alternative in alternatives:
            table = {"version": alternative} if isinstance(alternative, str) else alternative
            if not isinstance(table, dict):
                raise file.wrong(place, "a version or a table")
            written = Declared(_dependency(file, place, name, table), file.shown, file.line_of(place), None, group)
            yield _PoetryDependency(written, table.get("optional") is True)


def _dependency(file: TomlFile, key: tuple[str, ...], name: str, table: dict[str, Any]) -> Dependency:
    version, extras = table.get("version", ""), table.get("extras", [])
    if not isinstance(version, str):
        raise file.wrong((*key, "version"), "a string")
    if not isinstance(extras, list) or not all(isinstance(one, str) for one in extras):
        raise file.wrong((*key, "extras"), "an array of strings")
    address = next((table[source] for source in _SOURCES if source in table), None)
    specifier = f"@ {address}" if address else pep440(version.split("||")[-1])
    return Dependency(name, tuple(extras), specifier, _marker(file, key, table))


def _marker(file: TomlFile, key: tuple[str, ...], table: dict[str, Any]) -> Marker | None:
    parts: list[Marker] = []
    if isinstance(table.get("markers"), str):
        try:
            parts.append(parse_marker(table["markers"]))
        except MarkerSyntaxError as error:
            raise file.error((*key, "markers"), str(error)) from None
    if isinstance(table.get("python"), str):
        parts.append(_python_marker(table["python"]))
    if isinstance(table.get("platform"), str):
        parts.append(Comparison("sys_platform", "==", table["platform"]))
    return all_of(parts) if parts else None


def _python_marker(constraint: str) -> Marker:
    """Write a constraint on Python as a marker; alternatives are joined by ``or``."""
    alternatives: list[Marker] = []
    for alternative in constraint.split("||"):
        clauses: list[Marker] = []
        for clause in filter(None, pep440(alternative).split(",")):
            found = _CLAUSE.fullmatch(clause)
            if found is not None:
                operator, version = found.group("operator", "version")
                short = version.count(".") < 2 or version.endswith(".*")
                variable = "python_version" if short else "python_full_version"
                clauses.append(Comparison(variable, operator, version))
        alternatives.append(all_of(clauses))
    return any_of(alternatives)


def _requires_python(file: TomlFile) -> str | None:
    constraint: Any = file.table(*_POETRY, "dependencies").get("python")
    if isinstance(constraint, dict):
        constraint = constraint.get("version")
    # Of alternatives ("^2.7 || ^3.9") the last is the newest: PEP 440 has no "or".
    return pep440(constraint.split("||")[-1]) or None if isinstance(constraint, str) else None


def pep440(constraint: str) -> str:
    """Translate poetry's carets, tildes, wildcards and bare versions into a PEP 440 specifier.

    What cannot be read is left out: a specifier is only ever shown, or asked about Python.
    """
    clauses: list[str] = []
    for found in _CLAUSE.finditer(constraint):
        operator, version = found.group("operator", "version")
        numbers = [int(part) for part in re.findall(r"\d+", version.split("-")[0])]
        if operator == "^" and numbers:
            clauses += [f">={version}", f"<{_next_release(numbers, _caret_length(numbers))}"]
        elif operator == "~" and numbers:
            clauses += [f">={version}", f"<{_next_release(numbers, min(len(numbers), 2))}"]
        elif version != "*":
            clauses.append(f"{operator or '=='}{version}")
    return ",".join(clauses)


def _caret_length(numbers: list[int]) -> int:
    """Return how many leading numbers a caret holds fixed: up to the first that is not zero."""
    return next((index for index, one in enumerate(numbers, start=1) if one), len(numbers))


def _next_release(numbers: list[int], length: int) -> str:
    kept = [*numbers[: length - 1], numbers[length - 1] + 1]
    return ".".join(str(one) for one in [*kept, *[0] * (len(numbers) - length)])


def _entry_points(file: TomlFile) -> Iterator[EntryPoint]:
    for name, script in file.table(*_POETRY, "scripts").items():
        value = script.get("reference", script.get("callable")) if isinstance(script, dict) else script
        if isinstance(value, str):
            yield entry_point("console_scripts", name, value)
    for group in file.table(*_POETRY, "plugins"):
        for name in file.table(*_POETRY, "plugins", group):
            value = file.text(*_POETRY, "plugins", group, name) or ""
            yield entry_point(group, name, value)
