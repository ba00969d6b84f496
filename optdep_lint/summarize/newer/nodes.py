"""The node types of newer Pythons: the running Python's own where it has them, else some like them."""

from __future__ import annotations

import ast
from typing import Any


def _kind(name: str, base: type[ast.AST], *fields: str) -> Any:
    return getattr(ast, name, None) or type(name, (base,), {"_fields": fields})


TryStar = _kind("TryStar", ast.Try, "body", "handlers", "orelse", "finalbody")
"""`except*`, since 3.11."""
TypeAlias = _kind("TypeAlias", ast.stmt, "name", "type_params", "value")
"""`type X = ...`, since 3.12, as are the type parameters."""
TypeVar = _kind("TypeVar", ast.AST, "name", "bound", "default_value")
TypeVarTuple = _kind("TypeVarTuple", ast.AST, "name", "default_value")
ParamSpec = _kind("ParamSpec", ast.AST, "name", "default_value")
TemplateStr = _kind("TemplateStr", ast.expr, "values")
"""A t-string, since 3.14."""
Interpolation = _kind("Interpolation", ast.expr, "value", "str", "conversion", "format_spec")


def build(kind: Any, *values: Any) -> Any:
    """A node of the kind, from all the values that any Python has fields for, in order."""
    return kind(*values[: len(kind._fields)])
