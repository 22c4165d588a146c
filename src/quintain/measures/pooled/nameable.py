"""Nameable people: whom an attacker can name with few errors.

One half of a pool chooses the attack, the other half is named; then they change roles.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Floats, Ints, Mask, Rows
from quintain.measures.pooled.halves import (
    SPLITS,
    Half,
    HalvesRule,
    above,
    curve,
    halves,
    to_places,
)
from quintain.measures.pooled.joint_test import log_choose
from quintain.measures.reading import LEVEL, Reading

FALSE_SHARE = 0.1
"""The share of wrong names that the list may have on average."""


@dataclass(frozen=True, slots=True, eq=False)
class Nameable:
    """The members whom an attacker can name.

    Parameters
    ----------
    count : how many are named, with a lower bound on how many people can be named rightly.
    rows : the named records, the most certain first.
    p : for each member how probable so high a score is for somebody outside the data; NaN for
        people outside the data.
    attacks : for each record the number of the attack that decides about it; -1 if none does.
    """

    count: Reading
    rows: Rows
    p: Floats
    attacks: Ints


def nameable(
    scores: Sequence[Floats],
    members: Mask,
    *,
    rng: np.random.Generator,
    false_share: float = FALSE_SHARE,
    level: float = LEVEL,
    splits: int = SPLITS,
) -> Nameable:
    r"""Name members by their scores so that on average at most a tenth of the names are wrong.

    The pool is split at random into two halves. One half chooses the attack with which most can
    be named. In the other half, each member i gets a conformal p-value against the people outside
    the data, and the procedure of Benjamini and Hochberg draws the line. Then the halves change
    roles. All of this is done with several splits. Named is who is named in most of them.

    $$ p_i = (1 + number of others with a score of at least s_i) / (1 + number of others) $$

    Suppose that members whom the release does not expose have scores like people outside the
    data. If they are named, it is wrong: nothing in the release is about them. In each half of
    each split, their expected share of the names is at most ``false_share``. For the majority
    over splits, theory promises twice that share, and simulations show no more than once.

    The lower bound of the count holds with probability ``level``. It is about an attacker who
    draws the line where one half names people, and counts the members above it in the other half,
    less the largest number of unexposed ones which the people outside the data above the same
    line allow (hypergeometric law). The bound is the median over splits, each of which errs with
    half the probability (Meinshausen, Meier and Buehlmann).

    References
    ----------
    Bates, Candes, Lei, Romano and Sesia, Testing for outliers with conformal p-values, Annals of
    Statistics 51 (2023). Benjamini and Hochberg, Controlling the false discovery rate, Journal of
    the Royal Statistical Society B 57 (1995). Meinshausen, Meier and Buehlmann, P-values for
    high-dimensional regression, Journal of the American Statistical Association 104 (2009).

    >>> rng = np.random.default_rng(0)
    >>> members = np.arange(4000) < 2000
    >>> scores = rng.normal(size=4000) + 9 * (np.arange(4000) < 200)  # 200 members stand out
    >>> names = nameable([scores], members, rng=rng)
    >>> bool(names.count.low > 180), names.count.value
    (True, 213.0)
    """
    ranked = to_places(scores)
    votes = [_vote_once(ranked, members, false_share, (1 - level) / 4, rng) for _ in range(splits)]
    p = np.median([vote.p for vote in votes], axis=0)
    named = np.mean([vote.named for vote in votes], axis=0) > 0.5
    rows = np.flatnonzero(named)[np.argsort(p[named], kind="stable")]
    certain = min(len(rows), int(np.median([vote.certain for vote in votes])))
    return Nameable(_count(len(rows), certain, members, level), rows, p, votes[0].attacks)


@dataclass(frozen=True, slots=True, eq=False)
class _Vote:
    """What one split says: who is named, by which attack, and how many at least rightly."""

    named: Mask
    p: Floats
    attacks: Ints
    certain: int


def _vote_once(
    ranked: Sequence[Floats],
    members: Mask,
    false_share: float,
    error: float,
    rng: np.random.Generator,
) -> _Vote:
    """Split the pool once; let each half choose the attack for the other."""
    first, parts = halves(ranked, members, rng=rng)
    named = np.zeros(len(members), np.bool_)
    p, attacks = np.where(members, 1.0, np.nan), np.full(len(members), -1)
    certain = 0
    for chosen, judged, part in ((parts[0], parts[1], ~first), (parts[1], parts[0], first)):
        rule = _naming_rule(chosen, false_share)
        if rule is None or not len(judged.outside[rule.attack]):
            continue
        rows = np.flatnonzero(part & members & ~np.isnan(ranked[rule.attack]))
        p[rows] = conformal(ranked[rule.attack][rows], judged.outside[rule.attack])
        attacks[part] = rule.attack
        listed = rows[discoveries(p[rows], false_share)]
        named[listed] = True
        certain += min(len(listed), _rightly_named(judged, rule, error))
    return _Vote(named, p, attacks, certain)


def conformal(scores: Floats, others: Floats) -> Floats:
    """How probable so high a score is for somebody who is like the others.

    >>> conformal(np.array([5.0, 2.0]), np.array([1.0, 2.0, 3.0])).tolist()
    [0.25, 0.75]
    """
    higher = len(others) - np.searchsorted(np.sort(others), scores, side="left")
    return np.asarray((1 + higher) / (1 + len(others)))


def discoveries(p: Floats, false_share: float) -> Mask:
    """Which p-values are small enough (Benjamini and Hochberg).

    >>> discoveries(np.array([0.001, 0.5, 0.02, 0.04]), 0.05).tolist()
    [True, False, True, False]
    """
    ordered = np.sort(p)
    small = np.flatnonzero(ordered <= false_share * np.arange(1, len(p) + 1) / max(1, len(p)))
    if not len(small):
        return np.zeros(len(p), np.bool_)
    return np.asarray(p <= ordered[small[-1]])


def most_unexposed(false: int, members: int, others: int, error: float) -> int:
    """The most unexposed members that may be above a threshold which ``false`` others reach.

    If v unexposed members and ``false`` others are above it, then every set of v + ``false``
    people was as likely to be there. The largest v is returned with which so few others would not
    be too surprising. It is exceeded with probability ``error`` at most.

    >>> most_unexposed(0, 1000, 1000, 0.05)
    4
    """
    few = np.arange(false + 1)
    low, high = 0, members
    while low < high:
        middle = (low + high + 1) // 2
        top = middle + false
        ways = log_choose(others, few) + log_choose(members, top - few)
        # How probable it is that at most ``false`` of these people are others.
        chance = np.exp(ways - log_choose(members + others, np.array(top))).sum()
        low, high = (middle, high) if chance > error else (low, middle - 1)
    return low


def _naming_rule(half: Half, false_share: float) -> HalvesRule | None:
    """The attack that names most on this half, and a threshold above which few are wrong.

    If no attack can name anybody, the one is chosen that tells members best, and its threshold is
    so high that nobody reaches it.
    """
    best, rule = (-1.0, -np.inf), None
    for attack, (inside, outside) in enumerate(zip(half.inside, half.outside, strict=True)):
        if not len(inside) or not len(outside):
            continue
        thresholds, hits, false = curve(inside, outside)
        allowed = (1 + false) / (1 + len(outside)) <= false_share * hits / len(inside)
        count = float(hits[allowed].max(initial=0))
        # Names less the wrong ones to be expected, and two standard deviations of both.
        sure = hits - false * len(inside) / len(outside) - 2 * np.sqrt(hits + false + 1)
        place = int(np.where(allowed | ~allowed.any(), sure, -np.inf).argmax())
        threshold = float(thresholds[place]) if allowed.any() else np.inf
        if (count, sure[place]) > best:
            best, rule = (count, float(sure[place])), HalvesRule(attack, threshold)
    return rule


def _rightly_named(half: Half, rule: HalvesRule, error: float) -> int:
    """At least so many members above the threshold are exposed."""
    inside, outside = half.inside[rule.attack], half.outside[rule.attack]
    hits, false = above(inside, rule.threshold), above(outside, rule.threshold)
    return max(0, hits - most_unexposed(false, len(inside), len(outside), error))


def _count(named: int, certain: int, members: Mask, level: float) -> Reading:
    """The number of named people with its bound."""
    return Reading(
        value=float(named),
        low=float(certain),
        high=float(named),
        n=int(members.sum()),
        better="lower",
        method="conformal p-values, Benjamini-Hochberg; bound at held-out thresholds",
        level=level,
    )
