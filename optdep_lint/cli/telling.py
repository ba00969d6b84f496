"""The report of a run: findings with paths as the user wrote them, in the format that was asked for."""

from __future__ import annotations

import argparse
import dataclasses
import os
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from optdep_lint.cli import console
from optdep_lint.cli.console import UsageError
from optdep_lint.config import SEVERITIES, Config
from optdep_lint.discovery import Project
from optdep_lint.findings import Finding, Fix
from optdep_lint.registry import Registry
from optdep_lint.reporters import Sheet, format_names, render

if TYPE_CHECKING:
    from optdep_lint.cli.check import Checked
    from optdep_lint.cli.fixing import Result

_FOOTER_FORMATS = ("full", "concise", "grouped")


def report(
    checked: Sequence[Checked], options: argparse.Namespace, registry: Registry, result: Result, *, failed: bool
) -> int:
    """Writes the report and returns how many findings it has; where something `failed`, it does not say that all is well."""
    severities = _severities(checked, registry)
    findings = _selected(checked, severities, options.min_severity)
    for each in checked:
        for problem in each.report.problems:
            console.tell_warning(problem, options)
    output_format = options.output_format or os.environ.get("OPTDEP_LINT_OUTPUT_FORMAT") or "full"
    if output_format not in format_names():
        raise UsageError(f"OPTDEP_LINT_OUTPUT_FORMAT: unknown format {output_format!r}: {', '.join(format_names())}")
    if options.statistics:
        console.write(_statistics(findings, output_format), options)
        return len(findings)
    sheet = Sheet(
        findings=findings,
        read=lambda path: _read(path, checked),
        severity=lambda code: severities.get(code, "error"),
        fixable=frozenset[str]().union(*(registry.fixable(each.job.config) for each in checked)),
        unsafe_fixes=options.unsafe_fixes,
        fixed=result.fixed,
        footer=bool(findings or not failed) and not options.quiet,
        colour=output_format in _FOOTER_FORMATS and console.wants_colour(options),
    )
    text = render(output_format, sheet)
    if options.paths == ["-"] and (options.fix or options.fix_only) and options.output_file is None:
        options.output_file = os.devnull  # Standard output has the repaired text.
    console.write(text, options)
    return len(findings)


def _severities(checked: Iterable[Checked], registry: Registry) -> Mapping[str, str]:
    return {
        finding.code: registry.severity(finding.code, each.job.config)
        for each in checked
        for finding in each.report.findings
    }


def _selected(checked: Iterable[Checked], severities: Mapping[str, str], min_severity: str | None) -> list[Finding]:
    least = SEVERITIES.index(min_severity) if min_severity else 0
    found = [
        rebase(finding, prefix_of(each.job.project.root))
        for each in checked
        for finding in each.report.findings
        if SEVERITIES.index(severities[finding.code]) >= least
    ]
    return sorted(found, key=lambda finding: finding.sort_key)


def prefix_of(root: Path) -> str:
    """What turns a path below `root` into one relative to where the run was started, POSIX."""
    relative = os.path.relpath(root).replace(os.sep, "/")
    return "" if relative == "." else relative + "/"


def rebase(finding: Finding, prefix: str) -> Finding:
    """The finding with all its paths behind `prefix`."""
    if not prefix:
        return finding
    because = tuple(replace(step, path=prefix + step.path) for step in finding.because)
    return replace(finding, path=prefix + finding.path, because=because, fix=_rebase_fix(finding.fix, prefix))


def _rebase_fix(fix: Fix | None, prefix: str) -> Fix | None:
    if fix is None:
        return None
    return replace(fix, edits=tuple(replace(each, path=prefix + each.path) for each in fix.edits))


def _read(path: str, checked: Iterable[Checked]) -> str | None:
    """The text of a file for its excerpt, undecodable bytes replaced."""
    import tokenize

    absolute = os.path.abspath(path)
    files = (file for each in checked for file in each.job.project.files if file.content is not None)
    content = next((file.content for file in files if str(file.path) == absolute), None)
    try:
        data = Path(absolute).read_bytes() if content is None else content
    except OSError:
        return None
    try:
        encoding, _ = tokenize.detect_encoding(iter(data.splitlines(keepends=True)).__next__)
        return data.decode(encoding, "replace")
    except (SyntaxError, LookupError):
        return data.decode("utf-8", "replace")


def _statistics(findings: Iterable[Finding], output_format: str) -> str:
    """`count<TAB>code<TAB>[*] name`, the most frequent first."""
    counts: Counter[tuple[str, str]] = Counter()
    fixable = set()
    for finding in findings:
        counts[finding.code, finding.name] += 1
        if finding.fix is not None:
            fixable.add(finding.code)
    rows = sorted(counts.items(), key=lambda row: (-row[1], row[0]))
    if output_format in ("json", "json-lines"):
        import json

        table = [{"code": code, "name": name, "count": n, "fixable": code in fixable} for (code, name), n in rows]
        return json.dumps(table, indent=2) + "\n"
    width = max((len(str(count)) for _, count in rows), default=0)
    return "".join(
        f"{count:>{width}}\t{code}\t[{'*' if code in fixable else ' '}] {name}\n" for (code, name), count in rows
    )


def show_files(projects: Iterable[Project], options: argparse.Namespace) -> int:
    """`--show-files`."""
    paths = sorted(str(file.path) for project in projects for file in project.files if file.reported)
    console.write("".join(f"{path}\n" for path in paths), options)
    return 0


def show_settings(configs: Iterable[Config], options: argparse.Namespace) -> int:
    """`--show-settings`, as TOML where a value is not its default's None."""
    blocks = []
    for config in configs:
        lines = ["[tool.optdep-lint]"]
        for field in dataclasses.fields(config):
            value = getattr(config, field.name)
            if value is not None:
                lines.append(f"{field.name.replace('_', '-')} = {toml(value, field.name)}")
        blocks.append("\n".join(lines) + "\n")
    console.write("\n".join(blocks), options)
    return 0


def toml(value: object, name: str = "") -> str:
    """A setting as TOML."""
    import json

    if name == "target_python" and isinstance(value, tuple):
        return f'"{value[0]}.{value[1]}"'
    if isinstance(value, Mapping):
        pairs = (f"{json.dumps(key)} = {toml(each)}" for key, each in value.items())
        return "{ " + ", ".join(pairs) + " }" if value else "{}"
    if isinstance(value, tuple):
        return "[" + ", ".join(toml(each) for each in value) + "]"
    return json.dumps(value, ensure_ascii=False)
