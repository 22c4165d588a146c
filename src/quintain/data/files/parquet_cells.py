"""Parquet files: the typed columns of one table.

A Parquet file of a few bytes can stand for any number of values: one row may hold a list of
millions, and one long text may be repeated by its number. So the file is read in small batches,
texts stay dictionaries, and their bytes are counted while they are read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa

from quintain.data.arrow import check_columns, readable_cells
from quintain.data.files.limits import Limits
from quintain.data.readable import Lines, Readable
from quintain.data.schema import Schema
from quintain.errors import Faults
from quintain.wording.languages import tell

if TYPE_CHECKING:
    import pyarrow.parquet as pq

UNREADABLE = (pa.ArrowException, OSError, UnicodeDecodeError)
_BATCH = 1 << 16
"""How many rows are read in one step."""
_NAMES_BYTES, _LISTED = 10_000_000, 100_000
"""The longest text and the longest list in the description of the file."""


def read_parquet(content: bytes, schema: Schema, limits: Limits, faults: Faults) -> Readable | None:
    """The cells of a Parquet file; None if it is not a table with the columns of the schema."""
    try:
        with _open_parquet(content, []) as file:
            if not _check_shape(file, schema, limits, faults):
                return None
            texts = [
                name
                for name, kind in zip(file.schema_arrow.names, file.schema_arrow.types, strict=True)
                if pa.types.is_string(kind) or pa.types.is_large_string(kind)
            ]
        with _open_parquet(content, texts) as file:
            arrow = _read(file, schema, limits, faults)
    except MemoryError:  # the file may be fine, so do not call it damaged
        raise
    except UNREADABLE as problem:
        faults.add(tell("is not a readable Parquet file: %(problem)s", problem=problem))
        return None
    return None if arrow is None else readable_cells(arrow, schema, faults, Lines())


def _open_parquet(content: bytes, texts: list[str]) -> pq.ParquetFile:
    import pyarrow.parquet as pq

    return pq.ParquetFile(
        pa.BufferReader(content),
        read_dictionary=texts,
        thrift_string_size_limit=_NAMES_BYTES,
        thrift_container_size_limit=_LISTED,
    )


def _check_shape(file: pq.ParquetFile, schema: Schema, limits: Limits, faults: Faults) -> bool:
    """Whether the columns are those of the schema, each with one plain value per row."""
    # A Parquet file can lie about its size in bytes; rows times columns decide what reading costs.
    rows, columns = file.metadata.num_rows, file.metadata.num_columns
    if rows > limits.rows or columns > max(limits.columns, len(schema.names)):
        faults.add(
            tell(
                "%(rows)s rows x %(columns)s columns; the limit is %(most)s x %(most_columns)s",
                rows=rows,
                columns=columns,
                most=limits.rows,
                most_columns=limits.columns,
            )
        )
        return False
    before = faults.total
    check_columns(file.schema_arrow.names, schema, faults)
    if faults.total == before:
        for field in _odd_columns(file):
            message = tell(
                "%(expected)s, not a column of %(type)s",
                expected=schema[field.name].expected,
                type=field.type,
            )
            faults.add(message, column=field.name)
    return faults.total == before


def _odd_columns(file: pq.ParquetFile) -> list[pa.Field]:
    """The columns with several values per row, or with values of a fixed number of bytes."""
    fields = list(file.schema_arrow)
    nested = [field for field in fields if pa.types.is_nested(field.type)]
    if nested or len(fields) != len(file.schema):
        return nested or fields
    stored = [file.schema.column(at) for at in range(len(fields))]
    return [
        field
        for field, column in zip(fields, stored, strict=True)
        if column.max_repetition_level > 0 or column.physical_type == "FIXED_LEN_BYTE_ARRAY"
    ]


def _read(file: pq.ParquetFile, schema: Schema, limits: Limits, faults: Faults) -> pa.Table | None:
    """The rows of a file, or None as soon as they take too many bytes."""
    batches, rows, size = [], 0, 0
    for batch in file.iter_batches(_BATCH, columns=list(schema.names), use_threads=False):
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if rows > limits.rows or size > limits.archive_bytes:
            faults.add(
                tell(
                    "more than %(rows)s rows or %(archive_bytes)s bytes once it is unpacked",
                    rows=limits.rows,
                    archive_bytes=limits.archive_bytes,
                )
            )
            return None
        batches.append(batch)
    return pa.Table.from_batches(batches) if batches else file.schema_arrow.empty_table()
