"""Network ratio: one likelihood ratio over all tables that a release seems to preserve."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import Field

from quintain.attacks.membership.network.structure import dependence_network
from quintain.attacks.membership.record_scores import RecordScores
from quintain.data import Table
from quintain.data.arrays import Floats, Rows
from quintain.kernels.cells import CellCounts, cell_keys
from quintain.kernels.dummies import numbers
from quintain.kernels.quantile_bins import QuantileBins, bin_starts
from quintain.registry import register

_LEARN = 50_000  # released records from which the attack learns the network
_MANY = 100  # numbers with more possible values are cut into bins
_FAR = 9.0  # no cell counts more than this many times its variance in the estimate of noise
_NOISE = 0.05, 300.0  # the least and the largest noise in the count of a cell
_HALVINGS = 25


@register("network-ratio-v1")
class NetworkRatio(RecordScores):
    r"""Scores a record by one likelihood ratio over all tables that the release preserves.

    The tables are those of a network of dependences that the release itself shows: each column
    given up to ``parents`` others. For a cell with y released records where e are expected by the
    frequencies in the base data, a member changes e to e + 1, and with noise of variance a in a
    count the log likelihood ratio is about log (y + a) / (e + a). Tables of a network overlap in
    the parents of each column, so the score subtracts the ratio of the parents alone:

    $$ \sum_j \log \frac{y_{j,pa(j)} + a}{e_{j,pa(j)} + a} -
       \log \frac{y_{pa(j)} + a}{e_{pa(j)} + a} $$

    The noise a comes from the release, too: it is such that the deviations y - e of all cells have
    the variance e + a on average. The score of a target is the mean over its records.

    What it assumes: the attacker knows the base data, and neither the sanitizer nor any run of it.
    The release preserves counts of combinations of a few columns, as synthesizers with marginals
    or Bayesian networks do, and the base data are people like those in the private data. If the
    release follows a model with other errors, such as a neural network, the errors hide members.

    Numbers and times with more than 100 possible values are cut into 50 bins that are equally
    common in the release; a missing value is a value of its own.

    Parameters
    ----------
    parents : the most columns on which a column depends; 1 gives a tree.
    candidates : how many columns are compared as parents of a column.

    References
    ----------
    Chow and Liu, Approximating discrete probability distributions with dependence trees, IEEE
    Transactions on Information Theory 14 (1968). Golob et al., arXiv 2402.06699, use the tables
    that a known sanitizer chooses.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> everybody = people(example_table(rows=60))
    >>> release = everybody.take(range(30))  # the first 30 are members
    >>> guess = q.attack("network-ratio", release, targets=everybody, population=everybody, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 30 + [False] * 30)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.81; chance is 0.50'
    """

    parents: Annotated[int, Field(ge=1, le=10)] = 4
    candidates: Annotated[int, Field(ge=1)] = 8

    def scores(
        self, release: Table, base: Table, records: Table, *, rng: np.random.Generator
    ) -> Floats:
        """Learn the network and the noise of the release, then add up the ratios."""
        bins = _coarse(release)
        release, base, records = (bins.encode(table) for table in (release, base, records))
        some = rng.choice(len(release), min(_LEARN, len(release)), replace=False)
        points = dependence_network(
            release.take(np.sort(some)), parents=self.parents, candidates=self.candidates, rng=rng
        )
        joint = [_Cells.of((*point.given, *point.columns), release, base) for point in points]
        shared = [_Cells.of(point.given, release, base) for point in points if point.given]
        noise = _noise(joint)
        inside = sum((cells.ratios(records, noise) for cells in joint), np.zeros(len(records)))
        return inside - sum(cells.ratios(records, noise) for cells in shared)


def _coarse(release: Table) -> QuantileBins:
    """Bins for numbers with many possible values, which are rarely the same twice."""
    many = [c for c in release.schema.columns if c.kind != "category" and c.size > _MANY]
    starts = {c.name: bin_starts(numbers(c, release), NetworkRatio.bins) for c in many}
    return QuantileBins(release.schema, starts)


@dataclass(frozen=True, slots=True, eq=False)
class _Cells:
    """The cells of some columns, in the release and in the base data.

    Parameters
    ----------
    people, shown : how many records of the base data and of the release each cell has.
    sizes : how many records the base data and the release have.
    """

    columns: tuple[str, ...]
    people: CellCounts
    shown: CellCounts
    sizes: tuple[int, int]

    @classmethod
    def of(cls, columns: tuple[str, ...], release: Table, base: Table) -> _Cells:
        """Count base data and release."""
        people, shown = (CellCounts.of(table, columns) for table in (base, release))
        return cls(columns, people, shown, (max(len(base), 1), len(release)))

    def inhabited(self) -> tuple[Floats, Floats]:
        """The released and the expected records of each cell with people of the base data."""
        return self._at(self.people.cells)

    def ratios(self, records: Table, noise: float) -> Floats:
        """The log likelihood ratio of each record, from its cell alone."""
        observed, expected = self._at(cell_keys(records, self.columns))
        return np.asarray(np.log((observed + noise) / (expected + noise)))

    def _at(self, cells: Rows) -> tuple[Floats, Floats]:
        people, released = self.sizes
        return self.shown.at(cells), self.people.at(cells) * released / people


def _noise(tables: Sequence[_Cells]) -> float:
    """The variance of noise in a count that explains the deviations in all tables together."""
    inhabited = zip(*(cells.inhabited() for cells in tables), strict=True)
    observed, expected = (np.concatenate(each) for each in inhabited)
    squares = (observed - expected) ** 2
    low, high = _NOISE
    for _ in range(_HALVINGS):
        middle = float(np.sqrt(low * high))
        if len(squares) and np.minimum(squares / (expected + middle), _FAR).mean() > 1:
            low = middle
        else:
            high = middle
    return high
