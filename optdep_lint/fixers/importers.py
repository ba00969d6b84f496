"""The other modules of the project that import a name which is there only sometimes: they learn to live without it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import libcst as cst

from optdep_lint.facts import syntax
from optdep_lint.facts.position import span_of
from optdep_lint.fixers import Refusal
from optdep_lint.fixers.annotations import is_postponed, quote
from optdep_lint.fixers.bench import Bench
from optdep_lint.fixers.checks import insert_checks
from optdep_lint.fixers.draft import Draft, comment_behind
from optdep_lint.fixers.importing import Importing, Importings, Reading
from optdep_lint.fixers.imports import spelled
from optdep_lint.fixers.layout import moved, set_apart
from optdep_lint.fixers.sentinels import guarded, present
from optdep_lint.fixers.source import Source
from optdep_lint.fixers.uses import NameUse, uses_of
from optdep_lint.fixers.workshop import Workshop

_MOST = 12
_MOST_TOLD = 10


@dataclass(slots=True)
class Importers:
    """Repairs the importers of names, and those of what they pass on."""

    draft: Draft
    workshop: Workshop
    root: str
    _told: dict[str, None] = field(default_factory=dict)
    """`path:line` of whatever imports one of the names, with a note on those that stay as they are."""
    _followed: set[tuple[str, str]] = field(default_factory=set)
    _importings: Importings = field(init=False)
    _shortened: set[int] = field(default_factory=set)
    """The displays that were dealt with."""

    def __post_init__(self) -> None:
        """Look at the project's imports."""
        self._importings = Importings(self.workshop)

    def _bench(self, source: Source) -> Bench:
        return Bench(self.draft, self.workshop, source)

    def repair(self, module: str, names: list[str], only: str | None = None) -> None:
        """Guard the imports of the names, all or those of one module.

        Raises:
            Refusal: where an importer needs one while it is imported itself; all importers are listed.
        """
        repairs = self._find(module, names, only)
        try:
            if len(repairs) > _MOST:
                raise Refusal(f"{len(repairs)} files import it")
            for repair in repairs:
                repair()
        except Refusal as refusal:
            raise Refusal(f"{refusal}{self.listed}") from None

    @property
    def listed(self) -> str:
        """The importers, in words that end a sentence; empty where there is none."""
        shown = list(self._told)[:_MOST_TOLD]
        more = f" and {len(self._told) - len(shown)} more" if len(self._told) > len(shown) else ""
        return f"; imported in {', '.join(shown)}{more}" if shown else ""

    def _tell(self, path: str, line: int, note: str) -> None:
        """List an importer; what stands in a function fails when that is called, and is left as it is."""
        self._told[f"{path}:{line} ({note})" if note else f"{path}:{line}"] = None

    def _find(self, module: str, names: list[str], only: str | None) -> list[Callable[[], None]]:
        """What is to be done in each file, after all importers have been found."""
        todo = [(module, name, True) for name in names]
        seen: set[tuple[str, str]] = set()
        by_file: dict[str, list[tuple[syntax.ImportFrom, str]]] = {}
        others: list[Callable[[], None]] = []
        while todo:
            target, name, gone = todo.pop(0)
            if (target, name) in seen:
                continue
            seen.add((target, name))
            for reading in self._importings.readings(target, name) if only is None else ():
                self._tell(reading.path, reading.line, "in a function" if reading.when == "call" else "")
                if reading.when in ("import", "annotation"):
                    others.append(partial(_refuse, reading))
            for one in self._importings.of(target, name):
                if (gone and only not in (None, one.importer)) or (one.importer == module and only != module):
                    continue
                self._tell(one.path, one.line, "in a function" if one.deferred else "")
                if one.deferred:
                    continue
                if one.alias == "*":
                    others.append(partial(self._pass_on, one))
                elif gone:
                    by_file.setdefault(one.path, []).append((one.statement, one.alias))
                else:
                    others.append(partial(self._follow_local, one))
                todo.append((one.importer, one.local, gone and one.alias == "*"))
        return [*(partial(self._guard_file, path, found) for path, found in by_file.items()), *others]

    def _follow_local(self, one: Importing) -> None:
        self._follow_uses(self.workshop.source(one.path), [one.local])

    def _pass_on(self, one: Importing) -> None:
        """A star import binds the name where it is there: who has that may hand it on, not use it."""
        source = self.workshop.source(one.path)
        for use in uses_of(source, [one.local]):
            if use.when != "typing":
                line = source.line_of(source.span(use.node)[0])
                raise Refusal(f"`{one.local}` comes to {one.path} by a star import, and is used there in line {line}")

    # --- one file ----------------------------------------------------------------------------------------------------

    def _guard_file(self, path: str, found: list[tuple[syntax.ImportFrom, str]]) -> None:
        source = self.workshop.source(path)
        locals_: list[str] = []
        by_statement: dict[int, list[str]] = {}
        for statement, name in found:
            by_statement.setdefault(statement.at, []).append(name)
        for at, names in by_statement.items():
            span = span_of(at)
            node = source.statement_at(span.line, span.column)
            if not isinstance(node, cst.ImportFrom) or isinstance(node.names, cst.ImportStar):
                raise Refusal(f"the import in {path}:{span.line} cannot be guarded")
            locals_ += self._guard_statement(source, node, set(names))
        self._follow_uses(source, locals_)

    def _guard_statement(self, source: Source, node: cst.ImportFrom, names: set[str]) -> list[str]:
        line = source.parent(node)
        if not isinstance(line, cst.SimpleStatementLine):
            raise Refusal(
                f"the import in {source.path}:{source.line_of(source.span(node)[0])} shares the line of another statement"
            )
        if any(isinstance(one, cst.Try) for one in source.ancestors(node)):
            return []
        assert not isinstance(node.names, cst.ImportStar)
        mine = [alias for alias in node.names if alias.name.value in names]
        rest = [alias for alias in node.names if alias.name.value not in names]
        locals_ = [spelled(alias.asname.name) if alias.asname is not None else spelled(alias.name) for alias in mine]
        start, end = source.line_start(source.span(node)[0]), source.block_end(line)
        indent, unit = source.indent_at(start), source.unit
        if len(line.body) > 1:
            text = guarded(self._bench(source), locals_, unit + _from(node, mine) + comment_behind(line, node), "")
            self.draft.give_lines(source, line, [node], f"{_from(node, rest)}\n{text}" if rest else text)
            return locals_
        body = f"{indent}{unit}{_from(node, mine)}" if rest else moved(source, start, end, indent, indent + unit)
        text = guarded(self._bench(source), locals_, body, indent)
        if rest:
            self._take_out(source, node, mine)
            self.draft.insert_line(source, end, "\n" + set_apart(source, end, end, text).strip("\n"))
        else:
            self.draft.replace(source, start, end, set_apart(source, start, end, text))
        return locals_

    def _take_out(self, source: Source, node: cst.ImportFrom, taken: list[cst.ImportAlias]) -> None:
        """Leave some names out of a from-import, the rest as it is written."""
        assert not isinstance(node.names, cst.ImportStar)
        first, last = source.span(node.names[0])[0], source.span(node.names[-1])[1]
        if source.line_of(first) == source.line_of(last) or not self._stand_alone(source, taken):
            left = [alias for alias in node.names if alias not in taken]
            self.draft.replace(
                source, first, source.span(_bare(node.names[-1]))[1], ", ".join(_alias(one) for one in left)
            )
            return
        for alias in taken:
            start = source.span(alias)[0]
            self.draft.remove_lines(source, source.line_start(start), source.line_end(start))

    def _stand_alone(self, source: Source, aliases: list[cst.ImportAlias]) -> bool:
        """Each of the names has a line of its own."""
        for alias in aliases:
            start, end = source.span(alias)[0], source.span(_bare(alias))[1]
            if source.text[source.line_start(start) : start].strip() or source.text[end : source.line_end(end)].strip(
                " \t\r\n"
            ) not in ("", ","):
                return False
        return True

    def _follow_uses(self, source: Source, names: list[str]) -> None:
        """Where the names are used: left out of displays, and-ed before isinstance, an error elsewhere."""
        checks: list[NameUse] = []
        self._shortened.clear()
        names = [name for name in names if (source.path, name) not in self._followed]
        self._followed |= {(source.path, name) for name in names}
        for use in uses_of(source, names):
            line = source.line_of(source.span(use.node)[0])
            if use.when == "import" and not _asks(source, use.node) and not self._leave_out(source, use.node, names):
                raise Refusal(f"`{use.node.value}` is needed while {source.path} is imported, in line {line}")
            if (
                use.when == "annotation"
                and not is_postponed(self.workshop, source)
                and isinstance(source.parent(use.node), (cst.BinaryOperation, cst.Attribute))
            ):
                quote(self._bench(source), use.node)
            if use.when == "call" and not _asks(source, use.node) and not self._leave_out(source, use.node, names):
                checks.append(use)
        insert_checks(self._bench(source), checks, self.root, None)

    def _leave_out(self, source: Source, node: cst.Name, names: list[str]) -> bool:
        """`(A, B) if B is not None else (A,)`, or `B is not None and isinstance(x, B)`; False where neither fits."""
        element = source.parent(node)
        display = source.parent(element) if isinstance(element, cst.Element) else None
        if isinstance(display, (cst.Tuple, cst.List)):
            if id(display) not in self._shortened:
                self._shortened.add(id(display))
                gone = [
                    one.value.value
                    for one in display.elements
                    if isinstance(one.value, cst.Name) and one.value.value in names
                ]
                self._shorten(source, display, gone)
            return True
        argument = element
        call = source.parent(argument) if isinstance(argument, cst.Arg) else None
        if (
            isinstance(call, cst.Call)
            and spelled(call.func) in ("isinstance", "issubclass")
            and argument is call.args[1]
        ):
            start, end = source.span(call)
            inner = f"{present(self._bench(source), node.value)} and {source.text[start:end]}"
            around = source.parent(call)
            plain = isinstance(around, (cst.If, cst.Assert, cst.While, cst.Return)) or (
                isinstance(around, cst.BooleanOperation) and isinstance(around.operator, cst.And)
            )
            self.draft.replace(source, start, end, inner if plain else f"({inner})")
            return True
        return False

    def _shorten(self, source: Source, display: cst.Tuple | cst.List, gone: list[str]) -> None:
        """The display without the names that are None."""
        start, end = source.whole(display)
        opening, closing = ("(", ")") if isinstance(display, cst.Tuple) else ("[", "]")
        whole = (
            source.text[start:end] if display.lpar or isinstance(display, cst.List) else f"({source.text[start:end]})"
        )
        if len(gone) > 1:
            one = source.fresh_name("one", "each")
            inside = f"{one} for {one} in {whole} if {one} is not None"
            self.draft.replace(source, start, end, f"tuple({inside})" if opening == "(" else f"[{inside}]")
            return
        left = [source.code(one.value) for one in display.elements if source.code(one.value) != gone[0]]
        inside = ", ".join(left) + ("," if opening == "(" and len(left) == 1 else "")
        shorter = f"{opening}{inside}{closing}"
        there = present(self._bench(source), gone[0])
        text = f"{whole} if {there} else {shorter}"
        indent = source.indent_at(start)
        column = start - source.line_start(start)
        if column + len(text) > self.workshop.line_length or "\n" in whole:
            deeper = f"\n{indent}{source.unit}"
            text = f"({deeper}{whole}{deeper}if {there}{deeper}else {shorter}\n{indent})"
        elif not isinstance(source.parent(display), (cst.Assign, cst.AnnAssign, cst.Return, cst.Arg)):
            text = f"({text})"
        self.draft.replace(source, start, end, text)


def _refuse(reading: Reading) -> None:
    raise Refusal(f"`{reading.code}` is needed while {reading.path} is imported, in line {reading.line}")


def _bare(alias: cst.ImportAlias) -> cst.CSTNode:
    """The last name of an alias, before its comma."""
    return alias.asname.name if alias.asname is not None else alias.name


def _alias(alias: cst.ImportAlias) -> str:
    return spelled(alias.with_changes(comma=cst.MaybeSentinel.DEFAULT))


def _from(node: cst.ImportFrom, aliases: list[cst.ImportAlias]) -> str:
    clean = [alias.with_changes(comma=cst.MaybeSentinel.DEFAULT) for alias in aliases]
    return spelled(node.with_changes(names=clean, lpar=None, rpar=None))


def _asks(source: Source, node: cst.Name) -> bool:
    """The name is only held against None."""
    around = source.parent(node)
    return isinstance(around, cst.Comparison) and any(spelled(one.comparator) == "None" for one in around.comparisons)
