"""Tables with all kinds of columns, and releases of them, for tests of generators."""

import numpy as np

from quintain.data import Column, Schema, Table
from quintain.randomness.noise import Noise
from quintain.sanitizers import sanitize

MIXED = Schema(
    columns=(
        Column(name="town", kind="category", values=("bath", "kent", "york"), nullable=True),
        Column(name="age", kind="integer", low=0, high=120, nullable=True),
        Column(name="visits", kind="integer"),
        Column(name="pay", kind="real", nullable=True),
        Column(name="day", kind="time", nullable=True),
        Column(name="empty", kind="real", nullable=True),
        Column(name="same", kind="category", values=("x", "y")),
    )
)


def mixed(rows=400, seed=3):
    rng = np.random.default_rng(seed)
    age = rng.integers(18, 90, rows)
    pay = np.round(100.0 * age + rng.normal(0, 300, rows), 2)
    gone = rng.random((4, rows)) < 0.2
    values = {
        "town": [("bath", "kent", "york")[i] for i in rng.integers(0, 3, rows)],
        "age": age.tolist(),
        "visits": rng.poisson(3, rows).tolist(),
        "pay": np.where(rng.random(rows) < 0.3, 0.0, pay).tolist(),
        "day": [f"2020-01-{d:02d}" for d in rng.integers(1, 29, rows)],
        "empty": [None] * rows,
        "same": ["y"] * rows,
    }
    for row, name in zip(gone, ("town", "age", "pay", "day"), strict=True):
        values[name] = [None if hidden else v for v, hidden in zip(values[name], row, strict=True)]
    return Table.of(MIXED, values)


def released(generator, data, seed=1):
    rng = np.random.default_rng(seed)
    return sanitize(generator, data, rng=rng, noise=Noise.for_test(seed)).release.data


def nominal(rows=600):
    """Two categories without an order: the second repeats the first, by another order of names."""
    values = tuple("abcdef")
    columns = (
        Column(name="x", kind="category", values=values),
        Column(name="y", kind="category", values=tuple("dafceb")),
    )
    drawn = [values[i] for i in np.random.default_rng(2).integers(0, 6, rows)]
    return Table.of(Schema(columns=columns), {"x": drawn, "y": drawn})
