"""CSV files: the text of one table, with one line per row.

The bytes, the lines and the header are checked before a cell is read. That costs no more than a few
looks at the bytes, so a file that is absurdly large or not a text at all is refused before anything
is built from it.
"""

from __future__ import annotations

import codecs
import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from quintain.data.arrays import Mask, Rows
from quintain.data.arrow import check_columns, readable_cells
from quintain.data.columns import Columns
from quintain.data.files.foreign import ends_in_quotes, file_kind, lone_return
from quintain.data.files.limits import Limits
from quintain.data.readable import Lines, Readable
from quintain.data.schema import Schema
from quintain.data.shape import find_shape
from quintain.data.transactions import PERSON_ROLES
from quintain.errors import Faults
from quintain.wording.languages import tell

BOM = b"\xef\xbb\xbf"


_SEPARATORS = (";", "\t", "|")


_BLOCK = 1 << 24
"""How many bytes are looked at in one step, so that looking needs little memory."""


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
        stopped = tell(
            "the lines after %(n)s with a wrong number of cells are not checked", n=_RAGGED
        )
        unreadable = tell("is not a readable CSV file: %(problem)s", problem=problem)
        faults.add(unreadable if len(ragged.lines) < _RAGGED else stopped)
        return None
    if find_shape(schema.shape).deletes_in_place:
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
        message = tell(
            "expected %(expected)s cells, found %(n)s",
            expected=row.expected_columns,
            n=row.actual_columns,
        )
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


def check_text(content: bytes, strict: bool, faults: Faults) -> bool:
    """Whether the content is text in UTF-8; notes what it is instead."""
    if not content:
        faults.add(tell("the file is empty"))
        return False
    kind = file_kind(content)
    if kind is not None:
        if kind == "UTF-16 text":
            faults.add(tell("is %(kind)s; save it as UTF-8", kind=tell(kind)))
        else:
            faults.add(tell("is %(kind)s; expected CSV text in UTF-8", kind=tell(kind)))
        return False
    if b"\x00" in content:
        line = content.count(b"\n", 0, content.index(b"\x00")) + 1
        faults.add(tell("contains a NUL byte, so it is not a text file"), line=line)
        return False
    damage = _not_utf8(content)
    if damage is not None:
        line = content.count(b"\n", 0, damage[0]) + 1
        faults.add(tell("is not UTF-8"), line=line, got=repr(content[damage[0] : damage[1]]))
        return False
    if strict and content.startswith(BOM):
        faults.add(tell("starts with a byte order mark; save it as UTF-8 without one"), line=1)
    if strict and b"\r" in content:
        line = content.count(b"\n", 0, content.index(b"\r")) + 1
        faults.add(tell("contains carriage returns; end lines with a line feed only"), line=line)
    alone = lone_return(content)
    if alone is not None:
        line = content.count(b"\n", 0, alone) + 1
        faults.add(tell("has a carriage return alone; end lines with a line feed"), line=line)
        return False
    return not _open_quotes(content, faults)


def _open_quotes(content: bytes, faults: Faults) -> bool:
    """Whether a cell in quotation marks goes on in the next line; each such line is a fault."""
    if b'"' not in content:
        return False
    before = faults.total
    for number, line in enumerate(io.BytesIO(content), start=1):
        if line.count(b'"') % 2 and ends_in_quotes(line.decode()):
            faults.add(tell("a cell in quotation marks does not end on its line"), line=number)
    return faults.total > before


def _not_utf8(content: bytes) -> tuple[int, int] | None:
    """Where the first bytes begin and end that are not UTF-8; None if there are none."""
    start, size = 0, len(content)
    while start < size and not content.isascii():
        block = content[start : start + _BLOCK]
        try:
            _, used = codecs.utf_8_decode(block, "strict", start + _BLOCK >= size)
        except UnicodeDecodeError as problem:
            return start + problem.start, start + problem.end
        start += used
    return None


def check_length(content: bytes, header: bool, limits: Limits, faults: Faults) -> bool:
    """Whether the file has few enough lines to be read; a blank line counts, too."""
    rows = content.count(b"\n") + (not content.endswith(b"\n")) - header
    if rows > limits.rows:
        faults.add(tell("%(rows)s rows; the limit is %(most)s", rows=rows, most=limits.rows))
    return rows <= limits.rows


def blank_lines(content: bytes, faults: Faults) -> Rows:
    """The numbers of blank lines; each is a fault, since it looks like a row of missing values."""
    if not (content.startswith((b"\n", b"\r\n")) or b"\n\n" in content or b"\n\r\n" in content):
        return np.array([], np.int64)
    codes = np.frombuffer(content, np.uint8)
    feeds = np.concatenate(
        [[-1]]
        + [
            np.flatnonzero(codes[start : start + _BLOCK] == ord("\n")) + start
            for start in range(0, len(codes), _BLOCK)
        ]
    )
    lengths = np.diff(feeds) - 1
    only_return = (lengths == 1) & (codes[feeds[1:] - 1] == ord("\r"))
    blank: Rows = np.flatnonzero((lengths == 0) | only_return) + 1
    listed = blank[: faults.room()]
    for line in listed.tolist():
        faults.add(tell("is a blank line; delete it"), line=line)
    faults.count(len(blank) - len(listed))
    return blank


def check_header(
    content: bytes, schema: Schema, header: bool, limits: Limits, faults: Faults
) -> list[str] | None:
    """Column names in the order of the file; None if they are not those of the schema.

    It looks only at the first line, so that a file with hundreds of thousands of columns costs
    nothing.
    """
    end = content.find(b"\n", 0, limits.header_bytes)
    if end < 0 and len(content) > limits.header_bytes:
        faults.add(
            tell(
                "the first line is too long; the limit is %(most)s bytes", most=limits.header_bytes
            ),
            line=1,
        )
        return None
    first = content[: end if end >= 0 else len(content)].decode(errors="replace").rstrip("\r")
    if first.count(",") + 1 > max(limits.columns, len(schema.names)) * 2:
        faults.add(
            tell(
                "%(n)s columns; expected %(expected)s",
                n=first.count(",") + 1,
                expected=len(schema.names),
            ),
            line=1,
        )
        return None
    try:
        cells = next(csv.reader([first], strict=False), [])
    except csv.Error as problem:
        faults.add(tell("the first line is not readable: %(problem)s", problem=problem), line=1)
        return None
    if len(cells) < len(schema.names) and (other := _separator(first, schema)):
        faults.add(
            tell("columns are separated by %(other)s; expected ','", other=repr(other)), line=1
        )
        return None
    if header:
        before = faults.total
        aliases = {alias: c.name for c in schema.columns for alias in c.aliases or ()}
        cells = [cell if cell in schema else aliases.get(cell, cell) for cell in cells]
        check_columns(cells, schema, faults)
        return cells if faults.total == before else None
    if cells == list(schema.names):
        faults.add(tell("is a header line; this format has none, so delete it"), line=1)
        return None
    return list(schema.names)


def _separator(first: str, schema: Schema) -> str | None:
    """The character that separates the cells of the first line, if it is clearly not a comma."""
    wanted = len(schema.names)
    return next((mark for mark in _SEPARATORS if first.count(mark) == wanted - 1 > 0), None)
