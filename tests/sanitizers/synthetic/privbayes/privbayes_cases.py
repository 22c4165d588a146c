"""What the tests of PrivBayes share: a known network, releases and fits of it."""

import numpy as np

from quintain.data import Column, Schema, Table
from quintain.randomness.noise import Noise
from quintain.sanitizers.synthetic.privbayes import PrivBayes


class Recorder(Noise):
    """Test noise that records every request."""

    def __init__(self, seed=0):
        super().__init__(Noise.for_test(seed)._key, test=True)
        self.counts, self.choices = [], []

    def laplace(self, scale, size):
        self.counts.append((scale, size))
        return super().laplace(scale, size)

    def choose(self, scores, epsilon, sensitivity):
        self.choices.append(epsilon)
        return super().choose(scores, epsilon, sensitivity)


def integers(**sizes):
    return Schema(
        columns=tuple(
            Column(name=name, kind="integer", low=0, high=size - 1) for name, size in sizes.items()
        )
    )


def known_network(rows, seed=0):
    """b depends on a; d is nearly always b xor c, so it depends on b and c only together."""
    rng = np.random.default_rng(seed)
    a = rng.choice(4, rows, p=[0.4, 0.3, 0.2, 0.1])
    b = (rng.random(rows) < np.array([0.1, 0.4, 0.6, 0.9])[a]).astype(int)
    c = (rng.random(rows) < 0.5).astype(int)
    d = np.where(rng.random(rows) < 0.95, b ^ c, 1 - (b ^ c))
    return Table(integers(a=4, b=2, c=2, d=2), {"a": a, "b": b, "c": c, "d": d})


def sanitized(data, *, noise=None, seed=1, **parameters):
    rng = np.random.default_rng(seed)
    return PrivBayes(**parameters).sanitize(data, rng=rng, noise=noise or Noise.for_test(seed))


def released(data, **arguments):
    return sanitized(data, **arguments).release


def fitted(data, *, noise=None, seed=1, **parameters):
    rng = np.random.default_rng(seed)
    return PrivBayes(**parameters).fit(data, rng=rng, noise=noise or Noise.for_test(seed))
