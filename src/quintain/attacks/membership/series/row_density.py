"""Row density: are there more released rows around a target's rows than other people explain?

A target's row becomes a released row by Gaussian noise and clipping. The logarithm of that
likelihood is, for each released row, a quadratic function of the target's row, so all pairs of rows
cost one matrix product. A released value at the bound of its column may have been clipped: its
likelihood is that of the tail beyond the bound, whose logarithm is nearly quadratic as well. And
values clipped to the range of the private data publish that range exactly.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, NamedTuple

import numpy as np
from pydantic import Field

from quintain.attacks.membership.series.series_attack import Scores, SeriesAttack, prepare_robustly
from quintain.data import Series
from quintain.data.arrays import Floats, Ints, Singles
from quintain.kernels.series import Scaling, prepare
from quintain.registry import register

_ROUNDS = 3
_SURE = 2.0
"""What a verdict of the bounds counts, in standard deviations of all other evidence."""

_BLOCK = 64

_LEAST = np.float32(1e-9)
"""The least weight of all others, so that a row that only one person explains stays finite."""

_RELEASED = 128
"""Released rows per block."""

_LEAST_LOG = -80.0
"""Logarithms below this are this: the exponential of a single-precision number still exists."""

_STRENGTHS = (0.003, 0.01, 0.03, 0.06, 0.12, 0.25, 0.5, 1.0)
"""The standard deviations that the search begins with."""

_LEAST_SPREAD = 1e-3
_PROBES = 128
_FITS = 6

_OFTEN = 3
"""A value that so many released cells share exactly is a bound, if it is near the end."""

_DISTINCT = 5
"""How many of the most extreme values may be far-out ones that hide the bound."""

_BEYOND = 10
"""If more persons are beyond a bound, the bound was not the range of half of them: the chance of
that is below one in a thousand."""

_TOLERANCE = 1e-9


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


@dataclass(frozen=True, slots=True, eq=False)
class ClippedNoise:
    """A released row is a row of a person, plus noise, clipped to bounds.

    Parameters
    ----------
    rows : of the targets, rows x columns, on one scale with the released rows.
    spread : the standard deviation of the noise in each column.
    low, high : the bounds of each column; infinite if it is not clipped.
    """

    rows: Floats
    spread: Floats
    low: Floats
    high: Floats

    def factors(self, released: Floats) -> Singles:
        """For each released row the weights of the squares, of the values and of 1."""
        precision = 1 / self.spread**2
        square = np.tile(-precision / 2, (len(released), 1))
        linear = released * precision
        constant = -released * linear / 2 - np.log(self.spread)
        for j in range(released.shape[1]):
            for bound, side in ((self.low[j], 1.0), (self.high[j], -1.0)):
                at_bound = released[:, j] == bound
                if at_bound.any():
                    tail = self._tail(j, bound, side)
                    square[at_bound, j], linear[at_bound, j], constant[at_bound, j] = tail
        return np.hstack([square, linear, constant.sum(axis=1, keepdims=True)]).astype(np.float32)

    def _tail(self, column: int, bound: float, side: float) -> Floats:
        """The quadratic nearest to the logarithm of the tail, over the range of the targets."""
        from scipy.special import log_ndtr  # slow to import

        ends = np.quantile(self.rows[:, column], [0.002, 0.998])
        grid = np.linspace(ends[0], max(ends[1], ends[0] + 1e-6), 40)
        away = (grid - grid.mean()) / np.ptp(grid)
        fit = np.polynomial.polynomial.polyfit(
            away, log_ndtr(side * (bound - grid) / self.spread[column]), 2
        )
        centre, width = grid.mean() / np.ptp(grid), np.ptp(grid)
        return np.array(
            [
                fit[2] / width**2,
                (fit[1] - 2 * fit[2] * centre) / width,
                fit[0] - fit[1] * centre + fit[2] * centre**2,
            ]
        )

    def blocks(self, released: Floats) -> Iterator[tuple[slice, Singles]]:
        """Log likelihoods, released rows x rows of the targets, block after block."""
        described = np.hstack([self.rows**2, self.rows, np.ones((len(self.rows), 1))])
        turned = np.ascontiguousarray(described.astype(np.float32).T)
        factors = self.factors(released)
        for start in range(0, len(released), _RELEASED):
            block = slice(start, min(start + _RELEASED, len(released)))
            yield block, factors[block] @ turned

    def likelihood(self, released: Floats) -> float:
        """The mean log likelihood of released rows if every target's row is as likely."""
        total = 0.0
        for _, logs in self.blocks(released):
            highest = logs.max(axis=1)
            logs -= highest[:, None]
            np.maximum(logs, _LEAST_LOG, out=logs)
            total += float((highest + np.log(np.exp(logs, out=logs).sum(axis=1))).sum())
        return total / max(1, len(released))

    def by_person(self, released: Floats, starts: Ints) -> Singles:
        """Likelihoods summed over the rows of each person: released rows x persons.

        Each released row has its own unit: its likeliest row of a target has likelihood 1.
        """
        out = np.empty((len(released), len(starts)), np.float32)
        for block, logs in self.blocks(released):
            logs -= logs.max(axis=1, keepdims=True)
            np.maximum(logs, _LEAST_LOG, out=logs)
            np.add.reduceat(np.exp(logs, out=logs), starts, axis=1, out=out[block])
        return out

    def refit(self, released: Floats) -> ClippedNoise:
        """The noise that explains some released rows best, given which rows they may come from."""
        squares, beyond = np.zeros(released.shape[1]), self._beyond_bounds()
        for block, logs in self.blocks(released):
            logs -= logs.max(axis=1, keepdims=True)
            shares = np.exp(np.maximum(logs, _LEAST_LOG, out=logs), out=logs)
            shares /= shares.sum(axis=1, keepdims=True)
            mean, square = shares @ self.rows, shares @ self.rows**2
            away = released[block] ** 2 - 2 * released[block] * mean + square
            for (j, bound), noise in beyond.items():
                at_bound = released[block, j] == bound
                away[at_bound, j] = shares[at_bound] @ noise
            squares += away.sum(axis=0)
        spread = np.sqrt(np.maximum(squares, 0) / max(1, len(released)))
        return ClippedNoise(self.rows, np.maximum(spread, _LEAST_SPREAD), self.low, self.high)

    def _beyond_bounds(self) -> dict[tuple[int, float], Floats]:
        """By column and bound: the expected square of the noise that takes each row beyond it."""
        from scipy.special import log_ndtr

        out = {}
        for j, spread in enumerate(self.spread):
            for bound, side in ((self.low[j], 1.0), (self.high[j], -1.0)):
                if np.isfinite(bound):
                    away = side * (self.rows[:, j] - bound) / spread
                    hazard = np.exp(-(away**2) / 2 - log_ndtr(-away)) / np.sqrt(2 * np.pi)
                    out[j, float(bound)] = spread**2 * (1 + away * hazard)
        return out


def fit_noise(rows: Floats, released: Floats, low: Floats, high: Floats) -> ClippedNoise:
    """Find the noise that makes a release most likely: one strength, then column by column.

    All columns are on a scale of about 0 to 1. ``released`` are the rows of the release.
    """
    probes = released[:: max(1, len(released) // _PROBES)]
    columns = rows.shape[1]
    candidates = [ClippedNoise(rows, np.full(columns, s), low, high) for s in _STRENGTHS]
    best = max(candidates, key=lambda candidate: candidate.likelihood(probes))
    for _ in range(_FITS):
        best = best.refit(probes)
    return best


class Bounds(NamedTuple):
    """The bounds of each column; infinite where there is none."""

    low: Floats
    high: Floats


def find_bounds(released: Floats) -> Bounds:
    """Find the ends of each column at which many released cells are exactly equal.

    >>> rows = np.arange(40.0)
    >>> find_bounds(np.column_stack([np.maximum(rows - 9, 0.0), rows]))
    Bounds(low=array([  0., -inf]), high=array([inf, inf]))
    """
    low = np.full(released.shape[1], -np.inf)
    high = np.full(released.shape[1], np.inf)
    for j in range(released.shape[1]):
        values, counts = np.unique(released[:, j], return_counts=True)
        at_low = np.flatnonzero(counts[:_DISTINCT] >= _OFTEN)
        at_high = np.flatnonzero(counts[::-1][:_DISTINCT] >= _OFTEN)
        if len(values) > 2 * _DISTINCT and len(at_low):
            low[j] = values[at_low[0]]
        if len(values) > 2 * _DISTINCT and len(at_high):
            high[j] = values[::-1][at_high[0]]
    return Bounds(low, high)


def verdicts(rows: Floats, owner: Ints, persons: int, bounds: Bounds) -> Floats:
    """Read who is a member from the bounds: 1 for surely, -1 for surely not, 0 for unknown.

    A person who alone has exactly the value of a bound is a member. A person who has a value beyond
    it is none, because the range of the members would be wider.
    """
    members, others = np.zeros(persons, bool), np.zeros(persons, bool)
    for j in range(rows.shape[1]):
        for bound, side in ((bounds.low[j], 1.0), (bounds.high[j], -1.0)):
            if not np.isfinite(bound):
                continue
            inside = side * (rows[:, j] - bound)
            close = _TOLERANCE * max(1.0, abs(bound))
            having = np.unique(owner[np.abs(inside) <= close])
            beyond = np.unique(owner[inside < -close])
            if len(having) and len(beyond) <= _BEYOND:
                others[beyond] = True
                members[having] |= len(having) == 1
    return np.where(others == members, 0.0, np.where(members, 1.0, -1.0))
