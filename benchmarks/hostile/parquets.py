"""Hostile Parquet files: a few bytes that stand for gigabytes, and types that are not ours."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import partial

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from benchmarks.hostile.case import Hostile, file

NAMES = ("id_user", "date", "hours", "id_item", "price", "qty")


def written(columns: dict[str, pa.Array], **options: object) -> bytes:
    """A Parquet file of some columns."""
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink, compression="zstd", **options)
    return sink.getvalue()


def columns(values: Callable[[], pa.Array], rows: int = 1, name: str = "qty", **options: object):
    """A function that makes a file with one odd column and five columns without values."""

    def make(_: bytes) -> bytes:
        plain = {other: pa.nulls(rows, pa.string()) for other in NAMES if other != name}
        return written({**plain, name: values()}, **options)

    return make


def repeated(text: str, rows: int) -> pa.Array:
    """One text, repeated by its number."""
    return pa.DictionaryArray.from_arrays(pa.array(np.zeros(rows, np.int32)), pa.array([text]))


def long_list(size: int) -> pa.Array:
    """One row with a list of zeros."""
    return pa.ListArray.from_arrays([0, size], pa.array(np.zeros(size, np.int8)))


def every_column(_: bytes) -> bytes:
    """Six columns of one long text, 200,000 times."""
    return written({name: repeated("a" * 100_000, 200_000) for name in NAMES})


parquet = partial(file, name="release.parquet")
FIXED = pa.array([bytes(1_000_000)] * 20, pa.binary(1_000_000))
TYPES = {
    "fixed-length bytes": pa.array([b"1234"], pa.binary(4)),
    "decimals": pa.array([1], pa.decimal128(5)),
    "structure": pa.array([{"a": 1}]),
    "map": pa.array([[("a", 1)]], pa.map_(pa.string(), pa.int64())),
    "bytes": pa.array([b"\xff"]),
    "half floats": pa.array(np.array([1], np.float16)),
    "list of lists": pa.array([[[1], [2]]]),
}

PARQUETS: list[Hostile] = [
    parquet("parquet: empty", "is not a readable Parquet file", lambda _: b""),
    parquet("parquet: no footer", "is not a readable Parquet file", lambda _: b"PAR1PAR1"),
    parquet(
        "parquet: garbage footer",
        "is not a readable Parquet file",
        lambda _: b"PAR1" + b"\x19\xfc\xff" * 500 + b"\xdc\x05\x00\x00PAR1",
    ),
    parquet(
        "parquet: cut short",
        "is not a readable Parquet file",
        lambda _: columns(lambda: pa.array([1]))(b"")[:-9],
    ),
    parquet("parquet: CSV inside", "is not a readable Parquet file", lambda honest: honest),
    parquet(
        "parquet: other columns",
        "column is missing",
        lambda _: written({"\x1b[2J": pa.array([1])}),
    ),
    parquet(
        "parquet: name that is no text",
        "is not a readable Parquet file",
        lambda _: columns(lambda: pa.array([1]))(b"").replace(b"qty", b"q\xffy"),
    ),
    parquet(
        "parquet: 1,500 columns",
        "the limit is 2000000 x 1000",
        lambda _: written({f"c{i}": pa.array([1]) for i in range(1500)}),
    ),
    parquet(
        "parquet: 20 million rows",
        "the limit is 2000000",
        columns(lambda: pa.array(np.zeros(20_000_000, np.int8)), 20_000_000),
        large=True,
    ),
    parquet(
        "parquet: list of 5 million", "a column of list", columns(lambda: long_list(5_000_000))
    ),
    parquet(
        "parquet: list of 150 million",
        "a column of list",
        columns(lambda: long_list(150_000_000)),
        large=True,
    ),
    *(
        parquet(f"parquet: {kind}", "not a column of", columns(lambda values=values: values))
        for kind, values in TYPES.items()
    ),
    parquet(
        "parquet: fixed length of 1 MB", "not a column of", columns(lambda: FIXED, 20), large=True
    ),
    parquet(
        "parquet: long text, 200,000 times",
        "needs more than 1.5 GB of memory",
        columns(lambda: repeated("a" * 100_000, 200_000), 200_000, "id_user"),
    ),
    parquet("parquet: six long texts", "needs more than 1.5 GB of memory", every_column),
    parquet(
        "parquet: page of 1 GB",
        "needs more than 1.5 GB of memory",
        columns(
            lambda: pa.array(["a" * 100_000 + str(i) for i in range(10_000)]),
            10_000,
            "id_user",
            use_dictionary=False,
        ),
        large=True,
    ),
    parquet("parquet: number beyond 2^63", "expected", columns(lambda: pa.array([2.0**70]))),
    parquet(
        "parquet: date beyond the calendar",
        "expected a time",
        columns(lambda: pa.array([2**62], pa.timestamp("ms")), 1, "date"),
    ),
]
