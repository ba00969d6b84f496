"""Which questions are about the platform: they say nothing about what is installed on it."""

from __future__ import annotations

import re

_PLATFORM_WORD = re.compile(
    r"(rocm|cuda|hip|npu|xpu|tpu|hpu|mps|musa|gcu|mlu|cpu|gpu|neuron|platform|linux|darwin|macos|windows|win32|posix|jython|pypy)",
    re.IGNORECASE,
)
_TORCH = re.compile(r"torch\.(cuda|xpu|mps|npu|hpu|mlu|musa|version|backends)\.")


def asks_platform(text: str) -> bool:
    """Whether a question is one about the platform: by what it is called, or because torch is asked for its devices."""
    return _PLATFORM_WORD.search(text.rpartition(".")[2]) is not None or _TORCH.match(text) is not None
