"""From the files of a project to the tree of its modules: summaries out of the cache, or made by workers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType

from optdep_lint import pool
from optdep_lint.cache import cache_key
from optdep_lint.config import Config
from optdep_lint.discovery import Project, SourceFile
from optdep_lint.facts import codec
from optdep_lint.facts.summary import Fault, Summary
from optdep_lint.pool import Workers
from optdep_lint.recall import Read, content_of, digest_of, is_built, is_subject, recalled
from optdep_lint.world.modules import Source, Tree
from optdep_lint.world.words import texts_in

_FEW = 40
"""Fewer files than this are read here: starting processes costs more."""
_LISTING = frozenset({b"iter_modules", b"walk_packages"})
"""What finds modules that no file names."""


def tree_of(project: Project, config: Config, read: Mapping[Path, Read]) -> tuple[Tree, dict[str, Fault]]:
    """The modules of a project that were followed, and the files that could not be read."""
    sources: dict[str, Source] = {}
    for file in project.files:
        name = file.module or file.relative.removesuffix(".py").replace("/", ".")
        if (file.module is not None or is_subject(file, config)) and read[file.path].followed:
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
    *,
    subjects: Config | None = None,
) -> dict[Path, Read]:
    """The summaries of all files, from an earlier look or the cache where their content is known.

    Args:
        project: The files.
        workers: The cache, and who summarizes what is not in it.
        digests: The keys of the files' and then the stubs' content, where they are known.
        before: An earlier look: files on disk are taken as they were read then.
        subjects: Settings that say which files are of interest: the others are followed only where these, or what these
            import, may come to import them; of the rest it is only seen whether they can be parsed.
    """
    files = [*project.files, *project.stubs]
    keys = dict(zip((file.path for file in files), digests, strict=True)) if digests is not None else {}
    reader = _Reader(workers, keys, before)
    later = [file for file in project.files if subjects is not None and not is_subject(file, subjects)]
    others = {file.path for file in later}
    wanted = [file for file in files if file.path not in others]
    with pool.seldom_collected():
        while wanted:
            reader.read(wanted)
            later = [file for file in later if file.path not in reader.found]
            wanted = [file for file in later if reader.may_import(file)]
        reader.read(later, follow=False)
    return reader.found


class _Reader:
    """Reads files, and knows the names that those it has followed spell."""

    def __init__(self, workers: Workers, keys: Mapping[Path, bytes], before: Mapping[Path, Read]) -> None:
        self.found: dict[Path, Read] = {}
        self._workers, self._keys, self._before = workers, keys, before
        self._names: set[bytes] = set()

    def may_import(self, file: SourceFile) -> bool:
        """It was followed before, or what is followed spells each part of the module's name, or lists modules."""
        earlier = self._before.get(file.path)
        if earlier is not None and earlier.followed:
            return True
        if file.module is None:
            return False
        parts = {part.encode("utf-8", "surrogatepass") for part in file.module.split(".")}
        return parts <= self._names or not self._names.isdisjoint(_LISTING)

    def read(self, files: Sequence[SourceFile], *, follow: bool = True) -> None:
        """Summarize files, or only see whether they can be parsed."""
        cold: list[tuple[Path, bytes, bytes]] = []
        for file in files:
            earlier = self._before.get(file.path)
            if earlier is not None and earlier.followed < follow:
                earlier = None
            if earlier is not None and file.content is None:
                self.found[file.path] = earlier
                continue
            key = self._keys.get(file.path) or digest_of(file)
            if earlier is not None and earlier.key == key:
                self.found[file.path] = earlier
                continue
            data = recalled(self._workers.cache, _kept_under(key, follow), bytes)
            if data is not None and self._note(file.path, key, data, follow):
                continue
            try:
                cold.append((file.path, key, content_of(file)))
            except OSError as error:
                fault = Fault(1, 1, f"cannot be read: {error.strerror or error}")
                self.found[file.path] = Read(b"", Summary(fault=fault), follow)
        self._work_on(cold, follow)

    def _work_on(self, cold: Sequence[tuple[Path, bytes, bytes]], follow: bool) -> None:
        jobs = self._workers.jobs if len(cold) > _FEW else 1
        contents = [content for _, _, content in cold]
        work = _summarize_bytes if follow else _parse_bytes
        results = pool.run(work, contents, jobs=jobs, executor=self._workers.executor)
        for (path, key, _), result in zip(cold, results, strict=True):
            if isinstance(result, pool.Failed):
                self.found[path] = Read(key, Summary(fault=Fault(1, 1, result.reason)), follow)
                continue
            self._note(path, key, result, follow)
            if self._workers.cache is not None:
                self._workers.cache.put(_kept_under(key, follow), result)

    def _note(self, path: Path, key: bytes, data: bytes, follow: bool) -> bool:
        """Take down what the data says; False where it says nothing."""
        try:
            self.found[path] = Read(key, codec.decode(data), follow)
        except (ValueError, EOFError, TypeError):
            return False
        for text in texts_in(data) if follow else ():
            self._names.update(text.split(b"."))
        return True


def _kept_under(key: bytes, follow: bool) -> bytes:
    """The cache's key of a summary, or of whether the file can be parsed, by that of its bytes."""
    return key if follow else cache_key("parsed", key)


def _summarize_bytes(content: bytes) -> bytes:
    from optdep_lint.summarize import summarize

    return codec.encode(summarize(content))


def _parse_bytes(content: bytes) -> bytes:
    from optdep_lint.summarize import fault_of

    return codec.encode(Summary(fault=fault_of(content)))
