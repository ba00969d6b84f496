"""Random programs as a hypothesis strategy; the same writer is driven by a seed where many are wanted."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.laws.programs import Writer


def programs() -> st.SearchStrategy[dict[str, str]]:
    """Programs that hypothesis draws, and makes smaller where one fails."""
    return st.randoms(use_true_random=False).map(lambda random: Writer(random).program())
