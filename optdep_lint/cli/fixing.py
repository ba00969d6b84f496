"""What a run writes into the user's files: fixes, or comments that suppress; and the diff that shows it."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from optdep_lint.cli import console, marks
from optdep_lint.cli.telling import prefix_of
from optdep_lint.findings import Finding
from optdep_lint.pool import default_jobs
from optdep_lint.registry import Registry

if TYPE_CHECKING:
    from optdep_lint.cli.check import Checked
    from optdep_lint.engine import Report


@dataclass(slots=True)
class Result:
    """What was repaired."""

    changed: bool = False
    before: Counter[tuple[str, str, str]] = field(default_factory=Counter)
    """How many findings of each path, code and name there were."""
    fixed: int = 0
    """How many would be gone, by the fixes that were proved; once the files are checked again, how many are."""
    stdin: bytes = b""
    """The text from standard input, repaired."""
    failed: bool = False
    """A file was left as it is, or optdep-lint itself has made a mistake."""
    refused: dict[tuple[str, str, str, str], str] = field(default_factory=dict)
    """Why a finding was left, by its code, path, absent name and message."""


def fix(checked: Sequence[Checked], options: argparse.Namespace, registry: Registry) -> Result:
    """Repairs what was found; with `--diff` only shows it, and says how much it would repair."""
    from optdep_lint.fixers.apply import apply_fixes

    jobs = options.jobs or default_jobs()
    result = Result(stdin=getattr(options, "stdin_content", b""))
    for each in checked:
        report = _fixable_part(each, registry)
        done = apply_fixes(report, [each.job.project], each.job.config, unsafe=options.unsafe_fixes, jobs=jobs)
        for fault in getattr(done, "faults", ()):
            console.tell_error(f"internal error: {fault}", options)
            result.failed = True
        result.refused |= getattr(done, "refused", {})
        result.fixed += sum((_count([each]) & _counted(each, getattr(done, "applied", ()))).values())
        unsaved = {file.path for file in each.job.project.files if file.content is not None}
        for path, (old, new) in sorted(done.files.items()):
            if old == new:
                continue
            if options.diff:
                _show_diff(path, old, new, options)
            elif path in unsaved:
                result.stdin = options.stdin_content = new
            elif not _write(path, old, new, each.job.project.root, options):
                result.failed = True
                continue
            result.changed = True
    result.before = _count(checked)
    if options.diff and result.fixed:
        _tell(f"Would fix {_errors(result.fixed)}.", options)
    return result


def _fixable_part(checked: Checked, registry: Registry) -> Report:
    """The report without the fixes that the configuration does not want."""
    codes = registry.fixable(checked.job.config)
    findings = (each if each.code in codes else replace(each, fix=None) for each in checked.report.findings)
    return replace(checked.report, findings=tuple(findings))


def tell_fixed(result: Result, checked: Iterable[Checked], options: argparse.Namespace) -> None:
    """Counts what the second look no longer finds; lists it with `--show-fixes`, sums it up with `--fix-only`."""
    gone = result.before - _count(checked)
    result.fixed = sum(gone.values())
    if options.show_fixes and gone and not options.silent:
        sys.stderr.write(fixes_as_text(gone))
    elif options.fix_only and gone:
        _tell(f"Fixed {_errors(result.fixed)}.", options)


def _tell(text: str, options: argparse.Namespace) -> None:
    """One line on standard error, unless only findings are wanted: standard output may be a patch, or a file."""
    if not (options.silent or options.quiet):
        print(text, file=sys.stderr)


def _errors(count: int) -> str:
    return f"{count} error{'s' * (count != 1)}"


def _count(checked: Iterable[Checked]) -> Counter[tuple[str, str, str]]:
    """How many findings of each path (from where the run was started), code and name there are."""
    counts: Counter[tuple[str, str, str]] = Counter()
    for each in checked:
        counts += _counted(each, each.report.findings)
    return counts


def _counted(checked: Checked, findings: Iterable[Finding]) -> Counter[tuple[str, str, str]]:
    prefix = prefix_of(checked.job.project.root)
    return Counter((prefix + finding.path, finding.code, finding.name) for finding in findings)


def fixes_as_text(gone: Mapping[tuple[str, str, str], int]) -> str:
    """`--show-fixes`."""
    lines = [f"Fixed {_errors(sum(gone.values()))}:"]
    last = None
    for (path, code, name), count in sorted(gone.items()):
        if path != last:
            lines.append(f"- {path}:")
            last = path
        lines.append(f"    {count} x {code} ({name})")
    return "\n".join(lines) + "\n"


def _show_diff(path: Path, old: bytes, new: bytes, options: argparse.Namespace) -> None:
    if options.silent:
        return
    shown = os.path.relpath(path).replace(os.sep, "/").encode()
    text = b"".join(unified_diff(shown, old, new))
    if options.output_file is not None:
        with open(options.output_file, "ab") as stream:
            stream.write(text)
        return
    sys.stdout.flush()
    sys.stdout.buffer.write(text)
    sys.stdout.buffer.flush()


def unified_diff(path: bytes, old: bytes, new: bytes) -> Iterable[bytes]:
    """A diff that `patch` applies, whatever the encoding; lines without a newline at their end are marked."""
    import difflib

    lines = difflib.diff_bytes(difflib.unified_diff, _lines(old), _lines(new), path, path, lineterm=b"\n")
    for line in lines:
        yield line if line.endswith(b"\n") else line + b"\n\\ No newline at end of file\n"


def _lines(content: bytes) -> list[bytes]:
    *whole, last = content.split(b"\n")
    return [*(line + b"\n" for line in whole), *([last] if last else [])]


def _write(path: Path, old: bytes, new: bytes, root: Path, options: argparse.Namespace) -> bool:
    """Puts a repaired file in its place; where it cannot or may not, says why and leaves it alone."""
    from optdep_lint.fixers.write import NotWritten, write_file

    try:
        write_file(path, new, root=root, expected=old)
    except NotWritten as reason:
        console.tell_error(str(reason), options)
        return False
    return True


def offer(checked: Sequence[Checked], options: argparse.Namespace, result: Result) -> Sequence[Checked]:
    """The reports with the fixes that there are, built but not proved; after `--fix` also what was refused, and why.

    Text formats only mark what has a fix.
    """
    output_format = options.output_format or os.environ.get("OPTDEP_LINT_OUTPUT_FORMAT") or "full"
    if output_format in FORMATS_WITH_MARKS or options.statistics:
        return [replace(each, report=_with_reasons(each.report, result)) for each in marks.mark(checked, options)]
    if output_format not in FORMATS_WITH_FIXES:
        return checked
    return [replace(each, report=_with_reasons(_with_offers(each), result)) for each in checked]


FORMATS_WITH_FIXES = ("json", "json-lines", "sarif", "rdjson")
FORMATS_WITH_MARKS = ("full", "concise", "grouped")


def _with_offers(checked: Checked) -> Report:
    if all(finding.fix is not None for finding in checked.report.findings):
        return checked.report
    from optdep_lint.fixers.apply import offer_fixes

    return offer_fixes(checked.report, checked.job.project, checked.job.config)


def _with_reasons(report: Report, result: Result) -> Report:
    """The report with the reasons of this run for the fixes that were tried and refused."""
    findings = []
    for each in report.findings:
        reason = result.refused.get((each.code, each.path, each.absent or "", each.message))
        findings.append(each if reason is None else replace(each, fix=None, refused=reason))
    return replace(report, findings=tuple(findings))


def add_comments(checked: Iterable[Checked], options: argparse.Namespace) -> int:
    """`--add-noqa`: a `# optdep: ignore[...]` comment for each finding."""
    from optdep_lint.suppressions import annotate

    count = 0
    for each in checked:
        for path in sorted({finding.path for finding in each.report.findings}):
            file = each.job.project.root / path
            if not path.endswith((".py", ".pyw")):
                continue
            findings = [finding for finding in each.report.findings if finding.path == path]
            content = file.read_bytes()
            new = annotate(content, content.decode("latin-1"), findings, options.add_noqa)
            if _write(file, content, new, each.job.project.root, options):
                count += len(findings)
    if not (options.silent or options.quiet):
        console.write_out(f"Added {count} suppression{'s' * (count != 1)}.\n")
    return 0
