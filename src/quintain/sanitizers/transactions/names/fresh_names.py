"""Fresh names: pseudonyms that say nothing about the persons behind them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import Array
from quintain.noise import Noise
from quintain.sanitizers.masking.shuffling import permutation


def fresh_names(bearer: Array, noise: Noise) -> npt.NDArray[np.str_]:
    """A name for every entry: equal ones for equal numbers, none where the number is negative.

    Names are numbered in random order, so neither a name nor its place in a list says anything.
    """
    known, which = np.unique(bearer, return_inverse=True)
    live = known >= 0
    width = len(str(int(live.sum())))
    names = np.full(len(known), "", f"<U{width + 1}")
    names[live] = [f"P{number:0{width}d}" for number in permutation(int(live.sum()), noise)]
    return names[which]
