"""Annotations that name what may be missing: whether they are evaluated where they stand, and how they are put in quotes."""

# mypy: disable-error-code="type-abstract"
from __future__ import annotations

import re

import libcst as cst

from optdep_lint.fixers import Refusal
from optdep_lint.fixers.bench import Bench
from optdep_lint.fixers.source import Source
from optdep_lint.fixers.uses import bound_names
from optdep_lint.fixers.workshop import Workshop


def is_postponed(workshop: Workshop, source: Source) -> bool:
    """Whether annotations are not evaluated where they stand."""
    versions = workshop.survey.declared.metadata.python_versions()
    if versions and min(versions) >= (3, 14):
        return True
    return any(
        isinstance(one.module, cst.Name) and one.module.value == "__future__" and "annotations" in bound_names(one)
        for one in source.all(cst.ImportFrom)
    )


def quote(bench: Bench, use: cst.Name) -> None:
    """Make the annotation around a name text, which nothing evaluates until somebody asks for the type.

    Raises:
        Refusal: where it holds what text cannot.
    """
    source = bench.source
    annotation = [one for one in source.ancestors(use) if isinstance(one, cst.Annotation)][-1]
    start, end = source.whole(annotation.annotation)
    code = source.code(annotation.annotation)
    line = source.line_of(start)
    if any(True for _ in source.all(cst.Comment, annotation)) or "\\" in code:
        raise Refusal(f"the annotation in line {line} cannot be put in quotes")
    code = _on_one_line(code)
    mark = next((one for one in ('"', "'") if one not in code), None)
    if mark is None:
        raise Refusal(f"the annotation in line {line} cannot be put in quotes")
    bench.draft.unsafe.append("annotations become text")
    bench.draft.replace(source, start, end, f"{mark}{code}{mark}")


def _on_one_line(code: str) -> str:
    """An expression that lies in brackets, without its line breaks and the comma before the last one."""
    if "\n" not in code and "\r" not in code:
        return code
    joined = " ".join(part.strip() for part in code.splitlines())
    return re.sub(r",? ([\])])", r"\1", re.sub(r"([\[(]) ", r"\1", joined))
