"""Transactions as a plain table, for columns that a table seldom has: ids, times, prices."""

from quintain.data import Data, Schema, Table
from quintain.data.kinds import flat


def as_rows(data: Data) -> Table:
    """The rows of any data as a table."""
    rows = flat(data)
    return Table(Schema(columns=rows.schema.columns), rows.columns)
