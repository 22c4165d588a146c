"""Gaussian copula: every column keeps its distribution, and pairs keep their rank correlation."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np
from scipy.special import ndtr, ndtri

from quintain.data import Data, Schema, Table
from quintain.data.arrays import Array, Floats, Rows
from quintain.data.codec import missing_value
from quintain.kernels.observed import Distribution, Ranks
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.releases import FocalPoint
from quintain.sanitizers.synthesizer import Arrays, FittedModel
from quintain.sanitizers.synthetic.generators.generator import TableGenerator

_EDGE = 1e-12
"""Places are kept this far from 0 and 1, where normal scores are infinite."""


@dataclass(frozen=True, slots=True, eq=False)
class CopulaModel(FittedModel):
    """The distribution of every column, and the correlations of their normal scores.

    Parameters
    ----------
    values, counts : by column, the observed values and how often each occurs.
    missing : the share of missing values of each column.
    correlation : of the normal scores: all columns, then the missing values of all columns.
    """

    kind: ClassVar[str] = "gaussian-copula"

    schema: Schema
    size: int
    values: dict[str, Array]
    counts: dict[str, Rows]
    missing: Floats
    correlation: Floats

    def sample(self, rows: int, *, rng: np.random.Generator) -> Table:
        """Draw normal scores, and turn each into the value at its place."""
        spread, axes = np.linalg.eigh(self.correlation)
        factor = axes * np.sqrt(np.maximum(spread, 0))
        scores = rng.standard_normal((rows, len(spread))) @ factor.T
        places = ndtr(scores).T
        columns = {}
        for number, column in enumerate(self.schema.columns):
            values, counts = self.values[column.name], self.counts[column.name]
            if not len(values):
                columns[column.name] = np.full(rows, missing_value(column))
                continue
            drawn = Distribution(column, values, counts).quantiles(places[number])
            absent = places[number + len(self.missing)] < self.missing[number]
            drawn[absent] = missing_value(column)
            columns[column.name] = drawn
        return Table(self.schema, columns)

    def focal_points(self) -> tuple[FocalPoint, ...]:
        """List all pairs of columns: the model keeps a correlation of each."""
        return _pairs(self.schema)

    def arrays(self) -> Arrays:
        """Give the values and counts of each column, and the correlations."""
        of_columns = {
            f"{what}/{name}": array
            for what, arrays in (("values", self.values), ("counts", self.counts))
            for name, array in arrays.items()
        }
        return {**of_columns, "missing": self.missing, "correlation": self.correlation}

    @classmethod
    def from_arrays(cls, schema: Schema, size: int, arrays: Arrays) -> CopulaModel:
        """Make a model from what :meth:`arrays` gave."""
        values, counts = (
            {name: arrays[f"{what}/{name}"] for name in schema.names}
            for what in ("values", "counts")
        )
        return cls(schema, size, values, counts, arrays["missing"], arrays["correlation"])


@register("gaussian-copula-v1")
class GaussianCopula(TableGenerator):
    """Keeps the distribution of every column and the rank correlation of every pair.

    Each value becomes its place between 0 and 1 in the order of its column, and the place becomes a
    normal score. Records with the same value are spread at random over their places; categories
    stand in the order of the schema. The model is the correlation matrix of the scores. A new
    record is a normal vector with these correlations, turned back into values. Whether a value is
    missing is a score of its own. Nothing beyond pairs is kept, and for categories without an
    order not even all of a pair: the correlation depends on the order in which they stand.

    The part claims no privacy: values and correlations are those of the private data.

    Parameters
    ----------
    rows : how many records to draw; if not given, as many as the private data has.

    One-way counts stay close (1 is best), and so do correlations (0 is best):

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> table = people(example_table())
    >>> release = q.sanitize("gaussian-copula", table, seed=1)
    >>> round(q.measure("histogram", table, release)["histogram"].value, 2)
    0.96
    >>> round(q.measure("correlation", table, release)["correlation"].value, 2)
    0.18

    References
    ----------
    Patki, Wedge and Veeramachaneni (2016), The synthetic data vault. Rueschendorf (2009), On the
    distributional transform, Sklar's theorem, and the empirical copula process.
    """

    def fit(self, data: Table, *, rng: np.random.Generator) -> CopulaModel:
        """Count the values of every column, and correlate the normal scores."""
        ranked = Ranks.of(data)
        counts, scores, absent = {}, [], []
        for column, ranks in zip(data.schema.columns, ranked.ranks, strict=True):
            values = ranked.values[column.name]
            there = ranks >= 0
            counts[column.name] = np.bincount(ranks[there], minlength=len(values))
            seen = Distribution(column, values, counts[column.name])
            score = np.zeros(len(data))
            score[there] = _normal_scores(seen.uniforms(ranks[there], rng=rng))
            scores.append(score)
            absent.append(_scores_of_flags(~there, rng=rng))
        missing = (ranked.ranks < 0).mean(axis=1)
        correlation = _correlations(np.array(scores + absent))
        return CopulaModel(data.schema, len(data), ranked.values, counts, missing, correlation)

    def choice(self, data: Data, *, noise: Noise) -> tuple[FocalPoint, ...]:
        """Give every pair of columns: there is nothing to choose."""
        return _pairs(data.schema)


def _pairs(schema: Schema) -> tuple[FocalPoint, ...]:
    return tuple(FocalPoint(pair) for pair in combinations(schema.names, 2))


def _normal_scores(places: Floats) -> Floats:
    return np.asarray(ndtri(np.clip(places, _EDGE, 1 - _EDGE)))


def _scores_of_flags(flags: Array, *, rng: np.random.Generator) -> Floats:
    """Normal scores of flags; those that are set come first. All zero if nothing varies."""
    if flags.all() or not flags.any():
        return np.zeros(len(flags))
    share = flags.mean()
    places = rng.random(len(flags))
    return _normal_scores(np.where(flags, places * share, share + places * (1 - share)))


def _correlations(scores: Floats) -> Floats:
    """The correlations of rows; a row without variance is independent of the others."""
    spread = scores.std(axis=1)
    varies = spread > 0
    centred = scores - scores.mean(axis=1, keepdims=True)
    scaled = centred / np.where(varies, spread, 1.0)[:, None]
    out: Floats = scaled @ scaled.T / max(1, scores.shape[1])
    np.fill_diagonal(out, 1.0)
    return out
