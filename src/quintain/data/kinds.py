"""The three kinds of data, and the way from rows to a kind and back."""

from __future__ import annotations

from quintain.data.columns import Columns
from quintain.data.series import Series
from quintain.data.table import Table
from quintain.data.transactions import Transactions
from quintain.errors import PartError

Data = Table | Transactions | Series


def as_table(data: Data) -> Table:
    """The data if they are a table; parts that read only tables refuse other data with this."""
    if isinstance(data, Table):
        return data
    raise PartError(f"this works on a table, not on {data.schema.shape}")


def shaped(rows: Columns) -> Data:
    """Rows as the kind of data their schema describes."""
    if rows.schema.shape == "transactions":
        return Transactions(rows.schema, rows.columns)
    if rows.schema.shape == "series":
        return Series.from_rows(rows)
    return Table(rows.schema, rows.columns)


def flat(data: Data) -> Columns:
    """Any data as rows: one per person, purchase or point in time."""
    return data.to_rows() if isinstance(data, Series) else data
