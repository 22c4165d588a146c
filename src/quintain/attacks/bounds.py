"""Bounds: how far apart the numbers of a column can be, from the schema or from public data."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from quintain.data import Column, Schema, Table
from quintain.errors import PartError
from quintain.kernels.distances import Distance
from quintain.kernels.dummies import numbers

_LEAST = 1e-150  # a column whose numbers are closer together than this says nothing


def span(column: Column, tables: Sequence[Table]) -> float:
    """The width of a column's range: between the bounds of the schema, or else of some tables.

    >>> from quintain.data import Column, Schema, Table
    >>> wage = Column(name="wage", kind="real", low=0)
    >>> span(wage, [Table.of(Schema(columns=(wage,)), {"wage": [12.5, 20.0]})])
    20.0
    """
    low, high = column.bounds
    if low is None or high is None:
        values = np.concatenate([numbers(column, table) for table in tables])
        values = values[~np.isnan(values)]
        if not len(values):
            return 0.0
        low = values.min() if low is None else low
        high = values.max() if high is None else high
    width = max(0.0, float(high) - float(low))
    if width == np.inf:
        raise PartError(f"{column.name!r} has numbers too large to compare: scale the column")
    return width


def spans(schema: Schema, tables: Sequence[Table]) -> dict[str, float]:
    """The width of the range of every number and time of a schema."""
    numeric = [column for column in schema.attributes if column.kind != "category"]
    return {column.name: span(column, tables) for column in numeric}


def gower(schema: Schema, tables: Sequence[Table]) -> Distance:
    """The distance in which every column counts between 0 and 1.

    A number or time is scaled by the range of the schema, or else by its range in some tables.

    >>> from quintain.data import Column, Schema, Table
    >>> schema = Schema(columns=(Column(name="wage", kind="real"),))
    >>> gower(schema, [Table.of(schema, {"wage": [10.0, 20.0]})]).weights
    {'wage': 0.1}
    """
    unbounded = [c.name for c in schema.attributes if None in (c.low, c.high)]
    widths = spans(schema.select(unbounded), tables)
    return Distance(
        "gower", {name: 1 / width if width > _LEAST else 0.0 for name, width in widths.items()}
    )
