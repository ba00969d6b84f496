"""Counts how often each branch of the evaluator is taken: the methods are compiled again with a counter in every branch."""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Iterable
from typing import NamedTuple

EVALUATOR = (
    "answers", "attributes", "bindings", "blocks", "branches", "builtin_types", "calls", "computed", "definitions", "displays",
    "enumerations", "evaluation", "exceptions", "expressions", "following", "frames", "handlers", "imports", "known", "lazy",
    "listing", "literals", "loading", "loops", "machinery", "modules", "mutations", "operators", "origins", "questions",
    "statements", "truth", "worlds",
)  # fmt: skip
"""The modules of `optdep_lint.world` that say what importing does in a world."""

ELSEWHERE: dict[str, tuple[str, ...]] = {
    "it runs when the evaluator is loaded, before anything is counted": (
        "answers.py _collect: def", "answers.py _platform: def", "answers.py _python_version: def", "computed.py _computing: def",
    ),
    "it is abstract": (
        "bindings.py _delete_one: def", "blocks.py run: def", "displays.py is_generic: def", "operators.py class_member: def",
        "operators.py is_plain: def", "questions.py evaluate: def",
    ),
    "a target is one of the kinds that are named": ("bindings.py assign: match target: (not)", "bindings.py take_out: match target: (not)"),
    "syntax of newer Pythons (test_newer.py, test_lazy.py)": (
        'attributes.py bound: if isinstance(value, Known) and value.model == "lazy import"', "attributes.py _resolved",
        "definitions.py _function: if not node.generic: (not)", "definitions.py _class: for name in node.generic: (entered)",
        "loading.py is_lazy: if frame.kind", "statements.py _import: if node.lazy", "statements.py _import_from: for alias in node.names: (ended)",
        "statements.py _alias",
    ),
    "rules ask for it: operations, guards by configuration, calls that are only imagined (tests/rules)": (
        'answers.py _hasattr: if value.path.startswith("torch', "answers.py _getattr: if isinstance(value, External) and value.path.startswith",
        "calls.py decorators: if not guards: (not)", "calls.py decorate: if isinstance(decorator, Known) and decorator.model",
        "calls.py _decorate: if evaluation.running: (not)", "evaluation.py feel: if self.running: (not)", "evaluation.py read: if self.running: (not)",
        "evaluation.py note_load: if self.importing: (not)", "evaluation.py inject: if self.importing: (not)", "evaluation.py change: if self._changed",
        "evaluation.py imagined", "expressions.py tell_of_reads", "expressions.py _telling", "expressions.py evaluate: def evaluate(node",
        "expressions.py _yield: if frame.thrown is not None: (not)", "following.py call: if self._evaluation.guards: (taken)",
        "following.py call: if answer is not None", "following.py _follow: if evaluation.running: (not)",
        "handlers.py _try: if self._evaluation.foresees", "handlers.py _foresee", 'known.py attribute: if path.startswith("torch',
        "known.py _inherited: if self.evaluation.operations.settled", 'known.py call_known: case "registrar"', 'known.py call_known: case "refused"',
        'known.py _call_member: if isinstance(holder, Known) and holder.model == "library"', "loading.py load: if frame is not None: (not)",
        "modules.py exports",
    ),
    "what several worlds share (test_variation.py)": (
        "bindings.py put_attribute: if self._evaluation.is_shared", "evaluation.py current: if found.status", "evaluation.py has_same_names",
        "evaluation.py inject: if not self.is_shared(own): (not)",
    ),
    "trees that are not whole, compiled modules, stubs, namespaces of many distributions, worlds of other kinds (test_namespaces.py, test_importing.py)": (
        "imports.py import_from: if name in world.portions", "imports.py _own_name: if module.source.is_package: (not)",
        "imports.py _own_name: if submodule in tree.extensions", "lazy.py attach_stub", "lazy.py extend_path", "listing.py iter_modules: if package.dynamic_path",
        "loading.py beyond_top: if not", 'loading.py _import_own: if not last and "." in put', "loading.py import_as: if not {outer, parent} <= self._evaluation.tree.sources.keys(): (taken)",
        "loading.py _note_parents: if parent in self._evaluation.tree.sources: (not)", 'loading.py _without_source: if missing is not None and "." in missing: (not)',
        "loading.py _without_source: if any(extension", "loading.py _without_source: if tree.complete: (not)",
        "machinery.py distribution: if missing is not None: (not)", "machinery.py distribution: if not self.evaluation.cautious",
        "worlds.py _missing_stdlib: if dotted in self.absent: (taken)", "worlds.py missing_distribution: if self.present is not None: (not)",
        'worlds.py has_name: if found is None and module == "builtins": (taken)',
    ),
    "what caution alone does where nothing absent explains a failure, which no run shows": (
        "evaluation.py blur: if self.cautious: (taken)", "following.py _give_up: if not self._evaluation.cautious: (not)",
        "following.py _result: if last is None or not", "handlers.py _catches: if raised.failure.cause is not None or not self._evaluation.cautious: (not)",
        "handlers.py _left: if raised.failure.concludes or frame.protected: (not)", "imports.py module_attribute: if self.is_below(module, name): (taken)",
        "imports.py is_below: if not self._evaluation.cautious or submodule not in self._evaluation.tree.sources: (not)",
        "known.py _parse_version: if not self.evaluation.cautious: (not)", "machinery.py _lazy_attribute: if self.evaluation.cautious",
        "machinery.py _lazy_attribute: if isinstance(name, str) and not self.evaluation.cautious: (not)",
        "questions.py as_python: if (self._evaluation.cautious", "questions.py may_fail: if not failure.concludes", "questions.py perhaps_missing: if not self._evaluation.cautious: (not)",
        "questions.py under: if failure.concludes: (not)", "statements.py run: if not failure.concludes", "statements.py run: if not self._evaluation.cautious",
        "statements.py _go_on", "statements.py _assert: if cause is not None or not self._evaluation.cautious: (not)", "statements.py _assert: elif condition",
    ),
}  # fmt: skip
"""Why programs written at random do not take branches, which are given by how their labels begin."""


class Branch(NamedTuple):
    """One way on from a statement that chooses."""

    file: str
    function: str
    line: int
    test: str
    """The line that chooses, as it is written."""
    way: str
    """`taken` or `not`; of a loop `entered` or `ended`; of a function `called`."""

    @property
    def label(self) -> str:
        """How the branch is told of: without its line number, which changes."""
        return f"{self.file} {self.function}: {self.test} ({self.way})"


class Counters:
    """The branches of the functions of some modules, and how often each has been taken."""

    def __init__(self, modules: Iterable[types.ModuleType]) -> None:
        self.branches: list[Branch] = []
        self.taken: list[int] = []
        for module in modules:
            self._instrument(module)

    def _instrument(self, module: types.ModuleType) -> None:
        """Give every function of a module code that counts."""
        source = inspect.getsource(module)
        tree = _Counting(self, module.__name__.rpartition(".")[2] + ".py", source).visit(ast.parse(source))
        compiled = compile(ast.fix_missing_locations(tree), module.__file__ or "", "exec", dont_inherit=True)
        vars(module)["_taken"] = self.taken
        codes = {(code.co_name, code.co_firstlineno): code for code in _codes(compiled)}
        for function in _functions(module):
            own = function.__code__
            function.__code__ = codes.get((own.co_name, own.co_firstlineno), own)

    def add(self, branch: Branch) -> ast.stmt:
        """A statement that counts a new branch."""
        self.branches.append(branch)
        self.taken.append(0)
        return ast.parse(f"_taken[{len(self.taken) - 1}] += 1").body[0]


class _Counting(ast.NodeTransformer):
    """Puts a counter at the beginning of every branch."""

    def __init__(self, counters: Counters, file: str, source: str) -> None:
        self._counters, self._file, self._lines = counters, file, source.splitlines()
        self._functions: list[str] = []

    def _count(self, node: ast.stmt | ast.match_case | ast.ExceptHandler, way: str) -> ast.stmt:
        line = node.pattern.lineno if isinstance(node, ast.match_case) else node.lineno
        function = self._functions[-1] if self._functions else ""
        return self._counters.add(Branch(self._file, function, line, self._lines[line - 1].strip(), way))

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        self._functions.append(node.name)
        called = self._count(node, "called")
        self.generic_visit(node)
        self._functions.pop()
        node.body = [called, *node.body]
        return node

    def visit_If(self, node: ast.If) -> ast.AST:
        if not self._functions:
            return node
        taken, other = self._count(node, "taken"), self._count(node, "not")
        self.generic_visit(node)
        node.body, node.orelse = [taken, *node.body], [other, *node.orelse]
        return node

    def visit_For(self, node: ast.For) -> ast.AST:
        return self._loop(node)

    def visit_While(self, node: ast.While) -> ast.AST:
        return self._loop(node)

    def _loop(self, node: ast.For | ast.While) -> ast.AST:
        entered = self._count(node, "entered")
        forever = isinstance(node, ast.While) and isinstance(node.test, ast.Constant)
        ended = [] if forever else [self._count(node, "ended")]
        self.generic_visit(node)
        node.body, node.orelse = [entered, *node.body], [*ended, *node.orelse]
        return node

    def visit_ExceptHandler(self, node: ast.ExceptHandler) -> ast.AST:
        taken = self._count(node, "taken")
        self.generic_visit(node)
        node.body = [taken, *node.body]
        return node

    def visit_Match(self, node: ast.Match) -> ast.AST:
        taken = [self._count(case, "taken") for case in node.cases]
        last = node.cases[-1]
        open_ = not (isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None and last.guard is None)
        other = self._count(node, "not") if open_ else None
        self.generic_visit(node)
        for case, count in zip(node.cases, taken, strict=True):
            case.body = [count, *case.body]
        if other is not None:
            node.cases.append(ast.match_case(ast.MatchAs(), None, [other]))
        return node


def _codes(code: types.CodeType) -> Iterable[types.CodeType]:
    for part in code.co_consts:
        if isinstance(part, types.CodeType):
            yield part
            yield from _codes(part)


def _functions(module: types.ModuleType) -> Iterable[types.FunctionType]:
    """The functions that a module defines, and the methods of its classes."""
    names = vars(module)
    classes = [vars(one) for one in names.values() if isinstance(one, type)]
    tables = [one for one in names.values() if isinstance(one, dict)]
    for holder in (names, *classes, *tables):
        for value in list(holder.values()):
            found = value.fget if isinstance(value, property) else getattr(value, "__func__", value)
            found = inspect.unwrap(found) if callable(found) else found
            if (
                isinstance(found, types.FunctionType)
                and found.__module__ == module.__name__
                and "<" not in found.__name__
            ):
                yield found


def reason(branch: Branch) -> str | None:
    """Why programs written at random do not take a branch; None where they should."""
    return next((why for why, beginnings in ELSEWHERE.items() if branch.label.startswith(beginnings)), None)
