"""Cases for the tests of masking: a table to mask, and a function that masks it."""

import numpy as np

from quintain.data import Column, Schema, Table
from quintain.randomness.noise import Noise
from quintain.registry import build
from quintain.sanitizers import sanitize

SCHEMA = Schema(
    columns=(
        Column(name="id", kind="integer", low=0, high=9_999_998),
        Column(name="age", kind="integer", low=17, high=90),
        Column(name="grade", kind="category", values=("a", "b", "c", "d"), ordered=True),
        Column(name="town", kind="category", values=("x", "y", "z")),
        Column(name="weight", kind="real"),
        Column(name="left", kind="integer", low=0, high=9, nullable=True),
    )
)
"""The id is never masked in these tests, so it identifies a record."""


def persons(rows=1000, seed=0):
    rng = np.random.default_rng(seed)
    age = np.clip(rng.normal(24, 14, rows).round(), 0, 73)
    return Table(
        SCHEMA,
        {
            "id": np.arange(rows),
            "age": age,
            "grade": np.minimum(3, age // 15),
            "town": rng.choice(3, rows, p=[0.7, 0.2, 0.1]),
            "weight": rng.normal(70, 10, rows),
            "left": rng.integers(-1, 10, rows),
        },
    )


def masked(use, data, *, seed=1, **parameters):
    """The release, its records in the order of their ids."""
    part = build("sanitizer", {"use": use, **parameters})
    release = sanitize(part, data, rng=np.random.default_rng(0), noise=Noise.for_test(seed)).release
    table = release.data
    return table.take(np.argsort(table.columns["id"], kind="stable")), release


def counts(table, name):
    return sorted(table.columns[name].tolist())
