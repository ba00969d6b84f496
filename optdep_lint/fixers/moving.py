"""Which definitions of a file have to move together: what depends on them, and what they need where they are defined."""

from __future__ import annotations

from collections.abc import Iterator

import libcst as cst

from optdep_lint.fixers import Refusal
from optdep_lint.fixers.imports import spelled
from optdep_lint.fixers.layout import moved
from optdep_lint.fixers.source import Source
from optdep_lint.fixers.uses import bound_names, uses_of

_MOST = 30
Top = cst.SimpleStatementLine | cst.BaseCompoundStatement


def bound_by(statement: cst.CSTNode) -> list[str]:
    """The names that a top-level statement binds."""
    if isinstance(statement, (cst.FunctionDef, cst.ClassDef)):
        return [statement.name.value]
    names: list[str] = []
    if isinstance(statement, cst.SimpleStatementLine):
        for small in statement.body:
            if isinstance(small, cst.Assign):
                names += [spelled(target.target) for target in small.targets if isinstance(target.target, cst.Name)]
            elif isinstance(small, cst.AnnAssign) and isinstance(small.target, cst.Name):
                names.append(small.target.value)
            elif isinstance(small, (cst.Import, cst.ImportFrom)):
                names += bound_names(small)
    return names


def is_definition(statement: cst.CSTNode) -> bool:
    """A class or a function."""
    return isinstance(statement, (cst.FunctionDef, cst.ClassDef))


def _is_plain(statement: cst.CSTNode) -> bool:
    """A simple statement by itself, no import."""
    return (
        isinstance(statement, cst.SimpleStatementLine)
        and len(statement.body) == 1
        and not isinstance(statement.body[0], (cst.Import, cst.ImportFrom))
    )


class Family:
    """The top-level statements that move with one of them."""

    def __init__(self, source: Source, guard: cst.CSTNode | None, first: Top) -> None:
        """Gather what depends on `first`.

        Args:
            source: The file.
            guard: The statement into which they move, or None where they get a guard of their own in their place.
            first: The definition that has to move.

        Raises:
            Refusal: where something that cannot move depends on it.
        """
        self._source, self._guard = source, guard
        self._body: list[cst.CSTNode] = list(source.module.body)
        self._binder = {name: one for one in self._body for name in bound_by(one)}
        self.members: list[cst.CSTNode] = [first]
        self._grow()
        self.members.sort(key=lambda one: source.span(one)[0])

    @property
    def names(self) -> list[str]:
        """The names that move."""
        return [name for one in self.members for name in bound_by(one)]

    def _grow(self) -> None:
        done = 0
        while done < len(self.members):
            member = self.members[done]
            done += 1
            for other in (*self._dependents(member), *(self._needs(member) if self._guard is not None else ())):
                if other not in self.members:
                    self._check(other)
                    self.members.append(other)
            if len(self.members) > _MOST:
                raise Refusal("too much of the module depends on it")

    def _dependents(self, member: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """The statements that read what it binds."""
        for use in uses_of(self._source, bound_by(member)):
            top = self._top(use.node)
            if top is not member and top is not self._guard and use.when != "typing":
                yield top

    def _needs(self, member: cst.CSTNode) -> Iterator[cst.CSTNode]:
        """The definitions after the guard that it reads where it is defined itself."""
        assert self._guard is not None
        after = self._source.span(self._guard)[1]
        for name in {one.value for one in self._source.all(cst.Name, member)}:
            binder = self._binder.get(name)
            if binder is None or binder is member or self._source.span(binder)[0] < after:
                continue
            if any(
                self._top(use.node) is member and use.when in ("import", "annotation")
                for use in uses_of(self._source, [name])
            ):
                if not is_definition(binder):
                    raise Refusal(f"it needs `{name}`, which is bound after the guard")
                yield binder

    def _check(self, statement: cst.CSTNode) -> None:
        start = self._source.span(statement)[0]
        below = self._guard is None or start > self._source.span(self._guard)[1]
        if not (below and (is_definition(statement) or _is_plain(statement))):
            raise Refusal(f"line {self._source.line_of(start)} depends on it and cannot move with it")

    def _top(self, node: cst.CSTNode) -> cst.CSTNode:
        inner = node
        for around in self._source.ancestors(node):
            if isinstance(around, cst.Module):
                break
            inner = around
        return inner

    def lines(self, indent: str) -> str:
        """The members in order at an indentation, one blank line between definitions."""
        result, previous = "", self.members[0]
        for one in self.members:
            start, end = self._source.leading_start(one), self._source.block_end(one)
            text = moved(self._source, start, end, "", indent)
            gap = "" if not result else "\n\n" if is_definition(one) or is_definition(previous) else "\n"
            result += gap + text
            previous = one
        return result

    def runs(self) -> list[list[cst.CSTNode]]:
        """The members in groups that nothing else stands between."""
        runs: list[list[cst.CSTNode]] = []
        for one in self.members:
            if runs and self._body.index(one) == self._body.index(runs[-1][-1]) + 1:
                runs[-1].append(one)
            else:
                runs.append([one])
        return runs
