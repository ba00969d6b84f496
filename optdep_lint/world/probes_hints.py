"""What a project's messages tell the user to install, held against what would bring the missing thing."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from optdep_lint.facts import syntax
from optdep_lint.facts.syntax import Block
from optdep_lint.facts.walk import expressions, imported_names, parts_of, statements
from optdep_lint.metadata import normalized
from optdep_lint.metadata.model import ProjectMetadata
from optdep_lint.world.modules import Source
from optdep_lint.world.probes_asked import asking_sources, functions_holding
from optdep_lint.world.probes_origins import Origins
from optdep_lint.world.probes_shared import catches_absence
from optdep_lint.world.survey import Survey
from optdep_lint.world.words import spelling_any

_INSTALL = re.compile(r"""(?:pip3?|uv|uv\s+pip|pipx|poetry|pdm)\s+(?:install|add)\s+([^\n`]*)""")
_TARGET = re.compile(r"""["']?([A-Za-z0-9][\w.-]*)(?:\[([\w.,\s-]+)\])?""")
_ADD = tuple(space + b"add" for space in (b" ", b"\n", b"\t", b"\r", b"\v", b"\f"))
_BRACKET = re.compile(rb"\[(?:(?<=[\w.\-\x01]\[)|(?=[A-Za-z]))")
"""Parts of what says what to install, in an encoded function or in a text."""
_BRACKETS = re.compile(r"""(?<![\w.-])([A-Za-z0-9][\w.-]*)\[([A-Za-z][\w.,\s-]*)\]""")


@dataclass(frozen=True, slots=True)
class WrongHint:
    """A message that sends the user after the wrong thing."""

    path: str
    at: int
    root: str
    """The missing root; empty where the extra does not exist at all."""
    named: str
    """The extra or distribution that the message names."""
    kind: str
    """`no extra`, `extra` or `distribution`."""
    right: str = ""
    """What would bring the root."""


def wrong_hints(survey: Survey) -> Iterator[WrongHint]:
    """Raise statements with a wrong hint, each once."""
    metadata = survey.declared.metadata
    origins = Origins(survey)
    for source in asking_sources(survey) if metadata.name else ():
        blocks = [source.summary.body]
        functions = functions_holding(survey, source, _speaking(source.summary.body))
        blocks += [source.summary.body_of(definition.node.body) for definition in functions]
        for block in blocks:
            for statement, roots in _raises(survey, source, origins, block, frozenset()):
                text = _text(source, statement)
                found = _judge(survey, metadata, text, roots) if text else None
                if found is not None:
                    yield WrongHint(source.path, statement.at, *found)


def _speaking(body: Block) -> Callable[[bytes], bool]:
    """Whether an encoded function may say what to install, itself or by a text that its module keeps under a name."""
    kept = {
        target.id
        for statement in body
        if isinstance(statement, syntax.Assign)
        for target in statement.targets
        if isinstance(target, syntax.Name) and _speaks(_texts(statement.value).encode("utf-8", "replace"))
    }
    names = spelling_any(kept)
    return lambda function: _speaks(function) or names(function)


def _speaks(text: bytes) -> bool:
    if b"install" in text or _BRACKET.search(text):
        return True
    return b"add" in text and any(word in text for word in _ADD)


def _raises(
    survey: Survey, source: Source, origins: Origins, block: Block, roots: frozenset[str]
) -> Iterator[tuple[syntax.Raise, frozenset[str]]]:
    """Every raise of a block, with the roots of whose absence it can be the consequence."""
    for statement in block:
        if isinstance(statement, syntax.Raise):
            yield statement, roots
        for part, inner in parts_of(statement):
            if not any(isinstance(one, syntax.Raise) for one in statements(inner)):
                continue
            about = roots
            if isinstance(statement, syntax.Try) and part.startswith("handler"):
                handler = statement.handlers[int(part.partition(" ")[2])]
                about = roots
                if catches_absence(handler):
                    about |= _optional(survey, (name for one in statement.body for name in imported_names(one)))
            elif isinstance(statement, syntax.If):
                about = _optional(survey, origins.of(statement.test, source)) or roots
            yield from _raises(survey, source, origins, inner, about)


def _optional(survey: Survey, names: Iterator[str]) -> frozenset[str]:
    found = (survey.declared.root_of(name) for name in names)
    return frozenset(root for root in found if root in survey.declared.optional)


def _text(source: Source, statement: syntax.Raise) -> str:
    """What the exception says, constants of the module put in."""
    if not isinstance(statement.exception, syntax.Call):
        return ""
    given = [*statement.exception.arguments, *(keyword.value for keyword in statement.exception.keywords)]
    return "".join(_written(source, part) for one in given for part in expressions(one))


def _written(source: Source, part: syntax.Expression) -> str:
    if isinstance(part, syntax.Constant) and isinstance(part.value, str):
        return part.value
    if isinstance(part, syntax.Name):
        for statement in source.summary.body:
            if isinstance(statement, syntax.Assign) and any(
                isinstance(one, syntax.Name) and one.id == part.id for one in statement.targets
            ):
                return _texts(statement.value)
        return "\0"
    return ""


def _texts(value: syntax.Expression) -> str:
    """The texts in an expression, one after the other."""
    return "".join(
        one.value for one in expressions(value) if isinstance(one, syntax.Constant) and isinstance(one.value, str)
    )


def _judge(
    survey: Survey, metadata: ProjectMetadata, text: str, roots: frozenset[str]
) -> tuple[str, str, str, str] | None:
    own = normalized(metadata.name) if metadata.name else None
    targets = [(normalized(name), extras) for name, extras in _targets(text)]
    if not targets or own is None:
        return None
    known = {normalized(extra) for extra in metadata.extras}
    extras = [extra.strip() for name, listed in targets if name == own for extra in listed.split(",") if extra.strip()]
    if known:
        for extra in extras:
            if normalized(extra) not in known:
                return "", extra, "no extra", _right(survey, roots)
    if len(roots) != 1:
        return None
    root = next(iter(roots))
    bringing = metadata.requirements_of(root)
    if extras and bringing and not any(name != own for name, _ in targets):
        providers = {normalized(one.extra) for one in bringing if one.extra}
        if providers and not any(_brings(metadata, extra, root) for extra in extras):
            return root, extras[0], "extra", min(providers)
    if not extras and bringing:
        return _distribution(metadata, root, [name for name, _ in targets])
    return None


def _distribution(metadata: ProjectMetadata, root: str, names: list[str]) -> tuple[str, str, str, str] | None:
    """The message names distributions of which none is one that brings the root, but one that is known to bring others."""
    right = {one.distribution for one in metadata.requirements_of(root)}
    if right & set(names) or len(names) != 1:
        return None
    name = names[0]
    others = metadata.roots_of(name)
    wrong_name = (
        name == normalized(root)
        and name not in right
        and all(one.roots_source not in ("guess", "likely") for one in metadata.requirements_of(root))
    )
    if wrong_name or (others and root not in others):
        return root, name, "distribution", min(right)
    return None


def _brings(metadata: ProjectMetadata, extra: str, root: str, seen: frozenset[str] = frozenset()) -> bool:
    """An extra brings a root, itself, through another extra of the project, or perhaps through what it asks others for."""
    own = normalized(metadata.name or "")
    for one in metadata.optional(extra):
        if root in one.roots:
            return True
        if one.distribution == own:
            if any(
                _brings(metadata, inner, root, seen | {extra}) for inner in one.requested_extras if inner not in seen
            ):
                return True
        elif one.requested_extras or root.partition(".")[0] in one.distribution.replace("-", "_"):
            return True
    return False


def _right(survey: Survey, roots: frozenset[str]) -> str:
    found = {survey.declared.optional[root].extra for root in roots}
    return next((extra for extra in found if extra and len(found) == 1), "")


def _targets(text: str) -> Iterator[tuple[str, str]]:
    """The distributions that a message says to install, with their extras."""
    for command in _INSTALL.finditer(text):
        for word in command.group(1).split():
            found = _TARGET.match(word)
            if word.startswith("-") or found is None or "\0" in word or "{" in word:
                continue
            stripped = word.strip("\"'`.,;:()")
            if not re.fullmatch(r"[A-Za-z0-9][\w.-]*(\[[\w.,-]+\])?([<>=!~]=?[\w.*,<>=!~]+)?", stripped):
                break
            yield found.group(1).rstrip("."), found.group(2) or ""
            if word[-1:] in ".,;:)'\"`":
                break
    for found in _BRACKETS.finditer(text) if not _INSTALL.search(text) else ():
        yield found.group(1), found.group(2)
