"""What the tests of PATE-GAN share: chains of columns, small fits, noise that records."""

import numpy as np
import pytest

from quintain.data import Column, Schema, Table
from quintain.measures import reading_rng
from quintain.measures.utility.table.marginals import Marginals
from quintain.randomness.noise import Noise
from quintain.sanitizers import sanitize
from quintain.sanitizers.synthetic.pategan import PateGan

SMALL = {"teachers": 50, "queries": 60, "rounds": 2, "steps": 3}


class Recorder(Noise):
    """Test noise that records every request."""

    def __init__(self, seed=0):
        super().__init__(Noise.for_test(seed)._key, test=True)
        self.answers, self.parts = [], []

    def laplace(self, scale, size):
        self.answers.append((scale, size))
        return super().laplace(scale, size)

    def integers(self, high, size):
        # Discrete Laplace noise also draws integers; the tests ignore those.
        self.parts.append((high, size))
        return super().integers(high, size)


def integers(*sizes, nullable=False):
    return Schema(
        columns=tuple(
            Column(name=f"c{i}", kind="integer", low=0, high=size - 1, nullable=nullable)
            for i, size in enumerate(sizes)
        )
    )


def chain(*sizes, rows=600, seed=0, nullable=False):
    """Make a chain of columns: each repeats the one before it, with random exceptions."""
    rng = np.random.default_rng(seed)
    last, codes = rng.random(rows), {}
    for i, size in enumerate(sizes):
        last = np.where(rng.random(rows) < 0.2, rng.random(rows), last)
        codes[f"c{i}"] = np.floor(last * size).astype(int)
    return Table(integers(*sizes, nullable=nullable), codes)


def sanitized(data, *, seed=1, noise=None, **parameters):
    pytest.importorskip("torch")
    rng = np.random.default_rng(seed)
    part = PateGan(**{**SMALL, **parameters})
    return sanitize(part, data, rng=rng, noise=noise or Noise.for_test(seed))


def released(data, **arguments):
    return sanitized(data, **arguments).release


def fitted(data, *, seed=1, noise=None, **parameters):
    pytest.importorskip("torch")
    rng = np.random.default_rng(seed)
    part = PateGan(**{**SMALL, **parameters})
    return part.fit(data, rng=rng, noise=noise or Noise.for_test(seed))


def distance(data, release, ways):
    return Marginals(ways=ways).measure(data, release, None, rng=reading_rng())[f"tv{ways}"].value
