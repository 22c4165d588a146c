"""Parquet files: the typed columns of one table."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.parquet as pq

from quintain.data.arrow import check_columns, readable_cells
from quintain.data.files.limits import Limits
from quintain.data.readable import Readable
from quintain.data.schema import Schema
from quintain.errors import Faults

UNREADABLE = (pa.ArrowException, OSError, UnicodeDecodeError)


def read_parquet(content: bytes, schema: Schema, limits: Limits, faults: Faults) -> Readable | None:
    """The cells of a Parquet file; None if it is not a table with the columns of the schema."""
    try:
        file = pq.ParquetFile(pa.BufferReader(content))
    except UNREADABLE as problem:
        faults.add(f"is not a readable Parquet file: {problem}")
        return None
    # A Parquet file can lie about its size in bytes; rows times columns decide what reading costs.
    rows, columns = file.metadata.num_rows, file.metadata.num_columns
    if rows > limits.rows or columns > max(limits.columns, len(schema.names)):
        faults.add(
            f"{rows} rows x {columns} columns; the limit is {limits.rows} x {limits.columns}"
        )
        return None
    try:
        before = faults.total
        check_columns(file.schema_arrow.names, schema, faults)
        if faults.total > before:
            return None
        arrow = file.read(columns=list(schema.names))
    except UNREADABLE as problem:
        faults.add(f"is not a readable Parquet file: {problem}")
        return None
    return readable_cells(arrow, schema, faults, lambda row: row + 1)
