"""What an earlier run has found in the same project: the key that says it is the same, and the findings as bytes.

The key holds everything that findings follow from: this tool's own code, the running Python, the metadata and the
settings that count, and of every file its place in the project and a digest of its content. It holds no absolute path
and no time, so that what one machine has found out another can use. Whatever is missing, foreign or damaged is a miss.
"""

from __future__ import annotations

import dataclasses
import marshal
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeVar

from optdep_lint import facts
from optdep_lint.cache import Cache, cache_key
from optdep_lint.findings import Finding, Span, Step

if TYPE_CHECKING:
    from optdep_lint.config import Config
    from optdep_lint.discovery import Project, SourceFile
    from optdep_lint.facts.summary import Summary
    from optdep_lint.metadata import ProjectMetadata

T = TypeVar("T")
SCHEMA = 1
"""Raised whenever the stored form changes."""
_MARSHAL_VERSION = 4
_TELLING = (
    "select", "ignore", "extend_select", "per_file_ignores", "exclude", "respect_gitignore", "force_exclude", "fixable",
    "unfixable", "severity",
)  # fmt: skip
"""The settings that say what is told, and of which files; the findings themselves do not hang on them."""


class Read(NamedTuple):
    """A file as it was read."""

    key: bytes
    """The cache's key of its bytes; empty where it could not be read."""
    summary: Summary
    """Of a file that nothing followed may import, only its fault."""
    followed: bool = True


@dataclasses.dataclass(frozen=True, slots=True)
class Found:
    """What the rules find in a whole project, before comments are read and files chosen."""

    findings: tuple[Finding, ...]
    marked: tuple[str, ...]
    """The files, by relative path, that may hold comments to judge."""


def content_of(file: SourceFile) -> bytes:
    """What a file says; raises OSError."""
    return file.content if file.content is not None else file.path.read_bytes()


def summary_key(content: bytes) -> bytes:
    """The cache's key of a file's bytes."""
    return cache_key(f"summary {facts.SCHEMA}", content)


def digests_of(project: Project) -> list[bytes]:
    """The keys under which the summaries of a project's files, and then of its stubs, are kept."""
    return [digest_of(file) for file in (*project.files, *project.stubs)]


def digest_of(file: SourceFile) -> bytes:
    """The key under which the summary of a file is kept."""
    try:
        return summary_key(content_of(file))
    except OSError as error:
        return cache_key("cannot be read", str(error.strerror).encode())


def is_subject(file: SourceFile, config: Config) -> bool:
    """Whether faults in a file are of interest."""
    return file.role == "subject" or config.include_tests


def is_built(project: Project) -> bool:
    """Nothing will be generated: the project is an unpacked wheel."""
    return any(project.root.glob("*.dist-info"))


def recalled(cache: Cache | None, key: bytes, decode: Callable[[bytes], T]) -> T | None:
    """What the cache holds under a key; None where it holds nothing of use."""
    data = cache.get(key) if cache is not None else None
    if data is None:
        return None
    try:
        return decode(data)
    except (ValueError, EOFError, TypeError):
        return None


def key_of(
    project: Project, digests: Sequence[bytes], metadata: ProjectMetadata, config: Config, codes: Iterable[str]
) -> bytes:
    """The key of what some rules find in a project; `digests` are those of its files, then of its stubs."""
    plain = dataclasses.replace(metadata, root=Path())
    kept = {field.name: getattr(config, field.name) for field in dataclasses.fields(config)}
    for name in _TELLING:
        del kept[name]
    files = [
        (file.relative, file.module, file.is_package, file.role, digest)
        for file, digest in zip((*project.files, *project.stubs), digests, strict=True)
    ]
    whole = (plain, kept, sorted(codes), files, project.extensions, is_built(project))
    return cache_key(f"findings {SCHEMA}", own_code(), repr(sys.version_info[:2]).encode(), _text(whole).encode())


def _text(value: object) -> str:
    """A text that is the same for equal values, in whatever order sets and mappings hold theirs."""
    if dataclasses.is_dataclass(value):
        parts = (_text(getattr(value, field.name)) for field in dataclasses.fields(value))
        return f"{type(value).__name__}({','.join(parts)})"
    if isinstance(value, Mapping):
        return f"{{{','.join(sorted(f'{_text(key)}:{_text(part)}' for key, part in value.items()))}}}"
    if isinstance(value, (set, frozenset)):
        return f"{{{','.join(sorted(map(_text, value)))}}}"
    if isinstance(value, (tuple, list)):
        return f"[{','.join(map(_text, value))}]"
    return repr(value)


@cache
def own_code() -> bytes:
    """A digest of this package's code: findings of another version, or of one that is being worked on, do not count."""
    folder = Path(__file__).parent
    files = sorted(path for pattern in ("*.py", "*.json") for path in folder.rglob(pattern))
    parts = (part for path in files for part in (path.relative_to(folder).as_posix().encode(), path.read_bytes()))
    return cache_key("code", *parts)


def encode(found: Found) -> bytes | None:
    """What was found, as bytes; None where it holds what bytes cannot: a fix."""
    if any(finding.fix is not None for finding in found.findings):
        return None
    rows = [
        (
            one.code, one.name, one.path, tuple(one.span), one.message, one.absent, one.extra,
            tuple((step.path, step.line, step.message) for step in one.because), one.refused,
        )
        for one in found.findings
    ]  # fmt: skip
    return marshal.dumps((rows, found.marked), _MARSHAL_VERSION)


def decode(data: bytes) -> Found:
    """The reverse.

    Raises:
        ValueError, EOFError, TypeError: where the data is none of ours.
    """
    rows, marked = marshal.loads(data)  # noqa: S302  # as trusted as a .pyc file
    findings = (
        Finding(
            code, name, path, Span(*span), message, absent, extra, tuple(Step(*step) for step in because),
            refused=refused,
        )
        for code, name, path, span, message, absent, extra, because, refused in rows
    )  # fmt: skip
    return Found(tuple(findings), tuple(marked))
