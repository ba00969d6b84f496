"""OPD501, OPD502: what is imported on a hot path is imported once per process, by a function that keeps it."""

# mypy: disable-error-code="type-abstract"
from __future__ import annotations

from collections.abc import Iterable, Sequence

import libcst as cst

from optdep_lint.findings import Finding, Fix
from optdep_lint.fixers import Refusal, Repair
from optdep_lint.fixers.bench import Bench
from optdep_lint.fixers.draft import Draft
from optdep_lint.fixers.imports import spelled
from optdep_lint.fixers.layout import moved
from optdep_lint.fixers.resolvers import Resolvers
from optdep_lint.fixers.source import Source
from optdep_lint.fixers.uses import bound_names, local_names
from optdep_lint.fixers.workshop import Workshop

Import = cst.Import | cst.ImportFrom
_CATCHING = {"ImportError", "ModuleNotFoundError", "AttributeError"}


def build(finding: Finding, workshop: Workshop) -> Fix:
    """Hand the import, and the `try` around it, to a cached function."""
    source = workshop.source(finding.path)
    statement = source.at(finding.span.line, finding.span.column, cst.Try) or source.statement_at(
        finding.span.line, finding.span.column
    )
    function = source.enclosing(statement, cst.FunctionDef)
    if function is None:
        raise Refusal("what is imported on the hot path does not stand in a function")
    draft = Draft()
    bench = Bench(draft, workshop, source)
    draft.unsafe.append("what is imported once is not looked for again")
    work = _Work(source, function, Resolvers(bench, function))
    around = _try_around(source, statement)
    if isinstance(statement, cst.Try) or around is not None:
        target = statement if isinstance(statement, cst.Try) else around
        assert target is not None
        start, end = source.line_start(source.span(target)[0]), source.block_end(target)
        text = work.of_try(target, source.indent_at(start))
        draft.replace(source, start, end, text + ("\n" if source.text[end - 1] in "\r\n" else ""))
    elif isinstance(statement, (cst.Import, cst.ImportFrom)):
        work.of_import(draft, statement)
    else:
        raise Refusal("what runs on the hot path is not an import statement")
    work.resolvers.finish()
    return draft.finish("Import it once per process")


def _try_around(source: Source, statement: cst.CSTNode) -> cst.Try | None:
    """The `try` in whose body an import stands directly."""
    block = source.parent(source.parent(statement) or statement)
    around = source.parent(block) if block is not None else None
    return around if isinstance(around, cst.Try) and around.body is block else None


class _Work:
    """Rewrites one function."""

    def __init__(self, source: Source, function: cst.FunctionDef, resolvers: Resolvers) -> None:
        self.source, self.function, self.resolvers = source, function, resolvers
        self._locals = local_names(source, function)

    # --- an import by itself -----------------------------------------------------------------------------------------

    def of_import(self, draft: Draft, statement: Import) -> None:
        """`name = _resolve_name()` in the place of an import."""
        if any(
            isinstance(one, (cst.Global, cst.Nonlocal))
            for one in self.source.all(cst.BaseSmallStatement, self.function.body)
        ):
            raise Refusal("the function binds names outside of itself")
        names = self._names(statement)
        unit = self.source.unit
        used = [name for name in names if self._is_used(name, statement)]
        body = self._import_lines(statement, unit)
        if not used:
            comment = self._trailing_comment(statement) or "  # noqa: F401"
            name = self.resolvers.add(_subject(statement), f"{body}{comment}", returns=False)
            self._put(draft, statement, f"{name}()")
            return
        name = self.resolvers.add(used[0], f"{body}\n\n{unit}return {', '.join(used)}")
        self._put(draft, statement, f"{', '.join(used)} = {name}()")

    def _import_lines(self, statement: Import, indent: str) -> str:
        """The lines of an import at an indentation."""
        old = self.source.indent_at(self.source.span(statement)[0])
        first, *others = self.source.code(statement).splitlines()
        return "\n".join(indent + line for line in (first, *(line.removeprefix(old) for line in others)))

    def _put(self, draft: Draft, statement: Import, text: str) -> None:
        """In the place of the statement and of a comment for other linters behind it."""
        start, end = self.source.span(statement)
        comment = self._trailing_comment(statement)
        line = self.source.parent(statement)
        if comment and isinstance(line, cst.SimpleStatementLine) and line.body[-1] is statement and "noqa" in comment:
            rest = self.source.text[end : self.source.line_end(end)].rstrip("\r\n")
            others = [part for part in rest.split("#")[1:] if "noqa" not in part]
            draft.replace(self.source, start, end + len(rest), text + "".join(f"  #{part.rstrip()}" for part in others))
        else:
            draft.replace(self.source, start, end, text)

    def _trailing_comment(self, statement: cst.CSTNode) -> str:
        line = self.source.parent(statement)
        comment = line.trailing_whitespace.comment if isinstance(line, cst.SimpleStatementLine) else None
        if comment is None or "noqa" not in comment.value:
            return ""
        return "  #" + next(part for part in comment.value.split("#") if "noqa" in part).rstrip()

    # --- a try -------------------------------------------------------------------------------------------------------

    def of_try(self, node: cst.Try, indent: str) -> str:
        """The lines that take the place of a `try`, at an indentation."""
        if node.finalbody is not None:
            raise Refusal("the `try` has a `finally`")
        imports, rest = self._split(node.body)
        if not imports:
            raise Refusal("the `try` does not begin with the import")
        names = list(dict.fromkeys(name for one in imports for name in self._names(one)))
        if not rest and node.orelse is None and all(self._moves(handler, names) for handler in node.handlers):
            return self._move_whole(node, names, indent)
        return self._ask(node, imports, rest, names, indent)

    def _split(self, body: cst.BaseSuite) -> tuple[list[Import], list[cst.CSTNode]]:
        imports: list[Import] = []
        statements: list[cst.CSTNode] = list(body.body)
        while statements:
            line = statements[0]
            first = line.body[0] if isinstance(line, cst.SimpleStatementLine) and len(line.body) == 1 else line
            if not isinstance(first, (cst.Import, cst.ImportFrom)):
                break
            imports.append(first)
            statements.pop(0)
        return imports, statements

    def _moves(self, handler: cst.ExceptHandler, names: Sequence[str]) -> bool:
        """The handler raises, or only says what the names are without the import."""
        last = _last_small(handler.body)
        read = {one.value for one in self.source.all(cst.Name, handler.body)}
        own = {spelled(handler.name.name)} if handler.name is not None else set()
        if read & (self._locals - own - set(names)):
            return False
        if isinstance(last, cst.Raise):
            return not any(True for _ in self.source.all(cst.Return, handler.body))
        assigned = {
            spelled(target.target) for one in self.source.all(cst.Assign, handler.body) for target in one.targets
        }
        return assigned == set(names) and len(handler.body.body) == len(names)

    def _move_whole(self, node: cst.Try, names: list[str], indent: str) -> str:
        unit = self.source.unit
        start, end = self.source.line_start(self.source.span(node)[0]), self.source.block_end(node)
        body = moved(self.source, start, end, indent, unit)
        name = self.resolvers.add(names[0], f"{body}\n{unit}return {', '.join(names)}")
        return f"{indent}{', '.join(names)} = {name}()"

    def _ask(self, node: cst.Try, imports: list[Import], rest: list[cst.CSTNode], names: list[str], indent: str) -> str:
        """`name = _resolve_name()`, then what the handler did where that is None, else the rest of the body."""
        if len(node.handlers) != 1 or len(names) != 1:
            raise Refusal("the `try` has several handlers, or imports several names")
        handler = node.handlers[0]
        caught = spelled(handler.type) if handler.type is not None else ""
        if not set(caught.strip("()").replace(" ", "").split(",")) <= _CATCHING:
            raise Refusal("the handler also catches what is no absence")
        if handler.name is not None and any(
            one.value == spelled(handler.name.name) for one in self.source.all(cst.Name, handler.body)
        ):
            raise Refusal("the handler looks at the exception")
        (name,), unit = names, self.source.unit
        lines = "\n".join(self._import_lines(one, unit * 2) for one in imports)
        body = f"{unit}try:\n{lines}\n{unit}except {caught}:\n{unit * 2}return None\n{unit}return {name}"
        resolver = self.resolvers.add(name, body)
        result = [
            f"{indent}{name} = {resolver}()",
            f"{indent}if {name} is None:",
            self._block(handler.body, indent + unit),
        ]
        tail = self._statements(rest, indent)
        if node.orelse is not None:
            tail += [self._block(node.orelse.body, indent)]
        if tail and not _leaves(handler.body):
            tail = [f"{indent}else:", *self._statements(rest, indent + unit)]
            if node.orelse is not None:
                tail += [self._block(node.orelse.body, indent + unit)]
        return "\n".join([*result, *tail])

    def _block(self, body: cst.BaseSuite, indent: str) -> str:
        if isinstance(body, cst.SimpleStatementSuite):
            start, end = self.source.span(body.body[0])[0], self.source.span(body.body[-1])[1]
            return indent + self.source.text[start:end]
        return "\n".join(self._statements(list(body.body), indent))

    def _statements(self, statements: Iterable[cst.CSTNode], indent: str) -> list[str]:
        """The lines of statements at an indentation, each `try` that imports among them rewritten as well."""
        result = []
        previous: int | None = None
        for one in statements:
            if isinstance(one, cst.BaseSmallStatement):
                result.append(indent + self.source.code(one))
                continue
            start, end = self.source.leading_start(one), self.source.block_end(one)
            if previous is not None and self.source.text[previous:start].strip(" \t\f") != "":
                result.append("")
            previous = end
            if isinstance(one, cst.Try) and self._imports_first(one):
                result.append(self.of_try(one, indent))
            else:
                result.append(moved(self.source, start, end, self.source.indent_at(self.source.span(one)[0]), indent))
        return result

    def _imports_first(self, node: cst.Try) -> bool:
        return bool(self._split(node.body)[0])

    # --- names -------------------------------------------------------------------------------------------------------

    def _names(self, statement: Import) -> list[str]:
        names = bound_names(statement)
        if not names:
            raise Refusal("a star import binds names that nobody knows")
        return names

    def _is_used(self, name: str, statement: cst.CSTNode) -> bool:
        """The function reads the name anywhere but in the import itself."""
        inside = {id(one) for one in self.source.all(cst.Name, statement)}
        return any(
            one.value == name and id(one) not in inside and not _is_attribute(self.source, one)
            for one in self.source.all(cst.Name, self.function.body)
        )


def _is_attribute(source: Source, node: cst.Name) -> bool:
    parent = source.parent(node)
    return isinstance(parent, cst.Attribute) and parent.attr is node


def _subject(statement: Import) -> str:
    if isinstance(statement, cst.ImportFrom):
        return spelled(statement.module) if statement.module is not None else "sibling"
    return spelled(statement.names[0].name)


def _last_small(body: cst.BaseSuite) -> cst.CSTNode:
    last: cst.CSTNode = body.body[-1]
    return last.body[-1] if isinstance(last, cst.SimpleStatementLine) else last


def _leaves(body: cst.BaseSuite) -> bool:
    return isinstance(_last_small(body), (cst.Raise, cst.Return, cst.Continue, cst.Break))


REPAIR = Repair(codes=("OPD501", "OPD502"), build=build)
