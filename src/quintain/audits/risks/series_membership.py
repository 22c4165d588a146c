"""Series: can attackers tell whose time series are in the original?"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from quintain.attacks import Attack, ThreatModel
from quintain.attacks.membership.series.averages import SeriesAverages
from quintain.attacks.membership.series.fingerprint import Fingerprint
from quintain.attacks.membership.series.greedy_matching import GreedyMatching
from quintain.attacks.membership.series.learned_moments import LearnedMoments
from quintain.attacks.membership.series.lengths_and_gaps import NanPattern, SeriesLength
from quintain.attacks.membership.series.mikan import PersonsOrRows
from quintain.attacks.membership.series.nearest_series import SeriesDensityRatio, SeriesKnn
from quintain.attacks.membership.series.row_density import RowDensity
from quintain.audits.asking import threat_sentences
from quintain.audits.pool import Evidence, RecordPool
from quintain.audits.results import Finding, NotComputed
from quintain.audits.risk import Added, AuditedRelease, Risk, RiskResult, RiskWords
from quintain.audits.risks.membership import MEMBERSHIP_WORDS, AnsweredAttack
from quintain.guesses import MembershipQuestion, Question
from quintain.guesses.membership import Membership, members_and_scores
from quintain.measures import Case, reading_rng
from quintain.measures.privacy.membership_accuracy import Accuracy
from quintain.plays import Refusal, Situation, play
from quintain.randomness.seeds import SeedTree
from quintain.registry import register
from quintain.releases import Release, publish

ATTACKS: tuple[Attack, ...] = (
    SeriesKnn(scaled_by="robust"),
    SeriesKnn(compare="time"),
    GreedyMatching(scaled_by="robust"),
    PersonsOrRows(scaled_by="robust"),
    NanPattern(),
    SeriesLength(),
    Fingerprint(scaled_by="robust"),
    SeriesDensityRatio(scaled_by="robust"),
    RowDensity(),
    SeriesAverages(),
    LearnedMoments(),
)
"""The baselines of Hide-and-Seek, all but random guesses. One far-out value does not blind them.

The last one runs the sanitizer, which an audit of a release does not have: it is named as left out.
"""


def measure_series_membership(
    pool: RecordPool,
    release: Release,
    *,
    rng: np.random.Generator,
    added: Added = (),
) -> RiskResult:
    """Ask every attack of Hide-and-Seek who of the pool is in the original.

    >>> from quintain.testing import example
    >>> people = example("series", rows=40)
    >>> half = len(people) // 2
    >>> original, control = people.take(range(half)), people.take(range(half, len(people)))
    >>> pool = RecordPool.of(original, control, rng=np.random.default_rng(0))
    >>> result = measure_series_membership(pool, Release(original), rng=np.random.default_rng(0))
    >>> next(str(f.reading) for f in result.findings if f.attack == "series-knn")
    '1 [...]'
    """
    seeds = SeedTree(rng.bytes(32))
    goal = Membership()
    shown = replace(release, data=publish(release.data, rng=seeds.rng("publish")))
    question, truth = goal.ask(pool.sample(), shown)
    threat = ThreatModel(goal)
    evidence, findings, left_out = [], [], []
    players = [(attack, seeds.rng("attack", number)) for number, attack in enumerate(ATTACKS)]
    for attacker, draws in [*players, *added]:
        situation = Situation(goal, shown, threat.knowledge(question, base=pool.records))
        guess = play(attacker, situation, rng=draws)
        if isinstance(guess, Refusal):
            left_out.append(NotComputed(what=guess.part, reason=guess.reason))
            continue
        members, scores = members_and_scores(truth, guess)
        answered = AnsweredAttack(attacker, threat, Case(truth, guess), "")
        findings += [_accuracy(answered), *answered.findings(members, scores)]
        evidence.append(Evidence(attacker.name(), scores))
    return RiskResult(tuple(evidence), tuple(findings), tuple(left_out))


def _accuracy(answered: AnsweredAttack) -> Finding:
    """The score of Hide-and-Seek: how many of the guesses are right."""
    measure = Accuracy()
    (reading,) = measure.measure([answered.case], rng=reading_rng()).values()
    return Finding(
        risk="membership",
        attack=answered.attacker.name(),
        parameters=answered.attacker.parameters(),
        name="accuracy",
        says=measure.in_people(reading.value) or measure.summary(),
        reading=reading,
        chance=0.5,
        threat=threat_sentences(answered.threat),
    )


@register("series-membership-risk-v1")
class SeriesMembershipRisk(Risk):
    """Whether attackers can tell whose time series are in the data.

    >>> SeriesMembershipRisk().harm
    'membership'
    """

    shapes: ClassVar[tuple[str, ...]] = ("series",)
    harm: ClassVar[str] = "membership"
    seed: ClassVar[str] = "membership"
    turn: ClassVar[int] = 1
    asks: ClassVar[type[Question]] = MembershipQuestion
    words: ClassVar[RiskWords] = MEMBERSHIP_WORDS
    curves: ClassVar[bool] = True

    def measure(self, audited: AuditedRelease, *, rng: np.random.Generator) -> RiskResult:
        """Ask the attacks of Hide-and-Seek, and those that the user adds."""
        pool = audited.pool
        assert isinstance(pool, RecordPool)  # this risk is asked about series alone
        added = self.added(audited)
        return measure_series_membership(pool, audited.release, rng=rng, added=added)
