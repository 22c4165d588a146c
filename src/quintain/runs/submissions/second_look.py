"""A second look at a guess that could not be read: bad cells must not hide what else is wrong.

A team should learn of every fault at once. So the cells that can be read are read, and the goal
checks them as it checks any guess; what is wrong with a cell that was refused already is not said
twice.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quintain.contests import Track
from quintain.data import Column, Limits, Schema, Table, as_table
from quintain.data.codec import parse_texts
from quintain.data.files import read_bytes
from quintain.errors import Faults
from quintain.guesses import Question

_LOOKED_AT = 100_000
"""So many of the goal's findings are held against the cells that were refused; the rest count."""


@dataclass(slots=True)
class LineFaults(Faults):
    """Findings about a file of which some lines hold no record."""

    lines: Sequence[int] = ()

    def line_of(self, record: int) -> int:
        """The line of a record, counted from 0."""
        return self.lines[record]


@dataclass(frozen=True, slots=True)
class _Cells:
    """What a file says, as text: the cells of each column, and the line of each row.

    ``ragged`` are the lines that have too few cells or too many.
    """

    columns: dict[str, list[str]]
    lines: Sequence[int]
    ragged: frozenset[int] = frozenset()


def look_again(
    track: Track,
    question: Question,
    name: str,
    content: bytes,
    schema: Schema,
    limits: Limits,
    faults: Faults,
) -> None:
    """Note what the goal finds in a guess file beside the faults that are noted already."""
    cells = _cells(name, content, schema, track.files.header, limits)
    if cells is None:
        return
    held, refused = {}, set()
    for column in schema.columns:
        held[column.name], bad = parse_texts(column, cells.columns[column.name])
        refused |= {(cells.lines[row], column.name) for row in np.flatnonzero(bad).tolist()}
    found = LineFaults(name, lines=cells.lines, keep=_LOOKED_AT)
    track.goal.check(track.goal.guess(Table(schema, held)), question, found)
    faults.extend(
        fault
        for fault in found
        if fault.line not in cells.ragged and (fault.line, fault.column) not in refused
    )
    faults.count(found.total - len(found.found))


def _cells(
    name: str, content: bytes, schema: Schema, header: bool, limits: Limits
) -> _Cells | None:
    """The cells of a file; None if it is not even a table with the right columns."""
    if name.endswith(".parquet"):
        return _parquet_cells(name, content, schema, limits)
    try:
        text = content.decode("utf-8-sig").replace("\r\n", "\n").split("\n")
        # A line of a million cells would cost what the limits are there to save.
        if len(text) > limits.rows or max(map(len, text)) > limits.header_bytes:
            return None
        rows = csv.reader(text)
        names = next(rows, []) if header else list(schema.names)
        if sorted(names) != sorted(schema.names):
            return None
        read = [(rows.line_num, row[: len(names) + 1]) for row in rows if row]
    except (UnicodeDecodeError, csv.Error):
        return None
    if not header and read and read[0][1] == names:
        return None
    columns = {
        column: [row[at] if at < len(row) else "" for _, row in read]
        for at, column in enumerate(names)
    }
    ragged = frozenset(line for line, row in read if len(row) != len(names))
    return _Cells(columns, [line for line, _ in read], ragged)


def _parquet_cells(name: str, content: bytes, schema: Schema, limits: Limits) -> _Cells | None:
    anything = [Column(name=column, kind="id", nullable=True) for column in schema.names]
    texts = Schema(columns=tuple(anything))
    data = read_bytes(content, name, texts, limits=limits, faults=Faults(name))
    if data is None:
        return None
    columns = {column: list(map(str, cells)) for column, cells in as_table(data).columns.items()}
    return _Cells(columns, range(1, len(data) + 1))
