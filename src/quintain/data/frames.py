"""Data frames in and out: pandas, polars, pyarrow, through narwhals."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from quintain.data.arrow import from_arrow, to_arrow
from quintain.data.kinds import Data
from quintain.data.schema import Schema
from quintain.errors import DataError, Faults, MissingExtra


def from_frame(frame: Any, schema: Schema) -> Data:
    """Data from a pandas or polars data frame, or a pyarrow table; every fault at once."""
    import narwhals.stable.v2 as nw

    faults = Faults("data frame")
    try:
        arrow = nw.from_native(frame, eager_only=True).to_arrow()
    except pa.ArrowException as problem:
        faults.add(f"cannot be read: {problem}")
        raise DataError(faults.found) from None
    data = from_arrow(arrow, schema, faults, lambda row: row)
    faults.raise_if_any(DataError)
    assert data is not None  # no data without a fault
    return data


def to_pandas(data: Data) -> Any:
    """A pandas data frame; categories stay categories."""
    try:
        import pandas  # noqa: F401
    except ImportError:
        raise MissingExtra("a pandas data frame", "pandas", "frames") from None
    return to_arrow(data).to_pandas()


def to_polars(data: Data) -> Any:
    """A polars data frame."""
    try:
        import polars
    except ImportError:
        raise MissingExtra("a polars data frame", "polars", "frames") from None
    return polars.from_arrow(to_arrow(data))
