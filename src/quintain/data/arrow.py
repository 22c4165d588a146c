"""Between Arrow tables and our data: the one place that checks and codes values from outside."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quintain.data.arrays import MISSING_TIME, Array, Mask
from quintain.data.arrow_arrays import fill_gaps, from_numbers, from_texts, numbers_of
from quintain.data.codec import decode_values, parse_texts
from quintain.data.column import Column
from quintain.data.columns import Columns
from quintain.data.kinds import flat, to_kind
from quintain.data.outside import Outside, put_inside, rows_of_somebody
from quintain.data.readable import Lines, Readable
from quintain.data.schema import Schema
from quintain.data.shape import Data
from quintain.errors import DataError, Faults
from quintain.wording.languages import tell

_MOST_LETTERS = 200
"""How many characters of a refused cell a fault keeps; a message shows fewer."""


def from_arrow(
    arrow: pa.Table,
    schema: Schema,
    name: str,
    *,
    first_line: int = 0,
    outside: Outside = "refuse",
) -> Data:
    """Data from an Arrow table under a schema; raises with every cell that does not fit.

    In messages, ``name`` stands for the table, and its first row is on ``first_line``. With "clip"
    as ``outside``, cells that do not fit are moved, and rows of nobody are left out.
    """
    faults = Faults(name)
    cells = readable_cells(arrow, schema, faults, Lines(first_line), outside=outside)
    if cells is not None and outside == "refuse":
        cells.check_links(faults)
    faults.raise_if_any(DataError)
    assert cells is not None  # no cells without a fault
    return cells.data() if outside == "refuse" else to_kind(rows_of_somebody(cells.rows))


def readable_cells(
    arrow: pa.Table,
    schema: Schema,
    faults: Faults,
    line_of: Lines,
    noted: Mask | None = None,
    *,
    outside: Outside = "refuse",
) -> Readable | None:
    """Code the cells of an Arrow table that fit a schema; every other cell is a fault.

    ``noted`` marks rows that have a fault already; all their cells are refused without another
    one. The result is None if the columns are not those of the schema. With "clip" as ``outside``,
    cells that do not fit are moved, and are no faults.
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
        except MemoryError:
            raise
        except (pa.ArrowException, UnicodeDecodeError, OverflowError) as problem:
            message = f"{column.expected}, not a column of {chunked.type}: {problem}"
            faults.add(message.split("\n")[0], column=column.name)
            continue
        if outside == "clip":
            values, bad = _move_cells(chunked, column, values, bad)
        columns[column.name] = values
        if noted is not None:
            bad &= ~noted
        _note_cells(chunked, column, bad, faults, line_of)
        refused[column.name] = bad if noted is None else bad | noted
    if len(columns) < len(schema.columns):
        return None
    some_refused = {name: mask for name, mask in refused.items() if mask.any()}
    return Readable(Columns(schema, columns), some_refused, line_of)


def _move_cells(
    chunked: pa.ChunkedArray, column: Column, values: Array, bad: Mask
) -> tuple[Array, Mask]:
    """The contents of a column after every cell that does not fit has moved."""
    if not bad.any():
        return values, bad
    texts = cell_texts(chunked.take(from_numbers(np.flatnonzero(bad)))).combine_chunks()
    return put_inside(column, values, bad, texts), np.zeros_like(bad)


def _note_cells(
    chunked: pa.ChunkedArray,
    column: Column,
    bad: Mask,
    faults: Faults,
    line_of: Lines,
) -> None:
    rows = np.flatnonzero(bad)
    listed = rows[: faults.room()]
    for row in listed.tolist():
        faults.add(
            column.expected, line=line_of(row), column=column.name, got=_cell_text(chunked[row])
        )
    faults.count(len(rows) - len(listed))


def _cell_text(cell: pa.Scalar) -> str:
    try:
        value = cell.as_py()
    except (OverflowError, ValueError):
        return "a value that Python cannot represent"
    return "" if value is None else str(value)[:_MOST_LETTERS]


def to_arrow(data: Data) -> pa.Table:
    """Data as an Arrow table: categories become dictionaries, missing values become nulls."""
    table = flat(data)
    arrays = [_column_to_arrow(c, table.columns[c.name]) for c in table.schema.columns]
    return pa.table(dict(zip(table.schema.names, arrays, strict=True)))


def dictionary_texts(chunked: pa.ChunkedArray) -> list[str]:
    """All values of a column of categories in their order, used or not, as texts."""
    if not chunked.num_chunks:
        return []
    values = chunked.unify_dictionaries().chunk(0).dictionary.to_pylist()
    return [str(value) for value in values if value is not None]


def cell_texts(chunked: pa.ChunkedArray) -> pa.ChunkedArray:
    """The cells of a column as texts; categories are spelled as their dictionary spells them.

    >>> cell_texts(pa.chunked_array([pa.array([2.0, None]).dictionary_encode()])).to_pylist()
    ['2.0', None]
    """
    if not pa.types.is_dictionary(chunked.type):
        return chunked.cast(pa.string())
    texts = [
        pa.array([None if value is None else str(value) for value in chunk.dictionary.to_pylist()])
        for chunk in chunked.chunks
    ]
    cells = [
        words.cast(pa.string()).take(chunk.indices)
        for words, chunk in zip(texts, chunked.chunks, strict=True)
    ]
    return pa.chunked_array(cells, pa.string())


_INDEX = ("", "Unnamed: 0", "index", "level_0", "__index_level_0__")
"""Names of the column of row numbers that programs write without being asked."""


def check_columns(names: list[str], schema: Schema, faults: Faults) -> None:
    """Note missing, unknown and repeated column names."""
    given, unknown = set(names), [name for name in dict.fromkeys(names) if name not in schema]
    near = {" ".join(name.split()).casefold(): name for name in unknown}
    for name in schema.names:
        if name in given:
            continue
        other = near.get(" ".join(name.split()).casefold())
        if other is None:
            faults.add(tell("this column is missing"), column=name)
        else:
            unknown.remove(other)
            faults.add(
                tell("this column is called %(other)s here; rename it", other=repr(other)),
                column=name,
            )
    for name in unknown:
        if name in _INDEX:
            faults.add(
                tell(
                    "this column is not in the schema; it looks like row numbers that a program "
                    "wrote: save the file without them (pandas: index=False)"
                ),
                column=name,
            )
        else:
            faults.add(tell("this column is not in the schema"), column=name)
    for name in dict.fromkeys(names):
        if names.count(name) > 1:
            faults.add(tell("this column appears %(n)s times", n=names.count(name)), column=name)


def _column_from_arrow(chunked: pa.ChunkedArray, column: Column) -> tuple[Array, Array]:
    kind = chunked.type
    if column.numeric and (pa.types.is_integer(kind) or pa.types.is_floating(kind)):
        return _numbers(chunked, column)
    if column.identifying and pa.types.is_integer(kind) and chunked.null_count == 0:
        return numbers_of(chunked).astype(np.int64), np.zeros(len(chunked), bool)
    if pa.types.is_temporal(kind) and column.temporal:
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
    contents, bad = parse_texts(column, uniques + nulls)
    index = fill_gaps(encoded.indices, len(uniques))
    return contents[index], bad[index]


def _numbers(chunked: pa.ChunkedArray, column: Column) -> tuple[Array, Array]:
    missing = numbers_of(chunked.is_null())
    if pa.types.is_integer(chunked.type):
        values = fill_gaps(chunked, 0)
        finite = np.ones(len(values), bool)
    else:
        values = fill_gaps(chunked, np.nan)
        missing = missing | np.isnan(values)
        finite = np.isfinite(values)
    inside = finite & ~missing
    if column.whole:
        inside &= np.abs(np.where(inside, values, 0).astype(np.float64)) < 2.0**62
    if column.low is not None:
        inside &= values >= column.low
    if column.high is not None:
        inside &= values <= column.high
    if column.fractional:
        contents = np.where(missing, np.nan, values.astype(np.float64))
        return contents, ~inside & ~(missing & column.nullable)
    whole = np.where(inside, values, column.offset)
    inside &= whole % 1 == 0
    contents = np.where(inside, whole, column.offset).astype(np.int64) - column.offset
    contents[missing] = -1
    return contents, ~inside & ~(missing & column.nullable)


def _times(chunked: pa.ChunkedArray, column: Column) -> tuple[Array, Array]:
    missing = numbers_of(chunked.is_null())
    seconds = fill_gaps(chunked.cast(pa.timestamp("s"), safe=False).cast(pa.int64()), 0)
    times, where = np.unique(seconds, return_inverse=True)
    # If the column's format cannot express a time, writing and reading a file would change it.
    lost = np.array([not _expresses(column.time_format, t) for t in times.tolist()], bool)
    bad = (missing & (not column.nullable)) | (lost[where] & ~missing)
    first, last = column.bounds
    for beyond, bound in ((np.less, first), (np.greater, last)):
        if bound is not None:
            bad |= beyond(seconds, bound) & ~missing
    return np.where(missing, MISSING_TIME, seconds), bad


def _expresses(form: str, seconds: int) -> bool:
    try:
        moment = datetime.fromtimestamp(seconds, UTC)
        again = datetime.strptime(moment.strftime(form), form).replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError):
        return False
    return again == moment


def _booleans(chunked: pa.ChunkedArray, column: Column) -> pa.ChunkedArray:
    """Truth values in the spelling of the schema: true, True or TRUE."""
    spelled = {value.lower(): value for value in column.values}
    yes, no = (pa.scalar(spelled.get(word, word)) for word in ("true", "false"))
    return pc.if_else(chunked, yes, no)


def _column_to_arrow(column: Column, contents: Array) -> pa.Array:
    if column.listed:
        indices = from_numbers(contents, contents < 0)
        return pa.DictionaryArray.from_arrays(indices, from_texts(column.values))
    if column.whole:
        mask = contents < 0 if column.discrete else np.zeros(len(contents), bool)
        return from_numbers(contents.astype(np.int64) + column.offset, mask)
    if column.fractional:
        return from_numbers(contents, np.isnan(contents))
    if column.temporal:
        seconds = from_numbers(contents, contents == MISSING_TIME)
        return seconds.cast(pa.timestamp("s"))
    if not column.identifying:
        return pa.array(decode_values(column, contents), pa.string())
    if contents.dtype.kind != "U":
        return from_numbers(contents)
    if not column.nullable:
        return pa.array(contents)
    if column.missing:
        return pa.array(np.where(contents == "", column.missing, contents))
    return pa.array(contents, mask=contents == "")
