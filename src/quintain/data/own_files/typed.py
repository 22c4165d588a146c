"""Typed files: Parquet files and workbooks, whose cells are numbers, dates and texts.

A workbook comes from elsewhere. Before its reader sees it, its real size, the extent of its sheets
and its XML are checked, so that a small file cannot fill the memory.
"""

from __future__ import annotations

import importlib.util
import io
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from pathlib import Path
from typing import Any, BinaryIO
from xml.parsers import expat

import pyarrow as pa
import pyarrow.compute as pc

from quintain.data.files.formats import format_of
from quintain.data.files.readers import plain_faults
from quintain.data.own_files.header import LOOKED_AT, number_columns, require_header
from quintain.data.own_files.memory import RAISE, memory_allowance
from quintain.errors import DataError, Fault, Faults, MissingExtra
from quintain.jobs.subprocess_reader import READERS, NotRead
from quintain.wording.languages import text_of

UNPACKED = 1_000_000_000
"""How many bytes a workbook may have when it is unpacked; more takes minutes and all memory."""


MOST_CELLS = 50_000_000
"""How many cells a sheet may have between its first and its last one, empty ones as well."""


_BLOCK = 1 << 20


_ROWS = 1 << 14
"""How many rows of a file are sent at a time."""


_CELL = 8
"""How many bytes a cell takes, at least."""


MOST_TIMES = 500
"""A file that becomes so many times as large when it is unpacked is rarely a table of people."""


_MOST_SHEET_ROWS = 1 << 20
"""How many rows a sheet may have in the programs that write them."""


_REFERENCE = re.compile(rb'<(?:\w+:)?c\b[^>]*?\br="([A-Z]{1,3})([0-9]{1,7})"')


_DEFINITION = re.compile(rb"<!(?:DOCTYPE|ENTITY)", re.IGNORECASE)


_OPEN_DOCUMENT = "urn:oasis:names:tc:opendocument:xmlns:table:1.0"


def is_typed(path: Path) -> bool:
    """Whether a file is a Parquet file or a workbook, by its name."""
    return format_of(path.name).tables in ("parquet", "workbook")


def is_workbook(path: Path) -> bool:
    """Whether a file is a workbook, by its name."""
    return format_of(path.name).tables == "workbook"


def read_typed(path: Path, *, header: bool | None = None, ask: bool = False) -> pa.Table:
    """All cells of a Parquet file or of the first sheet of a workbook; raises if it has faults.

    Parameters
    ----------
    header : whether the first row of a sheet has the names of the columns.
    ask : whether to raise if ``header`` is None and the first row looks like the rows below.
    """
    if is_workbook(path):
        _require_reader()
    allowance = memory_allowance()
    arguments: dict[str, Any] = {"path": str(path.absolute()), "header": header, "ask": ask}
    arguments["memory"] = allowance.memory
    try:
        frames = READERS.call(_READER, arguments, b"", allowance, most=2 * allowance.memory)
        pieces: list[bytes] = []
        for frame in frames:
            if isinstance(frame, dict):
                raise DataError([_fault(path.name, plain) for plain in frame["faults"]])
            pieces.append(frame)
    except NotRead as reason:
        raise DataError([Fault(f"{reason}; {RAISE}", path.name)]) from None
    return _table_of(pieces, path.name)


def _table_of(pieces: list[bytes], name: str) -> pa.Table:
    """The table of a stream; a hostile file may have let its reader write a false one."""
    try:
        with pa.ipc.open_stream(_Joined(pieces)) as stream:
            table = stream.read_all()
        table.validate(full=True)
    except (pa.ArrowException, OSError, ValueError) as problem:
        message = f"cannot be read: its reader wrote no table: {str(problem).splitlines()[0]}"
        raise DataError([Fault(message, name)]) from None
    return table


_READER = f"{__name__}:send_table"


class _Joined(io.RawIOBase):
    """The pieces of a stream, each of which is given up when it is read."""

    def __init__(self, pieces: list[bytes]) -> None:
        self._pieces, self._rest = pieces[::-1], memoryview(b"")

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes | None:
        """No more than there is, as memory is taken for what is asked for."""
        left = len(self._rest) + sum(map(len, self._pieces))
        return super().read(left if size < 0 else min(size, left))

    def readinto(self, buffer: Any) -> int:
        view, done = memoryview(buffer).cast("B"), 0
        while done < len(view) and (self._rest or self._pieces):
            self._rest = self._rest or memoryview(self._pieces.pop())
            count = min(len(view) - done, len(self._rest))
            view[done : done + count] = self._rest[:count]
            self._rest, done = self._rest[count:], done + count
        return done


def _fault(name: str, plain: Any) -> Fault:
    message, line, column, got = plain
    return Fault(text_of(message), name, line, column, got)


def send_table(arguments: Mapping[str, Any], _: BinaryIO) -> Iterator[dict[str, Any] | bytes]:
    """What a reader with limits sends of a file: its cells as a stream of Arrow, or its faults."""
    path = Path(arguments["path"])
    try:
        if format_of(path.name).tables == "parquet":
            yield from _parquet_stream(path, arguments["memory"])
        else:
            sheet = _sheet(path, read_workbook(path), arguments["header"], arguments["ask"])
            yield from _stream(sheet.schema, sheet.to_batches(_ROWS))
    except DataError as error:
        yield plain_faults(Faults(findings=list(error.faults), total=len(error.faults)))


def _parquet_stream(path: Path, memory: int) -> Iterator[bytes]:
    import pyarrow.parquet

    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            size = _CELL * file.metadata.num_rows * file.metadata.num_columns
            _require_honest(path, size, memory)
            batches = _count_bytes(path, file.iter_batches(_ROWS, use_threads=False), memory)
            yield from _stream(file.schema_arrow, batches)
    except MemoryError:  # the file may be fine, so do not call it damaged
        raise
    except (pa.ArrowException, OSError) as problem:
        message = f"is not a readable Parquet file: {str(problem).splitlines()[0]}"
        raise DataError([Fault(message, path.name)]) from None


def _require_honest(path: Path, size: int, memory: int) -> None:
    """Refuse a file that takes far more memory than a file of its size usually does."""
    packed = path.stat().st_size
    if size > memory or (size > memory / 10 and size > MOST_TIMES * packed):
        message = (
            f"has {packed:,} bytes and needs more than {size / 1e9:.2g} GB of memory to read; the "
            f"limit is {memory / 1e9:g} GB, and {memory / 1e10:g} GB if a file becomes "
            f"{MOST_TIMES} times as large; {RAISE}"
        )
        raise DataError([Fault(message, path.name)])


def _count_bytes(
    path: Path, batches: Iterable[pa.RecordBatch], memory: int
) -> Iterator[pa.RecordBatch]:
    """The batches, as long as all of them together fit into the memory."""
    size = 0
    for batch in batches:
        size += _bytes_of(batch)
        _require_honest(path, size, memory)
        yield batch


def _bytes_of(batch: pa.RecordBatch) -> int:
    """The bytes of a batch, with each text as often as rows have it."""
    size = int(batch.nbytes)
    for column in batch.columns:
        if pa.types.is_dictionary(column.type) and _is_text(column.type.value_type):
            lengths = pc.binary_length(column.dictionary).cast(pa.int64())
            size += pc.sum(lengths.take(column.indices)).as_py() or 0
    return size


def _is_text(kind: pa.DataType) -> bool:
    texts = (pa.types.is_string, pa.types.is_large_string, pa.types.is_binary)
    return any(matches(kind) for matches in texts)


def _stream(schema: pa.Schema, batches: Iterable[pa.RecordBatch]) -> Iterator[bytes]:
    sink = io.BytesIO()
    with pa.ipc.new_stream(sink, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
            yield sink.getvalue()
            sink.seek(0)
            sink.truncate()
    yield sink.getvalue()


def _require_reader() -> None:
    if importlib.util.find_spec("python_calamine") is None:
        raise MissingExtra("an Excel workbook", "python-calamine", "excel")


def _sheet(path: Path, rows: list[list[Any]], header: bool | None, ask: bool) -> pa.Table:
    faults = Faults(path.name)
    width = max(map(len, rows))  # some programs leave out the empty cells at the end of a row
    rows = [row + [None] * (width - len(row)) for row in rows]
    if header is False:
        rows = [list(number_columns(width)), *rows]
    names = ["" if cell is None else str(cell).strip() for cell in rows[0]]
    for place, name in enumerate(names, start=1):
        if not name:
            faults.add(f"column {place} has no name; write one into the first row", line=1)
        elif names.count(name) > 1 and names.index(name) == place - 1:
            faults.add("several columns have this name; rename all but one", line=1, column=name)
    if header is None and (ask or faults):
        texts = [
            ["" if cell is None else _text(cell) for cell in row] for row in rows[: LOOKED_AT + 1]
        ]
        require_header(path.name, texts[0], texts[1:])
    faults.raise_if_any(DataError)
    columns = zip(*rows[1:], strict=True)
    arrays = [_cells(list(cells)) for cells in columns] or [pa.array([]) for _ in names]
    return pa.table(dict(zip(names, arrays, strict=True)))


def _cells(cells: list[Any]) -> pa.Array:
    """One column: numbers, dates or booleans if all cells are; else texts."""
    kinds = {type(cell) for cell in cells if cell is not None and cell != ""}
    blank = [None if cell == "" else cell for cell in cells]
    if kinds and (kinds <= {int, float} or kinds == {bool}):
        return pa.array(blank, pa.bool_() if kinds == {bool} else None, from_pandas=True)
    if kinds and kinds <= {datetime, date}:
        return pa.array(blank, pa.timestamp("s"))
    return pa.array([None if cell is None else _text(cell) for cell in blank], pa.string())


def _text(cell: Any) -> str:
    """A cell as a CSV file would have it."""
    if isinstance(cell, datetime) and (cell.hour, cell.minute, cell.second) == (0, 0, 0):
        return cell.date().isoformat()
    return str(cell)


def read_workbook(path: Path) -> list[list[Any]]:
    """The rows of the first sheet, without empty rows at the end; raises if it has faults."""
    _require_reader()
    calamine = importlib.import_module("python_calamine")
    if path.stat().st_size > UNPACKED:
        raise _too_large(path, path.stat().st_size)
    try:
        if path.suffix.lower() != ".xls":
            _check_archive(path)
        book = calamine.CalamineWorkbook.from_path(path)
        rows = book.get_sheet_by_index(0).to_python(skip_empty_area=False)
    except (DataError, KeyboardInterrupt, SystemExit, MemoryError):
        raise
    except BaseException as problem:  # a panic of the reader is not an Exception
        message = f"is not a readable Excel workbook: {problem}"
        raise DataError([Fault(message, path.name)]) from None
    cells = [[_value(cell) for cell in row] for row in rows]
    while cells and all(cell is None for cell in cells[-1]):
        cells.pop()
    if not cells:
        raise DataError([Fault("the first sheet is empty", path.name)])
    return cells


def _value(cell: Any) -> Any:
    """A cell with whole numbers as integers, days as times, and None if it is empty."""
    if cell == "" or cell is None:
        return None
    if isinstance(cell, float) and cell.is_integer() and abs(cell) < 2.0**63:
        return int(cell)
    if isinstance(cell, date) and not isinstance(cell, datetime):
        return datetime(cell.year, cell.month, cell.day)
    return cell


def _too_large(path: Path, size: int) -> DataError:
    message = f"has {size} bytes when it is unpacked; the limit is {UNPACKED}"
    return DataError([Fault(f"{message}; save the sheet as CSV", path.name)])


def _check_archive(path: Path) -> None:
    """Unpack everything once without keeping it: headers of archives may lie about sizes."""
    with zipfile.ZipFile(path) as archive:
        size = sum(member.file_size for member in archive.infolist())
        if size > UNPACKED:
            raise _too_large(path, size)
        for member in archive.infolist():
            cells = _Extent()
            rest = b""
            # The reader takes damaged XML, and then some cells are lost silently.
            check = expat.ParserCreate() if member.filename.endswith(".xml") else None
            for block in _blocks(archive, member):
                # A tag may lie across two blocks.
                text = rest + block
                if _DEFINITION.search(text):
                    message = "defines XML entities, which no workbook needs; save it again"
                    raise DataError([Fault(message, path.name)])
                if check is not None:
                    check.Parse(block)
                if "worksheets/" in member.filename:
                    cells.add(text)
                    _require_few(cells, path)
                rest = text[-200:]
            if check is not None:
                check.Parse(b"", True)
            if member.filename == "content.xml":
                cells.count = _open_document_cells(archive, member)
                _require_few(cells, path)


def _require_few(cells: _Extent, path: Path) -> None:
    """Raise as soon as a sheet is too large: reading all of it could take minutes."""
    for size, most, what in (
        (cells.rows, _MOST_SHEET_ROWS, "rows"),
        (cells.size, MOST_CELLS, "cells"),
    ):
        if size > most:
            message = f"has a sheet with more than {most} {what}, the limit; save it as CSV"
            raise DataError([Fault(message, path.name)])


def _blocks(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> Iterator[bytes]:
    """The content of a member; raises if its checksum says that the archive hides the rest."""
    with archive.open(member) as file:
        while block := file.read(_BLOCK):
            yield block


class _Extent:
    """How many cells a sheet has, empty ones between others as well."""

    def __init__(self) -> None:
        self.rows = self.columns = self.count = 0

    def add(self, xml: bytes) -> None:
        """Take in a piece of a sheet."""
        for letters, row in _REFERENCE.findall(xml):
            column = 0
            for letter in letters:
                column = 26 * column + letter - 64
            self.rows, self.columns = max(self.rows, int(row)), max(self.columns, column)
        self.count += len(re.findall(rb"<(?:\w+:)?c[\s/>]", xml))

    @property
    def size(self) -> int:
        """The number of cells."""
        return max(self.rows * self.columns, self.count)


def _open_document_cells(archive: zipfile.ZipFile, member: zipfile.ZipInfo) -> int:
    """How many cells the largest table of an OpenDocument sheet has up to its last value."""
    state = {"rows": 0, "row": 0, "repeat": 0, "column": 0, "last": 0, "width": 0, "most": 0}

    def start(name: str, attributes: dict[str, str]) -> None:
        kind = name.removeprefix(f"{_OPEN_DOCUMENT} ")
        if kind == "table":
            state.update(rows=0, row=0, width=0)
        elif kind == "table-row":
            repeat = int(attributes.get(f"{_OPEN_DOCUMENT} number-rows-repeated", 1))
            state.update(repeat=repeat, column=0, last=0)
        elif kind in ("table-cell", "covered-table-cell"):
            repeat = int(attributes.get(f"{_OPEN_DOCUMENT} number-columns-repeated", 1))
            state["column"] += repeat
            if any(name.endswith("value-type") for name in attributes):
                state["last"] = state["column"]

    def end(name: str) -> None:
        if name.removeprefix(f"{_OPEN_DOCUMENT} ") == "table-row":
            state["row"] += state["repeat"]
            if state["last"]:
                state["rows"] = state["row"]
                state["width"] = max(state["width"], state["last"])
            state["most"] = max(state["most"], state["rows"] * state["width"])

    parser = expat.ParserCreate(namespace_separator=" ")
    parser.StartElementHandler, parser.EndElementHandler = start, end
    for block in _blocks(archive, member):
        parser.Parse(block)
    parser.Parse(b"", True)
    return state["most"]
