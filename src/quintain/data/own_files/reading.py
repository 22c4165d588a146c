"""Reading: the records of the organisers' own file, checked cell by cell against the schema.

The codec reads one text after the other, which is too slow for millions of cells. Here Arrow reads
whatever it surely reads in the same way, and the codec reads the rest.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quintain.data.arrays import MISSING_TIME, Array, Mask
from quintain.data.arrow import cell_texts, dictionary_texts, from_arrow
from quintain.data.codec import missing_value, parse_texts
from quintain.data.column import Column
from quintain.data.columns import Columns
from quintain.data.files.formats import format_of
from quintain.data.kinds import to_kind
from quintain.data.outside import Outside, put_inside, rows_of_somebody
from quintain.data.own_files.csv_file import (
    Dialect,
    file_lines,
    read_dialect,
    require_marks,
    text_batches,
)
from quintain.data.own_files.number_marks import (
    NUMBER,
    Marks,
    MarksSeen,
    settle_columns,
    settle_marks,
    usual_marks,
)
from quintain.data.own_files.spelling import respell
from quintain.data.own_files.typed import is_typed, read_typed
from quintain.data.readable import Lines, Readable
from quintain.data.schema import Schema
from quintain.data.shape import Data, find_shape
from quintain.errors import DataError, Faults
from quintain.wording.suggestion import suggestion

_SHOWN = 20
"""How many different wrong values of a column are listed."""


_INTEGER = r"^-?(?:0|[1-9][0-9]{0,17})$"


_REAL = r"^-?[0-9]{1,20}(?:\.[0-9]{0,20})?(?:[eE][-+]?[0-9]{1,2})?$"


_CONTROL = r"[\x00-\x1f\x7f]"


_SAFE_FORMAT = re.compile(r"(?:%[YmdHMS]|[^%A-Za-z0-9])+")
"""Formats of times that Arrow and Python read and write alike."""


_FIRST_YEAR = -30_610_224_000
"""The first second of the year 1000; Arrow and Python write earlier years in different ways."""


def read_copy(path: Path, schema: Schema) -> Data:
    """The records of a CSV file that this program wrote: it has exactly these columns."""
    return _read_csv(path, schema, Dialect("utf-8", ",", True, 1, schema.names))


def read_own(
    path: Path, schema: Schema, *, header: bool | None = None, outside: Outside = "refuse"
) -> Data:
    """The records of a file; raises with every kind of cell that the schema does not allow.

    Columns that the schema does not name are left out. A wrong value that appears many times is one
    fault, with the first line and the number of rows. ``header`` says whether the first row has the
    names of the columns, if somebody had to be asked. With "clip" as ``outside``, cells that the
    schema does not allow are moved, and rows of nobody are left out.
    """
    if is_typed(path):
        return _read_typed(path, schema, header, outside)
    return _read_csv(path, schema, read_dialect(path, header=header), outside)


def _read_csv(path: Path, schema: Schema, dialect: Dialect, outside: Outside = "refuse") -> Data:
    check_names(path, list(dialect.names), schema)
    reader = _read_columns(path, schema, dialect, {}, outside)
    if marks := _marks_to_read_with(path, dialect, reader):
        reader = _read_columns(path, schema, dialect, marks, outside)
    if outside == "clip":
        return to_kind(rows_of_somebody(Columns(schema, reader.contents())))
    faults = Faults(path.name)
    lines = cache(partial(file_lines, path, dialect))
    reader.note(faults, lines)
    refused, rows = reader.mark_refused(), Columns(schema, reader.contents())
    wrong = Faults()
    find_shape(schema.shape).check_rows(rows, wrong)
    if wrong:  # to find the lines, the file is read once more
        Readable(rows, refused, lines()).check_links(faults)
    faults.raise_if_any(DataError)
    return to_kind(rows)


def _read_columns(
    path: Path, schema: Schema, dialect: Dialect, marks: Mapping[str, Marks], outside: Outside
) -> _ColumnsReader:
    reader = _ColumnsReader(schema, dialect, marks, outside)
    for batch in text_batches(path, dialect, schema.names):
        reader.add(batch)
    return reader


def _marks_to_read_with(path: Path, dialect: Dialect, reader: _ColumnsReader) -> dict[str, Marks]:
    """The marks of columns with marks between thousands; raises if only a person can say them."""
    settled = settle_columns(reader.seen, dialect.separator)
    if None in settled.values():  # a column that the schema leaves out may say it
        columns = {name: MarksSeen() for name in dialect.names}
        for batch in text_batches(path, dialect):
            for name, seen in columns.items():
                texts = pc.utf8_trim_whitespace(batch.column(name))
                seen.look(texts.filter(pc.match_substring_regex(texts, NUMBER)))
        settled = settle_columns(columns, dialect.separator)
        open_columns = [name for name in reader.seen if settled[name] is None]
        require_marks(path, dialect, {name: columns[name] for name in open_columns})
    usual = usual_marks(dialect.separator)
    return {
        name: marks
        for name in reader.seen
        if (marks := settled[name]) is not None and marks != usual
    }


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


def _read_typed(path: Path, schema: Schema, header: bool | None, outside: Outside) -> Data:
    arrow = read_typed(path, header=header)
    check_names(path, arrow.column_names, schema)
    first_line = 1 if format_of(path.name).tables == "parquet" or header is False else 2
    return code_typed(arrow, schema, path.name, first_line=first_line, outside=outside)


def code_typed(
    arrow: pa.Table,
    schema: Schema,
    name: str,
    *,
    first_line: int = 0,
    outside: Outside = "refuse",
) -> Data:
    """The records of a table with types, in the columns of the schema; texts may be respell."""
    given = [column for column in schema.columns if column.name in arrow.column_names]
    chosen = [_spell(arrow.column(column.name), column) for column in given]
    cells = pa.table(chosen, names=[column.name for column in given])
    return from_arrow(cells, schema, name, first_line=first_line, outside=outside)


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
    if not bad.any():
        return pa.chunked_array([texts])
    again = respell(column, texts, _marks_of(column, texts))
    return pa.chunked_array([pc.if_else(pa.array(bad), again, texts)])


def _marks_of(column: Column, texts: pa.Array) -> Marks:
    """The marks in the numbers of a column of texts, which has no file to explain them."""
    seen, usual = MarksSeen(), usual_marks(",")
    if column.numeric:
        seen.look(pc.utf8_trim_whitespace(texts))
    return settle_marks(seen, separator=",") or usual


@dataclass(slots=True)
class _Wrong:
    """The wrong values of a column: the first row of each, how many rows have it, and which."""

    first: dict[str, int] = field(default_factory=dict)
    rows: Counter[str] = field(default_factory=Counter)
    places: list[int] = field(default_factory=list)

    def add(self, texts: list[str], rows: list[int]) -> None:
        """Note wrong cells."""
        self.rows.update(texts)
        self.places += rows
        for text, row in zip(texts, rows, strict=True):
            self.first.setdefault(text, row)


class _ColumnsReader:
    """Reads batches of texts into the contents of columns, and notes the marks of numbers."""

    def __init__(
        self, schema: Schema, dialect: Dialect, marks: Mapping[str, Marks], outside: Outside
    ) -> None:
        self.schema, self.rows, self._marks, self._outside = schema, 0, marks, outside
        self._usual = usual_marks(dialect.separator)
        self._points_alone = dialect.separator == "," and not dialect.quoted
        self.seen = {column.name: MarksSeen() for column in schema.columns if column.numeric}
        self._parts: dict[str, list[Array]] = {name: [] for name in schema.names}
        self._wrong = {name: _Wrong() for name in schema.names}

    def add(self, batch: pa.RecordBatch) -> None:
        """Read the next rows."""
        for column in self.schema.columns:
            self._parts[column.name].append(self._column(column, batch.column(column.name)))
        self.rows += batch.num_rows

    def _column(self, column: Column, texts: pa.Array) -> Array:
        marks = self._marks.get(column.name, self._usual)
        plain = marks.plain(pc.utf8_trim_whitespace(texts)) if marks.thousands else texts
        contents, bad = strict_cells(column, plain)
        self._look(column, texts, bad)
        if not bad.any():
            return contents
        rows = np.flatnonzero(bad)
        refused = texts.filter(pa.array(bad))
        again = respell(column, refused, marks)
        read, still = strict_cells(column, again)
        if contents.dtype.kind == "U":
            contents = contents.astype(np.result_type(contents, read))
        contents[rows] = read
        if still.any() and self._outside == "clip":
            bad[rows] = still
            return put_inside(column, contents, bad, again.filter(pa.array(still)))
        if still.any():
            wrong = refused.filter(pa.array(still)).to_pylist()
            self._wrong[column.name].add(wrong, (rows[still] + self.rows).tolist())
        return contents

    def _look(self, column: Column, texts: pa.Array, bad: Mask) -> None:
        """Note which marks the numbers have; plain numbers say nothing where commas separate."""
        seen = self.seen.get(column.name)
        if seen is None or column.name in self._marks:
            return
        plain = self._points_alone or column.whole or "." in seen.decimals
        texts = texts.filter(pa.array(bad)) if plain else texts
        seen.look(pc.utf8_trim_whitespace(texts))

    def contents(self) -> dict[str, Array]:
        """The contents of all columns; the parts are given up one by one, to save memory."""
        return {column.name: self._join_parts(column) for column in self.schema.columns}

    def _join_parts(self, column: Column) -> Array:
        parts = self._parts.pop(column.name)
        return np.concatenate(parts) if parts else np.empty(0, column.its_kind.dtype(column))

    def mark_refused(self) -> dict[str, Mask]:
        """Which cells have a wrong value, by column; columns without one are left out."""
        wrong = {name: cells.places for name, cells in self._wrong.items() if cells.places}
        return {name: np.isin(np.arange(self.rows), places) for name, places in wrong.items()}

    def note(self, faults: Faults, lines: Callable[[], Lines]) -> None:
        """Note every wrong value."""
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


def strict_cells(column: Column, texts: pa.Array) -> tuple[Array, Mask]:
    """The contents of a column and the cells that the schema does not allow, as the codec does."""
    if column.listed:
        return _categories(column, texts)
    if column.its_kind.in_digits:
        return _numbers(column, texts)
    if column.identifying:
        return _ids(column, texts)
    if column.temporal:
        return _times(column, texts)
    return _by_codec(column, texts)


def _by_codec(column: Column, texts: pa.Array) -> tuple[Array, Mask]:
    """Each different text once, by the codec."""
    encoded = texts.dictionary_encode()
    contents, bad = parse_texts(column, encoded.dictionary.to_pylist())
    index = encoded.indices.to_numpy()
    return contents[index], bad[index]


def _categories(column: Column, texts: pa.Array) -> tuple[Array, Mask]:
    codes = pc.index_in(texts, value_set=pa.array(column.values, pa.string()))
    contents = codes.fill_null(-1).to_numpy().astype(np.int32)
    bad: Mask = contents < 0
    if column.nullable:
        bad &= ~_equal(texts, column.missing)
    return contents, bad


def _numbers(column: Column, texts: pa.Array) -> tuple[Array, Mask]:
    integer = column.whole
    contents = np.full(len(texts), missing_value(column), dtype=column.its_kind.dtype(column))
    simple = pc.match_substring_regex(texts, _INTEGER if integer else _REAL).to_numpy(
        zero_copy_only=False
    )
    if integer:
        simple = simple & ~_equal(texts, "-0")
    bad = ~simple
    if simple.any():
        chosen = texts if simple.all() else texts.filter(pa.array(simple))
        values = chosen.cast(pa.int64() if integer else pa.float64()).to_numpy()
        inside = np.ones(len(values), bool)
        if column.low is not None:
            inside &= values >= column.low
        if column.high is not None:
            inside &= values <= column.high
        rows = np.flatnonzero(simple)
        contents[rows[inside]] = values[inside] - column.offset if integer else values[inside]
        bad[rows[~inside]] = True
    return _others_by_codec(column, texts, simple, contents, bad)


def _ids(column: Column, texts: pa.Array) -> tuple[Array, Mask]:
    bad = pc.match_substring_regex(texts, _CONTROL).to_numpy(zero_copy_only=False)
    empty, missing = _equal(texts, ""), _equal(texts, column.missing)
    bad = (bad | empty) & ~(missing & column.nullable)
    contents = np.array(texts.to_pylist(), dtype=np.str_)
    contents[bad | (missing & column.nullable)] = ""
    return contents, bad


def _times(column: Column, texts: pa.Array) -> tuple[Array, Mask]:
    if not _SAFE_FORMAT.fullmatch(column.time_format):
        return _by_codec(column, texts)
    encoded = texts.dictionary_encode()
    given = encoded.dictionary
    moments = pc.strptime(given, format=column.time_format, unit="s", error_is_null=True)
    again = pc.strftime(moments, format=column.time_format)
    seconds = moments.cast(pa.int64()).fill_null(MISSING_TIME).to_numpy().copy()
    simple = pc.equal(again, given).fill_null(False).to_numpy(zero_copy_only=False)
    simple = simple & (seconds >= _FIRST_YEAR)
    seconds[~simple] = MISSING_TIME
    bad = ~simple
    first, last = column.bounds
    for beyond, bound in ((np.less, first), (np.greater, last)):
        if bound is not None:
            bad |= beyond(seconds, bound)
    seconds[bad] = MISSING_TIME
    seconds, bad = _others_by_codec(column, given, simple, seconds, bad)
    index = encoded.indices.to_numpy()
    return seconds[index], bad[index]


def _others_by_codec(
    column: Column, texts: pa.Array, simple: Mask, contents: Array, bad: Mask
) -> tuple[Array, Mask]:
    """Let the codec read the cells that are not simple."""
    if simple.all():
        return contents, bad
    rest = ~simple
    contents[rest], bad[rest] = _by_codec(column, texts.filter(pa.array(rest)))
    return contents, bad


def _equal(texts: pa.Array, text: str) -> Mask:
    equal: Mask = pc.equal(texts, text).to_numpy(zero_copy_only=False)
    return equal
