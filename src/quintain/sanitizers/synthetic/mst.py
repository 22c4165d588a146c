"""MST: synthetic records from a tree of noisy two-way tables."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field

from quintain.accounting.budget import Budget
from quintain.accounting.split import Account
from quintain.accounting.zcdp import exponential_epsilon, gaussian_sigma, rho_for
from quintain.data import Table
from quintain.data.arrays import Floats
from quintain.errors import PartError
from quintain.jobs.progress import track
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.releases import Claim, FocalPoint
from quintain.sanitizers.synthesizer import Synthesizer
from quintain.sanitizers.synthetic.counted_columns import (
    CountedColumns,
    LevelModel,
    count_values,
    varying,
)
from quintain.sanitizers.synthetic.pgm import (
    MOST_CELLS,
    Domain,
    Levels,
    Measurement,
    estimate,
    estimate_total,
    nearest_counts,
)

Pair = tuple[str, str]
"""The names of two columns."""


@dataclass(frozen=True, slots=True, eq=False)
class MstModel(LevelModel):
    """A tree of two-way tables over levels, and the values that each level stands for."""

    kind: ClassVar[str] = "mst"

    def focal_points(self) -> tuple[FocalPoint, ...]:
        """List the pairs of columns that the tree joins."""
        return tuple(sorted(FocalPoint(tuple(sorted(c))) for c in self.graph.tree.cliques))


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
    account: ClassVar[Account] = "zcdp"

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
        budget = self._budget()
        columns = self._count(data, budget, noise)
        pairs = self._choose(columns, budget, noise)
        measured = list(columns.counts)
        for pair in track(pairs, "measuring pairs", len(pairs)):
            sigma = gaussian_sigma(self._rho(len(columns.codes)) / len(pairs))
            noisy = budget.count(columns.cross(pair), sigma, noise)
            measured.append(Measurement.of(pair, noisy, sigma**2))
        return measured, columns.levels

    def structure(self, data: Table, *, noise: Noise) -> tuple[FocalPoint, ...]:
        """Give only the tree that one run chooses; this is far cheaper than a whole release."""
        budget = self._budget()
        columns = self._count(data, budget, noise)
        chosen: Sequence[tuple[str, ...]] = self._choose(columns, budget, noise)
        chosen = chosen or [counts.columns for counts in columns.counts]
        return tuple(sorted(FocalPoint(tuple(sorted(names))) for names in chosen))

    def _budget(self) -> Budget:
        return Budget(rho_for(self.epsilon, self.delta))

    def _rho(self, columns: int) -> float:
        """Give the budget of each step; a step with nothing to do gets none."""
        return rho_for(self.epsilon, self.delta) / min(columns, 3)

    def _count(self, data: Table, budget: Budget, noise: Noise) -> CountedColumns:
        """Count every column with noise, and merge its rare values."""
        columns = varying(self, data.schema)
        sigma = gaussian_sigma(self._rho(len(columns)) / len(columns))
        counted = count_values(data, columns, sigma=sigma, budget=budget, noise=noise)
        return counted.merge_rare()

    def _choose(self, columns: CountedColumns, budget: Budget, noise: Noise) -> list[Pair]:
        """Choose the pairs of the tree; a single pair costs nothing, since there is no choice."""
        pairs = list(combinations(columns.codes, 2))
        if pairs:
            _refuse_large(self, columns.levels)
        if len(pairs) < 2:
            return pairs
        epsilon = exponential_epsilon(self._rho(len(columns.codes)) / (len(columns.codes) - 1))
        places = spanning_tree(pairs, _scores(columns, pairs), epsilon, budget, noise)
        return [pairs[place] for place in places]


def _refuse_large(sanitizer: Mst, levels: dict[str, Levels]) -> None:
    one, other = sorted(level.count for level in levels.values())[-2:]
    if one * other > MOST_CELLS:
        raise PartError(
            f"{sanitizer.id}: a pair of columns has {one:,} x {other:,} cells; the limit is "
            f"{MOST_CELLS:,}; give narrower domains"
        )


def _scores(columns: CountedColumns, pairs: Sequence[Pair]) -> Floats:
    """Measure how far the counts of each pair are from those of independent columns."""
    total = estimate_total(columns.counts)
    expected = {m.columns[0]: nearest_counts(m.counts, m.variance, total) for m in columns.counts}
    scores = np.empty(len(pairs))
    for number, pair in enumerate(track(pairs, "comparing pairs of columns", len(pairs))):
        independent = np.outer(expected[pair[0]], expected[pair[1]] / total)
        scores[number] = np.abs(columns.cross(pair) - independent).sum()
    return scores


def spanning_tree(
    pairs: Sequence[Pair],
    scores: Floats,
    epsilon: float,
    budget: Budget,
    noise: Noise,
    *,
    joined: Collection[str] = (),
) -> list[int]:
    """Choose the places of pairs that form a tree, one by one; each choice costs ``epsilon``.

    One person must move a score by at most one. Columns in ``joined`` are in one tree already.
    """
    names = sorted({name for pair in pairs for name in pair})
    place = {name: number for number, name in enumerate(names)}
    ends = np.array([[place[name] for name in pair] for pair in pairs])
    part = np.arange(len(names))
    part[[place[name] for name in joined]] = -1
    chosen = []
    for _ in range(len(set(part.tolist())) - 1):
        open_ = np.flatnonzero(part[ends[:, 0]] != part[ends[:, 1]])
        pick = open_[budget.choose(scores[open_], epsilon, 1.0, noise)]
        chosen.append(int(pick))
        one, other = part[ends[pick]]
        part[part == one] = other
    return chosen
