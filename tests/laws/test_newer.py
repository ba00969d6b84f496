"""The law of the two parsers: what both can read gives the same facts."""

import ast
import os
import random
import sys
import sysconfig
import time
import warnings
from pathlib import Path

import pytest

from optdep_lint.facts import syntax as facts
from optdep_lint.summarize.newer import parse_newer
from optdep_lint.summarize.parse import Unreadable, parse
from optdep_lint.summarize.statements import summarize_tree

CORPUS = os.environ.get("OPTDEP_LINT_CORPUS")
SAMPLE = int(os.environ.get("OPTDEP_LINT_CORPUS_SAMPLE", "3000"))


def facts_of(tree, columns):
    summary = summarize_tree(tree, columns)
    return told((summary.body, summary.bodies, summary.future_annotations))


def told(value, *, formatted=False):
    """A value with its types, since tuples of different types can be equal.

    Before 3.12, Python itself does not know the places within f-strings.
    """
    if not isinstance(value, (tuple, list)):
        return type(value), value
    formatted = formatted or (isinstance(value, facts.Format) and sys.version_info < (3, 12))
    fields = getattr(value, "_fields", range(len(value)))
    parts = [
        told(part, formatted=formatted)
        for field, part in zip(fields, value, strict=True)
        if not (formatted and field == "at")
    ]
    return type(value), parts


def disagreements(files, seconds):
    """The files that the two parsers read differently, and how many both read in that time."""
    wrong, read = [], 0
    end = time.monotonic() + seconds
    for file in files:
        if time.monotonic() > end:
            break
        source = file.read_bytes()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                ast.parse(source)
            tree, columns = parse(source)
            ours = parse_newer(source)
        except (SyntaxError, ValueError, Unreadable, RecursionError, MemoryError):
            continue
        read += 1
        if facts_of(tree, columns) != facts_of(ours, columns):
            wrong.append(str(file))
    return wrong, read


def sample(folder, count):
    files = sorted(file for file in Path(folder).rglob("*.py") if file.is_file())
    random.Random(0).shuffle(files)
    return files[:count]


def test_the_standard_library_gives_the_same_facts():
    files = [file for file in sample(sysconfig.get_path("stdlib"), 600) if "site-packages" not in file.parts]
    wrong, read = disagreements(files[:150], seconds=60)
    assert not wrong
    assert read


@pytest.mark.skipif(not CORPUS, reason="OPTDEP_LINT_CORPUS names no folder of Python files")
def test_a_corpus_gives_the_same_facts():
    wrong, read = disagreements(sample(CORPUS, SAMPLE), seconds=3600)
    assert not wrong
    assert read
