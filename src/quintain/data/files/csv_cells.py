"""CSV files: the text of one table, with one line per row."""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from quintain.data.arrays import Mask
from quintain.data.arrow import check_columns, readable_cells
from quintain.data.columns import Columns
from quintain.data.files.foreign import recognised
from quintain.data.files.limits import Limits
from quintain.data.readable import Readable
from quintain.data.schema import Schema
from quintain.data.transactions import PERSON_ROLES
from quintain.errors import Faults

BOM = b"\xef\xbb\xbf"
_SEPARATORS = (";", "\t", "|")
_RAGGED = 100_000
"""The reader stops after this many lines with a wrong number of cells."""


def read_csv(
    content: bytes, schema: Schema, header: bool, strict: bool, limits: Limits, faults: Faults
) -> Readable | None:
    """The cells of a CSV file; None if it is not a table with the columns of the schema."""
    if not _check_text(content, strict, faults):
        return None
    content = content.removeprefix(BOM)
    names = _check_header(content, schema, header, limits, faults)
    if names is None:
        return None
    blank = _blank_lines(content, faults)
    first = 1 + int(header)
    line_of = _line_finder(blank, first)
    if header and not content.rstrip(b"\r\n").count(b"\n"):
        nothing = Columns(schema, {name: np.array([]) for name in schema.names})
        return Readable(nothing, {}, line_of)
    ragged = _Ragged(names, _line_finder(blank, 1), faults)
    try:
        arrow = _parse(content, names, header, ragged)
    except (pa.ArrowInvalid, pa.ArrowKeyError) as problem:
        if len(ragged.lines) < _RAGGED:
            faults.add(f"is not a readable CSV file: {problem}")
        return None
    if arrow.num_rows + len(ragged.lines) > limits.rows:
        rows = arrow.num_rows + len(ragged.lines)
        faults.add(f"{rows} rows; the limit is {limits.rows}")
        return None
    if schema.shape == "transactions":
        arrow = _blank_deleted(arrow, schema)
    arrow, noted = ragged.put_back(arrow, blank, first)
    return readable_cells(arrow, schema, faults, line_of, noted)


def _parse(content: bytes, names: list[str], header: bool, ragged: _Ragged) -> pa.Table:
    text = pa.dictionary(pa.int32(), pa.string())
    # Arrow must own this memory: one of its threads may free it while the interpreter shuts down,
    # and then it cannot call into Python.
    owned = pa.BufferOutputStream()
    owned.write(content)
    return pacsv.read_csv(
        pa.BufferReader(owned.getvalue()),
        read_options=pacsv.ReadOptions(
            column_names=names, skip_rows=int(header), use_threads=False
        ),
        parse_options=pacsv.ParseOptions(invalid_row_handler=ragged.note),
        convert_options=pacsv.ConvertOptions(
            column_types=dict.fromkeys(names, text), strings_can_be_null=False, null_values=[]
        ),
    )


@dataclass(slots=True)
class _Ragged:
    """Lines with too few or too many cells: refused, but the cells that fit stay for checks."""

    names: Sequence[str]
    line_of: Callable[[int], int]
    faults: Faults
    lines: list[int] = field(default_factory=list)
    cells: list[list[str]] = field(default_factory=list)

    def note(self, row: pacsv.InvalidRow) -> str:
        """Note a line with a wrong number of cells, and tell Arrow to skip it."""
        line = self.line_of(row.number - 1)  # the reader does not count blank lines
        message = f"expected {row.expected_columns} cells, found {row.actual_columns}"
        self.faults.add(message, line=line)
        self.lines.append(line)
        try:
            cells = next(csv.reader([row.text or ""]), [])[: len(self.names)]
        except csv.Error:
            cells = []
        self.cells.append(cells + [""] * (len(self.names) - len(cells)))
        return "skip" if len(self.lines) < _RAGGED else "error"

    def put_back(self, arrow: pa.Table, blank: list[int], first: int) -> tuple[pa.Table, Mask]:
        """All rows in the order of the file, and which of them have a wrong number of cells."""
        ragged = np.zeros(arrow.num_rows + len(self.lines), bool)
        if not self.lines:
            return arrow, ragged
        lines = np.array(self.lines, np.int64)
        ragged[lines - first - np.searchsorted(np.array(blank, np.int64), lines)] = True
        order = np.where(ragged, arrow.num_rows + np.cumsum(ragged) - 1, np.cumsum(~ragged) - 1)
        columns = zip(*self.cells, strict=True)
        texts = [pa.array(column, pa.string()).dictionary_encode() for column in columns]
        added = pa.table(dict(zip(self.names, texts, strict=True)))
        whole = pa.concat_tables([arrow.select(list(self.names)), added]).unify_dictionaries()
        return whole.combine_chunks().take(pa.array(order)), ragged


def _blank_deleted(arrow: pa.Table, schema: Schema) -> pa.Table:
    """Blank all cells of rows without a person, which are deleted rows."""
    person = next(c for c in schema.columns if c.role in PERSON_ROLES)
    deleted = pc.equal(arrow[person.name].cast(pa.string()), person.missing)
    if not person.nullable or not pc.any(deleted).as_py():
        return arrow
    for at, name in enumerate(arrow.column_names):
        if name in schema and schema[name].nullable:
            missing = schema[name].missing
            blanked = pc.if_else(deleted, missing, arrow[name].cast(pa.string()))
            arrow = arrow.set_column(at, name, blanked.dictionary_encode())
    return arrow


def _line_finder(skipped: list[int], first: int) -> Callable[[int], int]:
    """A function from the number of a row to its line in the file."""
    gaps = np.sort(np.array(skipped, dtype=np.int64)) - np.arange(len(skipped)) - first

    def line_of(row: int) -> int:
        return row + first + int(np.searchsorted(gaps, row, side="right"))

    return line_of


def _check_text(content: bytes, strict: bool, faults: Faults) -> bool:
    if not content:
        faults.add("the file is empty")
        return False
    kind = recognised(content)
    if kind is not None:
        advice = "save it as UTF-8" if kind == "UTF-16 text" else "expected CSV text in UTF-8"
        faults.add(f"is {kind}; {advice}")
        return False
    if b"\x00" in content:
        line = content.count(b"\n", 0, content.index(b"\x00")) + 1
        faults.add("contains a NUL byte, so it is not a text file", line=line)
        return False
    try:
        content.decode()
    except UnicodeDecodeError as problem:
        line = content.count(b"\n", 0, problem.start) + 1
        faults.add("is not UTF-8", line=line, got=repr(content[problem.start : problem.end]))
        return False
    if strict and content.startswith(BOM):
        faults.add("starts with a byte order mark; save it as UTF-8 without one", line=1)
    if strict and b"\r" in content:
        line = content.count(b"\n", 0, content.index(b"\r")) + 1
        faults.add("contains carriage returns; end lines with a line feed only", line=line)
    return True


def _blank_lines(content: bytes, faults: Faults) -> list[int]:
    """The numbers of blank lines; each is a fault, since it looks like a row of missing values."""
    blank: list[int] = []
    lines = content.replace(b"\r\n", b"\n").removesuffix(b"\n")
    if lines.startswith(b"\n") or b"\n\n" in lines or lines.endswith(b"\n"):
        blank = [n for n, line in enumerate(lines.split(b"\n"), start=1) if not line]
        shown = blank[: faults.room()]
        for line in shown:
            faults.add("is a blank line; delete it", line=line)
        faults.count(len(blank) - len(shown))
    return blank


def _check_header(
    content: bytes, schema: Schema, header: bool, limits: Limits, faults: Faults
) -> list[str] | None:
    """Column names in the order of the file; None if they are not those of the schema.

    It looks only at the first line, so that a file with hundreds of thousands of columns costs
    nothing.
    """
    end = content.find(b"\n", 0, limits.header_bytes)
    if end < 0 and len(content) > limits.header_bytes:
        faults.add(f"the first line is too long; the limit is {limits.header_bytes} bytes", line=1)
        return None
    first = content[: end if end >= 0 else len(content)].decode(errors="replace").rstrip("\r")
    if first.count(",") + 1 > max(limits.columns, len(schema.names)) * 2:
        faults.add(f"{first.count(',') + 1} columns; expected {len(schema.names)}", line=1)
        return None
    try:
        cells = next(csv.reader([first], strict=False), [])
    except csv.Error as problem:
        faults.add(f"the first line is not readable: {problem}", line=1)
        return None
    if len(cells) < len(schema.names) and (other := _separator(first, schema)):
        faults.add(f"columns are separated by {other!r}; expected ','", line=1)
        return None
    if header:
        before = faults.total
        check_columns(cells, schema, faults)
        return cells if faults.total == before else None
    if cells == list(schema.names):
        faults.add("is a header line; this format has none, so delete it", line=1)
        return None
    return list(schema.names)


def _separator(first: str, schema: Schema) -> str | None:
    """The character that separates the cells of the first line, if it is clearly not a comma."""
    wanted = len(schema.names)
    return next((mark for mark in _SEPARATORS if first.count(mark) == wanted - 1 > 0), None)
