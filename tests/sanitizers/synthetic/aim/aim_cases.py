"""What the tests of AIM share: fits and releases of small tables."""

import numpy as np

from quintain.randomness.noise import Noise
from quintain.sanitizers import sanitize
from quintain.sanitizers.synthetic.aim import Aim


def fitted(data, *, seed=1, noise=None, **parameters):
    rng = np.random.default_rng(seed)
    return Aim(**parameters).fit(data, rng=rng, noise=noise or Noise.for_test(seed))


def released(data, *, seed=1, **parameters):
    rng = np.random.default_rng(seed)
    return sanitize(Aim(**parameters), data, rng=rng, noise=Noise.for_test(seed)).release
