"""Typed files: Parquet files and Excel workbooks, whose cells are numbers, dates and texts."""

from __future__ import annotations

import importlib
import zipfile
import zlib
from datetime import date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from quintain.errors import DataError, Fault, Faults, MissingExtra

_READERS = (".parquet", ".xlsx", ".xlsm")
_UNPACKED = 1_000_000_000
"""How many bytes a workbook may have when it is unpacked; more takes minutes and all memory."""
_UNREADABLE = (
    zipfile.BadZipFile,
    zlib.error,
    SyntaxError,  # of the XML inside
    LookupError,
    ValueError,
    TypeError,
    AttributeError,
    OSError,
    EOFError,
    RuntimeError,
)
"""What a damaged workbook makes of its reader."""


def is_typed(path: Path) -> bool:
    """Whether a file is a Parquet file or an Excel workbook, by its name."""
    return path.suffix.lower() in _READERS


def read_typed(path: Path) -> pa.Table:
    """All cells of a Parquet file or of the first sheet of a workbook; raises if it has faults."""
    if path.suffix.lower() == ".parquet":
        return _parquet(path)
    return _workbook(path)


def _parquet(path: Path) -> pa.Table:
    import pyarrow.parquet

    try:
        return pyarrow.parquet.read_table(path, use_threads=False)
    except (pa.ArrowException, OSError) as problem:
        message = f"is not a readable Parquet file: {str(problem).splitlines()[0]}"
        raise DataError([Fault(message, path.name)]) from None


def _workbook(path: Path) -> pa.Table:
    try:
        openpyxl = importlib.import_module("openpyxl")
    except ImportError:
        raise MissingExtra("an Excel workbook", "openpyxl", "excel") from None
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
        if size > _UNPACKED:
            message = f"has {size} bytes when it is unpacked; the limit is {_UNPACKED}"
            raise DataError([Fault(f"{message}; save the sheet as CSV", path.name)])
        book = openpyxl.load_workbook(path, read_only=True, data_only=True)
        rows = [list(row) for row in book.worksheets[0].iter_rows(values_only=True)]
    except _UNREADABLE as problem:
        message = f"is not a readable Excel workbook: {problem}"
        raise DataError([Fault(message, path.name)]) from None
    while rows and all(cell is None for cell in rows[-1]):
        rows.pop()
    if not rows:
        raise DataError([Fault("the first sheet is empty", path.name)])
    return _sheet(path, rows)


def _sheet(path: Path, rows: list[list[Any]]) -> pa.Table:
    faults = Faults(path.name)
    width = max(map(len, rows))  # some programs leave out the empty cells at the end of a row
    rows = [row + [None] * (width - len(row)) for row in rows]
    names = ["" if cell is None else str(cell).strip() for cell in rows[0]]
    for place, name in enumerate(names, start=1):
        if not name:
            faults.add(f"column {place} has no name; write one into the first row", line=1)
        elif names.count(name) > 1 and names.index(name) == place - 1:
            faults.add("several columns have this name; rename all but one", line=1, column=name)
    faults.raise_if_any(DataError)
    columns = zip(*rows[1:], strict=True)
    arrays = [_cells(list(cells)) for cells in columns] or [pa.array([]) for _ in names]
    return pa.table(dict(zip(names, arrays, strict=True)))


def _cells(cells: list[Any]) -> pa.Array:
    """One column: numbers, dates or booleans if all cells are; else texts."""
    kinds = {type(cell) for cell in cells if cell is not None and cell != ""}
    blank = [None if cell == "" else cell for cell in cells]
    if kinds and (kinds <= {int, float} or kinds == {bool}):
        return pa.array(blank, pa.bool_() if kinds == {bool} else None, from_pandas=True)
    if kinds and kinds <= {datetime, date}:
        return pa.array(blank, pa.timestamp("s"))
    return pa.array([None if cell is None else _text(cell) for cell in blank], pa.string())


def _text(cell: Any) -> str:
    """A cell as a CSV file would have it."""
    if isinstance(cell, datetime) and (cell.hour, cell.minute, cell.second) == (0, 0, 0):
        return cell.date().isoformat()
    return str(cell)
