"""Random small programs of several modules, full of guards, flags, sentinels and probes."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from random import Random

from tests.laws.details import DETAILS
from tests.laws.gallery import FIRST, GALLERY, drawn
from tests.laws.shapes import SHAPES
from tests.laws.things import THINGS

PRESENT = ("here", "there")
ABSENT = ("gone", "lost")
MODULES = ("top", "pkg", "pkg.one", "pkg.two", "pkg.sub", "pkg.sub.deep", "side", "space.item")
LATER = "later"
"""A module that no other imports: it is asked for where the others have been."""
FLAGS = ("F0", "F1", "F2", "F3")
HANDLED = (
    "ImportError", "ImportError", "ModuleNotFoundError", "Exception", "(ImportError, AttributeError)", "NameError",
    "ValueError", "AttributeError", "BaseException", "(ValueError, TypeError)", "RuntimeError", "LookupError", "",
)  # fmt: skip
RAISED = (
    "ImportError('no')",
    "RuntimeError('no')",
    "ValueError",
    "ModuleNotFoundError('no')",
    "Trouble('no')",
    "KeyError('k')",
)


@dataclass(slots=True)
class Scope:
    """What the statements written so far may have bound, and how deep they stand."""

    module: str
    names: list[str] = field(default_factory=list)
    functions: list[str] = field(default_factory=list)
    classes: list[str] = field(default_factory=list)
    depth: int = 0
    function: bool = False
    loop: bool = False
    handler: bool = False


class Writer:
    """Writes programs, deciding everything by one source of randomness."""

    flags = FLAGS

    def __init__(self, random: Random) -> None:
        self.random = random
        self.fresh = 0
        self.more: dict[str, list[str]] = {}
        """What is still to be written at the end of modules."""

    def program(self) -> dict[str, str]:
        """Module name -> source; `top` is what gets imported."""
        return {module: self.module(module) for module in (*MODULES, LATER)}

    def module(self, name: str) -> str:
        """The source of one module."""
        scope = Scope(name)
        lines = ["import sys", "from importlib import import_module", "from importlib.util import find_spec"]
        lines += [
            "from contextlib import contextmanager, suppress",
            "from typing import cast",
            "class Trouble(Exception): pass",
        ]
        if self.chance(0.2):
            lines.append("from typing import TYPE_CHECKING")
        else:
            lines.append("TYPE_CHECKING = False")
        if self.chance(0.7):
            lines.append(
                f"F0 = F1 = {self.one(['True', 'False', 'None'])}; F2 = F3 = {self.one(['True', 'False', 'None'])}"
            )
        if name in ("top", LATER):
            for _ in range(4 if self.chance(0.5) else 0):
                lines += [
                    "try:",
                    *["    " + line for line in drawn(self, scope, FIRST)],
                    "except BaseException:",
                    "    pass",
                ]
        size = self.number(3, 9) if name == "top" else self.number(1, 6)
        for _ in range(size):
            lines += self.statement(scope)
        if self.chance(0.3 if name in ("pkg", "pkg.sub") else 0.15):
            below = {"pkg": ["one", "sub"], "pkg.sub": ["deep"]}.get(name, []) if self.chance(0.5) else []
            listed = self.some([*scope.names, *scope.functions, *below], 3)
            lines.append(f"__all__ = {listed!r}")
        if self.chance(0.15):
            lines += self.hook(scope)
        lines += self.oddity(name) + self.more.pop(name, [])
        return "\n".join(lines) + "\n"

    def oddity(self, name: str) -> list[str]:
        """What a module of that name does now and then, which others meet."""
        if name in ("pkg", "pkg.sub") and self.chance(0.1):
            below = "one" if name == "pkg" else "deep"
            attached = f"lazy_loader.attach(__name__, [{below!r}], {{{below!r}: ['F1', 'F2']}})"
            return ["import lazy_loader", f"__getattr__, __dir__, _ = {attached}"]
        if name == "side" and self.chance(0.3):
            return self.one([
                ["import here", "if here.is_good():", "    maybe_bound = 1"], ["from here import *"],
                ["import here", "sys.modules[__name__] = here"],
            ])  # fmt: skip
        if name == "top" or not self.chance(0.03):
            return []
        if name == "pkg" and self.chance(0.5):
            return ["import pkg.sub", "raise ImportError('no')"]
        failing = [f"import {self.root()}", "raise ImportError('no')", "from pkg.two import missing_name"]
        return [self.one([*failing, "import pkg.sub.deep"])]

    # --- choosing ------------------------------------------------------------------------------------------------

    def chance(self, probability: float) -> bool:
        return self.random.random() < probability

    def number(self, low: int, high: int) -> int:
        return self.random.randint(low, high)

    def one(self, options):
        return options[self.random.randint(0, len(options) - 1)]

    def some(self, options, most: int):
        return sorted({self.one(options) for _ in range(self.number(0, most))}) if options else []

    def name(self, kind: str) -> str:
        self.fresh += 1
        return f"{kind}{self.fresh}"

    # --- statements ----------------------------------------------------------------------------------------------

    def block(self, scope: Scope, most: int = 2) -> list[str]:
        scope.depth += 1
        lines: list[str] = []
        for _ in range(self.number(1, most)):
            lines += self.statement(scope)
        scope.depth -= 1
        return ["    " + line for line in lines]

    def statement(self, scope: Scope) -> list[str]:
        simple = [
            (6, self.external_import), (4, self.own_import), (4, self.flag), (2, self.probe_flag), (1, self.use),
            (1, self.leave), (1, self.attribute_use), (0.5, self.delete), (1, self.sentinel), (0.5, self.augment),
            (0.6, self.dynamic_import), (0.5, self.check), (0.4, self.put_module), (0.4, self.touch_module),
        ]  # fmt: skip
        nested = [
            (6, self.attempt), (4, self.branch), (1.5, self.suppressing), (1.5, self.loop), (2, self.function),
            (1, self.class_), (0.7, self.match), (0.4, self.repeat), (1, self.call), (0.7, self.decorated),
            (0.6, self.helper), (0.5, self.with_manager),
        ]  # fmt: skip
        shapes = [(weight, partial(write, self)) for weight, write in (*SHAPES, *DETAILS, *THINGS, *GALLERY)]
        options = simple + (nested + shapes if scope.depth < 3 else [])
        total = sum(weight for weight, _ in options)
        mark = self.random.random() * total
        for weight, write in options:
            mark -= weight
            if mark < 0:
                lines = [line for written in write(scope) for line in written.split("\n")]
                return (
                    self.shielded(lines, scope)
                    if scope.depth == 0 and not scope.function and self.chance(0.75)
                    else lines
                )
        return ["pass"]

    def shielded(self, lines: list[str], scope: Scope) -> list[str]:
        """The statement in a `try`, so that the program goes on where it fails."""
        if lines[0].startswith(("try", "from pkg import *", "from side import *")) or "import *" in lines[0]:
            return lines
        handled = self.one(["Exception", "Exception", "(ImportError, NameError, AttributeError, TypeError)"])
        scope.depth += 1
        after = self.one([["pass"], [f"{self.one(FLAGS)} = {self.one(['None', 'False', 'True'])}"]])
        scope.depth -= 1
        return ["try:", *["    " + line for line in lines], f"except {handled}:", *["    " + line for line in after]]

    def see(self, scope: Scope, name: str) -> str:
        """A statement that reads a name and binds another to it."""
        return f"{self.bind(scope, self.one(FLAGS))} = {name}"

    def bind(self, scope: Scope, name: str) -> str:
        scope.names.append(name)
        return name

    def root(self) -> str:
        return self.one([*ABSENT, *PRESENT, ABSENT[0]])

    def external_import(self, scope: Scope) -> list[str]:
        root = self.one(PRESENT) if scope.depth == 0 and self.chance(0.85) else self.root()
        kind = self.number(0, 5)
        if kind == 0:
            self.bind(scope, root)
            return [f"import {root}.part"]
        if kind == 1:
            return [f"import {root}.part as {self.bind(scope, self.name('m'))}"]
        if kind == 2:
            return [f"from {root} import thing as {self.bind(scope, self.name('t'))}"]
        if kind == 3:
            return [f"import {root} as {self.bind(scope, self.name('m'))}"]
        if kind == 4:
            return [f"from {root}.part import thing as {self.bind(scope, self.name('t'))}"]
        self.bind(scope, root)
        return [f"import {root}"]

    def own_import(self, scope: Scope) -> list[str]:
        target = self.one([module for module in MODULES if module != "top"])
        kind = self.number(0, 6)
        if kind == 0:
            self.bind(scope, target.partition(".")[0])
            return [f"import {target}"]
        if kind == 1:
            return [f"import {target} as {self.bind(scope, self.name('m'))}"]
        parent, _, last = target.rpartition(".")
        if kind == 2 and parent:
            return [f"from {parent} import {last} as {self.bind(scope, self.name('m'))}"]
        if kind == 3 and scope.depth == 0 and not scope.function:
            return [f"from {target} import *"]
        if kind == 4 and scope.module.startswith("pkg") and target.startswith("pkg."):
            return [self.relative(scope, target)]
        wanted = self.one([*FLAGS, "Trouble", "missing_name", "hidden", "maybe_bound"])
        self.bind(scope, wanted)
        return [f"from {target} import {wanted}"]

    def relative(self, scope: Scope, target: str) -> str:
        package = scope.module if scope.module in ("pkg", "pkg.sub") else scope.module.rpartition(".")[0]
        dots = "." if package == "pkg" else ".."
        rest = target.removeprefix("pkg.")
        if self.chance(0.5):
            wanted = self.one(FLAGS)
            self.bind(scope, wanted)
            return f"from {dots}{rest} import {wanted}"
        parent, _, last = rest.rpartition(".")
        return f"from {dots}{parent} import {last} as {self.bind(scope, self.name('m'))}"

    def dynamic_import(self, scope: Scope) -> list[str]:
        target = self.one([*ABSENT, *PRESENT, "pkg.one", "side", f"{self.root()}.part"])
        call = self.one([f"import_module({target!r})", f"__import__({target!r})"])
        return [f"{self.bind(scope, self.name('m'))} = {call}"]

    def flag(self, scope: Scope) -> list[str]:
        name = self.one(FLAGS)
        value = self.expression(scope)
        return [f"{self.bind(scope, name)} = {value}"]

    def augment(self, scope: Scope) -> list[str]:
        name = self.name("L")
        self.bind(scope, name)
        return [f"{name} = ['gone']", f"{name} += {self.one(['[1]', '[]', '[2, 3]'])}", f"{name}.append('x')"]

    def probe_flag(self, scope: Scope) -> list[str]:
        return [f"{self.bind(scope, self.one(FLAGS))} = {self.probe()}"]

    def probe(self) -> str:
        root = self.root()
        kind = self.number(0, 5)
        if kind == 0:
            return f"find_spec({root + '.part'!r}) is not None"
        if kind == 1:
            return f"all(find_spec(n) for n in {tuple(self.root() for _ in range(self.number(1, 3)))!r})"
        if kind == 2:
            return f"any(find_spec(n) is not None for n in {tuple(self.root() for _ in range(self.number(1, 3)))!r})"
        if kind == 3:
            return f"bool(find_spec({root!r}))"
        return f"find_spec({root!r}) is not None"

    def sentinel(self, scope: Scope) -> list[str]:
        return [f"{self.bind(scope, self.one([*FLAGS, *ABSENT]))} = None"]

    def any_name(self, scope: Scope) -> str:
        pool = [*scope.names[-6:], *scope.names[-6:], self.one(FLAGS)]
        return self.one(pool)

    def use(self, scope: Scope) -> list[str]:
        return [f"{self.bind(scope, self.name('u'))} = {self.any_name(scope)}"]

    def attribute_use(self, scope: Scope) -> list[str]:
        return [f"{self.bind(scope, self.name('a'))} = {self.any_name(scope)}.attr"]

    def delete(self, scope: Scope) -> list[str]:
        return [f"del {self.any_name(scope)}"]

    def check(self, scope: Scope) -> list[str]:
        return [f"assert {self.test(scope)}"]

    def put_module(self, scope: Scope) -> list[str]:
        return [f"sys.modules[{self.one(ABSENT)!r}] = sys"]

    def touch_module(self, scope: Scope) -> list[str]:
        self.one(["side", "pkg.one"])
        self.bind(scope, "side")
        return ["import side", f"side.{self.one(FLAGS)} = {self.one(['True', 'False', 'None'])}"]

    def leave(self, scope: Scope) -> list[str]:
        kind = self.number(0, 9)
        if scope.function and kind < 5:
            return [f"return {self.expression(scope)}"]
        if scope.loop and kind < 5:
            return [self.one(["break", "continue"])]
        if scope.handler and kind < 6:
            return [self.one(["raise", f"raise {self.one(RAISED)}", f"raise {self.one(RAISED)} from None"])]
        if scope.depth and kind < 8:
            return [f"raise {self.one(RAISED)}"]
        if scope.depth and kind == 8:
            return ["sys.exit(1)"]
        return ["pass"]

    def attempt(self, scope: Scope) -> list[str]:
        lines = ["try:", *self.block(scope, 2)]
        handlers = self.number(0, 2) if self.chance(0.2) else 1
        handled = [self.one(HANDLED) for _ in range(handlers)]
        handled.sort(key=lambda text: text == "")
        if handled.count("") > 1:
            handled = handled[:1]
        for text in handled:
            name = f" as {self.name('e')}" if text and self.chance(0.3) else ""
            lines.append(f"except {text}{name}:" if text else "except:")
            before, scope.handler = scope.handler, True
            lines += self.block(scope, 2)
            scope.handler = before
        if handled and self.chance(0.35):
            lines += ["else:", *self.block(scope, 2)]
        if not handled or self.chance(0.15):
            lines += ["finally:", *self.finally_block(scope)]
        return lines

    def finally_block(self, scope: Scope) -> list[str]:
        return ["    " + line for line in self.one([self.flag, self.external_import, self.use])(scope)]

    def branch(self, scope: Scope) -> list[str]:
        lines = [f"if {self.test(scope)}:", *self.block(scope, 2)]
        if self.chance(0.25):
            lines += [f"elif {self.test(scope)}:", *self.block(scope, 1)]
        if self.chance(0.5):
            lines += ["else:", *self.block(scope, 2)]
        return lines

    def suppressing(self, scope: Scope) -> list[str]:
        return [
            f"with suppress({self.one(['ImportError', 'ImportError, NameError', 'Exception', 'ValueError'])}):",
            *self.block(scope, 2),
        ]

    def with_manager(self, scope: Scope) -> list[str]:
        name = self.name("W")
        answer = self.one(["True", "False", "type is not None and issubclass(type, ImportError)"])
        return [
            f"class {name}:",
            "    def __enter__(self): return self",
            f"    def __exit__(self, type, value, trace): return {answer}",
            f"with {name}() as {self.bind(scope, self.name('w'))}:",
            *self.block(scope, 2),
        ]

    def loop(self, scope: Scope) -> list[str]:
        variable = self.bind(scope, self.name("n"))
        roots = tuple(self.root() for _ in range(self.number(1, 3)))
        before, scope.loop = scope.loop, True
        if self.chance(0.6):
            found = self.bind(scope, self.name("m"))
            body = [
                "    try:", f"        {found} = {self.one(['import_module', '__import__'])}({variable})",
                f"    except {self.one(HANDLED[:4])}:", f"        {self.one(['continue', 'pass', found + ' = None'])}",
                f"    {self.one(['break', 'pass', 'else_ = 1'])}",
            ]  # fmt: skip
        else:
            body = self.block(scope, 2)
        scope.loop = before
        lines = [f"for {variable} in {roots!r}:", *body]
        if self.chance(0.4):
            lines += ["else:", *self.block(scope, 1)]
        return lines

    def repeat(self, scope: Scope) -> list[str]:
        before, scope.loop = scope.loop, False  # one that goes on with itself may never end
        lines = [f"while {self.test(scope)}:", *self.block(scope, 1), "    break"]
        scope.loop = before
        return lines

    def match(self, scope: Scope) -> list[str]:
        lines = [f"match {self.any_name(scope)}:"]
        for value in self.one([("None",), ("True", "False"), ("None | False", "True"), ("1",)]):
            lines += [f"    case {value}:", *["    " + line for line in self.block(scope, 1)]]
        if self.chance(0.5):
            lines += ["    case _:", *["    " + line for line in self.block(scope, 1)]]
        return lines

    # --- functions and classes -----------------------------------------------------------------------------------

    def inner(self, scope: Scope) -> Scope:
        return Scope(
            scope.module, list(scope.names[-3:]), list(scope.functions), list(scope.classes), scope.depth, True
        )

    def function(self, scope: Scope) -> list[str]:
        name = self.name("f")
        inner = self.inner(scope)
        lines = [f"def {name}():"]
        if self.chance(0.25):
            lines.append(f"    global {self.one(FLAGS)}")
        lines += self.block(inner, 3)
        if self.chance(0.5):
            lines.append(f"    return {self.expression(inner)}")
        scope.functions.append(name)
        if self.chance(0.7):
            lines += self.call(scope)
        return lines

    def helper(self, scope: Scope) -> list[str]:
        name = self.name("has")
        body = self.one([
            ["    try:", "        import_module(name)", "    except ImportError:", "        return False", "    return True"],
            ["    return find_spec(name) is not None"],
            ["    if find_spec(name) is None:", "        raise ImportError(name)", "    return import_module(name)"],
            ["    with suppress(ImportError):", "        return import_module(name)", "    return None"],
            ["    try:", "        return __import__(name)", "    except ImportError as error:",
             f"        if error.name != {self.root()!r}:", "            raise", "        return None"],
        ])  # fmt: skip
        target = self.bind(scope, self.one([*FLAGS, self.name("h")]))
        return [f"def {name}(name):", *body, f"{target} = {name}({self.root()!r})"]

    def call(self, scope: Scope) -> list[str]:
        if not scope.functions:
            return ["pass"]
        name = self.one(scope.functions)
        return [f"{name}()"] if self.chance(0.4) else [f"{self.bind(scope, self.one(FLAGS))} = {name}()"]

    def decorated(self, scope: Scope) -> list[str]:
        decorator, name = self.name("d"), self.name("g")
        inner = self.inner(scope)
        scope.functions.append(name)
        kind = self.number(0, 2)
        if kind == 0:
            return [
                f"def {decorator}(f):",
                *self.block(inner, 1),
                "    return f",
                f"@{decorator}",
                f"def {name}():",
                *self.block(inner, 1),
            ]
        if kind == 1:
            return [
                f"def {decorator}(f):",
                "    def wrapper():",
                "        return f()",
                "    return wrapper",
                f"@{decorator}",
                f"def {name}():",
                *self.block(inner, 2),
            ]
        return [f"@{self.any_name(scope)}", f"def {name}():", "    return 1"]

    def class_(self, scope: Scope) -> list[str]:
        name = self.name("C")
        base = self.one(["", "", "(Exception)", f"({self.one(FLAGS)})", *[f"({c})" for c in scope.classes[-2:]]])
        inner = Scope(scope.module, list(scope.names[-3:]), [], [], scope.depth, False)
        lines = [f"class {name}{base}:", *self.block(inner, 2)]
        scope.classes.append(name)
        if not base and self.chance(0.4):
            lines += [f"    def __bool__(self): return {self.one(['False', 'True'])}"]
            lines += [f"{self.bind(scope, self.one(FLAGS))} = {name}()"]
        return lines

    def hook(self, scope: Scope) -> list[str]:
        answer = self.one(["1", "None", f"import_module({self.root()!r})"])
        wanted = self.one([*FLAGS, "missing_name", "hidden", "hidden"])
        return [
            "def __getattr__(name):", f"    if name == {wanted!r}:", f"        return {answer}",
            "    raise AttributeError(name)",
        ]  # fmt: skip

    # --- expressions ---------------------------------------------------------------------------------------------

    def expression(self, scope: Scope) -> str:
        kind = self.number(0, 11)
        if kind <= 4:
            return self.one(["True", "False", "None", "1", "'x'"])
        if kind == 5:
            return self.any_name(scope)
        if kind == 6:
            return self.probe()
        if kind == 7:
            return f"{self.one(['1', 'None', self.any_name(scope)])} if {self.test(scope)} else {self.one(['2', 'False', self.any_name(scope)])}"
        if kind == 8:
            return f"{self.test(scope)} {self.one(['and', 'or'])} {self.test(scope)}"
        if kind == 9:
            return f"not {self.any_name(scope)}"
        if kind == 10:
            return f"({self.one([True, False])!r}, {self.one(['gone', 'here'])!r})"
        return self.test(scope)

    def test(self, scope: Scope) -> str:
        name = self.any_name(scope)
        kind = self.number(0, 11)
        if kind <= 3:
            return name
        if kind == 4:
            return f"not {name}"
        if kind == 5:
            return f"{name} is {self.one(['None', 'not None', 'True', 'False'])}"
        if kind == 6:
            return f"({name} {self.one(['and', 'or'])} {self.any_name(scope)})"
        if kind == 7:
            return self.probe()
        if kind == 8:
            return self.one(
                [
                    "sys.version_info >= (3, 8)",
                    "sys.version_info[:2] < (3, 5)",
                    "TYPE_CHECKING",
                    "not TYPE_CHECKING",
                    "sys.platform == 'win32'",
                ]
            )
        if kind == 9:
            return f"{self.one([*ABSENT, 'side', 'pkg.one'])!r} {self.one(['in', 'not in'])} sys.modules"
        if kind == 10:
            return f"{name} == {self.one(['1', 'None', 'True'])}"
        return f"({self.name('q')} := {name})"
