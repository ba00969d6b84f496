"""SARIF 2.1.0, as code scanning services read it."""

from __future__ import annotations

import json
from urllib.parse import quote

from optdep_lint import __version__
from optdep_lint.findings import Edit, Finding, Fix, Span, Step
from optdep_lint.reporters import Sheet, url

_LEVELS = {"error": "error", "warning": "warning", "info": "note"}


def render(sheet: Sheet) -> str:
    """One run with its rules, results, the chains behind them, and fixes."""
    rules = {finding.code: finding for finding in sheet.findings}
    codes = sorted(rules)
    driver = {
        "name": "optdep-lint",
        "informationUri": "https://github.com/optdep-lint/optdep-lint",
        "version": __version__,
        "rules": [_rule(rules[code], sheet) for code in codes],
    }
    run = {
        "tool": {"driver": driver},
        "columnKind": "unicodeCodePoints",
        "results": [_result(finding, codes.index(finding.code), sheet) for finding in sheet.findings],
    }
    log = {"$schema": "https://json.schemastore.org/sarif-2.1.0.json", "version": "2.1.0", "runs": [run]}
    return json.dumps(log, indent=2, ensure_ascii=False) + "\n"


def _rule(finding: Finding, sheet: Sheet) -> dict[str, object]:
    return {
        "id": finding.code,
        "name": finding.name,
        "shortDescription": {"text": finding.name.replace("-", " ")},
        "helpUri": url(finding),
        "defaultConfiguration": {"level": _LEVELS[sheet.severity(finding.code)]},
    }


def _result(finding: Finding, index: int, sheet: Sheet) -> dict[str, object]:
    result: dict[str, object] = {
        "ruleId": finding.code,
        "ruleIndex": index,
        "level": _LEVELS[sheet.severity(finding.code)],
        "message": {"text": finding.message},
        "locations": [{"physicalLocation": _location(finding.path, finding.span)}],
    }
    if finding.because:
        steps = [{"location": _step(step)} for step in finding.because]
        result["codeFlows"] = [{"threadFlows": [{"locations": steps}]}]
    if finding.fix is not None and finding.fix.edits:
        result["fixes"] = [_fix(finding.fix)]
    return result


def _location(path: str, span: Span) -> dict[str, object]:
    region = {
        "startLine": span.line,
        "startColumn": span.column,
        "endLine": span.end_line,
        "endColumn": span.end_column,
    }
    return {"artifactLocation": _artifact(path), "region": region}


def _artifact(path: str) -> dict[str, str]:
    return {"uri": quote(path)}


def _step(step: Step) -> dict[str, object]:
    physical = {"artifactLocation": _artifact(step.path), "region": {"startLine": max(1, step.line)}}
    return {"physicalLocation": physical, "message": {"text": step.message}}


def _fix(fix: Fix) -> dict[str, object]:
    by_path: dict[str, list[Edit]] = {}
    for edit in fix.edits:
        by_path.setdefault(edit.path, []).append(edit)
    changes = [
        {"artifactLocation": _artifact(path), "replacements": [_replacement(edit) for edit in edits]}
        for path, edits in by_path.items()
    ]
    return {"description": {"text": f"{fix.message} ({fix.applicability})"}, "artifactChanges": changes}


def _replacement(edit: Edit) -> dict[str, object]:
    region = {"byteOffset": edit.start, "byteLength": edit.end - edit.start}
    return {"deletedRegion": region, "insertedContent": {"text": edit.content}}
