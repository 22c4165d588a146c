"""Formats: how data become the bytes of a file, by the ending of its name.

This is the only table of endings that are written. A further format is a further line.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa

from quintain.data.arrow import to_arrow
from quintain.data.files.model_cells import model_bytes
from quintain.data.kinds import flat
from quintain.data.models import as_model
from quintain.data.shape import Data


@dataclass(frozen=True, slots=True)
class DataFormat:
    """How a file of one format is written.

    Parameters
    ----------
    of_data : the bytes of data; the flag says whether a line of column names comes first.
    of_rows : the bytes of rows that no schema describes; None if the format is for models alone.
    """

    of_data: Callable[[Data, bool], bytes]
    of_rows: Callable[[pa.Table], bytes] | None = None


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


def _data_as_parquet(data: Data, header: bool) -> bytes:  # noqa: ARG001
    import pyarrow.parquet

    sink = pa.BufferOutputStream()
    pyarrow.parquet.write_table(to_arrow(data), sink, compression="zstd", store_schema=False)
    return bytes(sink.getvalue())


CSV = ".csv"
"""The format of every name that promises no other."""

FORMATS = {
    CSV: DataFormat(lambda data, header: flat(data).csv_bytes(header=header), _csv),
    ".parquet": DataFormat(_data_as_parquet, _parquet),
    ".safetensors": DataFormat(lambda data, _: model_bytes(as_model(data))),
}

_OTHER_FORMATS = frozenset(
    {".feather", ".arrow", ".xlsx", ".xlsm", ".xls", ".ods", ".tsv", ".json", ".html", ".pdf"}
    | {".zip", ".gz", ".sqlite", ".db", ".sav", ".dta"}
)
"""Endings that promise a format that nobody writes here."""


def endings(*, models: bool = False) -> tuple[str, ...]:
    """The endings of files of records, or only those of models, beside CSV.

    >>> endings(), endings(models=True)
    (('.parquet',), ('.safetensors',))
    """
    return tuple(
        ending
        for ending, known in FORMATS.items()
        if ending != CSV and (known.of_rows is None) == models
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
