"""Assignment: match things one to one, so that the total weight is as large as possible."""

from __future__ import annotations

import numpy as np

from quintain.data.arrays import Floats, Rows


def best_pairs(weights: Floats, keep: int) -> tuple[Rows, Floats]:
    """The ``keep`` columns with the largest weights in each row, and these weights."""
    keep = min(keep, weights.shape[1])
    best = np.argpartition(-weights, keep - 1, axis=1)[:, :keep]
    return best, np.take_along_axis(weights, best, axis=1)


def assigned(columns: Rows, weights: Floats, count: int, alone: float | None = None) -> Rows:
    """The column of each row, no column twice, with the largest total weight; -1 for none.

    Parameters
    ----------
    columns, weights : rows x candidates; the candidates of each row and their weights.
    count : how many columns there are.
    alone : what it is worth to give a row no column. By default a row has none only if its
        candidates are all taken.

    >>> candidates = np.array([[0, 1], [0, 1]])
    >>> assigned(candidates, np.array([[5.0, 4.0], [3.0, 0.0]]), 2).tolist()
    [1, 0]
    """
    rows, candidates = columns.shape
    row = np.repeat(np.arange(rows), candidates)
    return assigned_pairs(row, columns.ravel(), weights.ravel(), (rows, count), alone)


def assigned_pairs(
    row: Rows, column: Rows, weight: Floats, shape: tuple[int, int], alone: float | None = None
) -> Rows:
    """As :func:`assigned`, with a list of pairs that may be matched; rows may differ in number.

    >>> row, column = np.array([0, 0, 1]), np.array([0, 1, 0])
    >>> assigned_pairs(row, column, np.array([5.0, 4.0, 3.0]), (3, 2)).tolist()
    [1, 0, -1]
    """
    from scipy.sparse import csr_array
    from scipy.sparse.csgraph import min_weight_full_bipartite_matching

    rows, count = shape
    if rows == 0:
        return np.zeros(0, np.int64)
    worst = float(weight.min()) - 1.0 if weight.size else 0.0
    nobody = 10 * worst - 1e6 if alone is None else alone
    top = max(float(weight.max(initial=0.0)), nobody) + 1.0
    each = np.arange(rows)
    cost = top - np.concatenate([weight, np.full(rows, nobody)])  # zero would be no pair
    places = np.concatenate([row, each]), np.concatenate([column, count + each])
    graph = csr_array((cost, places), shape=(rows, count + rows))
    match = min_weight_full_bipartite_matching(graph)[1]
    return np.where(match < count, match, -1).astype(np.int64)
