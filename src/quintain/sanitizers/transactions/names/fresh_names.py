"""Fresh names: pseudonyms that reveal nothing about the persons behind them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import Array
from quintain.noise import Noise
from quintain.sanitizers.masking.shuffling import permutation


def fresh_names(bearer: Array, noise: Noise) -> npt.NDArray[np.str_]:
    """One name per row: equal names for equal bearers, and no name for a negative bearer.

    The numbers in the names are in random order, so that a name does not reveal its bearer.
    """
    known, which = np.unique(bearer, return_inverse=True)
    live = known >= 0
    width = len(str(int(live.sum())))
    names = np.full(len(known), "", f"<U{width + 1}")
    names[live] = [f"P{number:0{width}d}" for number in permutation(int(live.sum()), noise)]
    return names[which]
