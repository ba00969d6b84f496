"""Writes what the documentation has from the code: a page for each rule, their index, and the table of settings.

Run `python docs/make_pages.py` after a change of either; a test says when that was forgotten.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from optdep_lint.cli.verbs import page, settings
from optdep_lint.registry import load_registry
from optdep_lint.rules import FAMILIES, Rule

DOCS = Path(__file__).parent
START, END = "<!-- settings: made by make_pages.py -->", "<!-- end of settings -->"
TYPES = {
    "tuple[str, ...]": "list of strings",
    "Mapping[str, tuple[str, ...]]": "table of lists of strings",
    "Mapping[str, str]": "table of strings",
    "Guards": "list of strings, or table of lists",
    "bool": "true or false",
    "str": "string",
    "str | None": "string",
    "tuple[int, int] | None": "string",
}


def pages() -> Iterator[tuple[str, str]]:
    """Each file, relative to docs/, with its text."""
    rules = load_registry().rules
    yield "rules/index.md", index(rules)
    for rule in rules:
        yield f"rules/{rule.code.lower()}.md", page(rule)
    before, _, rest = (DOCS / "configuration.md").read_text(encoding="utf-8").partition(START)
    yield "configuration.md", f"{before}{START}\n\n{table()}\n{END}{rest.partition(END)[2]}"


def index(rules: tuple[Rule, ...]) -> str:
    lines = ["# Rules", "", "`optdep-lint rule CODE` prints a rule's page. A retired code is never used again.", ""]
    for digit, family in FAMILIES.items():
        lines += [f"## {digit}xx: {family}", "", "| code | name | what | fix |", "| --- | --- | --- | --- |"]
        for rule in rules:
            if rule.code[3] == digit:
                off = "" if rule.default else " (off by default)"
                lines.append(
                    f"| [{rule.code}]({rule.code.lower()}.md) | {rule.name}{off} | {rule.summary} | {rule.fixable} |"
                )
        lines.append("")
    return "\n".join(lines)


def table() -> str:
    lines = ["| key | type | default | meaning |", "| --- | --- | --- | --- |"]
    for key, (text, kind, default) in settings().items():
        shown = f"`{default}`" if default != "null" else ""
        lines.append(f"| `{key}` | {TYPES[kind]} | {shown} | {text.replace('|', '&#124;')} |")
    return "\n".join(lines) + "\n"


def main() -> None:
    """Writes the files, and removes the pages of rules that are gone."""
    made = dict(pages())
    for path in (DOCS / "rules").glob("*.md"):
        if f"rules/{path.name}" not in made:
            path.unlink()
    for name, text in made.items():
        (DOCS / name).write_text(text, encoding="utf-8", newline="\n")


if __name__ == "__main__":
    main()
