"""What a repair may ask: the evaluated project, its files as trees, and what it declares."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

import libcst as cst

from optdep_lint.config import Config
from optdep_lint.discovery import Project, SourceFile
from optdep_lint.engine import Looked, whole_tree
from optdep_lint.findings import Finding
from optdep_lint.fixers import Refusal
from optdep_lint.fixers.availability import Availability
from optdep_lint.fixers.source import Source
from optdep_lint.recall import Read, summary_key
from optdep_lint.world.modules import Source as ModuleSource
from optdep_lint.world.survey import Survey


@dataclass(frozen=True, slots=True)
class Shelf:
    """Files that have been read, for every state of a project that is still to come."""

    contents: dict[Path, bytes] = field(default_factory=dict)
    """Those on disk."""
    sources: dict[tuple[str, bytes], Source] = field(default_factory=dict)
    """By path and content."""
    read: dict[Path, Read] = field(default_factory=dict)
    """What is known of all files, tests included."""


class Workshop:
    """One state of a project, to build fixes for."""

    def __init__(
        self,
        looked: Looked,
        config: Config,
        findings: tuple[Finding, ...] = (),
        shelf: Shelf | None = None,
    ) -> None:
        """Start from an evaluated project.

        Args:
            looked: The project.
            config: Its settings.
            findings: What is wrong with it.
            shelf: What has been read; what is read now is added.
        """
        self.looked, self.config, self.findings = looked, config, findings
        self._shelf = shelf or Shelf()
        self._files = {file.relative: file for file in looked.project.files}

    @property
    def project(self) -> Project:
        """The files."""
        return self.looked.project

    @property
    def survey(self) -> Survey:
        """The worlds."""
        return self.looked.survey

    @cached_property
    def modules(self) -> Mapping[str, ModuleSource]:
        """All modules of the project by name, tests included."""
        return whole_tree(self.looked, self.config, self._shelf.read).sources

    def source(self, path: str) -> Source:
        """A file as text and tree; raises Refusal where it cannot be read."""
        file = self._files.get(path)
        if file is None:
            raise Refusal(f"{path} is not a Python file of the project")
        content = self._content_of(file)
        found = self._shelf.sources.get((path, content))
        if found is None:
            found = self._shelf.sources[path, content] = Source(path, content)
        return found

    def _content_of(self, file: SourceFile) -> bytes:
        if file.content is not None:
            return file.content
        if file.path not in self._shelf.contents:
            self._shelf.contents[file.path] = _read_unchanged(file.path, self.looked)
        return self._shelf.contents[file.path]

    def module_of(self, path: str) -> str:
        """The import name of a file; raises Refusal where nothing imports it."""
        name = self.survey.source_of(path)
        if name is None:
            raise Refusal(f"{path} is not a module of the project")
        return name

    @cached_property
    def availability(self) -> Availability:
        """How the project asks whether a root is there."""
        return Availability(self.survey)

    # --- wording -----------------------------------------------------------------------------------------------------

    def hint(self, root: str) -> str:
        """What to install for a root: `pip install 'acme[fast]'`."""
        metadata, optional = self.survey.declared.metadata, self.survey.declared.optional.get(root)
        if optional is not None and optional.extra is not None and metadata.name:
            return f"pip install '{metadata.name}[{optional.extra}]'"
        requirement = optional.requirement if optional is not None else None
        return f"pip install {requirement.distribution if requirement is not None else self.distribution(root)}"

    def distribution(self, root: str) -> str:
        """The distribution that brings a root, as far as anybody says."""
        optional = self.survey.declared.optional.get(root)
        if optional is not None and optional.requirement is not None:
            return optional.requirement.distribution
        from optdep_lint.metadata.known_import_names import ROOTS

        names = [name for name, roots in ROOTS.items() if root in roots.split()]
        return min(names, key=len, default=root.replace("_", "-"))

    def is_typed(self, source: Source) -> bool:
        """Whether type checkers may look at a file: it has annotations, or the project has a checker's settings."""
        return "# type: ignore" in source.text or self.has_checker or any(True for _ in source.all(cst.Annotation))

    @cached_property
    def minds_comparisons(self) -> bool:
        """Whether the project has a type checker that minds what always comes out the same: pyright, when it is strict."""
        import re

        texts = [_read(self.project.root, name) for name in ("pyproject.toml", "pyrightconfig.json")]
        wanted = re.compile(
            r"typeCheckingMode\W+(?:strict|all|recommended)|tool\.basedpyright|reportUnnecessaryComparison\W+(?:true|err|warn)"
        )
        return any(wanted.search(text) for text in texts)

    @cached_property
    def has_checker(self) -> bool:
        """Whether the project has the settings of a type checker, or says that it is typed."""
        root = self.project.root
        names = ("mypy.ini", ".mypy.ini", "pyrightconfig.json")
        if (
            any((root / name).is_file() for name in names)
            or any(root.glob("*/py.typed"))
            or any(root.glob("src/*/py.typed"))
        ):
            return True
        texts = [_read(root, name) for name in ("pyproject.toml", "setup.cfg")]
        return any(
            word in text
            for text in texts
            for word in ("[tool.mypy", "[tool.pyright", "[tool.basedpyright", "[mypy", "[tool.ty", "[tool.pyrefly")
        )

    @cached_property
    def line_length(self) -> int:
        """How long the project lets lines be."""
        import re

        found = re.search(
            r"^\s*(?:line[-_]length|max-line-length)\s*=\s*(\d+)",
            _read(self.project.root, "pyproject.toml"),
            re.MULTILINE,
        )
        return int(found[1]) if found else 88

    @cached_property
    def sorts_within_sections(self) -> bool:
        """Whether isort or ruff puts `import x` and `from x import y` in one order."""
        import re

        text = _read(self.project.root, "pyproject.toml") + _read(self.project.root, "setup.cfg")
        return bool(re.search(r"force[-_]sort[-_]within[-_]sections\s*=\s*true", text, re.IGNORECASE))


def _read_unchanged(path: Path, looked: Looked) -> bytes:
    """A file's bytes; raises Refusal where it cannot be read, or has changed since the project was looked at."""
    try:
        content = path.read_bytes()
    except OSError as error:
        raise Refusal(f"cannot be read: {error.strerror or error}") from None
    if looked.read[path].key != summary_key(content):
        raise Refusal("it has changed since it was read")
    return content


def _read(root: Path, name: str) -> str:
    try:
        return (root / name).read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""
