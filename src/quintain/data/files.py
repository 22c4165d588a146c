"""Data files in and out: CSV and Parquet, checked against a schema, hostile until then."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv
import pyarrow.parquet as pq

from quintain.data.arrow import check_columns, from_arrow, to_arrow
from quintain.data.codec import format_texts
from quintain.data.columns import Columns
from quintain.data.kinds import Data, flat, shaped
from quintain.data.limits import DEFAULT_LIMITS, Limits
from quintain.data.schema import Schema
from quintain.data.transactions import DELETED, PERSON_ROLES
from quintain.errors import DataError, Faults

BOM = b"\xef\xbb\xbf"
UNREADABLE = (pa.ArrowException, OSError, UnicodeDecodeError)


def read(
    path: Path | str,
    schema: Schema,
    *,
    header: bool = True,
    strict: bool = False,
    limits: Limits = DEFAULT_LIMITS,
    error: type[DataError] | None = None,
) -> Data:
    """Read a CSV or Parquet file, or raise with every fault in it.

    Parameters
    ----------
    header : whether a CSV file starts with column names.
    strict : refuse a byte order mark and carriage returns, as a contest's file format may.
    """
    path = Path(path)
    faults = Faults(path.name)
    try:
        size = path.stat().st_size
    except OSError as problem:
        raise DataError([*_one(faults, f"cannot be read: {problem.strerror}")]) from None
    if size > limits.file_bytes:
        raise DataError(_one(faults, f"{size} bytes; at most {limits.file_bytes} are taken"))
    content = path.read_bytes()
    data = read_bytes(
        content, path.name, schema, header=header, strict=strict, limits=limits, faults=faults
    )
    faults.raise_if_any(error or DataError)
    assert data is not None  # no data without a fault
    return data


def read_bytes(
    content: bytes,
    name: str,
    schema: Schema,
    *,
    faults: Faults,
    header: bool = True,
    strict: bool = False,
    limits: Limits = DEFAULT_LIMITS,
) -> Data | None:
    """Read a file's content; faults are noted, and None comes back if there are any."""
    if name.endswith(".parquet"):
        return _read_parquet(content, schema, limits, faults)
    return _read_csv(content, schema, header, strict, limits, faults)


def write(data: Data, path: Path | str, *, header: bool = True) -> None:
    """Write CSV or Parquet, by the file's ending."""
    Path(path).write_bytes(to_bytes(data, Path(path).suffix, header=header))


def to_bytes(data: Data, suffix: str, *, header: bool = True) -> bytes:
    """The content of a data file; same data, same bytes."""
    if suffix == ".parquet":
        sink = pa.BufferOutputStream()
        pq.write_table(to_arrow(data), sink, compression="zstd", store_schema=False)
        return bytes(sink.getvalue())
    table = flat(data)
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if header:
        writer.writerow(table.schema.names)
    columns = [format_texts(c, table.columns[c.name]) for c in table.schema.columns]
    writer.writerows(zip(*columns, strict=True))
    return out.getvalue().encode()


def _one(faults: Faults, message: str) -> Faults:
    faults.add(message)
    return faults


def _read_csv(
    content: bytes, schema: Schema, header: bool, strict: bool, limits: Limits, faults: Faults
) -> Data | None:
    if not _check_text(content, strict, faults):
        return None
    content = content.removeprefix(BOM)
    names = _check_header(content, schema, header, limits, faults)
    if names is None:
        return None
    skipped = _blank_lines(content, faults)
    line_among_all = _line_finder(skipped, first=1)
    if header and not content.rstrip(b"\r\n").count(b"\n"):
        return shaped(Columns(schema, {name: np.array([]) for name in schema.names}))

    def note(row: pacsv.InvalidRow) -> str:
        line = line_among_all(row.number - 1)  # the reader does not count blank lines
        skipped.append(line)
        faults.add(f"expected {row.expected_columns} cells, found {row.actual_columns}", line=line)
        return "skip"

    text = pa.dictionary(pa.int32(), pa.string())
    try:
        arrow = pacsv.read_csv(
            io.BytesIO(content),
            read_options=pacsv.ReadOptions(
                column_names=names, skip_rows=int(header), use_threads=False
            ),
            parse_options=pacsv.ParseOptions(invalid_row_handler=note),
            convert_options=pacsv.ConvertOptions(
                column_types=dict.fromkeys(names, text), strings_can_be_null=False, null_values=[]
            ),
        )
    except (pa.ArrowInvalid, pa.ArrowKeyError) as problem:
        faults.add(f"is not a readable CSV file: {problem}")
        return None
    if arrow.num_rows > limits.rows:
        faults.add(f"{arrow.num_rows} rows; at most {limits.rows} are taken")
        return None
    if schema.shape == "transactions":
        arrow = _blank_deleted(arrow, schema)
    return from_arrow(arrow, schema, faults, _line_finder(skipped, first=1 + int(header)))


def _blank_deleted(arrow: pa.Table, schema: Schema) -> pa.Table:
    """A row whose person was deleted is deleted, whatever stands in its other cells."""
    person = next(c.name for c in schema.columns if c.role in PERSON_ROLES)
    deleted = pc.equal(arrow[person].cast(pa.string()), DELETED)
    if not pc.any(deleted).as_py():
        return arrow
    for at, name in enumerate(arrow.column_names):
        if name in schema and schema[name].nullable:
            blanked = pc.if_else(deleted, "", arrow[name].cast(pa.string()))
            arrow = arrow.set_column(at, name, blanked.dictionary_encode())
    return arrow


def _line_finder(skipped: list[int], first: int) -> Callable[[int], int]:
    """From the number of a row that was read to its line in the file."""
    gaps = np.sort(np.array(skipped, dtype=np.int64)) - np.arange(len(skipped)) - first

    def line_of(row: int) -> int:
        return row + first + int(np.searchsorted(gaps, row, side="right"))

    return line_of


def _check_text(content: bytes, strict: bool, faults: Faults) -> bool:
    if not content:
        faults.add("the file is empty")
        return False
    if b"\x00" in content:
        line = content.count(b"\n", 0, content.index(b"\x00")) + 1
        faults.add("holds a NUL byte, so it is not a text file", line=line)
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
        faults.add("has carriage returns; lines must end in a line feed alone", line=line)
    return True


def _blank_lines(content: bytes, faults: Faults) -> list[int]:
    """The numbers of blank lines; each is a fault, it could pass for a row of missing values."""
    blank: list[int] = []
    lines = content.replace(b"\r\n", b"\n").removesuffix(b"\n")
    if lines.startswith(b"\n") or b"\n\n" in lines or lines.endswith(b"\n"):
        blank = [n for n, line in enumerate(lines.split(b"\n"), start=1) if not line]
        shown = blank[: faults.room()]
        for line in shown:
            faults.add("a blank line", line=line)
        faults.count(len(blank) - len(shown))
    return blank


def _check_header(
    content: bytes, schema: Schema, header: bool, limits: Limits, faults: Faults
) -> list[str] | None:
    """Column names in file order, or None. Only the first line is looked at: a file with
    hundreds of thousands of columns must cost nothing."""
    end = content.find(b"\n", 0, limits.header_bytes)
    if end < 0 and len(content) > limits.header_bytes:
        faults.add(f"the first line is longer than {limits.header_bytes} bytes", line=1)
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
    if header:
        before = faults.total
        check_columns(cells, schema, faults)
        return cells if faults.total == before else None
    if cells == list(schema.names):
        faults.add("the file has a header line; this format has none", line=1)
        return None
    return list(schema.names)


def _read_parquet(content: bytes, schema: Schema, limits: Limits, faults: Faults) -> Data | None:
    try:
        file = pq.ParquetFile(pa.BufferReader(content))
    except UNREADABLE as problem:
        faults.add(f"is not a readable Parquet file: {problem}")
        return None
    # The byte sizes a Parquet file states can lie; rows times columns is what it costs to read.
    rows, columns = file.metadata.num_rows, file.metadata.num_columns
    if rows > limits.rows or columns > max(limits.columns, len(schema.names)):
        faults.add(
            f"{rows} rows x {columns} columns; at most {limits.rows} x {limits.columns} are taken"
        )
        return None
    try:
        before = faults.total
        check_columns(file.schema_arrow.names, schema, faults)
        if faults.total > before:
            return None
        arrow = file.read(columns=list(schema.names))
    except UNREADABLE as problem:
        faults.add(f"is not a readable Parquet file: {problem}")
        return None
    return from_arrow(arrow, schema, faults, lambda row: row + 1)
