"""Where a file uses the names that an import at its top binds, and when those uses run."""

# mypy: disable-error-code="type-abstract"
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from optdep_lint.fixers.imports import spelled
from optdep_lint.fixers.source import Source

_SCOPES = (cst.FunctionDef, cst.Lambda)


@dataclass(frozen=True, slots=True)
class NameUse:
    """One reading of a name."""

    node: cst.Name
    when: str
    """`import`, `call` or, where it is evaluated with the definition around it, `annotation`; `typing` where it never runs."""


def bound_names(statement: cst.Import | cst.ImportFrom) -> list[str]:
    """The names that an import binds."""
    if isinstance(statement.names, cst.ImportStar):
        return []
    found = []
    for alias in statement.names:
        name = spelled(alias.asname.name) if alias.asname is not None else spelled(alias.name)
        found.append(name if isinstance(statement, cst.ImportFrom) else name.partition(".")[0])
    return list(dict.fromkeys(found))


def imports_in(source: Source, within: cst.CSTNode | None = None) -> list[cst.Import | cst.ImportFrom]:
    """Every import statement of a node or the whole file, in the order of the text."""
    found: list[cst.Import | cst.ImportFrom] = [*source.all(cst.Import, within), *source.all(cst.ImportFrom, within)]
    return sorted(found, key=lambda one: source.span(one)[0])


def uses_of(source: Source, names: list[str]) -> Iterator[NameUse]:
    """The readings of names of the module's own scope, in the order of the text."""
    found = [node for name in dict.fromkeys(names) for node in source.spelled.get(name, ())]
    for node in sorted(found, key=lambda node: source.span(node)[0]) if len(names) > 1 else found:
        if _is_read(source, node) and _binder(source, node) is None:
            yield NameUse(node, when(source, node))


def _is_read(source: Source, node: cst.Name) -> bool:
    parent = source.parent(node)
    match parent:
        case cst.Attribute():
            return parent.value is node and not _names_module(source, parent)
        case cst.Arg():
            return parent.value is node
        case cst.Param():
            return parent.default is node
        case (
            cst.FunctionDef()
            | cst.ClassDef()
            | cst.ImportFrom()
            | cst.ImportAlias()
            | cst.AsName()
            | cst.Global()
            | cst.Nonlocal()
            | cst.NameItem()
        ):
            return False
        case (
            cst.AssignTarget()
            | cst.AnnAssign()
            | cst.AugAssign()
            | cst.For()
            | cst.CompFor()
            | cst.NamedExpr()
            | cst.Del()
        ):
            return getattr(parent, "target", None) is not node
    return parent is not None and not isinstance(parent, (cst.MatchAs, cst.MatchStar, cst.TypeVar))


def _names_module(source: Source, node: cst.Attribute) -> bool:
    """It is the dotted name of a module that is imported."""
    around = source.parent(node)
    while isinstance(around, cst.Attribute):
        around = source.parent(around)
    return isinstance(around, (cst.ImportFrom, cst.ImportAlias))


def _binder(source: Source, node: cst.Name) -> cst.CSTNode | None:
    """The function around a name that binds it itself."""
    inner: cst.CSTNode = node
    for around in source.ancestors(node):
        if isinstance(around, _SCOPES) and inner is around.body and node.value in local_names(source, around):
            return around
        if isinstance(around, cst.BaseComp) and any(
            _binds(source, loop.target, node.value) for loop in source.all(cst.CompFor, around)
        ):
            return around
        inner = around
    return None


def local_names(source: Source, function: cst.FunctionDef | cst.Lambda) -> frozenset[str]:
    """The names that a function binds itself, parameters included."""
    known: dict[cst.CSTNode, frozenset[str]] = source.kept.setdefault("local names", {})
    if function not in known:
        known[function] = frozenset(_local_names(source, function))
    return known[function]


def _local_names(source: Source, function: cst.FunctionDef | cst.Lambda) -> set[str]:
    found = {parameter.name.value for parameter in source.all(cst.Param, function.params)}
    if isinstance(function, cst.Lambda):
        return found
    shared: set[str] = set()
    for node in source.all(cst.CSTNode, function.body, but=(cst.FunctionDef, cst.ClassDef, cst.Lambda)):
        match node:
            case cst.FunctionDef() | cst.ClassDef():
                found.add(node.name.value)
            case cst.Import() | cst.ImportFrom():
                found |= set(bound_names(node))
            case cst.Global() | cst.Nonlocal():
                shared |= {item.name.value for item in node.names}
            case cst.AssignTarget() | cst.AnnAssign() | cst.AugAssign() | cst.For() | cst.NamedExpr():
                found |= {
                    name.value
                    for name in source.all(cst.Name, node.target)
                    if not isinstance(source.parent(name), (cst.Attribute, cst.Index))
                }
            case cst.AsName():
                found |= {name.value for name in source.all(cst.Name, node.name)}
    return found - shared


def _binds(source: Source, target: cst.CSTNode, name: str) -> bool:
    return any(one.value == name for one in source.all(cst.Name, target))


def when(source: Source, node: cst.Name | cst.Attribute) -> str:
    """When a reading runs, in the words of `NameUse`."""
    inner: cst.CSTNode = node
    annotation: cst.Annotation | None = None
    found = "import"
    for around in source.ancestors(node):
        if isinstance(around, cst.Annotation):
            annotation = around
        elif isinstance(around, cst.TypeAlias) and inner is around.value:
            return "typing"
        elif isinstance(around, _SCOPES) and inner is around.body:
            if annotation is not None and isinstance(source.parent(annotation), cst.AnnAssign):
                return "typing" if _is_local(source, annotation) else "annotation"
            found = "call"
            break
        elif isinstance(around, cst.If) and inner is around.body and spelled(around.test).endswith("TYPE_CHECKING"):
            return "typing"
        inner = around
    return "annotation" if annotation is not None else found


def _is_local(source: Source, annotation: cst.Annotation) -> bool:
    """It is of a function's own variable, not of a class in it: nobody evaluates it."""
    around = next(one for one in source.ancestors(annotation) if isinstance(one, (*_SCOPES, cst.ClassDef)))
    return not isinstance(around, cst.ClassDef)
