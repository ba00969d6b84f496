"""OPD103, OPD104: the import of what the project itself has only sometimes gets a guard."""

from __future__ import annotations

from optdep_lint.facts import syntax
from optdep_lint.facts.position import span_of
from optdep_lint.facts.walk import statements
from optdep_lint.findings import Finding, Fix
from optdep_lint.fixers import Refusal, Repair
from optdep_lint.fixers.draft import Draft
from optdep_lint.fixers.importers import Importers
from optdep_lint.fixers.importing import Importings
from optdep_lint.fixers.workshop import Workshop
from optdep_lint.world.values import Choice, Unbound, Value


def build(finding: Finding, workshop: Workshop) -> Fix:
    """Guard the import, and let its users live without the names."""
    module = workshop.module_of(finding.path)
    root = finding.absent or ""
    statement = _statement(finding, workshop, module)
    draft = Draft()
    draft.unsafe.append("what uses the name has to expect its absence")
    importers = Importers(draft, workshop, root)
    target = Importings(workshop).target(module, statement)
    if finding.code == "OPD104":
        absent = workshop.availability.without(root).modules.get(target)
        bound = (
            {} if absent is None else {name: one for name, one in absent.namespace.items() if not _may_be_missing(one)}
        )
        names = [one.name for one in statement.names if one.name not in bound]
    else:
        names = [one.name for one in statement.names]
    if not names or "*" in names:
        raise Refusal("nobody knows which names a star import binds")
    importers.repair(target, names, only=module)
    return draft.finish(f"Guard the import of {', '.join(f'`{name}`' for name in names)}")


def _statement(finding: Finding, workshop: Workshop, module: str) -> syntax.ImportFrom:
    """The from-import that the finding stands on."""
    for statement in statements(workshop.survey.tree.sources[module].summary.body):
        if isinstance(statement, syntax.ImportFrom) and span_of(statement.at)[:2] == finding.span[:2]:
            return statement
    raise Refusal("it is not a from-import at the top of the module")


def _may_be_missing(value: Value) -> bool:
    return isinstance(value, Unbound) or (
        isinstance(value, Choice) and (_may_be_missing(value.yes) or _may_be_missing(value.no))
    )


REPAIR = Repair(codes=("OPD103", "OPD104"), build=build)
