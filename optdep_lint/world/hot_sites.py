"""The functions and classes of a project, where they stand."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass

from optdep_lint.facts import syntax
from optdep_lint.facts.syntax import Block
from optdep_lint.facts.walk import last_name, parts_of
from optdep_lint.world.evaluation import Evaluation
from optdep_lint.world.values import Choice, ClassValue, FunctionValue, Known, Method, Value

PREPARING = frozenset(
    {"__init__", "__new__", "__post_init__", "__init_subclass__", "__del__", "__repr__", "extra_repr"}
)
"""Functions that prepare: heat does not go into them."""
_MOST_HEIRS = 200
_KEEPING = re.compile(r"(^|_)(cached?|memoi[sz]ed?|memo|once|singleton)($|_)|^cached|(Cache|Memo|Once)", re.IGNORECASE)
"""What decorators are called that compute a result once."""


@dataclass(frozen=True, slots=True, eq=False)
class Site:
    """A function of the project, where it stands."""

    module: str
    name: str
    """Dotted within its module."""
    node: syntax.Function
    owner: ClassValue | None = None
    outer: Site | None = None


class Sites:
    """Finds the functions and classes of a project."""

    def __init__(self, base: Evaluation) -> None:
        self.base = base
        self._sites: dict[int, Site] = {}
        self._heirs: dict[int, list[ClassValue]] = defaultdict(list)
        self.classes: dict[int, ClassValue] = {}
        """The classes of the project, by the identity of their syntax."""
        for module in base.modules.values():
            for value in module.namespace.values():
                self._note_classes(value)

    def _note_classes(self, value: Value) -> None:
        for one in alternatives(value):
            if isinstance(one, ClassValue) and one.node is not None and id(one.node) not in self.classes:
                self.classes[id(one.node)] = one
                for base in one.bases:
                    self._heirs[id(base)].append(one)
                for inner in one.names.values():
                    self._note_classes(inner)

    # --- functions -----------------------------------------------------------------------------------------------

    def sites(self, module: str) -> Iterator[Site]:
        """The functions at the top of a module and in its classes."""
        yield from self._sites_in(self.base.tree.sources[module].summary.body, module, "", None, None)

    def inner_sites(self, site: Site) -> Iterator[Site]:
        """The functions that are defined while a function runs."""
        yield from self._sites_in(self.body(site), site.module, f"{site.name}.", None, site)

    def _sites_in(
        self, block: Block, module: str, prefix: str, owner: ClassValue | None, outer: Site | None
    ) -> Iterator[Site]:
        for statement in block:
            if isinstance(statement, syntax.Function):
                yield self.site(module, f"{prefix}{statement.name}", statement, owner, outer)
            elif isinstance(statement, syntax.Class):
                class_ = self.classes.get(id(statement))
                yield from self._sites_in(statement.body, module, f"{prefix}{statement.name}.", class_, outer)
            else:
                for _, part in parts_of(statement):
                    yield from self._sites_in(part, module, prefix, owner, outer)

    def site(self, module: str, name: str, node: syntax.Function, owner: ClassValue | None, outer: Site | None) -> Site:
        """The one Site of a function."""
        site = self._sites.get(id(node))
        if site is None:
            site = self._sites[id(node)] = Site(module, name, node, owner, outer)
        return site

    def site_of(self, value: FunctionValue) -> Site | None:
        """Where a function stands; None for a lambda."""
        if not isinstance(value.node, syntax.Function):
            return None
        name = f"{value.owner.name}.{value.node.name}" if value.owner is not None else value.node.name
        return self.site(value.module.name, name, value.node, value.owner, None)

    def body(self, site: Site) -> Block:
        """The statements of a function."""
        return self.base.tree.sources[site.module].summary.body_of(site.node.body)

    def path(self, site: Site) -> str:
        """The file that a function stands in."""
        return self.base.tree.sources[site.module].path

    def is_kept(self, site: Site) -> bool:
        """A decorator keeps its result, so that its body runs once."""
        return any(_KEEPING.search(last_name(decorator)) for decorator in site.node.decorators)

    def heirs(self, class_: ClassValue) -> list[ClassValue]:
        """The class and all that inherit from it."""
        found = [class_]
        for one in found:
            if len(found) > _MOST_HEIRS:
                break
            found += [heir for heir in self._heirs.get(id(one), ()) if heir not in found]
        return found


def alternatives(value: Value | None) -> Iterator[Value]:
    """The values that a name may have, decorators of unknown effect taken off."""
    match value:
        case None:
            return
        case Choice(yes=yes, no=no):
            yield from alternatives(yes)
            yield from alternatives(no)
        case Known(model="decorated" | "partial" | "context factory", parts=(Value() as inner, *_)):
            yield from alternatives(inner)
        case Method(function=function):
            yield from alternatives(function)
        case _:
            yield value
