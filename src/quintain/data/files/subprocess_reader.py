"""Apart: files of strangers, read by a process of their own and checked again when they arrive.

Use these functions for everything that comes from outside. A reader may have been taken over by the
file it read, so its answer is only believed where it has the form that was asked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np

from quintain.data.arrays import Array
from quintain.data.column import Column
from quintain.data.columns import Columns
from quintain.data.files.data_file import file_content
from quintain.data.files.limits import DEFAULT_LIMITS, Limits
from quintain.data.files.zip_members import check_path
from quintain.data.readable import Lines, Readable
from quintain.data.schema import Schema
from quintain.data.shape import Data
from quintain.errors import DataError, Fault, Faults
from quintain.jobs.subprocess_reader import READERS, Allowance, NotRead
from quintain.jobs.subprocess_server import Frame
from quintain.wording.languages import tell, text_of

_MODULE = "quintain.data.files.readers"
_MOST_ENDED = 3
"""After this many files of a sender that ended their process, no more are read."""
_SMALL = 50_000_000
"""How many bytes the values of a card or of a table of scores may take, at most."""


def read_apart(
    path: Path, schema: Schema, *, header: bool = True, limits: Limits = DEFAULT_LIMITS
) -> Data:
    """Read a file that a stranger made; raises with every fault in it."""
    faults = Faults(path.name)
    content = file_content(path, limits)
    cells = cells_apart(content, path.name, schema, faults=faults, header=header, limits=limits)
    if cells is not None:
        cells.check_links(faults)
    faults.raise_if_any(DataError)
    assert cells is not None  # no cells without a fault
    return cells.data()


def cells_apart(
    content: bytes,
    name: str,
    schema: Schema,
    *,
    faults: Faults,
    header: bool = True,
    strict: bool = False,
    limits: Limits = DEFAULT_LIMITS,
) -> Readable | None:
    """The readable cells of a file; notes every fault, with the words of ``read_cells``."""
    form = {"header": header, "strict": strict}
    (cells,) = each_apart({name: content}, schema, {name: faults}, limits=limits, **form)
    return cells


def each_apart(
    files: Mapping[str, bytes],
    schema: Schema,
    faults: Mapping[str, Faults],
    *,
    header: bool = True,
    strict: bool = False,
    limits: Limits = DEFAULT_LIMITS,
) -> Iterator[Readable | None]:
    """The readable cells of each of a sender's files; notes the faults of each.

    One process reads the files one after the other. When a file ends it, another process goes on,
    but not for ever: after a few such files the others are refused unread.
    """
    form = {"header": header, "strict": strict, "limits": limits.model_dump()}
    arguments = {"schema": schema.model_dump(mode="json"), **form}
    waiting, ended = list(files), 0
    while waiting:
        if ended == _MOST_ENDED:
            for name in waiting:
                faults[name].add(
                    tell(
                        "is not read, because %(n)s files before it could not be read",
                        n=ended,
                    )
                )
            yield from [None] * len(waiting)
            return
        first, sizes = waiting[0], [[name, len(files[name])] for name in waiting]
        contents = [files[name] for name in waiting]
        try:
            most = len(waiting) * limits.allowance.memory // 2
            frames = _call("cells", {**arguments, "files": sizes}, contents, limits.allowance, most)
            for name in list(waiting):
                noted = Faults(name)
                _take_faults(_table(frames), noted)
                cells = _readable(frames, schema, limits)
                if len(waiting) == 1 and next(frames, None) is not None:
                    raise NotRead(
                        tell("cannot be read: the reader returned more than it was asked for")
                    )
                if cells is None and not noted:
                    raise NotRead(tell("cannot be read"))
                faults[name].extend(noted)
                waiting.remove(name)
                yield cells
        except NotRead as problem:
            # The files before this one may have used up what the process was allowed.
            if waiting[0] == first:
                faults[first].add(problem.args[0])
                waiting.remove(first)
                ended += 1
                yield None


def unzip_apart(
    content: bytes | BinaryIO,
    limits: Limits,
    faults: Faults,
    *,
    folders: bool = False,
    allowance: Allowance | None = None,
) -> Iterator[str | bytes]:
    """For every file of an archive its path, followed by its content in pieces; notes faults.

    A fault may come up after the first files, so use none of them before all are there.
    """
    arguments = {"limits": limits.model_dump(), "folders": folders}
    most, allowance = 2 * limits.packed_bytes, allowance or limits.allowance
    try:
        for frame in _call("archive", arguments, content, allowance, most):
            if isinstance(frame, bytes):
                yield frame
            elif "path" in frame:
                path = _text(frame["path"])
                check_path(path, faults, folders=folders)
                if faults:
                    return
                yield path
            else:
                _take_faults(frame, faults)
    except NotRead as problem:
        faults.add(problem.args[0])


def json_apart(content: bytes, faults: Faults) -> Any:
    """The plain values that a JSON text stands for; None with a fault if it is none."""
    try:
        table = _table(_call("json_text", {}, content, DEFAULT_LIMITS.allowance, _SMALL))
    except NotRead as problem:
        faults.add(problem.args[0])
        return None
    if "problem" in table:
        faults.add(_text(table["problem"]))
    return table.get("value")


def rows_apart(content: bytes, faults: Faults) -> list[list[str]]:
    """The rows of a small CSV file as texts, without blank lines; notes faults."""
    rows: list[list[str]] = []
    try:
        for frame in _call("text_rows", {}, content, DEFAULT_LIMITS.allowance, _SMALL):
            if not isinstance(frame, dict) or "problem" in frame:
                problem = frame["problem"] if isinstance(frame, dict) else "no text"
                faults.add(tell("cannot be read as CSV: %(problem)s", problem=_text(problem)))
                return []
            rows += [[_text(cell) for cell in row] for row in frame["rows"]]
    except (NotRead, KeyError, TypeError) as problem:
        faults.add(problem.args[0] if isinstance(problem, NotRead) else str(problem))
    return rows


def _call(
    function: str,
    arguments: Mapping[str, Any],
    content: bytes | Sequence[bytes] | BinaryIO,
    allowance: Allowance,
    most: int,
) -> Iterator[Frame]:
    return READERS.call(f"{_MODULE}:{function}", arguments, content, allowance, most=most)


def _table(frames: Iterator[Frame]) -> dict[str, Any]:
    frame = next(frames, None)
    if not isinstance(frame, dict):
        raise NotRead(
            tell("cannot be read: the reader returned something else than it was asked for")
        )
    return frame


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise NotRead(
            tell("cannot be read: the reader returned something else than it was asked for")
        )
    return value


def _take_faults(table: Mapping[str, Any], faults: Faults) -> None:
    """Note the faults that a reader found."""
    try:
        listed = [
            Fault(
                text_of(message),
                faults.file,
                None if line is None else int(line),
                None if column is None else _text(column),
                None if got is None else _text(got),
            )
            for message, line, column, got in table["faults"]
        ]
        total = int(table["total"])
    except (KeyError, TypeError, ValueError):
        raise NotRead(tell("cannot be read: the reader returned no list of faults")) from None
    faults.extend(listed)
    faults.count(max(0, total - len(listed)))


def _readable(frames: Iterator[Frame], schema: Schema, limits: Limits) -> Readable | None:
    """Cells from what a reader sent, if they are what the schema allows."""
    table = _table(frames)
    if table.get("rows") is None:
        return None
    try:
        rows, first, blank = (int(table[key]) for key in ("rows", "first", "blank"))
        refused = [_text(name) for name in table["refused"]]
        if not 0 <= rows <= limits.rows or not set(refused) <= set(schema.names):
            raise ValueError("rows or columns that the file cannot have")
        lines = Lines(first, np.sort(_array(frames, "<i8", blank)))
        columns = {
            column.name: _column(frames, column, _text(table["types"][column.name]), rows)
            for column in schema.columns
        }
        masks = {name: _array(frames, "|b1", rows) for name in refused}
        return Readable(Columns(schema, columns), masks, lines)
    except (KeyError, TypeError, ValueError) as problem:
        raise NotRead(
            tell("cannot be read: the reader returned damaged cells: %(problem)s", problem=problem)
        ) from None


def _column(frames: Iterator[Frame], column: Column, form: str, rows: int) -> Array:
    """One column of codes, numbers or texts, with nothing that the schema does not allow."""
    numbers = column.its_kind.dtype(column, np.empty(0, np.int64)).str
    width = form.removeprefix("<U")
    texts = column.identifying and form.startswith("<U") and width.isdecimal()
    if form != numbers and not texts:
        raise ValueError(f"{column.name} as {form!r}")
    array = _array(frames, form, rows)
    if column.discrete and rows and not -1 <= array.min() <= array.max() < column.size:
        raise ValueError(f"{column.name} has a code without a value")
    if texts and rows and (int(width) == 0 or array.view(np.uint32).max() > 0x10FFFF):
        raise ValueError(f"{column.name} has a text that is none")
    return array


def _array(frames: Iterator[Frame], form: str, rows: int) -> Array:
    frame = next(frames, None)
    if not isinstance(frame, bytes):
        raise TypeError("no bytes")
    array = np.frombuffer(frame, form)
    if len(array) != rows:
        raise ValueError(f"{len(array)} cells of {rows} rows")
    return array
