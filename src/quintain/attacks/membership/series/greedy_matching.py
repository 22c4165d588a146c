"""Greedy matching: each released series is paired with one target, and each target only once."""

from __future__ import annotations

from typing import Self

import numpy as np

from quintain.attacks.membership.series.series_attack import PreparedSeriesAttack, Scores
from quintain.data import Series
from quintain.data.arrays import Ints, Singles
from quintain.kernels.series import Compare, all_distances, cloud
from quintain.registry import register

BAND = 1 << 22
"""About how many pairs are sorted at a time."""

_CHUNK = 1 << 16
_ROWS = 512
_PROBES = 256


@register("greedy-matching-v1")
class GreedyMatching(PreparedSeriesAttack):
    """Pairs released series with targets one to one, closest first.

    Paired targets are guessed to be members.

    If a release keeps its persons apart, this is much stronger than a search for the nearest series
    of each target: an ordinary target, which is close to many series, gets only one partner. This
    is one half of the attack that won Hide-and-Seek, which ignored the times.

    Parameters
    ----------
    compare : all columns, only the times, or only the features.
    steps, scaled_by : as for every attack on series.

    References
    ----------
    The solution of team Mikan to the NeurIPS 2020 Hide-and-Seek Privacy Challenge, as published by
    its organisers.

    >>> import quintain as q
    >>> from quintain.testing import example
    >>> stays = example("series")
    >>> release = q.sanitize("add-noise", stays.take(range(10)), seed=1)  # 10 of 20 are members
    >>> guess = q.attack("greedy-matching", release, targets=stays, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 10 + [False] * 10)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 1.00; chance is 0.50'
    """

    compare: Compare = "features"

    @classmethod
    def examples(cls) -> list[Self]:
        """With and without time."""
        return [cls(), cls(compare="all")]

    def scores(
        self, targets: Series, released: Series, steps: int, *, rng: np.random.Generator
    ) -> Scores:
        """Rank targets in the order in which they get a partner, then the others by distance."""
        target_side, release_side = (
            cloud(side, self.compare) for side in self.prepare_sides(targets, released, steps)
        )
        distances = all_distances(release_side, target_side)
        closest = distances.min(axis=0)
        paired = greedy_pairs(distances)[1]
        scores = np.empty(len(targets))
        scores[np.argsort(closest, kind="stable")] = -len(targets) - np.arange(len(targets))
        scores[paired] = -np.arange(len(paired))
        return scores


def greedy_pairs(distances: Singles) -> tuple[Ints, Ints]:
    """Find the rows and columns of the accepted pairs, in the order of acceptance.

    The result is the same as if all pairs were sorted by distance and each pair were accepted whose
    row and column are still free. Of equal distances the lower row, then the lower column comes
    first; NaN comes last. Only a band of the smallest distances is sorted at a time, since all
    other pairs are further apart.

    >>> greedy_pairs(np.array([[1, 2, 9], [1.5, 4, 8]], np.float32))
    (array([0, 1]), array([0, 1]))
    """
    unknown = np.isnan(distances)
    if unknown.any():
        distances = np.where(unknown, np.float32(np.inf), distances)
    rows, columns = (np.arange(size) for size in distances.shape)
    paired_rows: list[int] = []
    paired_columns: list[int] = []
    while len(rows) and len(columns):
        highest = _ceiling(distances, rows, columns)
        band = _band(distances, rows, columns, highest)
        new_rows, new_columns = _accept(*band, distances.shape)
        paired_rows += new_rows
        paired_columns += new_columns
        rows = np.setdiff1d(rows, new_rows, assume_unique=True)
        columns = np.setdiff1d(columns, new_columns, assume_unique=True)
    return np.array(paired_rows, np.int64), np.array(paired_columns, np.int64)


def _ceiling(distances: Singles, rows: Ints, columns: Ints) -> float:
    """A distance that about ``BAND`` of the free pairs do not exceed."""
    share = BAND / (len(rows) * len(columns))
    if share >= 1:
        return np.inf
    probes = rows[np.unique(np.linspace(0, len(rows) - 1, _PROBES).astype(np.int64))]
    return float(np.quantile(distances[np.ix_(probes, columns)], share, method="lower"))


def _band(distances: Singles, rows: Ints, columns: Ints, highest: float) -> tuple[Ints, Ints]:
    """Sort the free pairs up to a distance."""
    parts = []
    for start in range(0, len(rows), _ROWS):
        block = rows[start : start + _ROWS]
        part = distances[np.ix_(block, columns)]
        i, j = np.nonzero(part <= highest)
        parts.append((part[i, j], block[i], columns[j]))
    values, i, j = (np.concatenate(arrays) for arrays in zip(*parts, strict=True))
    order = np.argsort(values, kind="stable")
    return i[order], j[order]


def _accept(i: Ints, j: Ints, shape: tuple[int, ...]) -> tuple[list[int], list[int]]:
    free_row, free_column = np.ones(shape[0], bool), np.ones(shape[1], bool)
    rows: list[int] = []
    columns: list[int] = []
    for start in range(0, len(i), _CHUNK):
        a, b = i[start : start + _CHUNK], j[start : start + _CHUNK]
        open_ = free_row[a] & free_column[b]
        used_rows: set[int] = set()
        used_columns: set[int] = set()
        for row, column in zip(a[open_].tolist(), b[open_].tolist(), strict=True):
            if row not in used_rows and column not in used_columns:
                used_rows.add(row)
                used_columns.add(column)
                rows.append(row)
                columns.append(column)
        free_row[list(used_rows)] = False
        free_column[list(used_columns)] = False
    return rows, columns
