"""Frames: read and write the data frames of pandas, polars and pyarrow."""

from __future__ import annotations

from typing import Any, Literal, Protocol, cast

import pyarrow as pa

from quintain.data.arrow import from_arrow, to_arrow
from quintain.data.kinds import flat
from quintain.data.schema import Schema
from quintain.data.shape import Data
from quintain.errors import DataError, Faults, MissingExtra

Library = Literal["pandas", "polars", "pyarrow"]
"""The libraries whose frames are read and written."""


class Frame(Protocol):
    """A data frame of pandas, polars or pyarrow, as far as type checkers know it."""

    @property
    def columns(self) -> Any:
        """The columns or their names; the libraries differ in this."""

    def __len__(self) -> int:
        """How many rows there are."""


def from_frame(frame: Any, schema: Schema) -> Data:
    """Data from a pandas or polars data frame, or a pyarrow table; raises with every fault.

    The index of a pandas data frame is not read; use ``reset_index`` to make it a column.
    """
    return from_arrow(arrow_of(frame), schema, "data frame")


def arrow_of(frame: Any, role: str = "data frame") -> pa.Table:
    """A data frame as an Arrow table, without the index of a pandas data frame.

    ``role`` is what faults call the frame.
    """
    import narwhals.stable.v2 as nw

    faults = Faults(role)
    try:
        if library_of(frame) == "pandas":
            return pa.Table.from_pandas(_plain(frame), preserve_index=False)
        _require_plain_columns(frame, faults)
        return nw.from_native(frame, eager_only=True).to_arrow()
    except pa.ArrowException as problem:
        _tell_mixed_columns(frame, faults)
        if not faults.findings:
            faults.add(f"cannot be read: {'; '.join(map(str, problem.args))}")
    except nw.exceptions.DuplicateError:
        names = list(getattr(frame, "column_names", frame.columns))
        for name in dict.fromkeys(name for name in names if names.count(name) > 1):
            faults.add("this column appears twice", column=str(name))
    raise DataError(faults.findings)


def _plain(frame: Any) -> Any:
    """A pandas data frame whose columns all have types that Arrow knows, as texts if need be.

    Periods become their texts, such as 2020-01, and intervals theirs, such as (20, 30].
    """
    import pandas as pd

    if not frame.columns.is_unique:
        return frame
    plain = {}
    for name, kind in frame.dtypes.items():
        column = frame[name]
        if isinstance(kind, pd.SparseDtype):
            plain[name] = column.sparse.to_dense()
        elif isinstance(kind, pd.PeriodDtype | pd.IntervalDtype):
            plain[name] = column.astype("string").where(column.notna())
        elif isinstance(kind, pd.CategoricalDtype) and isinstance(
            kind.categories.dtype, pd.PeriodDtype | pd.IntervalDtype
        ):
            plain[name] = column.cat.rename_categories(kind.categories.astype(str))
    return frame.assign(**plain) if all(isinstance(name, str) for name in plain) else frame


def _require_plain_columns(frame: Any, faults: Faults) -> None:
    """Raise for columns of a polars data frame with objects of Python, which Arrow cannot read."""
    for name, kind in getattr(frame, "schema", {}).items() if library_of(frame) == "polars" else ():
        if str(kind) == "Object":
            faults.add(
                "has objects; make them texts or numbers, or leave the column out", column=name
            )
    faults.raise_if_any(DataError)


def _tell_mixed_columns(frame: Any, faults: Faults) -> None:
    """Name each column of a pandas data frame whose cells Arrow has no common type for."""
    for position, name in enumerate(frame.columns):
        cells = frame.iloc[:, position]
        try:
            pa.array(cells, from_pandas=True)
        except pa.ArrowException:
            kinds = sorted({type(cell).__name__ for cell in cells.dropna()})
            several = "that have no type in common" if len(kinds) > 1 else "that are not read"
            row, cell = next(
                (row, cell)
                for row, cell in enumerate(cells)
                if type(cell).__name__ in kinds and (len(kinds) == 1 or not _like(cells, cell))
            )
            faults.add(
                f"has cells {several} ({', '.join(kinds)}), such as {str(cell)[:30]!r} in row "
                f"{row}, counted from 0; make them texts or numbers, for "
                'example with .astype("string"), or leave the column out',
                column=str(name),
            )


def _like(cells: Any, cell: Any) -> bool:
    """Whether the first cell with a value has the same type as this one."""
    return type(cells.dropna().iloc[0]) is type(cell)


def is_frame(given: Any) -> bool:
    """Whether something is a data frame of a library that we read."""
    try:
        library_of(given)
    except DataError:
        return False
    return True


def library_of(frame: Any) -> Library:
    """The library that a data frame comes from; raises if it is none that we read."""
    import narwhals.stable.v2 as nw

    try:
        name = nw.get_native_namespace(nw.from_native(frame, eager_only=True)).__name__
    except TypeError:
        name = ""
    if name not in ("pandas", "polars", "pyarrow"):
        faults = Faults()
        kind = type(frame).__name__
        hint = "; call .collect() first" if kind == "LazyFrame" else ""
        hint = "; call .to_frame() first" if kind == "Series" else hint
        faults.add(f"expected a pandas, polars or pyarrow data frame, not a {kind}{hint}")
        raise DataError(faults.findings)
    return cast(Library, name)


def to_frame(data: Data, library: Library) -> Any:
    """Data as a data frame of the given library."""
    if library == "pyarrow":
        return to_arrow(data)
    return to_pandas(data) if library == "pandas" else to_polars(data)


def to_pandas(data: Data) -> Any:
    """Data as a pandas data frame: categories are categoricals, integers with gaps are Int64."""
    try:
        import pandas  # noqa: F401
    except ImportError:
        raise MissingExtra("a pandas data frame", "pandas", "frames") from None
    arrow = to_arrow(data)
    whole = [field.name for field in arrow.schema if field.type == pa.int64()]
    gaps = {name: "Int64" for name in whole if arrow.column(name).null_count}
    frame = arrow.to_pandas().astype(gaps)
    for column in flat(data).schema.columns:
        if column.ordered:
            frame[column.name] = frame[column.name].cat.as_ordered()
    return frame


def to_polars(data: Data) -> Any:
    """Data as a polars data frame; categories stay categories."""
    try:
        import polars
    except ImportError:
        raise MissingExtra("a polars data frame", "polars", "frames") from None
    return polars.from_arrow(to_arrow(data))
