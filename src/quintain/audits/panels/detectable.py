"""Detectable: the smallest effects that an audit with so many people would very probably notice."""

from __future__ import annotations

import math

from quintain.measures.intervals import normal_quantile

MISSED = 0.05
"""How often an audit may miss an effect that counts as detectable, and see one that is not there.

Both are 5 %: an effect is noticed by a one-sided test, and "very probably" means in 95 of 100
audits.
"""


def detectable_auc(members: int, others: int) -> float:
    """The smallest AUC that a test would very probably tell from chance.

    The spread is that of the Mann-Whitney statistic without ties, which is the largest it has.

    >>> round(detectable_auc(10_000, 10_000), 3)
    0.513
    """
    if not members or not others:
        return 1.0
    spread = math.sqrt((members + others + 1) / (12 * members * others))
    return min(1.0, 0.5 + 2 * _reach() * spread)


def detectable_rate(chance: float, members: int, others: int) -> float:
    """The smallest share of members above a threshold that would very probably be noticed.

    Parameters
    ----------
    chance : the share of the others above it.

    >>> round(detectable_rate(0.01, 10_000, 10_000), 4)
    0.0149
    """
    if not members or not others:
        return 1.0
    share = chance
    null = _reach() * math.sqrt(chance * (1 - chance) * (1 / members + 1 / others))
    for _ in range(100):  # the spread of the members' share depends on the share itself
        own = share * (1 - share) / members + chance * (1 - chance) / others
        share = min(1.0, chance + null + _reach() * math.sqrt(own))
    return share


def _reach() -> float:
    """How many standard deviations a one-sided test reaches."""
    return normal_quantile(6, 1 - 2 * MISSED)
