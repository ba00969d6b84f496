"""Which rules there are, found by looking at `rules/`, and which of them a configuration enables."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

from optdep_lint import rules
from optdep_lint.config import Config, ConfigError, code_prefix, did_you_mean
from optdep_lint.findings import Finding
from optdep_lint.rules import Rule

PREFIX = "OPD"
_FILE_NAME = re.compile(r"opd(\d{3})_([a-z0-9_]+)")


class RegistryError(Exception):
    """A rule's file and the rule that it holds do not fit together: a fault of optdep-lint itself."""


@dataclass(frozen=True, slots=True)
class Registry:
    """All rules, in the order of their codes."""

    rules: tuple[Rule, ...]

    def find(self, word: str) -> Rule:
        """The rule with that code or name; raises ConfigError with a suggestion."""
        wanted = word.strip().lower()
        for rule in self.rules:
            if wanted in (rule.code.lower(), rule.name):
                return rule
        raise ConfigError(f"unknown rule {word!r}{did_you_mean(word, self._words())}")

    def enabled(self, config: Config) -> tuple[Rule, ...]:
        """The rules that `config` selects; raises ConfigError for a selector that names none."""
        select = self._prefixes("select", config.select) + self._prefixes("extend-select", config.extend_select)
        ignore = self._prefixes("ignore", config.ignore)
        for glob, selectors in config.per_file_ignores.items():
            self._prefixes(f"per-file-ignores.{glob!r}", selectors)
        self._prefixes("severity", config.severity)
        return tuple(rule for rule in self.rules if _is_selected(rule, select, ignore))

    def fixable(self, config: Config) -> frozenset[str]:
        """The codes that `config` lets fixes touch."""
        yes, no = self._prefixes("fixable", config.fixable), self._prefixes("unfixable", config.unfixable)
        return frozenset(rule.code for rule in self.rules if _longest(rule.code, yes) > _longest(rule.code, no))

    def severity(self, code: str, config: Config) -> str:
        """`error`, `warning` or `info`: the longest prefix of `code` in the configuration, else the rule's own."""
        prefixes = {self.normalise(key): level for key, level in config.severity.items()}
        best = max((key for key in prefixes if code.startswith(key)), key=len, default=None)
        if best is not None:
            return prefixes[best]
        return next((rule.severity for rule in self.rules if rule.code == code), "error")

    def normalise(self, selector: str) -> str:
        """A code prefix from what a user may write: `OPD1`, `OPD1xx`, `ALL` (gives the empty prefix) or a rule's name."""
        by_name = {rule.name: rule.code for rule in self.rules}
        text = selector.strip()
        return "" if text.upper() == "ALL" else by_name.get(text, code_prefix(text))

    def _prefixes(self, key: str, selectors: Iterable[str]) -> tuple[str, ...]:
        prefixes = []
        for selector in selectors:
            prefix = self.normalise(selector)
            if not any(rule.code.startswith(prefix) for rule in self.rules):
                raise ConfigError(f"{key}: unknown rule code {selector!r}{did_you_mean(selector, self._words())}")
            prefixes.append(prefix)
        return tuple(prefixes)

    def _words(self) -> Sequence[str]:
        return [rule.code for rule in self.rules] + [rule.name for rule in self.rules]


def _longest(code: str, prefixes: Iterable[str]) -> int:
    """Length of the longest prefix of `code`, or -1; `ALL` counts as the empty prefix."""
    return max((len(prefix) for prefix in prefixes if code.startswith(prefix)), default=-1)


def _is_selected(rule: Rule, select: Sequence[str], ignore: Sequence[str]) -> bool:
    """The longer prefix decides, `ignore` where both are equal; plain `OPD` leaves out what is off by default."""
    usable = select if rule.default else [prefix for prefix in select if prefix != PREFIX]
    return _longest(rule.code, usable) > _longest(rule.code, ignore)


def load_registry() -> Registry:
    """Reads every file of `rules/` and checks that file name, code and name agree; a rule is imported when it checks."""
    files = sorted(path for path in Path(rules.__file__).parent.glob("opd*.py"))
    found = [_load_rule(path) for path in files]
    _check_unique(found)
    return Registry(tuple(sorted(found, key=lambda rule: rule.code)))


def _load_rule(path: Path) -> Rule:
    match = _FILE_NAME.fullmatch(path.stem)
    if match is None:
        raise RegistryError(f"rules/{path.name}: expected a name such as opd101_unguarded_optional_import.py")
    text = path.read_text(encoding="utf-8")
    settings = _settings(text)
    if settings is None:
        raise RegistryError(f"rules/{path.name}: has no RULE")
    rule = Rule(**settings, check=_Check(f"{rules.__name__}.{path.stem}"), page=_page(text))  # type: ignore[arg-type]
    expected = (PREFIX + match[1], match[2].replace("_", "-"))
    if (rule.code, rule.name) != expected:
        raise RegistryError(f"rules/{path.name}: holds {rule.code} {rule.name}, its name says {' '.join(expected)}")
    return rule


@dataclass(frozen=True, slots=True)
class _Check:
    """The check of a rule whose file is imported when it is called: most runs find in the cache what it would say."""

    module: str

    def __call__(self, view: object) -> Iterator[Finding]:
        rule: Rule = import_module(self.module).RULE
        return rule.check(view)


def _settings(text: str) -> dict[str, object] | None:
    """What a file gives its RULE, as far as it is written out: a name, a code, flags."""
    _, found, call = text.rpartition("\nRULE = ")
    node = ast.parse(call.strip(), mode="eval").body if found else None
    if not isinstance(node, ast.Call):
        return None
    given: dict[str, object] = {
        word.arg: word.value.value for word in node.keywords if word.arg and isinstance(word.value, ast.Constant)
    }
    return given if {"code", "name"} <= given.keys() else None


def _page(text: str) -> str:
    """The docstring at the top of a file."""
    head, _, _ = text.partition("\nfrom __future__ import ")
    return (ast.get_docstring(ast.parse(head), clean=False) or "").strip()


def _check_unique(found: Iterable[Rule]) -> None:
    seen: dict[str, str] = {}
    for rule in found:
        for word in (rule.code, rule.name):
            if seen.setdefault(word, rule.code + rule.name) != rule.code + rule.name:
                raise RegistryError(f"{word} is taken by two rules")


def describe(rule: Rule) -> Mapping[str, object]:
    """A rule as `rule --output-format json` prints it."""
    return {
        "code": rule.code,
        "name": rule.name,
        "family": rule.family,
        "summary": rule.summary,
        "default": rule.default,
        "fixable": rule.fixable,
        "severity": rule.severity,
        "explanation": rule.page,
    }
