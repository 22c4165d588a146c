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
"""The names of two columns."""

RARE = 3.0
"""A value is rare if its noisy count is below this many standard deviations of the noise."""


@dataclass(frozen=True, slots=True, eq=False)
class MstModel(FittedModel):
    """A tree of two-way tables over levels, and the values that each level stands for."""

    kind: ClassVar[str] = "mst"

    schema: Schema
    size: int
    graph: GraphicalModel
    levels: dict[str, Levels]

    def sample(self, rows: int, *, rng: np.random.Generator) -> Table:
        """Draw records along the tree; a column with a single possible value gets that value."""
        drawn = self.graph.sample(rows, rng)
        columns: dict[str, Ints] = {}
        for column in self.schema.columns:
            codes = np.zeros(rows, np.int64)
            if column.name in drawn:
                codes = self.levels[column.name].expand(drawn[column.name], rng)
            columns[column.name] = np.where(codes == column.size, -1, codes)
        return Table(self.schema, columns)

    def focal_points(self) -> tuple[FocalPoint, ...]:
        """List the pairs of columns that the tree joins."""
        return tuple(sorted(FocalPoint(tuple(sorted(c))) for c in self.graph.tree.cliques))

    def arrays(self) -> Arrays:
        """Give the tables of the tree, and the values of each level."""
        out = self.graph.arrays()
        out["columns"] = np.array([self.schema.names.index(name) for name in self.levels])
        for number, levels in enumerate(self.levels.values()):
            out[f"kept_{number}"], out[f"rare_{number}"] = levels.kept, levels.rare
            out[f"shares_{number}"] = levels.shares
        return out

    @classmethod
    def from_arrays(cls, schema: Schema, size: int, arrays: Arrays) -> MstModel:
        """Make a model from what :meth:`arrays` gave."""
        levels = {
            schema.names[place]: Levels(*(arrays[f"{k}_{i}"] for k in ("kept", "rare", "shares")))
            for i, place in enumerate(arrays["columns"])
        }
        domain = Domain.of({name: level.count for name, level in levels.items()})
        return cls(schema, size, GraphicalModel.from_arrays(domain, arrays), levels)


@dataclass(frozen=True, slots=True, eq=False)
class _Columns:
    """The columns after rare values were merged into levels.

    Parameters
    ----------
    codes : the level of every record in each column; these are private data, without noise.
    levels : the levels of each column.
    counts : the noisy counts of the levels.
    """

    codes: dict[str, Ints]
    levels: dict[str, Levels]
    counts: list[Measurement]

    def cross(self, pair: Pair) -> Ints:
        """Count the records with each pair of levels."""
        shape = (self.levels[pair[0]].count, self.levels[pair[1]].count)
        cell = self.codes[pair[0]] * shape[1] + self.codes[pair[1]]
        return np.bincount(cell, minlength=shape[0] * shape[1]).reshape(shape)


@register("mst-v1")
class Mst(Synthesizer):
    """Draws records from noisy two-way tables of the pairs of columns that depend most.

    The part counts every column with Gaussian noise, and merges the values that do not stand out
    from the noise. Then it chooses pairs of columns one by one, so that they form a tree, and
    prefers pairs that differ most from independence (exponential mechanism; the score is the L1
    distance between the counts of a pair and the counts expected from its columns, and one record
    moves it by at most one). It counts the chosen pairs with Gaussian noise, fits a graphical
    model to all noisy counts, and draws records from the model.

    Each of the three steps gets a third of the privacy budget, added up in zCDP: one record more or
    less changes one count by one in each of the d columns and d - 1 pairs. With two columns there
    is no choice, and with one column there are no pairs, so the other steps get more. Only the
    schema's domain is used, and the number of records is estimated from the noisy counts.

    Parameters
    ----------
    epsilon, delta : the total privacy loss.

    In the example table, size and flag depend on colour, and MST finds this tree:

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> table = people(example_table())
    >>> [point.columns for point in Mst().structure(table, noise=q.Noise.for_test(1))]
    [('colour', 'flag'), ('colour', 'size')]
    >>> release = q.sanitize("mst", table, epsilon=10, seed=1)
    >>> round(q.measure("correlation", table, release)["correlation"].value, 2)
    0.13

    References
    ----------
    McKenna, Miklau and Sheldon (2021), "Winning the NIST Contest". SNAKE 1 (2023), which used
    delta = 1e-9.
    """

    most_values: ClassVar[int | None] = MOST_CELLS

    epsilon: Annotated[float, Field(gt=0, lt=1e6, allow_inf_nan=False)] = 1.0
    delta: Annotated[float, Field(gt=0, lt=1, allow_inf_nan=False)] = 1e-9

    @classmethod
    def examples(cls) -> list[Self]:
        """List one sanitizer with much noise and one with little."""
        return [cls(), cls(epsilon=100.0, rows=50)]

    def claim(self) -> Claim:
        """Claim approximate differential privacy."""
        return Claim(epsilon=self.epsilon, delta=self.delta)

    def fit(self, data: Table, *, rng: np.random.Generator, noise: Noise) -> MstModel:
        """Measure noisy counts, then estimate the model that fits them."""
        measured, levels = self.measure(data, noise=noise)
        domain = Domain.of({name: level.count for name, level in levels.items()})
        graph = estimate(measured, domain)
        return MstModel(data.schema, round(graph.total), graph, levels)

    def measure(self, data: Table, *, noise: Noise) -> tuple[list[Measurement], dict[str, Levels]]:
        """Count every column and the pairs of a tree, with noise; nothing else reads the data."""
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
        """Give only the tree that one run chooses; this is far cheaper than a whole release."""
        columns = self._count(data, noise)
        chosen: Sequence[tuple[str, ...]] = self._choose(columns, noise)
        chosen = chosen or [counts.columns for counts in columns.counts]
        return tuple(sorted(FocalPoint(tuple(sorted(names))) for names in chosen))

    def _rho(self, columns: int) -> float:
        """Give the budget of each step; a step with nothing to do gets none."""
        return rho_for(self.epsilon, self.delta) / min(columns, 3)

    def _count(self, data: Table, noise: Noise) -> _Columns:
        """Count every column with noise, and merge its rare values."""
        varying = _varying(self, data.schema)
        sigma = gaussian_sigma(self._rho(len(varying)) / len(varying))
        codes, levels, counts = {}, {}, []
        for column in varying:
            size = column.size + column.nullable
            values = data.columns[column.name].astype(np.int64)
            values[values < 0] = column.size
            noisy = np.bincount(values, minlength=size) + noise.gaussian(sigma, size).astype(float)
            level = Levels.of(noisy, RARE * sigma)
            codes[column.name], levels[column.name] = level.merge(values), level
            counts.append(level.merge_counts(column.name, noisy, sigma**2))
        return _Columns(codes, levels, counts)

    def _choose(self, columns: _Columns, noise: Noise) -> list[Pair]:
        """Choose the pairs of the tree; a single pair costs nothing, since there is no choice."""
        pairs = list(combinations(columns.codes, 2))
        if pairs:
            _refuse_large(self, columns.levels)
        if len(pairs) < 2:
            return pairs
        steps = len(columns.codes) - 1
        epsilon = exponential_epsilon(self._rho(len(columns.codes)) / steps)
        return _spanning_tree(pairs, _scores(columns, pairs), epsilon, noise)


def _varying(sanitizer: Mst, schema: Schema) -> Sequence[Column]:
    """Keep the columns with more than one possible value, or one column to count the records."""
    varying = [c for c in schema.columns if c.size + c.nullable > 1] or schema.columns[:1]
    values = sum(column.size for column in varying)
    if values > MOST_CELLS:
        raise PartError(
            f"{sanitizer.id}: the columns have {values:,} possible values in all; the limit is "
            f"{MOST_CELLS:,}; set groups, or give narrower domains"
        )
    return varying


def _refuse_large(sanitizer: Mst, levels: dict[str, Levels]) -> None:
    one, other = sorted(level.count for level in levels.values())[-2:]
    if one * other > MOST_CELLS:
        raise PartError(
            f"{sanitizer.id}: a pair of columns has {one:,} x {other:,} cells; the limit is "
            f"{MOST_CELLS:,}; give narrower domains"
        )


def _scores(columns: _Columns, pairs: Sequence[Pair]) -> Floats:
    """Measure how far the counts of each pair are from those of independent columns."""
    total = estimate_total(columns.counts)
    expected = {m.columns[0]: nearest_counts(m.counts, m.variance, total) for m in columns.counts}
    scores = np.empty(len(pairs))
    for number, pair in enumerate(track(pairs, "comparing pairs of columns", len(pairs))):
        independent = np.outer(expected[pair[0]], expected[pair[1]] / total)
        scores[number] = np.abs(columns.cross(pair) - independent).sum()
    return scores


def _spanning_tree(
    pairs: Sequence[Pair], scores: Floats, epsilon: float, noise: Noise
) -> list[Pair]:
    """Choose a tree of high scores edge by edge; each private choice costs ``epsilon``."""
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
