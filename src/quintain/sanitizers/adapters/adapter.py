"""Adapter: what sanitizers of other makers have in common.

They read plain frames, as they would from a CSV file, and give back what may need mending. Other
tools write 39.7 years, or 1.0 for the category 1. What has one clear meaning is corrected and
counted; everything else is refused with a sentence.
"""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from quintain.data import Data, Schema, Table, as_table
from quintain.data.arrow import from_arrow, to_arrow
from quintain.data.frames import Library, arrow_of
from quintain.data.schema import Column
from quintain.errors import DataError, MissingExtra, PartError
from quintain.noise import Noise
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
    """

    label: ClassVar[str] = "sanitizer of another maker"

    @classmethod
    def examples(cls) -> list[Any]:
        """None: an adapter needs something to adapt."""
        return []

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Run it, and put what it made under the schema of the data."""
        table = as_table(data)
        arrow = self.run(table, seed=int.from_bytes(noise.bytes(SEED_BYTES), "little"))
        released, remarks = coerce(arrow, table.schema, self.label)
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


def coerce(arrow: pa.Table, schema: Schema, label: str) -> tuple[Table, list[str]]:
    """A table under the schema, and what had to be corrected, in words.

    Numbers are rounded to integers where the schema has integers, and moved to the nearest bound
    where they are outside. Labels of categories may be written as other numbers: 1.0 for 1.
    """
    extra = [n for n in arrow.column_names if n not in schema and n in _INDEXES]
    arrow = arrow.drop_columns(extra)
    remarks = []
    for column in schema.columns:
        if arrow.column_names.count(column.name) != 1:
            continue  # the check of the columns says so
        place = arrow.column_names.index(column.name)
        cells, remark = _mend(arrow.column(place), column)
        arrow = arrow.set_column(place, column.name, cells)
        remarks += [remark] if remark else []
    try:
        return as_table(from_arrow(arrow, schema, "data frame")), remarks
    except DataError as error:
        raise PartError(f"the {label} released what the data cannot hold:\n{error}") from None


def _mend(cells: pa.ChunkedArray, column: Column) -> tuple[pa.ChunkedArray, str]:
    if column.kind == "category":
        return _labels(cells, column), ""
    if column.kind in ("integer", "real"):
        return _numbers(cells, column)
    if column.kind == "time" and pa.types.is_temporal(cells.type):
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
    mended = np.rint(values) if column.kind == "integer" else values
    mended = np.clip(mended, column.low, column.high)
    outside = int((abs(mended - values) > (0.5 if column.kind == "integer" else 0)).sum())
    if column.kind == "integer" and pa.types.is_integer(cells.type) and not outside:
        return cells, ""  # large integers are not exact as floats
    array = pa.array(mended, mask=np.isnan(mended))
    if column.kind == "integer" and not (abs(np.nan_to_num(mended)) >= 2.0**53).any():
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

    ``label_missing`` gives missing categories a label, which :func:`coerce` understands.
    """
    arrow = to_arrow(table)
    for place, field in enumerate(arrow.schema):
        if pa.types.is_dictionary(field.type):
            texts = pc.cast(arrow.column(place), field.type.value_type)
            texts = pc.fill_null(texts, MISSING_LABEL) if label_missing else texts
            arrow = arrow.set_column(place, field.name, texts)
    return arrow


def plain_frame(table: Table, library: Library, *, label_missing: bool = False) -> Any:
    """A data frame of a library; categories are texts; see :func:`plain_arrow`."""
    arrow = plain_arrow(table, label_missing=label_missing)
    if library == "pyarrow":
        return arrow
    try:
        if library == "polars":
            import polars

            return polars.from_arrow(arrow)
        return arrow.to_pandas()
    except ImportError:
        raise MissingExtra(f"a {library} data frame", library, "frames") from None


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
