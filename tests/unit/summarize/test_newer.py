"""Syntax that is newer than the running Python gives the facts that a newer Python gives."""

import ast
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from optdep_lint.facts import syntax as facts
from optdep_lint.facts.position import span_of
from optdep_lint.summarize import summarize
from optdep_lint.summarize.newer import NotNewer, parse_newer
from optdep_lint.summarize.parse import Columns, Unreadable, parse
from optdep_lint.summarize.statements import summarize_tree

ROOT = Path(__file__).parents[3]


def newer(source):
    """The statements of a source text, by way of libcst."""
    return summarize_tree(parse_newer(source.encode()), Columns(None if source.isascii() else source)).body


def refused(source):
    with pytest.raises(NotNewer) as caught:
        parse_newer(source.encode() if isinstance(source, str) else source)
    return caught.value.line, caught.value.column, caught.value.message


def test_type_parameters():
    function, class_ = newer("def f[T: int = str, *Ts = *x, **P = [a]](a: T): pass\nclass A[T, *Ts](B): pass\n")
    assert isinstance(function, facts.Function)
    assert function.generic
    assert isinstance(class_, facts.Class)
    assert class_.generic == ("T", "Ts")


def test_functions_and_classes_without_type_parameters():
    function, class_ = newer("def f(): pass\nclass A: pass\n")
    assert not function.generic
    assert class_.generic == ()


def test_type_alias():
    first, second = newer("type X[T] = (list[T]);type Y = int ;\n")
    assert isinstance(first, facts.AliasStatement)
    assert (first.name, tuple(span_of(first.at))) == ("X", (1, 1, 1, 22))
    assert (second.name, tuple(span_of(second.at))) == ("Y", (1, 23, 1, 35))


def test_type_and_lazy_as_names():
    assert [type(node) for node in newer("type = lazy\nlazy(type)\n")] == [facts.Assign, facts.Evaluate]


def test_except_star():
    (node,) = newer("try:\n    a\nexcept* (A, B) as e:\n    b\nexcept* C:\n    c\n")
    assert isinstance(node, facts.Try)
    assert node.star
    assert [handler.name for handler in node.handlers] == ["e", None]


@pytest.mark.parametrize("star", ["", "*"])
def test_except_without_parentheses(star):
    bare, written = (newer(f"try:\n    a\nexcept{star} {types}:\n    b\n")[0] for types in ("A, B", "(A, B)"))
    assert bare.star == bool(star)
    assert [part.id for part in bare.handlers[0].type.elements] == ["A", "B"]
    assert bare.handlers[0].body[0].value.id == written.handlers[0].body[0].value.id


def test_f_string_of_any_depth():
    (node,) = newer("x = f'{a['b']}{f'{c}\\n'}' 'é' f'é{d=}'\n")
    subscript, inner, text, value = node.value.parts
    assert (subscript.value.id, subscript.index.value) == ("a", "b")
    assert tuple(span_of(subscript.at)) == (1, 8, 1, 14)
    assert [getattr(part, "id", None) or part.value for part in inner.parts] == ["c", "\n"]
    assert text == facts.Constant("ééd=")
    assert value == facts.Opaque((facts.Name("d", value.parts[0].at),))
    assert tuple(span_of(value.parts[0].at)) == (1, 35, 1, 36)


def test_t_string():
    (node,) = newer("x = t'a{b!r:{c}}{d}'\n")
    assert isinstance(node.value, facts.Opaque)
    assert "id='b'" in repr(node)
    assert "id='c'" in repr(node)
    assert "id='d'" in repr(node)


def test_lazy_imports():
    first, second, third = newer("lazy import a.b as c, d\nlazy from ..a import (b as c, d,)\nimport e\n")
    assert first == facts.Import((facts.Alias("a.b", "c"), facts.Alias("d", None)), True, first.at)
    assert second == facts.ImportFrom("a", 2, (facts.Alias("b", "c"), facts.Alias("d", None)), True, second.at)
    assert tuple(span_of(second.at)) == (2, 1, 2, 34)
    assert not third.lazy


@pytest.mark.parametrize("head", ["with a", "if a", "while a", "for a in b", "with a:\n  if b"])
def test_lazy_import_where_it_may_stand(head):
    assert "lazy=True" in repr(newer(f"{head}:\n    lazy import x\n"))


@pytest.mark.parametrize(
    ("source", "line", "column", "message"),
    [
        ("def f():\n    lazy import a\n", 2, 5, "lazy import not allowed inside functions"),
        ("class A:\n  if x:\n    lazy import a\n", 3, 5, "lazy import not allowed inside classes"),
        ("try:\n    lazy import a\nfinally:\n    pass\n", 2, 5, "lazy import not allowed inside try/except blocks"),
        (
            "try:\n    a\nexcept A:\n    b; lazy from a import b\n", 4, 8,
            "lazy from ... import not allowed inside try/except blocks",
        ),
        ("try:\n    a\nexcept A:\n    b\nelse: lazy import a\n", 5, 7, "lazy import not allowed inside try/except blocks"),
        ("lazy from a import *\n", 1, 1, "lazy from ... import * is not allowed"),
        ("lazy from __future__ import annotations\n", 1, 1, "lazy from __future__ import is not allowed"),
        ("t'a' 'b'\n", 1, 1, "cannot mix t-string literals with string or bytes literals"),
    ],
)  # fmt: skip
def test_what_the_grammar_admits_and_python_does_not(source, line, column, message):
    assert refused(source) == (line, column, message)
    fault = summarize(source.encode()).fault
    assert fault is not None
    assert tuple(fault) == (line, column, message)


def test_lazy_import_after_what_forbids_it():
    assert newer("def f():\n    pass\ntry:\n    a\nexcept A:\n    b\nlazy import c\n")[-1].lazy


def test_unpacking_in_comprehensions():
    listed, generated, mapped = newer("[*a for a in b]\nf(*a for a in b)\n{**a for a in b}\n")
    assert isinstance(listed.value.element, facts.Starred)
    assert isinstance(generated.value.arguments[0].element, facts.Starred)
    assert mapped.value.kind == "dict"
    assert mapped.value.key is None


@pytest.mark.parametrize(
    ("source", "place"),
    [
        ("x = 1\nclass A[T]: pass\ny = = 2\n", (3, 5)),
        ("x = 1\ndef f[T](:\n    pass\n", (2, 10)),
        ("type X = int\nif a:\npass\n", (3, 1)),
        ("type X = int\nprint 'é', x\n", (2, 7)),
        ("type X = int\nx = '\\x'\n", (2, 5)),
        ("type X = int\nx = b'\xe9'\n", (2, 5)),
        ("type X = int\nx = f'{a}\\x'\n", (2, 10)),
    ],
)
def test_a_true_error_after_newer_syntax_is_told_at_its_place(source, place):
    assert refused(source)[:2] == place
    with pytest.raises(Unreadable) as caught:
        parse(source.encode())
    assert caught.value.line == place[0]


@pytest.mark.parametrize(
    "source",
    [
        b"x = (\n", b"\x00", b"a = $\n", b"# coding: nonsense\n", b"\xff\xfex\x00", b"\n\n# coding: latin-1\n\xe9 = 1\n",
        b"'''", b"'a' b'b'\n", b"try: a\nexcept: b\nexcept A: c\n", b"a <> b\n", b"print 'x'\n", b"\xe9 = 1\n", b"type X = int\nx = 0777\n", b"t'a' t'b'\n",  # the last is libcst's own error
    ],
)  # fmt: skip
def test_what_nobody_reads(source):
    refused(source)


def test_the_running_pythons_message_where_it_read_as_far():
    with pytest.raises(Unreadable, match="was never closed"):
        parse(b"x = (\ny = 1\n")


@pytest.mark.parametrize("depth", [400, 999, 1001, 100_000])
def test_deep_nesting_is_a_recursion_error(depth):
    with pytest.raises(RecursionError):
        parse_newer(b"type X = " + b"[" * depth + b"]" * depth + b"\n")


def test_brackets_that_close_do_not_nest():
    assert len(newer("f()\n" * 2000)) == 2000


@pytest.mark.parametrize(
    "source",
    [
        b"\xef\xbb\xbfx = y\n", b"# coding: latin-1\n\xe9 = '\xe9', y\n", "é = f(ü, 'ö')  # ä\nx\n".encode(),
        b"if a:\r\n    b\r\n\r\nc\r\n", b"import a\n\x0cimport b\n\x0c\n", b"if x:\n\x0c    y\n    z\n", b"x", b"", b"a\rb\rc",
        "ﬁ = º.ﬁ\n".encode(), b"a = \\\n  b\n", b"(a)\n(((b, c)))\n(d for e in f)\n", b"f (x for x in y)\n",
        b"if a: b;\nelse: c ;\nx\n", b"@a\n@(b)\nasync def f(a, /, b=1, *c, d, e=2, **g) -> h: await (i)\n",
        b"a[1:2, ::3, (x):(y), ...]\na[(b)], a[b,], a[c, : ], a[ : ]\n", b"del (a), b, (c, d)\ndel e,\n", b"x: int\nx: int = 1\nx.y: int\n",
        b"def f():\n    global a, b\n    x = yield\n    yield from a\n    return *b, c\n", b"a < b is not c not in d\n",
        b"a and b and (c and d) or not e\n-1 + +2 ** ~3\n", b"lambda *, a=1: a\nlambda: (yield)\n", b"0xFF, 1_0, 1e3, 2j, 0o7\n",
        b"from . import a\nfrom .. b.c import d\nfrom ... import e\nfrom .... f import *\nimport a . b\n",
        b"with a as (b, c), d: pass\nwith (a, b): pass\nwith (a, b) as c: pass\nwith (yield_): pass\n",
        b"for x, in y: break\nelse: pass\nwhile (a): continue\n", b"raise\nraise A from b\nassert (a), b\n", b"'a' \"b\"\nu'a' 'b'\nb'a'\n",
        b"{**a, 'b': c}\n{a, *b}\n{a: b for c in d if e if f for g in h}\n", b"if a: b\nelif c: d\nelif e: f\nelse: g\n",
        (b"match a, b:\n  case 1, *_: a\n  case (x): b\n  case {'k': -1, **r}: c\n  case A.B(c, d=2 + 1j): d\n"
        b"  case None | 'x' | A.b: e\n  case (a, b) as c if d: f\n  case [a,] | (): g\n  case {}: h\n  case _: i\n"),
        b"x = f'a{b!r:>{c}d}{{}}' 'd' rf'\\{e}'\n", b"f'''\n{a}\\\n{b:\\x41}\"{c}'''\n",
    ],
)  # fmt: skip
def test_the_tree_is_the_running_pythons(source):
    """Node for node and place for place, save the places in f-strings, which tell less before 3.12."""
    trees = [ast.parse(source), parse_newer(source)]
    for tree in trees:
        for string in (node for node in ast.walk(tree) if isinstance(node, ast.JoinedStr)):
            for node in ast.walk(string):
                for field in ("lineno", "col_offset", "end_lineno", "end_col_offset"):
                    setattr(node, field, 0)
    theirs, ours = (ast.dump(tree, include_attributes=True, indent=1) for tree in trees)
    assert ours == theirs


NEWER = """
class A[T: int, *Ts, **P](B[T], k=1):
    def f[U](self, x: U) -> T: yield 1
type X[T] = list[T]; type Y = (int) ;
try: a
except* (A, B) as e: b
finally: c
x = f'{a['b']}{c!r:>{w}}' 'é' f'é{z}{  q = }{q=:3}{q=!s}\\n{{}}'; y
f'''é
{
  a.b  # c
}'''; f"{x:{y}{z:>{1}}}{(lambda x: 1)}" u'b' rf'\\d{x}\\{y}' f'\\N{EN DASH}' f"{'\\n'.join(a)}"
a[*b]; a[*b, c]
def f(*args: *Ts): f'{f'{f'{x}'}'}'
async def g[T](): return [x async for x in y if await f"{z["w"]}"]
""".lstrip()


def _pythons():
    """Other Pythons at hand that are new enough for NEWER."""
    found = [shutil.which(f"python3.{minor}") for minor in range(12, 16)]
    found += map(str, sorted(Path(os.path.expanduser("~/.pyenv/versions")).glob("3.1[2-9]*/bin/python")))
    return [python for python in found if python]


@pytest.mark.skipif(not _pythons(), reason="no Python 3.12 or later is at hand")
def test_the_facts_are_those_of_a_newer_python():
    script = (
        "import ast, sys; from optdep_lint.summarize.statements import *; source = sys.stdin.buffer.read();"
        "summary = summarize_tree(ast.parse(source), Columns(source.decode()));"
        "print(ascii((summary.body, summary.bodies)))"
    )
    summary = summarize_tree(parse_newer(NEWER.encode()), Columns(NEWER))
    asked = 0
    for python in _pythons():
        told = subprocess.run(
            [python, "-W", "ignore", "-c", script], input=NEWER.encode(), capture_output=True, check=False,
            env={"PYTHONPATH": str(ROOT)},
        )  # fmt: skip
        if told.returncode == 0:
            asked += 1
            assert told.stdout.decode().strip() == ascii((summary.body, summary.bodies))
    if not asked:
        pytest.skip("no other Python runs here")
