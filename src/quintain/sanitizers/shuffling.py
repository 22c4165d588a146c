"""Random orders and random subsets, drawn from the secret noise."""

from __future__ import annotations

import numpy as np

from quintain.data.arrays import Rows
from quintain.randomness.noise import Noise


def permutation(size: int, noise: Noise) -> Rows:
    """The numbers below ``size`` in random order.

    The order is that of random 64-bit words. Two of these words are equal with a probability of
    about size**2 / 2**65; equal words stay in order.
    """
    return np.argsort(noise.words(size), kind="stable").astype(np.int64, copy=False)


def random_subset(count: int, size: int, noise: Noise) -> Rows:
    """``count`` of the numbers below ``size``, sorted; every such set is equally likely."""
    return np.sort(permutation(size, noise)[:count])
