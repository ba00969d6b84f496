"""Which probes cannot fail: they say yes whatever is installed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from optdep_lint.facts import syntax
from optdep_lint.facts.syntax import Block
from optdep_lint.facts.walk import Definition, expressions, imported_names, last_name, statements
from optdep_lint.world.bound import bound_names
from optdep_lint.world.following import GiveUp
from optdep_lint.world.frames import Frame, State
from optdep_lint.world.modules import Source
from optdep_lint.world.probes import Unit, inquirer
from optdep_lint.world.probes_asked import functions_spelling
from optdep_lint.world.probes_census import Site, census
from optdep_lint.world.probes_hidden import place_of
from optdep_lint.world.probes_shared import Guarded, guarded_tries
from optdep_lint.world.survey import Survey
from optdep_lint.world.values import Constant, FunctionValue, Known, Raised

_STEPS = 500
_FLAG = re.compile(
    r"has|have|is_|can|use|with|avail|found|install|enabled|support|import|present|_ok$|exist", re.IGNORECASE
)
"""Words by which a name says that something is there."""
_NEGATIVE = re.compile(r"no_|not_|miss|fail|absent|without|disabled|error|fallback|broken|unavail", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Sham:
    """A probe that always says yes."""

    path: str
    at: int
    kind: str
    """`source` (the project's own module), `flag` (set where the import failed), `function` (named, not called) or `dropped` (not kept)."""
    name: str
    root: str = ""


def shams(survey: Survey) -> Iterator[Sham]:
    """Every probe that cannot fail, each place once."""
    seen: set[tuple[str, int]] = set()
    for found in (*_own_sources(survey), *_flags(survey), *_functions(survey), *_dropped(survey)):
        if (found.path, found.at) not in seen:
            seen.add((found.path, found.at))
            yield found


# --- the project's own source ------------------------------------------------------------------------------------


def _own_sources(survey: Survey) -> Iterator[Sham]:
    own_roots = {name.partition(".")[0] for name in survey.tree.sources}
    for site in census(survey).sites:
        if not site.finds or not any(_may_name_own(call, own_roots) for call in site.asking):
            continue
        tested = _tested_calls(site)
        if not any(call.at in tested and _may_name_own(call, own_roots) for call in site.asking):
            continue
        for at, name in (*_named_in(survey, site), *_met_in(survey, site)):
            if (
                name in survey.tree.sources
                and name.partition(".")[0] == site.unit.module.partition(".")[0]
                and at in tested
            ):
                yield Sham(site.path, at, "source", name)


def _named_in(survey: Survey, site: Site) -> Iterator[tuple[int, str]]:
    """What the calls of a site are given, as far as it does not hang on where the site stands."""
    module = survey.base.modules[site.unit.module]
    frame = Frame("module", module, State(dict(module.namespace), {}))
    for call in site.calls:
        if call.at in site.probes and call.arguments and not isinstance(call.arguments[0], syntax.Starred):
            survey.base.budget = _STEPS
            try:
                value = frame.state.settle(survey.base.expressions.evaluate(call.arguments[0], frame))
            except (Raised, GiveUp):
                continue
            finally:
                survey.base.budget = None
            if isinstance(value, Constant) and isinstance(value.value, str):
                yield call.at, value.value


def _met_in(survey: Survey, site: Site) -> Iterator[tuple[int, str]]:
    """What is asked for when the site is evaluated."""
    for asking in inquirer(survey).ask(site.unit, forgiving=True)[1]:
        place = place_of(survey, asking, site) if asking.kind == "spec" and not asking.failed else None
        if place is not None and place[0] == site.path:
            yield place[1], asking.name


def _may_name_own(call: syntax.Call, roots: set[str]) -> bool:
    """The argument is a literal of the project's own, or something that has to be evaluated."""
    for argument in call.arguments[:1]:
        if not isinstance(argument, syntax.Constant):
            return True
        if isinstance(argument.value, str) and (
            argument.value.partition(".")[0] in roots or argument.value.startswith(".")
        ):
            return True
    return any(keyword.name == "name" for keyword in call.keywords)


def _tested_calls(site: Site) -> frozenset[int]:
    """The positions of the probing calls whose result is asked only whether it is there."""
    inside: set[int] = set()
    for statement in statements(site.block):
        for part in _yes_or_no(statement):
            if isinstance(part, syntax.Call):
                inside.add(part.at)
    return frozenset(inside)


def _yes_or_no(statement: syntax.Statement) -> Iterator[syntax.Expression]:
    """The expressions of a statement that are taken as yes or no."""
    for part in expressions(statement):
        match part:
            case syntax.Compare(operators=(("is" | "is not" | "==" | "!="),)):
                yield part.left
            case syntax.Not():
                yield part.operand
            case syntax.Boolean():
                yield from part.operands
            case syntax.Conditional():
                yield part.test
            case syntax.Call(function=syntax.Name(id="bool" | "any" | "all"), arguments=(inner,)):
                yield inner.element if isinstance(inner, syntax.Comprehension) else inner
    match statement:
        case syntax.If() | syntax.While() | syntax.Assert():
            yield statement.test


# --- flags that are set where the import failed ------------------------------------------------------------------


def _flags(survey: Survey) -> Iterator[Sham]:
    for guarded in guarded_tries(survey):
        roots = [
            root for statement in guarded.statement.body for name in imported_names(statement)
            if (root := survey.declared.root_of(name)) in survey.declared.optional
        ]  # fmt: skip
        if not roots:
            continue
        if guarded.definition is not None:
            yield from _always_answered(survey, guarded, roots[0])
            continue
        for at, flag in _always_set(guarded.statement, guarded.block, roots[0]):
            if _holds_without(survey, Unit(guarded.source.name), flag, roots[0]):
                yield Sham(guarded.source.path, at, "flag", flag, roots[0])


def _always_set(node: syntax.Try, block: Block, root: str) -> Iterator[tuple[int, str]]:
    """Assignments of True that happen whether or not the import fails, with the name (`return` for a return)."""
    word = root.partition(".")[0].replace("_", "").lower()

    def speaks(name: str) -> bool:
        return bool(_FLAG.search(name)) and not _NEGATIVE.search(name)

    first = next((index for index, statement in enumerate(node.body) if imported_names(statement)), 0)
    in_body = dict(_trues(node.body + node.orelse))
    for name, at in _trues(node.body[:first] + node.final):
        if speaks(name):
            yield at, name
    for handler in node.handlers:
        for name, at in _trues(handler.body):
            if name in in_body and speaks(name):
                yield at, name
    index = _index(block, node)
    for name, at in _trues(block[max(index - 2, 0) : index] + block[index + 1 : index + 3]):
        if speaks(name) and word in name.replace("_", "").lower():
            yield at, name


def _trues(block: Block) -> Iterator[tuple[str, int]]:
    for statement in block:
        if (
            isinstance(statement, syntax.Assign)
            and isinstance(statement.value, syntax.Constant)
            and statement.value.value is True
        ):
            for target in statement.targets:
                if isinstance(target, syntax.Name):
                    yield target.id, statement.at


def _index(block: Block, node: syntax.Statement) -> int:
    return next(index for index, statement in enumerate(block) if statement is node)


def _always_answered(survey: Survey, guarded: Guarded, root: str) -> Iterator[Sham]:
    """`return True` in a function that is named for a question, where the import has failed as well."""
    definition = guarded.definition
    assert definition is not None
    if not _FLAG.search(definition.node.name) or _NEGATIVE.search(definition.node.name):
        return
    if _holds_without(survey, Unit(guarded.source.name, definition), "return", root):
        after = guarded.block[_index(guarded.block, guarded.statement) + 1 :]
        handled = tuple(one for handler in guarded.statement.handlers for one in handler.body)
        for statement in (*handled, *guarded.statement.final, *after):
            if isinstance(statement, syntax.Return):
                yield Sham(guarded.source.path, statement.at, "flag", definition.node.name, root)
                return


def _holds_without(survey: Survey, unit: Unit, flag: str, root: str) -> bool:
    """Evaluation agrees: with the root and without it, the flag is True."""
    answers = [inquirer(survey).ask(unit, absent)[0] for absent in ((), (root,))]
    values = [answer.get(flag) if isinstance(answer, dict) else None for answer in answers]
    return all(isinstance(value, Constant) and value.value is True for value in values)


# --- functions that are named, not called ------------------------------------------------------------------------


def _functions(survey: Survey) -> Iterator[Sham]:
    """`if has_x:` where `has_x` is a function that probes."""
    for source in survey.tree.sources.values():
        questions = _questions(survey, source)
        if not questions:
            continue
        found = functions_spelling(survey, source, questions)
        for definition in (None, *found):
            block = source.summary.body if definition is None else source.summary.body_of(definition.node.body)
            names = questions - _local_names(definition, block)
            for statement in statements(block):
                for part in _yes_or_no(statement):
                    if isinstance(part, syntax.Name) and part.id in names:
                        yield Sham(source.path, part.at, "function", part.id)


def _questions(survey: Survey, source: Source) -> frozenset[str]:
    """By which names a judged file calls functions that probe and answer yes or no."""
    module = survey.base.modules.get(source.name) if source.name in survey.judged else None
    probing = census(survey).probing
    found: set[str] = set()
    for name, value in module.namespace.items() if module is not None else ():
        inner = value.parts[0] if isinstance(value, Known) and value.parts else value
        if isinstance(inner, FunctionValue) and id(inner.node) in probing and _is_question(survey, inner):
            found.add(name)
    return frozenset(found)


def _local_names(definition: Definition | None, block: Block) -> frozenset[str]:
    if definition is None:
        return frozenset()
    return frozenset(bound_names(block)) | {parameter.name for parameter in definition.node.parameters}


def _is_question(survey: Survey, function: FunctionValue) -> bool:
    """The function takes nothing and answers yes or no: to name it in a test is to forget the call."""
    site = census(survey).probing[id(function.node)]
    return not function.node.parameters and site.finds and bool(_FLAG.search(function.name))


# --- answers that nobody keeps -----------------------------------------------------------------------------------


def _dropped(survey: Survey) -> Iterator[Sham]:
    """`find_spec("x")` for a statement: it gives None and raises nothing where x is missing."""
    for site in census(survey).sites:
        for statement in statements(site.block) if site.finds else ():
            match statement:
                case syntax.Evaluate(
                    value=syntax.Call(at=at, function=function, arguments=(syntax.Constant(value=str() as name), *_))
                ) if last_name(function) == "find_spec":
                    if (
                        at in site.probes
                        and "." not in name
                        and survey.declared.root_of(name) in survey.declared.optional
                    ):
                        yield Sham(site.path, at, "dropped", name, survey.declared.root_of(name))
