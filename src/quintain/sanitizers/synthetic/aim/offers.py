"""Offers: the candidates of a round, and how badly the model fits each of them.

The score of a candidate r with n_r cells is its error in the model, less the error that its own
noise would bring:

$$ w_r (|M_r(D) - M_r(p)|_1 - sqrt(2 / pi) sigma n_r) $$

One record more or less changes one count of M_r(D) by one. The model p is already private. So the
score changes by at most w_r, whatever p is.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Floats, Ints
from quintain.sanitizers.synthetic.aim.workload import Candidates, Marginal
from quintain.sanitizers.synthetic.counted_columns import CountedColumns
from quintain.sanitizers.synthetic.pgm.refit import Crossing, Refit

NOISE_ERROR = math.sqrt(2 / math.pi)
"""The mean absolute value of Gaussian noise, in standard deviations."""
_KEPT_CELLS = 2**25
"""The most private counts that are kept from one round to the next."""


@dataclass(frozen=True, slots=True, eq=False)
class Scored:
    """The candidates of one round with their scores.

    Parameters
    ----------
    marginals : the candidates.
    scores : how badly the model fits each; private, without noise.
    sensitivity : how much one record can move any score.
    """

    marginals: Sequence[Marginal]
    scores: Floats
    sensitivity: float
    model: Crossing
    meetings: Ints

    def expected(self, number: int) -> Floats:
        """Compute the counts of a candidate in the model."""
        return self.model.counts(self.marginals[number], int(self.meetings[number]))


class Offers:
    """All candidates, and their private counts."""

    def __init__(self, columns: CountedColumns, candidates: Candidates) -> None:
        self.columns, self.candidates = columns, candidates
        self._counts: dict[Marginal, Ints] = {}
        self._kept = 0

    def cross(self, marginal: Marginal) -> Ints:
        """Count the records in each cell of a marginal; this is private data, without noise."""
        counts = self._counts.get(marginal)
        if counts is None:
            counts = self.columns.cross(marginal)
            if self._kept + counts.size <= _KEPT_CELLS:
                self._counts[marginal] = counts
                self._kept += counts.size
        return counts

    def scored(self, fit: Refit, sigma: float) -> Scored:
        """Score the candidates for a round with this noise."""
        offered = self._worthwhile(fit.total, sigma)
        marginals = [self.candidates.marginals[n] for n in offered]
        model = Crossing(fit.calibration, fit.tables)
        meetings = model.meetings(marginals)
        gaps = [
            np.abs(self.cross(marginal) - model.counts(marginal, int(meeting))).sum()
            for marginal, meeting in zip(marginals, meetings, strict=True)
        ]
        weights = self.candidates.weights[offered]
        noise = NOISE_ERROR * sigma * self.candidates.cells[offered]
        return Scored(marginals, weights * (gaps - noise), float(weights.max()), model, meetings)

    def _worthwhile(self, total: float, sigma: float) -> Ints:
        """Leave out candidates whose noise is larger than any error; the data are not read."""
        noise = NOISE_ERROR * sigma * self.candidates.cells
        kept = np.flatnonzero(noise < 2 * total)
        return kept if len(kept) else np.flatnonzero(noise == noise.min())
