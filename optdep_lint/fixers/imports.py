"""Imports put where isort and ruff would keep them, merged with what is imported already."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import libcst as cst

from optdep_lint.fixers import Refusal
from optdep_lint.fixers.bench import Bench
from optdep_lint.fixers.draft import Draft, ImportPlace
from optdep_lint.fixers.source import Source
from optdep_lint.fixers.workshop import Workshop
from optdep_lint.world.stdlib import is_stdlib_root

_Import = cst.Import | cst.ImportFrom


@dataclass(frozen=True, slots=True)
class _Line:
    """One import statement of the block at the head of a file."""

    node: cst.SimpleStatementLine
    statement: _Import
    key: tuple[object, ...]


def import_name(bench: Bench, module: str, name: str) -> str:
    """Make `from module import name` hold at the top of a file; gives how the thing is then spelled there."""
    known = bound_as(bench.source, module, name)
    if known is not None:
        return known
    if name in bench.source.names:
        return _import_module(bench, module, name)
    lines = list(_head(bench.workshop, bench.source))
    same = next((line for line in lines if _is_plain_from(line.statement, module)), None)
    if same is None or not _merge(bench.draft, bench.source, same, name):
        _insert(bench, lines, f"from {module} import {name}", _key(bench.workshop, module, plain=False))
    return name


def _import_module(bench: Bench, module: str, name: str) -> str:
    """`import module` instead, where the name alone would collide."""
    root = module.partition(".")[0]
    if root in bench.source.names and not any(
        _bindings(statement, module) for statement in bench.source.all(cst.Import)
    ):
        raise Refusal(f"the name `{name}` means something else in this file")
    _insert(
        bench, list(_head(bench.workshop, bench.source)), f"import {module}", _key(bench.workshop, module, plain=True)
    )
    return f"{module}.{name}"


def bound_as(source: Source, module: str, name: str) -> str | None:
    """How a name of a module is spelled in a file that imports it at its top, or None."""
    return next(spellings(source, module, name), None)


def spellings(source: Source, module: str, name: str) -> Iterator[str]:
    """In which ways a name of a module can be spelled in a file that imports it, or the module, at its top."""
    for line in source.module.body:
        if not isinstance(line, cst.SimpleStatementLine):
            continue
        for statement in line.body:
            if isinstance(statement, cst.ImportFrom) and not isinstance(statement.names, cst.ImportStar):
                for alias in statement.names:
                    if dotted(statement) == module and alias.name.value == name:
                        yield _local(alias)
                    if isinstance(alias.name, cst.Name) and f"{dotted(statement)}.{alias.name.value}" == module:
                        yield f"{_local(alias)}.{name}"
            elif isinstance(statement, cst.Import):
                found = _bindings(statement, module)
                if found is not None:
                    yield f"{found}.{name}"


def dotted(statement: cst.ImportFrom) -> str:
    """What a from-import imports from, dots included."""
    path = cst.Module([]).code_for_node(statement.module) if statement.module is not None else ""
    return "." * len(statement.relative) + path


def spelled(node: cst.CSTNode) -> str:
    """A node's code by itself, without the semicolon behind a statement."""
    if isinstance(node, cst.BaseSmallStatement):
        node = node.with_changes(semicolon=cst.MaybeSentinel.DEFAULT)
    return cst.Module([]).code_for_node(node)


def _bindings(statement: cst.Import, module: str) -> str | None:
    for alias in statement.names:
        if spelled(alias.name) == module:
            return spelled(alias.asname.name) if alias.asname is not None else module
    return None


def _local(alias: cst.ImportAlias) -> str:
    return spelled(alias.asname.name) if alias.asname is not None else spelled(alias.name)


# --- where a new line goes -------------------------------------------------------------------------------------------


def _head(workshop: Workshop, source: Source) -> Iterator[_Line]:
    """The imports before anything else but a docstring."""
    for index, line in enumerate(source.module.body):
        if not isinstance(line, cst.SimpleStatementLine):
            return
        first = line.body[0]
        if (
            index == 0
            and isinstance(first, cst.Expr)
            and isinstance(first.value, (cst.SimpleString, cst.ConcatenatedString))
        ):
            continue
        if not isinstance(first, (cst.Import, cst.ImportFrom)):
            return
        name = dotted(first) if isinstance(first, cst.ImportFrom) else spelled(first.names[0].name)
        yield _Line(line, first, _key(workshop, name, plain=isinstance(first, cst.Import)))


def _key(workshop: Workshop, module: str, *, plain: bool) -> tuple[object, ...]:
    root = module.partition(".")[0]
    if module == "__future__":
        section = 0
    elif module.startswith("."):
        section = 4
    elif is_stdlib_root(root):
        section = 1
    else:
        section = 3 if workshop.survey.tree.owns(root) else 2
    if workshop.sorts_within_sections:
        return section, module.lower()
    return section, not plain, module.lower()


def _insert(bench: Bench, lines: list[_Line], text: str, key: tuple[object, ...]) -> None:
    source = bench.source
    after = next((line for line in lines if line.key > key), None)
    before = next((line for line in reversed(lines) if line.key <= key), None)
    if before is not None and len(before.node.body) > 1:  # what shares its line may come to need the new import
        if before.key[0] == 0:
            raise Refusal("other statements share the line of a `__future__` import")
        place = ImportPlace(source.leading_start(before.node), None, before.key[0])
    elif before is not None and (after is None or before.key[0] == key[0]):
        place = ImportPlace(source.block_end(before.node), before.key[0], after.key[0] if after is not None else None)
        if after is not None and source.text[place.offset : source.leading_start(after.node)].strip(" \t\f") != "":
            place.below = None
    elif after is not None:
        place = ImportPlace(source.leading_start(after.node), None, after.key[0])
    else:
        place = _first_place(source)
    bench.draft.add_import(source, place, text, key)


def _first_place(source: Source) -> ImportPlace:
    """Where the first import of a file goes: after its docstring, else before its first statement."""
    body = source.module.body
    first = body[0] if body else None
    if first is None:
        return ImportPlace(len(source.text))
    if source.module.get_docstring() is not None:
        at = source.block_end(first)
        return ImportPlace(at, lead="\n", tail="" if len(body) == 1 or _is_blank(source, at) else "\n")
    return ImportPlace(
        source.leading_start(first), tail="\n\n" if isinstance(first, (cst.FunctionDef, cst.ClassDef)) else "\n"
    )


def _is_blank(source: Source, offset: int) -> bool:
    return not source.text[offset : source.line_end(offset)].strip()


def _is_plain_from(statement: _Import, module: str) -> bool:
    return (
        isinstance(statement, cst.ImportFrom)
        and not isinstance(statement.names, cst.ImportStar)
        and dotted(statement) == module
    )


def _merge(draft: Draft, source: Source, line: _Line, name: str) -> bool:
    """Add a name to a from-import, in order; False where its form does not allow that."""
    statement = line.statement
    assert isinstance(statement, cst.ImportFrom)
    names = statement.names
    if isinstance(names, cst.ImportStar) or any(alias.asname is not None for alias in names) or len(line.node.body) > 1:
        return False
    first, last = names[0], names[-1]
    following = next((alias for alias in names if _order(spelled(alias.name)) > _order(name)), None)
    start, end = source.span(first)[0], source.span(last)[1]
    if source.line_of(start) == source.line_of(end):
        if following is not None:
            draft.insert(source, source.span(following)[0], f"{name}, ")
        else:
            draft.insert(source, source.span(last.name)[1], f", {name}")
        return True
    alias = following or last
    if source.text[source.line_start(source.span(alias)[0]) : source.span(alias)[0]].strip():
        return False
    indent = source.indent_at(source.span(alias)[0])
    if following is not None:
        draft.insert(source, source.line_start(source.span(alias)[0]), f"{indent}{name},\n")
    elif isinstance(last.comma, cst.Comma):
        draft.insert(source, source.line_end(source.span(last.name)[1]), f"{indent}{name},\n")
    else:
        return False
    return True


def _order(name: str) -> tuple[int, str]:
    """As isort orders names: constants, classes, the rest."""
    kind = 0 if name.isupper() and len(name) > 1 else 1 if name[:1].isupper() else 2
    return kind, name
