"""Does the differential law notice faults? python benchmarks/seeded_faults.py [--programs 800] [--only NUMBER ...]

Each fault is one small change to a copy of the evaluator; the law, run against the copy, has to complain or crash.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FAULTS: tuple[tuple[str, str, str], ...] = (
    ("branches.py", "holds = truth is Truth.YES", "holds = truth is not Truth.YES"),
    ("branches.py", 'same = "is" if', 'same = "==" if'),
    ("branches.py", 'if pattern.kind == "any":\n            return Truth.YES', 'if pattern.kind == "any":\n            return Truth.NO'),
    ("branches.py", "if truth is Truth.NO:\n                continue", "if truth is Truth.YES:\n                continue"),
    ("loops.py", "breaks += self._loop_exits(\"break\", frame)", "breaks += self._loop_exits(\"continue\", frame)"),
    ("loops.py", 'ends += self._loop_exits("continue", frame)', "ends += []"),
    ("loops.py", "if truth is Truth.NO:", "if truth is Truth.YES:"),
    ("handlers.py", "if handler.type is None:\n            return Truth.YES", "if handler.type is None:\n            return Truth.NO"),
    ("handlers.py", "if truth is Truth.NO:\n                continue", "if truth is Truth.YES:\n                continue"),
    ("handlers.py", "if truth is Truth.YES:\n                return", "if truth is Truth.NO:\n                return"),
    ("handlers.py", "if falls and self.run(node.orelse, frame):", "if falls:"),
    ("handlers.py", "return running and self.run(node.final, frame)", "return running"),
    ("handlers.py", "if not node.final:", "if node.final:"),
    ("handlers.py", "frame.causes.append(failure.cause)", "frame.causes.append(None)"),
    ("handlers.py", "if swallowed is not Truth.NO:", "if swallowed is Truth.NO:"),
    ("handlers.py", "if swallowed is not Truth.YES:", "if swallowed is Truth.YES:"),
    ("handlers.py", "state.names.pop(handler.name, None)", "pass"),
    ("statements.py", "if truth is Truth.YES:\n            return True", "if truth is not Truth.YES:\n            return True"),
    ("statements.py", "scope.pop(target.id, None)", "pass"),
    ("statements.py", 'if node.kind == "global":', 'if node.kind == "nonlocal":'),
    ("statements.py", 'if alias.name == "*":', 'if alias.name == "+":'),
    ("statements.py", "return frame.caught[-1]", "return frame.caught[0]"),
    ("operators.py", "return caused(Constant(truth is Truth.NO), cause)", "return caused(Constant(truth is Truth.YES), cause)"),
    ("operators.py", 'goes_on = operator_ == "and"', 'goes_on = operator_ == "or"'),
    ("operators.py", "return Constant(left.value is right.value)", "return Constant(left.value == right.value)"),
    ("operators.py", '"==": operator.eq', '"==": operator.ne'),
    ("attributes.py", "if isinstance(value, Unbound):\n            message", "if not isinstance(value, Value):\n            message"),
    ("attributes.py", '"UnboundLocalError" if local', '"NameError" if local'),
    ("attributes.py", "case Constant() if not hasattr(value.value, name):", "case Constant() if hasattr(value.value, name):"),
    ("bindings.py", "if name in frame.globals:", "if name not in frame.globals:"),
    ("bindings.py", "value = caused(value, frame.cause)\n        if name", "if name"),
    ("questions.py", "return Truth.of(bool(value.value)), None", "return Truth.YES, None"),
    ("questions.py", 'return Truth.of(bool(value.elements) or value.kind == "generator"), None', "return Truth.NO, None"),
    ("loading.py", "parts.pop()", "pass"),
    ("loading.py", "keep = len(parts) - (level - 1)", "keep = len(parts) - level"),
    ("loading.py", "parent.names[part] = self._bound_below(parent, part, value, module, frame)", "pass"),
    ("imports.py", 'if not name.startswith("_"):', 'if name.startswith("_"):'),
    ("loading.py", "self._evaluation.run_module(module)", "pass"),
    ("imports.py", 'raise Raised(replace(raised.failure, type=builtin("AttributeError"))) from None', "raise"),
    ("imports.py", 'and self._evaluation.has_imported(dotted)', "and False"),
    ("imports.py", "is_subclass(raised.failure.type, builtin(\"AttributeError\")) is Truth.NO", "True"),
    ("following.py", "names[parameter.name] = rest.pop(0)", "names[parameter.name] = Unknown()"),
    ("following.py", "result = returns[-1].value or Unknown()", "result = Constant(None)"),
    ("following.py", 'for name in ("__bool__", "__len__"):', 'for name in ("__len__",):'),
    ("definitions.py", "self._check_base(base, getattr(written, \"at\", node.at), frame)", "pass"),
    ("machinery.py", "if missing == name:", "if missing != name:"),
    ("exceptions.py", "if isinstance(wanted, Items):", "if isinstance(wanted, ClassValue):"),
    ("exceptions.py", "return Truth.of(wanted.path in ancestors)", "return Truth.of(wanted.path not in ancestors)"),
    ("evaluation.py", 'module.status = "raises"', 'module.status = "ok"'),
    ("worlds.py", "if self.present is not None and root not in self.present:\n            return root", "pass"),
)  # fmt: skip
"""File, the text as it is, the text with a fault."""


def caught(fault: tuple[str, str, str], programs: int) -> str:
    """`caught`, `missed`, or `stale` where the text is no longer there."""
    name, before, after = fault
    with tempfile.TemporaryDirectory() as folder:
        for part in ("optdep_lint", "tests", "benchmarks"):
            shutil.copytree(ROOT / part, Path(folder, part), ignore=shutil.ignore_patterns("__pycache__", "unit"))
        target = Path(folder, "optdep_lint", "world", name)
        text = target.read_text()
        if before not in text:
            return "stale"
        target.write_text(text.replace(before, after, 1))
        command = [sys.executable, "benchmarks/differential.py", "--programs", str(programs), "--stop"]
        done = subprocess.run(
            command, cwd=folder, env={**os.environ, "PYTHONPATH": folder}, capture_output=True, check=False
        )
        return "caught" if done.returncode else "missed"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--programs", type=int, default=800)
    parser.add_argument("--only", type=int, nargs="*")
    options = parser.parse_args()
    answers = []
    for number in options.only or range(len(FAULTS)):
        answers.append(caught(FAULTS[number], options.programs))
        print(number, answers[-1], *FAULTS[number][:2], flush=True)
    print(f"{answers.count('caught')} of {len(answers)} faults caught, {answers.count('stale')} stale")
    return 0 if answers.count("caught") >= len(answers) * 0.96 else 1


if __name__ == "__main__":
    sys.exit(main())
