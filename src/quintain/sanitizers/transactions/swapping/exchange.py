"""Exchange: rows pass their content to other rows of the same group."""

from __future__ import annotations

import numpy as np

from quintain.data.arrays import Array, Rows
from quintain.noise import Noise


def exchange_within(group: Array, noise: Noise) -> Rows:
    """For every row the row of its group whose content it gets, in random order."""
    giver = np.empty(len(group), np.int64)
    giver[np.argsort(group, kind="stable")] = np.lexsort((noise.words(len(group)), group))
    return giver
