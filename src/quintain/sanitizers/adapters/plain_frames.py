"""Plain frames: tables as other tools read them from a CSV file, and what they give back."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from quintain.data import Table
from quintain.data.arrow import to_arrow
from quintain.data.frames import Library, arrow_of
from quintain.errors import DataError, MissingExtra, PartError


def plain_arrow(table: Table) -> pa.Table:
    """An Arrow table whose categories are plain texts, without the list of all values."""
    arrow = to_arrow(table)
    for place, field in enumerate(arrow.schema):
        if pa.types.is_dictionary(field.type):
            texts = pc.cast(arrow.column(place), field.type.value_type)
            arrow = arrow.set_column(place, field.name, texts)
    return arrow


def plain_frame(table: Table, library: Library) -> Any:
    """A data frame of a library; categories are texts."""
    arrow = plain_arrow(table)
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
