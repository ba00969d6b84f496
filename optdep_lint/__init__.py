"""optdep-lint works out what a package does where a dependency is missing, without running it."""

from __future__ import annotations

__all__ = ["__version__"]

__version__ = "0.1.0"
