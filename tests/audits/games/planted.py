"""Sanitizers with a planted bug: each claims epsilon 1 and does not have it."""

from dataclasses import replace
from typing import ClassVar

import numpy as np

from quintain.data import Column, Schema, Table
from quintain.randomness.noise import Noise
from quintain.releases import Claim, Release, Sanitized
from quintain.sanitizers import Sanitizer
from quintain.sanitizers.synthetic.independent import Independent

SCHEMA = Schema(
    columns=tuple(
        Column(name=name, kind="category", values=tuple("abcdef")) for name in ("x", "y", "z")
    )
)


def small_table(rows=120, seed=0):
    """People with common values; the last value of each column is nobody's."""
    rng = np.random.default_rng(seed)
    shares = [0.5, 0.3, 0.1, 0.07, 0.03, 0.0]
    return Table(SCHEMA, {name: rng.choice(6, rows, p=shares) for name in SCHEMA.names})


class Planted(Sanitizer):
    """Claims epsilon 1 for whatever it does."""

    def made(self, data, rng, noise):
        raise NotImplementedError

    def sanitize(self, data, *, rng, noise):
        made = self.made(data, rng, noise)
        return replace(made, release=replace(made.release, claim=Claim(epsilon=1.0)))


class TooLittleNoise(Planted):
    """Adds noise as if one person could change a count by a hundredth."""

    id: ClassVar[str] = "sanitizer/too-little-noise-v1"

    def made(self, data, rng, noise):
        return Independent(epsilon=100.0).sanitize(data, rng=rng, noise=noise)


class FixedNoise(Planted):
    """Draws the same noise every time."""

    id: ClassVar[str] = "sanitizer/fixed-noise-v1"

    def made(self, data, rng, noise):
        fixed = np.random.default_rng(0)
        return Independent(epsilon=1.0).sanitize(data, rng=fixed, noise=Noise.for_test(0))


class OpenStructure(Planted):
    """Adds noise to the counts of the values that occur, and never releases another value."""

    id: ClassVar[str] = "sanitizer/open-structure-v1"

    def made(self, data, rng, noise):
        columns = {}
        for name in data.schema.names:
            counts = np.bincount(data.columns[name], minlength=6)
            noisy = np.maximum(counts + noise.laplace(3.0, 6), 1.0)
            shares = np.where(counts > 0, noisy, 0.0)
            columns[name] = rng.choice(6, 200, p=shares / shares.sum())
        return Sanitized(Release(Table(data.schema, columns)))


class Silent(Planted):
    """Releases the same records whatever the data are."""

    id: ClassVar[str] = "sanitizer/silent-v1"

    def made(self, data, rng, noise):
        columns = {name: rng.integers(6, size=120) for name in data.schema.names}
        return Sanitized(Release(Table(data.schema, columns)))
