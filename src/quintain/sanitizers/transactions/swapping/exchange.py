"""Exchange: rows pass their values to other rows of their group."""

from __future__ import annotations

import numpy as np

from quintain.data.arrays import Array, Rows
from quintain.noise import Noise


def exchanged(group: Array, noise: Noise) -> Rows:
    """For every row the row of its group whose content it gets: a random order in each group."""
    giver = np.empty(len(group), np.int64)
    giver[np.argsort(group, kind="stable")] = np.lexsort((noise.words(len(group)), group))
    return giver
