"""Lengths and gaps: the number of rows and the places of missing values identify a person, too."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from quintain.attacks.membership.series.series_attack import Scores, SeriesAttack
from quintain.data import Series
from quintain.kernels.series import Cloud, nearest
from quintain.registry import register


@register("series-length-v1")
class SeriesLength(SeriesAttack):
    """Scores a target by the number of released series per target of the same length.

    Parameters
    ----------
    steps : as for every attack on series.

    >>> import quintain as q
    >>> from quintain.testing import example
    >>> stays = example("series")
    >>> release = q.sanitize("add-noise", stays.take(range(10)), seed=1)  # 10 of 20 are members
    >>> guess = q.attack("series-length", release, targets=stays, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 10 + [False] * 10)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.95; chance is 0.50'
    """

    def scores(
        self, targets: Series, released: Series, steps: int, *, rng: np.random.Generator
    ) -> Scores:
        """Count the series of each length on both sides."""
        target_side, release_side = (
            np.bincount(side.lengths, minlength=steps + 1) for side in (targets, released)
        )
        return (release_side / np.maximum(target_side, 1))[targets.lengths]


@register("nan-pattern-v1")
class NanPattern(SeriesAttack):
    """Scores a target by the released series with the most similar pattern of missing values.

    The distance is the number of cells of the padded array that have a value in one series and not
    in the other. In Hide-and-Seek 2020 several sanitizers restored the original missing values in
    their last step, and no attack used them.

    Parameters
    ----------
    steps : as for every attack on series.

    >>> import quintain as q
    >>> from quintain.testing import example
    >>> stays = example("series")
    >>> release = q.sanitize("add-noise", stays.take(range(10)), seed=1)  # 10 of 20 are members
    >>> guess = q.attack("nan-pattern", release, targets=stays, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 10 + [False] * 10)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.91; chance is 0.50'
    """

    def scores(
        self, targets: Series, released: Series, steps: int, *, rng: np.random.Generator
    ) -> Scores:
        """Find the released series with the pattern nearest to each target's."""
        return -nearest(patterns(targets, steps), patterns(released, steps))[0]


def patterns(series: Series, steps: int) -> Cloud:
    """Mark the cells of the padded array that have a value by 1, all others by 0."""

    def mark_present(persons: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        array = series.take(persons).padded(steps, fill=np.nan)[0]
        return (~np.isnan(array)).astype(np.float32).reshape(len(persons), -1)

    return Cloud(len(series), (mark_present,))
