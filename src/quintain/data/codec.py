"""Codec: turns the values of one column into what a table stores, and back; the kind says how."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from quintain.data.arrays import Array, Mask
from quintain.data.column import Column


def parse_texts(column: Column, texts: Sequence[str]) -> tuple[Array, Mask]:
    """The cells of a file as column contents, and which cells the schema does not allow.

    The reading is strict on purpose, so that a value has one spelling: "40.0", "+5", " 5" and
    "007" are not integers, and "nan" and "inf" are not numbers.
    """
    parse = column.its_kind.parser(column)
    bad = np.zeros(len(texts), dtype=bool)
    missing = missing_value(column)
    values: list[Any] = []
    for i, text in enumerate(texts):
        value = missing if text == column.missing and column.nullable else parse(text)
        bad[i] = value is None
        values.append(missing if value is None else value)
    return np.array(values, dtype=column.its_kind.dtype(column)), bad


def format_texts(column: Column, contents: Array) -> list[str]:
    """Column contents as the cells of a file; ``column.missing`` stands for missing values."""
    return column.its_kind.format(column, contents)


def missing_cells(column: Column, contents: Array) -> Mask:
    """For each cell of a column, whether its value is missing."""
    return column.its_kind.missing_cells(column, contents)


def decode_values(column: Column, contents: Array) -> list[Any]:
    """Column contents as plain values: texts, ints, floats, datetimes; None where missing."""
    return column.its_kind.decode(column, contents)


def encode_values(column: Column, values: Sequence[Any] | Array) -> Array:
    """Plain values as column contents; a value outside the domain raises ``ValueError``."""
    encoded = column.its_kind.encode(column, values)
    if encoded is not None:
        return encoded
    texts = [_as_text(column, value) for value in values]
    contents, bad = parse_texts(column, texts)
    if bad.any():
        first = texts[int(np.flatnonzero(bad)[0])]
        raise ValueError(f"{column.name}={first!r}: {column.expected}")
    return contents


def _as_text(column: Column, value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return column.missing
    return column.its_kind.spell(column, value)


def missing_value(column: Column) -> Any:
    """What a column stores for a missing value."""
    return column.its_kind.missing
