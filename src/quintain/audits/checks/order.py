"""Order: do the released rows follow the rows of the original?

Who knows where somebody stands in the original, because it is sorted by name or by the day of
admission, then knows their row in the release, whatever its cells say.
"""

from __future__ import annotations

import math

import numpy as np

from quintain.audits.results import RowOrder
from quintain.data import Table
from quintain.data.arrays import Array, Floats, Rows, number_values
from quintain.kernels.distances import gower
from quintain.kernels.neighbours import Neighbours
from quintain.kernels.ranks import average_ranks
from quintain.measures import Reading
from quintain.measures.reading import tail

LEVEL = 0.01
"""From this p-value on, the order is an alarm if the correlation is worth a word."""
LEAST = 0.1
"""The smallest rank correlation that is worth a word: in large tables, less is significant."""
MOST_ROWS, MOST_PEOPLE = 2_000, 20_000
"""How many released rows are matched with how many rows of the original."""
FEWEST_ROWS = 20
DRAWS = 999
_BLOCKS = 0.2
"""A column with at most so many different values per row may come in blocks."""


def row_order(original: Table, release: Table, *, rng: np.random.Generator) -> RowOrder | None:
    """Compare the row numbers of released records with those of their nearest originals.

    Equally near rows of the original are chosen at random. A release that is sorted by its own
    columns tells nothing by that, even if the original is sorted alike. So rows are compared only
    with rows that have the same values in the columns by which the release is sorted, and p comes
    from permutations of such rows. None if there is nothing to compare.

    >>> from quintain.testing import unique_people
    >>> table = unique_people(rows=100)
    >>> rng = np.random.default_rng(0)
    >>> followed, mixed = (
    ...     row_order(table, table.take(rows), rng=rng)
    ...     for rows in (np.arange(100), rng.permutation(100)))
    >>> followed.alarm, round(followed.correlation.value, 2), mixed.alarm
    (True, 1.0, False)
    """
    if min(len(original), len(release)) < FEWEST_ROWS:
        return None
    strata = sorted_strata(release)
    rows = _draw(len(release), MOST_ROWS, rng)
    known = rng.permutation(_draw(len(original), MOST_PEOPLE, rng))  # ties go to a random row
    records, people = release.take(rows), original.take(known)
    metric = gower(original.schema, [records, people])
    matched = known[Neighbours(people, metric).nearest(records)[1]]
    groups = strata[rows]
    here, there = (_centred_ranks(values, groups) for values in (rows, matched))
    scale = math.sqrt(float((here**2).sum() * (there**2).sum()))
    compared = int((np.bincount(groups)[groups] > 1).sum())
    if not scale or compared < FEWEST_ROWS:
        return None
    observed = float(here @ there)
    drawn = np.array(
        [here @ there[np.argsort(groups + rng.random(len(groups)))] for _ in range(DRAWS)]
    )
    reached = int((np.abs(drawn) >= abs(observed) - 1e-9 * scale).sum())
    p = (1 + reached) / (1 + DRAWS)
    return _finding(observed / scale, p, compared)


def sorted_strata(table: Table) -> Rows:
    """For each row a number, equal where the columns that sort the table say nothing of its place.

    A column sorts the table if it rises or falls from row to row, or if equal values stand in one
    block. The next column may sort the rows within each value of the former, and so on.

    >>> from quintain.data import Column, Schema
    >>> schema = Schema(columns=(Column(name="age", kind="integer", low=0, high=9),))
    >>> sorted_strata(Table.of(schema, {"age": [1, 1, 5, 5, 7]})).tolist()
    [0, 0, 1, 1, 2]
    """
    strata: Rows = np.zeros(len(table), np.int64)
    left = [_codes(table, column.name) for column in table.schema.columns]
    place = 0
    while place < len(left):
        if _sorts(left[place], strata):
            column = left.pop(place)
            starts = np.append(False, (np.diff(strata) != 0) | (np.diff(column) != 0))
            strata, place = np.cumsum(starts), 0
        else:
            place += 1
    return strata


def _codes(table: Table, name: str) -> Array:
    """Whole numbers in the order of the values; missing cells are one more value."""
    return number_values(table.columns[name])


def _sorts(column: Array, strata: Rows) -> bool:
    """Whether a column varies within strata, and its place in them follows from its values."""
    steps = np.diff(column)[np.diff(strata) == 0]
    if not steps.any():
        return False
    if (steps >= 0).all() or (steps <= 0).all():
        return True
    runs = 1 + int(((np.diff(column) != 0) | (np.diff(strata) != 0)).sum())
    pairs = len(np.unique(strata * (int(column.max()) + 1) + column))
    return runs == pairs and pairs <= _BLOCKS * len(column)


def _centred_ranks(values: Rows, groups: Rows) -> Floats:
    """The rank of each value within its group, less the average rank there."""
    ranks = average_ranks(groups * (int(values.max(initial=0)) + 1) + values)
    sums = np.bincount(groups, ranks)
    counts = np.maximum(1, np.bincount(groups))
    return np.asarray(ranks - (sums / counts)[groups])


def _draw(count: int, most: int, rng: np.random.Generator) -> Rows:
    return np.sort(rng.choice(count, min(count, most), replace=False))


def _finding(value: float, p: float, rows: int) -> RowOrder:
    from scipy.special import ndtri

    reach = -float(ndtri(tail())) / math.sqrt(max(1, rows - 3))
    middle = math.atanh(max(-0.9999999, min(0.9999999, value)))
    alarm = p <= LEVEL and abs(value) >= LEAST
    says = (
        f"The row numbers of {rows:,} released records and of the most similar records of the "
        f"original have the rank correlation {value:.2f} (p {p:.3g})."
    )
    if alarm:
        says += (
            " The released rows follow the order of the original. The order of the rows tells who "
            "is who: shuffle before you publish."
        )
    return RowOrder(
        correlation=Reading(
            value=value,
            low=math.tanh(middle - reach),
            high=math.tanh(middle + reach),
            n=rows,
            better="lower",
            method="Spearman, Fisher's interval",
        ),
        p=p,
        alarm=alarm,
        says=says,
    )
