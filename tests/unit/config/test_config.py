"""Settings: read, checked, and complained about in one line."""

from __future__ import annotations

from pathlib import Path

import pytest

from optdep_lint.config import Config, ConfigError, find_config, load_config, read_toml, with_settings


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


def test_nothing_configured(tmp_path: Path) -> None:
    assert load_config(tmp_path, isolated=True) == Config()


def test_every_type(tmp_path: Path) -> None:
    write(
        tmp_path / "pyproject.toml",
        """
        [tool.optdep-lint]
        select = ["OPD1"]
        atomic-extras = true
        target-python = "3.12"
        python = "python3"
        severity = { OPD5 = "info" }
        guards = ["acme.compat.needs"]
        [tool.optdep-lint.package-module-name-map]
        opencv-python = "cv2"
        pillow = ["PIL"]
        """,
    )
    config = load_config(tmp_path)
    assert config.select == ("OPD1",)
    assert config.atomic_extras
    assert config.target_python == (3, 12)
    assert config.package_module_name_map == {"opencv-python": ("cv2",), "pillow": ("PIL",)}
    assert config.severity == {"OPD5": "info"}
    assert config.guards == {"acme.compat.needs": ()}
    assert with_settings(config, {"guards": {"ready": "torch"}}, "x").guards == {"ready": ("torch",)}


def test_the_nearest_file_that_configures_us_counts(tmp_path: Path) -> None:
    outer = write(tmp_path / "optdep-lint.toml", "strict = true\n")
    write(tmp_path / "a" / "pyproject.toml", "[project]\nname = 'a'\n")
    inner = write(tmp_path / "a" / "b" / "pyproject.toml", "[tool.optdep-lint]\n")
    assert find_config(tmp_path / "a") == outer
    assert find_config(tmp_path / "a" / "b") == inner
    assert load_config(tmp_path / "a").strict


def test_inline_settings_win_over_files(tmp_path: Path) -> None:
    path = write(tmp_path / "other.toml", "strict = true\noptional = ['a']\n")
    config = load_config(tmp_path, given=[str(path), "optional = ['b']"])
    assert config.strict
    assert config.optional == ("b",)


def test_a_standalone_file_may_have_the_table_too(tmp_path: Path) -> None:
    path = write(tmp_path / "x.toml", "[tool.optdep-lint]\nstrict = true\n")
    assert load_config(tmp_path, given=[str(path)]).strict


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("selct = []", "selct: unknown key; did you mean 'select'?"),
        ("select = 'OPD1'", "select: expected a list of strings, got a string"),
        ("select = [1]", "select: expected a list of strings, got a list"),
        ("strict = 'yes'", "strict: expected true or false, got a string"),
        ("python = 3", "python: expected a string, got an integer"),
        ("target-python = 3.12", "target-python: expected a Python version such as"),
        ("target-platform = 'windows'", "target-platform: expected one of linux, darwin, win32, got 'windows'"),
        ("severity = { OPD1 = 'loud' }", "severity: expected one of info, warning, error, got 'loud'"),
        ("severity = 1", "severity: expected a table of strings, got an integer"),
        ("feature-modules = []", "feature-modules: expected a table of lists of strings, got a list"),
        ("per-file-ignores = { 'a' = 1.5 }", "per-file-ignores: expected a list of strings, got a float"),
        ("guards = 'acme.has'", "guards: expected a list of strings, or a table of lists of strings, got a string"),
        ("guards = [1]", "guards: expected a list of strings, got a list"),
        ("guards = ['has torch']", "guards: expected the dotted name of a function, got 'has torch'"),
        ("guards = { 'acme.has' = 1 }", "guards: expected a list of strings, got an integer"),
        ("select = [", "broken TOML: "),
    ],
)
def test_a_mistake_is_one_line_with_file_and_key(tmp_path: Path, text: str, expected: str) -> None:
    path = write(tmp_path / "pyproject.toml", f"[tool.optdep-lint]\n{text}\n")
    with pytest.raises(ConfigError) as caught:
        load_config(tmp_path)
    message = str(caught.value)
    assert message.startswith(str(path))
    assert expected in message
    assert "\n" not in message


def test_the_table_must_be_one(tmp_path: Path) -> None:
    path = write(tmp_path / "pyproject.toml", "[tool]\noptdep-lint = 3\n")
    with pytest.raises(ConfigError, match=r"tool\.optdep-lint: expected a table"):
        load_config(tmp_path, given=[str(path)])


def test_a_broken_pyproject_that_does_not_name_us_is_not_ours(tmp_path: Path) -> None:
    write(tmp_path / "pyproject.toml", "[project\n")
    assert load_config(tmp_path) == Config()


def test_unreadable_files(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="cannot read"):
        read_toml(tmp_path / "none.toml")
    latin = tmp_path / "latin.toml"
    latin.write_bytes(b"a = '\xe9'\n")
    with pytest.raises(ConfigError, match="not UTF-8 at byte 5"):
        read_toml(latin)


def test_settings_do_not_change_the_config_they_start_from() -> None:
    config = Config()
    assert with_settings(config, {"strict": True}, "x").strict
    assert not config.strict
