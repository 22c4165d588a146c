"""Associated pairs: which pairs of columns are worth a closer look in a wide table.

The number of pairs grows with the square of the number of columns: three hundred columns have
45,000 of them. Most are independent, and what looks for the strongest dependences needs none of
these.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from quintain.data.arrays import Floats
from quintain.data.table import Table
from quintain.kernels.value_classes import ValueClasses

MANY_COLUMNS = 100
"""Of tables with more columns than this, no longer all pairs are looked at."""
PARTNERS = 16
"""For each column of such a table, pairs with so many others are looked at, and often more."""
_CLASSES = 4
_MOST_RECORDS = 4_000
_COLUMNS_AT_ONCE = 100


def associated_pairs(table: Table) -> list[tuple[str, str]]:
    """All pairs of columns; of a wide table those that seem most associated.

    In a wide table each column comes with the ``PARTNERS`` others with which it seems most
    associated: by chi squared, beyond what chance gives, over at most four classes of each column
    and one of missing values, and over 4,000 records, evenly spread.

    >>> from quintain.testing import example_table
    >>> associated_pairs(example_table(rows=9).select(["colour", "flag"]))
    [('colour', 'flag')]
    """
    names = table.schema.names
    if len(names) <= MANY_COLUMNS or not len(table):
        return list(combinations(names, 2))
    strength = _association(table)
    np.fill_diagonal(strength, -np.inf)
    partners = np.argsort(-strength, axis=1, kind="stable")[:, :PARTNERS]
    pairs = {(min(a, b), max(a, b)) for a, row in enumerate(partners.tolist()) for b in row}
    return [(names[a], names[b]) for a, b in sorted(pairs)]


def _association(table: Table) -> Floats:
    """For each two columns chi squared less its degrees of freedom, from coarse classes."""
    rows = np.unique(np.linspace(0, len(table) - 1, _MOST_RECORDS).astype(np.int64))
    some = table.take(rows) if len(table) > _MOST_RECORDS else table
    codes = [ValueClasses.of(some, name, _CLASSES).encode(some) for name in some.schema.names]
    # Only classes that occur count.
    dummies = [code == np.unique(code)[:, None] for code in codes]
    starts = np.cumsum([0, *map(len, dummies)])
    classes = np.vstack(dummies).astype(np.float32)
    shares = classes.sum(axis=1, dtype=np.float64) / max(1, len(some))
    out = np.empty((len(codes), len(codes)))
    for first in range(0, len(codes), _COLUMNS_AT_ONCE):
        last = min(first + _COLUMNS_AT_ONCE, len(codes))
        lines = slice(starts[first], starts[last])
        together = (classes[lines] @ classes.T).astype(np.float64)  # counts, so exact
        together *= together / np.outer(shares[lines], shares)
        within = np.add.reduceat(together, starts[first:last] - starts[first], axis=0)
        out[first:last] = np.add.reduceat(within, starts[:-1], axis=1)
    size, degrees = max(1, len(some)), np.diff(starts) - 1
    return np.asarray(out / size - size - np.outer(degrees, degrees))
