"""Between Arrow tables and ours: the one place where foreign values are checked and coded."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quintain.data.arrays import MISSING_TIME, Array, Mask
from quintain.data.codec import parse_texts
from quintain.data.columns import Columns
from quintain.data.kinds import Data, flat
from quintain.data.readable import Readable
from quintain.data.schema import Column, Schema
from quintain.errors import Faults


def from_arrow(
    arrow: pa.Table, schema: Schema, faults: Faults, line_of: Callable[[int], int]
) -> Data | None:
    """Code an Arrow table under a schema; None if a cell does not fit, and each is a fault."""
    cells = readable_cells(arrow, schema, faults, line_of)
    return None if cells is None or faults else cells.data()


def readable_cells(
    arrow: pa.Table,
    schema: Schema,
    faults: Faults,
    line_of: Callable[[int], int],
    noted: Mask | None = None,
) -> Readable | None:
    """Code an Arrow table under a schema as far as it fits; every cell that does not is a fault.

    Rows that are ``noted`` are refused as a whole, and have their fault already. None comes back
    if the columns are not those of the schema.
    """
    before = faults.total
    check_columns(arrow.column_names, schema, faults)
    if faults.total > before:
        return None
    columns, refused = {}, {}
    for column in schema.columns:
        chunked = arrow.column(column.name)
        try:
            values, bad = _column_from_arrow(chunked, column)
        except (pa.ArrowException, UnicodeDecodeError, OverflowError) as problem:
            message = f"{column.expected}; a column of {chunked.type} is none: {problem}"
            faults.add(message.split("\n")[0], column=column.name)
            continue
        columns[column.name] = values
        if noted is not None:
            bad &= ~noted
        _note_cells(chunked, column, bad, faults, line_of)
        refused[column.name] = bad if noted is None else bad | noted
    if len(columns) < len(schema.columns):
        return None
    seen = {name: mask for name, mask in refused.items() if mask.any()}
    return Readable(Columns(schema, columns), seen, line_of)


def _note_cells(
    chunked: pa.ChunkedArray,
    column: Column,
    bad: Mask,
    faults: Faults,
    line_of: Callable[[int], int],
) -> None:
    rows = np.flatnonzero(bad)
    listed = rows[: faults.room()]
    for row in listed.tolist():
        faults.add(column.expected, line=line_of(row), column=column.name, got=_shown(chunked[row]))
    faults.count(len(rows) - len(listed))


def _shown(cell: pa.Scalar) -> str:
    try:
        value = cell.as_py()
    except (OverflowError, ValueError):
        return "something that Python cannot hold"
    return "" if value is None else str(value)


def to_arrow(data: Data) -> pa.Table:
    """Our data as an Arrow table: categories as dictionaries, missing values as nulls."""
    table = flat(data)
    arrays = [_column_to_arrow(c, table.columns[c.name]) for c in table.schema.columns]
    return pa.table(dict(zip(table.schema.names, arrays, strict=True)))


def check_columns(names: list[str], schema: Schema, faults: Faults) -> None:
    """Note missing, unknown and repeated column names."""
    given = set(names)
    for name in schema.names:
        if name not in given:
            faults.add("this column is missing", column=name)
    for name in dict.fromkeys(names):
        if name not in schema:
            faults.add("no such column in the schema", column=name)
        if names.count(name) > 1:
            faults.add(f"this column appears {names.count(name)} times", column=name)


def _column_from_arrow(chunked: pa.ChunkedArray, column: Column) -> tuple[Array, Array]:
    kind = chunked.type
    if column.kind in ("integer", "real") and (
        pa.types.is_integer(kind) or pa.types.is_floating(kind)
    ):
        return _numbers(chunked, column)
    if column.kind == "id" and pa.types.is_integer(kind) and chunked.null_count == 0:
        return chunked.to_numpy().astype(np.int64), np.zeros(len(chunked), bool)
    if pa.types.is_temporal(kind) and column.kind == "time":
        return _times(chunked, column)
    if pa.types.is_boolean(kind):
        chunked = _booleans(chunked, column)
    if not pa.types.is_dictionary(chunked.type):
        chunked = pc.cast(chunked, pa.string()).dictionary_encode()
    encoded = chunked.unify_dictionaries().combine_chunks()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.chunk(0)
    uniques = [
        column.missing if text is None else str(text) for text in encoded.dictionary.to_pylist()
    ]
    nulls = [column.missing] if encoded.null_count else []
    held, bad = parse_texts(column, uniques + nulls)
    index = encoded.indices.fill_null(len(uniques)).to_numpy(zero_copy_only=False)
    return held[index], bad[index]


def _numbers(chunked: pa.ChunkedArray, column: Column) -> tuple[Array, Array]:
    missing = chunked.is_null().to_numpy()
    if pa.types.is_integer(chunked.type):
        values = chunked.fill_null(0).to_numpy()
        finite = np.ones(len(values), bool)
    else:
        values = chunked.fill_null(np.nan).to_numpy()
        missing = missing | np.isnan(values)
        finite = np.isfinite(values)
    inside = finite & ~missing
    if column.kind == "integer":
        inside &= np.abs(np.where(inside, values, 0).astype(np.float64)) < 2.0**62
    if column.low is not None:
        inside &= values >= column.low
    if column.high is not None:
        inside &= values <= column.high
    if column.kind == "real":
        held = np.where(missing, np.nan, values.astype(np.float64))
        return held, ~inside & ~(missing & column.nullable)
    whole = np.where(inside, values, column.offset)
    inside &= whole % 1 == 0
    held = np.where(inside, whole, column.offset).astype(np.int64) - column.offset
    held[missing] = -1
    return held, ~inside & ~(missing & column.nullable)


def _times(chunked: pa.ChunkedArray, column: Column) -> tuple[Array, Array]:
    missing = chunked.is_null().to_numpy()
    seconds = chunked.cast(pa.timestamp("s"), safe=False).cast(pa.int64()).fill_null(0).to_numpy()
    times, where = np.unique(seconds, return_inverse=True)
    # A time that its own format cannot say again would change on the way through a file.
    lost = np.array([not _says(column.time_format, time) for time in times.tolist()], bool)
    bad = (missing & (not column.nullable)) | (lost[where] & ~missing)
    return np.where(missing, MISSING_TIME, seconds), bad


def _says(form: str, seconds: int) -> bool:
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
        again = datetime.strptime(moment.strftime(form), form).replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError):
        return False
    return again == moment


def _booleans(chunked: pa.ChunkedArray, column: Column) -> pa.ChunkedArray:
    """Truth values as the schema spells them: true, True, TRUE."""
    spelled = {value.lower(): value for value in column.values}
    yes, no = (pa.scalar(spelled.get(word, word)) for word in ("true", "false"))
    return pc.if_else(chunked, yes, no)


def _column_to_arrow(column: Column, held: Array) -> pa.Array:
    if column.kind == "category":
        indices = pa.array(held, mask=held < 0)
        return pa.DictionaryArray.from_arrays(indices, pa.array(column.values, pa.string()))
    if column.kind == "integer":
        mask = held < 0 if column.discrete else np.zeros(len(held), bool)
        return pa.array(held.astype(np.int64) + column.offset, mask=mask)
    if column.kind == "real":
        return pa.array(held, mask=np.isnan(held))
    if column.kind == "time":
        return pa.array(held, pa.int64(), mask=held == MISSING_TIME).cast(pa.timestamp("s"))
    if held.dtype.kind != "U" or not column.nullable:
        return pa.array(held)
    if column.missing:
        return pa.array(np.where(held == "", column.missing, held))
    return pa.array(held, mask=held == "")
