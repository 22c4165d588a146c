"""Reading: the records of the organisers' own file, checked cell by cell against the schema."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quintain.data.arrays import Array
from quintain.data.arrow import cell_texts, dictionary_texts, from_arrow
from quintain.data.columns import Columns, dtype_of
from quintain.data.kinds import Data, shaped
from quintain.data.lines import Lines
from quintain.data.own_files.csv_batches import file_lines, text_batches
from quintain.data.own_files.dialect import Dialect, read_dialect
from quintain.data.own_files.spelling import respelled
from quintain.data.own_files.strict_cells import strict_cells
from quintain.data.own_files.typed import is_typed, read_typed
from quintain.data.schema import Column, Schema
from quintain.errors import DataError, Faults
from quintain.suggestion import suggestion

_SHOWN = 20
"""How many different wrong values of a column are listed."""


def read_copy(path: Path, schema: Schema) -> Data:
    """The records of a CSV file that this program wrote: it has exactly these columns."""
    return _read_csv(path, schema, Dialect("utf-8", ",", True, 1, schema.names))


def read_own(path: Path, schema: Schema, *, header: bool | None = None) -> Data:
    """The records of a file; raises with every kind of cell that the schema does not allow.

    Columns that the schema does not name are left out. A wrong value that appears many times is one
    fault, with the first line and the number of rows. ``header`` says whether the first row has the
    names of the columns, if somebody had to be asked.
    """
    if is_typed(path):
        return _read_typed(path, schema, header)
    return _read_csv(path, schema, read_dialect(path, header=header))


def _read_csv(path: Path, schema: Schema, dialect: Dialect) -> Data:
    check_names(path, list(dialect.names), schema)
    reader = _Reader(schema, dialect)
    for batch in text_batches(path, dialect, schema.names):
        reader.add(batch)
    faults = Faults(path.name)
    reader.note(faults, path)
    faults.raise_if_any(DataError)
    return shaped(Columns(schema, reader.contents()))


def column_names(path: Path, *, header: bool | None = None) -> list[str]:
    """The names of the columns of a file."""
    if is_typed(path):
        return list(read_typed(path, header=header).column_names)
    return list(read_dialect(path, header=header).names)


def check_names(path: Path, names: list[str], schema: Schema) -> None:
    """Raise for columns of the schema that the file does not have."""
    faults = Faults(path.name)
    for name in schema.names:
        if name not in names:
            faults.add(f"the file has no such column{suggestion(name, names)}", column=name)
    faults.raise_if_any(DataError)


def _read_typed(path: Path, schema: Schema, header: bool | None) -> Data:
    arrow = read_typed(path, header=header)
    check_names(path, arrow.column_names, schema)
    lines = Lines(1 if path.suffix.lower() == ".parquet" or header is False else 2)
    return code_typed(arrow, schema, path.name, lines)


def code_typed(arrow: pa.Table, schema: Schema, name: str, lines: Lines) -> Data:
    """The records of a table with types, in the columns of the schema; texts may be respelled."""
    faults = Faults(name)
    given = [column for column in schema.columns if column.name in arrow.column_names]
    chosen = [_spell(arrow.column(column.name), column) for column in given]
    cells = pa.table(chosen, names=[column.name for column in given])
    data = from_arrow(cells, schema, faults, lines)
    faults.raise_if_any(DataError)
    assert data is not None  # no data without a fault
    return data


def _spell(cells: pa.ChunkedArray, column: Column) -> pa.ChunkedArray:
    """Cells of a typed file; texts that the schema does not allow are spelled as it expects."""
    kind = cells.type
    if pa.types.is_dictionary(kind):
        if set(dictionary_texts(cells)) <= set(column.values):
            return cells
        cells = cell_texts(cells)
    elif pa.types.is_large_string(kind) or pa.types.is_string_view(kind):
        cells = cells.cast(pa.string())
    if not pa.types.is_string(cells.type):
        return cells
    texts = cells.combine_chunks().fill_null(column.missing)
    _, bad = strict_cells(column, texts)
    again = respelled(column, texts, decimal_comma=False) if bad.any() else texts
    return pa.chunked_array([pc.if_else(pa.array(bad), again, texts)])


@dataclass(slots=True)
class _Wrong:
    """The wrong values of a column: the first row of each, and how many rows have it."""

    first: dict[str, int] = field(default_factory=dict)
    rows: Counter[str] = field(default_factory=Counter)

    def add(self, texts: list[str], rows: list[int]) -> None:
        """Note wrong cells."""
        self.rows.update(texts)
        for text, row in zip(texts, rows, strict=True):
            self.first.setdefault(text, row)


class _Reader:
    """Reads batches of texts into the contents of columns."""

    def __init__(self, schema: Schema, dialect: Dialect) -> None:
        self.schema, self.dialect, self.rows = schema, dialect, 0
        self._parts: dict[str, list[Array]] = {name: [] for name in schema.names}
        self._wrong = {name: _Wrong() for name in schema.names}

    def add(self, batch: pa.RecordBatch) -> None:
        """Read the next rows."""
        for column in self.schema.columns:
            self._parts[column.name].append(self._column(column, batch.column(column.name)))
        self.rows += batch.num_rows

    def _column(self, column: Column, texts: pa.Array) -> Array:
        contents, bad = strict_cells(column, texts)
        if not bad.any():
            return contents
        rows = np.flatnonzero(bad)
        refused = texts.filter(pa.array(bad))
        again = respelled(column, refused, decimal_comma=self.dialect.decimal_comma)
        read, still = strict_cells(column, again)
        if contents.dtype.kind == "U":
            contents = contents.astype(np.result_type(contents, read))
        contents[rows] = read
        if still.any():
            wrong = refused.filter(pa.array(still)).to_pylist()
            self._wrong[column.name].add(wrong, (rows[still] + self.rows).tolist())
        return contents

    def contents(self) -> dict[str, Array]:
        """The contents of all columns; the parts are given up one by one, to save memory."""
        return {column.name: self._joined(column) for column in self.schema.columns}

    def _joined(self, column: Column) -> Array:
        parts = self._parts.pop(column.name)
        return np.concatenate(parts) if parts else np.empty(0, dtype_of(column, {column.name: []}))

    def note(self, faults: Faults, path: Path) -> None:
        """Note every wrong value."""
        lines = cache(partial(file_lines, path, self.dialect))
        for column in self.schema.columns:
            wrong = self._wrong[column.name]
            for text, first in list(wrong.first.items())[:_SHOWN]:
                more = wrong.rows[text] - 1
                others = f"; so have {more} further rows" if more else ""
                line = lines()(first)
                faults.add(column.expected + others, line=line, column=column.name, got=text)
            left = len(wrong.first) - _SHOWN
            if left > 0:
                faults.add(f"{left} further wrong values, not listed here", column=column.name)
