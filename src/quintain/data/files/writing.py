"""Writing: the same data always give the same bytes."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from quintain.data.arrow import to_arrow
from quintain.data.kinds import Data, flat


def write(data: Data, path: Path | str, *, header: bool = True) -> None:
    """Write a Parquet file if the name ends in .parquet, else a CSV file."""
    Path(path).write_bytes(to_bytes(data, Path(path).suffix, header=header))


def to_bytes(data: Data, suffix: str, *, header: bool = True) -> bytes:
    """The content of a data file; the same data always give the same bytes."""
    if suffix == ".parquet":
        sink = pa.BufferOutputStream()
        pq.write_table(to_arrow(data), sink, compression="zstd", store_schema=False)
        return bytes(sink.getvalue())
    return flat(data).csv_bytes(header=header)
