"""Every output format says what its readers expect."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from xml.etree import ElementTree

import pytest

from optdep_lint.findings import Edit, Finding, Fix, Span, Step
from optdep_lint.reporters import Sheet, format_names, render

TEXT = "import os\nimport torch\n\nx = torch\n\tif 日本: import  é\n"
PLAIN = Finding(
    "OPD101",
    "unguarded-optional-import",
    "acme/a.py",
    Span(2, 1, 2, 13),
    "`import torch` fails where torch is missing",
    absent="torch",
    extra="gpu",
    because=(Step("acme/__init__.py", 3, "imports acme.a"),),
    fix=Fix("safe", "guard the import", (Edit("acme/a.py", 10, 22, "try: ..."),)),
)
ODD = replace(
    PLAIN, code="OPD501", name="import-on-hot-path", span=Span(5, 9, 5, 18), message="100% <&> odd:\nsecond, line",
    because=(), fix=replace(PLAIN.fix, applicability="unsafe") if PLAIN.fix else None, extra=None, refused="no proof",
)  # fmt: skip


def sheet(*findings: Finding, **changes: object) -> Sheet:
    levels = {"OPD101": "error", "OPD501": "warning", "OPD901": "info"}
    read: Callable[[str], str | None] = {"acme/a.py": TEXT}.get
    base = Sheet(findings, read, levels.__getitem__, frozenset({"OPD101", "OPD501"}))
    return replace(base, **changes)  # type: ignore[arg-type]


def test_json_is_the_contract() -> None:
    (first, second) = json.loads(render("json", sheet(PLAIN, ODD)))
    assert first == {
        "code": "OPD101",
        "name": "unguarded-optional-import",
        "path": "acme/a.py",
        "line": 2,
        "column": 1,
        "end_line": 2,
        "end_column": 13,
        "message": "`import torch` fails where torch is missing",
        "absent": "torch",
        "extra": "gpu",
        "because": [{"path": "acme/__init__.py", "line": 3, "message": "imports acme.a"}],
        "fix": {
            "applicability": "safe",
            "edits": [{"path": "acme/a.py", "start": 10, "end": 22, "content": "try: ..."}],
        },
    }
    assert list(first) == list(second)
    assert json.loads(render("json", sheet())) == []
    assert json.loads(render("json", sheet(replace(PLAIN, fix=None))))[0]["fix"] is None


def test_json_lines() -> None:
    lines = render("json-lines", sheet(PLAIN, ODD)).splitlines()
    assert [json.loads(line)["code"] for line in lines] == ["OPD101", "OPD501"]


def test_concise() -> None:
    assert render("concise", sheet(PLAIN)) == (
        "acme/a.py:2:1: OPD101 [*] `import torch` fails where torch is missing\n"
        "Found 1 error.\n"
        "[*] 1 fixable with `--fix`.\n"
    )


@pytest.mark.parametrize(
    ("changes", "findings", "footer"),
    [
        ({}, (), "All checks passed!\n"),
        ({"fixed": 2}, (), "Fixed 2 errors, none remaining.\n"),
        ({"fixed": 2}, (ODD,), "Found 3 errors (2 fixed, 1 remaining).\nNo fixes available (1 unsafe fix available with `--fix --unsafe-fixes`).\n"),
        ({}, (PLAIN, ODD), "Found 2 errors.\n[*] 1 fixable with `--fix` (1 unsafe fix available with `--fix --unsafe-fixes`).\n"),
        ({"unsafe_fixes": True}, (PLAIN, ODD), "Found 2 errors.\n[*] 2 fixable with `--fix`.\n"),
        ({"fixable": frozenset()}, (PLAIN,), "Found 1 error.\n"),
    ],
)  # fmt: skip
def test_footer(changes: dict[str, object], findings: tuple[Finding, ...], footer: str) -> None:
    assert render("grouped", sheet(*findings, **changes)).endswith(footer)
    assert not render("concise", sheet(*findings, **changes, footer=False)).endswith(footer)


def test_grouped() -> None:
    assert render("grouped", sheet(PLAIN, ODD, footer=False)).startswith("acme/a.py:\n  2:1 OPD101 [*] `import")


def test_full() -> None:
    assert render("full", sheet(PLAIN, footer=False)) == (
        "OPD101 [*] `import torch` fails where torch is missing\n"
        " --> acme/a.py:2:1\n"
        "  |\n"
        "1 | import os\n"
        "2 | import torch\n"
        "  | ^^^^^^^^^^^^\n"
        "  |\n"
        "  = because: acme/__init__.py:3: imports acme.a\n"
        "  = help: guard the import\n"
        "\n"
    )


def test_full_counts_cells_not_letters() -> None:
    lines = render("full", sheet(ODD)).splitlines()
    row = next(number for number, line in enumerate(lines) if "日本" in line)
    assert lines[row] == "5 |     if 日本: import  é"
    assert lines[row + 1] == "  |              ^^^^^^^^^"
    assert "  = help: guard the import (unsafe fix)" in lines
    assert "  = no fix: no proof" in lines


def test_full_without_its_file_and_past_its_end() -> None:
    gone = replace(PLAIN, path="gone.py")
    assert " --> gone.py:2:1" in render("full", sheet(gone))
    assert "99" in render("full", sheet(replace(PLAIN, span=Span(99, 1, 99, 1))))
    long = replace(PLAIN, span=Span(1, 1, 99, 3))
    assert render("full", sheet(long)).count("^") > 20


def test_colour() -> None:
    for name in ("full", "concise", "grouped"):
        assert "\x1b[" in render(name, sheet(PLAIN, colour=True))
        assert "\x1b[" not in render(name, sheet(PLAIN))


def test_github() -> None:
    first, second = render("github", sheet(PLAIN, ODD)).splitlines()
    assert first == (
        "::error title=optdep-lint (OPD101),file=acme/a.py,line=2,col=1,endLine=2,endColumn=13"
        "::acme/a.py:2:1: OPD101 `import torch` fails where torch is missing"
    )
    assert second.startswith("::warning ")
    assert second.endswith("100%25 <&> odd:%0Asecond, line")
    assert "file=a%2Cb%3Ac.py," in render("github", sheet(replace(PLAIN, path="a,b:c.py")))


def test_gitlab_fingerprints_do_not_depend_on_the_line() -> None:
    moved = replace(PLAIN, span=Span(9, 1, 9, 13))
    one, two = (json.loads(render("gitlab", sheet(each)))[0] for each in (PLAIN, moved))
    assert one["fingerprint"] == two["fingerprint"]
    assert one["location"]["positions"]["begin"] == {"line": 2, "column": 1}
    both = json.loads(render("gitlab", sheet(PLAIN, moved)))
    assert len({issue["fingerprint"] for issue in both}) == 2


def test_sarif() -> None:
    log = json.loads(render("sarif", sheet(PLAIN, ODD)))
    assert log["version"] == "2.1.0"
    (run,) = log["runs"]
    assert [rule["id"] for rule in run["tool"]["driver"]["rules"]] == ["OPD101", "OPD501"]
    first, second = run["results"]
    assert first["locations"][0]["physicalLocation"]["region"] == {
        "startLine": 2, "startColumn": 1, "endLine": 2, "endColumn": 13,
    }  # fmt: skip
    assert first["codeFlows"][0]["threadFlows"][0]["locations"][0]["location"]["message"]["text"] == "imports acme.a"
    assert first["fixes"][0]["artifactChanges"][0]["replacements"] == [
        {"deletedRegion": {"byteOffset": 10, "byteLength": 12}, "insertedContent": {"text": "try: ..."}}
    ]
    assert (second["ruleIndex"], second["level"]) == (1, "warning")


def test_junit() -> None:
    root = ElementTree.fromstring(render("junit", sheet(PLAIN, replace(ODD, message="a\x1bb"))))
    assert root.attrib["failures"] == "2"
    suite = root.find("testsuite")
    assert suite is not None
    assert suite.attrib["name"] == "acme/a.py"
    assert [case.attrib["name"] for case in suite] == ["org.optdep_lint.OPD101", "org.optdep_lint.OPD501"]
    assert ElementTree.fromstring(render("junit", sheet())).attrib == {
        "name": "optdep-lint", "tests": "1", "failures": "0", "errors": "0",
    }  # fmt: skip


def test_pylint_azure_and_rdjson() -> None:
    assert render("pylint", sheet(PLAIN)).startswith("acme/a.py:2: [OPD101] `import torch`")
    assert render("azure", sheet(ODD)).startswith("##vso[task.logissue type=warning;sourcepath=acme/a.py;linenumber=5;")
    (diagnostic,) = json.loads(render("rdjson", sheet(ODD)))["diagnostics"]
    assert diagnostic["location"]["range"]["start"] == {"line": 5, "column": 13}, "bytes, not letters"


@pytest.mark.parametrize("name", format_names())
def test_every_format_copes_with_nothing_and_with_odd_findings(name: str) -> None:
    render(name, sheet())
    bare = replace(PLAIN, fix=None, because=(), absent=None, extra=None)
    text = render(name, sheet(bare, ODD))
    assert text.endswith("\n")


def test_format_names() -> None:
    assert set(format_names()) == {
        "full", "concise", "grouped", "json", "json-lines", "github", "gitlab", "sarif", "junit", "pylint", "rdjson", "azure",
    }  # fmt: skip
