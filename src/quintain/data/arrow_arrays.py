"""Arrays of Arrow as arrays of NumPy, and the other way round, without pandas.

``pyarrow.array``, ``pyarrow.scalar`` and every ``to_numpy`` load pandas if it is installed, and
never need it here. Loading it takes half a second of every command and of every worker. So what
commands and workers do goes through the memory that both libraries share.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa

from quintain.data.arrays import Array, Mask


def numbers_of(cells: pa.Array | pa.ChunkedArray) -> Array:
    """Numbers or truth values without gaps; numbers may be read only.

    >>> cells = pa.chunked_array([[1, 2], [3]])
    >>> numbers_of(cells), numbers_of(cells.is_null())
    (array([1, 2, 3]), array([False, False, False]))
    """
    if isinstance(cells, pa.ChunkedArray):
        pieces = [numbers_of(chunk) for chunk in cells.chunks] or [
            numbers_of(pa.nulls(0, cells.type))
        ]
        return pieces[0] if len(pieces) == 1 else np.concatenate(pieces)
    if pa.types.is_boolean(cells.type):
        return numbers_of(cells.cast(pa.uint8())).astype(np.bool_)
    return np.asarray(np.from_dlpack(cells))


def fill_gaps(cells: pa.Array | pa.ChunkedArray, value: float) -> Array:
    """Numbers, with a value in the place of each gap.

    >>> fill_gaps(pa.chunked_array([[1, None]]), 7)
    array([1, 7])
    """
    if not cells.null_count:
        return numbers_of(cells)
    single = numbers_of(pa.nulls(0, cells.type)).dtype.type(value)
    return numbers_of(cells.fill_null(from_numbers(np.array([single]))[0]))


def from_numbers(values: Array, missing: Mask | None = None) -> pa.Array:
    """Numbers, with gaps where they are missing.

    >>> from_numbers(np.array([1, 2]), np.array([False, True])).to_pylist()
    [1, None]
    """
    valid = None
    if missing is not None and missing.any():
        valid = pa.py_buffer(np.packbits(~missing, bitorder="little"))
    contents = pa.py_buffer(np.ascontiguousarray(values))
    kind = pa.from_numpy_dtype(values.dtype)
    return pa.Array.from_buffers(kind, len(values), [valid, contents])


def from_texts(texts: Sequence[str]) -> pa.Array:
    """Texts, none of which is missing.

    >>> from_texts(["a", "", "é"]).to_pylist()
    ['a', '', 'é']
    """
    encoded = [text.encode() for text in texts]
    ends = np.zeros(len(encoded) + 1, np.int32)
    np.cumsum([len(text) for text in encoded], out=ends[1:])
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(b"".join(encoded))]
    return pa.Array.from_buffers(pa.string(), len(encoded), buffers)
