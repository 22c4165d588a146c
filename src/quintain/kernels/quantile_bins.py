"""Quantile bins: numbers and times cut at quantiles of public data.

Attacks and measures use them: they may look at the records that they compare, and nothing is drawn
back. A sanitizer must not take its bins from private records; it uses :mod:`quintain.data.coding`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from quintain.data.arrays import Codes, Floats
from quintain.data.schema import Column, Schema
from quintain.data.table import Table
from quintain.kernels.dummies import numbers


@dataclass(frozen=True, eq=False)
class QuantileBins:
    """How numbers and times without a finite domain are cut into bins of about equal size.

    Columns with a finite domain stay as they are, so a table of such columns is its own result. A
    missing value stays missing. The bins come from the records of one table: use the release or
    another public table where the result is public.

    >>> schema = Schema(columns=(Column(name="gain", kind="real", nullable=True),))
    >>> table = Table(schema, {"gain": np.array([0, 0, 0, 1.5, 2, 7, 8, np.nan])})
    >>> bins = QuantileBins.of(table, 4)
    >>> bins.encode(table).columns["gain"].tolist()
    [0, 0, 0, 1, 1, 2, 2, -1]

    Parameters
    ----------
    schema : the columns of the tables to encode.
    starts : for each column to cut, the least value of every bin but the first, in order.
    """

    schema: Schema
    starts: Mapping[str, Floats]

    @classmethod
    def of(cls, table: Table, count: int) -> QuantileBins:
        """Cut at the quantiles of a table, so that each column has about ``count`` bins.

        A value so common that it fills a bin is a bin of its own. With 0, nothing is cut.
        """
        open_ended = [c for c in table.schema.attributes if count and not c.discrete]
        starts = {c.name: bin_starts(numbers(c, table), count) for c in open_ended}
        return cls(table.schema, starts)

    @cached_property
    def coded(self) -> Schema:
        """The schema of the results: a column that is cut becomes an integer."""
        return self.schema.model_copy(
            update={"columns": tuple(self._bin_column(column) for column in self.schema.columns)}
        )

    def encode(self, table: Table) -> Table:
        """The table with the number of the bin in place of each number or time."""
        if not self.starts:
            return table
        coded = {name: self._encode(table, name) for name in self.starts}
        return Table(self.coded, {**table.columns, **coded})

    def _bin_column(self, column: Column) -> Column:
        if column.name not in self.starts:
            return column
        last = len(self.starts[column.name])
        facts = {"name": column.name, "role": column.role, "nullable": column.nullable}
        return Column.model_validate({**facts, "kind": "integer", "low": 0, "high": last})

    def _encode(self, table: Table, name: str) -> Codes:
        values = numbers(self.schema[name], table)
        codes = np.searchsorted(self.starts[name], values, side="right").astype(np.int32)
        codes[np.isnan(values)] = -1
        return codes


def binned_tables(original: Table, release: Table, count: int) -> tuple[Table, Table]:
    """Both tables in ``count`` bins per column, cut at the quantiles of the original."""
    bins = QuantileBins.of(original, count)
    return bins.encode(original), bins.encode(release)


def bin_starts(values: Floats, count: int) -> Floats:
    """The least value of every bin but the first, for about ``count`` bins of equal size.

    >>> bin_starts(np.array([1.0, 2, 3, 4, 5, 6]), 3).tolist()
    [3.0, 5.0]
    """
    values = np.sort(values[~np.isnan(values)])
    if not len(values):
        return np.zeros(0)
    count = min(count, len(values))  # so that two equal cuts mean a common value
    cuts = values[np.arange(1, count) * len(values) // count]
    cut, times = np.unique(cuts, return_counts=True)
    with np.errstate(over="ignore"):  # nothing is above the largest number of all
        above = np.nextafter(cut[times > 1], np.inf)
    starts = np.unique(np.concatenate([cut, above]))
    return np.asarray(starts[starts > values[0]])
