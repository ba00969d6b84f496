"""The small verbs: rule, config, clean, server."""

from __future__ import annotations

import argparse
import ast
import dataclasses
import inspect
import itertools
import json
import sys
from pathlib import Path

from optdep_lint import config as config_module
from optdep_lint.cli import arguments, console
from optdep_lint.cli.console import UsageError
from optdep_lint.cli.settings import cache_folder
from optdep_lint.cli.telling import toml
from optdep_lint.config import PLATFORMS, SEVERITIES, Config, ConfigError, did_you_mean
from optdep_lint.discovery import DiscoveryError, find_project_root
from optdep_lint.registry import describe, load_registry
from optdep_lint.rules import Rule


def run(verb: str, words: list[str]) -> int:
    """Runs one of the verbs and returns the exit status."""
    if verb == "rule":
        return _rule(arguments.rule_parser().parse_args(words))
    if verb == "config":
        return _config(arguments.config_parser().parse_args(words))
    if verb == "clean":
        return _clean(arguments.clean_parser().parse_intermixed_args(words))
    return _server(arguments.server_parser().parse_args(words))


def _rule(options: argparse.Namespace) -> int:
    registry = load_registry()
    if bool(options.rule) == options.all:
        raise UsageError("rule: name one rule, or give --all")
    rules = registry.rules if options.all else (registry.find(options.rule),)
    if options.output_format == "json":
        described = [describe(rule) for rule in rules]
        console.write(json.dumps(described if options.all else described[0], indent=2) + "\n", options)
    else:
        _write_pages([page(rule) for rule in rules], options)
    return 0


def page(rule: Rule) -> str:
    """A rule's page, in Markdown."""
    fixable = {"no": "There is no fix.", "sometimes": "A fix is sometimes available.", "always": "A fix is available."}
    off = "" if rule.default else "\n\nThis rule is off by default."
    facts = f"Family: {rule.family}. Severity: {rule.severity}. {fixable[rule.fixable]}{off}"
    return f"# {rule.name} ({rule.code})\n\n{facts}\n\n{rule.page}\n"


def _write_pages(pages: list[str], options: argparse.Namespace) -> None:
    if not sys.stdout.isatty() or options.silent:
        console.write("\n".join(pages), options)
        return
    from rich.console import Console
    from rich.markdown import Markdown

    for page in pages:
        Console().print(Markdown(page))


def _config(options: argparse.Namespace) -> int:
    if options.schema:
        console.write(json.dumps(schema(), indent=2) + "\n", options)
        return 0
    explained = settings()
    if options.key is not None and options.key not in explained:
        raise ConfigError(f"{options.key}: unknown key{did_you_mean(options.key, explained)}")
    chosen = {key: row for key, row in explained.items() if options.key in (None, key)}
    if options.output_format == "json":
        rows = {key: {"doc": text, "default": default} for key, (text, _, default) in chosen.items()}
        console.write(json.dumps(rows, indent=2) + "\n", options)
        return 0
    blocks = (f"{key}\n  {text}\n  Default: {default}\n" for key, (text, _, default) in chosen.items())
    console.write("\n".join(blocks), options)
    return 0


def settings() -> dict[str, tuple[str, str, str]]:
    """Each key with its line of documentation, its type and its default as TOML."""
    return {
        field.name.replace("_", "-"): (text, str(field.type), toml(getattr(Config(), field.name), field.name))
        for field, text in zip(dataclasses.fields(Config), _field_texts(), strict=True)
    }


def _field_texts() -> list[str]:
    """The line of documentation below each field of Config, from its source."""
    module = ast.parse(inspect.getsource(config_module))
    body = next(node.body for node in module.body if isinstance(node, ast.ClassDef) and node.name == "Config")
    texts = []
    for field, after in itertools.pairwise(body):
        if isinstance(field, ast.AnnAssign):
            texts.append(str(ast.literal_eval(after.value)) if isinstance(after, ast.Expr) else "")
    return texts


_STRING: dict[str, object] = {"type": "string"}
_STRINGS: dict[str, object] = {"type": "array", "items": _STRING}
_SHAPES: dict[str, dict[str, object]] = {
    "tuple[str, ...]": _STRINGS,
    "Mapping[str, tuple[str, ...]]": {"type": "object", "additionalProperties": {"anyOf": [_STRING, _STRINGS]}},
    "Guards": {"anyOf": [_STRINGS, {"type": "object", "additionalProperties": {"anyOf": [_STRING, _STRINGS]}}]},
    "Mapping[str, str]": {"type": "object", "additionalProperties": {"enum": list(SEVERITIES)}},
    "bool": {"type": "boolean"},
    "str": {"enum": list(PLATFORMS)},
    "str | None": _STRING,
    "tuple[int, int] | None": {"type": "string", "pattern": "^(py)?3\\.?[0-9]{1,2}$"},
}


def schema() -> dict[str, object]:
    """The JSON schema of `[tool.optdep-lint]`."""
    properties = {
        field.name.replace("_", "-"): {"description": text, **_SHAPES[str(field.type)]}
        for field, text in zip(dataclasses.fields(Config), _field_texts(), strict=True)
    }
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "optdep-lint",
        "type": "object",
        "additionalProperties": False,
        "properties": properties,
    }


def _server(options: argparse.Namespace) -> int:
    try:
        from optdep_lint.integrations import lsp
    except ImportError:
        raise UsageError('the language server is not installed; `pip install "optdep-lint[lsp]"` brings it') from None
    lsp.serve(options.config, options.cache_dir)
    return 0


def _clean(options: argparse.Namespace) -> int:
    from optdep_lint.cache import clean

    removed = 0
    for text in options.paths or ["."]:
        path = Path(text)
        if not path.exists():
            raise DiscoveryError(f"{path}: no such file or directory")
        folder = cache_folder([find_project_root(path)], options)
        if clean(folder):
            removed += 1
            if not (options.quiet or options.silent):
                console.write_out(f"Removed {folder}\n")
    return 0
