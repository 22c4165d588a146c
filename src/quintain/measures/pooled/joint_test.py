"""Joint test: one p-value for all attacks of an audit together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

import numpy as np

from quintain.data.arrays import Floats, Mask, Rows
from quintain.measures.pooled.rankings import STATISTICS, Labels, RankedScores

_BLOCK_BYTES = 1 << 24
"""How much memory the labels of one block of permutations may take as floats."""


@dataclass(frozen=True, slots=True)
class JointTest:
    """Whether the attacks together can tell members from others, and which can do it best.

    Parameters
    ----------
    p : how probable evidence this strong is if the release does not depend on who is a member.
    strongest : the number of the attack with the strongest evidence.
    statistic : by which statistic it is the strongest.
    own : the p-value of each attack alone; they are not corrected for the number of attacks.
    critical : the normal score that one in 20 audits without any leak exceeds.
    """

    p: float
    strongest: int
    statistic: str
    own: tuple[float, ...]
    critical: float


def joint_test(
    scores: Sequence[Floats],
    members: Mask,
    *,
    rng: np.random.Generator,
    permutations: int = 999,
    level: float = 0.05,
) -> JointTest:
    """Test by permuted labels whether any score is higher for members than for others.

    Three kinds of statistic look at each attack: the AUC, the true positives at small rates of
    false positives, and the members at the top of the ranking. Each becomes a normal score: the
    value that a standard normal variable exceeds as rarely as labels without meaning reach the
    statistic. The test statistic is the largest of all. The permuted labels go through the same
    computation, with the same permutations for all attacks, so
    p = (1 + number of permutations at least as extreme) / (1 + permutations) is exact: if the
    release does not depend on who is a member, p <= level in at most that share of audits,
    however many attacks there are and however they depend on each other.

    Parameters
    ----------
    scores : for each attack one number per record, computed without the labels; the higher, the
        more the release gives away about the record. NaN where the attack was not asked.
    members : which records are in the data.
    permutations : how many labellings to draw; p cannot be below 1 / (1 + permutations).
    level : the level for ``critical``.

    Notes
    -----
    Labels are permuted among records that were scored by the same attacks. So the test also holds
    if an attack was asked about as many members as others.

    References
    ----------
    Westfall and Young, Resampling-based multiple testing, Wiley 1993. Phipson and Smyth,
    Permutation p-values should never be zero, Statistical Applications in Genetics and Molecular
    Biology 9 (2010).

    >>> rng = np.random.default_rng(0)
    >>> members = np.arange(400) < 200
    >>> noise, leak = rng.normal(size=400), rng.normal(size=400) + members
    >>> test = joint_test([noise, leak], members, rng=rng)
    >>> test.p, test.strongest, test.own[1]
    (0.001, 1, 0.001)
    """
    rankings = [RankedScores.of(np.asarray(one, np.float64), members) for one in scores]
    if not rankings:
        return JointTest(1.0, 0, STATISTICS[0], (), 0.0)
    blocks = chain(
        [members.astype(np.uint8)[:, None]], _permuted(scores, members, permutations, rng)
    )
    return _summary(np.concatenate([_statistics(rankings, labels) for labels in blocks]), level)


def _summary(extremes: Floats, level: float) -> JointTest:
    """Compare the first labelling, which is the observed one, with all of them."""
    by_attack = extremes.max(axis=2)
    largest = by_attack.max(axis=1)
    strongest = int(by_attack[0].argmax())
    return JointTest(
        p=float((largest >= largest[0]).mean()),
        strongest=strongest,
        statistic=STATISTICS[int(extremes[0, strongest].argmax())],
        own=tuple((by_attack >= by_attack[0]).mean(axis=0).tolist()),
        critical=float(np.quantile(largest[1:], 1 - level)) if len(largest) > 1 else 0.0,
    )


def _statistics(rankings: Sequence[RankedScores], labels: Labels) -> Floats:
    """All statistics: one row per labelling, then the attacks, then their statistics."""
    # Ranks are multiples of one half, so their sums are exact and equal sums are ties.
    weights = labels.astype(np.float64)
    return np.stack([one.statistics(labels, one.ranks @ weights) for one in rankings], axis=1)


def _permuted(
    scores: Sequence[Floats], members: Mask, permutations: int, rng: np.random.Generator
) -> Iterator[Labels]:
    """Blocks of permuted labels; a block is small enough for the memory."""
    groups = _scored_alike(scores, len(members))
    size = max(1, _BLOCK_BYTES // (8 * max(1, len(members))))
    for start in range(0, permutations, size):
        count = min(size, permutations - start)
        labels = np.empty((len(members), count), np.uint8)
        for rows in groups:
            same = np.broadcast_to(members[rows].astype(np.uint8), (count, len(rows)))
            labels[rows] = rng.permuted(same, axis=1).T
        yield labels


def _scored_alike(scores: Sequence[Floats], records: int) -> list[Rows]:
    """Groups of records that were scored by the same attacks."""
    kinds = np.zeros(records, np.int64)
    for one in scores:
        _, kinds = np.unique(kinds * 2 + np.isnan(one), return_inverse=True)
    return [np.flatnonzero(kinds == kind) for kind in range(int(kinds.max(initial=0)) + 1)]
