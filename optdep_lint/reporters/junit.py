"""JUnit's XML: a test suite for each file, a failed test case for each finding."""

from __future__ import annotations

from itertools import groupby
from xml.sax.saxutils import escape, quoteattr

from optdep_lint.findings import Finding
from optdep_lint.reporters import Sheet


def render(sheet: Sheet) -> str:
    """An XML document; a run without findings has one test case that passed."""
    count = len(sheet.findings)
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<testsuites name="optdep-lint" tests="{max(1, count)}" failures="{count}" errors="0">',
    ]
    for path, group in groupby(sheet.findings, key=lambda finding: finding.path):
        cases = [_case(finding) for finding in group]
        counts = f'tests="{len(cases)}" failures="{len(cases)}" errors="0"'
        lines += [f"  <testsuite name={_attribute(path)} {counts}>", *cases, "  </testsuite>"]
    if not count:
        lines += [
            '  <testsuite name="optdep-lint" tests="1" failures="0" errors="0">',
            '    <testcase name="No errors found" classname="optdep-lint"/>',
            "  </testsuite>",
        ]
    return "\n".join((*lines, "</testsuites>", ""))


def _case(finding: Finding) -> str:
    span = finding.span
    name = f'name="org.optdep_lint.{finding.code}" classname={_attribute(finding.path.removesuffix(".py"))}'
    place = f'line="{span.line}" column="{span.column}"'
    chain = "".join(f"\nbecause: {step.path}:{step.line}: {step.message}" for step in finding.because)
    text = escape(_printable(f"line {span.line}, col {span.column}, {finding.message}{chain}"))
    failure = f"<failure message={_attribute(finding.message)}>{text}</failure>"
    return f"    <testcase {name} {place}>\n      {failure}\n    </testcase>"


def _attribute(text: str) -> str:
    return quoteattr(_printable(text))


def _printable(text: str) -> str:
    """XML 1.0 has no control characters, escaped or not."""
    return "".join(letter if letter.isprintable() or letter in "\n\t" else "\ufffd" for letter in text)
