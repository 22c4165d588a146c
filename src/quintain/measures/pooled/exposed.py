"""Exposed people: how many look like nobody outside the data, and whom an attacker can name.

One half of a pool chooses the attack and the threshold that are then judged on the other half.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from quintain.data.arrays import Floats, Ints, Mask, Rows
from quintain.measures.intervals import clopper_pearson
from quintain.measures.pooled.joint_test import log_choose
from quintain.measures.reading import LEVEL, Reading

_REACH = 2.24
"""How many standard deviations the bounds reach that choose a threshold; about as exact ones do."""
_MOST_FALSE = 0.5
"""Only thresholds count that at most this share of the people outside the data reach.

If every member is moved a little, then hardly any member has one of the very lowest scores, and at
such a threshold everybody would count as exposed. That is not a danger to a person. Who has a score
in the upper half stands out.
"""

FALSE_SHARE = 0.1
"""The share of wrong names that the list may have on average."""
SPLITS = 15
"""How often the pool is split, so that the list does not depend on the luck of one split."""


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
    _, (one, other) = halves(to_places(scores), members, rng=rng)
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
    vote = _Vote(
        np.zeros(len(members), np.bool_),
        np.where(members, 1.0, np.nan),
        np.full(len(members), -1),
        0,
    )
    certain = 0
    for chosen, judged, part in ((parts[0], parts[1], ~first), (parts[1], parts[0], first)):
        rule = _naming_rule(chosen, false_share)
        if rule is None or not len(judged.outside[rule.attack]):
            continue
        rows = np.flatnonzero(part & members & ~np.isnan(ranked[rule.attack]))
        vote.p[rows] = conformal(ranked[rule.attack][rows], judged.outside[rule.attack])
        vote.attacks[part] = rule.attack
        listed = rows[discoveries(vote.p[rows], false_share)]
        vote.named[listed] = True
        certain += min(len(listed), _rightly_named(judged, rule, error))
    return replace(vote, certain=certain)


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


@dataclass(frozen=True, slots=True, eq=False)
class Half:
    """The scores of one half of the pool, attack by attack.

    Parameters
    ----------
    inside, outside : for each attack the scores of the members and of the others; attacks score
        as many of them as they were asked about.
    """

    inside: tuple[Floats, ...]
    outside: tuple[Floats, ...]


def halves(
    scores: Sequence[Floats], members: Mask, *, rng: np.random.Generator
) -> tuple[Mask, tuple[Half, Half]]:
    """Split members and others at random into two halves; also tells who is in the first."""
    first = np.zeros(len(members), np.bool_)
    for rows in (np.flatnonzero(members), np.flatnonzero(~members)):
        first[rng.permutation(rows)[: len(rows) // 2]] = True
    return first, (_half(scores, members, first), _half(scores, members, ~first))


def _half(scores: Sequence[Floats], members: Mask, part: Mask) -> Half:
    """The scores of the records in one part; records without a score are left out."""
    sides = []
    for side in (part & members, part & ~members):
        values = [np.asarray(attack, np.float64)[side] for attack in scores]
        sides.append(tuple(known[~np.isnan(known)] for known in values))
    return Half(*sides)


@dataclass(frozen=True, slots=True)
class HalvesRule:
    """An attack with a threshold: who scores at least so much counts as a member."""

    attack: int
    threshold: float


def to_places(scores: Sequence[Floats]) -> list[Floats]:
    """Replace each score by its place among the different values of its attack; NaN stays.

    Only the order matters for what is chosen here, and small whole numbers are counted quickly.

    >>> to_places([np.array([0.5, -3.0, np.nan, 0.5])])[0].tolist()
    [1.0, 0.0, nan, 1.0]
    """
    places = []
    for attack in scores:
        values = np.asarray(attack, np.float64)
        scored = ~np.isnan(values)
        place = np.full(len(values), np.nan)
        place[scored] = np.unique(values[scored], return_inverse=True)[1]
        places.append(place)
    return places


def above(scores: Floats, threshold: float) -> int:
    """How many scores reach a threshold."""
    return int((scores >= threshold).sum())


def curve(inside: Floats, outside: Floats) -> tuple[Floats, Rows, Rows]:
    """Every place in the order that occurs, the highest first, and how many of each side reach it.

    Scores must be places in the order, as ``to_places`` gives them.
    """
    size = int(max(inside.max(initial=0), outside.max(initial=0))) + 1
    counts = [
        np.bincount(side.astype(np.int64), minlength=size)[::-1] for side in (inside, outside)
    ]
    used = np.flatnonzero(counts[0] + counts[1])
    hits, false = (np.cumsum(count)[used] for count in counts)
    return (size - 1 - used).astype(np.float64), hits, false
