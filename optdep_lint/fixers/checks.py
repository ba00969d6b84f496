"""The statement that leaves where a root is absent: what it asks, what it says, and where it stands."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

import libcst as cst

from optdep_lint.fixers import Refusal
from optdep_lint.fixers.bench import Bench
from optdep_lint.fixers.conditions import loader_call
from optdep_lint.fixers.sentinels import absent
from optdep_lint.fixers.source import Source, Statement
from optdep_lint.fixers.uses import NameUse
from optdep_lint.fixers.workshop import Workshop

_MOST_CHECKS = 25
_CONDITIONAL = (cst.IfExp, cst.BooleanOperation, cst.Lambda, cst.BaseComp)


def leave_lines(bench: Bench, place: cst.CSTNode, root: str, *, depth: int = 0) -> str:
    """What leaves the function around a place: the project's own helper, or an ImportError in the file's own words.

    It is broken where it would be too long for its depth.
    """
    source, workshop = bench.source, bench.workshop
    text = own_message(source, workshop, root)
    if text is None:
        call = loader_call(bench, root, place) if root else None
        if call is not None:
            return call
        text = quoted(message(workshop, root, function_label(source, place)))
    line = f"raise ImportError({text})"
    if depth + len(line) <= workshop.line_length:
        return line
    return f"raise ImportError(\n{source.unit}{text}\n)"


def message(workshop: Workshop, root: str, function: str | None) -> str:
    """What the error says: who needs what, and how to get it."""
    if not root:
        return (
            f"{function}() is not available on this platform" if function else "this is not available on this platform"
        )
    subject = f"{function}() needs" if function else "this needs"
    return f"{subject} {workshop.distribution(root)}: {workshop.hint(root)}"


def quoted(text: str) -> str:
    """A string literal."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


def own_message(source: Source, workshop: Workshop, root: str) -> str | None:
    """The message that the file itself gives where the root is missing, if it fits everywhere."""
    words = {root, workshop.distribution(root)} - {""}
    for node in source.all(cst.Raise):
        call = node.exc
        if not isinstance(call, cst.Call) or len(call.args) != 1 or not isinstance(call.func, cst.Name):
            continue
        literal = call.args[0].value
        if call.func.value != "ImportError" or not isinstance(literal, cst.SimpleString):
            continue
        text = literal.evaluated_value
        if (
            isinstance(text, str)
            and any(re.search(rf"\b{re.escape(word)}\b", text) for word in words)
            and "()" not in text
            and "install" in text
        ):
            return source.code(literal)
    return None


def function_label(source: Source, node: cst.CSTNode) -> str | None:
    """How the function around a node is called: `nanmean`, `Dispatcher.run`."""
    parts: list[str] = []
    for around in source.ancestors(node):
        if (isinstance(around, cst.FunctionDef) and not parts) or (isinstance(around, cst.ClassDef) and parts):
            parts.insert(0, around.name.value)
        elif isinstance(around, cst.FunctionDef):
            break
    if parts and parts[-1] == "__init__" and len(parts) > 1:
        parts.pop()
    return ".".join(parts) or None


def insert_check(bench: Bench, use: cst.CSTNode, test: str, root: str) -> None:
    """Before the statement of a use, leave with an ImportError where `test` holds."""
    try:
        statement = statement_of(bench.source, use)
    except Refusal as refusal:
        statement = statement_of(bench.source, use, strict=False)
        bench.draft.unsafe.append(str(refusal))
    insert_check_before(bench, statement, test, root)


def insert_check_before(bench: Bench, statement: Statement, test: str, root: str) -> None:
    """As `insert_check`, before a given statement."""
    source = bench.source
    steps = 2 if isinstance(source.parent(statement), cst.SimpleStatementSuite) else 1
    depth = len(source.indent_at(source.span(statement)[0])) + steps * len(source.unit)
    lines = leave_lines(bench, statement, root, depth=depth)
    body = "\n".join(f"{bench.source.unit}{line}" for line in lines.split("\n"))
    tail = "\n" if isinstance(statement, (cst.FunctionDef, cst.ClassDef)) else ""
    bench.draft.insert_before(bench.source, statement, f"if {test}:\n{body}{tail}")


def statement_of(source: Source, use: cst.CSTNode, *, strict: bool = True) -> Statement:
    """The statement before which a check of a use belongs.

    Raises:
        Refusal: where the use is reached only sometimes within its statement, and that matters (`strict`).
    """
    inner: cst.CSTNode = use
    for around in source.ancestors(use):
        if strict and isinstance(around, _CONDITIONAL) and not _comes_first(around, inner):
            raise Refusal("it is used within an expression that is evaluated only sometimes")
        if isinstance(around, cst.BaseSmallStatement):
            return around
        if isinstance(around, cst.If) and _is_elif(source, around):
            if strict:
                raise Refusal("it is used in the test of a branch that is reached only sometimes")
            inner = around
            continue
        if isinstance(around, cst.BaseCompoundStatement):
            return around
        inner = around
    raise Refusal("the statement was not found again")


def _comes_first(around: cst.CSTNode, inner: cst.CSTNode) -> bool:
    """The part of the expression that is always evaluated."""
    if isinstance(around, cst.BooleanOperation):
        return inner is around.left
    if isinstance(around, cst.IfExp):
        return inner is around.test
    if isinstance(around, (cst.GeneratorExp, cst.ListComp, cst.SetComp, cst.DictComp)):
        return False
    return False


def _is_elif(source: Source, node: cst.If) -> bool:
    parent = source.parent(node)
    return isinstance(parent, cst.If) and parent.orelse is node


def insert_checks(bench: Bench, calls: list[NameUse], root: str, flag: str | None) -> None:
    """One check before the first use in each block, none where an outer block has had one before.

    Raises:
        Refusal: where there are too many, or a use stands in no function that could be left.
    """
    source = bench.source
    first: dict[cst.CSTNode, tuple[Statement, NameUse]] = {}
    for use in calls:
        if source.enclosing(use.node, cst.FunctionDef) is None:
            line = source.line_of(source.span(use.node)[0])
            raise Refusal(f"`{use.node.value}` is used in a lambda outside of functions, in line {line}")
        statement = statement_of(source, use.node, strict=False)
        block, _ = next(iter(block_chain(source, statement)))
        if block not in first or source.span(statement)[0] < source.span(first[block][0])[0]:
            first[block] = statement, use
    checks = [one for one in first.values() if not _is_covered(source, one[0], first)]
    for statement, use in checks:
        test = f"not {flag}" if flag is not None else absent(bench, use.node.value)
        insert_check_before(bench, statement, test, root)
    if len(checks) > _MOST_CHECKS:
        raise Refusal(f"the module needs `{root}` in {len(checks)} places: import it where that is wanted instead")


def _is_covered(source: Source, statement: Statement, first: Mapping[cst.CSTNode, tuple[Statement, NameUse]]) -> bool:
    """A block further out has its check before it comes to the statement."""
    _, *outer = block_chain(source, statement)
    return any(block in first and source.span(first[block][0])[0] <= source.span(inner)[0] for block, inner in outer)


def block_chain(source: Source, statement: Statement) -> Iterable[tuple[cst.CSTNode, Statement | cst.CSTNode]]:
    """From a statement outward: each block, and the statement in it on the way."""
    inner: cst.CSTNode = statement
    for around in source.ancestors(statement):
        if isinstance(around, (cst.IndentedBlock, cst.SimpleStatementSuite, cst.Module)):
            yield around, inner
        if isinstance(around, (cst.FunctionDef, cst.Lambda)):
            return
        inner = around
