"""`python -m optdep_lint` is the `optdep-lint` command."""

from __future__ import annotations

import sys

from optdep_lint.cli import main

if __name__ == "__main__":
    sys.exit(main())
