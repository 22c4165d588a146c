"""Mikan: pair whole persons where a release keeps them apart, and compare single rows elsewhere."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from quintain.attacks.membership.series.greedy_matching import GreedyMatching
from quintain.attacks.membership.series.series_attack import PreparedSeriesAttack, Scores
from quintain.data import Series
from quintain.data.arrays import Floats, Singles
from quintain.registry import register

_QUERIES = 2048
_BASE = 8192


@register("mikan-v1")
class PersonsOrRows(PreparedSeriesAttack):
    """Pairs whole persons if the released lengths allow it, and otherwise compares single rows.

    If no length has more released series than targets, the sanitizer may have kept persons apart,
    and greedy matching without time finds them. Otherwise persons were mixed, and a target scores
    by the mean distance from its rows to the nearest released row of any person, without times.

    Parameters
    ----------
    released_rows : the limit of released rows to compare with, drawn at random; comparing all rows
        of 10,000 released and 20,000 target series would take hours.
    steps, scaled_by : as for every attack on series.

    References
    ----------
    The solution of team Mikan to the NeurIPS 2020 Hide-and-Seek Privacy Challenge, as published by
    its organisers.

    >>> import quintain as q
    >>> from quintain.testing import example
    >>> stays = example("series")
    >>> release = q.sanitize("add-noise", stays.take(range(10)), seed=1)  # 10 of 20 are members
    >>> guess = q.attack("mikan", release, targets=stays, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 10 + [False] * 10)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 1.00; chance is 0.50'
    """

    released_rows: Annotated[int, Field(ge=1)] = 20_000

    def scores(
        self, targets: Series, released: Series, steps: int, *, rng: np.random.Generator
    ) -> Scores:
        """Choose between persons and rows by the released lengths."""
        target_side, release_side = (
            np.bincount(side.lengths, minlength=steps + 1) for side in (targets, released)
        )
        if (release_side <= target_side).all():
            matching = GreedyMatching(scaled_by=self.scaled_by)
            return matching.scores(targets, released, steps, rng=rng)
        return self.row_scores(targets, released, steps, rng=rng)

    def row_scores(
        self, targets: Series, released: Series, steps: int, *, rng: np.random.Generator
    ) -> Scores:
        """Find the nearest released row of each row of each target."""
        target_side, release_side = self.prepare_sides(targets, released, steps)
        base = release_side.values[:, 1:]
        if len(base) > self.released_rows:
            base = base[np.sort(rng.choice(len(base), self.released_rows, replace=False))]
        away = nearest_rows(target_side.values[:, 1:], base)
        owner = np.repeat(np.arange(len(target_side)), target_side.lengths)
        total = np.bincount(owner, away, minlength=len(target_side))
        return -total / np.maximum(target_side.lengths, 1)


def nearest_rows(queries: Floats, base: Floats) -> Floats:
    """Compute the squared distance from each query to the nearest base row, in single precision.

    The squared length of a base row is one more column of the matrix product, so that only the
    minimum needs another pass over all pairs.
    """
    middle = base.mean(axis=0) if len(base) else 0.0
    out = np.full(len(queries), np.inf)
    starts = range(0, len(base), _BASE)
    base_blocks = [_lift(base[start : start + _BASE] - middle) for start in starts]
    for start in range(0, len(queries), _QUERIES):
        block = slice(start, start + _QUERIES)
        shifted = queries[block] - middle
        factors = np.hstack([-2 * shifted, np.ones((len(shifted), 1))]).astype(np.float32)
        for base_rows in base_blocks:
            out[block] = np.minimum(out[block], (factors @ base_rows.T).min(axis=1))
        out[block] += (shifted**2).sum(axis=1)
    return np.asarray(np.maximum(out, 0))


def _lift(rows: Floats) -> Singles:
    return np.hstack([rows, (rows**2).sum(axis=1, keepdims=True)]).astype(np.float32)
