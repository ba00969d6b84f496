"""Every fixture of a fix in other shapes: deeper, on fewer lines, decorated, commented, with tabs and form feeds.

What comes of it parses, stays, brings nothing, and is, byte for byte, `after` in that shape or what `shapes.diff` of the
case says; `python tests/fixers/test_shapes.py` writes these files anew, to be read before they are kept.
"""

from __future__ import annotations

import ast
import difflib
import io
import re
import shutil
import tempfile
import tokenize
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import libcst as cst
import pytest

from optdep_lint.config import Config
from optdep_lint.discovery import discover
from optdep_lint.engine import check, look
from optdep_lint.fixers.passes import Outcome, Passes

FIXES = Path(__file__).parents[2] / "fixtures" / "fixes"
CASES = sorted(path.parent.relative_to(FIXES).as_posix() for path in FIXES.glob("*/*/before"))


def two_spaces(text: str) -> str:
    return re.sub(r"(?m)^(?: {4})+", lambda match: "  " * (len(match[0]) // 4), text)


def nested(text: str) -> str:
    """The whole module, but for its docstring and its `__future__`, in a block."""
    module = cst.parse_module(text)
    head = [line for line in module.body if _is_head(line)]
    rest = [line for line in module.body if not _is_head(line)]
    if not rest:
        return text
    block = cst.If(cst.Name("__debug__"), cst.IndentedBlock(rest))
    return module.with_changes(body=[*head, block]).code


def semicolons(text: str) -> str:
    """Simple statements that follow each other share a line."""
    return cst.parse_module(text).visit(_Joiner()).code


def one_line(text: str) -> str:
    """A block of one simple statement stands behind its colon."""
    return cst.parse_module(text).visit(_Shortener()).code


def decorated(text: str) -> str:
    """Every function and class has one decorator more, over its others."""
    return cst.parse_module(text).visit(_Decorator()).code


def tabs(text: str) -> str:
    return re.sub(r"(?m)^(?: {4})+", lambda match: "\t" * (len(match[0]) // 4), text)


def form_feeds(text: str) -> str:
    """A page for each definition that stands behind blank lines."""
    return re.sub(r"\n\n(?=(?:class|def|@) ?\w)", "\n\n\x0c", text)


def commented(text: str) -> str:
    """A comment behind each logical line, and one above where a statement begins."""
    places, start = [], None
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type in SKIPPED:
            continue
        start = start or token.start[0]
        if token.type == tokenize.NEWLINE:
            places.append((start, token.start[0]))
            start = None
    lines = text.splitlines(keepends=True)
    for number, (first, last) in reversed(list(enumerate(places))):
        if "#" not in lines[last - 1] and "__future__" not in lines[last - 1]:
            lines[last - 1] = lines[last - 1].rstrip("\n") + f"  # behind {number}\n"
        begins = lines[first - 1]
        if first > 1 and not begins.lstrip().startswith(('"""', "else", "except", "elif", "finally")):
            lines.insert(first - 1, f"{begins[: len(begins) - len(begins.lstrip())]}# above {number}\n")
    return "".join(lines)


def _is_head(line: cst.CSTNode) -> bool:
    first = line.body[0] if isinstance(line, cst.SimpleStatementLine) else None
    if isinstance(first, cst.Expr):
        return isinstance(first.value, cst.SimpleString)
    return (
        isinstance(first, cst.ImportFrom) and isinstance(first.module, cst.Name) and first.module.value == "__future__"
    )


def _is_joinable(line: cst.CSTNode) -> bool:
    return (
        isinstance(line, cst.SimpleStatementLine)
        and not _is_head(line)
        and line.trailing_whitespace.comment is None
        and not any(one.comment for one in line.leading_lines)
    )


class _Joiner(cst.CSTTransformer):
    def _joined(self, body: Sequence[Any]) -> list[Any]:
        result: list[Any] = []
        for line in body:
            if result and _is_joinable(line) and _is_joinable(result[-1]):
                last = (
                    result[-1]
                    .body[-1]
                    .with_changes(semicolon=cst.Semicolon(whitespace_after=cst.SimpleWhitespace(" ")))
                )
                result[-1] = result[-1].with_changes(body=[*result[-1].body[:-1], last, *line.body])
            else:
                result.append(line)
        return result

    def leave_Module(  # noqa: N802
        self, original_node: cst.Module, updated_node: cst.Module
    ) -> cst.Module:
        return updated_node.with_changes(body=self._joined(updated_node.body))

    def leave_IndentedBlock(  # noqa: N802
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.BaseSuite:
        return updated_node.with_changes(body=self._joined(updated_node.body))


class _Shortener(cst.CSTTransformer):
    def leave_IndentedBlock(  # noqa: N802
        self, original_node: cst.IndentedBlock, updated_node: cst.IndentedBlock
    ) -> cst.BaseSuite:
        (first, *others) = updated_node.body
        if (
            others
            or not _is_joinable(first)
            or updated_node.header.comment
            or "\n" in cst.Module([]).code_for_node(first).strip()
        ):
            return updated_node
        return cst.SimpleStatementSuite(first.body)


class _Decorator(cst.CSTTransformer):
    def leave_FunctionDef(  # noqa: N802
        self, original_node: cst.FunctionDef, updated_node: cst.FunctionDef
    ) -> cst.FunctionDef:
        return self._decorate(updated_node)

    def leave_ClassDef(  # noqa: N802
        self, original_node: cst.ClassDef, updated_node: cst.ClassDef
    ) -> cst.ClassDef:
        return self._decorate(updated_node)

    def _decorate(self, node: Any) -> Any:
        same = cst.Decorator(cst.parse_expression("(lambda thing: thing)"))
        return node.with_changes(decorators=[same, *node.decorators])


SKIPPED = (tokenize.NL, tokenize.COMMENT, tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER)
SHAPES = (two_spaces, nested, semicolons, one_line, decorated, commented, tabs, form_feeds)
LEFT = {
    *((shape.__name__, "opd101/needed_at_import") for shape in SHAPES if shape is not nested),
    *(
        ("nested", case)
        for case in (
            "opd301/all_below",
            "opd301/elsewhere",
            "opd301/family",
            "opd301/try_else",
            "opd301/in_place",
        )
    ),
    ("semicolons", "opd405/rest"),
    ("nested", "opd407/own_source"),
}
"""Refused, with the reason: operations are moved at the top of a file alone, imports that share a line in a `try` stay, and a guard is
not put round what another module reads without one."""
WRITTEN_ANEW = {"opd403/early", "opd502/fallback", "typed/package"}
"""The fix takes statements out, or writes them in another form."""
PARTLY = {"typed/package"}


@pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.__name__)
@pytest.mark.parametrize("case", CASES)
def test_shape(tmp_path: Path, case: str, shape: Callable[[str], str], repair: Callable[..., Any]) -> None:
    root = shaped(case, shape, tmp_path)
    before = {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*.py")}
    found = findings(root)
    outcome = repair(root)
    assert difference(root, case, shape, before) == expected(case, shape)
    if (shape.__name__, case) not in LEFT:
        assert outcome.applied
    if (shape.__name__, case) not in LEFT and case not in PARTLY:
        assert not outcome.refused
    for path, content in outcome.contents.items():
        ast.parse(content, path)
    assert not findings(root) - found
    assert not repair(root).contents
    for path, content in before.items():
        assert _replayed(path, content, outcome.passes) == (root / path).read_bytes()


@pytest.mark.parametrize("case", CASES)
def test_comments_survive(tmp_path: Path, case: str, repair: Callable[..., Any]) -> None:
    """They stay with their code: all are still there, once."""
    root = Path(shutil.copytree(FIXES / case / "before", tmp_path / "project"))
    written = {path: commented(path.read_text()) for path in root.rglob("*.py")}
    for path, text in written.items():
        path.write_text(text)
    outcome = repair(root)
    for path in outcome.contents:
        text = (root / path).read_text()
        ast.parse(text)
        if case not in WRITTEN_ANEW:
            comments = re.findall(r"# (?:above|behind) \d+\b", text)
            assert sorted(comments) == sorted(re.findall(r"# (?:above|behind) \d+\b", written[root / path]))
    assert not repair(root).contents


def shaped(case: str, shape: Callable[[str], str], folder: Path) -> Path:
    """The fixture in a shape."""
    root = Path(shutil.copytree(FIXES / case / "before", folder / "project"))
    for path in root.rglob("*.py"):
        path.write_text(shape(path.read_text()))
    return root


def difference(root: Path, case: str, shape: Callable[[str], str], before: dict[str, bytes]) -> str:
    """What the fix has changed, as a diff; empty where it is what it makes of the fixture, in that shape."""
    after = {path: (root / path).read_bytes().decode() for path in sorted(before)}
    if all(text == shape((FIXES / case / "after" / path).read_text()) for path, text in after.items()):
        return ""
    pairs = ((path, before[path].decode().split("\n"), text.split("\n")) for path, text in after.items())
    diffs = (difflib.unified_diff(old, new, path, path, n=1, lineterm="") for path, old, new in pairs)
    return "".join(f"{line}\n" for diff in diffs for line in diff)


def expected(case: str, shape: Callable[[str], str]) -> str:
    """The diff that the case's file has for a shape."""
    path = FIXES / case / "shapes.diff"
    sections = re.split(r"(?m)^=== (\w+)\n", path.read_bytes().decode()) if path.exists() else [""]
    return dict(zip(sections[1::2], sections[2::2], strict=True)).get(shape.__name__, "")


def findings(root: Path) -> Counter[tuple[str, str, str | None]]:
    """What is wrong, whatever lines have moved."""
    config = replace(Config(), select=("OPD",))
    return Counter((one.code, one.path, one.absent) for one in check(discover([root], config), config).findings)


def _replayed(path: str, content: bytes, passes: list[Any]) -> bytes:
    """A file with the edits of each pass put in, from the last to the first, and nothing else."""
    for of_pass in passes:
        edits = dict.fromkeys(edit for one in of_pass for edit in one.fix.edits if edit.path == path)
        pieces, position = [], 0
        for edit in sorted(edits, key=lambda edit: (edit.start, edit.end)):
            pieces += [content[position : edit.start], edit.content.encode()]
            position = edit.end
        content = b"".join((*pieces, content[position:]))
    return content


def _repair(root: Path) -> Outcome:
    (project,) = discover([root], Config())
    outcome = Passes(look(project, Config()), Config(), fixable=None, unsafe=True).run()
    for path, content in outcome.contents.items():
        (root / path).write_bytes(content)
    return outcome


def _write(case: str) -> None:
    """Write what the fixes of today make of a case in each shape, where that has to be told."""
    sections = []
    for shape in SHAPES:
        with tempfile.TemporaryDirectory() as folder:
            root = shaped(case, shape, Path(folder))
            before = {path.relative_to(root).as_posix(): path.read_bytes() for path in root.rglob("*.py")}
            _repair(root)
            text = difference(root, case, shape, before)
        if text:
            sections.append(f"=== {shape.__name__}\n{text}")
    path = FIXES / case / "shapes.diff"
    path.unlink(missing_ok=True)
    if sections:
        path.write_bytes("".join(sections).encode())


if __name__ == "__main__":
    for each in CASES:
        _write(each)
