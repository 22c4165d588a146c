"""Cells: how often combinations of values occur."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from quintain.data.arrays import Floats, Rows
from quintain.data.table import Table


def cell_keys(table: Table, names: Sequence[str]) -> Rows:
    """One number per row that encodes its values in some discrete columns.

    Equal values give equal numbers, in any table of the same schema. A missing value counts as a
    value.

    >>> from quintain.testing import example_table
    >>> keys = cell_keys(example_table(rows=4), ["colour", "flag"])
    >>> len(keys), keys.dtype.name
    (4, 'int64')
    """
    keys = np.zeros(len(table), np.int64)
    space = 1
    for name in names:
        size = table.schema[name].size + 1
        space *= size
        if space >= 2**62:
            raise ValueError(f"too many combinations of {', '.join(names)} to number them")
        keys = keys * size + (table.columns[name].astype(np.int64) + 1)
    return keys


def cell_counts(table: Table, names: Sequence[str], at: Table) -> Floats:
    """How many rows of ``table`` agree with each row of ``at`` in some columns.

    >>> from quintain.testing import example_table
    >>> table = example_table(rows=50)
    >>> int(cell_counts(table, ["flag"], table.take([0]))[0]) == int(
    ...     (table.columns["flag"] == table.columns["flag"][0]).sum())
    True
    """
    if not names:
        return np.full(len(at), float(len(table)))
    present, counts = np.unique(cell_keys(table, names), return_counts=True)
    wanted = cell_keys(at, names)
    place = np.minimum(np.searchsorted(present, wanted), max(len(present) - 1, 0))
    if not len(present):
        return np.zeros(len(at))
    return np.where(present[place] == wanted, counts[place], 0).astype(np.float64)
