"""Expressions of trees that this Python does not make itself."""

import ast

from optdep_lint.summarize.parse import parse
from optdep_lint.summarize.statements import summarize_tree


def test_an_unpacking_comprehension_has_no_value():
    tree, columns = parse(b"x = {d: d for d in found}\n")
    comprehension = tree.body[0].value
    without_value = ast.DictComp(key=comprehension.value, value=None, generators=comprehension.generators)
    without_key = ast.DictComp(key=None, value=comprehension.value, generators=comprehension.generators)
    written = []
    for node in (without_value, without_key):
        tree.body[0].value = ast.copy_location(node, comprehension)
        written.append(summarize_tree(tree, columns).body)
    assert written[0] == written[1]
    assert written[0][0].value.key is None


def test_both_readers_agree_on_an_unpacking_comprehension():
    tree, columns = parse(b"x = {**d for d in found}\n")
    (statement,) = summarize_tree(tree, columns).body
    assert statement.value.kind == "dict"
    assert statement.value.element.id == "d"
