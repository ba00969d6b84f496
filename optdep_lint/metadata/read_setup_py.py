"""What a ``setup.py`` declares, as far as that shows without running it."""

from __future__ import annotations

import ast
import warnings
from typing import TYPE_CHECKING

from optdep_lint.metadata.declarations import (
    Declarations,
    Declared,
    entry_points_from_lines,
    read_text,
    shown_path,
)
from optdep_lint.metadata.dependency_syntax import DependencySyntaxError, parse_dependency
from optdep_lint.metadata.model import MetadataError, MetadataProblem
from optdep_lint.metadata.read_built import entry_points_of
from optdep_lint.metadata.requirements_files import common_to, read_requirements_file
from optdep_lint.metadata.static_python import Item, Scope, items_of, pairs_of, text_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from optdep_lint.metadata.model import EntryPoint

_SHOWN = "setup.py"


def read_setup_py(root: Path) -> Declarations:
    """Read ``root/setup.py`` statically, empty when there is none.

    Literals count, through names, concatenation and helpers that read a literal file; what is
    computed otherwise is given up, as a problem where it hides the dependencies.
    """
    path = root / "setup.py"
    if not path.is_file():
        return Declarations()
    sources = Declarations(sources=(shown_path(path, root),))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of invalid escapes in the analysed code
            tree = ast.parse(read_text(path, root).replace("\r\n", "\n"))
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        line = getattr(error, "lineno", None) or 1
        problem = MetadataProblem(_SHOWN, line, f"cannot be parsed: {error}")
        return sources.joined(Declarations(problems=(problem,)))
    scope = Scope(root).extended(tree.body)
    arguments = _setup_arguments(tree, scope)
    return sources.joined(_declarations(arguments, scope)) if arguments else sources


def _setup_arguments(tree: ast.Module, module: Scope) -> dict[str, ast.expr]:
    """Return the keyword arguments of the first call of ``setup`` that has any."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(
                func=ast.Name(id="setup") | ast.Attribute(attr="setup"),
                keywords=[_, *_] as keywords,
            ):
                arguments: dict[str, ast.expr] = {}
                for keyword in keywords:
                    if keyword.arg is not None:
                        arguments[keyword.arg] = keyword.value
                    else:
                        arguments.update(pairs_of(keyword.value, module))
                return arguments
            case _:
                continue
    return {}


def _declarations(arguments: dict[str, ast.expr], scope: Scope) -> Declarations:
    found = Declarations(
        name=text_of(arguments.get("name"), scope),
        version=text_of(arguments.get("version"), scope),
        requires_python=text_of(arguments.get("python_requires"), scope),
        entry_points=_entry_points(arguments.get("entry_points"), scope),
        package_dirs=tuple(_package_dirs(arguments, scope)),
    )
    required = arguments.get("install_requires")
    if required is not None:
        found = found.joined(_listed(required, scope, None, ""))
    extras = arguments.get("extras_require")
    if extras is not None:
        pairs = list(pairs_of(extras, scope))
        if not pairs and not isinstance(extras, ast.Dict):
            found = found.joined(_given_up("extras_require", extras.lineno))
        for key, value in pairs:
            extra, _, marker = key.partition(":")
            found = found.joined(_listed(value, scope, extra.strip() or None, marker))
    return found


def _given_up(what: str, line: int) -> Declarations:
    message = f"{what} is computed in a way that does not show without running it"
    return Declarations(problems=(MetadataProblem(_SHOWN, line, message),))


def _listed(node: ast.expr, scope: Scope, extra: str | None, marker: str) -> Declarations:
    items = list(items_of(node, scope))
    found = Declarations(extras=() if extra is None else (extra,))
    if not items and not isinstance(node, ast.List | ast.Tuple | ast.Constant):
        what = "install_requires" if extra is None else f"extra {extra!r}"
        return found.joined(_given_up(what, node.lineno))
    for item in items:
        found = found.joined(_declared(item, scope.root, extra, marker))
    return found


def _declared(item: Item, root: Path, extra: str | None, marker: str) -> Declarations:
    """Read one dependency, one requirements file, or what several such files have in common."""
    if isinstance(item.entry, str):
        text = f"{item.entry} ; {marker}" if marker else item.entry
        try:
            one = Declared(parse_dependency(text), _SHOWN, item.line, extra)
        except DependencySyntaxError as error:
            return Declarations(problems=(MetadataProblem(_SHOWN, item.line, str(error)),))
        return Declarations(declared=(one,))
    paths = item.entry if isinstance(item.entry, tuple) else (item.entry,)
    try:
        file = common_to([read_requirements_file(path, root, extra=extra) for path in paths])
    except MetadataError as error:
        problem = MetadataProblem(error.path, error.line or 1, error.message)
        return Declarations(problems=(problem,))
    return Declarations(declared=file.declared, sources=file.sources, problems=file.problems)


def _texts(items: Iterable[Item]) -> list[str]:
    return [item.entry for item in items if isinstance(item.entry, str)]


def _entry_points(node: ast.expr | None, scope: Scope) -> tuple[EntryPoint, ...]:
    if node is None:
        return ()
    text = text_of(node, scope)
    if text is not None:
        return entry_points_of(text)
    return tuple(
        point
        for group, value in pairs_of(node, scope)
        for point in entry_points_from_lines(group, _texts(items_of(value, scope)))
    )


def _package_dirs(arguments: dict[str, ast.expr], scope: Scope) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    folders = arguments.get("package_dir")
    for package, value in pairs_of(folders, scope) if folders is not None else ():
        folder = text_of(value, scope)
        if folder is not None:
            found.append((package, folder or "."))
    match arguments.get("packages"):
        case ast.Call(func=ast.Name(id=name) | ast.Attribute(attr=name), args=args, keywords=keywords) if (
            name.startswith("find_")
        ):
            named = [keyword.value for keyword in keywords if keyword.arg == "where"]
            where = text_of(next(iter([*args, *named]), None), scope)
            if where and where != ".":
                found.append(("", where))
        case _:
            pass
    return found
