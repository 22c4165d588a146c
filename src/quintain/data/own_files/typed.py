"""Typed files: Parquet files and workbooks, whose cells are numbers, dates and texts."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa

from quintain.data.own_files.header import LOOKED_AT, number_columns, require_header
from quintain.data.own_files.workbook import is_workbook, read_workbook
from quintain.errors import DataError, Fault, Faults


def is_typed(path: Path) -> bool:
    """Whether a file is a Parquet file or a workbook, by its name."""
    return path.suffix.lower() == ".parquet" or is_workbook(path)


def read_typed(path: Path, *, header: bool | None = None, ask: bool = False) -> pa.Table:
    """All cells of a Parquet file or of the first sheet of a workbook; raises if it has faults.

    Parameters
    ----------
    header : whether the first row of a sheet has the names of the columns.
    ask : whether to raise if ``header`` is None and the first row looks like the rows below.
    """
    if path.suffix.lower() == ".parquet":
        return _parquet(path)
    return _sheet(path, read_workbook(path), header, ask)


def _parquet(path: Path) -> pa.Table:
    import pyarrow.parquet

    try:
        return pyarrow.parquet.read_table(path, use_threads=False)
    except (pa.ArrowException, OSError) as problem:
        message = f"is not a readable Parquet file: {str(problem).splitlines()[0]}"
        raise DataError([Fault(message, path.name)]) from None


def _sheet(path: Path, rows: list[list[Any]], header: bool | None, ask: bool) -> pa.Table:
    faults = Faults(path.name)
    width = max(map(len, rows))  # some programs leave out the empty cells at the end of a row
    rows = [row + [None] * (width - len(row)) for row in rows]
    if header is False:
        rows = [list(number_columns(width)), *rows]
    names = ["" if cell is None else str(cell).strip() for cell in rows[0]]
    for place, name in enumerate(names, start=1):
        if not name:
            faults.add(f"column {place} has no name; write one into the first row", line=1)
        elif names.count(name) > 1 and names.index(name) == place - 1:
            faults.add("several columns have this name; rename all but one", line=1, column=name)
    if header is None and (ask or faults):
        texts = [
            ["" if cell is None else _text(cell) for cell in row] for row in rows[: LOOKED_AT + 1]
        ]
        require_header(path.name, texts[0], texts[1:])
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
