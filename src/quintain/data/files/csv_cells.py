"""CSV files: the text of one table, with one line per row."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from quintain.data.arrays import Mask
from quintain.data.arrow import readable_cells
from quintain.data.columns import Columns
from quintain.data.files.csv_text import BOM, blank_lines, check_header, check_length, check_text
from quintain.data.files.limits import Limits
from quintain.data.lines import Lines
from quintain.data.readable import Readable
from quintain.data.schema import Schema
from quintain.data.transactions import PERSON_ROLES
from quintain.errors import Faults

_RAGGED = 1000
"""The reader stops after this many lines with a wrong number of cells."""
_LOOKED_AT = 10_000
"""How many characters of such a line are taken apart; it is refused whatever they are."""


def read_csv(
    content: bytes, schema: Schema, header: bool, strict: bool, limits: Limits, faults: Faults
) -> Readable | None:
    """The cells of a CSV file; None if it is not a table with the columns of the schema."""
    if not check_text(content, strict, faults):
        return None
    content = content.removeprefix(BOM)
    names = check_header(content, schema, header, limits, faults)
    if names is None or not check_length(content, header, limits, faults):
        return None
    blank = blank_lines(content, faults)
    line_of = Lines(1 + int(header), blank)
    if header and not content.rstrip(b"\r\n").count(b"\n"):
        nothing = Columns(schema, {name: np.array([]) for name in schema.names})
        return Readable(nothing, {}, line_of)
    ragged = _Ragged(names, Lines(1, blank), faults)
    try:
        arrow = _parse(content, names, header, ragged)
    except (pa.ArrowInvalid, pa.ArrowKeyError) as problem:
        stopped = f"the lines after {_RAGGED} with a wrong number of cells are not checked"
        unreadable = f"is not a readable CSV file: {problem}"
        faults.add(unreadable if len(ragged.lines) < _RAGGED else stopped)
        return None
    if schema.shape == "transactions":
        arrow = _blank_deleted(arrow, schema)
    arrow, noted = ragged.put_back(arrow, line_of)
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
    line_of: Lines
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
            cells = next(csv.reader([(row.text or "")[:_LOOKED_AT]]), [])[: len(self.names)]
        except csv.Error:
            cells = []
        self.cells.append(cells + [""] * (len(self.names) - len(cells)))
        return "skip" if len(self.lines) < _RAGGED else "error"

    def put_back(self, arrow: pa.Table, line_of: Lines) -> tuple[pa.Table, Mask]:
        """All rows in the order of the file, and which of them have a wrong number of cells."""
        ragged = np.zeros(arrow.num_rows + len(self.lines), bool)
        if not self.lines:
            return arrow, ragged
        ragged[[line_of.row(line) for line in self.lines]] = True
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
