"""Rounds: choose the marginal that the model fits worst, count it with noise, and fit again.

Each round spends a little of the budget. If the model moves less than the noise alone would move
it, more rounds with this noise teach nothing, so the next ones have half the noise. The last round
spends the rest.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from quintain.accounting.budget import Budget
from quintain.accounting.zcdp import (
    exponential_epsilon,
    exponential_rho,
    gaussian_rho,
    gaussian_sigma,
)
from quintain.data.arrays import Floats
from quintain.errors import PartError
from quintain.noise import Noise
from quintain.sanitizers.synthetic.aim.offers import NOISE_ERROR, Offers
from quintain.sanitizers.synthetic.aim.workload import Candidates, Marginal
from quintain.sanitizers.synthetic.counted_columns import CountedColumns
from quintain.sanitizers.synthetic.pgm import Measurement
from quintain.sanitizers.synthetic.pgm.junction_tree import maximal_cliques
from quintain.sanitizers.synthetic.pgm.refit import Refit

COLUMN_SHARE = 0.2
"""The part of the budget for the counts of single columns, before the rounds."""
LEAST_ROUNDS, MOST_ROUNDS = 1, 4
"""How many rounds per column the budget would last if all were like the first.

Between these there is one round for each marginal of the workload.
"""
CHOICE_SHARE = 0.1
"""The part of a round's budget for the choice; the counts get the rest."""
_TOLERANCE, _STEPS = 0.2, 15
"""How exact a fit between rounds is; see :meth:`Refit.fit`."""
_LAST_TOLERANCE, _LAST_STEPS = 0.02, 300


class Rounds:
    """One run: the model so far, and the noise of the next round.

    Parameters
    ----------
    columns : the columns with their noisy counts; the only access to private data.
    candidates : the marginals that a round may choose.
    budget : pays for every answer.
    most_cells : the most cells of the model at the end; before, in proportion to what is spent.
    """

    def __init__(
        self, columns: CountedColumns, candidates: Candidates, budget: Budget, most_cells: int
    ) -> None:
        self.budget, self.most_cells = budget, most_cells
        self.offers = Offers(columns, candidates)
        self.fit = Refit(columns.domain, columns.counts)
        self.fit.fit(tolerance=_TOLERANCE, steps=_STEPS)
        self.chosen: list[Marginal] = []
        count = len(columns.codes)
        rounds = min(max(candidates.wanted, LEAST_ROUNDS * count), MOST_ROUNDS * count)
        self._divide(budget.left / rounds)

    def run(self, noise: Noise) -> Iterator[float]:
        """Run all rounds; after each, give the part of the budget that is spent."""
        last = False
        while not last:
            last = self.budget.left < 2 * self._cost()
            if last:
                self._divide(self.budget.left)
            self._play(noise)
            yield self.budget.spent / self.budget.rho

    def finish(self) -> None:
        """Fit the model to all measurements once more, more exactly."""
        self.fit.fit(tolerance=_LAST_TOLERANCE, steps=_LAST_STEPS)

    def _divide(self, rho: float) -> None:
        self.epsilon = exponential_epsilon(CHOICE_SHARE * rho)
        self.sigma = gaussian_sigma((1 - CHOICE_SHARE) * rho)

    def _cost(self) -> float:
        return exponential_rho(self.epsilon) + gaussian_rho(self.sigma)

    def _play(self, noise: Noise) -> None:
        marginal, before = self._choose(noise)
        noisy = self.budget.count(self.offers.cross(marginal), self.sigma, noise)
        self.fit.add(Measurement.of(marginal, noisy, self.sigma**2), before)
        self.fit.fit(tolerance=_TOLERANCE, steps=_STEPS)
        self.chosen.append(marginal)
        moved = np.abs(self.fit.counts(marginal) - before).sum()
        if moved <= NOISE_ERROR * self.sigma * before.size:
            self.sigma, self.epsilon = self.sigma / 2, self.epsilon * 2

    def _choose(self, noise: Noise) -> tuple[Marginal, Floats]:
        """Choose a marginal that fits badly; give its expected counts, too.

        The exponential mechanism chooses among the candidates that keep the model small enough. It
        would take long to test all of them. So it draws from all, and draws again if the candidate
        is too large. That gives the same probabilities, and the size does not depend on the data.
        """
        limit = self.most_cells * min(1.0, (self.budget.spent + self._cost()) / self.budget.rho)
        round_ = self.offers.scored(self.fit, self.sigma)
        scores = round_.scores.copy()
        pick = self.budget.choose(scores, self.epsilon, round_.sensitivity, noise)
        while not self._small(round_.marginals[pick], limit):
            scores[pick] = -np.inf
            pick = noise.choose(scores, self.epsilon, round_.sensitivity)
        return round_.marginals[pick], round_.expected(pick)

    def _small(self, marginal: Marginal, limit: float) -> bool:
        """Say whether the model stays small; a marginal inside a clique adds nothing."""
        if self.fit.calibration.tree.home(marginal) >= 0:
            return True
        measured = [m.columns for m in self.fit.measured]
        try:
            maximal_cliques(self.fit.domain, [*measured, marginal], most_cells=int(limit))
        except PartError:
            return False
        return True
