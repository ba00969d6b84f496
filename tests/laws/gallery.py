"""Small pieces for random programs, each of which takes evaluation to a place that is seldom come to otherwise.

`$n` stands for a number of its own, `$flag` for one of the flags, `$root` and `$gone` for a root and for an absent one.
"""

from __future__ import annotations

from string import Template
from typing import Any

from tests.laws.gallery_of_modules import CIRCLES
from tests.laws.gallery_of_values import ANSWERS, UNSEEN

Lines = list[str]

NAMES = (
    "import here\nif here.is_good():\n    max = None\n$flag = max is None",
    "def f$n():\n    global $flag\n    $flag = 1\n    return $flag\nG$n = f$n()",
    "import here\ndef f$n():\n    global $flag\n    if here.is_good():\n        $flag = 2\n    return 3\nG$n = f$n()",
    "import here\nG$n = None\ndef f$n():\n    global G$n\n    G$n = here.thing\nf$n()\nf$n()",
    "def f$n():\n    c$n = 0\n    def g$n():\n        def h$n():\n            nonlocal c$n\n            c$n = 1\n        h$n()\n    g$n()\n    return c$n\n$flag = f$n()",
    "import here\nL$n = []\ndef f$n():\n    if here.is_good():\n        L$n.append(1)\nf$n()\n$flag = L$n == [2]",
    "import here\ndel here\n$flag = here",
    "def f$n():\n    global G$n\n    try:\n        import $root\n        G$n = 1\n    except ImportError:\n        pass\nf$n()\n$flag = G$n",
    "from here import *\n$flag = find_spec('$gone')",
    "C$n = type(sys)\nsys.modules[__name__].__class__ = type('M$n', (C$n,), {})",
    "import here\nglobals()[str(here)] = 1",
    "import here\nvars(here)['x$n'] = 1\nv$n = vars(here)",
    "import here\nhere.thing.x = 1",
    "import here\n$flag = here in globals()",
    "import here\nif here.is_good():\n    y$n = 1\n$flag = 'y$n' in globals() and 2",
    "y$n = 3\n$flag = globals()['y$n']",
    "$flag = globals()['not_there']",
    "globals().setdefault('y$n', 1)\n$flag = y$n",
    "import here\nglobals().update(here.more)\n$flag = globals().get(here, 1)",
    "def f$n():\n    a = 1\n    return locals()\nv$n = f$n()",
    "class C$n:\n    n = 1\nC$n.n += 1\n$flag = C$n.n",
    "D$n = {'a': 1}\nD$n['a'] += 2\n$flag = D$n['a']",
    "D$n = {'a': 1}\ndel D$n['a']\n$flag = D$n.get('a')",
    "class C$n:\n    n = 1\ndel C$n.n\n$flag = C$n.n",
    "class C$n:\n    x: int\n    y: int = 2\n$flag = C$n.y",
    "class C$n:\n    x: int\n$flag = C$n.x",
    "def f$n():\n    x: int = 4\n    return x\n$flag = f$n()",
    "D$n: int\n$flag = D$n",
    "a$n, b$n = (1, 2, 3)",
    "import os\na$n, b$n = os.path.split('x/y')\n$flag = b$n is None",
    "import here\nclass C$n:\n    if here.is_good():\n        F0 = 1\n    v = F0\n$flag = C$n.v == 7",
    "import here\nG$n = None\ndef f$n():\n    global G$n\n    G$n = here.thing(1)\nf$n()\nf$n()\n$flag = G$n == 5",
    "class C$n:\n    n, m = 1, 2\nD$n = {'a': 1}\ndel C$n.n, D$n['a'], (C$n.m)\n$flag = D$n == {}",
    "class C$n:\n    n = 1\ndel C$n.nothing",
    "class C$n: pass\nv$n = C$n()\nv$n.x = v$n.y = 1\ndel (v$n.x, v$n.y)\n$flag = v$n.x",
    "import side\nside.added = 1\ndel side.added\n$flag = side.added",
    "L$n = [1, 2, 3]\ndel L$n[0]\n$flag = L$n[0]",
    "L$n = [1, 2]\ndel L$n[5]",
    "D$n = {}\ndel D$n['a']",
    "D$n = {'a': {'b': 1}}\ndel D$n['a']['b']",
    "y$n = 1\ndel globals()['y$n']\n$flag = y$n",
    "import here\nif here.is_good():\n    D$n = {'a': 1}\n    del D$n['a']",
    "from here import *\ndel not_there$n",
    "$flag = __debug__",
    "v$n = globals().keys()\nw$n = vars().items()",
    "import here\nclass C$n:\n    kind = 1\nif here.is_good():\n    del C$n.kind\nv$n = C$n",
    "a$n, (b$n, *c$n) = 1, (2, 3, 4)\n$flag = c$n == [3, 4]",
)  # fmt: skip
"""How names and attributes are bound, and where they are looked for."""

CALLS = (
    "import here\ndef f$n(*a):\n    return 1\n$flag = f$n(*here.parts)",
    "import here\nx$n = here.thing\nx$n.append(1)",
    "import json\njson()",
    "def f$n(n):\n    return 0 if n == 0 else f$n(n - 1)\n$flag = f$n(40)",
    "import here\ndef f$n():\n    return 1\nif here.a():\n    if here.b():\n        if here.c():\n            y$n = f$n()",
    "import functools\n@functools.cache\ndef f$n(x):\n    return find_spec(x)\nf$n('$root')\n$flag = f$n('$root') is None",
    "import here\ndef f$n(x):\n    return here.thing(x)\nf$n(1)\nf$n(2)\nf$n(3)\nf$n(4)\n$flag = f$n(5) is None",
    "import here\nclass C$n:\n    def __init__(self, x):\n        here.log(x)\nC$n(1)\nC$n(2)\nC$n(3)\nC$n(4)\nv$n = C$n(5)",
    "def f$n():\n    for i in range(90):\n        for j in range(40):\n            x = j\n    return 1\n$flag = f$n()",
    "def g$n():\n    for i in range(90):\n        for j in range(40):\n            x = j\ndef f$n():\n    g$n()\n    return 1\n$flag = f$n()",
    "class C$n:\n    def __init__(self):\n        for i in range(90):\n            for j in range(40):\n                self.x = j\nv$n = C$n()",
    "class M$n(type): pass\nclass C$n(metaclass=M$n): pass\n$flag = C$n() is None",
    "class M$n(type): kind = 1\nclass C$n(metaclass=M$n): pass\n$flag = C$n.kind",
    "class C$n:\n    def __new__(cls):\n        return 5\n$flag = C$n()",
    "$flag = bool(ValueError('x'))",
    "import here\nclass C$n(here.Base): pass\n$flag = bool(C$n())",
    "import here\nclass C$n(here.Base): pass\nv$n = C$n()\nv$n.given = 1\n$flag = v$n.given",
    "import here\nclass C$n(here.Base):\n    def __init__(self):\n        super().__init__()\nv$n = C$n()",
    "class D$n:\n    def __call__(self, x): return x\n@D$n()\nclass C$n: kind = 1\n$flag = C$n.kind",
    "class D$n:\n    def __call__(self, x): return None\n@D$n()\nclass C$n: kind = 1\n$flag = C$n",
    "@find_spec\ndef f$n(): pass",
    "@sys\ndef f$n(): pass",
    "import here\n@here.deco\ndef f$n(): pass\n@here.deco(here)\ndef g$n(): pass\n@here.deco.made(here)\nclass C$n: pass\nv$n = C$n",
    "import functools, here\n@functools.cache\n@here.deco\ndef f$n(): return 1\nv$n = f$n",
    "def d$n(f): return f\n@d$n\ndef a$n(): return 1\n@d$n\ndef b$n(): return 2\n@d$n\ndef c$n(): return 3\n@d$n\ndef e$n(): return 4\n@d$n\ndef g$n(): return 5\n$flag = g$n()",
    "import functools\n@functools.singledispatch\ndef f$n(x): return 1\n@f$n.register\ndef g$n(x: int) -> missing_name: return 2",
    "import functools\ndef f$n(): return 6\ng$n = functools.cache(f$n)\n$flag = g$n()\ng$n.cache_clear()",
    "import functools\nclass C$n:\n    @functools.cached_property\n    def p(self): return 7\n$flag = C$n().p",
    "import functools\ndef d$n(f):\n    @functools.wraps(f)\n    def inner(): return f()\n    return inner\n@d$n\ndef f$n(): return 8\n$flag = f$n.__name__\nv$n = f$n.__wrapped__",
    "import here\ne$n = here.OddError('x')",
    "class A$n:\n    kind = 9\n    @classmethod\n    def made(cls): return cls.kind\n    @staticmethod\n    def plain(): return 1\n    def own(self): return 2\nclass C$n(A$n):\n    def x(self): return super().made(), super().plain(), super().own(), super().kind\n$flag = C$n().x() == (9, 1, 2, 9)",
    "class A$n: pass\nclass B$n:\n    def own(self): return 2\nclass C$n(A$n, B$n):\n    def own(self): return super().own()\n$flag = C$n().own()",
    "class C$n:\n    def __init__(self):\n        super().__init__()\n        self.x = 1\n$flag = C$n().x",
    "class C$n(Exception):\n    def __init__(self, *a):\n        super().__init__(*a)\n        self.x = 1\n$flag = C$n(1).x",
    "class B$n:\n    def __init_subclass__(cls, **given): pass\nclass C$n(B$n, x=1): pass\n$flag = C$n is None",
    "import here\nclass A$n: pass\nclass B$n: pass\nD$n = A$n if here.is_good() else B$n\nclass C$n(D$n): pass\nv$n = C$n()",
    "b$n = ValueError('no')\nclass C$n(b$n): pass",
    "import pkg, here\nclass C$n:\n    def own(self): return 1\nv$n = here.good(pkg)\n$flag = here.good(C$n().own) is None",
    "any(1, 2)",
    "import here\n$flag = any(here.parts) and 1",
    "import here\nv$n = '-'.join(here.parts)\n$flag = v$n.upper() == 'X'",
    "import here\n$flag = '{}'.format(here) is None",
    "f$n = (lambda *a, k=1, **b: k)\n$flag = f$n(1, k=2, z=3)",
    "def f$n(**given): return given\nv$n = f$n(a=1)",
    "$flag = (lambda: 1).__name__ == 'x'",
    "import functools\n@functools.cache\ndef f$n(): return 1\n$flag = f$n.__wrapped__()",
    "class C$n: kind = 3\nv$n = C$n.mro\nw$n = C$n().__doc__\n$flag = C$n().__class__.kind",
    "e$n = ValueError('x')\n$flag = e$n.args == ('x',)\nv$n = e$n.with_traceback\nw$n = e$n.nothing",
    "v$n = ValueError('x')()",
    "class C$n:\n    def __getattr__(self, name):\n        if name == 'hidden': return 4\n        raise AttributeError(name)\n$flag = C$n().hidden",
    "class C$n:\n    def __getattr__(self, name):\n        if name == 'hidden': return 4\n        raise AttributeError(name)\n$flag = C$n().other",
    "import side\n@side\ndef f$n(): pass",
    "import side\nside()",
    "from importlib.metadata import distribution\nd$n = distribution('here')\n$flag = d$n.version\nd$n()",
    "import functools\n@functools.singledispatch\ndef f$n(x): return 1\n@f$n.register\ndef g$n(x: int) -> int: return 2\n$flag = f$n('x') is None",
    "import functools\n@functools.singledispatch\ndef f$n(x): return 1\n@f$n.register\ndef g$n(x: True): return 2",
    "import here\n@contextmanager\n@here.deco\ndef f$n():\n    yield\nwith f$n():\n    import $root",
    "def f$n():\n    with suppress(ImportError):\n        import $root\n        return 1\n    return 2\n$flag = f$n()",
    "class C$n:\n    def __new__(cls, *a): return super().__new__(cls)\n    kind = 2\n$flag = C$n(1).kind",
    "class C$n: pass\nC$n(1)",
    "class M$n(type):\n    def __getattr__(cls, name): return 5\nclass C$n(metaclass=M$n): pass\nv$n = C$n.other",
    "import here\n@here.deco\ndef f$n(): pass\nv$n = f$n.__name__, f$n.__doc__",
    "v$n = find_spec('here').origin\n$flag = v$n is True",
    "import here\n$flag = find_spec('here' if here.is_good() else '$gone') is None",
    "import here\nfrom packaging.version import Version\nv$n = Version('1.' + str(len(sys.path)))",
    "class C$n:\n    def __eq__(self, other): return other == 1\n$flag = C$n() == 1\nv$n = C$n() != 1",
    "def f$n(): pass\nf$n.known = 3\n$flag = f$n.known",
)  # fmt: skip
"""Calls of all kinds, and what they are wrapped in."""

VALUES = (
    "import here\nD$n = {here: 1, 'a': 2}\n$flag = D$n['a']",
    "import here\nv$n = 'b' in {here: 1}",
    "import here\nv$n = [n for n in (1, 2) if here.is_good()]\n$flag = v$n is None",
    "import here\nv$n = [x for x in here.parts if x]\n$flag = v$n == 1",
    "import here\nv$n = {x: x for x in here.parts if 1 if not 0}",
    "import here\nv$n = {x for x in here.parts if False}",
    "import here\nv$n = [x.a for x in here.parts if here.HAS_IT and x.b]",
    "v$n = [(a, b) for a in (1, 2) for b in (3, 4)]\n$flag = v$n is None",
    "class C$n:\n    import here\n    v = [n for n in (1, 2) if here.is_good()]",
    "class C$n:\n    n = (1, 2)\n    v = [x for x in n]\n    w = {x for x in here.parts if n}",
    "class C$n:\n    n = (1, 2)\n    v = tuple(x for x in n)\n$flag = C$n.v == (1, 2)",
    "import here\nv$n = {n.x: 1 for n in (here,)}",
    "class C$n:\n    def __class_getitem__(cls, key): return cls\n$flag = C$n[int] is None",
    "class C$n: pass\nv$n = C$n[int]",
    "class C$n(list): pass\nv$n = C$n[int]",
    "try:\n    import $gone\nexcept ImportError:\n    $gone = None\nv$n = $gone['x']",
    "try:\n    import $root as o$n\nexcept ImportError:\n    o$n = None\nv$n = o$n.attr",
    "v$n = {1}[0]",
    "v$n = {'a': 1}.keys()[0]",
    "v$n = (1, 2, 3)[len(sys.path) - len(sys.path):]",
    "import here\n$flag = here.thing.__module__ == '$gone'\nv$n = here.thing.__module__[0]",
    "import here\nv$n = here.__name__\n$flag = v$n == 'here'",
    "$flag = {'a': 4}.copy() is None",
    "import here\nv$n = {'a': 1}.get(here)",
    "import here\n$flag = here != 1 and 3",
    "import here\n$flag = None is here.thing",
    "import here\n$flag = (here.thing == 1) is None",
    "import here\n$flag = (here.is_good() and find_spec('$root')) is None",
    "import here\n$flag = (1 + (1 if here.is_good() else 2)) == 7",
    "import here\nv$n = here.is_good() and missing_name",
    "import here\nv$n = here.is_good() or missing_name",
    "import here\nv$n = missing_name if here.is_good() else 1",
    "import here\n$flag = 1 < len(sys.path)",
    "import sys\n$flag = sys.nothing",
    "import here\n$flag = bool({'a': here}) and bool({}) is False",
    "import here\nv$n = f'{here}x'\n$flag = v$n is None\nw$n = v$n.nothing",
    "import here\n$flag = not here.is_good()\nv$n = $flag.nothing",
    "import here\n@(not here.is_good())\ndef f$n(): pass",
    "import os\n$flag = os()",
    "$flag = pkg_not_there if False else 5",
    "s$n = find_spec('here')\nc$n = s$n == None\n@c$n\ndef f$n(): pass",
)  # fmt: skip
"""Displays, comparisons, and what is only partly known."""

MODULES = (
    "import here\nif here.is_good():\n    maybe_bound = 1",
    "import side\n$flag = side.maybe_bound",
    "import pkg\n$flag = pkg.hidden",
    "from pkg import hidden as v$n",
    "from side import hidden as v$n",
    "from side import maybe_bound as v$n",
    "sys.modules['pkg.added'] = sys\nimport pkg.added\nfrom pkg import added as v$n\n$flag = v$n is sys",
    "sys.modules['here.added'] = sys\nfrom here import added as v$n",
    "sys.modules['$gone'] = sys\n$flag = sys.modules['$gone'] is sys",
    "sys.modules['$gone'] = sys\n$flag = sys.modules['$gone'].nothing",
    "import here\n$flag = str(here) in sys.modules",
    "$flag = 'pkg.nothing' in sys.modules",
    "$flag = 'json' in sys.modules and None",
    "v$n = sys.modules['os']",
    "v$n = sys.modules['side']",
    "import here\nif here.is_good():\n    sys.modules['$gone'] = here\n$flag = '$gone' in sys.modules\nv$n = find_spec('$gone.part')",
    "import here\ndef f$n():\n    if here.is_good():\n        import side\nf$n()\n$flag = 'side' in sys.modules",
    "import here\ndef f$n():\n    if here.is_good():\n        import pkg.two\nf$n()\nimport pkg.two",
    "import here\ndef f$n():\n    if here.is_good():\n        import pkg.sub.deep\nf$n()\nf$n()",
    "$flag = find_spec('xml.dom') is None",
    "$flag = import_module('..nothing', 'pkg')",
    "import here\nv$n = import_module(str(here)[:0] + 'json')",
    "from importlib.metadata import metadata, requires\nv$n = metadata('here')\nw$n = requires('here')",
    "try:\n    import pkg.sub\nexcept Exception:\n    pass\nimport pkg.sub.deep as m$n",
    "try:\n    import pkg\nexcept Exception:\n    pass\nimport pkg.sub.deep",
    "try:\n    import pkg.sub.deep\nexcept Exception:\n    pass\nimport pkg.sub.deep as m$n\n$flag = m$n.missing_name",
    "import space.item\n$flag = space.item.F0",
    "from space import item as m$n",
    "from space import nothing as m$n",
    "import space.nothing",
    "import space\n$flag = space.item",
    "$flag = find_spec('space.item') is None\nv$n = find_spec('space') is None",
    "import pkgutil, pkg\n$flag = pkg.nothing",
    "import pkg.one\n$flag = pkg.two",
    "sys.modules['pkg.added'] = sys\nimport pkg.added.more",
    "sys.modules[str(sys)] = sys\n$flag = str(sys) in sys.modules",
    "import here\nsys.modules['colorsys'] = here.thing()\nimport colorsys",
    "class K$n: kind = 6\nsys.modules['$gone'] = K$n()\nfrom $gone import kind as v$n\n$flag = v$n",
    "class K$n: kind = 6\nsys.modules['$gone'] = K$n()\nfrom $gone import nothing as v$n",
    "sys.modules['$gone'] = sys\n$flag = '$gone' in sys.modules",
    "import here\nif here.is_good():\n    sys.modules['$gone'] = sys\n$flag = find_spec('$gone') is None",
    "v$n = sys.modules[str(sys)[:0] + 'sys']",
    "import side\nif hasattr(side, 'maybe_bound'):\n    v$n = 1\nw$n = side.maybe_bound",
    "from side import maybe_bound as v$n\n$flag = v$n == 5",
    "from pkg import hidden as v$n\n$flag = v$n == 8",
    "import side\n$flag = side.unseen",
    "from side import unseen as v$n",
    "from pkg import F1 as v$n, one as w$n",
    "from pkg import one as w$n\n$flag = w$n.F1",
    "import pkg.sub.deep as m$n\nimport pkg.sub.deep as k$n\n$flag = m$n is k$n",
    "import os\nv$n = os.environ['HOME']\nw$n = os.environ.get('CI', 'x')",
    "from json import nothing as v$n",
    "from os import path as v$n, nothing as w$n",
)  # fmt: skip
"""Modules that are half there, put there, or looked for in odd ways."""

STATEMENTS = (
    "try:\n    raise ValueError('x')\nexcept ValueError as error:\n    $flag = 1\n    raise error",
    "try:\n    import $root\nexcept ImportError as error:\n    raise error",
    "def f$n(): raise\ntry:\n    f$n()\nexcept RuntimeError:\n    $flag = 'nothing to raise'",
    "import here\nassert here.is_good()\n$flag = 1",
    "import here\nE$n = ValueError if here.is_good() else KeyError\ntry:\n    import $root\n    raise ValueError\nexcept E$n:\n    v$n = 1\nexcept ImportError:\n    $flag = 2",
    "import here\nwith here.lock:\n    import $root",
    "import here\nwith here.lock as l$n, suppress(ImportError):\n    import $root\n    $flag = 1",
    "from contextlib import ExitStack\nclass W$n(ExitStack): pass\nwith W$n() as w$n:\n    import $root",
    "with suppress(ImportError):\n    import $root\n    import $root.part\n    if find_spec('$gone'):\n        raise ImportError\n    $flag = 1",
    "import here\nfor x$n in (1, 2):\n    if here.is_good():\n        continue\n    $flag = x$n",
    "import here\nfor x$n in here.parts:\n    break\nelse:\n    v$n = 1",
    "for x$n in range(3):\n    pass\n$flag = x$n",
    "import here\nwhile here.HAS_IT:\n    $flag = None\n    break",
    "import here\ntry:\n    if here.is_good():\n        raise ValueError\n    v$n = 1\nexcept ValueError:\n    v$n = 2\nfinally:\n    $flag = 3",
    "with suppress(ImportError, ValueError):\n    if not find_spec('$gone'):\n        import $root\n    $flag = 1",
    "import here\nwith suppress(ImportError):\n    if here.is_good():\n        import $gone\n    v$n = 1",
    "class W$n:\n    def __enter__(self): return self\n    def __exit__(self, *given): raise LookupError\nwith W$n():\n    v$n = 1",
    "import here\nfor x$n in (1, 2):\n    with suppress(ImportError):\n        import $root\n        break\n    $flag = x$n",
    "import here\nif here.a():\n if here.b():\n  if here.c():\n   if here.d():\n    if here.e():\n     if here.f():\n      if here.g():\n       if here.h():\n        if here.i():\n         import $gone",
    "while find_spec('$gone'):\n    $flag = 1\n    break\nv$n = $flag",
    "match find_spec('$root'):\n    case None:\n        $flag = 1\n    case _:\n        $flag = 2",
    "import here\nmatch here.thing:\n    case 1:\n        v$n = 1\n    case str() as s$n:\n        v$n = 2\n    case _:\n        v$n = 3",
    "async def f$n():\n    import $gone\n    await f$n()\nv$n = f$n",
    "def g$n():\n    yield 1\n$flag = [x for x in g$n()] is None",
    "if not find_spec('$root'):\n    def f$n(): raise RuntimeError\n    f$n()",
    "def f$n(n):\n    if n:\n        raise ImportError('x')\n    return 1\ntry:\n    $flag = f$n(find_spec('$root'))\nexcept ImportError:\n    $flag = 2",
)  # fmt: skip
"""Ways through statements."""


PIECES = (*NAMES, *CALLS, *VALUES, *MODULES, *STATEMENTS, *ANSWERS, *UNSEEN, *CIRCLES)


FIRST = (*PIECES, *CIRCLES)
"""What a program begins with is drawn from these: what takes several modules stands nowhere else."""


def apart(text: str) -> tuple[Lines, dict[str, Lines]]:
    """The lines of a piece, and those that it writes at the end of other modules."""
    lines: Lines = []
    others: dict[str, Lines] = {}
    for line in text.split("\n"):
        if line.startswith("#"):
            module, _, rest = line[1:].partition(": ")
            others.setdefault(module, []).append(rest)
        else:
            lines.append(line)
    return lines, others


def drawn(writer: Any, scope: Any, kind: tuple[str, ...] = PIECES) -> Lines:
    """One of the pieces of a kind."""
    writer.fresh += 1
    text = Template(writer.one(kind)).substitute(
        n=writer.fresh, flag=writer.one(writer.flags), root=writer.root(), gone=writer.one(["gone", "lost"])
    )
    if (scope.function and "global " in text) or ((scope.function or scope.depth) and "import *" in text):
        return ["pass"]  # what is global in one function need not be so in the next; stars stand in modules only
    lines, others = apart(text)
    for module, more in others.items():
        writer.more.setdefault(module, []).extend(more)
    return lines


def piece(kind: tuple[str, ...]) -> Any:
    """What draws one of the pieces of a kind."""
    return lambda writer, scope: drawn(writer, scope, kind)


GALLERY = tuple((len(kind) / 128, piece(kind)) for kind in (NAMES, CALLS, VALUES, MODULES, STATEMENTS, ANSWERS, UNSEEN))
"""How often each kind is drawn, beside the plain statements."""
