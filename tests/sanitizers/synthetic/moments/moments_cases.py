"""What the tests of the moments generator share."""

import numpy as np

from quintain.data.sources.adult import Adult
from quintain.randomness.noise import Noise
from quintain.sanitizers import sanitize
from quintain.sanitizers.synthetic.moments import MomentsGenerator


def sanitized(data, *, seed=0, **parameters):
    part = MomentsGenerator(**parameters)
    return sanitize(part, data, rng=np.random.default_rng(9), noise=Noise.for_test(seed))


def release_of(data, **arguments):
    return sanitized(data, **arguments).release


def stand_in(rows=5000):
    return Adult().generate(np.random.default_rng(0)).take(np.arange(rows))
