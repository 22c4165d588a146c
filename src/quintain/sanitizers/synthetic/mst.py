"""MST: synthetic records from a tree of noisy two-way tables."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field

from quintain.accounting.zcdp import exponential_epsilon, gaussian_sigma, rho_for
from quintain.data import Column, Schema, Table
from quintain.data.arrays import Floats, Ints
from quintain.errors import PartError
from quintain.noise import Noise
from quintain.progress import track
from quintain.registry import register
from quintain.releases import Claim, FocalPoint
from quintain.sanitizers.synthesizer import Arrays, FittedModel, Synthesizer
from quintain.sanitizers.synthetic.pgm import (
    MOST_CELLS,
    Domain,
    GraphicalModel,
    Levels,
    Measurement,
    estimate,
    estimate_total,
    nearest_counts,
)

Pair = tuple[str, str]

RARE = 3.0
"""A value is rare if its noisy count is below this many standard deviations of the noise."""


@dataclass(frozen=True, slots=True, eq=False)
class MstModel(FittedModel):
    """A tree of two-way tables over levels, and how levels stand for values."""

    kind: ClassVar[str] = "mst"

    schema: Schema
    size: int
    graph: GraphicalModel
    levels: dict[str, Levels]

    def sample(self, rows: int, *, rng: np.random.Generator) -> Table:
        """Draw along the tree; columns that can have one value only have that."""
        drawn = self.graph.sample(rows, rng)
        columns: dict[str, Ints] = {}
        for column in self.schema.columns:
            codes = np.zeros(rows, np.int64)
            if column.name in drawn:
                codes = self.levels[column.name].expand(drawn[column.name], rng)
            columns[column.name] = np.where(codes == column.size, -1, codes)
        return Table(self.schema, columns)

    def focal_points(self) -> tuple[FocalPoint, ...]:
        """The edges of the tree."""
        return tuple(sorted(FocalPoint(tuple(sorted(c))) for c in self.graph.tree.cliques))

    def arrays(self) -> Arrays:
        """The tables, and the values of each level."""
        out = self.graph.arrays()
        out["columns"] = np.array([self.schema.names.index(name) for name in self.levels])
        for number, levels in enumerate(self.levels.values()):
            out[f"kept_{number}"], out[f"rare_{number}"] = levels.kept, levels.rare
            out[f"shares_{number}"] = levels.shares
        return out

    @classmethod
    def from_arrays(cls, schema: Schema, size: int, arrays: Arrays) -> MstModel:
        """A model from its arrays."""
        levels = {
            schema.names[place]: Levels(*(arrays[f"{k}_{i}"] for k in ("kept", "rare", "shares")))
            for i, place in enumerate(arrays["columns"])
        }
        domain = Domain.of({name: held.count for name, held in levels.items()})
        return cls(schema, size, GraphicalModel.from_arrays(domain, arrays), levels)


@dataclass(frozen=True, slots=True, eq=False)
class _Columns:
    """The columns after their levels were found.

    Parameters
    ----------
    codes : the level of every record in each column; these are people's data, without noise.
    levels : the levels of each column.
    counts : the noisy counts of the levels.
    """

    codes: dict[str, Ints]
    levels: dict[str, Levels]
    counts: list[Measurement]

    def cross(self, pair: Pair) -> Ints:
        """How many records have each pair of levels."""
        shape = (self.levels[pair[0]].count, self.levels[pair[1]].count)
        cell = self.codes[pair[0]] * shape[1] + self.codes[pair[1]]
        return np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)


@register("mst-v1")
class Mst(Synthesizer):
    """Draws records from a tree of noisy two-way tables, chosen privately where columns depend.

    Every column is counted with Gaussian noise, and values that do not stand out from the noise
    are merged. Pairs of columns that differ most from independence are chosen one by one, so that
    they span a tree (exponential mechanism; the score is the L1 distance between the counts of a
    pair and those expected from its columns, which one record moves by at most one). The chosen
    pairs are counted with Gaussian noise. A graphical model is fitted to all noisy counts, and
    records are drawn from it.

    The three steps get a third of the privacy each, added up in zCDP: adding or removing one record
    changes one count in each of the d columns and d - 1 pairs by one. With two columns there is
    nothing to choose, and with one there are no pairs, so that the other steps get more. Only the
    schema's domain is used, and the size of the data is read from the noisy counts.

    Parameters
    ----------
    epsilon, delta : the privacy loss in all.

    References
    ----------
    McKenna, Miklau and Sheldon (2021), "Winning the NIST Contest". SNAKE 1 (2023), which used
    delta = 1e-9.
    """

    epsilon: Annotated[float, Field(gt=0, lt=1e6, allow_inf_nan=False)] = 1.0
    delta: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)] = 1e-9

    @classmethod
    def examples(cls) -> list[Self]:
        """Much noise and little."""
        return [cls(), cls(epsilon=100.0, rows=50)]

    def claim(self) -> Claim:
        """Approximate differential privacy."""
        return Claim(epsilon=self.epsilon, delta=self.delta)

    def fit(self, data: Table, *, rng: np.random.Generator, noise: Noise) -> MstModel:
        """Measure, then estimate."""
        measured, levels = self.measure(data, noise=noise)
        domain = Domain.of({name: held.count for name, held in levels.items()})
        graph = estimate(measured, domain)
        return MstModel(data.schema, round(graph.total), graph, levels)

    def measure(self, data: Table, *, noise: Noise) -> tuple[list[Measurement], dict[str, Levels]]:
        """Count every column and the pairs of a tree with noise: all that is learned of people."""
        columns = self._count(data, noise)
        pairs = self._choose(columns, noise)
        measured = list(columns.counts)
        for pair in track(pairs, "measuring pairs", len(pairs)):
            sigma = gaussian_sigma(self._rho(len(columns.codes)) / len(pairs))
            counts = columns.cross(pair)
            noisy = counts + noise.gaussian(sigma, counts.size).reshape(counts.shape)
            measured.append(Measurement.of(pair, noisy, sigma**2))
        return measured, columns.levels

    def structure(self, data: Table, *, noise: Noise) -> tuple[FocalPoint, ...]:
        """The tree that one run chooses, and nothing else: far cheaper than a whole release."""
        columns = self._count(data, noise)
        chosen: Sequence[tuple[str, ...]] = self._choose(columns, noise)
        chosen = chosen or [counts.columns for counts in columns.counts]
        return tuple(sorted(FocalPoint(tuple(sorted(names))) for names in chosen))

    def _rho(self, columns: int) -> float:
        """What each step may spend; steps with nothing to do get nothing."""
        return rho_for(self.epsilon, self.delta) / min(columns, 3)

    def _count(self, data: Table, noise: Noise) -> _Columns:
        """Count every column, and merge its rare values."""
        varying = _varying(self, data.schema)
        sigma = gaussian_sigma(self._rho(len(varying)) / len(varying))
        codes, levels, counts = {}, {}, []
        for column in varying:
            size = column.size + column.nullable
            held = data.columns[column.name].astype(np.int64)
            held[held < 0] = column.size
            noisy = np.bincount(held, minlength=size) + noise.gaussian(sigma, size).astype(float)
            level = Levels.of(noisy, RARE * sigma)
            codes[column.name], levels[column.name] = level.merge(held), level
            counts.append(level.merge_counts(column.name, noisy, sigma**2))
        return _Columns(codes, levels, counts)

    def _choose(self, columns: _Columns, noise: Noise) -> list[Pair]:
        """Choose the pairs of the tree; of one pair there is no choice."""
        pairs = list(combinations(columns.codes, 2))
        if pairs:
            _refuse_large(self, columns.levels)
        if len(pairs) < 2:
            return pairs
        steps = len(columns.codes) - 1
        epsilon = exponential_epsilon(self._rho(len(columns.codes)) / steps)
        return _spanning_tree(pairs, _scores(columns, pairs), epsilon, noise)


def _varying(sanitizer: Mst, schema: Schema) -> Sequence[Column]:
    """The columns with more than one possible value; one at least, to count the records by."""
    varying = [c for c in schema.columns if c.size + c.nullable > 1] or schema.columns[:1]
    values = sum(column.size for column in varying)
    if values > MOST_CELLS:
        raise PartError(
            f"{sanitizer.id}: the columns have {values:,} possible values together; at most "
            f"{MOST_CELLS:,} can be counted: give narrower domains"
        )
    return varying


def _refuse_large(sanitizer: Mst, levels: dict[str, Levels]) -> None:
    one, other = sorted(held.count for held in levels.values())[-2:]
    if one * other > MOST_CELLS:
        raise PartError(
            f"{sanitizer.id}: a pair of columns has {one:,} x {other:,} cells; at most "
            f"{MOST_CELLS:,} can be counted: give narrower domains"
        )


def _scores(columns: _Columns, pairs: Sequence[Pair]) -> Floats:
    """How far each pair is from what its columns would give if they were independent."""
    total = estimate_total(columns.counts)
    expected = {m.columns[0]: nearest_counts(m.counts, m.variance, total) for m in columns.counts}
    scores = np.empty(len(pairs))
    for number, pair in enumerate(track(pairs, "comparing pairs of columns", len(pairs))):
        alone = np.outer(expected[pair[0]], expected[pair[1]] / total)
        scores[number] = np.abs(columns.cross(pair) - alone).sum()
    return scores


def _spanning_tree(
    pairs: Sequence[Pair], scores: Floats, epsilon: float, noise: Noise
) -> list[Pair]:
    """A tree of high scores, an edge at a time, each one a private choice of cost ``epsilon``."""
    names = sorted({name for pair in pairs for name in pair})
    ends = np.array([[names.index(name) for name in pair] for pair in pairs])
    part = np.arange(len(names))
    chosen = []
    for _ in range(len(names) - 1):
        open_ = np.flatnonzero(part[ends[:, 0]] != part[ends[:, 1]])
        pick = open_[noise.choose(scores[open_], epsilon, 1.0)]
        chosen.append(pairs[pick])
        one, other = part[ends[pick]]
        part[part == one] = other
    return chosen
