"""Single rows: the second half of the attack that won Hide-and-Seek, for every release."""

from __future__ import annotations

import numpy as np

from quintain.attacks.membership.series.mikan import PersonsOrRows
from quintain.attacks.membership.series.series_attack import Scores
from quintain.data import Series


class SingleRows(PersonsOrRows):
    """Compares single rows, also where the release keeps persons apart."""

    def scores(
        self, targets: Series, released: Series, steps: int, *, rng: np.random.Generator
    ) -> Scores:
        """The mean distance from the rows of each target to the nearest released row."""
        return self.row_scores(targets, released, steps, rng=rng)
