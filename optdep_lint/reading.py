"""From the files of a project to the tree of its modules: summaries out of the cache, or made by workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from optdep_lint import pool
from optdep_lint.config import Config
from optdep_lint.discovery import Project
from optdep_lint.facts import codec
from optdep_lint.facts.summary import Fault, Summary
from optdep_lint.pool import Workers
from optdep_lint.recall import Read, content_of, digest_of, is_built, is_subject, recalled
from optdep_lint.world.modules import Source, Tree

_FEW = 40
"""Fewer files than this are read here: starting processes costs more."""


def tree_of(project: Project, config: Config, read: Mapping[Path, Read]) -> tuple[Tree, dict[str, Fault]]:
    """The modules of a project, and the files that could not be read."""
    sources: dict[str, Source] = {}
    for file in project.files:
        name = file.module or file.relative.removesuffix(".py").replace("/", ".").replace("-", "_")
        if file.module is not None or is_subject(file, config):
            sources.setdefault(name, Source(name, file.relative, file.is_package, read[file.path].summary))
    stubs = {file.module: read[file.path].summary for file in project.stubs if file.module is not None}
    names = {*sources, *project.extensions}
    parents = {name[:index] for name in names for index, letter in enumerate(name) if letter == "."}
    tree = Tree(sources, project.extensions, stubs, is_built(project), frozenset(parents - sources.keys()))
    faults = {file.relative: fault for file in project.files if (fault := read[file.path].summary.fault) is not None}
    return tree, faults


def read_files(
    project: Project,
    workers: Workers,
    digests: Sequence[bytes] | None = None,
    before: Mapping[Path, Read] = MappingProxyType({}),
) -> dict[Path, Read]:
    """The summaries of all files, from an earlier look or the cache where their content is known.

    Args:
        project: The files.
        workers: The cache, and who summarizes what is not in it.
        digests: The keys of the files' and then the stubs' content, where they are known.
        before: An earlier look: files on disk are taken as they were read then.
    """
    found: dict[Path, Read] = {}
    cold: list[tuple[Path, bytes, bytes]] = []
    for index, file in enumerate((*project.files, *project.stubs)):
        earlier = before.get(file.path)
        if earlier is not None and file.content is None:
            found[file.path] = earlier
            continue
        key = digests[index] if digests is not None else digest_of(file)
        summary = earlier.summary if earlier is not None and earlier.key == key else None
        summary = summary or recalled(workers.cache, key, codec.decode)
        try:
            if summary is None:
                cold.append((file.path, key, content_of(file)))
            else:
                found[file.path] = Read(key, summary)
        except OSError as error:
            found[file.path] = Read(b"", Summary(fault=Fault(1, 1, f"cannot be read: {error.strerror or error}")))
    jobs = workers.jobs if len(cold) > _FEW else 1
    contents = [content for _, _, content in cold]
    for (path, key, _), result in zip(
        cold, pool.run(_summarize_bytes, contents, jobs=jobs, executor=workers.executor), strict=True
    ):
        if isinstance(result, pool.Failed):
            found[path] = Read(key, Summary(fault=Fault(1, 1, result.reason)))
            continue
        found[path] = Read(key, codec.decode(result))
        if workers.cache is not None:
            workers.cache.put(key, result)
    return found


def _summarize_bytes(content: bytes) -> bytes:
    from optdep_lint.summarize import summarize

    return codec.encode(summarize(content))
