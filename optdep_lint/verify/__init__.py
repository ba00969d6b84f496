"""Are the verdicts true? Imports every module for real, where the optional roots are blocked, and compares.

The one room that runs the code of the analysed project.
"""

from __future__ import annotations

from optdep_lint.verify.comparison import Row, Verdict, compare
from optdep_lint.verify.processes import Interpreter, InterpreterError, Scene, Seen, import_all

__all__ = ["Interpreter", "InterpreterError", "Row", "Scene", "Seen", "Verdict", "compare", "import_all"]
