"""Every rule's page is true: its example fires, what to use instead is quiet, and the page has its parts in order."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

from optdep_lint import engine
from optdep_lint.config import Config
from optdep_lint.discovery import discover
from optdep_lint.registry import load_registry
from optdep_lint.rules import Rule

RULES = load_registry().rules
HEADINGS = ["What it does", "Why is this bad?", "Example", "Fix safety", "References"]
REQUIRED = {"torch": "torch", "numpy": "numpy"}
"""What an example without a pyproject.toml of its own may count on; all else that it imports is an extra."""


def names(rule: Rule) -> str:
    return rule.code


def blocks(rule: Rule) -> tuple[str, str]:
    """The example, and what to use instead."""
    found = re.fullmatch(
        r".*\n## Example\n```python\n(.*?)\n```\n\nUse instead:\n```python\n(.*?)\n```\n\n## Fix safety\n.*",
        rule.page, re.DOTALL,
    )  # fmt: skip
    assert found is not None, f"{rule.code}: no example with its cure"
    return found[1] + "\n", found[2] + "\n"


def files(code: str) -> Mapping[str, str]:
    """The files of an example; one without `# file:` lines is acme/__init__.py."""
    first, *parts = re.split(r"^# file: (\S+)\n", code, flags=re.MULTILINE)
    found = dict(zip(parts[::2], parts[1::2], strict=True)) if parts else {"acme/__init__.py": first}
    for name in [name for name in found if name.endswith(".py")]:
        for parent in list(Path(name).parents)[:-1]:
            found.setdefault(f"{parent.as_posix()}/__init__.py", "")
    found.setdefault("pyproject.toml", project(set(asked(found.values()))))
    return found


def asked(texts: object) -> Iterator[str]:
    """The third-party roots that some code names in imports and in probes."""
    for text in texts:  # type: ignore[attr-defined]
        try:
            tree = ast.parse(text)
        except SyntaxError:
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                dotted = [alias.name for alias in node.names]
            elif isinstance(node, ast.ImportFrom) and not node.level:
                dotted = [node.module or ""]
            elif isinstance(node, ast.Call) and "find_spec" in ast.dump(node.func) + ast.dump(tree):
                dotted = [
                    each.value for each in node.args if isinstance(each, ast.Constant) and isinstance(each.value, str)
                ]
            else:
                continue
            roots = {name.partition(".")[0] for name in dotted if re.fullmatch(r"[\w.]+", name)}
            yield from roots - {"acme"} - sys.stdlib_module_names


def project(roots: set[str]) -> str:
    extras = "".join(f'{root} = ["{root.replace("_", "-")}"]\n' for root in sorted(roots - REQUIRED.keys()))
    required = sorted(REQUIRED.values())
    return (
        f"[project]\nname = 'acme'\nversion = '1'\ndependencies = {required}\n\n[project.optional-dependencies]\n{extras}\n"
        f"[tool.optdep-lint.package-module-name-map]\n"
        + "".join(f'{root.replace("_", "-")} = ["{root}"]\n' for root in sorted(roots - REQUIRED.keys()))
    )


def codes(folder: Path, code: str, rule: Rule) -> list[str]:
    for name, text in files(code).items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    roots = {root for root in asked(files(code).values()) if root not in REQUIRED}
    config = Config(
        extend_select=(rule.code,), package_module_name_map={root.replace("_", "-"): (root,) for root in roots}
    )
    return [finding.code for finding in engine.check(discover([folder], config), config).findings]


@pytest.mark.parametrize("rule", RULES, ids=names)
def test_the_example_fires(rule: Rule, tmp_path: Path) -> None:
    assert rule.code in codes(tmp_path, blocks(rule)[0], rule)


@pytest.mark.parametrize("rule", RULES, ids=names)
def test_what_to_use_instead_is_quiet(rule: Rule, tmp_path: Path) -> None:
    assert codes(tmp_path, blocks(rule)[1], rule) == []


@pytest.mark.parametrize("rule", RULES, ids=names)
def test_the_parts_of_a_page(rule: Rule) -> None:
    first, _, rest = rule.page.partition("\n\n")
    assert "\n" not in first
    assert first.endswith(".")
    headings = re.findall(r"^## (.*)$", rest, flags=re.MULTILINE)
    assert [each for each in headings if each in HEADINGS] == HEADINGS
    fix_safety = rest.partition("## Fix safety\n")[2].partition("\n## ")[0].strip()
    assert fix_safety
    references = rest.partition("## References\n")[2].strip().splitlines()
    assert references
    assert all(re.fullmatch(r"- \[.+\]\(https://\S+\)", line) or line.startswith("  ") for line in references)
