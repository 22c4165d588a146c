"""Pattern of missing values: what was not measured is a fingerprint, too."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from quintain.attacks.membership.series.series_attack import Scores, SeriesAttack
from quintain.data import Series
from quintain.kernels.series_distances import Cloud, nearest
from quintain.registry import register


@register("nan-pattern-v1")
class NanPattern(SeriesAttack):
    """Scores a target by the released series whose missing values are in the same places.

    The distance is the number of cells of the padded array that are measured in one series and not
    in the other. In Hide-and-Seek 2020 several sanitizers put the original missing values back
    as their last step, and no attack looked at them.

    Parameters
    ----------
    steps : as for every attack on series.
    """

    def scores(
        self, targets: Series, released: Series, steps: int, *, rng: np.random.Generator
    ) -> Scores:
        """Search the release for each target's pattern."""
        return -nearest(patterns(targets, steps), patterns(released, steps))[0]


def patterns(series: Series, steps: int) -> Cloud:
    """What was measured, 0 or 1 for each cell of the padded array; padding was not."""

    def measured(persons: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        array = series.take(persons).padded(steps, fill=np.nan)[0]
        return (~np.isnan(array)).astype(np.float32).reshape(len(persons), -1)

    return Cloud(len(series), (measured,))
