"""Files: read Online Retail as a Parquet file, a CSV file or the original workbook."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

import pyarrow as pa

from quintain.data.own_files.workbook import read_workbook
from quintain.errors import DataError, Fault

COLUMNS = ("StockCode", "Quantity", "InvoiceDate", "UnitPrice", "CustomerID")
"""The columns that are read; invoice, description and country are not."""

TIME_FORMATS = ("%Y-%m-%d %H:%M:%S", "%m/%d/%Y %H:%M")
"""How copies of the table write a time in CSV."""


def read_retail(file: Path) -> pa.Table:
    """Five columns of Online Retail, with the same types for every file format."""
    readers = {".parquet": _parquet, ".csv": _csv, ".xlsx": _workbook}
    try:
        table = readers[file.suffix](file)
        return table.cast(
            pa.schema(
                {
                    "StockCode": pa.string(),
                    "Quantity": pa.int64(),
                    "InvoiceDate": pa.timestamp("s"),
                    "UnitPrice": pa.float64(),
                    "CustomerID": pa.int64(),
                }
            )
        )
    except (pa.ArrowException, ValueError, KeyError) as problem:
        message = f"is not the Online Retail table: {str(problem).splitlines()[0]}"
        raise DataError([Fault(message, file.name)]) from None


def _parquet(file: Path) -> pa.Table:
    # pyarrow's Parquet reader is slow to import and only real data needs it.
    import pyarrow.parquet

    return pyarrow.parquet.read_table(file, columns=list(COLUMNS))


def _csv(file: Path) -> pa.Table:
    import pyarrow.csv

    # Some copies have descriptions in Latin-1; the columns that are read are plain ASCII.
    table = pyarrow.csv.read_csv(
        file,
        read_options=pyarrow.csv.ReadOptions(encoding="latin-1"),
        parse_options=pyarrow.csv.ParseOptions(newlines_in_values=True),
        convert_options=pyarrow.csv.ConvertOptions(
            include_columns=list(COLUMNS),
            column_types={
                "StockCode": pa.string(),
                "Quantity": pa.int64(),
                "InvoiceDate": pa.string(),
                "UnitPrice": pa.float64(),
                "CustomerID": pa.float64(),
            },
        ),
    )
    written = table.column("InvoiceDate").combine_chunks().dictionary_encode()
    times = pa.array([_time(text) for text in written.dictionary.to_pylist()], pa.timestamp("s"))
    place = COLUMNS.index("InvoiceDate")
    return table.set_column(place, "InvoiceDate", times.take(written.indices))


def _time(text: str) -> datetime:
    for form in TIME_FORMATS:
        try:
            return datetime.strptime(text, form)
        except ValueError:
            continue
    raise ValueError(f"InvoiceDate {text!r} is in none of the formats {', '.join(TIME_FORMATS)}")


def _workbook(file: Path) -> pa.Table:
    header, *rows = read_workbook(file)
    missing = [name for name in COLUMNS if name not in header]
    if missing:
        raise ValueError(f"the first sheet has no column named {', '.join(missing)}")
    columns = dict(zip(header, zip(*rows, strict=True), strict=True))
    codes = pa.array([str(code) for code in columns.pop("StockCode")], pa.string())
    rest = {name: pa.array(columns[name]) for name in COLUMNS[1:]}
    return pa.table({"StockCode": codes, **rest})
