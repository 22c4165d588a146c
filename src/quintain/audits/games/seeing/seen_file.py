"""Seen file: what is kept of one run, as plain numbers that can be read in part."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from quintain.audits.games.seeing.observer import Seen
from quintain.data.arrays import Array, Floats

_KINDS = ("<f2", "<f4", "<f4", "<f4")
"""Queries, evidence, the whole release, all targets."""
_HEAD = 8 * 2 * len(_KINDS)
"""The file begins with the shapes of the arrays, two numbers each."""


def seen_bytes(seen: Seen) -> bytes:
    """The content of the file; same numbers, same bytes."""
    parts: list[Array] = [seen.queries, seen.evidence, seen.whole[None, :], seen.shared]
    shapes = np.array([part.shape for part in parts], "<i8")
    contents = (part.astype(kind).tobytes() for part, kind in zip(parts, _KINDS, strict=True))
    return shapes.tobytes() + b"".join(contents)


def read_seen(content: bytes) -> Seen:
    """What :func:`seen_bytes` wrote."""
    shapes = np.frombuffer(content[:_HEAD], "<i8").reshape(-1, 2)
    arrays, start = [], _HEAD
    for kind, shape in zip(_KINDS, shapes.tolist(), strict=True):
        size = shape[0] * shape[1]
        arrays.append(np.frombuffer(content, kind, size, start).reshape(shape))
        start += size * np.dtype(kind).itemsize
    queries, evidence, whole, shared = arrays
    return Seen(queries, evidence, whole[0], shared)


def read_queries(path: Path, target: int) -> Floats:
    """The answers to all queries about one target; the rest of the file is not read."""
    with path.open("rb") as file:
        width = int(np.frombuffer(file.read(_HEAD), "<i8")[1])
        file.seek(_HEAD + 2 * width * target)
        return np.frombuffer(file.read(2 * width), "<f2").astype(np.float64)
