"""Formats: how data become the bytes of a file, and come back, by the ending of its name.

This is the only table of endings of data. A further format is a further line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Literal

import pyarrow as pa

from quintain.data.arrow import to_arrow
from quintain.data.files.limits import Limits
from quintain.data.files.model_cells import model_bytes
from quintain.data.files.parquet_cells import read_parquet
from quintain.data.kinds import flat
from quintain.data.models import as_model
from quintain.data.readable import Readable
from quintain.data.schema import Schema
from quintain.data.shape import Data
from quintain.errors import Faults


@dataclass(frozen=True, slots=True)
class DataFormat:
    """How a file of one format is written and read.

    Parameters
    ----------
    of_data : the bytes of data; the flag says whether a line of column names comes first. None if
        nobody writes the format here.
    of_rows : the bytes of rows that no schema describes; None if the format is for models alone.
    cells : the cells of a file that follows a schema, as those of contests do; None for CSV, and
        for formats in which no such file comes.
    tables : what opens tables of users, which no schema describes: lines of text, Parquet, or the
        reader of workbooks. None if such files have no table.
    """

    of_data: Callable[[Data, bool], bytes] | None = None
    of_rows: Callable[[pa.Table], bytes] | None = None
    cells: Callable[[bytes, Schema, Limits, Faults], Readable | None] | None = None
    tables: Literal["text", "parquet", "workbook"] | None = None


def _csv(rows: pa.Table) -> bytes:
    import pyarrow.csv

    sink = pa.BufferOutputStream()
    pyarrow.csv.write_csv(rows, sink)
    return bytes(sink.getvalue())


def _parquet(rows: pa.Table) -> bytes:
    import pyarrow.parquet

    sink = pa.BufferOutputStream()
    pyarrow.parquet.write_table(rows, sink)
    return bytes(sink.getvalue())


def _data_as_csv(data: Data, header: bool) -> bytes:
    return flat(data).csv_bytes(header=header)


def _data_as_parquet(data: Data, header: bool) -> bytes:  # noqa: ARG001
    import pyarrow.parquet

    sink = pa.BufferOutputStream()
    pyarrow.parquet.write_table(to_arrow(data), sink, compression="zstd", store_schema=False)
    return bytes(sink.getvalue())


CSV = ".csv"
"""The format of every name that promises no other."""

_WORKBOOK = DataFormat(tables="workbook")
FORMATS = {
    CSV: DataFormat(_data_as_csv, _csv, tables="text"),
    ".tsv": DataFormat(tables="text"),
    ".parquet": DataFormat(_data_as_parquet, _parquet, read_parquet, "parquet"),
    ".safetensors": DataFormat(lambda data, _: model_bytes(as_model(data))),
    **dict.fromkeys((".xlsx", ".xlsm", ".xls", ".ods"), _WORKBOOK),
}

_OTHER_FORMATS = frozenset(
    {
        ".feather",
        ".arrow",
        ".json",
        ".html",
        ".pdf",
        ".zip",
        ".gz",
        ".sqlite",
        ".db",
        ".sav",
        ".dta",
    }
)
"""Endings that promise another format, which nobody writes or reads here."""


def format_of(name: str) -> DataFormat:
    """The format that a name promises; CSV if it promises none of the table.

    >>> format_of("Visits.XLSX").tables, format_of("visits.dat").tables
    ('workbook', 'text')
    """
    return FORMATS.get(PurePath(name).suffix.lower(), FORMATS[CSV])


def writer_of(ending: str) -> Callable[[Data, bool], bytes]:
    """What makes the bytes of data; CSV for an ending that promises no format of the table."""
    known = FORMATS.get(ending)
    return _data_as_csv if known is None or known.of_data is None else known.of_data


def table_endings() -> tuple[str, ...]:
    """The endings of files in which users have tables.

    >>> table_endings()
    ('.csv', '.tsv', '.parquet', '.xlsx', '.xlsm', '.xls', '.ods')
    """
    return tuple(ending for ending, known in FORMATS.items() if known.tables is not None)


def contest_endings() -> tuple[str, ...]:
    """The endings of records in contests: CSV, and what is written and read by the schema.

    >>> contest_endings()
    ('.csv', '.parquet')
    """
    return (CSV, *(ending for ending in endings() if FORMATS[ending].cells is not None))


def endings(*, models: bool = False) -> tuple[str, ...]:
    """The endings of files of records, or only those of models, beside CSV.

    >>> endings(), endings(models=True)
    (('.parquet',), ('.safetensors',))
    """
    return tuple(
        ending
        for ending, known in FORMATS.items()
        if ending != CSV and known.of_data is not None and (known.of_rows is None) == models
    )


def ending_of(path: Path) -> str:
    """The ending under which rows that were read from a file are written again."""
    suffix = path.suffix.lower()
    return suffix if suffix in endings() else CSV


def wrong_ending(path: Path, *made: str) -> str | None:
    """Why a file cannot have this name; ``made`` are the formats that are written beside CSV.

    >>> wrong_ending(Path("r.xlsx"), ".parquet")
    '.xlsx files are not written here; name one that ends with .csv or .parquet'
    >>> wrong_ending(Path("r.Parquet"), ".parquet")
    """
    suffix = path.suffix.lower()
    if suffix not in {*_OTHER_FORMATS, *FORMATS} - {CSV, *made}:
        return None
    known = " or ".join([CSV, *made])
    return f"{suffix} files are not written here; name one that ends with {known}"
