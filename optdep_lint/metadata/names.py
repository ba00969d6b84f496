"""How distributions and extras are spelled when they are compared."""

from __future__ import annotations

import re

_SEPARATORS = re.compile(r"[-_.]+")


def normalized(name: str) -> str:
    """Return the normalized form of a distribution, extra or group name (PEP 503, 685, 735)."""
    return _SEPARATORS.sub("-", name).lower()
