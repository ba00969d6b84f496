"""The test that says whether a root is there: the project's own probe or flag, else a call of find_spec."""

from __future__ import annotations

import libcst as cst

from optdep_lint.facts import syntax
from optdep_lint.facts.walk import is_within, statements
from optdep_lint.fixers.availability import Probe
from optdep_lint.fixers.bench import Bench
from optdep_lint.fixers.imports import bound_as, import_name
from optdep_lint.fixers.source import Source
from optdep_lint.fixers.workshop import Workshop
from optdep_lint.world.modules import Tree


def presence_test(bench: Bench, root: str, place: cst.CSTNode) -> str:
    """An expression, usable at a place of a file, that holds where the root is there; imports what it needs."""
    module = bench.workshop.module_of(bench.source.path)
    best: tuple[tuple[object, ...], Probe, str | None] | None = None
    for probe in bench.workshop.availability.probes(root):
        spelling = _spelling(bench.workshop, bench.source, module, probe, place)
        if spelling is None and not _can_import(bench.workshop.survey.tree, module, probe):
            continue
        rank = (
            not _is_about(probe, root),
            probe.module != module,
            spelling is None,
            probe.name.startswith("_"),
            not probe.is_function,
            probe.name,
        )
        if best is None or rank < best[0]:
            best = (rank, probe, spelling)
    if best is not None:
        _, probe, spelling = best
        name = spelling or import_name(bench, own_spelling(bench.workshop, bench.source, probe.module), probe.name)
        return f"{name}()" if probe.is_function else name
    if "." in root:
        helper = import_name(bench, "importlib.util", "find_spec")
        first = root.partition(".")[0]
        return f'{helper}("{first}") is not None and {helper}("{root}") is not None'
    return f'{import_name(bench, "importlib.util", "find_spec")}("{root}") is not None'


def loader_call(bench: Bench, root: str, place: cst.CSTNode) -> str | None:
    """A call of the project's own function that imports a root by its name or says what to install, if it has one."""
    module = bench.workshop.module_of(bench.source.path)
    found: list[tuple[tuple[object, ...], Probe, str | None]] = []
    for loader in bench.workshop.availability.loaders(root):
        spelling = _spelling(bench.workshop, bench.source, module, loader, place)
        if spelling is not None or _can_import(bench.workshop.survey.tree, module, loader):
            found.append(((spelling is None, loader.module != module, loader.module, loader.name), loader, spelling))
    if not found:
        return None
    _, loader, spelling = min(found, key=lambda one: one[0])
    name = spelling or import_name(bench, own_spelling(bench.workshop, bench.source, loader.module), loader.name)
    return f'{name}("{root}")'


def _spelling(workshop: Workshop, source: Source, module: str, probe: Probe, place: cst.CSTNode) -> str | None:
    """How the probe is called where it is known already."""
    if probe.module != module:
        known = bound_as(source, probe.module, probe.name)
        return known or _relative(workshop, source, module, probe)
    start = source.span(place)[0]
    for statement in source.module.body:
        if source.span(statement)[0] >= start:
            break
        if any(one.value == probe.name for one in source.all(cst.Name, statement)) and not _only_reads(
            source, statement, probe.name
        ):
            return probe.name
    return None


def _only_reads(source: Source, statement: cst.CSTNode, name: str) -> bool:
    """The statement does not bind the name at the top of the file."""
    for one in source.all(cst.Name, statement):
        if one.value == name:
            holder = source.parent(one)
            if isinstance(holder, (cst.AssignTarget, cst.AnnAssign)) and getattr(holder, "target", None) is one:
                return False
            if isinstance(holder, cst.FunctionDef) and holder.name is one:
                return False
    return True


def _relative(workshop: Workshop, source: Source, module: str, probe: Probe) -> str | None:
    """A probe imported by a relative import."""
    package = module if workshop.survey.tree.sources[module].is_package else module.rpartition(".")[0]
    parts = package.split(".")
    for level in range(1, len(parts) + 1):
        base = ".".join(parts[: len(parts) - level + 1])
        if is_within(probe.module, base):
            rest = probe.module[len(base) :].lstrip(".")
            known = bound_as(source, "." * level + rest, probe.name)
            if known is not None:
                return known
    return None


def own_spelling(workshop: Workshop, source: Source, target: str) -> str:
    """How a file spells a module of its own project: relative where its other imports of the project are."""
    relative = any(one.relative for one in source.all(cst.ImportFrom))
    if not relative:
        return target
    module = workshop.module_of(source.path)
    package = module if workshop.survey.tree.sources[module].is_package else module.rpartition(".")[0]
    parts = package.split(".")
    for level in range(1, len(parts) + 1):
        base = ".".join(parts[: len(parts) - level + 1])
        if is_within(target, base):
            return "." * level + target[len(base) :].lstrip(".")
    return target


def _can_import(tree: Tree, module: str, probe: Probe) -> bool:
    """Importing the probe's module from here makes no circle, as far as its own imports tell."""
    if probe.module == module or not probe.importable or probe.name.startswith("_"):
        return False
    seen: set[str] = set()
    todo = [probe.module]
    while todo:
        name = todo.pop()
        if name in seen or name not in tree.sources:
            continue
        seen.add(name)
        if name == module:
            return False
        todo += [asked for asked in tree.sources[name].summary.asks if tree.owns(asked)]
        todo += _own_imports(tree, name)
    return True


def _own_imports(tree: Tree, name: str) -> list[str]:
    source = tree.sources[name]
    found = []
    for statement in statements(source.summary.body):
        if isinstance(statement, (syntax.Import, syntax.ImportFrom)):
            found += source.imported(statement)
        if isinstance(statement, syntax.ImportFrom):
            found += filter(None, [source.absolute(statement)])
    return found


def _is_about(probe: Probe, root: str) -> bool:
    word = root.rpartition(".")[2].replace("_", "").lower()
    return word in probe.name.replace("_", "").lower()
