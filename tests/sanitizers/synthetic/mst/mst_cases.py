"""What the tests of MST share: chains of columns, releases and fits of them."""

import numpy as np

from quintain.data import Column, Schema, Table
from quintain.randomness.noise import Noise
from quintain.sanitizers import sanitize
from quintain.sanitizers.synthetic.mst import Mst


def table(*sizes, rows=500, nullable=False, seed=0):
    """Make a chain of columns: each repeats the one before it, with random exceptions."""
    rng = np.random.default_rng(seed)
    columns, codes = [], {}
    last = rng.random(rows)
    for number, size in enumerate(sizes):
        name = f"c{number}"
        columns.append(Column(name=name, kind="integer", low=0, high=size - 1, nullable=nullable))
        last = np.where(rng.random(rows) < 0.2, rng.random(rows), last)
        codes[name] = np.floor(last * size).astype(int)
    return Table(Schema(columns=tuple(columns)), codes)


def sanitized(data, *, seed=1, noise=None, **parameters):
    rng = np.random.default_rng(seed)
    return sanitize(Mst(**parameters), data, rng=rng, noise=noise or Noise.for_test(seed))


def released(data, **arguments):
    return sanitized(data, **arguments).release


def preserved(data, **arguments):
    return sanitized(data, **arguments).trace.focal_points
