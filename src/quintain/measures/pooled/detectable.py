"""Detectable: the smallest effects that a comparison of so many people would probably show."""

from __future__ import annotations

import math

from quintain.measures.reading import Reading

POWER = 0.8
"""How often a detectable effect is seen: in 80 of 100 audits."""
ALPHA = 0.05
"""How often an audit without any effect may raise an alarm."""
_TYPICAL, _DIFFUSE = 0.1, 0.5


def smallest_share(members: int, others: int, *, critical: float | None = None) -> Reading:
    """The smallest exposed share that an audit of so many people very probably sees.

    How small it is depends on how clearly the exposed people stand out. ``value`` is for people
    whose scores a tenth of the people outside the data reach, too. ``low`` is for people whose
    scores nobody else has, such as copies of rare records; ``high`` for people whose scores half
    of the others reach. The attacks must see the exposed people at all: no number of records
    helps an attack that is blind to a leak.

    Parameters
    ----------
    members, others : how many people of the data, and outside of it, were compared.
    critical : the normal score from which the audit raises an alarm, as the joint test returns
        it; by default that of a single attack.

    >>> print(smallest_share(10_000, 10_000, critical=3.3))
    0.02029 [0.001477, 0.05854]
    """
    if not members or not others:
        return Reading.missing("lower", "there is nobody to compare")
    limit = _quantile(1 - ALPHA) if critical is None else critical
    low = _unique_share(members, others, limit)
    typical = max(low, _share_at(_TYPICAL, members, others, limit))
    return Reading(
        value=typical,
        low=low,
        high=max(typical, _share_at(_DIFFUSE, members, others, limit)),
        n=members + others,
        better="lower",
        method=f"seen in {100 * POWER:g} % of audits",
        note="the clearer exposed people stand out, the smaller a share is seen",
    )


def smallest_auc(members: int, others: int) -> float:
    """The smallest AUC that a test very probably tells from one half.

    The spread is that of the Mann-Whitney statistic without ties, which is the largest it has.

    >>> round(smallest_auc(10_000, 10_000), 3)
    0.51
    """
    if not members or not others:
        return 1.0
    spread = math.sqrt((members + others + 1) / (12 * members * others))
    return auc_beyond(spread)


def auc_beyond(spread: float) -> float:
    """The smallest AUC that is seen if without a leak it has this standard deviation.

    >>> round(auc_beyond(0.02), 2)
    0.55
    """
    return min(1.0, 0.5 + (_quantile(1 - ALPHA) + _quantile(POWER)) * spread)


def smallest_rate(chance: float, members: int, others: int) -> float:
    """The smallest share of members that a test very probably tells from the others' share.

    Parameters
    ----------
    chance : the share of the others, such as a rate of false positives.

    >>> round(smallest_rate(0.01, 10_000, 10_000), 4)
    0.0138
    """
    limit = _quantile(1 - ALPHA)
    share = _share_at(chance, members, others, limit) if members and others else 1.0
    return chance + share * (1 - chance)


def _share_at(chance: float, members: int, others: int, limit: float) -> float:
    """The smallest exposed share if so many of the others reach the threshold; by bisection."""
    low, high = 0.0, 1.0
    for _ in range(60):
        share = (low + high) / 2
        rate = share + (1 - share) * chance
        both = (rate * members + chance * others) / (members + others)
        null = math.sqrt(both * (1 - both) * (1 / members + 1 / others))
        own = math.sqrt(rate * (1 - rate) / members + chance * (1 - chance) / others)
        seen = rate - chance >= limit * null + _quantile(POWER) * own
        low, high = (low, share) if seen else (share, high)
    return high


def _unique_share(members: int, others: int, limit: float) -> float:
    """The smallest share of people with scores that nobody outside the data has."""
    from scipy.special import betaincinv, ndtr

    count, chance = 0, 1.0
    while chance > ndtr(-limit) and count < members:
        chance *= (members - count) / (members + others - count)
        count += 1
    if chance > ndtr(-limit):
        return 1.0
    return float(betaincinv(count, members - count + 1, POWER))


def _quantile(share: float) -> float:
    """The quantile of the standard normal law."""
    from scipy.special import ndtri

    return float(ndtri(share))
