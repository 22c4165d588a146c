"""CSV batches: the cells of a large CSV file as texts, some thousands of rows at a time."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, partial
from pathlib import Path

import pyarrow as pa
import pyarrow.csv as pacsv

from quintain.data.files.csv_text import blank_lines
from quintain.data.lines import Lines
from quintain.data.own_files.dialect import Dialect
from quintain.errors import DataError, Faults

_BLOCK = 1 << 24
"""How many bytes are read in one step."""
_MOST_RAGGED = 1000


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
                block_size=_BLOCK,
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
        return f"has a row of more than {_BLOCK} bytes; is a quotation mark not closed?"
    return f"is not a readable CSV file: {problem.splitlines()[0]}"


def file_lines(path: Path, dialect: Dialect) -> Lines:
    """The line of each row; a row with a line break inside of a cell moves those after it."""
    blank = blank_lines(path.read_bytes(), Faults()) if dialect.encoding != "utf-16" else None
    first = dialect.header + 1
    return Lines(first) if blank is None else Lines(first, blank)
