"""Readers: what processes of their own do with files of strangers.

:mod:`quintain.jobs.subprocess_reader` starts the processes.

Each function takes plain arguments and a binary file, and yields tables of plain values and bytes.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping
from typing import Any, BinaryIO

import numpy as np
import pyarrow.parquet  # noqa: F401 -- before the first call, so that no call waits for it
import pydantic_core

from quintain.data.arrays import Array
from quintain.data.files.data_file import read_cells
from quintain.data.files.limits import Limits
from quintain.data.files.zip_members import members
from quintain.data.readable import Readable
from quintain.data.schema import Schema
from quintain.errors import Fault, Faults
from quintain.wording.languages import plain_text

Answer = Iterator[Mapping[str, Any] | bytes | memoryview]
MESSAGE_LENGTH, CELL_LENGTH = 2000, 200
"""How many characters of a message, and of a name or a value in it, are kept."""
_AT_ONCE = 10_000


def cells(arguments: Mapping[str, Any], content: BinaryIO) -> Answer:
    """The cells of one data file or of several, one after the other."""
    limits = Limits.model_validate(arguments["limits"])
    schema = Schema.model_validate(arguments["schema"])
    header, strict = arguments["header"], arguments["strict"]
    for name, size in arguments["files"]:
        faults = Faults(name)
        readable = read_cells(
            content.read(size),
            name,
            schema,
            faults=faults,
            header=header,
            strict=strict,
            limits=limits,
        )
        yield plain_faults(faults)
        yield from _plain_cells(readable)


def _plain_cells(readable: Readable | None) -> Answer:
    if readable is None:
        yield {"rows": None}
        return
    columns = readable.rows.columns
    types = {name: array.dtype.str for name, array in columns.items()}
    lines = readable.line_of
    facts = {"rows": len(readable.rows), "first": lines.first, "blank": len(lines.blank)}
    yield {**facts, "types": types, "refused": list(readable.refused)}
    yield _bytes(lines.blank.astype(np.int64))
    for array in columns.values():
        yield _bytes(array)
    for mask in readable.refused.values():
        yield _bytes(mask.astype(np.bool_))


def _bytes(array: Array) -> bytes | memoryview:
    return np.ascontiguousarray(array).view(np.uint8).data if array.size else b""


def plain_faults(faults: Faults) -> dict[str, Any]:
    """Faults as plain values, each shortened to what a person would read of it."""
    return {"total": faults.total, "faults": [_plain(fault) for fault in faults]}


def _plain(fault: Fault) -> list[Any]:
    column = None if fault.column is None else fault.column[:CELL_LENGTH]
    got = None if fault.got is None else fault.got[:CELL_LENGTH]
    message = fault.message
    if len(message) > MESSAGE_LENGTH:
        message = message[:MESSAGE_LENGTH]  # nobody says the rest of it in another language
    return [plain_text(message), fault.line, column, got]


def archive(arguments: Mapping[str, Any], content: BinaryIO) -> Answer:
    """The files of a zip: for each its path, then its content in pieces; the faults at the end."""
    faults, limits = Faults(), Limits.model_validate(arguments["limits"])
    for part in members(content, limits, faults, folders=arguments["folders"]):
        yield {"path": part} if isinstance(part, str) else part
    yield plain_faults(faults)


def json_text(_: Mapping[str, Any], content: BinaryIO) -> Answer:
    """The plain values that a JSON text stands for."""
    try:
        yield {"value": pydantic_core.from_json(content.read(), allow_inf_nan=False)}
    except ValueError as problem:
        yield {"problem": f"Invalid JSON: {problem}"[:MESSAGE_LENGTH]}


def text_rows(_: Mapping[str, Any], content: BinaryIO) -> Answer:
    """The rows of a small CSV file as texts, without blank lines."""
    try:
        text = content.read().decode()
        rows = [row for row in csv.reader(io.StringIO(text, newline="")) if row]
    except (UnicodeDecodeError, csv.Error) as problem:
        yield {"problem": str(problem)[:MESSAGE_LENGTH]}
        return
    for start in range(0, len(rows), _AT_ONCE):
        yield {"rows": rows[start : start + _AT_ONCE]}
