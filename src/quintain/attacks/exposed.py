"""Exposed records: who stands out of the data before anything is released."""

from __future__ import annotations

import numpy as np

from quintain.attacks.shadows import without_ids
from quintain.data import Table
from quintain.data.arrays import Floats, Rows
from quintain.kernels.cells import cell_counts
from quintain.kernels.distances import gower
from quintain.kernels.neighbours import Neighbours
from quintain.kernels.value_classes import QuantileBins

NEIGHBOURS = 5
"""How many of the nearest other records say how far a record stands out."""


_WORK = 5e9
"""Cells of pairs of records that are compared at most: about ten seconds."""

_BINS = 20  # bins into which numbers are cut where their rarity is counted


def isolation(table: Table, rows: Rows | None = None, *, neighbours: int = NEIGHBOURS) -> Floats:
    """How far records are from others: the mean distance to the nearest other records.

    The distance lets each column count between 0 and 1 (Gower). Two missing values agree. Records
    of a table with too few others are compared with all of them.

    Parameters
    ----------
    rows : the records to look at; by default all.
    neighbours : how many of the nearest other records count.

    References
    ----------
    Meeus, Guepin, Cretu and de Montjoye, Achilles' Heels: Vulnerable Record Identification in
    Synthetic Data Publishing, 2023.

    >>> from quintain.data import Column, Schema, Table
    >>> schema = Schema(columns=(Column(name="age", kind="integer", low=0, high=100),))
    >>> isolation(Table.of(schema, {"age": [30, 31, 33, 90]}), neighbours=2).round(3).tolist()
    [0.02, 0.015, 0.025, 0.58]
    """
    records = without_ids(table)
    chosen = records if rows is None else records.take(rows)
    count = min(neighbours, len(records) - 1)
    if count < 1:
        return np.zeros(len(chosen))
    index = Neighbours(records, gower(records.schema, [records]))
    # The nearest record of all is the record itself, or one that equals it.
    return np.asarray(index.k_nearest(chosen, count + 1)[0][:, 1:].mean(axis=1))


def rarity(table: Table) -> Floats:
    r"""How rare the values of each record are, column by column.

    $$ - sum_j log share(x_j) $$

    Numbers and times without a finite domain are cut into 20 bins of equal size.

    >>> from quintain.data import Column, Schema, Table
    >>> schema = Schema(columns=(Column(name="sex", kind="category", values=("f", "m")),))
    >>> rarity(Table.of(schema, {"sex": ["f", "f", "f", "m"]})).round(2).tolist()
    [0.29, 0.29, 0.29, 1.39]
    """
    records = without_ids(table)
    coded = QuantileBins.of(records, _BINS).encode(records)
    counts = [cell_counts(coded, (name,), coded) for name in coded.schema.names]
    return np.asarray(-np.sum([np.log(count / len(coded)) for count in counts], axis=0))


def most_exposed(table: Table, count: int, *, neighbours: int = NEIGHBOURS) -> Rows:
    """The rows of the records that stand out most, the most isolated first.

    Synthetic data and other releases protect such people least, so audits look at them first. The
    choice needs no release and no attack. Of equally isolated records the first one wins. In a
    table so large that comparing all pairs takes minutes, only the records with the rarest values
    are compared with all others.

    >>> from quintain.data import Column, Schema, Table
    >>> schema = Schema(columns=(Column(name="age", kind="integer", low=0, high=100),))
    >>> most_exposed(Table.of(schema, {"age": [30, 31, 33, 90]}), 2, neighbours=2).tolist()
    [3, 2]
    """
    affordable = int(_WORK / max(1, len(table) * len(table.schema.attributes)))
    rows = np.arange(len(table))
    if max(count, affordable) < len(table):
        rarest = np.argsort(-rarity(table), kind="stable")
        rows = np.sort(rarest[: max(count, affordable)])
    away = isolation(table, rows, neighbours=neighbours)
    return rows[np.argsort(-away, kind="stable")[: max(0, count)]]
