"""What importing each module does, as plain data: the table that `optdep-lint matrix` prints."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from optdep_lint.config import Config
from optdep_lint.facts.position import line_of
from optdep_lint.metadata import ProjectMetadata, normalized
from optdep_lint.metadata.import_names import ImportNames
from optdep_lint.world.declared import Declared
from optdep_lint.world.evaluation import Evaluation, Outcome
from optdep_lint.world.exceptions import text_of
from optdep_lint.world.modules import Tree
from optdep_lint.world.surroundings import TYPING_ONLY
from optdep_lint.world.variation import Readers, vary
from optdep_lint.world.worlds import World


@dataclass(frozen=True, slots=True)
class Present:
    """What is installed: every other third-party root is absent."""

    roots: frozenset[str] = frozenset()
    versions: Mapping[str, str] = field(default_factory=dict)
    """The versions of installed distributions, by name."""


def present_matrix(tree: Tree, metadata: ProjectMetadata, config: Config, present: Present) -> dict[str, Any]:
    """The modules of a project where just this is installed."""
    declared = Declared(metadata, tree, config)
    versions = {normalized(name): version for name, version in present.versions.items()}
    if metadata.name is not None and metadata.version is not None:
        versions.setdefault(normalized(metadata.name), metadata.version)
    world = World(
        "present", present=present.roots, namespaces=_shared_roots(present, versions), versions=versions,
        python=config.target_python or declared.python, platform=config.target_platform,
    )  # fmt: skip
    evaluation = Evaluation(tree, world)
    return {name: describe(tree, name, evaluation.outcome(name)) for name in sorted(tree.sources)}


def _shared_roots(present: Present, versions: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """Of roots that several distributions share, the dotted names that the installed ones give."""
    names = ImportNames.with_user_map({}, None)
    shared: dict[str, set[str]] = {}
    for distribution in versions:
        for root in names.roots_of(distribution)[0]:
            shared.setdefault(root.partition(".")[0], set()).add(root)
    return {
        root: frozenset(dotted)
        for root, dotted in shared.items()
        if root in present.roots and all("." in name for name in dotted)
    }


def declared_matrix(tree: Tree, declared: Declared, config: Config) -> tuple[dict[str, Any], dict[str, dict[str, str]]]:
    """The modules in the bare world of a project's own metadata, and the status of each in every world."""
    base = Evaluation(tree, declared.world("everything"))
    for name in tree.sources:
        base.outcome(name)
    declared = declared.asking_for(name for module in base.modules.values() for name in module.asked.felt)
    names = sorted(tree.sources)
    worlds = {"everything": {name: base.outcome(name).status for name in names}}
    readers = Readers(base)
    bare = replace(declared.world("bare", frozenset(declared.optional)))
    for world in [*declared.worlds(), bare]:
        if world.name not in worlds:
            varied = vary(base, readers, world)
            worlds[world.name] = {name: varied.outcome(name).status for name in names}
    varied = vary(base, readers, bare)
    return {name: describe(tree, name, varied.outcome(name)) for name in names}, worlds


def world_matrix(tree: Tree, declared: Declared, without: Collection[str] = ()) -> tuple[World, dict[str, Any]]:
    """The modules of a project in one world: where these roots are absent, or else in the bare one."""
    name, absent = ("without " + ", ".join(without), without) if without else ("bare", declared.optional)
    world = declared.world(name, frozenset(absent))
    evaluation = Evaluation(tree, world)
    return world, {name: describe(tree, name, evaluation.outcome(name)) for name in sorted(tree.sources)}


def describe(tree: Tree, name: str, outcome: Outcome) -> dict[str, Any]:
    """One module's row."""
    failure = outcome.failure
    missing = failure.cause.missing if failure is not None and failure.cause is not None else None
    return {
        "path": tree.sources[name].path,
        "status": outcome.status,
        "missing": missing if missing != TYPING_ONLY else None,
        "error": text_of(failure.type) if failure is not None else None,
        "because": [
            {"path": step.path, "line": step.line, "message": step.message}
            for step in (*failure.chain, _last(failure))
        ] if failure is not None else [],
    }  # fmt: skip


def _last(failure: Any) -> Any:
    from optdep_lint.findings import Step

    return Step(failure.path, line_of(failure.at), failure.message)
