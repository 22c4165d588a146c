"""Joint test: one p-value for all attacks of an audit together.

Statistics with different laws can be compared, and their maximum taken, only on a common scale.
Here each gets a normal score: the value that a standard normal variable exceeds as rarely, if
labels mean nothing.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import chain

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import Floats, Ints, Mask, Rows
from quintain.kernels.ranks import average_ranks

Labels = npt.NDArray[np.uint8]
"""One row per record, one column per labelling: 1 for a member."""
Counts = npt.NDArray[np.int32]

RATES = (0.0, 0.001, 0.01, 0.1)
"""Rates of false positives at which the true positives are counted."""
SHARES = (0.001, 0.01, 0.1)
"""Shares of the ranking, from the top, in which the members are counted."""
STATISTICS = (
    "AUC",
    *(f"true positives at {100 * rate:g} % false positives" for rate in RATES),
    *(f"members among the top {100 * share:g} %" for share in SHARES),
)

_RUN = 16
"""Records of a ranking whose controls are counted together."""

_BLOCK_BYTES = 1 << 24
"""How much memory the labels of one block of permutations may take as floats."""


# Ranked scores: an attack's order of the records, and what labels say about its top.


@dataclass(frozen=True, slots=True)
class RankSumLaw:
    """How sums of the members' ranks spread; equal values may share their average rank.

    Mean, variance and skewness of a sum without replacement are exact; the law is then taken to
    be a gamma law with these moments, which the cube root makes normal (Wilson and Hilferty).
    A spread of 0 means that all sums are equal.
    """

    mean: float
    spread: float
    skewness: float

    @classmethod
    def of(cls, ranks: Floats, members: int) -> RankSumLaw:
        """The law for so many members among records with these ranks."""
        total = len(ranks)
        if total < 3 or members in (0, total):
            return cls(0.0, 0.0, 0.0)
        centred = ranks - ranks.mean()
        square, cube = float((centred**2).mean()), float((centred**3).mean())
        if square == 0:
            return cls(0.0, 0.0, 0.0)
        drawn = members * (total - members) / (total - 1)
        spread = math.sqrt(drawn * square)
        skewness = drawn * (total - 2 * members) / (total - 2) * cube / spread**3
        return cls(members * float(ranks.mean()), spread, skewness)

    def scores(self, sums: Floats) -> Floats:
        """The normal scores of sums."""
        if self.spread == 0:
            return np.zeros(len(sums))
        scores: Floats = (sums - self.mean) / self.spread
        if self.skewness < 1e-6:
            return scores
        root: Floats = np.cbrt(np.maximum(self.skewness * scores / 2 + 1, 0))
        return (root - 1) * 6 / self.skewness + self.skewness / 6


@dataclass(frozen=True, slots=True, eq=False)
class RankedScores:
    """The records of one attack in descending order of their scores.

    Parameters
    ----------
    ranks : the rank of each record from the bottom, equal scores averaged; 0 if not scored.
    order : the scored records, the highest score first.
    ends : how many records have at least the score of the i-th highest value.
    members : how many of the scored records are members; it is the same for every labelling.
    rank_sums : the law of the sum of the members' ranks, if labels mean nothing.
    """

    ranks: Floats
    order: Rows
    ends: Rows
    members: int
    rank_sums: RankSumLaw

    @classmethod
    def of(cls, scores: Floats, members: Mask) -> RankedScores:
        """Rank the records that have a score."""
        rows = np.flatnonzero(~np.isnan(scores))
        ranks = np.zeros(len(scores))
        if len(rows):
            ranks[rows] = average_ranks(scores[rows])
        order = rows[np.argsort(-scores[rows], kind="stable")]
        ends = np.flatnonzero(np.append(np.diff(scores[order]) != 0, True)) + 1
        inside = int(members[rows].sum())
        return cls(ranks, order, ends[: len(rows)], inside, RankSumLaw.of(ranks[order], inside))

    @property
    def controls(self) -> int:
        """How many of the scored records are no members."""
        return len(self.order) - self.members

    def statistics(self, labels: Labels, sums: Floats) -> Floats:
        """Compute all statistics as normal scores: one row per labelling.

        At the top, records with the same score are counted together or not at all, so their order
        does not matter. With equal scores that count is below what the law of different ones
        expects, so its normal score never exaggerates.

        Parameters
        ----------
        sums : the sums of the members' ranks, one for each labelling.
        """
        out = np.zeros((labels.shape[1], len(STATISTICS)))
        if not self.members or not self.controls:
            return out
        out[:, 0] = self.rank_sums.scores(sums)
        top = _Top.of(labels, self.order, self._depth(), self._limit(RATES[-1]))
        sizes = self.members, self.controls
        for column, rate in enumerate(RATES, start=1):
            limit = self._limit(rate)
            out[:, column] = members_before(limit, *sizes)[self._hits(top, limit)]
        for column, share in enumerate(SHARES, start=1 + len(RATES)):
            end = self._end(self.ends[self.ends <= top.depth], share)
            if end is not None:
                out[:, column] = members_among(end, *sizes)[end - top.controls_before(end)]
        return out

    def _hits(self, top: _Top, limit: int) -> Rows:
        """The members above the lowest threshold that admits at most ``limit`` controls."""
        places = top.places(limit)
        group = np.searchsorted(self.ends, places, side="right")
        ends = np.where(group > 0, self.ends[group - 1], 0)
        if (ends == places).all():  # no equal scores there
            return places - limit
        return np.asarray(ends - top.controls_before_each(ends))

    def _limit(self, rate: float) -> int:
        """How many false positives a rate allows."""
        return math.floor(rate * self.controls + 1e-9)

    def _depth(self) -> int:
        """How many records hold more controls than any rate allows, for nearly every labelling."""
        total, limit = len(self.order), self._limit(RATES[-1]) + 1
        expected = limit * total / self.controls
        spread = math.sqrt(expected * self.members / self.controls)
        wanted = max(expected + 6 * spread + 10, 2 * SHARES[-1] * total)
        return min(total, math.ceil(wanted))

    def _end(self, ends: Rows, share: float) -> int | None:
        """Where the group of equal scores ends that ends the top share; None if none is near."""
        wanted = math.ceil(share * len(self.order))
        row = int(np.searchsorted(ends, wanted))
        if row < len(ends) and ends[row] <= 2 * wanted:
            return int(ends[row])
        return int(ends[row - 1]) if row else None


@dataclass(frozen=True, slots=True, eq=False)
class _Top:
    """The labels of the highest records of a ranking, and the controls before each short run.

    Only a few places are ever asked about. So controls are counted run by run, and one by one in
    the run of the place alone.

    Parameters
    ----------
    runs : runs x records of a run x labellings: 1 for a member, and for padding at the end.
    before : runs x labellings: how many controls come before each run; last, how many there are.
    depth : how many records these are.
    """

    runs: Labels
    before: Counts
    depth: int

    @classmethod
    def of(cls, labels: Labels, order: Rows, depth: int, most: int) -> _Top:
        """As many records as have more than ``most`` controls, whatever the labelling."""
        while True:
            runs = np.ones((-(-depth // _RUN), _RUN, labels.shape[1]), np.uint8)
            runs.reshape(-1, labels.shape[1])[:depth] = labels[order[:depth]]
            before = np.zeros((len(runs) + 1, labels.shape[1]), np.int32)
            np.cumsum(_RUN - runs.sum(axis=1, dtype=np.uint8), axis=0, out=before[1:])
            if depth == len(order) or (before[-1] > most).all():
                return cls(runs, before, depth)
            depth = min(2 * depth, len(order))

    def places(self, limit: int) -> Rows:
        """For each labelling how many records come before the control after ``limit`` others."""
        run = (self.before <= limit).sum(axis=0) - 1
        counted = self._count_within(run)
        return np.asarray(run * _RUN + (counted <= limit).sum(axis=0), np.int64)

    def controls_before(self, place: int) -> Counts:
        """For each labelling how many controls are among so many records."""
        return self.controls_before_each(np.full(self.before.shape[1], place))

    def controls_before_each(self, places: Rows) -> Counts:
        """The same, with a number of records for each labelling."""
        run, rest = np.divmod(places, _RUN)
        run, rest = np.where(rest > 0, (run, rest), (np.maximum(run - 1, 0), rest + _RUN))
        counted = self._count_within(run)[rest - 1, np.arange(len(run))]
        return np.asarray(np.where(places > 0, counted, 0), np.int32)

    def _count_within(self, run: Rows) -> Counts:
        """The controls up to each record of one run: records of a run x labellings."""
        labelling = np.arange(len(run))
        controls = 1 - self.runs[run, :, labelling].T
        return np.asarray(self.before[run, labelling] + np.cumsum(controls, axis=0, dtype=np.int32))


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
    strata: Rows | None = None,
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
    strata : for each record its stratum, if labels are permuted within strata only.

    Notes
    -----
    Labels are permuted among records that were scored by the same attacks. So the test also holds
    if an attack was asked about as many members as others. With strata, it holds if members and
    others of one stratum are alike, even if whole strata have more members than others.

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
    rankings = [RankedScores.of(np.asarray(attack, np.float64), members) for attack in scores]
    if not rankings:
        return JointTest(1.0, 0, STATISTICS[0], (), 0.0)
    groups = _scored_alike(scores, np.zeros(len(members), np.int64) if strata is None else strata)
    blocks = chain(
        [members.astype(np.uint8)[:, None]], _permute(groups, members, permutations, rng)
    )
    ranks = np.stack([ranking.ranks for ranking in rankings])
    extremes = [_statistics(rankings, ranks, labels) for labels in blocks]
    return _summary(np.concatenate(extremes), level)


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


def _statistics(rankings: Sequence[RankedScores], ranks: Floats, labels: Labels) -> Floats:
    """All statistics: one row per labelling, then the attacks, then their statistics."""
    # Ranks are multiples of one half, so their sums are exact and equal sums are ties.
    sums = ranks @ labels.astype(np.float64)
    return np.stack(
        [
            ranking.statistics(labels, ranked)
            for ranking, ranked in zip(rankings, sums, strict=True)
        ],
        axis=1,
    )


def _permute(
    groups: Sequence[Rows], members: Mask, permutations: int, rng: np.random.Generator
) -> Iterator[Labels]:
    """Blocks of labels permuted within groups; a block is small enough for the memory."""
    size = max(1, _BLOCK_BYTES // (8 * max(1, len(members))))
    for start in range(0, permutations, size):
        count = min(size, permutations - start)
        labels = np.empty((len(members), count), np.uint8)
        for rows in groups:
            same = np.broadcast_to(members[rows].astype(np.uint8), (count, len(rows)))
            labels[rows] = rng.permuted(same, axis=1).T
        yield labels


def _scored_alike(scores: Sequence[Floats], strata: Rows) -> list[Rows]:
    """Groups of records that are of one stratum and were scored by the same attacks."""
    kinds = np.unique(strata, return_inverse=True)[1]
    for attack in scores:
        _, kinds = np.unique(kinds * 2 + np.isnan(attack), return_inverse=True)
    return [np.flatnonzero(kinds == kind) for kind in range(int(kinds.max(initial=0)) + 1)]


@lru_cache(maxsize=256)
def members_among(top: int, members: int, controls: int) -> Floats:
    """The scores of 0, 1, 2 ... members among the first ``top`` records of a random order.

    The law is hypergeometric.

    >>> members_among(2, 3, 3).round(2).tolist()  # 0, 1 or 2 of the first two are members
    [-1.28, 0.0, 1.28, 37.05]
    """
    hits = np.arange(members + 1)
    ways = log_choose(members, hits) + log_choose(controls, top - hits)
    return _scores(ways - log_choose(members + controls, np.array(top)))


@lru_cache(maxsize=256)
def members_before(limit: int, members: int, controls: int) -> Floats:
    """The scores of 0, 1, 2 ... members before ``limit`` + 1 controls, in a random order.

    The law is negative hypergeometric.

    >>> members_before(0, 3, 3).round(2).tolist()  # members above the first of 3 controls
    [-0.67, 0.39, 1.15, 1.96]
    """
    hits = np.arange(members + 1)
    ways = log_choose(hits + limit, np.array(limit)) + log_choose(
        members + controls - hits - limit - 1, np.array(controls - limit - 1)
    )
    return _scores(ways - log_choose(members + controls, np.array(controls)))


def _scores(log_mass: Floats) -> Floats:
    """Normal scores of the values of a law; half the mass of a value counts as above it.

    Far below chance the score comes from the lower tail: the upper one has lost its digits there.
    """
    from scipy.special import ndtri

    mass = np.exp(log_mass)
    above = np.cumsum(mass[::-1])[::-1] - mass / 2
    below = np.cumsum(mass) - mass / 2
    scores: Floats = np.where(
        above > 0.75, ndtri(np.clip(below, 1e-300, 0.5)), -ndtri(np.clip(above, 1e-300, 0.75))
    )
    return scores


def chance_of_hits(hits: int, false: int, members: int, controls: int) -> float:
    """How probable it is that so many of all hits are members, if members and others are alike.

    The law is hypergeometric: the one-sided exact test of Fisher.

    >>> [round(chance_of_hits(*few, 100, 100), 4) for few in ((6, 0), (0, 6))]
    [0.0145, 1.0]
    """
    many = np.arange(hits, min(hits + false, members) + 1)
    ways = log_choose(members, many) + log_choose(controls, hits + false - many)
    total = log_choose(members + controls, np.array(hits + false))
    return min(1.0, float(np.exp(ways - total).sum()))


def log_choose(things: Ints | int, chosen: Ints) -> Floats:
    """The logarithm of a binomial coefficient; minus infinity if there is no such choice."""
    from scipy.special import gammaln

    possible = (np.asarray(chosen) >= 0) & (np.asarray(chosen) <= things)
    kept = np.where(possible, chosen, 0)
    size = np.where(possible, things, 0)
    ways = gammaln(size + 1) - gammaln(kept + 1) - gammaln(size - kept + 1)
    return np.where(possible, ways, -np.inf)
