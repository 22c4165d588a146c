"""Fold test: one p-value for all attacks where everybody was left out of one of several releases.

People are dealt at random into folds, and release j is made without fold j. There is no control:
each person is compared with the others in the release that did not see them.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Floats, Rows
from quintain.kernels.ranks import average_ranks

SHARES = (0.01, 0.1)
"""Shares of the ranking, from the top, in which the people who were left out are counted."""
STATISTICS = ("AUC", *(f"people left out among the top {100 * share:g} %" for share in SHARES))

_BLOCK_BYTES = 1 << 25
"""How much memory one block of permuted folds may take."""
_GRAIN = 2.0**20
"""Places are multiples of 1 / _GRAIN, so their sums are exact and equal sums are ties."""


@dataclass(frozen=True, slots=True)
class FoldTest:
    """Whether people rank higher in releases that saw them, and which attack shows it best.

    Parameters
    ----------
    p : how probable evidence this strong is if no release depends on who was left out of it.
    strongest : the number of the attack with the strongest evidence.
    statistic : by which statistic it is the strongest.
    own : the p-value of each attack alone; they are not corrected for the number of attacks.
    critical : the standardised statistic that one in 20 audits without any leak exceeds.
    auc : for each attack how often it ranks somebody whom a release saw above somebody who was
        left out of it: the mean over the releases.
    spread : the standard deviation that ``auc`` has if folds mean nothing.
    """

    p: float
    strongest: int
    statistic: str
    own: tuple[float, ...]
    critical: float
    auc: tuple[float, ...]
    spread: tuple[float, ...]


def fold_test(
    scores: Sequence[Floats],
    folds: Rows,
    *,
    rng: np.random.Generator,
    permutations: int = 999,
    level: float = 0.05,
) -> FoldTest:
    """Test by permuted folds whether people rank lower in the release that did not see them.

    Each release ranks all people by each attack. The first statistic of an attack is minus the sum
    over all people of their rank in the release that did not see them. Two more count the people
    who stand at the top of the release that did not see them: copies put others there. Each
    statistic gets the mean 0 and the standard deviation 1 that it has over all deals of people
    into folds of these sizes (Hoeffding), and the test statistic is the largest of all. The
    permuted folds go through the same computation, with the same permutations for all attacks and
    all releases. So p = (1 + number of permutations at least as extreme) / (1 + permutations) is
    exact however the releases depend on each other, if the scores do not depend on the deal
    otherwise: attacks must see the people in an order that has nothing to do with the folds.

    Parameters
    ----------
    scores : for each attack one row per person and one column per release; the higher, the more
        the release gives away about the person. NaN where the attack was not asked.
    folds : for each person the number of the release that was made without them.
    permutations : how many deals to draw; p cannot be below 1 / (1 + permutations).
    level : the level for ``critical``.

    References
    ----------
    Hoeffding, A combinatorial central limit theorem, Annals of Mathematical Statistics 22 (1951).
    Westfall and Young, Resampling-based multiple testing, Wiley 1993.

    >>> rng = np.random.default_rng(0)
    >>> folds = rng.permutation(400) % 5
    >>> noise, leak = rng.normal(size=(2, 400, 5))
    >>> leak[np.arange(400), folds] -= 1  # people score lower where they were left out
    >>> test = fold_test([noise, leak], folds, rng=rng)
    >>> test.p, test.strongest, round(test.auc[1], 2)
    (0.001, 1, 0.78)
    """
    count = int(folds.max(initial=0)) + 1
    if not scores:
        return FoldTest(1.0, 0, STATISTICS[0], (), 0.0, (), ())
    places = np.stack([fold_places(attack) for attack in scores])
    attacks, statistics, people, _ = places.shape
    flat = places.reshape(attacks * statistics, people, count)
    sizes = np.bincount(folds, minlength=count)
    moments = [_moments(place, sizes) for place in places]  # one by one: the places are large
    means, spreads = (np.concatenate(parts) for parts in zip(*moments, strict=True))
    sums = np.concatenate(
        [
            flat.reshape(len(flat), -1) @ _mark_left_out(deals, count)
            for deals in _deals(folds, count, permutations, rng)
        ],
        axis=1,
    )
    usual = np.where(spreads > 0, spreads, 1.0)
    standard = np.where(spreads[:, None] > 0, (means[:, None] - sums) / usual[:, None], 0.0)
    by_attack = standard.reshape(attacks, statistics, -1)
    auc = [fold_auc(attack, folds) for attack in scores]
    spread = [
        float(width) * _auc_per_rank(attack, folds)
        for width, attack in zip(spreads[::statistics], scores, strict=True)
    ]
    return _summary(by_attack, level, tuple(auc), tuple(spread))


def equal_control(people: int, folds: int) -> tuple[int, int]:
    """How many members and others of an audit with a control would see as much as the folds.

    Everybody is left out once, so the mean AUC over the releases has the spread of a comparison of
    so many people, if the releases were made apart from each other.

    >>> equal_control(1000, 5)
    (3200, 800)
    """
    return people * (folds - 1) ** 2 // folds, people * (folds - 1) // folds


def fold_places(scores: Floats) -> Floats:
    """For each statistic the place of every person in every release: its rank, and top seats.

    People with the same score share their seats at the top. Who was not asked has the average.

    >>> fold_places(np.array([[3.0], [1.0], [1.0], [np.nan]]))[0, :, 0].tolist()
    [3.0, 1.5, 1.5, 2.0]
    """
    values = np.asarray(scores, np.float64)
    out = np.zeros((len(STATISTICS), *values.shape))
    for release in range(values.shape[1]):
        column = values[:, release]
        scored = ~np.isnan(column)
        if not scored.any():
            continue
        own = column[scored]
        out[0, :, release] = (len(own) + 1) / 2
        out[0, scored, release] = average_ranks(own)
        for number, share in enumerate(SHARES, start=1):
            seats = math.ceil(share * len(own))
            out[number, :, release] = _exact(seats / len(own))
            out[number, scored, release] = _seats(own, seats)
    return out


def _seats(values: Floats, seats: int) -> Floats:
    """Who has one of so many seats at the top; equal values share what is left for them."""
    _, group, counts = np.unique(values, return_inverse=True, return_counts=True)
    above = np.cumsum(counts[::-1])[::-1] - counts
    return np.asarray(_exact(np.clip((seats - above) / counts, 0.0, 1.0)))[group]


def _exact(share: Floats | float) -> Floats:
    return np.asarray(np.rint(np.asarray(share) * _GRAIN) / _GRAIN)


def fold_auc(scores: Floats, folds: Rows) -> float:
    """How often a release ranks people whom it saw above people whom it did not see, on average.

    >>> fold_auc(np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([0, 1]))
    1.0
    """
    values = []
    for release in range(scores.shape[1]):
        scored = ~np.isnan(scores[:, release])
        out = folds[scored] == release
        if out.any() and not out.all():
            ranks = average_ranks(scores[scored, release])
            values.append(0.5 + (ranks[~out].mean() - ranks[out].mean()) / len(ranks))
    return float(np.mean(values)) if values else 0.5


def _auc_per_rank(scores: Floats, folds: Rows) -> float:
    """By how much the mean AUC grows if the ranks of the people left out sum to one less."""
    scored = np.maximum(1, (~np.isnan(scores)).sum(axis=0))
    share = np.bincount(folds, minlength=scores.shape[1]) / len(folds)
    return float(np.mean(1 / np.maximum(1e-12, scored**2 * share * (1 - share)))) / len(share)


def _moments(places: Floats, sizes: Rows) -> tuple[Floats, Floats]:
    """The mean and the standard deviation of each sum over all deals into folds of these sizes."""
    people = places.shape[1]
    columns = places.mean(axis=1)
    rows = places @ sizes / people
    grand = columns @ sizes / people
    centred = places - columns[:, None, :] - rows[:, :, None] + grand[:, None, None]
    variance = (centred**2 @ sizes).sum(axis=1) / max(1, people - 1)
    # Equal places leave nothing but rounding.
    scale = (places**2).mean(axis=(1, 2)) * people
    return columns @ sizes, np.sqrt(np.where(variance > 1e-18 * scale, variance, 0.0))


def _deals(folds: Rows, count: int, permutations: int, rng: np.random.Generator) -> Iterator[Rows]:
    """The observed folds, then blocks of permuted ones; one column per deal."""
    yield folds[:, None]
    size = max(1, _BLOCK_BYTES // (8 * count * max(1, len(folds))))
    for start in range(0, permutations, size):
        same = np.broadcast_to(folds, (min(size, permutations - start), len(folds)))
        yield rng.permuted(same, axis=1).T


def _mark_left_out(deals: Rows, count: int) -> Floats:
    """For each deal which release did not see whom: ones and zeros, people by releases."""
    chosen = deals[:, None, :] == np.arange(count)[None, :, None]
    return np.asarray(chosen.reshape(-1, deals.shape[1]), np.float64)


def _summary(
    standard: Floats, level: float, auc: tuple[float, ...], spread: tuple[float, ...]
) -> FoldTest:
    """Compare the first deal, which is the observed one, with all of them."""
    by_attack = standard.max(axis=1)
    largest = by_attack.max(axis=0)
    strongest = int(by_attack[:, 0].argmax())
    return FoldTest(
        p=float((largest >= largest[0]).mean()),
        strongest=strongest,
        statistic=STATISTICS[int(standard[strongest, :, 0].argmax())],
        own=tuple((by_attack >= by_attack[:, :1]).mean(axis=1).tolist()),
        critical=float(np.quantile(largest[1:], 1 - level)) if len(largest) > 1 else 0.0,
        auc=auc,
        spread=spread,
    )
