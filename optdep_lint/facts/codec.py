"""Summaries as bytes, and back.

The wire form is `marshal` of nested tuples, as in Python's own .pyc files, and is as trusted as they are: whoever may
write the cache folder may also write the code that is checked. The cache adds a digest, so damage is a miss.
"""

from __future__ import annotations

import marshal
from typing import Any

from optdep_lint.facts.summary import Fault, Summary
from optdep_lint.facts.syntax import NODES, Block

_MARSHAL_VERSION = 4
_TAGS = {node: tag for tag, node in enumerate(NODES)}
_PLAIN = -1
"""The tag of a tuple that is no node."""


def encode(summary: Summary) -> bytes:
    """Encode a summary; `decode(encode(s))` says the same as `s`."""
    bodies = tuple(body if isinstance(body, bytes) else _dump(body) for body in summary.bodies)
    fault = summary.fault and tuple(summary.fault)
    whole: Any = (_pack(summary.body), bodies, summary.asks, summary.future_annotations, summary.lines, fault)
    return marshal.dumps(whole, _MARSHAL_VERSION)


def decode(data: bytes) -> Summary:
    """Decode a summary.

    Raises:
        ValueError, EOFError, TypeError: where the data is none of ours.
    """
    body, bodies, asks, future, lines, fault = marshal.loads(data)  # noqa: S302  # as trusted as a .pyc file
    return Summary(_unpack(body), list(bodies), asks, future, lines, Fault(*fault) if fault else None, _load)


def marks_of(*nodes: type[Any]) -> tuple[bytes, ...]:
    """What to look for in encoded bodies: one that holds a node of these types has one of these bytes in it."""
    numbers = [_TAGS[node].to_bytes(4, "little") for node in nodes]
    return tuple(kind + number for number in numbers for kind in (b"i", b"\xe9"))


def _dump(body: Block) -> bytes:
    return marshal.dumps(_pack(body), _MARSHAL_VERSION)


def _load(data: bytes) -> Block:
    block: Block = _unpack(marshal.loads(data))  # noqa: S302  # as above
    return block


def _pack(value: tuple[Any, ...]) -> tuple[Any, ...]:
    return (
        _TAGS.get(type(value), _PLAIN),
        *[_pack(field) if isinstance(field, tuple) else field for field in value],
    )


def _unpack(value: tuple[Any, ...]) -> Any:
    """The reverse; a loop with its calls spared for what is no tuple, since much of a run is spent here."""
    fields = [_unpack(field) if type(field) is tuple else field for field in value]
    tag = fields[0]
    del fields[0]
    return tuple(fields) if tag == _PLAIN else tuple.__new__(NODES[tag], fields)
