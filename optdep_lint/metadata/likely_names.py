"""Which requirement brings an import root that nothing seems to declare: one of an unknown import name that has the root's words."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from optdep_lint.metadata.model import ProjectMetadata

_LEAST = 3
"""Of how many letters a word is that another may begin with."""


def with_likely_names(metadata: ProjectMetadata, asked: Collection[str]) -> ProjectMetadata:
    """The metadata, with a better guess for requirements whose guessed import name the project never asks for.

    ``asked`` are the first names of the third-party modules that it does ask for. One that no
    requirement brings, as far as is known, is taken to be brought by such a requirement where its
    words stand in the distribution's name: ``sgl-deep-gemm`` brings ``deep_gemm``.
    """
    known = {root.partition(".")[0] for one in metadata.requirements for root in one.roots}
    unknown = sorted(set(asked) - known)
    requirements = []
    for one in metadata.requirements:
        likely: tuple[str, ...] = ()
        if one.roots_source == "guess" and not {root.partition(".")[0] for root in one.roots} & set(asked):
            likely = tuple(root for root in unknown if _resemble(one.distribution, root))
        requirements.append(replace(one, roots=likely, roots_source="likely") if likely else one)
    return replace(metadata, requirements=tuple(requirements))


def _resemble(distribution: str, root: str) -> bool:
    """The words of a root follow each other in a distribution's name; of several, some may be cut short in one of the two."""
    words, wanted = distribution.split("-"), root.lower().strip("_").split("_")
    for start in range(len(words) - len(wanted) + 1):
        pairs = list(zip(words[start:], wanted, strict=False))
        same = [left == right for left, right in pairs]
        if all(same) or (any(same) and all(_begins(left, right) for left, right in pairs)):
            return True
    return False


def _begins(left: str, right: str) -> bool:
    """One word is the other, or its beginning."""
    short, long = sorted((left, right), key=len)
    return short == long or (len(short) >= _LEAST and long.startswith(short))
