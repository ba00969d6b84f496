"""From the command line and the configuration files to the Config of each project."""

from __future__ import annotations

import argparse
import dataclasses
import os
from collections.abc import Sequence
from pathlib import Path

from optdep_lint.cache import FOLDER_NAME, Cache
from optdep_lint.cli.console import UsageError
from optdep_lint.config import Config, ConfigError, find_config, load_config, with_settings
from optdep_lint.registry import Registry


def settings_for(start: Path, options: argparse.Namespace, registry: Registry) -> Config:
    """The configuration for the folder `start`, with the flags applied and every rule code checked."""
    config = load_config(start, given=options.config, isolated=options.isolated)
    try:
        registry.enabled(config)
        registry.fixable(config)
    except ConfigError as error:
        raise ConfigError(f"{_source(start, options)}: {error}") from None
    config = _with_flags(config, options)
    try:
        registry.enabled(config)
        registry.fixable(config)
    except ConfigError as error:
        raise ConfigError(f"--{error}") from None
    return config


def _source(start: Path, options: argparse.Namespace) -> str:
    """Which file the settings for `start` come from, as an error names it."""
    files = [text for text in options.config if "=" not in text]
    if files:
        return str(files[-1])
    found = None if options.isolated else find_config(start)
    if found is None:
        return "--config"
    return f"{found}: tool.optdep-lint" if found.name == "pyproject.toml" else str(found)


def _with_flags(config: Config, options: argparse.Namespace) -> Config:
    """A `--select` replaces what the file selects and ignores; the other lists are added to the file's."""
    changes: dict[str, object] = {}
    given = vars(options)
    if given.get("select"):
        config = dataclasses.replace(config, select=(), extend_select=(), ignore=())
    for name in ("select", "ignore", "extend_select", "unfixable", "exclude", "without"):
        words = split_words(given.get(name))
        if words:
            changes[name.replace("_", "-")] = [*getattr(config, name), *words]
    if given.get("fixable"):
        changes["fixable"] = split_words(given["fixable"])
    for name in ("strict", "force_exclude"):
        if given.get(name):
            changes[name.replace("_", "-")] = True
    for name in ("python", "target_python", "target_platform", "respect_gitignore"):
        if given.get(name) is not None:
            changes[name.replace("_", "-")] = given[name]
    if given.get("per_file_ignores"):
        changes["per-file-ignores"] = _per_file_ignores(config, given["per_file_ignores"])
    return with_settings(config, changes, "command line")


def split_words(values: Sequence[str] | None) -> list[str]:
    """Values of a flag that may be repeated, or hold several between commas."""
    return [word.strip() for value in values or () for word in value.split(",") if word.strip()]


def _per_file_ignores(config: Config, values: Sequence[str]) -> dict[str, list[str]]:
    merged = {glob: list(codes) for glob, codes in config.per_file_ignores.items()}
    for value in values:
        glob, colon, codes = value.rpartition(":")
        if not colon or not glob or not codes:
            raise UsageError(f"--per-file-ignores: expected GLOB:CODES, got {value!r}")
        merged.setdefault(glob, []).extend(split_words([codes]))
    return merged


def open_cache(roots: Sequence[Path], options: argparse.Namespace) -> Cache | None:
    """The cache of this run: one for all its projects, in the first of them unless a flag says where."""
    if options.no_cache:
        return None
    return Cache(cache_folder(roots, options))


def cache_folder(roots: Sequence[Path], options: argparse.Namespace) -> Path:
    """Where the cache of these projects lies."""
    if options.cache_dir:
        return Path(os.path.abspath(options.cache_dir))
    return min(roots) / FOLDER_NAME
