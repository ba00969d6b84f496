"""What the user has asked for: `[tool.optdep-lint]`, resolved once per run into a frozen Config."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


class ConfigError(Exception):
    """A setting that cannot be used; the text is one line naming the file and the key."""


@dataclass(frozen=True, slots=True)
class Config:
    """Every setting that changes what is found; the field is the key of `[tool.optdep-lint]` with `-` for `_`."""

    select: tuple[str, ...] = ("OPD",)
    """Code prefixes to report; `ALL` also selects the rules that are off by default."""
    ignore: tuple[str, ...] = ()
    extend_select: tuple[str, ...] = ()
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    exclude: tuple[str, ...] = ()
    """Globs as in .gitignore, in addition to the default ones."""
    severity: Mapping[str, str] = field(default_factory=dict)
    optional: tuple[str, ...] = ()
    """Import roots that a plain installation does not guarantee, whatever the metadata says."""
    must_import: tuple[str, ...] = ()
    """Modules that must import in every world, beside the package roots."""
    feature_modules: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Globs of modules that may fail by design, for each import root."""
    hot_paths: tuple[str, ...] = ()
    """Dotted globs of functions that run on every step."""
    guards: tuple[str, ...] = ()
    """Dotted names of functions and decorators that raise where a dependency is missing."""
    platform_provides: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Predicates that imply the presence of import roots, such as `is_npu = ["torch_npu"]`."""
    package_module_name_map: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Import roots of distributions, where the shipped table is wrong or silent."""
    atomic_extras: bool = False
    strict: bool = False
    target_python: tuple[int, int] | None = None
    target_platform: str = "linux"
    without: tuple[str, ...] = ()
    """Import roots: look only at the worlds in which they are absent."""
    python: str | None = None
    """An interpreter whose installed metadata is read (not run with the project's code)."""
    include_tests: bool = False
