"""What a project asks for on one platform, in a requirements file of its own: facts, not requirements."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from optdep_lint.metadata.declarations import Declarations
from optdep_lint.metadata.model import MetadataError, MetadataProblem

if TYPE_CHECKING:
    from pathlib import Path

PLATFORM_WORDS = frozenset(
    "cuda rocm hip npu ascend cann cpu gpu tpu xpu hpu gaudi habana musa mlu gcu maca metax neuron"
    " openvino mps metal mlx intel amd nvidia arm aarch64 s390x ppc64le riscv64"
    " windows win win32 linux darwin macos mac osx".split()
)
"""Words that name a platform in the name of a requirements file."""

_FILE_WORDS = frozenset({"pyproject", "requirements", "requirement", "reqs", "req", "require"})
_VERSIONED = re.compile(r"(?P<word>cuda|rocm|cu)-?\d[\d.]*$")

_PATTERNS = ("*req*.txt", "*req*/*.txt", "*req*/*/*.txt", "pyproject[-_.]*.toml")


def read_platform_requirements(root: Path) -> dict[str, Declarations]:
    """Read ``requirements/rocm.txt``, ``requirements-cuda.txt``, ``pyproject_npu.toml`` and the like.

    Maps the platform word to what its files ask for, includes counted in. Files of a narrower
    purpose (``rocm-test.txt``) are passed over, and one that cannot be read is a problem.
    """
    found: dict[str, Declarations] = {}
    for path in sorted(path for pattern in _PATTERNS for path in root.glob(pattern)):
        word = _platform_word(path.relative_to(root))
        if word is not None:
            found[word] = found.get(word, Declarations()).joined(_read(path, root))
    return found


def _read(path: Path, root: Path) -> Declarations:
    from optdep_lint.metadata.read_pyproject import from_requirements, read_plain_requirements
    from optdep_lint.metadata.requirements_files import read_requirements_file

    try:
        if path.suffix == ".toml":
            return read_plain_requirements(path, root)
        return from_requirements(read_requirements_file(path, root))
    except MetadataError as error:
        return Declarations(problems=(MetadataProblem(error.path, error.line or 1, error.message),))


def _platform_word(path: Path) -> str | None:
    """Return the platform when it is the only word of the name, the folder's words included."""
    written = "-".join([*path.parts[:-1], path.stem])
    words = [word for word in re.split(r"[-_\s]+|\.(?!\d)", written.lower()) if word]
    named = [word for word in words if word not in _FILE_WORDS]
    if len(named) != 1:
        return None
    versioned = _VERSIONED.match(named[0])
    word = versioned.group("word") if versioned else named[0]
    word = "cuda" if word == "cu" else word
    return word if word in PLATFORM_WORDS else None
