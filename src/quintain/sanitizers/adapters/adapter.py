"""Adapter: what sanitizers of other makers have in common.

They read plain frames, as they would from a CSV file, and give back what may need mending. Other
tools write 39.7 years, or 1.0 for the category 1. What has one clear meaning is corrected and
counted; everything else is refused with a sentence.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quintain.data import Data, Schema, Table, as_table
from quintain.data.arrays import Array
from quintain.data.arrow import cell_texts, from_arrow, to_arrow
from quintain.data.column import Column
from quintain.data.frames import Library, arrow_of
from quintain.data.learning.decisions import decide
from quintain.data.learning.facts import typed_facts
from quintain.data.written_table import WrittenCells, WrittenTable, written_numbers
from quintain.errors import DataError, MissingExtra, PartError
from quintain.randomness.noise import Noise
from quintain.releases import Method, Release, Sanitized, Trace
from quintain.sanitizers.sanitizer import Sanitizer

_DAY = 86_400
_INDEXES = ("__index_level_0__", "Unnamed: 0", "")
"""How pandas calls an index that became a column by accident."""
MISSING_LABEL = "<NA>"
"""What stands for a missing category where a tool cannot have missing ones."""


SEED_BYTES = 32
SHORT_SEED = "it has a seed of 32 bits, so others can guess all noise that follows from it"


def short_seed(seed: int) -> int:
    """The part of a seed that every tool takes: 32 bits."""
    return seed % 2**32


class Adapter(Sanitizer):
    """A sanitizer that somebody else wrote; we see what it makes, and nothing of how.

    Its noise is its own. We can give it a seed, which comes from the privacy noise, but nothing
    proves that its noise protects anybody, so a release of an adapter claims nothing. Many tools
    take a seed of 32 bits at most, and anybody who tries all of them finds the noise. The card of
    such a release says so.

    Attributes
    ----------
    reads_cells : whether it gets the cells of a file or frame as they are, ids and texts as well,
        where there are some; if not, it gets the attributes as the schema has them.

    Parameters
    ----------
    own_columns : whether its releases are read as their cells alone show them, as strangers do. If
        not, columns of the data keep the domains that they have there.
    """

    label: ClassVar[str] = "sanitizer of another maker"
    reads_cells: ClassVar[bool] = False

    own_columns: bool = False

    @classmethod
    def examples(cls) -> list[Any]:
        """None: an adapter needs something to adapt."""
        return []

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Run it, and read what it made: in the columns of the data where it can be, or in others.

        A column that it leaves out, adds or writes otherwise is a fact about its release.
        """
        table = as_table(data)
        arrow = self.run(table, seed=int.from_bytes(noise.bytes(SEED_BYTES), "little"))
        known = () if self.own_columns else table.schema.columns
        released, remarks = read_released(arrow, known, self.label)
        guessed = (SHORT_SEED,) if self.has_short_seed() else ()
        detail = "; ".join([self.describe(), *remarks, *guessed])
        method = Method(name="sanitizer of another maker", detail=detail)
        return Sanitized(Release(released, methods=(method,)), Trace())

    @abstractmethod
    def run(self, table: Table, *, seed: int) -> pa.Table:
        """What it makes of a table; the seed has 256 bits, see :func:`short_seed`."""

    @abstractmethod
    def has_short_seed(self) -> bool:
        """Whether what it draws may follow from a seed of 32 bits."""

    @abstractmethod
    def describe(self) -> str:
        """What is adapted, in words."""

    def with_parameter(self, name: str, value: Any) -> Self:
        """Refuse: what is adapted has its parameters already."""
        raise PartError(
            f"{self.describe()} has its parameters already: only a command takes {name} from here"
        )

    def parameters(self) -> dict[str, Any]:
        """What is adapted, in words: a live object cannot be written to a file."""
        return {"adapts": self.describe()}


def read_released(arrow: pa.Table, known: Sequence[Column], label: str) -> tuple[Table, list[str]]:
    """What was released as a table, and what had to be corrected, in words.

    Numbers are rounded to integers where the data have integers, and moved to the nearest bound
    where they are outside. Labels of categories may be written as other numbers: 1.0 for 1. A
    column whose cells do not fit nevertheless, and one that the data do not have, is what its cells
    say.

    Parameters
    ----------
    known : the columns of the data.
    label : what released it, for messages.
    """
    names = [column.name for column in known]
    extra = [n for n in arrow.column_names if n not in names and n in _INDEXES]
    arrow = arrow.drop_columns(extra)
    _require_columns(arrow.column_names, label)
    columns, contents, remarks = [], {}, []
    lost = [name for name in names if name not in arrow.column_names]
    remarks = [f"without the columns {', '.join(lost)}"] if lost else []
    for column in [c for c in known if c.name in arrow.column_names]:
        cells, remark = _mend(arrow.column(column.name), column)
        ways = chain(_wider(column, cells), _learn_column(column.name, arrow, label))
        own, contents[column.name] = _read_column(ways, label)
        columns.append(own)
        remarks += [remark] if remark and own == column else []
    for name in arrow.column_names:
        if name not in names:
            own, contents[name] = _read_column(_learn_column(name, arrow, label), label)
            columns.append(own)
    return Table(Schema(columns=tuple(columns)), contents), remarks


_Way = tuple[Column, pa.ChunkedArray]
"""A column, and the cells that may fit into it."""


def _require_columns(names: Sequence[str], label: str) -> None:
    """Raise if a release has no column, or two with the same name."""
    twice = [name for name in dict.fromkeys(names) if names.count(name) > 1]
    if twice or not names:
        what = f"{len(twice)} names of columns twice: {', '.join(twice)}" if twice else "no column"
        raise PartError(f"the {label} released {what}")


def _read_column(ways: Iterable[_Way], label: str) -> tuple[Column, Array]:
    """The first column into which all of its cells fit."""
    faults = []
    for column, cells in ways:
        table, schema = pa.table({column.name: cells}), Schema(columns=(column,))
        try:
            return column, as_table(from_arrow(table, schema, label)).columns[column.name]
        except DataError as error:
            faults.append(str(error))
    raise PartError(f"the {label} released what nobody can read:\n{faults[0]}")


def _wider(column: Column, cells: pa.ChunkedArray) -> Iterator[_Way]:
    """The column of the data, then the same with gaps, then with more values after its own."""
    yield column, cells
    if not column.whole or column.discrete:
        column = column.model_copy(update={"nullable": True})
        yield column, cells
    if column.listed:
        texts = set(pc.unique(cell_texts(cells)).drop_null().to_pylist())
        more = sorted(texts - {"", column.missing, *column.values})
        yield column.model_copy(update={"values": (*column.values, *more)}), cells


def _learn_column(name: str, arrow: pa.Table, label: str) -> Iterator[_Way]:
    """What the cells themselves say; texts that are no attributes are ids."""
    cells = arrow.column(name)
    if pa.types.is_string(cells.type) and (numbers := written_numbers(cells)) is not None:
        cells = numbers.read(cells)
    try:
        column = decide(typed_facts(name, cells), "release").column
    except ValueError as problem:
        raise PartError(f"the {label} released a column {name!r} that {problem}") from None
    if column is not None:
        yield column, cells
    yield Column(name=name, kind="id", nullable=True), arrow.column(name)


def _mend(cells: pa.ChunkedArray, column: Column) -> tuple[pa.ChunkedArray, str]:
    if column.listed:
        return _labels(cells, column), ""
    if column.numeric:
        return _numbers(cells, column)
    if column.temporal and pa.types.is_temporal(cells.type):
        return _times(cells, column)
    return cells, ""


def _labels(cells: pa.ChunkedArray, column: Column) -> pa.ChunkedArray:
    """The cells with labels that are spelled as in the schema, where it is clear which is meant."""
    if pa.types.is_dictionary(cells.type):
        cells = pc.cast(cells, cells.type.value_type)
    if pa.types.is_boolean(cells.type):
        return cells
    by_number = {_number(value): value for value in column.values}
    encoded = pc.cast(cells, pa.string()).combine_chunks().dictionary_encode()
    texts = encoded.dictionary.to_pylist()
    known = set(column.values)
    spelled = [_spell(text, known, by_number, column) for text in texts]
    return pa.chunked_array([pa.array(spelled, pa.string()).take(encoded.indices)])


def _spell(
    text: str, known: set[str], by_number: dict[float | None, str], column: Column
) -> str | None:
    if text in known:
        return text
    if text in ("nan", "NaN", "None", MISSING_LABEL) or text == column.missing:
        return None
    number = _number(text)
    return text if number is None else by_number.get(number, text)


def _number(text: str) -> float | None:
    try:
        number = float(text)
    except ValueError:
        return None
    return number if math.isfinite(number) else None


def _numbers(cells: pa.ChunkedArray, column: Column) -> tuple[pa.ChunkedArray, str]:
    if pa.types.is_dictionary(cells.type):
        cells = pc.cast(cells, cells.type.value_type)
    try:
        values = pc.cast(cells, pa.float64(), safe=False).to_numpy(zero_copy_only=False)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError):
        return cells, ""  # texts among the numbers: the schema refuses each of them
    if not np.isfinite(values[~np.isnan(values)]).all():
        return cells, ""
    mended = np.rint(values) if column.whole else values
    mended = np.clip(mended, column.low, column.high)
    outside = int((abs(mended - values) > (0.5 if column.whole else 0)).sum())
    if column.whole and pa.types.is_integer(cells.type) and not outside:
        return cells, ""  # large integers are not exact as floats
    array = pa.array(mended, mask=np.isnan(mended))
    if column.whole and not (abs(np.nan_to_num(mended)) >= 2.0**53).any():
        array = pc.cast(array, pa.int64())
    return pa.chunked_array([array]), _say_moved(column, outside)


def _times(cells: pa.ChunkedArray, column: Column) -> tuple[pa.ChunkedArray, str]:
    first, last = column.bounds
    seconds = cells.cast(pa.timestamp("s"), safe=False).cast(pa.int64())
    values = seconds.fill_null(0).to_numpy()
    if "%H" not in column.time_format and "%I" not in column.time_format:
        values = (values + _DAY // 2) // _DAY * _DAY  # the nearest day
    mended = np.clip(values, first, last) if (first, last) != (None, None) else values
    missing = cells.is_null().to_numpy()
    outside = int((mended != values)[~missing].sum())
    array = pa.array(mended.astype(np.int64), mask=missing).cast(pa.timestamp("s"))
    # As texts, times are only as exact as the format can express.
    texts = pc.strftime(array, format=column.time_format)
    return pa.chunked_array([texts]), _say_moved(column, outside)


def _say_moved(column: Column, outside: int) -> str:
    return f"{column.name}: {outside} values moved to the nearest bound" if outside else ""


def plain_arrow(table: Table, *, label_missing: bool = False) -> pa.Table:
    """An Arrow table whose categories are plain texts, without the list of all values.

    ``label_missing`` gives missing categories a label, which :func:`read_released` understands.
    """
    arrow = to_arrow(table)
    for place, field in enumerate(arrow.schema):
        if pa.types.is_dictionary(field.type):
            texts = pc.cast(arrow.column(place), field.type.value_type)
            texts = pc.fill_null(texts, MISSING_LABEL) if label_missing else texts
            arrow = arrow.set_column(place, field.name, texts)
    return arrow


def written_arrow(table: Table) -> pa.Table:
    """The cells of a file or frame as they are there, or those of data that have no other."""
    return table.cells.to_arrow() if isinstance(table, WrittenTable) else plain_arrow(table)


def with_cells(
    sanitizer: Sanitizer, data: Data, cells: Callable[[], WrittenCells | None] | None
) -> Data:
    """The data with the cells that they were read from, if the sanitizer reads these.

    ``cells`` gives them, or None if the data were not read from any.
    """
    written = cells() if cells is not None and reads_cells(sanitizer) else None
    return data if written is None else WrittenTable(data.schema, as_table(data).columns, written)


def reads_cells(sanitizer: Sanitizer) -> bool:
    """Whether a sanitizer gets the cells of a file or frame as they are, in all columns."""
    return isinstance(sanitizer, Adapter) and sanitizer.reads_cells


def frame_of(arrow: pa.Table, library: Library, *, keep_whole: bool = True) -> Any:
    """An Arrow table as a data frame of a library.

    ``keep_whole`` gives whole numbers with gaps the type Int64 in pandas, so that 7 stays 7.
    """
    if library == "pyarrow":
        return arrow
    try:
        if library == "polars":
            import polars

            return polars.from_arrow(arrow)
        import pandas  # noqa: F401
    except ImportError:
        raise MissingExtra(f"a {library} data frame", library, "frames") from None
    whole = [column.name for column in arrow.schema if pa.types.is_integer(column.type)]
    gaps = {name: "Int64" for name in whole if keep_whole and arrow.column(name).null_count}
    return arrow.to_pandas().astype(gaps)


def plain_table(made: Any, names: Sequence[str], label: str) -> pa.Table:
    """What a tool gave back, as an Arrow table: a data frame, or a matrix with all columns."""
    import numpy as np

    if isinstance(made, np.ndarray):
        if made.ndim != 2 or made.shape[1] != len(names):
            raise PartError(
                f"the {label} returned an array of shape {made.shape}; expected {len(names)} "
                f"columns: {', '.join(names)}"
            )
        return pa.table({name: pa.array(made[:, i].tolist()) for i, name in enumerate(names)})
    try:
        return arrow_of(made)
    except DataError as error:
        raise PartError(f"the {label} returned no data frame: {error}") from None
