"""Further statements for random programs: each is a small idiom whose parts are drawn."""

from __future__ import annotations

from typing import Any

Lines = list[str]


def unpack(writer: Any, scope: Any) -> Lines:
    first, rest = writer.name("a"), writer.name("r")
    if writer.chance(0.5):
        return [
            f"{first}, *{rest} = {writer.one(['(1, 2, 3)', '(None,)', 'find_spec, 1', '[1, 2]'])}",
            writer.see(scope, first),
        ]
    return [f"{first}, {rest} = {writer.expression(scope)}, {writer.expression(scope)}", writer.see(scope, rest)]


def table(writer: Any, scope: Any) -> Lines:
    name = writer.name("T")
    lines = [f"{name} = {{'a': {writer.expression(scope)}, 'b': None, **{{'c': 1}}}}"]
    lines.append(writer.one([
        f"{name}['d'] = 2", f"{name}.update({{'d': 2}})", "pass",
        f"for k, v in {name}.items():\n    {writer.name('v')} = k, v",
    ]))  # fmt: skip
    got = writer.one([
        f"{name}['a']", f"{name}.get('b')", f"{name}.get('z', 1)", f"len({name})", f"'c' in {name}",
        f"list({name}.keys())", f"sorted({name})[0]",
    ])  # fmt: skip
    return [*lines, f"{writer.bind(scope, writer.one(writer.flags))} = {got}"]


def filled_by_function(writer: Any, scope: Any) -> Lines:
    name, function = writer.name("K"), writer.name("f")
    root = writer.root()
    return [
        f"{name} = {{}}", f"def {function}(n):", f"    if n not in {name}:",
        f"        {name}[n] = find_spec(n) is not None", f"    return {name}[n]",
        f"{writer.bind(scope, writer.one(writer.flags))} = {function}({root!r})",
    ]  # fmt: skip


def counted(writer: Any, scope: Any) -> Lines:
    function, inner, name = writer.name("f"), writer.name("i"), writer.name("c")
    return [
        f"def {function}():", f"    {name} = {writer.one(['0', 'None', 'False'])}", f"    def {inner}():",
        f"        nonlocal {name}", *["    " + line for line in writer.block(writer.inner(scope), 1)],
        f"        {name} = {writer.one(['1', 'True', writer.probe()])}", f"    {inner}()", f"    return {name}",
        f"{writer.bind(scope, writer.one(writer.flags))} = {function}()",
    ]  # fmt: skip


def members(writer: Any, scope: Any) -> Lines:
    base, name, flag = writer.name("B"), writer.name("C"), writer.bind(scope, writer.one(writer.flags))
    value = writer.one(["True", "False", "None", writer.probe()])
    lines = [
        f"class {base}:", f"    kind = {value}", "    def __init__(self, given=None):", "        self.given = given",
        "    @property", "    def known(self): return self.given", "    @staticmethod", f"    def plain(): return {value}",
        "    @classmethod", "    def made(cls): return cls(cls.kind)", f"class {name}({base}):",
        "    def __init__(self, *given):", f"        super().__init__({writer.one(['*given', '1', 'given'])})",
    ]  # fmt: skip
    if writer.chance(0.3):
        lines += [
            "    def __getattr__(self, name):",
            f"        if name == 'hidden': return {value}",
            "        raise AttributeError(name)",
        ]
    if writer.chance(0.3):
        lines += ["    def __call__(self): return self.given"]
    got = writer.one([
        f"{name}.kind", f"{name}.plain()", f"{name}.made().given", f"{name}(2).given", f"{name}({value}).known", f"{name}().hidden",
        f"{name}(1)()", f"{name}.nothing", f"isinstance({name}(), {base})", f"issubclass({name}, {base})", f"{name}.__name__",
        f"hasattr({name}, 'kind')", f"{name}(3).kind",
    ])  # fmt: skip
    return [*lines, f"{flag} = {got}"]


def managed(writer: Any, scope: Any) -> Lines:
    name = writer.name("cm")
    handled = writer.one(["ImportError", "Exception", "ValueError", "(ImportError, NameError)"])
    body = writer.one([
        ["    try:", "        yield", f"    except {handled}:", "        pass"], ["    yield 1"],
        ["    try:", "        yield", "    finally:", "        pass"],
        ["    try:", "        yield", f"    except {handled} as error:", "        raise Trouble('no') from error"],
    ])  # fmt: skip
    return ["@contextmanager", f"def {name}():", *body, f"with {name}():", *writer.block(scope, 2)]


def text(writer: Any, scope: Any) -> Lines:
    name = writer.bind(scope, writer.name("s"))
    value = writer.one([
        "f'{1}-{None}'", "'a.b.c'.split('.')[0]", "'gone'.upper()", "'x' + 'y'", "'-'.join(('a', 'b'))", "str(1)", "repr('x')",
        "'abc'[1:]", "f'{F0}'", "'gone.part'.partition('.')[2]", "'%s' % 'x'", "int('3') + 1", "str(ImportError('no'))",
    ])  # fmt: skip
    if writer.chance(0.2):
        return [f"{writer.name('s')} = {writer.one(['~1', repr(b'x'), '-len(())', '2 ** 3'])}"]
    if writer.chance(0.4):
        root = writer.root()
        return [
            f'{name} = f"{{{root[:2]!r}}}" + {root[2:]!r}',
            f"{writer.bind(scope, writer.one(writer.flags))} = find_spec({name}) is not None",
        ]
    return [f"{name} = {value}"]


def comprehended(writer: Any, scope: Any) -> Lines:
    roots = tuple(writer.root() for _ in range(writer.number(1, 3)))
    flag = writer.bind(scope, writer.one(writer.flags))
    value = writer.one([
        f"[n for n in {roots!r}]", f"len([n for n in {roots!r} if find_spec(n)])", f"tuple(n.upper() for n in {roots!r})[0]",
        f"{{n: find_spec(n) is not None for n in {roots!r}}}", "any(t.__module__ == 'gone' for t in here.parts)",
        "all(x for x in here.parts)", f"[find_spec(n) is None for n in {roots!r}][0]", f"set({roots!r})",
        "any(t.__module__.startswith('lost.') for t in here.parts)", "type(here).__module__ == 'gone'",
        f"{roots[0]!r} in [n for n in {roots!r}]", f"dict(a=1)['a'] == 1 and list({roots!r})[0]", f"max(len(n) for n in {roots!r})",
    ])  # fmt: skip
    return ["import here", f"{flag} = {value}"]


def numbered(writer: Any, scope: Any) -> Lines:
    flag = writer.bind(scope, writer.one(writer.flags))
    value = writer.one([
        "list(range(3))[1]", "list(enumerate(('a', 'b')))[1][0]", "list(zip((1, 2), (3, 4)))[0][1]", "sorted((2, 1))[0]",
        "callable(print)", "callable(None)", "bool(())", "tuple([1, 2])[0]", "type(1) is int", "dict(a=None)['a']",
        "isinstance('x', str)", "isinstance(1, (str, int))", "getattr(sys, 'nothing', None)", "hasattr(sys, 'path')",
        "(1, 2, 3)[slice(1, 3)][0]", "hasattr(None, 'x')", "getattr(None, 'x', 2)", "cast(int, 1)", "len('abc') == 3",
        "1 + 1 == 2", "(1,) + (2,)", "3 // 2", "1 < 2 < 3", "1 < 2 > 5", "not (1 and 0)", "-1", "(lambda: 1)()", "(lambda x=2: x)()",
    ])  # fmt: skip
    return [f"{flag} = {value}"]


def surroundings(writer: Any, scope: Any) -> Lines:
    flag = writer.bind(scope, writer.one(writer.flags))
    value = writer.one([
        "os.environ.get('ACME_GONE')", "os.environ.get('ACME_GONE', 'x')", "os.getenv('ACME_GONE')", "os.environ['ACME_GONE']",
        "'ACME_GONE' in os.environ", "'HOME' in os.environ and False", "platform.system() == 'Windows'", "os.name == 'nt'",
        "platform.python_implementation()", "sys.implementation.name", "sys.maxsize > 0", "len(sys.argv) > 99",
        "platform.python_version_tuple()[0]", "sys.version_info.major", "sys.flags.optimize", "platform.python_version()[0]",
    ])  # fmt: skip
    return ["import os, platform", f"{flag} = {value}"]


def open_question(writer: Any, scope: Any) -> Lines:
    """A question that only what is there can answer; for most programs it makes no difference."""
    kind = writer.number(0, 5)
    flag = writer.one(writer.flags)
    lines = ["import here"]
    if kind == 0:
        return [*lines, "if here.is_good():", f"    {writer.name('o')} = 1", "else:", "    pass"]
    if kind == 1:
        return [*lines, f"{writer.name('o')} = here.is_good() and {writer.one(['F0', '1', writer.probe()])}"]
    if kind == 2:
        return [*lines, f"{writer.name('o')} = 1 if here.HAS_IT else 2"]
    if kind == 3:
        name = writer.name("o")
        return [
            *lines,
            f"{name} = here if here.is_good() else here.part",
            f"{writer.bind(scope, writer.name('o'))} = {name}.attr",
        ]
    if kind == 4:
        name = writer.name("o")
        return [
            *lines,
            f"{name} = 1 if here.is_good() else 2",
            f"{writer.bind(scope, flag)} = bool({name})",
            f"{flag} = {name} == 3",
        ]
    return [
        *lines,
        "for x in here.parts:",
        f"    {writer.name('o')} = x",
        f"while here.HAS_IT:\n    {writer.name('o')} = 1\n    break",
    ]


def of_module(writer: Any, scope: Any) -> Lines:
    target = writer.one(["side", "pkg", "pkg.one"])
    wanted = writer.one([*writer.flags, "missing_name", "Trouble", "__name__", "sub"])
    scope.names.append(target.partition(".")[0])
    name = writer.bind(scope, writer.name("a"))
    kind = writer.number(0, 5)
    if kind == 0:
        return [f"import {target}", f"{name} = hasattr({target}, {wanted!r})"]
    if kind == 1:
        return [f"import {target}", f"{name} = getattr({target}, {wanted!r}, None)"]
    if kind == 2:
        wanted = "F1" if wanted == "__name__" else wanted  # of which the import machinery makes use
        return [
            f"import {target}",
            f"setattr({target}, {wanted!r}, {writer.one(['True', 'None'])})",
            f"{name} = {target}.{wanted}",
        ]
    if kind == 3:
        return [f"import {target}", f"{name} = sys.modules[{target!r}].{wanted}"]
    return [f"import {target}", f"{name} = {target}.{wanted}"]


def of_globals(writer: Any, scope: Any) -> Lines:
    name, flag = writer.name("y"), writer.one(writer.flags)
    lines = [writer.one([
        f"globals()['{name}'] = 1", f"globals().update({{'{name}': None}})", f"{name} = 2", f"globals().update({name}=3)",
    ])]  # fmt: skip
    return [
        *lines,
        f"{writer.bind(scope, flag)} = {writer.one([name, repr(name) + ' in globals()', f'globals().get({name!r})', 'globals().get({!r})'.format('no' + name)])}",
    ]


def distributed(writer: Any, scope: Any) -> Lines:
    flag, target = writer.bind(scope, writer.one(writer.flags)), writer.one(["gone", "lost", "here"])
    lines = ["from importlib.metadata import PackageNotFoundError, version, distribution"]
    if writer.chance(0.3):
        return ["import here", f"{flag} = here.__version__", *lines, "from packaging.version import Version",
                f"{flag} = Version(here.__version__) >= Version({writer.one(['1.0', '2.0', '1.2'])!r})"]  # fmt: skip
    handled = writer.one(["PackageNotFoundError", "ImportError", "ValueError", "ModuleNotFoundError"])
    return [*lines, "try:", f"    {flag} = {writer.one(['version', 'version', 'distribution'])}({target!r})",
            f"except {handled}:", f"    {flag} = {writer.one(['None', 'False'])}"]  # fmt: skip


def decorated_functions(writer: Any, scope: Any) -> Lines:
    name, flag = writer.name("g"), writer.bind(scope, writer.one(writer.flags))
    inner = writer.block(writer.inner(scope), 1)
    scope.functions.append(name)
    kind = writer.number(0, 3)
    if kind == 0:
        return ["import functools", f"@functools.{writer.one(['cache', 'lru_cache', 'lru_cache(maxsize=None)'])}", f"def {name}():",
                *inner, f"    return {writer.one(['1', 'None', writer.probe()])}", f"{flag} = {name}()"]  # fmt: skip
    if kind == 1:
        return [
            "import functools",
            f"def {name}(x=None, y=2):",
            *inner,
            "    return x",
            f"{flag} = functools.partial({name}, {writer.one(['1', 'x=1'])})()",
        ]
    outer, wrapper = writer.name("d"), writer.name("w")
    return ["import functools", f"def {outer}(given):", f"    def {wrapper}(f):", "        @functools.wraps(f)",
            "        def inner(*args, **kwargs):", "            return f(*args, **kwargs)" if kind == 2 else "            return given",
            "        return inner", f"    return {wrapper}", f"@{outer}({writer.one(['1', 'None', 'True'])})", f"def {name}():", *inner, f"{flag} = {name}()"]  # fmt: skip


def annotated(writer: Any, scope: Any) -> Lines:
    name, hint = (
        writer.name("x"),
        writer.one([*writer.flags, "int", "'gone.T'", writer.any_name(scope), "missing_name"]),
    )
    return writer.one([
        [f"{name}: {hint} = 1"], [f"{name}: {hint}"], [f"def {name}(a: {hint} = 1) -> {hint}: pass"],
        [f"class {name}:", f"    field: {hint} = None"],
    ])  # fmt: skip


def shared_root(writer: Any, scope: Any) -> Lines:
    """A namespace that two distributions share, of which one is absent."""
    name = writer.bind(scope, writer.name("p"))
    return [writer.one([
        f"from shared import kept as {name}", f"from shared import missed as {name}", f"import shared.kept as {name}",
        f"import shared.missed as {name}", f"from shared.missed import thing as {name}", f"from shared.kept import thing as {name}",
        f"import here.other as {name}", f"{name} = find_spec('shared.missed') is not None", f"import pkg.nothing as {name}",
        f"{name} = find_spec('pkg.one') is not None", f"from pkg import nothing as {name}", f"{name} = import_module('.one', 'pkg')",
    ])]  # fmt: skip


def listed(writer: Any, scope: Any) -> Lines:
    """Names taken by `__all__` of a module that says so after the fact."""
    return [
        "import side",
        f"side.__all__ = {writer.some([*writer.flags, 'missing_name'], 2)!r}",
        f"{writer.name('z')} = side.__all__",
    ]


def enumerated(writer: Any, scope: Any) -> Lines:
    name, flag = writer.name("E"), writer.bind(scope, writer.one(writer.flags))
    base = writer.one(["Enum", "IntEnum"])
    got = writer.one(
        [
            f"{name}.A == {name}.B",
            f"{name}.A is {name}.A",
            f"{name}.A == 1",
            f"{name}.B.name",
            f"{name}.A.value",
            f"{name}.A != {name}.B",
        ]
    )
    return [f"from enum import {base}", f"class {name}({base}):", "    A = 1", "    B = 2", f"{flag} = {got}"]


def attached(writer: Any, scope: Any) -> Lines:
    """`lazy_loader.attach`, asked at once or not."""
    if scope.module not in ("pkg", "pkg.sub") or scope.function or scope.depth:
        return ["pass"]
    below = "one" if scope.module == "pkg" else "deep"
    lines = [
        "import lazy_loader",
        f"__getattr__, __dir__, __all__ = lazy_loader.attach(__name__, [{below!r}], {{{below!r}: ['F1', 'F2']}})",
    ]
    return (
        lines
        if writer.chance(0.5)
        else [*lines, f"from {scope.module} import {writer.one([below, 'missing_name'])} as {writer.name('l')}"]
    )


def discovered(writer: Any, scope: Any) -> Lines:
    """The modules of a package, found by looking, some of them imported."""
    package, name, flag = writer.one(["pkg", "pkg.sub"]), writer.name("l"), writer.bind(scope, writer.one(writer.flags))
    scope.names.append("pkg")
    lines = ["import pkgutil", f"import {package}"]
    kind = writer.number(0, 3)
    if kind == 0:
        return [*lines, f"{flag} = [m.name for m in pkgutil.iter_modules({package}.__path__)] == ['one', 'sub', 'two']"]
    if kind == 1:
        return [
            *lines,
            f"for _, {name}, _ in pkgutil.iter_modules({package}.__path__, '{package}.'):",
            f"    import_module({name})",
        ]
    if kind == 2:
        return [*lines, f"for {name} in pkgutil.iter_modules({package}.__path__):", "    try:",
                f"        import_module(f'{{{package}.__name__}}.{{{name}.name}}')", "    except ImportError:", f"        {flag} = {name}.ispkg"]  # fmt: skip
    return [
        *lines,
        f"{flag} = list(pkgutil.iter_modules({package}.__path__))[0].{writer.one(['name', 'ispkg', 'nothing'])}",
    ]


def registered(writer: Any, scope: Any) -> Lines:
    """Functions that are registered by what their annotations name, which is looked at."""
    name, other = writer.name("f"), writer.name("g")
    hint = writer.one(["int", "Trouble", "missing_name", "True", "str", "None"])
    return ["import functools", "@functools.singledispatch", f"def {name}(x): return 1", f"@{name}.register",
            f"def {other}(x: {hint}): return 1", f"{writer.bind(scope, writer.one(writer.flags))} = {name}(1) is not None"]  # fmt: skip


def perhaps_imported(writer: Any, scope: Any) -> Lines:
    """A call that imports a module where something is the case that only what is there can tell.

    Not in calls of calls: what may fail deep below is not followed, so that large projects come to an end.
    """
    if scope.function:
        return ["pass"]
    name, target = writer.name("f"), writer.one(["side", "pkg", "pkg.one", "pkg.two", "pkg.sub.deep"])
    imported = writer.one([f"import {target}", f"from {target} import {writer.one(writer.flags)} as got"])
    return ["import here", f"def {name}():", "    if here.is_good():", f"        {imported}", f"{name}()"]


def told_apart(writer: Any, scope: Any) -> Lines:
    """Things that are equal to themselves only, or to what they say."""
    name, flag = writer.name("C"), writer.bind(scope, writer.one(writer.flags))
    body = writer.one(["    pass", "    pass", "    def __eq__(self, other): return True", "    kind = 1"])
    got = writer.one([
        f"{name}() == 1", f"{name}() != None", f"{name}() == 'x'", f"{name}() is None", f"sys == {writer.one(['1', 'None'])}",
        f"1 == {name}()", f"{name}(1)", f"{name}() in (1, 2)", "(lambda: 1).attr", "(lambda: 1).__name__",
    ])  # fmt: skip
    return [f"class {name}:", body, f"{flag} = {got}"]


def everything(writer: Any, scope: Any) -> Lines:
    """All names of a package that says which they are, submodules among them."""
    if scope.function or scope.depth or scope.module not in ("top", "side"):
        return ["pass"]
    target = writer.one(["pkg", "pkg.sub", "side"])
    if target == scope.module:
        return ["pass"]
    flag = writer.bind(scope, writer.one(writer.flags))
    return ["try:", f"    from {target} import *", "except ImportError:", f"    {flag} = 'import'",
            "except AttributeError:", f"    {flag} = 'attribute'"]  # fmt: skip


SHAPES = (
    (0.5, unpack), (0.7, table), (0.4, filled_by_function), (0.4, counted), (0.9, members), (0.5, managed), (0.6, text),
    (0.7, comprehended), (0.8, numbered), (0.6, surroundings), (0.7, open_question), (0.9, of_module), (0.4, of_globals),
    (0.6, distributed), (0.6, decorated_functions), (0.5, annotated), (0.6, shared_root), (0.2, listed), (0.3, enumerated),
    (0.5, attached), (0.3, registered), (0.5, perhaps_imported), (0.4, told_apart), (0.9, everything), (0.3, discovered),
)  # fmt: skip
"""How often each is drawn, beside the plain statements."""
