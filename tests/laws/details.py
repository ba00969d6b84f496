"""Statements for random programs whose meaning hangs on a detail: each shows one that is easily got wrong."""

from __future__ import annotations

from typing import Any

Lines = list[str]


def matched(writer: Any, scope: Any) -> Lines:
    """Patterns that ask for identity, and such that ask for equality."""
    name, flag = writer.name("s"), writer.bind(scope, writer.one(writer.flags))
    lines = [f"{name} = {writer.one(['1', 'True', 'None', '0', 'False', repr('x'), 'find_spec'])}", f"match {name}:"]
    values = ["True", "1", "None", "False", "0", "'x'", "1 | None", "None | False"]
    for number, value in enumerate(writer.some(values, 3)):
        lines += [f"    case {value}:", f"        {flag} = {number}"]
    return [*lines, "    case _:", f"        {flag} = 'none of them'"]


def identical(writer: Any, scope: Any) -> Lines:
    name, flag = writer.name("s"), writer.bind(scope, writer.one(writer.flags))
    known = writer.one(["1", "0", "True", "False", "None", "()", "''", "find_spec('gone')", "find_spec('here')"])
    operator = writer.one(["is", "is not", "is", "=="])
    return [f"{name} = {known}", f"{flag} = {name} {operator} {writer.one(['True', 'False', 'None', 'None'])}"]


def named_exception(writer: Any, scope: Any) -> Lines:
    """The name that a handler gives to an exception is gone after it."""
    name, flag, root = writer.name("e"), writer.bind(scope, writer.one(writer.flags)), writer.root()
    failing = writer.one(
        [f"import {root}", f"import {root}.part", f"from {root} import thing", "raise ValueError('no')"]
    )
    lines = ["try:", f"    {failing}", f"except {writer.one(['ImportError', 'Exception'])} as {name}:"]
    lines.append(writer.one([f"    {flag} = {name}.name == 'gone'", "    pass", f"    {flag} = str({name}) == 'no'"]))
    return writer.one([lines, [*lines, f"{flag} = '{name}' in globals()"], [*lines, f"{flag} = {name}"]])


def raised_again(writer: Any, scope: Any) -> Lines:
    """A bare `raise` passes on the innermost of the exceptions that are being handled."""
    outer, inner = (
        writer.one(["ValueError", "KeyError('k')"]),
        writer.one([f"import {writer.root()}", "raise TypeError"]),
    )
    flag, root = writer.bind(scope, writer.one(writer.flags)), writer.root()
    return [
        "try:", "    try:", f"        {writer.one([f'import {root}', f'raise {outer}', f'raise {outer}'])}", "    except Exception:",
        "        try:", f"            {inner}", f"        except {writer.one(['Exception', 'Exception', 'ImportError'])}:",
        f"            {writer.one(['raise', 'raise', 'raise', 'pass'])}", f"        {writer.one(['raise', 'pass'])}",
        "except ImportError:", f"    {flag} = 'import'", "except TypeError:", f"    {flag} = 'type'",
        "except (LookupError, ValueError):", f"    {flag} = 'outer'",
    ]  # fmt: skip


def at_last(writer: Any, scope: Any) -> Lines:
    """`finally` is run on every way out, and can be left by another."""
    function, flag = writer.name("f"), writer.bind(scope, writer.one(writer.flags))
    body = writer.one([
        [f"    import {writer.root()}", "    return 1"], ["    return 2"], ["    raise ValueError"],
        ["    if here.is_good():", "        return 3"], ["    if not here.is_good():", "        raise LookupError"],
    ])  # fmt: skip
    end = writer.one([
        ["pass"], ["return 4"], [f"globals()['{flag}'] = 5"], [f"import {writer.root()}"], ["if here.HAS_IT:", "    return 6"],
        ["raise TypeError"], ["this_is_not_bound"],
    ])  # fmt: skip
    lines = [f"def {function}():", "    try:", *["    " + line for line in body], "    finally:"]
    return ["import here", *lines, *["        " + line for line in end], "    return 7", f"{flag} = {function}()"]


def looped(writer: Any, scope: Any) -> Lines:
    """A loop that looks for the first of several modules."""
    variable, found, flag = writer.name("n"), writer.name("m"), writer.bind(scope, writer.one(writer.flags))
    roots = tuple(writer.root() for _ in range(writer.number(1, 3)))
    lines = [f"for {variable} in {roots!r}:", "    try:", f"        {found} = import_module({variable})"]
    lines += ["    except ImportError:", f"        {writer.one(['continue', 'pass'])}", f"    {flag} = {variable}"]
    lines += [f"    {writer.one(['break', 'continue', 'pass'])}"]
    after = writer.one([[], ["else:", f"    {flag} = None"], [writer.see(scope, found)]])
    return [*lines, *after]


def truthful(writer: Any, scope: Any) -> Lines:
    """Instances that say themselves whether they are true."""
    name, flag = writer.name("C"), writer.bind(scope, writer.one(writer.flags))
    says = writer.one([
        "    def __bool__(self): return False", "    def __bool__(self): return False", "    def __bool__(self): return True",
        "    def __len__(self): return 0",
        "    def __len__(self): return 2", "    pass", f"    def __bool__(self): return {writer.probe()}",
        "    def __len__(self): return 0\n    def __bool__(self): return True",
    ])  # fmt: skip
    got = writer.one([
        f"bool({name}())", f"not {name}()", f"1 if {name}() else 2", f"{name}() and 1", f"{name}() or 1", f"bool({name})",
        f"any([{name}()])", f"all([1, {name}()])",
    ])  # fmt: skip
    return [f"class {name}:", says, f"{flag} = {got}", f"if not {name}():", f"    {flag} = 'not'"]


def based(writer: Any, scope: Any) -> Lines:
    """Classes derived from what may be no class."""
    name, given, flag = writer.name("C"), writer.name("b"), writer.bind(scope, writer.one(writer.flags))
    base = writer.one([
        "None", "1", "object", "Exception", "sys", "find_spec", "len", "Trouble('no')", "Trouble", "()", "True", "dict", "int",
        f"find_spec({writer.root()!r})", "lambda: 1",
    ])  # fmt: skip
    lines = [f"{given} = {base}", "try:", f"    class {name}({given}): pass"]
    return [*lines, f"except {writer.one(['TypeError', 'Exception', 'ValueError'])}:", f"    {flag} = 'no class'"]


def relative_import(writer: Any, scope: Any) -> Lines:
    """Imports by where the module itself lies."""
    if not scope.module.startswith("pkg"):
        return ["pass"]
    package = scope.module if scope.module in ("pkg", "pkg.sub") else scope.module.rpartition(".")[0]
    below = {"pkg": ["one", "two", "sub", "sub.deep"], "pkg.sub": ["deep"]}[package]
    flag, target = writer.bind(scope, writer.one(writer.flags)), writer.one(below)
    name = writer.bind(scope, writer.name("m"))
    options = [
        f"from .{target} import {flag}", f"from . import {target.partition('.')[0]} as {name}", "from . import nothing",
        f"{name} = import_module('.{target}', __package__)", f"from .nothing import {flag}", f"from . import {flag}",
        f"{name} = find_spec('.{target}', __package__) is not None",
    ]  # fmt: skip
    if package == "pkg.sub":
        options += [
            f"from .. import {flag}",
            "from ..two import *" if scope.depth == 0 and not scope.function else "pass",
        ]
    else:
        options += ["from .. import nothing"]
    chosen = writer.one(options)
    return [chosen] if writer.chance(0.4) else ["try:", f"    {chosen}", "except ImportError:", f"    {flag} = 'none'"]


def not_yet_bound(writer: Any, scope: Any) -> Lines:
    """A local name that is read before it is bound is not the module's."""
    function, flag = writer.name("f"), writer.bind(scope, writer.one(writer.flags))
    bound = writer.one([f"{flag} = 1", f"import sys as {flag}", f"del {flag}", f"def {flag}(): pass", "pass"])
    lines = [f"def {function}():", f"    x = {flag}", f"    {bound}", "    return x"]
    return [*lines, "try:", f"    {flag} = {function}()", "except UnboundLocalError:", f"    {flag} = 'local'",
            "except NameError:", f"    {flag} = 'unbound'"]  # fmt: skip


def in_the_process(writer: Any, scope: Any) -> Lines:
    """What has been imported, in whatever way it ended."""
    target, flag = writer.one(["side", "pkg", "pkg.one"]), writer.bind(scope, writer.one(writer.flags))
    scope.names.append(target.partition(".")[0])
    handled = writer.one(["ImportError", "Exception"])
    return ["try:", f"    import {target}", f"except {handled}:", "    pass", f"{flag} = {target!r} in sys.modules"]


def refused_later(writer: Any, scope: Any) -> Lines:
    """What a handler notes down decides later whether to go on."""
    flag, root, function = writer.bind(scope, writer.name("G")), writer.root(), writer.name("f")
    tried = writer.one([f"import {root}", f"import {root}.part", f"from {root} import thing"])
    lines = writer.one([
        ["try:", f"    {tried}", f"    {flag} = True", "except ImportError:", f"    {flag} = False"],
        ["try:", f"    {tried}", "except ImportError:", f"    {flag} = None", "else:", f"    {flag} = 1"],
        [f"{flag} = True", "try:", f"    {tried}", "except ImportError:", f"    {flag} = False"],
        [f"{flag} = None", "with suppress(ImportError):", f"    {tried}", f"    {flag} = 1"],
        [f"if find_spec({root!r}):", f"    {flag} = True", "else:", f"    {flag} = False"],
        [f"{flag} = find_spec({root!r}) is not None"],
        [f"{flag} = all((find_spec({root!r}), find_spec({writer.root()!r})))"],
        [f"{flag} = 1 if find_spec({root!r}) else 0"],
    ])  # fmt: skip
    refused = writer.one(["ImportError('no')", "RuntimeError('no')", "Trouble('no')"])
    use = writer.one([
        [f"if not {flag}:", f"    raise {refused}"], [f"assert {flag}"],
        [f"def {function}():", f"    if not {flag}:", f"        raise {refused}", f"{function}()"],
        [f"def {function}(f):", f"    if not {flag}: raise {refused}", "    return f", f"@{function}", f"class {writer.name('C')}: pass"],
    ])  # fmt: skip
    return [*lines, *use]


def none_among(writer: Any, scope: Any) -> Lines:
    """`None in` what several probes give."""
    flag, roots = writer.bind(scope, writer.one(writer.flags)), [writer.root() for _ in range(writer.number(1, 3))]
    probes = writer.one([[f"find_spec({root!r})" for root in roots], ["1", "None"], ["1", "here.maybe"], ["here"]])
    return ["import here", f"{flag} = None {writer.one(['in', 'not in'])} [{', '.join(probes)}]"]


def combined(writer: Any, scope: Any) -> Lines:
    """`and` and `or` of what is open, known, or known to be one of two."""
    flag = writer.bind(scope, writer.one(writer.flags))
    first = writer.one(
        [
            "here.is_good()",
            "here.HAS_IT",
            "len(sys.path) > 3",
            "here.parts",
            "(1 if here.is_good() else 0)",
            "here.thing == 1",
        ]
    )
    then = writer.one(
        [
            "True",
            "False",
            "None",
            "0",
            "1",
            "here.thing",
            f"find_spec({writer.root()!r})",
            "len(sys.path) > 2",
            "not here",
        ]
    )
    lines = ["import here", f"{flag} = {first} {writer.one(['and', 'or'])} {then}"]
    after = writer.one(
        [
            [],
            [f"{writer.name('v')} = {flag} is None"],
            [f"if {flag}:", f"    {writer.name('v')} = 1"],
            [f"assert {flag}"],
        ]
    )
    return [*lines, *after]


def not_followed(writer: Any, scope: Any) -> Lines:
    """Expressions of which no more is said than that they do not fail, and calls that go too deep to be followed."""
    name, function = writer.name("o"), writer.name("f")
    kind = writer.number(0, 3)
    if kind == 0:
        value = writer.one(["-len('abc')", "f'{1:>3}'", "~1", "2 ** 3", "b'x'", "[*'abc', -1]", "1j", "f'{here!r}'"])
        return ["import here", f"{name} = {value}"]
    if kind == 1:
        return ["import here", f"{name} = find_spec('x' + str(here.HAS_IT)[:0]) is None"]
    holder = writer.name("H")
    return [
        f"class {holder}:", "    held = None", f"def {function}(n):", "    if n == 0:", f"        {holder}.held = sys", "    else:",
        f"        {function}(n - 1)", f"{function}({writer.one([1, 3])})", f"{name} = {holder}.held.path",
    ]  # fmt: skip


DETAILS = (
    (0.6, matched), (0.6, identical), (0.6, named_exception), (0.8, raised_again), (0.6, at_last), (0.4, looped), (0.8, truthful),
    (0.6, based), (1.2, relative_import), (0.5, not_yet_bound), (0.5, in_the_process), (0.9, refused_later), (0.3, none_among), (0.3, not_followed),
    (0.9, combined),
)  # fmt: skip
"""How often each is drawn, beside the plain statements."""
