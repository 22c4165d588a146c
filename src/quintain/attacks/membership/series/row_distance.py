"""Row distance: how far is each moment of a stay from the nearest released moment?"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from quintain.attacks.membership.series.series_attack import PreparedSeriesAttack, Scores
from quintain.data import Series
from quintain.data.arrays import Floats, Singles
from quintain.registry import register

_QUERIES = 2048
_BASE = 8192


@register("row-distance-v1")
class RowDistance(PreparedSeriesAttack):
    """Scores a target by the mean distance from its rows to the nearest released row of anybody.

    Needs no person to be whole in the release, only their rows; times are left out. The other half
    of the attack that won Hide-and-Seek.

    Parameters
    ----------
    released_rows : at most this many released rows are compared with, drawn at random; all pairs
        of rows of 10,000 released and 20,000 target series would take hours.
    steps, scaled_by : as for every attack on series.

    References
    ----------
    The solution of team Mikan to the NeurIPS 2020 Hide-and-Seek Privacy Challenge, as published by
    its organisers.
    """

    released_rows: Annotated[int, Field(ge=1)] = 20_000

    def scores(
        self, targets: Series, released: Series, steps: int, *, rng: np.random.Generator
    ) -> Scores:
        """Search the released rows for each row of each target."""
        target_side, release_side = self.prepared(targets, released, steps)
        base = release_side.values[:, 1:]
        if len(base) > self.released_rows:
            base = base[np.sort(rng.choice(len(base), self.released_rows, replace=False))]
        away = nearest_rows(target_side.values[:, 1:], base)
        owner = np.repeat(np.arange(len(target_side)), target_side.lengths)
        total = np.bincount(owner, away, minlength=len(target_side))
        return -total / np.maximum(target_side.lengths, 1)


def nearest_rows(queries: Floats, base: Floats) -> Floats:
    """The squared distance of each query to the nearest row of a base, in single precision.

    The squared length of a base row rides along as one more column of the product, so that the
    only other pass over all pairs is the one that takes the minimum.
    """
    middle = base.mean(axis=0) if len(base) else 0.0
    out = np.full(len(queries), np.inf)
    blocks = [_lifted(base[start : start + _BASE] - middle) for start in range(0, len(base), _BASE)]
    for start in range(0, len(queries), _QUERIES):
        some = slice(start, start + _QUERIES)
        shifted = queries[some] - middle
        ones = np.hstack([-2 * shifted, np.ones((len(shifted), 1))]).astype(np.float32)
        for block in blocks:
            out[some] = np.minimum(out[some], (ones @ block.T).min(axis=1))
        out[some] += (shifted**2).sum(axis=1)
    return np.asarray(np.maximum(out, 0))


def _lifted(rows: Floats) -> Singles:
    return np.hstack([rows, (rows**2).sum(axis=1, keepdims=True)]).astype(np.float32)
