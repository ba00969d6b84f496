"""Which requirement brings an import root that nothing seems to declare: one of an unknown import name that has the root's words."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from optdep_lint.metadata.known_requirements import is_well_known
from optdep_lint.metadata.model import ProjectMetadata, Requirement

_MUCH = 3
"""By how many modules something is asked for on which a project as a whole relies."""
_LEAST = 3
"""Of how many letters a word is that another may begin with."""


def with_likely_names(metadata: ProjectMetadata, asked: Mapping[str, int]) -> ProjectMetadata:
    """The metadata, with a better guess for requirements whose guessed import name the project never asks for.

    ``asked`` are the first names of the third-party modules that it does ask for, each with the number of
    modules that do. One that no requirement brings, as far as is known, is taken to be brought by such a
    requirement where its words stand in the distribution's name: ``sgl-deep-gemm`` brings ``deep_gemm``,
    ``macro-kit`` brings ``macrokit``. A name with a dot is no guess: ``jaraco.packaging`` brings no ``packaging``.
    What is asked for all over a project and is no well-known distribution itself comes with a plain requirement
    of which nothing is known: ``universal-pathlib``, were it not in the table, would bring ``upath``.
    """
    known = {root.partition(".")[0] for one in metadata.requirements for root in one.roots}
    unknown = sorted(asked.keys() - known)
    requirements = [_with_likely_name(one, asked, unknown) for one in metadata.requirements]
    named = {root for one in requirements if one.roots_source == "likely" for root in one.roots}
    left = tuple(root for root in unknown if root not in named and asked[root] >= _MUCH and not is_well_known(root))
    mute = [number for number, one in enumerate(requirements) if _is_mute(one, asked)]
    if left and len(left) <= len(mute):
        requirements[mute[0]] = replace(requirements[mute[0]], roots=left, roots_source="likely")
    return replace(metadata, requirements=tuple(requirements))


def _with_likely_name(one: Requirement, asked: Mapping[str, int], unknown: Collection[str]) -> Requirement:
    likely: tuple[str, ...] = ()
    if _is_never_asked(one, asked):
        likely = tuple(root for root in unknown if _resemble(one.distribution, root))
    return replace(one, roots=likely, roots_source="likely") if likely else one


def _is_never_asked(one: Requirement, asked: Mapping[str, int]) -> bool:
    """The import name is a guess that the project does not ask for."""
    return one.roots_source == "guess" and not any("." in root or root in asked for root in one.roots)


def _is_mute(one: Requirement, asked: Mapping[str, int]) -> bool:
    """A plain requirement of which it is not known what it brings."""
    plain = one.extra is None and one.group is None and one.marker is None
    return plain and _is_never_asked(one, asked) and not is_well_known(one.distribution)


def _resemble(distribution: str, root: str) -> bool:
    """The words of a root follow each other in a distribution's name; of several, some may be cut short in one of the two."""
    words, wanted = distribution.split("-"), root.lower().strip("_").split("_")
    if "".join(wanted) in ("".join(words), "".join(words).removeprefix("py"), "".join(words).removeprefix("python")):
        return True
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
