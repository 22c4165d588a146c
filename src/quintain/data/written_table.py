"""Written table: a table with the cells of its file or frame, for code that others wrote for those.

A program that works on a file expects its cells, all columns of them, and not our reading of them:
`2017-01` is a text there, and `007` is not a number.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from quintain.data.arrays import Rows
from quintain.data.arrow import cell_texts
from quintain.data.arrow_arrays import from_numbers, from_texts
from quintain.data.codec import format_texts
from quintain.data.columns import Columns
from quintain.data.own_files.spelling import MISSING
from quintain.data.table import Table

_WHOLE = re.compile(r"-?(0|[1-9][0-9]*)")
_NUMBER = re.compile(r"-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?")
_LARGEST = 2**63
_LARGEST_EXACT = 2**53


@dataclass(frozen=True, slots=True)
class WrittenNumbers:
    """A column of texts that are numbers, and nothing else: the writing follows from the number.

    Parameters
    ----------
    whole : whether all of them are whole numbers.
    missing : the one word that stands where there is no number; empty for empty cells.
    """

    whole: bool
    missing: str = ""

    def read(self, texts: pa.ChunkedArray) -> pa.ChunkedArray:
        """The numbers; the texts as they are if one of them is not a number."""
        trimmed = pc.utf8_trim_whitespace(texts)
        filled = pc.if_else(pc.equal(trimmed, self.missing), None, trimmed)
        try:
            return filled.cast(pa.int64() if self.whole else pa.float64())
        except pa.ArrowInvalid:
            return texts


def written_numbers(texts: pa.ChunkedArray) -> WrittenNumbers | None:
    """How a column of texts writes numbers; None if it has more than that, or less.

    Codes such as 007 are no numbers, nor is a column in which 1 and 1.0 may be two things.

    >>> written_numbers(pa.chunked_array([["7", "", "-2"]]))
    WrittenNumbers(whole=True, missing='')
    >>> written_numbers(pa.chunked_array([["7.50", "NA", "2.00"]]))
    WrittenNumbers(whole=False, missing='NA')
    >>> [written_numbers(pa.chunked_array([own])) for own in (["007"], ["1.0", "1"], ["2017-01"])]
    [None, None, None]
    """
    different = pc.unique(pc.utf8_trim_whitespace(texts)).drop_null().to_pylist()
    words = [text for text in different if text in MISSING]
    numbers = [text for text in different if text not in MISSING]
    if (
        not numbers
        or len(words) > 1
        or "-0" in numbers
        or not all(_NUMBER.fullmatch(text) for text in numbers)
    ):
        return None
    missing = words[0] if words else ""
    if all(_WHOLE.fullmatch(text) for text in numbers):
        small = all(-_LARGEST <= int(text) < _LARGEST for text in numbers)
        return WrittenNumbers(whole=True, missing=missing) if small else None
    return WrittenNumbers(whole=False, missing=missing) if _one_writing(numbers) else None


def _one_writing(numbers: Sequence[str]) -> bool:
    """Whether all are the shortest texts of their numbers, or all have equally many decimals."""
    values = [float(text) for text in numbers]
    if all(repr(value) == text for value, text in zip(values, numbers, strict=True)):
        return True
    if all(_shortest(value) == text for value, text in zip(values, numbers, strict=True)):
        return True
    decimals = len(numbers[0].partition(".")[2])
    return decimals > 0 and all(
        f"{value:.{decimals}f}" == text for value, text in zip(values, numbers, strict=True)
    )


def _shortest(value: float) -> str:
    return repr(value).removesuffix(".0") if abs(value) < _LARGEST_EXACT else repr(value)


@dataclass(frozen=True, slots=True, eq=False)
class WrittenCells:
    """The cells of a file or of a frame, in all its columns.

    What is a number is settled once, by all cells, so that a part of them has the same kinds.

    Parameters
    ----------
    table : the cells; those of a text file as it has them.
    numbers : the columns of a text file that are numbers.
    """

    table: pa.Table
    numbers: Mapping[str, WrittenNumbers] = field(default_factory=dict)

    @classmethod
    def of_texts(cls, table: pa.Table) -> WrittenCells:
        """The cells of a text file."""
        writings = {name: written_numbers(table.column(name)) for name in table.column_names}
        return cls(table, {name: own for name, own in writings.items() if own is not None})

    def __len__(self) -> int:
        return int(self.table.num_rows)

    def take(self, rows: Rows) -> WrittenCells:
        """The cells of these rows, in this order."""
        return replace(self, table=self.table.take(from_numbers(rows.astype(np.int64))))

    def drop(self, names: Iterable[str]) -> WrittenCells:
        """The cells without some columns."""
        left = [name for name in self.table.column_names if name not in set(names)]
        return replace(self, table=self.table.select(left))

    def to_arrow(self) -> pa.Table:
        """The cells for a data frame: numbers are numbers, and all other texts are as written."""
        columns = {}
        for name in self.table.column_names:
            cells = self.table.column(name)
            if name in self.numbers:
                columns[name] = self.numbers[name].read(cells)
            elif pa.types.is_string(cells.type):
                columns[name] = pc.if_else(pc.equal(cells, ""), None, cells)
            else:
                columns[name] = cells
        return pa.table(columns)

    def csv_bytes(self) -> bytes:
        """The content of a CSV file with the same texts, separated by commas, in UTF-8."""
        texts = [
            ["" if text is None else text for text in cell_texts(column).to_pylist()]
            for column in self.table.columns
        ]
        out = io.StringIO(newline="")
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(self.table.column_names)
        writer.writerows(zip(*texts, strict=True))
        return out.getvalue().encode()


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class WrittenTable(Table):
    """A table with the cells that it was read from, which may have more columns.

    >>> from quintain.data import Column, Schema
    >>> schema = Schema(columns=(Column(name="code", kind="category", values=("007", "12")),))
    >>> cells = WrittenCells.of_texts(pa.table({"code": ["12", "007"], "born": ["2017-01", ""]}))
    >>> table = Table.of(schema, {"code": ["12", "007"]})
    >>> written = WrittenTable(schema, table.columns, cells)
    >>> written.take([1]).cells.to_arrow().to_pylist()
    [{'code': '007', 'born': None}]

    Parameters
    ----------
    cells : row i of them is row i of the table.
    """

    cells: WrittenCells

    def take(self, rows: npt.ArrayLike) -> Self:
        """The rows with these numbers (or where a mask is true), with their cells."""
        index = np.arange(len(self))[np.asarray(rows, None if np.size(rows) else np.int64)]
        plain = _plain(self).take(index)
        return type(self)(plain.schema, plain.columns, self.cells.take(index))

    def select(self, names: Iterable[str]) -> Self:
        """The same rows with only these columns; of the cells, those of the others go, too."""
        plain = _plain(self).select(names)
        others = [name for name in self.schema.names if name not in plain.schema]
        return type(self)(plain.schema, plain.columns, self.cells.drop(others))

    def replace(self, columns: Mapping[str, npt.ArrayLike]) -> Table:  # type: ignore[override]
        """A plain table with other contents in some columns, which nobody wrote."""
        return _plain(self).replace(columns)

    def concat(self, *others: Columns) -> Self:
        """These rows, followed by others, which are written as these write the same values."""
        plain = _plain(self).concat(*(Table(own.schema, own.columns) for own in others))
        added = [own.cells if isinstance(own, WrittenTable) else self._write(own) for own in others]
        tables = [self.cells.table, *(own.table for own in added)]
        joined = replace(self.cells, table=pa.concat_tables(tables))
        return type(self)(plain.schema, plain.columns, joined)

    def _write(self, records: Columns) -> WrittenCells:
        """Records that nobody wrote, as cells; a column that they lack is empty."""
        columns = {}
        for name in self.cells.table.column_names:
            cells = self.cells.table.column(name)
            made = self._write_column(name, records) if name in self.schema else None
            if made is None:
                empty = "" if pa.types.is_string(cells.type) else None
                made = [empty] * len(records)
            columns[name] = _as_type(made, cells.type)
        return replace(self.cells, table=pa.table(columns))

    def _write_column(self, name: str, records: Columns) -> list[Any]:
        contents, wanted = self.columns[name], records.columns[name]
        texts = format_texts(self.schema[name], wanted)
        cells = self.cells.table.column(name)
        out: list[Any] = []
        for value, text in zip(wanted.tolist(), texts, strict=True):
            same = np.flatnonzero(contents == value)
            out.append(cells[int(same[0])].as_py() if len(same) else text)
        return out


def _as_type(values: Sequence[Any], kind: pa.DataType) -> pa.Array:
    """Values as cells of a type; those that do not fit are empty."""
    try:
        return pa.array(values, kind)
    except (pa.ArrowException, TypeError, ValueError):
        texts = from_texts(["" if value is None else str(value) for value in values])
    try:
        return texts.cast(kind)
    except pa.ArrowException:
        return pa.nulls(len(values), kind)


def _plain(table: Table) -> Table:
    return Table(table.schema, table.columns)
