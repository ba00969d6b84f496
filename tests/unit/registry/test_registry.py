"""Rules are found by looking, and selected by prefixes."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from pathlib import Path

import pytest

from optdep_lint import rules
from optdep_lint.config import Config, ConfigError
from optdep_lint.registry import Registry, RegistryError, _check_unique, _load_rule, describe, load_registry
from optdep_lint.rules import Rule, check_nothing


def rule(code: str, name: str, *, default: bool = True) -> Rule:
    return Rule(code, name, check_nothing, default=default)


REGISTRY = Registry(
    (rule("OPD101", "one"), rule("OPD102", "two"), rule("OPD201", "three"), rule("OPD601", "off", default=False))
)


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, "OPD101 OPD102 OPD201"),
        ({"select": ("ALL",)}, "OPD101 OPD102 OPD201 OPD601"),
        ({"select": ("OPD6",)}, "OPD601"),
        ({"select": ("OPD1xx",)}, "OPD101 OPD102"),
        ({"select": ("three", "OPD101")}, "OPD101 OPD201"),
        ({"ignore": ("OPD1",)}, "OPD201"),
        ({"ignore": ("OPD1",), "extend_select": ("OPD101",)}, "OPD101 OPD201"),
        ({"select": ("OPD1",), "ignore": ("OPD1",)}, ""),
        ({"select": ("ALL",), "ignore": ("ALL",)}, ""),
        ({"select": ("OPD101",), "ignore": ("OPD",)}, "OPD101"),
    ],
)
def test_selection(settings: dict[str, tuple[str, ...]], expected: str) -> None:
    assert [each.code for each in REGISTRY.enabled(Config(**settings))] == expected.split()  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"select": ("OPD211",)}, "select: unknown rule code 'OPD211'; did you mean 'OPD201'?"),
        ({"per_file_ignores": {"a.py": ("E501",)}}, "per-file-ignores.'a.py': unknown rule code 'E501'"),
        ({"severity": {"X": "error"}}, "severity: unknown rule code 'X'"),
    ],
)
def test_unknown_codes(settings: dict[str, object], message: str) -> None:
    with pytest.raises(ConfigError) as caught:
        REGISTRY.enabled(Config(**settings))  # type: ignore[arg-type]
    assert str(caught.value) == message


def test_severity_and_fixable() -> None:
    config = Config(severity={"OPD1": "info", "OPD102": "warning"}, unfixable=("OPD102",))
    assert [REGISTRY.severity(code, config) for code in ("OPD101", "OPD102", "OPD201")] == ["info", "warning", "error"]
    assert REGISTRY.fixable(config) == {"OPD101", "OPD201", "OPD601"}


def test_find() -> None:
    assert REGISTRY.find("opd101") is REGISTRY.find("one")
    with pytest.raises(ConfigError, match="unknown rule 'thre'; did you mean 'three'"):
        REGISTRY.find("thre")


def test_what_is_there() -> None:
    registry = load_registry()
    codes = [each.code for each in registry.rules]
    assert codes == sorted(codes)
    assert {"OPD901", "OPD902"} <= set(codes)
    for each in registry.rules:
        assert each.summary, each.code
        assert describe(each)["explanation"] == each.page
        for heading in ("What it does", "Why is this bad?", "Example", "Fix safety", "References"):
            assert f"\n## {heading}\n" in each.page, (each.code, heading)


def test_what_a_file_says_is_what_it_holds() -> None:
    """A rule's settings are read from its text: importing it would take longer than a run that finds all in the cache."""
    for each in load_registry().rules:
        module = import_module(f"{rules.__name__}.{each.code.lower()}_{each.name.replace('-', '_')}")
        assert replace(module.RULE, check=each.check, page=module.__doc__.strip()) == each
        assert each.check.module == module.__name__  # type: ignore[attr-defined]


def test_files_that_do_not_fit(tmp_path: Path) -> None:
    for name, text, message in (
        ("opd1_x.py", "", "expected a name such as"),
        ("opd101_x.py", "x = 1\n", "has no RULE"),
        ("opd101_x.py", "RULE = 3\n", "has no RULE"),
        (
            "opd903_other.py",
            "\nRULE = Rule(code='OPD902', name='syntax-error', check=check)\n",
            "holds OPD902 syntax-error",
        ),
    ):
        path = tmp_path / name
        path.write_text(text)
        with pytest.raises(RegistryError, match=message):
            _load_rule(path)
    with pytest.raises(RegistryError, match="OPD101 is taken by two rules"):
        _check_unique([rule("OPD101", "a"), rule("OPD101", "b")])
