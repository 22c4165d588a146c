"""Exposed share: how many people of the data look like nobody outside of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from quintain.data.arrays import Floats, Mask, Rows
from quintain.measures.intervals import clopper_pearson
from quintain.measures.pooled.halves import Half, HalvesRule, above, curve, halves, ordered
from quintain.measures.reading import LEVEL, Reading

_REACH = 2.24
"""How many standard deviations the bounds reach that choose a threshold; about as exact ones do."""
_MOST_FALSE = 0.5
"""Only thresholds count that at most this share of the people outside the data reach.

If every member is moved a little, then hardly any member has one of the very lowest scores, and at
such a threshold everybody would count as exposed. That is no danger to a person. Who has a score
in the upper half stands out.
"""


def exposed_share(
    scores: Sequence[Floats], members: Mask, *, rng: np.random.Generator, level: float = LEVEL
) -> Reading:
    r"""At least this share of the members have scores that people outside the data do not have.

    Suppose that a share of the members is exposed and that the others look like people outside
    the data. Then an attack that calls members everybody above a threshold reaches

    $$ TPR <= share + (1 - share) FPR,  so  share >= (TPR - FPR) / (1 - FPR). $$

    This holds for every attack and every threshold, so a weak attack understates the share and
    none overstates it. Thresholds that more than half of the people outside the data reach are not
    used. The pool is split at random into two halves. One half chooses the attack
    and the threshold, the other bounds both rates (Clopper and Pearson); then they change roles.
    Each of the two bounds errs with at most half the probability that ``level`` leaves, so the
    larger one holds with probability ``level``.

    Parameters
    ----------
    scores : for each attack one number per record, computed without the labels; the higher, the
        likelier a member. NaN where the attack was not asked.
    members : which records are in the data.

    Returns
    -------
    Reading
        ``value`` is the mean of the two halves, ``low`` the bound. ``high`` bounds what these
        attacks and thresholds show; a stronger attack may show more. Lower is better.

    >>> rng = np.random.default_rng(0)
    >>> members = np.arange(4000) < 2000
    >>> scores = rng.normal(size=4000) + 9 * (np.arange(4000) < 200)  # a tenth of the members
    >>> reading = exposed_share([scores], members, rng=rng)
    >>> round(reading.value, 2), round(reading.low, 3)
    (0.1, 0.079)
    """
    _, (one, other) = halves(ordered(scores), members, rng=rng)
    error = (1 - level) / 2
    parts = [
        _bounds(judged, rule, error)
        for chosen, judged in ((one, other), (other, one))
        if (rule := _best_rule(chosen)) is not None
        and len(judged.inside[rule.attack])
        and len(judged.outside[rule.attack])
    ]
    if not parts:
        return Reading.missing("lower", "too few people were scored to choose a threshold")
    values, lows, highs = zip(*parts, strict=True)
    low = max(0.0, *lows)
    return Reading(
        value=max(low, sum(values) / len(values)),
        low=low,
        high=max(low, *highs),
        n=len(members),
        better="lower",
        method="held-out threshold, Clopper-Pearson for both rates, both ways",
        note="a lower bound for every attack: a stronger one may show more",
        level=level,
    )


def _best_rule(half: Half) -> HalvesRule | None:
    """The attack and the threshold with the highest bound on this half, by normal bounds."""
    best, rule = -np.inf, None
    for attack, (inside, outside) in enumerate(zip(half.inside, half.outside, strict=True)):
        if not len(inside) or not len(outside):
            continue
        thresholds, hits, false = curve(inside, outside)
        shares = _share(_wilson(hits, len(inside), -1), _wilson(false, len(outside), 1))
        shares[false > _MOST_FALSE * len(outside)] = -1.0
        place = int(shares.argmax())
        if shares[place] > best:
            best, rule = float(shares[place]), HalvesRule(attack, float(thresholds[place]))
    return rule


def _bounds(half: Half, rule: HalvesRule, error: float) -> tuple[float, float, float]:
    """The share that a rule shows on another half, its lower and its upper end."""
    inside, outside = half.inside[rule.attack], half.outside[rule.attack]
    hits, false = above(inside, rule.threshold), above(outside, rule.threshold)
    # Both rates may err, each on one side: half of the error is left for either.
    hit_rate = clopper_pearson(hits, len(inside), 1 - error)
    false_rate = clopper_pearson(false, len(outside), 1 - error)
    value = _share(np.array(hits / len(inside)), np.array(false / len(outside)))
    low = _share(np.array(hit_rate[0]), np.array(false_rate[1]))
    high = _share(np.array(hit_rate[1]), np.array(false_rate[0]))
    return float(value), float(low), float(high)


def _share(hit_rate: Floats, false_rate: Floats) -> Floats:
    """The share of exposed people that two rates prove; nobody if everybody is called a member."""
    rest = np.maximum(1 - false_rate, 1e-12)
    return np.where(false_rate >= 1, 0.0, np.maximum(0.0, (hit_rate - false_rate) / rest))


def _wilson(counts: Rows, n: int, side: int) -> Floats:
    """The end of Wilson's interval for each share counts / n, the lower one if ``side`` is -1."""
    share, square = counts / n, _REACH**2
    centre = share + square / (2 * n)
    reach = _REACH * np.sqrt(share * (1 - share) / n + square / (4 * n * n))
    ends: Floats = (centre + side * reach) / (1 + square / n)
    return ends
