"""CSV files of people: how one is written, and its cells as texts.

People write CSV files in many ways, and a file does not say which it uses. A large file is read
some thousands of rows at a time.
"""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, partial
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from quintain.data.files.csv_cells import blank_lines
from quintain.data.files.foreign import file_kind
from quintain.data.own_files.header import LOOKED_AT, number_columns, require_header
from quintain.data.own_files.number_marks import MarksSeen, ask_for_marks
from quintain.data.readable import Lines
from quintain.errors import DataError, Fault, Faults

SEPARATORS = (",", ";", "\t", "|")


_BLOCK = 1 << 24


_HEAD = 1 << 20
"""How many characters at the start of a file decide how its cells are separated."""


_COLUMNS = 10_000


_LINES = 50


_NAMES = {",": "commas", ";": "semicolons", "\t": "tabs", "|": "vertical bars"}


_READ_AT_ONCE = 1 << 24
"""How many bytes are read in one step."""


_MOST_RAGGED = 1000


@dataclass(frozen=True, slots=True)
class Dialect:
    """How the cells of a CSV file are written.

    Parameters
    ----------
    encoding : the name of the encoding, for Python.
    separator : the character between cells.
    quoted : whether the file has quotation marks, in which a cell may contain anything.
    header : the lines before the first record: the column names, which may take several lines, and
        before them the ``sep=;`` of a spreadsheet.
    names : the column names, each on one line and without spaces around it.
    """

    encoding: str
    separator: str
    quoted: bool
    header: int
    names: tuple[str, ...]

    def __str__(self) -> str:
        encoding = "UTF-8" if self.encoding == "utf-8" else self.encoding
        return f"{encoding}, cells separated by {_NAMES[self.separator]}"


def text_batches(
    path: Path, dialect: Dialect, names: Sequence[str] | None = None
) -> Iterator[pa.RecordBatch]:
    """All rows as texts, without blank lines; ``names`` are the columns to read.

    Raises with every line that has too few or too many cells.
    """
    faults, lines = Faults(path.name), cache(partial(file_lines, path, dialect))

    def note(row: pacsv.InvalidRow) -> str:
        message = f"expected {row.expected_columns} cells, found {row.actual_columns}"
        faults.add(message, line=lines()(row.number - 1 - dialect.header))
        return "skip" if faults.total < _MOST_RAGGED else "error"

    try:
        reader = pacsv.open_csv(
            path,
            read_options=pacsv.ReadOptions(
                column_names=list(dialect.names),
                skip_rows=dialect.header,
                encoding=dialect.encoding,
                block_size=_READ_AT_ONCE,
                use_threads=False,
            ),
            parse_options=pacsv.ParseOptions(
                delimiter=dialect.separator,
                newlines_in_values=dialect.quoted,
                invalid_row_handler=note,
            ),
            convert_options=pacsv.ConvertOptions(
                column_types=dict.fromkeys(dialect.names, pa.string()),
                include_columns=list(names or dialect.names),
                strings_can_be_null=False,
                null_values=[],
            ),
        )
        yield from reader
    except pa.ArrowInvalid as problem:
        if not faults:
            faults.add(_unreadable(str(problem)))
    faults.raise_if_any(DataError)


def _unreadable(problem: str) -> str:
    if "straddl" in problem:  # the words of Arrow for a row that does not fit its buffer
        return f"has a row of more than {_READ_AT_ONCE} bytes; is a quotation mark not closed?"
    return f"is not a readable CSV file: {problem.splitlines()[0]}"


def file_lines(path: Path, dialect: Dialect) -> Lines:
    """The line of each row; a row with a line break inside of a cell moves those after it."""
    blank = blank_lines(path.read_bytes(), Faults()) if dialect.encoding != "utf-16" else None
    first = dialect.header + 1
    return Lines(first) if blank is None else Lines(first, blank)


def require_marks(path: Path, dialect: Dialect, columns: Mapping[str, MarksSeen]) -> None:
    """Raise with a question for each column whose numbers can be read in two ways."""
    faults = Faults(path.name)
    for name, seen in columns.items():
        rows, example = 0, next(iter(seen.open.values()))
        for batch in text_batches(path, dialect, [name]):
            place = pc.index(pc.utf8_trim_whitespace(batch.column(name)), example).as_py()
            if place >= 0:
                line = file_lines(path, dialect)(rows + place)
                faults.add(ask_for_marks(seen), line=line, column=name)
                break
            rows += batch.num_rows
    faults.raise_if_any(DataError)


def read_dialect(path: Path, *, header: bool | None = None, ask: bool = False) -> Dialect:
    """Find out how a CSV file is written; raises with what is wrong with its first line.

    Parameters
    ----------
    header : whether the first row has the names of the columns; columns without names are numbered.
    ask : whether to raise if ``header`` is None and the first row looks like the rows below.
    """
    faults = Faults(path.name)
    encoding, quoted = _encoding(path, faults)
    with path.open(encoding=encoding, errors="replace", newline="") as file:
        head = file.read(_HEAD)
    lines = head.lstrip("\ufeff").splitlines()[:_LINES]
    if len(lines) == 1 and len(head) == _HEAD:
        message = f"the first line has {_HEAD} characters or more; expected the column names"
        raise DataError([Fault(message, path.name, 1)])
    blank = next((number for number, line in enumerate(lines) if line.strip()), 0)
    first = blank + int(bool(lines) and lines[blank].lower().startswith("sep="))
    rows = [line for line in lines[first:] if line.strip()]
    if not rows:
        raise DataError([Fault("the file is empty", path.name)])
    separator = _separator(rows)
    cells, height = _first_row(lines[first:], separator)
    if header is False:
        return Dialect(encoding, separator, quoted, first, number_columns(len(cells)))
    names = [" ".join(name.split()) for name in cells]
    _check_names(names, first + 1, faults)
    if header is None and (ask or faults):
        below = head.lstrip("\ufeff").splitlines()[first + height :]
        if len(head) == _HEAD:
            below = below[:-1]  # it may be cut off
        require_header(path.name, cells, _rows(below, separator))
    faults.raise_if_any(DataError)
    return Dialect(encoding, separator, quoted, first + height, tuple(names))


def _rows(lines: Sequence[str], separator: str) -> list[list[str]]:
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=separator)
    try:
        return list(islice(filter(None, reader), LOOKED_AT))
    except csv.Error:
        return []


def _first_row(lines: Sequence[str], separator: str) -> tuple[list[str], int]:
    """The cells of the first row, and how many lines it takes: a quoted name may have several."""
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=separator)
    try:
        return next(reader, []), reader.line_num
    except csv.Error:
        return lines[0].split(separator), 1


def _encoding(path: Path, faults: Faults) -> tuple[str, bool]:
    """The encoding of a file, and whether it has quotation marks; looks at every byte once."""
    decoder, encoding, quoted = codecs.getincrementaldecoder("utf-8")(), "utf-8", False
    with path.open("rb") as file:
        first = file.read(_BLOCK)
        kind = file_kind(first)
        if kind == "UTF-16 text":
            return "utf-16", True
        if kind is not None:
            faults.add(f"is {kind}; expected CSV text")
            raise DataError(faults.findings)
        while first:
            quoted = quoted or b'"' in first
            if encoding == "utf-8" and not first.isascii():
                try:
                    decoder.decode(first)
                except UnicodeDecodeError:
                    encoding = "cp1252"
            first = file.read(_BLOCK)
    return _western(path) if encoding != "utf-8" else encoding, quoted


def _western(path: Path) -> str:
    """Windows writes cp1252; a file with bytes that it does not have is Latin-1."""
    absent = (b"\x81", b"\x8d", b"\x8f", b"\x90", b"\x9d")
    content = path.read_bytes()
    return "latin-1" if any(byte in content for byte in absent) else "cp1252"


def _separator(rows: Sequence[str]) -> str:
    """The character that cuts the first lines into the same number of cells, and into most."""

    def quality(mark: str) -> tuple[bool, int]:
        counts = [len(_cells(row, mark)) for row in rows]
        return counts[0] > 1 and counts.count(counts[0]) * 2 > len(counts), counts[0]

    return max(SEPARATORS, key=quality)


def _cells(row: str, separator: str) -> list[str]:
    try:
        return next(csv.reader([row], delimiter=separator), [])
    except csv.Error:
        return row.split(separator)


def _check_names(names: list[str], line: int, faults: Faults) -> None:
    """Note columns without a name or with the same name."""
    if len(names) > _COLUMNS:
        faults.add(f"has {len(names)} columns; the limit is {_COLUMNS}", line=line)
    places_of: dict[str, list[str]] = {}
    for place, name in enumerate(names, start=1):
        places_of.setdefault(name, []).append(str(place))
        if not name:
            faults.add(f"column {place} has no name; write one into the first line", line=line)
    for name, places in places_of.items():
        if name and len(places) > 1:
            message = f"columns {', '.join(places)} have the same name; rename all but one"
            faults.add(message, line=line, column=name)
