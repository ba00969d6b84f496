"""A world: what is absent, and everything that follows from it."""

from __future__ import annotations

import builtins
import os
from collections.abc import Mapping
from dataclasses import dataclass, field

from optdep_lint.world import stdlib
from optdep_lint.world.truth import Truth


@dataclass(frozen=True, slots=True)
class World:
    """A set of absent import roots, and the Python and platform that go with it."""

    name: str
    absent: frozenset[str] = frozenset()
    """Dotted names that cannot be imported, nor anything below them."""
    present: frozenset[str] | None = None
    """When given, every other third-party root is absent."""
    portions: frozenset[str] = frozenset()
    """Absent roots that are namespaces of many distributions: others of these may keep the namespace there."""
    namespaces: Mapping[str, frozenset[str]] = field(default_factory=dict)
    """Of a root that several distributions share, the dotted names that are there."""
    versions: Mapping[str, str] = field(default_factory=dict)
    """The versions of installed distributions, by normalized name, where they are known."""
    distributions: Mapping[str, str] = field(default_factory=dict)
    """An absent import root for each distribution that is absent with it, by normalized name."""
    open_environment: bool = False
    """Environment variables may be set to anything; otherwise all but the common ones are unset."""
    guards: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Functions and decorators that are guards by configuration, each with its roots; none where its arguments tell."""
    python: tuple[int, int] = (3, 11)
    platform: str = "linux"

    def missing(self, dotted: str) -> str | None:
        """The first of `a`, `a.b`, ... whose import fails, or None where none is known to."""
        root = dotted.partition(".")[0]
        if root in ("__main__", "builtins", "__future__"):
            return None
        if stdlib.is_stdlib_root(root) and not self._replaced(root):
            return self._missing_stdlib(dotted)
        if self.present is not None and root not in self.present:
            return root
        prefix = ""
        for part in dotted.split("."):
            prefix = f"{prefix}.{part}" if prefix else part
            if prefix in self.absent:
                return prefix
        shared = self.namespaces.get(root)
        if shared and dotted != root and not any(_related(dotted, name) for name in shared):
            return dotted
        return None

    def _replaced(self, root: str) -> bool:
        """A removed standard module that a distribution has brought back."""
        return self.present is not None and root in self.present

    def _missing_stdlib(self, dotted: str) -> str | None:
        if dotted in self.absent:
            return dotted
        prefix = ""
        for part in dotted.split("."):
            prefix = f"{prefix}.{part}" if prefix else part
            if stdlib.has_module(prefix, self.python, self.platform) is False:
                return prefix
        return None

    def has_name(self, module: str, name: str) -> Truth:
        """Whether a module that is not the project's has an attribute or submodule."""
        if stdlib.is_stdlib_root(module.partition(".")[0]):
            if stdlib.has_module(f"{module}.{name}", self.python, self.platform):
                return Truth.YES
            found = stdlib.has_name(module, name, self.python, self.platform)
            if found is None and module == "builtins":
                found = hasattr(builtins, name)
            return Truth.MAYBE if found is None else Truth.of(found)
        return Truth.NO if self.missing(f"{module}.{name}") else Truth.MAYBE

    def missing_distribution(self, name: str) -> str | None:
        """The import root that is absent together with a distribution; None where it is there or not known."""
        if self.present is not None:
            return name if name not in self.versions else None
        return name.replace("-", "_") if name.replace("-", "_") in self.absent else self.distributions.get(name)

    @property
    def os_name(self) -> str:
        """`os.name`"""
        return "nt" if self.platform == "win32" else "posix"

    @property
    def system(self) -> str:
        """`platform.system()`"""
        return {"win32": "Windows", "darwin": "Darwin"}.get(self.platform, self.platform.capitalize())

    @property
    def separator(self) -> str:
        """`os.sep`"""
        return "\\" if self.platform == "win32" else os.sep


def _related(dotted: str, name: str) -> bool:
    return dotted == name or dotted.startswith(f"{name}.") or name.startswith(f"{dotted}.")
