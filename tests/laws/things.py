"""Statements for random programs that make things of every kind, and use them in every way."""

from __future__ import annotations

from typing import Any

Lines = list[str]


def called(writer: Any, scope: Any) -> Lines:
    """Methods by instance and by class, functions with attributes, arguments that are unpacked."""
    name, flag, function = writer.name("C"), writer.bind(scope, writer.one(writer.flags)), writer.name("f")
    value = writer.one(["1", "None", writer.probe(), "self.kind", "len(given)", "given"])
    lines = [
        f"class {name}:", "    kind = 'k'", f"    def method(self, *given): return {value}", "    @classmethod",
        "    def made(cls): return cls.kind", "    @staticmethod", "    def plain(x=3): return x",
        f"def {function}(a, b=2, *rest, c=None): return {writer.one(['a', 'b', 'c', 'rest', 'a is c', 'rest == ()'])}",
        f"{function}.known = {writer.one(['True', 'None', 'False'])}",
    ]  # fmt: skip
    got = writer.one([
        f"{name}().method()", f"{name}().method(1, 2)", f"{name}.method({name}())", f"{name}().made()", f"{name}().plain()",
        f"{name}().__class__.kind", f"{name}().method(*(1, 2))", f"{function}(*(1, 2, 3))", f"{function}(1, c=4)", f"{function}(1)",
        f"{function}.known", f"{function}.unknown", f"(lambda *a: a)({name}.kind)[0]", f"{name}().nothing", f"{name}(1).kind",
        f"({function} if find_spec('gone') else {name}.plain)(5)", f"{function}(**{{'a': 7}}) and 1",
    ])  # fmt: skip
    return [*lines, f"{flag} = {got}"]


def patterned(writer: Any, scope: Any) -> Lines:
    """Patterns that are not decided, with names and guards."""
    name, flag, taken = writer.name("s"), writer.bind(scope, writer.one(writer.flags)), writer.name("p")
    subject = writer.one(["1", "None", "(1, 2)", "'x'", "find_spec('gone')", "[]", "{}"])
    case = writer.one([
        f"case {taken}:", f"case {taken} if {writer.one(['F0', 'True', 'False', writer.probe()])}:", f"case [{taken}, _]:",
        "case str():", "case (1, 2) | None:", "case {}:", f"case 1 as {taken}:", "case int() | None:",
    ])  # fmt: skip
    lines = [f"{name} = {subject}", f"match {name}:", f"    {case}", f"        {writer.name('v')} = 1"]
    ends = ["case " + taken, "if"]
    more = [] if case.startswith(ends[0]) and ends[1] not in case else ["    case None:", f"        {flag} = 2"]
    return [*lines, *more]


def collected(writer: Any, scope: Any) -> Lines:
    """Collections that change, and comprehensions that leave out."""
    name, flag = writer.name("L"), writer.bind(scope, writer.one(writer.flags))
    roots = tuple(writer.root() for _ in range(writer.number(1, 3)))
    made, changed, got = writer.one([
        ("[1]", ["extend([2, 3])", "extend((x for x in (2,)))", "append(4)", "insert(0, 5)", "pop()", "clear()"],
         ["[0]", "[-1]", " == [1, 2, 3]", "[5]"]),
        ("{1}", ["add(2)", "update({3})", "discard(1)"], [" == {1, 2}", " is None"]),
        ("{'a': 1}", ["update(b=2)", "update({'b': 2})", "setdefault('c', 3)", "pop('a')", "update([('d', 4)])", "clear()"],
         ["['a']", ".get('b')", ".get('z')", " == {'a': 1, 'b': 2}", ".values() == []", "['z']"]),
        ("[*(1, 2), 3]", ["append(4)"], ["[2]", "[3]", "[1:][0]"]),
        (f"[n for n in {roots!r} if n != 'gone']", ["append('x')"], [" == []", "[0]"]),
        (f"{{n: 1 for n in {roots!r} if find_spec(n)}}", ["update(b=2)"], [".get('here')", " == {}", "['lost']"]),
        ("dict(a=1, **{'b': 2})", ["update(c=3)"], ["['b']", "['d']"]),
    ])  # fmt: skip
    lines = [f"{name} = {made}", f"{name}.{writer.one(changed)}"]
    if writer.chance(0.3):
        function = writer.name("f")
        lines = [f"{name} = {made}", f"def {function}():", f"    {name}.{writer.one(changed)}", f"{function}()"]
    return [*lines, f"{flag} = {name}{writer.one(got)}"]


def made(writer: Any, scope: Any) -> Lines:
    """Classes that are made, or make their instances, in their own way."""
    name, meta, flag = writer.name("C"), writer.name("M"), writer.bind(scope, writer.one(writer.flags))
    kind = writer.number(0, 5)
    value = writer.one(["1", "None", "False", writer.probe()])
    if kind == 0:
        return [
            f"class {meta}(type):", f"    def __call__(cls, *given): return {value}", f"class {name}(metaclass={meta}):",
            "    kind = 2", f"{flag} = {writer.one([f'{name}()', f'{name}.kind', f'{name}(1)'])}",
        ]  # fmt: skip
    if kind == 1:
        return [
            f"class {name}:", "    kind = 3",
            f"    def __new__(cls, *given): return {writer.one([value, 'object.__new__(cls)', 'super().__new__(cls)'])}",
            f"{flag} = {writer.one([f'{name}()', f'{name}(1) is None', f'{name}().kind'])}",
        ]  # fmt: skip
    if kind == 2:
        return [
            f"def {meta}(c):", f"    c.kind = {value}", f"    return {writer.one(['c', 'c', 'None'])}", f"@{meta}", f"class {name}: pass",
            f"{flag} = {writer.one([f'{name}.kind', f'{name}().kind', f'{name} is None'])}",
        ]  # fmt: skip
    if kind == 3:
        return [
            f"class {name}: pass", f"{name}.kind = {value}", f"{name}.__doc__ = 'x'",
            f"{flag} = {writer.one([f'{name}.kind', f'{name}().kind', f'{name}.other'])}",
        ]  # fmt: skip
    if kind == 4:
        return [
            f"class {name}:", f"    def __init__(self, x={value}):", "        self.x = x", "    def __call__(self, y=None): return self.x",
            f"{meta} = {name}()", f"{meta}.z = {value}",
            f"{flag} = {writer.one([f'{meta}.x', f'{meta}()', f'{meta}.z', f'{meta}.nothing', f'{name}(5)()', f'{name}(x=6).x'])}",
        ]  # fmt: skip
    return [
        f"class {name}(Trouble): kind = {value}",
        f"{flag} = {writer.one([f'{name}.kind', f'{name}(1).args == (1,)', f'{name}.x'])}",
    ]


def chosen(writer: Any, scope: Any) -> Lines:
    """One of two things, which of them only what is there can tell, used in ways that do not hang on it."""
    name, flag = writer.name("o"), writer.bind(scope, writer.one(writer.flags))
    question = writer.one(["here.is_good()", "any(x for x in here.parts)", "here.HAS_IT"])
    one, other, got = writer.one([
        ("1", "2", ["{} is None", "{} == 3", "bool({})", "{}.attr", "{}()", "3 == {}", "{} in (1, 2)", "not {}"]),
        ("None", "False", ["{}.attr", "not {}", "bool({})", "{} is 1", "{} or 5", "{}()", "{} and 5"]),
        ("(lambda: 1)", "(lambda: 2)", ["{}() is None", "{}() == 3", "bool({})", "{} is None"]),
        ("(1, 2)", "(1, 3)", ["{}[0]", "bool({})", "{} is None", "{}.attr"]),
        ("'a'", "'b'", ["{} == 'c'", "find_spec({} + 'bc') is None", "{}.upper() == 'C'", "len({}) == 2", "import_module({} + 'bc')"]),
    ])  # fmt: skip
    lines = ["import here", writer.one([f"{name} = {one} if {question} else {other}", f"{name} = {one}"])]
    if " if " not in lines[1]:
        lines += [f"if {question}:", f"    {name} = {other}"]
    return [*lines, f"{flag} = {writer.one(got).format(name)}"]


def yielded(writer: Any, scope: Any) -> Lines:
    """Generators, and context managers that are made of them or that are none."""
    name, flag = writer.name("g"), writer.bind(scope, writer.one(writer.flags))
    root = writer.root()
    kind = writer.number(0, 3)
    if kind == 0:
        return [f"def {name}():", f"    import {root}", "    yield 1", f"{flag} = {name}() is None"]
    if kind == 1:
        return [f"async def {name}():", f"    import {root}", f"{writer.name('v')} = 1 if {name} else 2"]
    if kind == 2:
        body = writer.one([["        yield"], ["        yield 3"], ["        import sys", "        yield"]])
        return [
            "@contextmanager", f"def {name}():", "    try:", *body, f"    except {writer.one(['ImportError', 'ValueError'])}:",
            f"        {writer.one(['raise', 'pass', 'raise LookupError', 'raise ImportError'])}", "try:", f"    with {name}():",
            f"        import {root}", "except (ImportError, ValueError, LookupError, RuntimeError):", f"    {flag} = 'left'",
        ]  # fmt: skip
    return [
        f"class {name}:", "    def __enter__(self): return 1",
        f"    def __exit__(self, *given): {writer.one(['raise LookupError', 'return 1', 'return 0', 'return given[0] is ImportError'])}",
        "try:", f"    with {name}() as {writer.name('w')}:", f"        {writer.one([f'import {root}', 'pass', 'raise ImportError'])}",
        f"    {flag} = 'after'", "except (ImportError, LookupError):", f"    {flag} = 'left'",
    ]  # fmt: skip


def of_python(writer: Any, scope: Any) -> Lines:
    """What Python itself gives, by names that a program can bind, too."""
    flag = writer.bind(scope, writer.one(writer.flags))
    value = writer.one([
        "__debug__", "__name__ == 'top'", "here.__name__", "sys.nothing", "sys.maxsize > 1", "print is None", "hasattr(sys, 'nothing')",
        "getattr(sys, 'nothing')", "'sys' in vars()", "type(None) is None", "len({}) == 1", "Exception('x').args == ('x',)",
        "sys is None", "sys is sys", "find_spec is None", "Trouble is Trouble", "find_spec('pkg.nothing') is None", "sys == here",
        "None == sys", "0 is None", "isinstance(None, (int, str))", "issubclass(Trouble, Exception)", "TYPE_CHECKING", "(1, 2)[5]",
        "{}['a']", "None['a']", "'abc'[7]", "None.x", "(1).x", "().x", "int('x')", "len(None)",
    ])  # fmt: skip
    return ["import here", f"{flag} = {value}"]


def perhaps_put(writer: Any, scope: Any) -> Lines:
    """Something is put in a missing module's place, perhaps."""
    root, name = writer.one(["gone", "lost"]), writer.name("m")
    question = writer.one(["here.is_good()", f"find_spec({writer.root()!r})", "True"])
    return [
        "import here", f"if {question}:", f"    sys.modules[{root!r}] = {writer.one(['sys', 'here'])}",
        "try:", f"    {writer.one([f'import {root}', f'import {root}.part', f'from {root} import path'])}", "except ImportError:",
        f"    {name} = None",
    ]  # fmt: skip


THINGS = (
    (0.7, called), (0.4, patterned), (0.6, collected), (0.6, made), (0.6, chosen), (0.5, yielded), (0.6, of_python),
    (0.2, perhaps_put),
)  # fmt: skip
"""How often each is drawn, beside the plain statements."""
