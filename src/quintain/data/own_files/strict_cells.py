"""Strict cells: texts of one column read by Arrow, with the same result as the codec.

The codec reads one text after the other, which is too slow for millions of cells. Here Arrow reads
whatever it surely reads in the same way, and the codec reads the rest.
"""

from __future__ import annotations

import re

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quintain.data.arrays import MISSING_TIME, Array, Mask
from quintain.data.codec import missing_value, parse_texts
from quintain.data.columns import dtype_of
from quintain.data.schema import Column

_INTEGER = r"^-?(?:0|[1-9][0-9]{0,17})$"
_REAL = r"^-?[0-9]{1,20}(?:\.[0-9]{0,20})?(?:[eE][-+]?[0-9]{1,2})?$"
_CONTROL = r"[\x00-\x1f\x7f]"
_SAFE_FORMAT = re.compile(r"(?:%[YmdHMS]|[^%A-Za-z0-9])+")
"""Formats of times that Arrow and Python read and write alike."""
_FIRST_YEAR = -30_610_224_000
"""The first second of the year 1000; Arrow and Python write earlier years in different ways."""


def strict_cells(column: Column, texts: pa.Array) -> tuple[Array, Mask]:
    """The contents of a column and the cells that the schema does not allow, as the codec does."""
    if column.kind == "category":
        return _categories(column, texts)
    if column.kind in ("integer", "real"):
        return _numbers(column, texts)
    if column.kind == "id":
        return _ids(column, texts)
    return _times(column, texts)


def _by_codec(column: Column, texts: pa.Array) -> tuple[Array, Mask]:
    """Each different text once, by the codec."""
    encoded = texts.dictionary_encode()
    contents, bad = parse_texts(column, encoded.dictionary.to_pylist())
    index = encoded.indices.to_numpy()
    return contents[index], bad[index]


def _categories(column: Column, texts: pa.Array) -> tuple[Array, Mask]:
    codes = pc.index_in(texts, value_set=pa.array(column.values, pa.string()))
    contents = codes.fill_null(-1).to_numpy().astype(np.int32)
    bad: Mask = contents < 0
    if column.nullable:
        bad &= ~_equal(texts, column.missing)
    return contents, bad


def _numbers(column: Column, texts: pa.Array) -> tuple[Array, Mask]:
    integer = column.kind == "integer"
    contents = np.full(len(texts), missing_value(column), dtype=dtype_of(column, {}))
    simple = pc.match_substring_regex(texts, _INTEGER if integer else _REAL).to_numpy(
        zero_copy_only=False
    )
    if integer:
        simple = simple & ~_equal(texts, "-0")
    bad = ~simple
    if simple.any():
        chosen = texts if simple.all() else texts.filter(pa.array(simple))
        values = chosen.cast(pa.int64() if integer else pa.float64()).to_numpy()
        inside = np.ones(len(values), bool)
        if column.low is not None:
            inside &= values >= column.low
        if column.high is not None:
            inside &= values <= column.high
        rows = np.flatnonzero(simple)
        contents[rows[inside]] = values[inside] - column.offset if integer else values[inside]
        bad[rows[~inside]] = True
    return _others_by_codec(column, texts, simple, contents, bad)


def _ids(column: Column, texts: pa.Array) -> tuple[Array, Mask]:
    bad = pc.match_substring_regex(texts, _CONTROL).to_numpy(zero_copy_only=False)
    empty, missing = _equal(texts, ""), _equal(texts, column.missing)
    bad = (bad | empty) & ~(missing & column.nullable)
    contents = np.array(texts.to_pylist(), dtype=np.str_)
    contents[bad | (missing & column.nullable)] = ""
    return contents, bad


def _times(column: Column, texts: pa.Array) -> tuple[Array, Mask]:
    if not _SAFE_FORMAT.fullmatch(column.time_format):
        return _by_codec(column, texts)
    encoded = texts.dictionary_encode()
    given = encoded.dictionary
    moments = pc.strptime(given, format=column.time_format, unit="s", error_is_null=True)
    again = pc.strftime(moments, format=column.time_format)
    seconds = moments.cast(pa.int64()).fill_null(MISSING_TIME).to_numpy().copy()
    simple = pc.equal(again, given).fill_null(False).to_numpy(zero_copy_only=False)
    simple = simple & (seconds >= _FIRST_YEAR)
    seconds[~simple] = MISSING_TIME
    bad = ~simple
    first, last = column.bounds
    for beyond, bound in ((np.less, first), (np.greater, last)):
        if bound is not None:
            bad |= beyond(seconds, bound)
    seconds[bad] = MISSING_TIME
    seconds, bad = _others_by_codec(column, given, simple, seconds, bad)
    index = encoded.indices.to_numpy()
    return seconds[index], bad[index]


def _others_by_codec(
    column: Column, texts: pa.Array, simple: Mask, contents: Array, bad: Mask
) -> tuple[Array, Mask]:
    """Let the codec read the cells that are not simple."""
    if simple.all():
        return contents, bad
    rest = ~simple
    contents[rest], bad[rest] = _by_codec(column, texts.filter(pa.array(rest)))
    return contents, bad


def _equal(texts: pa.Array, text: str) -> Mask:
    equal: Mask = pc.equal(texts, text).to_numpy(zero_copy_only=False)
    return equal
