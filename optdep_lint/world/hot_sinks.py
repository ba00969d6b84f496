"""What a function pays for on every call: imports, imports that fail over, and questions whose answer does not change."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from optdep_lint.facts import syntax
from optdep_lint.facts.syntax import Expression
from optdep_lint.facts.walk import expressions, names_read, statements
from optdep_lint.world.hot_scope import Scopes
from optdep_lint.world.hot_sites import Site
from optdep_lint.world.hot_walk import Attempt, Happening, Region
from optdep_lint.world.stdlib import is_stdlib_root
from optdep_lint.world.survey import Survey
from optdep_lint.world.values import Constant, External

_FINDERS = frozenset({
    "importlib.util.find_spec", "importlib.find_loader", "pkgutil.find_loader", "importlib.machinery.PathFinder.find_spec",
    "imp.find_module",
})  # fmt: skip
_IMPORTERS = frozenset({"importlib.import_module", "builtins.__import__"})
_DISTRIBUTIONS = frozenset({
    *(f"{module}.{name}" for module in ("importlib.metadata", "importlib_metadata") for name in ("version", "distribution", "metadata", "requires")),
    "pkg_resources.get_distribution", "pkg_resources.require",
})  # fmt: skip
_VERSIONS = frozenset({
    "packaging.version.parse", "packaging.version.Version", "distutils.version.LooseVersion", "distutils.version.StrictVersion",
    "pkg_resources.parse_version", "looseversion.LooseVersion",
})  # fmt: skip
_ASKING = re.compile(r"(importlib|importlib_metadata|pkgutil|pkg_resources|packaging|distutils|looseversion)\b")
"""What a module imports that asks for what is installed."""
_PROBES = _FINDERS | _IMPORTERS | _DISTRIBUTIONS | _VERSIONS
_PROBE_NAMES = frozenset(path.rpartition(".")[2] for path in _PROBES)


class Sink(NamedTuple):
    """Something that is paid for each time."""

    kind: str
    """`import`, `fallback` or `probe`: each is one rule's."""
    path: str
    at: int
    subject: str
    """What is imported or asked for, dotted."""
    root: str | None
    """The optional root behind it."""
    did: str
    """What happens, in words."""
    loop: int | None
    """The line of the loop around it."""
    sometimes: bool = False
    """Not on every turn of that loop."""
    for_effect: bool = False
    """Nothing that the import binds is used: it is there for what importing does."""


class SinkWords(NamedTuple):
    """The words of sinks: one of the first in an import statement, or one of the others anywhere."""

    imported: frozenset[str]
    called: frozenset[str]


class Sinks:
    """Recognizes what is paid for each time."""

    def __init__(self, survey: Survey, scopes: Scopes) -> None:
        self._survey, self._scopes = survey, scopes
        self._strict = survey.config.strict

    def words_in(self, module: str) -> SinkWords | None:
        """What any function of the module that holds a sink spells; None where any function may hold one."""
        if self._strict:
            return None
        asks = self._survey.tree.sources[module].summary.asks
        imported = frozenset(name.partition(".")[0] for name in asks if self._root(name))
        words = {"__import__"}
        if any(_ASKING.match(name) for name in asks):
            namespace = self._survey.base.modules[module].namespace
            words |= {
                name for name, value in namespace.items() if getattr(value, "path", None) in _PROBES
            } | _PROBE_NAMES
        return SinkWords(imported, frozenset(words))

    def of(self, site: Site, happenings: Iterable[Happening], call: syntax.Call | None) -> Iterator[Sink]:
        """The sinks among what happens in a function; `call` is the call by which it was entered."""
        attempts: set[int] = set()
        for node, region in happenings:
            for found in self._sinks(node, region, site, call):
                sink = found._replace(sometimes=region.sometimes)
                attempt = self._attempt(sink, region) if sink.kind == "import" else None
                if attempt is None:
                    yield sink
                elif attempt.at not in attempts:
                    attempts.add(attempt.at)
                    did = f"tries to import `{sink.subject}`, and goes on where that fails"
                    yield sink._replace(kind="fallback", at=attempt.at, did=did)

    def _attempt(self, sink: Sink, region: Region) -> Attempt | None:
        """The outermost `try` that decides by the import's failure which way to go."""
        for attempt in region.attempts:
            if attempt.explicit or getattr(attempt.first, "at", None) == sink.at:
                return attempt
        return None

    def _sinks(
        self, node: Expression | syntax.Import | syntax.ImportFrom, region: Region, site: Site, call: syntax.Call | None
    ) -> Iterator[Sink]:
        match node:
            case syntax.Import() | syntax.ImportFrom():
                yield from self._import(node, region, site)
            case syntax.Call():
                yield from self._call(node, region, site, call)

    # --- imports -------------------------------------------------------------------------------------------------

    def _import(self, node: syntax.Import | syntax.ImportFrom, region: Region, site: Site) -> Iterator[Sink]:
        subjects = self._imported(node, site)
        wanted = [name for name in subjects if self._root(name)] or (subjects if self._strict else [])
        if not wanted:
            return
        subject = wanted[0] if isinstance(node, syntax.Import) else self._scopes.absolute(node, site.module)
        path, root = self._scopes.path(site), self._root(wanted[0])
        if self._only_asks(node, site, root or subject) and region.attempts:
            yield Sink(
                "probe", path, node.at, subject, root, f"imports `{subject}` to see whether that works", region.loop
            )
            return
        unused = not self._is_used(node, site)
        yield Sink("import", path, node.at, subject, root, f"imports `{subject}`", region.loop, for_effect=unused)

    def _imported(self, node: syntax.Import | syntax.ImportFrom, site: Site) -> list[str]:
        if isinstance(node, syntax.Import):
            return [alias.name for alias in node.names]
        origin = self._scopes.absolute(node, site.module)
        return [origin if alias.name == "*" else f"{origin}.{alias.name}" for alias in node.names]

    def _root(self, dotted: str) -> str | None:
        """The optional root of a name."""
        if self._survey.tree.owns(dotted):
            return None
        root = self._survey.declared.root_of(dotted)
        return root if root in self._survey.declared.optional else None

    def _is_used(self, node: syntax.Import | syntax.ImportFrom, site: Site) -> bool:
        bound = {alias.asname or alias.name.partition(".")[0] for alias in node.names}
        summary = self._survey.tree.sources[site.module].summary
        return "*" in bound or not bound.isdisjoint(names_read(summary, self._scopes.body(site)))

    def _only_asks(self, node: syntax.Import | syntax.ImportFrom, site: Site, root: str) -> bool:
        """The function makes nothing of what it imports but an answer: True or False, or a version."""
        if self._is_used(node, site):
            return False
        every = list(statements(self._scopes.body(site)))
        answers = [one.value for one in every if isinstance(one, syntax.Return)]
        operations = {part.name for one in every for part in expressions(one) if isinstance(part, syntax.Attribute)}
        return bool(answers) and root.partition(".")[0] not in operations

    # --- calls ---------------------------------------------------------------------------------------------------

    def _call(self, node: syntax.Call, region: Region, site: Site, call: syntax.Call | None) -> Iterator[Sink]:
        for value in self._scopes.meanings(node.function, site):
            if isinstance(value, External):
                asked = self._asked(value.path, node, region, site, call)
                if asked is not None:
                    subject, did = asked
                    yield Sink(
                        "probe", self._scopes.path(site), node.at, subject, self._root(subject), did, region.loop
                    )
                    return

    def _asked(
        self, path: str, node: syntax.Call, region: Region, site: Site, call: syntax.Call | None
    ) -> tuple[str, str] | None:
        """What a call asks for, and in words; None where it asks for nothing, or for something else each time."""
        last = path.rpartition(".")[2]
        if path in _VERSIONS:
            return self._version(node, site)
        if path not in _FINDERS | _IMPORTERS | _DISTRIBUTIONS or not node.arguments:
            return None
        text = self._text(node.arguments[0], region, site, call)
        if text is None or text.startswith("."):
            return None
        if path in _IMPORTERS:
            root = self._root(text)
            return (text, f"imports `{text}` by {last}()") if root or self._strict else None
        if path in _FINDERS and (self._survey.tree.owns(text) or is_stdlib_root(text.partition(".")[0])):
            return None
        return text, f'asks {last}("{text}")'

    def _version(self, node: syntax.Call, site: Site) -> tuple[str, str] | None:
        for argument in node.arguments:
            match argument:
                case syntax.Attribute(value=held, name="__version__"):
                    for value in self._scopes.values(held, site, site.module):
                        if isinstance(value, External) and not is_stdlib_root(value.path.partition(".")[0]):
                            return value.path, f"parses the version of `{value.path}`"
        return None

    def _text(self, node: Expression, region: Region, site: Site, call: syntax.Call | None) -> str | None:
        """The text that an argument is on every call."""
        if region.turning.intersection(part.id for part in expressions(node) if isinstance(part, syntax.Name)):
            return None
        for value in self._scopes.values(node, site, site.module):
            if isinstance(value, Constant) and isinstance(value.value, str):
                return value.value
        if call is not None and isinstance(node, syntax.Name):
            names = [parameter.name for parameter in site.node.parameters]
            names = names[1:] if names[:1] in (["self"], ["cls"]) else names
            passed = dict(zip(names, call.arguments)) | {one.name or "": one.value for one in call.keywords}  # noqa: B905
            match passed.get(node.id):
                case syntax.Constant(value=str(text)):
                    return text
        return None
