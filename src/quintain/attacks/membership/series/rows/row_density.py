"""Row density: are there more released rows around a target's rows than other people explain?"""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from quintain.attacks.membership.series.robust_scaling import prepare_robustly
from quintain.attacks.membership.series.rows.clipped_noise import fit_noise
from quintain.attacks.membership.series.rows.published_bounds import find_bounds, verdicts
from quintain.attacks.membership.series.series_attack import Scores, SeriesAttack
from quintain.data import Series
from quintain.data.arrays import Floats, Singles
from quintain.kernels.series_preparation import Scaling, prepare
from quintain.registry import register

_ROUNDS = 3
_SURE = 2.0
"""What a verdict of the bounds counts, in standard deviations of all other evidence."""

_BLOCK = 64

_LEAST = np.float32(1e-9)
"""The least weight of all others, so that a row that only one person explains stays finite."""


@register("row-density-v1")
class RowDensity(SeriesAttack):
    r"""Weighs each released row among all targets that it may come from by noise.

    The release may mix the rows of different persons. Each of its rows y comes from some row of
    some member by Gaussian noise, and maybe by clipping. Let $w_i(y)$ be the likelihood of y summed
    over the rows of person i, and $m_i$ the probability that i is a member. The score of i is the
    log likelihood ratio of the release with and without i,

    $$ \sum_y \log\left(1 + \frac{w_i(y)}{\sum_{k \ne i} m_k w_k(y)}\right) - n_i, $$

    where $n_i$ is the number of released rows that i adds. The probabilities m begin at one half
    and are computed again from the scores, three times in all. Rows clipped to the range of the
    private data publish that range: a person who alone has the extreme value is a member, and a
    person who has a value beyond it is not.

    What it assumes: the attacker has the series of all targets, half of whom are members, and
    neither the sanitizer nor any run of it. The release has the units of the data, and each
    released row is a noisy row of one member. The attack finds the noise that makes the release
    most likely, column by column. Against releases of another kind the noise is the width of a
    kernel, and the score compares densities.

    Parameters
    ----------
    released_rows : the limit of released rows to weigh, drawn at random.
    steps : as for every attack on series.

    References
    ----------
    Van Breugel, Sun, Qian and van der Schaar, Membership Inference Attacks against Synthetic Data
    through Overfitting Detection (DOMIAS), AISTATS 2023, compare densities of whole records.

    >>> import quintain as q
    >>> from quintain.testing import example
    >>> stays = example("series")
    >>> release = q.sanitize("noise-shuffle", stays.take(range(10)), s=0.1, seed=1)
    >>> guess = q.attack("row-density", release, targets=stays, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 10 + [False] * 10)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 1.00; chance is 0.50'
    """

    released_rows: Annotated[int, Field(ge=1)] = 20_000

    def scores(
        self, targets: Series, released: Series, steps: int, *, rng: np.random.Generator
    ) -> Scores:
        """Weigh the released rows, and add what the bounds say."""
        present = np.flatnonzero(targets.lengths > 0)
        scores = np.zeros(len(targets))
        if len(present) == 0 or len(released.values) == 0:
            return scores
        people = targets.take(present)
        densities = self._ratios(people, released, steps, rng)
        evidence = (densities - np.median(densities)) / max(float(densities.std()), 1e-9)
        scores[present] = evidence + _SURE * bound_verdicts(people, released, steps)
        return scores

    def _ratios(
        self, people: Series, released: Series, steps: int, rng: np.random.Generator
    ) -> Floats:
        """Log likelihood ratios of persons who have rows."""
        target_side, release_side = prepare_robustly(people, released, steps, timed=True)
        varies = target_side.values.std(axis=0) > 0
        rows, base = target_side.values[:, varies], release_side.values[:, varies]
        expected = target_side.lengths * (2 * min(len(base), self.released_rows) / len(rows))
        if len(base) > self.released_rows:
            base = base[np.sort(rng.choice(len(base), self.released_rows, replace=False))]
        noise = fit_noise(rows, base, *find_bounds(base))
        weights = noise.by_person(base, target_side.offsets[:-1])
        certain = bound_verdicts(people, released, steps)
        return member_ratios(weights, expected.astype(np.float64), certain)


def bound_verdicts(targets: Series, released: Series, steps: int) -> Floats:
    """Read from published bounds who is a member: 1, -1, or 0 if they do not say."""
    columns = targets.values.shape[1]
    raw = Scaling(np.zeros(columns), np.ones(columns))
    target_side, release_side = (prepare(side, steps, scaling=raw) for side in (targets, released))
    owner = np.repeat(np.arange(len(target_side)), target_side.lengths)
    bounds = find_bounds(release_side.values)
    return verdicts(target_side.values, owner, len(target_side), bounds)


def member_ratios(weights: Singles, expected: Floats, certain: Floats) -> Floats:
    """Log likelihood ratios of all persons, each given the probabilities of all others.

    Parameters
    ----------
    weights : released rows x persons, how likely a row comes from a person.
    expected : how many released rows each person adds.
    certain : what else is known of each person: 1 for a member, -1 for none, 0 for nothing.
    """
    ratios = np.zeros(len(expected))
    for _ in range(_ROUNDS):
        odds = _SURE * (ratios / max(float(ratios.std()), 1e-9) + certain)
        probabilities = np.clip(1 / (1 + np.exp(-odds)), 0.02, 0.98).astype(np.float32)
        ratios = _leave_one_out(weights, probabilities) - expected
        ratios -= np.median(ratios)
    return ratios


def _leave_one_out(weights: Singles, probabilities: Singles) -> Floats:
    """Sum over rows the logarithm of 1 plus a person's weight by that of all others."""
    total = weights @ probabilities
    out = np.zeros(weights.shape[1])
    for start in range(0, len(weights), _BLOCK):
        own = weights[start : start + _BLOCK]
        others = total[start : start + _BLOCK, None] - own * probabilities
        out += np.log1p(own / np.maximum(others, _LEAST)).sum(axis=0, dtype=np.float64)
    return out
