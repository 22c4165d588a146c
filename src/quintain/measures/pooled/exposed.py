"""Exposed people: how many attackers find while hardly any stranger passes for one of them.

One half of a pool chooses the attack and the threshold that are then judged on the other half.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence

import numpy as np

from quintain.data.arrays import Floats, Mask, Rows
from quintain.measures.intervals import clopper_pearson
from quintain.measures.pooled.halves import (
    SPLITS,
    Half,
    HalvesRule,
    above,
    curve,
    halves,
    to_places,
)
from quintain.measures.reading import LEVEL, Reading

FALSE_RATE = 0.01
"""Exposed is who is found while at most this share of the people outside the data is."""
_REACH = 2.24
"""How many standard deviations the bounds reach that choose a threshold; about as exact ones do."""
_MOST_FALSE = 0.5
"""For the advantage, thresholds count that at most this share of the people outside the data reach.

If every member is moved a little, then hardly any member has one of the very lowest scores, and at
such a threshold the advantage would be nearly 1. That is not a danger to a person.
"""


def exposed_share(
    scores: Sequence[Floats],
    members: Mask,
    *,
    rng: np.random.Generator,
    false_rate: float = FALSE_RATE,
    level: float = LEVEL,
    splits: int = SPLITS,
) -> Reading:
    r"""The share of members whom attacks find at a false positive rate of at most 1 %.

    Suppose that a share of the members is exposed and that the others look like people outside
    the data. Then an attack that calls members everybody above a threshold reaches

    $$ TPR <= share + (1 - share) FPR,  so  share >= (TPR - FPR) / (1 - FPR). $$

    The pool is split at random into two halves. One half chooses the attack, and for each attack
    the lowest threshold that at most ``false_rate`` of its people outside the data reach. The other
    half counts (Clopper and Pearson for both rates); then they change roles. The larger bound of
    the two errs with half the probability that ``level`` leaves. All of this is done with several
    splits, and the bound is the median over them, which therefore holds with probability ``level``
    (Meinshausen, Meier and Buehlmann).

    Parameters
    ----------
    scores : for each attack one number per record, computed without the labels; the higher, the
        likelier a member. NaN where the attack was not asked.
    members : which records are in the data.

    Returns
    -------
    Reading
        ``value`` is the median over the splits of the mean of two halves, ``low`` the bound.
        ``high`` bounds what these attacks and thresholds show; a stronger attack may show more.
        Lower is better. The note says which shares get no bound, because there are too few people.

    References
    ----------
    Carlini and others, Membership inference attacks from first principles, IEEE S&P 2022: attacks
    are judged at a small rate of false positives. Meinshausen, Meier and Buehlmann, P-values for
    high-dimensional regression, Journal of the American Statistical Association 104 (2009).

    >>> rng = np.random.default_rng(0)
    >>> members = np.arange(4000) < 2000
    >>> scores = rng.normal(size=4000) + 9 * (np.arange(4000) < 200)  # a tenth of the members
    >>> reading = exposed_share([scores], members, rng=rng)
    >>> round(reading.value, 2), round(reading.low, 2)
    (0.1, 0.07)
    """
    places = to_places(scores)
    error = (1 - level) / 4  # half the error for all splits, and half of that for each way
    parts = [
        _both_ways(halves(places, members, rng=rng)[1], error, false_rate) for _ in range(splits)
    ]
    known = np.array([part for part in parts if part is not None])
    if not len(known):
        return Reading.missing("lower", "too few people were scored to choose a threshold")
    value, low, high = np.median(known, axis=0).tolist()
    inside, outside = int(members.sum()), int((~members).sum())
    least = smallest_bounded(inside, outside, false_rate=false_rate, level=level)
    return Reading(
        value=max(low, value),
        low=low,
        high=max(low, value, high),
        n=len(members),
        better="lower",
        method=f"held-out threshold at {100 * false_rate:g} % false positives, Clopper-Pearson for "
        f"both rates, both ways, median of {splits} splits",
        note=f"with {inside:,} people in the data and {outside:,} outside, shares below about "
        f"{100 * least:.2g} % get no bound above 0; a stronger attack may show more",
        level=level,
    )


def smallest_bounded(
    members: int, others: int, *, false_rate: float = FALSE_RATE, level: float = LEVEL
) -> float:
    """The smallest share of exposed members that gets a bound above 0, if all goes as expected.

    >>> round(smallest_bounded(500, 500), 3), round(smallest_bounded(10_000, 10_000), 3)
    (0.065, 0.009)
    """
    inside, outside = members // 2, others // 2
    false = int(false_rate * outside)
    if not inside or not outside:
        return 1.0
    within = 1 - (1 - level) / 4
    ceiling = clopper_pearson(false, outside, within)[1]
    counts = range(inside + 1)
    hits = bisect_right(counts, ceiling, key=lambda h: clopper_pearson(h, inside, within)[0])
    if hits > inside:
        return 1.0
    return float(_share(np.array(hits / inside), np.array(false / outside)))


def advantage(
    scores: Sequence[Floats], members: Mask, *, rng: np.random.Generator, level: float = LEVEL
) -> Reading:
    r"""How much more often attacks call members members than people outside the data.

    $$ (TPR - FPR) / (1 - FPR) $$

    at the threshold where its bound is highest, among those that at most half of the people outside
    the data reach. So it says how clearly a release depends on who is in the data, and not how many
    people are found: at such a threshold up to every second stranger passes for a member. One half
    of the pool chooses the attack and the threshold, the other bounds both rates (Clopper and
    Pearson); then they change roles. Each of the two bounds errs with at most half the probability
    that ``level`` leaves, so the larger one holds with probability ``level``. A weak attack
    understates the advantage and none overstates it.

    Parameters
    ----------
    scores, members : as for the exposed share.

    Returns
    -------
    Reading
        ``value`` is the mean of the two halves, ``low`` the bound. ``high`` bounds what these
        attacks and thresholds show; a stronger attack may show more. Lower is better.

    >>> rng = np.random.default_rng(0)
    >>> members = np.arange(4000) < 2000
    >>> scores = rng.normal(size=4000) + 0.5 * members  # everybody is moved a little
    >>> reading, exposed = (f([scores], members, rng=rng) for f in (advantage, exposed_share))
    >>> round(reading.value, 2), round(exposed.value, 2)
    (0.38, 0.02)
    """
    _, (one, other) = halves(to_places(scores), members, rng=rng)
    error = (1 - level) / 2
    parts = [
        _bounds(judged, rule, error)
        for chosen, judged in ((one, other), (other, one))
        if (rule := _best_rule(chosen)) is not None and judged.has(rule.attack)
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


def _both_ways(
    parts: tuple[Half, Half], error: float, false_rate: float
) -> tuple[float, float, float] | None:
    """The share that one split shows, its lower and its upper end; None if nobody was scored."""
    one, other = parts
    ways = [
        _bounds(judged, rule, error)
        for chosen, judged in ((one, other), (other, one))
        if (rule := _exposing_rule(chosen, false_rate)) is not None and judged.has(rule.attack)
    ]
    if not ways:
        return None
    values, lows, highs = zip(*ways, strict=True)
    return sum(values) / len(values), max(lows), max(highs)


def _exposing_rule(half: Half, false_rate: float) -> HalvesRule | None:
    """The attack that finds most members of this half while few of the others are found.

    Each attack has the lowest threshold that few enough of the others reach; if there is none,
    nobody reaches its threshold.
    """
    best, rule = -np.inf, None
    for attack, (inside, outside) in enumerate(zip(half.inside, half.outside, strict=True)):
        if not len(inside) or not len(outside):
            continue
        thresholds, hits, false = curve(inside, outside)
        few = int((false <= false_rate * len(outside) + 1e-9).sum())
        share, threshold = 0.0, np.inf
        if few:
            rates = hits[few - 1] / len(inside), false[few - 1] / len(outside)
            share, threshold = float(_share(*map(np.array, rates))), float(thresholds[few - 1])
        if share > best:
            best, rule = share, HalvesRule(attack, threshold)
    return rule


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
