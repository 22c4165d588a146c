"""Random orders drawn from the secret noise."""

from __future__ import annotations

import numpy as np

from quintain.data.arrays import Rows
from quintain.noise import Noise


def permutation(size: int, noise: Noise) -> Rows:
    """The numbers below ``size`` in random order.

    Two of the 64-bit words that are sorted for it are the same with a chance of about
    size**2 / 2**65; they then stay in order.
    """
    return np.argsort(noise.words(size), kind="stable").astype(np.int64, copy=False)


def some(count: int, size: int, noise: Noise) -> Rows:
    """``count`` of the numbers below ``size``, each set of them as likely as another, sorted."""
    return np.sort(permutation(size, noise)[:count])
