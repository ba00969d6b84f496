"""The process in which importing happens: a plain one, of a given Python and platform."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from optdep_lint.world.values import Cause, Constant, Items, Known, Unknown, Value, caused
from optdep_lint.world.worlds import World

if TYPE_CHECKING:
    pass

COMMON_VARIABLES = re.compile(
    r"HOME|PATH|USER\w*|LOGNAME|SHELL|TERM|LANG|LC_\w+|PWD|TMP|TEMP|TMPDIR|TZ|DISPLAY|HOSTNAME|PYTHON\w*|VIRTUAL_ENV|CONDA\w*"
    r"|XDG_\w+|APPDATA|LOCALAPPDATA|PROGRAM\w+|SYSTEM\w+|WINDIR|COMSPEC|OS|EDITOR|VISUAL|PAGER|COLUMNS|LINES|\w*_PROXY",
    re.IGNORECASE,
)
"""Environment variables that a process may well have; all others are taken to be unset until somebody asks for something."""

TYPING_ONLY = "TYPE_CHECKING"
"""The cause of what is bound for type checkers only: it holds in every world."""


def constants(world: World) -> dict[str, Value]:
    """What names of the standard library are bound to in a world."""
    major, minor = world.python
    version = Items("tuple", (Constant(major), Constant(minor), Constant(9), Constant("final"), Constant(0)))
    return {
        "sys.version_info": version,
        "sys.platform": Constant(world.platform),
        "os.name": Constant(world.os_name),
        "os.sep": Constant(world.separator),
        "sys.implementation.name": Constant("cpython"),
        "sys.byteorder": Constant("little"),
        "sys.maxsize": Constant(2**63 - 1),
        "sys.hexversion": Constant((major << 24) | (minor << 16) | (9 << 8) | 0xF0),
        "sys.flags.optimize": Constant(0),
        "os.environ": Known("environment"),
        "sys.argv": Items("list", (Constant("-c"),)),
        "typing.TYPE_CHECKING": caused(Constant(False), Cause(TYPING_ONLY, "", 0)),
        "typing_extensions.TYPE_CHECKING": caused(Constant(False), Cause(TYPING_ONLY, "", 0)),
        "six.PY2": Constant(False),
        "six.PY3": Constant(True),
        "six.PY34": Constant(True),
        "builtins.True": Constant(True),
        "builtins.False": Constant(False),
        "builtins.None": Constant(None),
        "builtins.NotImplemented": Unknown(),
        "builtins.Ellipsis": Unknown(),
    }
