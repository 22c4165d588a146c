"""Kinds: the three kinds of data, and how to turn rows into a kind and back."""

from __future__ import annotations

from quintain.data.columns import Columns
from quintain.data.series import Series
from quintain.data.table import Table
from quintain.data.transactions import Transactions
from quintain.errors import PartError

Data = Table | Transactions | Series


def as_table(data: Data) -> Table:
    """The data if they are a table; raises otherwise, for parts that read only tables."""
    if isinstance(data, Table):
        return data
    raise PartError(f"expected a table with one row per person, not {data.schema.shape}")


def to_kind(rows: Columns) -> Data:
    """Rows as the kind of data their schema describes."""
    if rows.schema.shape == "transactions":
        return Transactions(rows.schema, rows.columns)
    if rows.schema.shape == "series":
        return Series.from_rows(rows)
    return Table(rows.schema, rows.columns)


def flat(data: Data) -> Columns:
    """Data of any kind as rows: one per person, per purchase or per point in time."""
    return data.to_rows() if isinstance(data, Series) else data
