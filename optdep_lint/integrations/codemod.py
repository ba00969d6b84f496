"""`python -m libcst.tool codemod -x optdep_lint.integrations.codemod.Fix PATH`: the fixers as a LibCST codemod.

Each file is repaired by itself, as `optdep-lint check --fix` would: what a fix changes in other files is left to
that command, and such a fix is not applied here. LibCST writes the file again from its tree, which keeps everything
but form feeds.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

import libcst as cst
from libcst.codemod import CodemodCommand, SkipFile

if TYPE_CHECKING:
    from libcst.codemod import CodemodContext


class Fix(CodemodCommand):
    """Repairs the guards of optional dependencies."""

    DESCRIPTION = "Repair what breaks where an optional dependency is missing (see `optdep-lint check --fix`)."

    def __init__(self, context: CodemodContext, unsafe_fixes: bool = False) -> None:  # LibCST passes it by name
        """`unsafe_fixes`: also fixes that may change behaviour."""
        super().__init__(context)
        self._unsafe = unsafe_fixes

    @staticmethod
    def add_args(arg_parser: argparse.ArgumentParser) -> None:
        """The command's own options."""
        arg_parser.add_argument("--unsafe-fixes", action="store_true", help="also fixes that may change behaviour")

    def transform_module_impl(self, tree: cst.Module) -> cst.Module:
        """The module, repaired; raises SkipFile where there is nothing to repair."""
        from optdep_lint.config import load_config
        from optdep_lint.discovery import discover, with_unsaved
        from optdep_lint.engine import check
        from optdep_lint.fixers.apply import apply_fixes

        if self.context.filename is None:
            raise SkipFile("the codemod needs to know which file this is")
        path = Path(self.context.filename).absolute()
        config = load_config(path.parent)
        project = with_unsaved(discover([path], config), path, tree.bytes)
        report = check([project], config)
        done = apply_fixes(report, [project], config, unsafe=self._unsafe)
        if done.files.keys() - {path}:
            raise SkipFile(f"{path}: the fix changes other files as well: run `optdep-lint check --fix`")
        if path not in done.files:
            return tree
        return cst.parse_module(done.files[path][1])
