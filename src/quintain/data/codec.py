"""Codec: turns the values of one column into what a table stores, and back."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import Any

import numpy as np

from quintain.data.arrays import MISSING_TIME, Array, Mask
from quintain.data.schema import CONTROL, Column, parse_time

_INTEGER = re.compile(r"-?(?:0|[1-9][0-9]{0,17})")
_REAL = re.compile(r"-?[0-9]+(?:\.[0-9]*)?(?:[eE][-+]?[0-9]+)?|-?\.[0-9]+(?:[eE][-+]?[0-9]+)?")


def parse_texts(column: Column, texts: Sequence[str]) -> tuple[Array, Mask]:
    """The cells of a file as column contents, and which cells the schema does not allow.

    The reading is strict on purpose, so that a value has one spelling: "40.0", "+5", " 5" and
    "007" are not integers, and "nan" and "inf" are not numbers.
    """
    parse = _parser(column)
    contents = np.empty(len(texts), dtype=_parsed_dtype(column))
    bad = np.zeros(len(texts), dtype=bool)
    missing = missing_value(column)
    values: list[Any] = []
    for i, text in enumerate(texts):
        value = missing if text == column.missing and column.nullable else parse(text)
        bad[i] = value is None
        values.append(missing if value is None else value)
    if column.kind == "id":
        return np.array(values, dtype=np.str_), bad
    contents[:] = values
    return contents, bad


def format_texts(column: Column, contents: Array) -> list[str]:
    """Column contents as the cells of a file; ``column.missing`` stands for missing values."""
    missing = column.missing
    if column.kind == "time":
        # Dates repeat a lot, and writing one is slow.
        distinct, where = np.unique(contents, return_inverse=True)
        moments = decode_values(column, distinct)
        texts = [missing if v is None else v.strftime(column.time_format) for v in moments]
        return [texts[at] for at in where.tolist()]
    values = decode_values(column, contents)
    if column.kind == "real":
        return [missing if v is None else repr(v) for v in values]
    return [missing if v is None else str(v) for v in values]


def missing_cells(column: Column, contents: Array) -> Mask:
    """For each cell of a column, whether its value is missing."""
    if column.kind == "real" or (column.kind == "integer" and contents.dtype.kind == "f"):
        return np.isnan(contents)
    if column.kind == "id" and contents.dtype.kind != "U":
        return np.zeros(len(contents), bool)
    if column.kind == "integer" and not column.discrete:
        return np.zeros(len(contents), bool)  # -1 is a number like any other
    missing: Mask = contents == missing_value(column)
    return missing


def decode_values(column: Column, contents: Array) -> list[Any]:
    """Column contents as plain values: texts, ints, floats, datetimes; None where missing."""
    if column.kind == "category":
        names: list[str | None] = [*column.values, None]
        return [names[code] for code in contents.tolist()]
    if column.kind == "integer":
        offset = column.offset
        if column.discrete:
            return [None if code < 0 else code + offset for code in contents.tolist()]
        return [value + offset for value in contents.tolist()]
    if column.kind == "real":
        return [None if math.isnan(value) else value for value in contents.tolist()]
    if column.kind == "time":
        return [
            None if t == MISSING_TIME else datetime.fromtimestamp(t, UTC) for t in contents.tolist()
        ]
    return [None if value == "" else value for value in contents.tolist()]


def encode_values(column: Column, values: Sequence[Any] | Array) -> Array:
    """Plain values as column contents; a value outside the domain raises ``ValueError``."""
    texts = [_as_text(column, value) for value in values]
    if column.kind == "id" and all(isinstance(v, int | np.integer) for v in values):
        return np.array(values, dtype=np.int64)
    contents, bad = parse_texts(column, texts)
    if bad.any():
        first = texts[int(np.flatnonzero(bad)[0])]
        raise ValueError(f"{column.name}={first!r}: {column.expected}")
    return contents


def _as_text(column: Column, value: Any) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return column.missing
    if column.kind == "integer" and isinstance(value, float | np.floating):
        return str(int(value)) if math.isfinite(value) and value == int(value) else str(value)
    if column.kind == "real":
        return repr(float(value))
    if column.kind == "time" and not isinstance(value, str):
        return str(value.strftime(column.time_format))
    return str(value)


def missing_value(column: Column) -> Any:
    """What a column stores for a missing value."""
    if column.kind == "real":
        return math.nan
    if column.kind == "time":
        return MISSING_TIME
    return "" if column.kind == "id" else -1


def _parsed_dtype(column: Column) -> np.dtype[Any]:
    if column.discrete:
        return np.dtype(np.int32)
    return np.dtype(np.float64 if column.kind == "real" else np.int64)


def _parser(column: Column) -> Callable[[str], Any]:
    if column.kind == "category":
        return {value: code for code, value in enumerate(column.values)}.get
    if column.kind == "id":
        return lambda text: text if text and not CONTROL.search(text) else None
    if column.kind == "time":
        first, last = _limits(column)

        def time(text: str) -> int | None:
            seconds = parse_time(text, column.time_format)
            return seconds if seconds is not None and first <= seconds <= last else None

        return time
    low, high = _limits(column)
    if column.kind == "integer":
        offset = column.offset

        def integer(text: str) -> int | None:
            if not _INTEGER.fullmatch(text) or text == "-0":
                return None
            value = int(text)
            return value - offset if low <= value <= high else None

        return integer

    def real(text: str) -> float | None:
        if len(text) > 60 or not _REAL.fullmatch(text):
            return None
        value = float(text)
        return value if math.isfinite(value) and low <= value <= high else None

    return real


def _limits(column: Column) -> tuple[float, float]:
    low, high = column.bounds
    return -math.inf if low is None else low, math.inf if high is None else high
