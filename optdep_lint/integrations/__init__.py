"""optdep-lint inside other tools: flake8, editors, and the interpreter that proves its verdicts."""
