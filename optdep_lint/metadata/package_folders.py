"""In which folders the build tool of ``pyproject.toml`` looks for packages."""

from __future__ import annotations

from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator

    from optdep_lint.metadata.toml_text import TomlFile

PackageDirs: TypeAlias = tuple[tuple[str, str], ...]


def package_folders(file: TomlFile, root: Path) -> PackageDirs:
    """Return (package, or "" for the top, and its folder) as the tables of build tools say.

    Raises `MetadataError` for values of a wrong type.
    """
    found = [
        *_setuptools(file),
        *_hatch(file),
        *_poetry(file),
        *_flit(file, root),
        *_top_folder(file, ("tool", "pdm", "build", "package-dir")),
        *_top_folder(file, ("tool", "maturin", "python-source")),
        *_uv(file),
        *_scikit_build(file),
    ]
    return tuple(dict.fromkeys((package, folder or ".") for package, folder in found))


def _folder(written: str) -> str:
    folder = PurePosixPath(written.replace("\\", "/")).as_posix()
    return folder.rstrip("/") or "."


def _top_folder(file: TomlFile, key: tuple[str, ...]) -> Iterator[tuple[str, str]]:
    folder = file.text(*key)
    if folder:
        yield "", _folder(folder)


def _setuptools(file: TomlFile) -> Iterator[tuple[str, str]]:
    for package in file.table("tool", "setuptools", "package-dir"):
        folder = file.text("tool", "setuptools", "package-dir", package) or "."
        yield package, _folder(folder)
    packages: Any = file.table("tool", "setuptools").get("packages")
    if isinstance(packages, dict) and "find" in packages:
        for folder in file.texts("tool", "setuptools", "packages", "find", "where"):
            yield "", _folder(folder)


def _hatch(file: TomlFile) -> Iterator[tuple[str, str]]:
    for table in (
        ("tool", "hatch", "build", "targets", "wheel"),
        ("tool", "hatch", "build"),
    ):
        sources: Any = file.table(*table).get("sources", [])
        if isinstance(sources, dict):
            for folder in sources:
                package = (file.text(*table, "sources", folder) or "").replace("/", ".")
                yield package, _folder(folder)
        else:
            for folder in file.texts(*table, "sources"):
                yield "", _folder(folder)
        for key in ("packages", "only-include"):
            for folder in file.texts(*table, key):
                if not folder.endswith(".py"):
                    yield PurePosixPath(folder).name, _folder(folder)


def _poetry(file: TomlFile) -> Iterator[tuple[str, str]]:
    packages: Any = file.table("tool", "poetry").get("packages", [])
    if not isinstance(packages, list) or not all(isinstance(one, dict) for one in packages):
        raise file.wrong(("tool", "poetry", "packages"), "an array of tables")
    for one in packages:
        include, folder = one.get("include"), one.get("from", "")
        if not isinstance(include, str) or not isinstance(folder, str):
            raise file.wrong(("tool", "poetry", "packages"), 'tables with "include" and "from"')
        package = include.split("/*", 1)[0].removesuffix(".py").strip("/")
        if "*" in package:
            yield "", _folder(folder)
        else:
            yield package.replace("/", "."), _folder(f"{folder}/{package}" if folder else package)


def _flit(file: TomlFile, root: Path) -> Iterator[tuple[str, str]]:
    module = file.text("tool", "flit", "module", "name") or file.text("tool", "flit", "metadata", "module")
    if module:
        folder = module.replace(".", "/")
        in_src = (root / "src" / folder).is_dir() or (root / "src" / f"{folder}.py").is_file()
        yield ("", "src") if in_src else (module, folder)


def _uv(file: TomlFile) -> Iterator[tuple[str, str]]:
    backend = file.table("tool", "uv", "build-backend")
    if backend or file.text("build-system", "build-backend") == "uv_build":
        folder = file.text("tool", "uv", "build-backend", "module-root")
        yield "", "src" if folder is None else _folder(folder)


def _scikit_build(file: TomlFile) -> Iterator[tuple[str, str]]:
    packages: Any = file.table("tool", "scikit-build", "wheel").get("packages", [])
    if isinstance(packages, dict):
        for package in packages:
            folder = file.text("tool", "scikit-build", "wheel", "packages", package) or package
            yield package.replace("/", "."), _folder(folder)
    elif isinstance(packages, list):
        for folder in file.texts("tool", "scikit-build", "wheel", "packages"):
            yield PurePosixPath(folder).name, _folder(folder)
