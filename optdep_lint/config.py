"""What the user has asked for: `[tool.optdep-lint]`, resolved once per run into a frozen Config."""

from __future__ import annotations

import dataclasses
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

Guards: TypeAlias = Mapping[str, tuple[str, ...]]
"""Names of guards, each with the roots that it answers for; without any, its arguments or its name tell."""


class ConfigError(Exception):
    """A setting that cannot be used; the text is one line naming the file and the key."""


@dataclass(frozen=True, slots=True)
class Config:
    """Every setting that changes what is found; the field is the key of `[tool.optdep-lint]` with `-` for `_`."""

    select: tuple[str, ...] = ("OPD",)
    """Code prefixes to report; `ALL` also selects the rules that are off by default."""
    ignore: tuple[str, ...] = ()
    """Code prefixes not to report; of two prefixes that name a rule, the longer one decides."""
    extend_select: tuple[str, ...] = ()
    """Code prefixes to report in addition to `select`."""
    per_file_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Globs as in .gitignore, each with the code prefixes not to report there; all that match count."""
    exclude: tuple[str, ...] = ()
    """Globs as in .gitignore, in addition to the default ones."""
    respect_gitignore: bool = True
    """Leave out what .gitignore files name."""
    force_exclude: bool = False
    """Leave out excluded files even where they are named on the command line."""
    fixable: tuple[str, ...] = ("ALL",)
    """Code prefixes that may be repaired."""
    unfixable: tuple[str, ...] = ()
    """Code prefixes never to repair."""
    severity: Mapping[str, str] = field(default_factory=dict)
    """Code prefixes with `error`, `warning` or `info`; the longest prefix decides."""
    optional: tuple[str, ...] = ()
    """Import roots that a plain installation does not guarantee, whatever the metadata says."""
    must_import: tuple[str, ...] = ()
    """Modules that must import in every world, beside the package roots."""
    feature_modules: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Globs of modules that may fail by design, for each import root."""
    hot_paths: tuple[str, ...] = ()
    """Dotted globs of functions that run on every step."""
    guards: Guards = field(default_factory=dict)
    """Dotted names of functions and decorators that say no, or raise, where an import root is missing; a list, or a table that gives each its roots."""
    platform_provides: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Predicates that imply the presence of import roots, such as `is_npu = ["torch_npu"]`."""
    package_module_name_map: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Import roots of distributions, where the shipped table is wrong or silent."""
    atomic_extras: bool = False
    """An extra is installed whole or not at all: leave out the worlds in which one is there by halves."""
    strict: bool = False
    """Report every module that cannot be imported where nothing optional is installed."""
    target_python: tuple[int, int] | None = None
    """The one Python version to judge, such as `"3.12"`; otherwise every supported one."""
    target_platform: str = "linux"
    """The platform to judge: `linux`, `darwin` or `win32`."""
    without: tuple[str, ...] = ()
    """Import roots: look only at the worlds in which they are absent."""
    python: str | None = None
    """An interpreter whose installed metadata is read (not run with the project's code)."""
    include_tests: bool = False
    """Judge tests, docs, examples and scripts as well."""


SEVERITIES = ("info", "warning", "error")
PLATFORMS = ("linux", "darwin", "win32")
FILE_NAMES = ("optdep-lint.toml", ".optdep-lint.toml", "pyproject.toml")
TABLE = "tool.optdep-lint"


def read_toml(path: Path) -> dict[str, object]:
    """The content of a TOML file; raises ConfigError with one line where it cannot be read."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigError(f"{path}: cannot read: {error.strerror or error}") from None
    except UnicodeDecodeError as error:
        raise ConfigError(f"{path}: not UTF-8 at byte {error.start}") from None
    return _parse_toml(text, str(path))


def _parse_toml(text: str, source: str) -> dict[str, object]:
    if sys.version_info >= (3, 11):
        import tomllib
    else:
        import tomli as tomllib
    try:
        content: dict[str, object] = tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        raise ConfigError(f"{source}: broken TOML: {' '.join(str(error).split())}") from None
    return content


def find_config(start: Path) -> Path | None:
    """The nearest file, from the folder `start` upward, that configures optdep-lint."""
    for folder in (start, *start.parents):
        for name in FILE_NAMES:
            path = folder / name
            if path.is_file() and (name != "pyproject.toml" or _has_table(path)):
                return path
    return None


def _has_table(path: Path) -> bool:
    """Whether a pyproject.toml has our table; a broken one that does not name us is left to the metadata reader."""
    try:
        mentions = b"optdep-lint" in path.read_bytes()
    except OSError:
        return False
    return mentions and isinstance(_tool_table(read_toml(path)), dict)


def _tool_table(content: Mapping[str, object]) -> object:
    tool = content.get("tool")
    return tool.get("optdep-lint") if isinstance(tool, dict) else None


def load_config(start: Path, *, given: Sequence[str] = (), isolated: bool = False) -> Config:
    """The configuration for the folder `start`.

    `given` are the values of `--config`: paths of TOML files (the last one replaces the one found by looking) or
    inline `KEY = VALUE` lines, which win over any file. Raises ConfigError.
    """
    files = [text for text in given if "=" not in text or Path(text).is_file()]
    inline = [text for text in given if text not in files]
    path = Path(files[-1]) if files else None if isolated else find_config(start)
    config = Config() if path is None else read_config(path)
    for text in inline:
        config = with_settings(config, _parse_toml(text, f"--config {text!r}"), "--config")
    return config


def read_config(path: Path) -> Config:
    """The configuration in a stand-alone TOML file or in the table of a pyproject.toml."""
    content = read_toml(path)
    if path.name != "pyproject.toml" and _tool_table(content) is None:
        return with_settings(Config(), content, str(path))
    table = _tool_table(content)
    if table is None:
        return Config()
    if not isinstance(table, dict):
        raise ConfigError(f"{path}: {TABLE}: expected a table")
    return with_settings(Config(), table, f"{path}: {TABLE}")


def with_settings(config: Config, settings: Mapping[str, object], source: str) -> Config:
    """`config` with kebab-case `settings` checked and applied; `source` begins the message of a ConfigError."""
    fields = {each.name.replace("_", "-"): each for each in dataclasses.fields(Config)}
    changes: dict[str, object] = {}
    for key, value in settings.items():
        found = fields.get(key)
        if found is None:
            raise ConfigError(f"{source}: {key}: unknown key{did_you_mean(key, fields)}")
        try:
            changes[found.name] = _READERS[str(found.type)](value)
            _check_choices(key, changes[found.name])
        except ValueError as error:
            raise ConfigError(f"{source}: {key}: {error}") from None
    return dataclasses.replace(config, **changes)  # type: ignore[arg-type]  # each value was read by its field's type


def code_prefix(selector: str) -> str:
    """`OPD1` of `OPD1xx`: the x-es stand for any digits."""
    text = selector.strip()
    return text[:1] + text[1:].rstrip("xX")


def did_you_mean(word: str, known: Sequence[str] | Mapping[str, object]) -> str:
    """`; did you mean 'x'?` for the known word most like `word`, or nothing."""
    import difflib

    close = difflib.get_close_matches(word, list(known), 1, 0.6)
    return f"; did you mean {close[0]!r}?" if close else ""


def _check_choices(key: str, value: object) -> None:
    if key == "target-platform" and value not in PLATFORMS:
        raise ValueError(f"expected one of {', '.join(PLATFORMS)}, got {value!r}")
    if key == "severity" and isinstance(value, Mapping):
        for level in value.values():
            if level not in SEVERITIES:
                raise ValueError(f"expected one of {', '.join(SEVERITIES)}, got {level!r}")


def _strings(value: object) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
        raise ValueError(f"expected a list of strings, got {_kind(value)}")
    return tuple(value)


def _string_lists(value: object) -> dict[str, tuple[str, ...]]:
    if not isinstance(value, dict):
        raise ValueError(f"expected a table of lists of strings, got {_kind(value)}")
    return {key: (each,) if isinstance(each, str) else _strings(each) for key, each in value.items()}


def _guards(value: object) -> dict[str, tuple[str, ...]]:
    if isinstance(value, list):
        value = {name: [] for name in _strings(value)}
    elif not isinstance(value, dict):
        raise ValueError(f"expected a list of strings, or a table of lists of strings, got {_kind(value)}")
    for name in value:
        if not all(part.isidentifier() for part in name.split(".")):
            raise ValueError(f"expected the dotted name of a function, got {name!r}")
    return _string_lists(value)


def _string_table(value: object) -> dict[str, str]:
    if not isinstance(value, dict) or not all(isinstance(each, str) for each in value.values()):
        raise ValueError(f"expected a table of strings, got {_kind(value)}")
    return dict(value)


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise ValueError(f"expected true or false, got {_kind(value)}")
    return value


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"expected a string, got {_kind(value)}")
    return value


def _python_version(value: object) -> tuple[int, int]:
    match = re.fullmatch(r"(?:py)?3\.?(\d{1,2})", value) if isinstance(value, str) else None
    if match is None:
        raise ValueError(f'expected a Python version such as "3.12", got {value!r}')
    return (3, int(match[1]))


def _kind(value: object) -> str:
    names = {dict: "a table", list: "a list", str: "a string", bool: "a boolean", int: "an integer", float: "a float"}
    return names.get(type(value), f"a {type(value).__name__}")


_READERS: Mapping[str, Callable[[object], object]] = {
    "tuple[str, ...]": _strings,
    "Mapping[str, tuple[str, ...]]": _string_lists,
    "Mapping[str, str]": _string_table,
    "Guards": _guards,
    "bool": _flag,
    "str": _text,
    "str | None": _text,
    "tuple[int, int] | None": _python_version,
}
