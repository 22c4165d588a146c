"""Typed facts: what the cells of a column of a Parquet file or a workbook are."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from quintain.data.arrays import Floats, distinct
from quintain.data.learning.facts import Facts
from quintain.data.learning.text_facts import TextFacts

_DAY, _SECOND = "%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"


def typed_facts(name: str, cells: pa.ChunkedArray, *, words: bool = False) -> Facts:
    """The facts about a column with a type; texts are looked at like those of a CSV file.

    With ``words``, numbers are looked at as texts, too.
    """
    if words:
        return _texts(name, cells.cast(pa.string()), numbers=False)
    kind = cells.type
    if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
        return _times(name, cells)
    if pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        return _numbers(name, cells)
    if pa.types.is_nested(kind) or pa.types.is_binary(kind) or pa.types.is_duration(kind):
        raise ValueError(f"expected texts, numbers, dates or true and false, not {kind}")
    return _texts(name, cells.cast(pa.string()), numbers=True)


def _texts(name: str, cells: pa.ChunkedArray, *, numbers: bool) -> Facts:
    gathered = TextFacts(name, decimal_comma=False, numbers=numbers)
    for chunk in cells.chunks:
        gathered.add(chunk.fill_null(""))
    return _texts(name, cells, numbers=False) if gathered.stale else gathered.facts()


def _numbers(name: str, cells: pa.ChunkedArray) -> Facts:
    numbers: Floats = cells.cast(pa.float64(), safe=False).drop_null().to_numpy()
    if np.isinf(numbers).any():
        raise ValueError("a column cannot hold infinity")
    numbers = numbers[~np.isnan(numbers)]
    if not len(numbers):
        return Facts(name, len(cells), len(cells), "nothing")
    whole = bool((numbers == np.floor(numbers)).all())
    return Facts(
        name,
        len(cells),
        len(cells) - len(numbers),
        "numbers",
        low=float(numbers.min()),
        high=float(numbers.max()),
        whole=whole,
        distinct=whole and len(distinct(numbers)) == len(numbers),
    )


def _times(name: str, cells: pa.ChunkedArray) -> Facts:
    seconds = cells.cast(pa.timestamp("s"), safe=False).cast(pa.int64()).drop_null().to_numpy()
    if not len(seconds):
        return Facts(name, len(cells), len(cells), "nothing")
    return Facts(
        name,
        len(cells),
        cells.null_count,
        "times",
        low=float(seconds.min()),
        high=float(seconds.max()),
        time_format=time_format_of(cells),
    )


def time_format_of(cells: pa.ChunkedArray) -> str:
    """Days if no time has hours, minutes or seconds; else seconds."""
    seconds = cells.cast(pa.timestamp("s"), safe=False).cast(pa.int64()).drop_null().to_numpy()
    return _DAY if (seconds % 86_400 == 0).all() else _SECOND
