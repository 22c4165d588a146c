"""Membership: can attackers tell who is in the original?"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar

import numpy as np

from quintain.attacks import Attack, Knowledge, ThreatModel
from quintain.attacks.membership.copies import ExactMatch, NearCopies, Surprise
from quintain.attacks.membership.density_ratio import DensityRatio
from quintain.attacks.membership.joint_ratio import JointRatio
from quintain.attacks.membership.mama_mia import MamaMia
from quintain.attacks.membership.matched_filter import MatchedFilter
from quintain.attacks.membership.moment_tracing import LearnedTracing, MomentTracing
from quintain.attacks.membership.neighbour_ratios import (
    DcrDifference,
    DcrRatio,
    GenLra,
    KnnRatio,
    LocalDensityRatio,
)
from quintain.attacks.membership.network_ratio import NetworkRatio
from quintain.attacks.membership.record_linkage import RecordLinkage
from quintain.attacks.membership.shadow_trained import ShadowTrained
from quintain.attacks.membership.tracing import Tracing
from quintain.attacks.membership.tree_ratio import ForestRatio, TreeRatio
from quintain.attacks.membership.two_sample import TwoSample
from quintain.attacks.membership.value_tracing import ValueTracing
from quintain.attacks.nearest import Nearest
from quintain.audits.asking import SharedColumns, attempt_informed, threat_for, threat_sentences
from quintain.audits.pool import Evidence, PersonScores, Pool
from quintain.audits.results import Finding, NotComputed
from quintain.audits.risk import Added, AuditedRelease, Piece, Risk, RiskResult, RiskWords
from quintain.data import Table, as_table
from quintain.data.arrays import Floats, Mask, Rows
from quintain.guesses import Goal, MembershipQuestion, Question, Truth
from quintain.guesses.membership import Membership, members_and_scores
from quintain.kernels.linear_classifiers import logistic_weights
from quintain.kernels.ranks import average_ranks
from quintain.measures import Case, Reading, reading_rng
from quintain.measures.intervals import proportion
from quintain.measures.pooled.detectable import smallest_auc, smallest_rate
from quintain.measures.privacy.roc_curve import Auc, TprAtFpr, auc
from quintain.plays import Situation
from quintain.randomness.seeds import SeedTree
from quintain.registry import register
from quintain.releases import Release

# Shown pool: the people and the released records that an attack gets, and the question to it.


@dataclass(frozen=True, slots=True, eq=False)
class VisiblePool:
    """A pool as attacks see it, or a random part of a large one.

    Parameters
    ----------
    pool : the people.
    base : the people whom attackers compare with: all of the pool, or fewer.
    rows : the rows of the pool's people in the whole pool, in order.
    situation : the question about the released records without any card, and its answer; one
        target per person, named so that the targets are in the order of rows.
    limits : what was left out to save time, in a sentence; empty if nothing.
    """

    pool: Pool
    base: Table
    rows: Rows
    situation: Situation
    limits: str

    @classmethod
    def of(
        cls,
        goal: Goal,
        pool: Pool,
        release: Release,
        most: int | None,
        seeds: SeedTree,
        base: int | None = None,
    ) -> VisiblePool:
        """Draw at most so many people and released records, without looking at labels.

        ``base`` is the largest number of people to compare with.
        """
        data = as_table(release.data)
        rows = _part(len(pool), most, seeds.rng("people", most or 0))
        kept = _part(len(data), most, seeds.rng("released", most or 0))
        seen = pool if len(rows) == len(pool) else _cut(pool, rows)
        shown = Release(data if len(kept) == len(data) else data.take(kept))
        question, truth = goal.ask(seen.sample(), shown)
        question = goal.question(_name_targets(question.table), data.schema)
        limits = _limits((len(rows), len(pool)), (len(kept), len(data)))
        answer = Truth(_name_targets(truth.table))
        others = _part(len(seen), base, seeds.rng("others", base or 0))
        people = seen.records if len(others) == len(seen) else seen.records.take(others)
        situation = Situation(goal, shown, Knowledge(question), answer)
        return cls(seen, people, rows, situation, limits)

    def spread(self, scores: Floats, people: int) -> Floats:
        """Scores for the whole pool, NaN for people who were left out."""
        out = np.full(people, np.nan)
        out[self.rows] = scores
        return out


def _name_targets(table: Table) -> Table:
    """Give targets names of equal length, which sort like their numbers."""
    numbers = table.columns["target"].astype(np.str_)
    width = max((len(number) for number in numbers[-1:]), default=1)
    names = np.char.zfill(numbers, max(width, len(str(len(table)))))
    return Table(table.schema, {**table.columns, "target": names})


def _part(size: int, most: int | None, rng: np.random.Generator) -> Rows:
    """The rows that an attack gets, in order: all, or a random part."""
    if most is None or size <= most:
        return np.arange(size)
    return np.sort(rng.choice(size, most, replace=False))


def _cut(pool: Pool, rows: Rows) -> Pool:
    """A pool of some of the people."""
    return Pool(pool.records.take(rows), pool.members[rows], pool.rows[rows])


def _limits(people: tuple[int, int], records: tuple[int, int]) -> str:
    """Say how much of the pool and of the release an attack saw, if it was not all."""
    named = ((people, "people"), (records, "released records"))
    parts = [f"{part:,} of {whole:,} {word}" for (part, whole), word in named if part < whole]
    if not parts:
        return ""
    return f"To save time, the attack compares a random part: {' and '.join(parts)}."


# Stacking: an attacker who learns from known members how to combine all scores.
#
# The weights are learned with labels. So the combined score is not evidence for the joint test by
# permuted labels, which would have to learn the weights anew for every permutation. The reading is
# honest nevertheless: half of the people teach the weights, and only the others get such scores.


NAME = "stacked"

LEAST = 50
"""The smallest number of members, and of others, in each half."""

_RIDGE = 10.0  # keeps the weights small where scores say the same
_TAIL = 1.5  # standard deviations from which high scores count extra

_THREAT = (
    "The attacker wants to know which targets were in the private data.",
    "The attacker is given the release, the population the private sample was drawn from, and "
    "for half of these people whether they were in the private data.",
    "The attacker is given nothing about the sanitizer.",
)


def stacked_finding(
    evidence: Sequence[Evidence], members: Mask, *, rng: np.random.Generator
) -> Finding | NotComputed:
    """How well all scores together tell members, with weights from one half of the people.

    Both halves are scored, each with the weights from the other one, and the two areas under the
    curve are averaged.
    """
    halves = rng.permutation(len(members)) % 2 == 0
    counts = [
        int((side & kind).sum()) for side in (halves, ~halves) for kind in (members, ~members)
    ]
    if min(counts) < LEAST or not evidence:
        reason = f"it needs scores, and in each half at least {LEAST} members and {LEAST} others"
        return NotComputed(what=NAME, reason=f"{reason}, not {min(counts)}")
    features = np.column_stack([_features(given.scores) for given in evidence])
    readings = []
    for learn in (halves, ~halves):
        weights = logistic_weights(features[learn], members[learn], _RIDGE)
        readings.append(auc(members[~learn], features[~learn] @ weights[1:]))
    reading = _mean(readings)
    others = "It learned from half of the people, whose membership it knew, how to combine scores."
    return Finding(
        risk="membership",
        attack=NAME,
        parameters={
            "attacks": list(dict.fromkeys(given.attack for given in evidence)),
            "ridge": _RIDGE,
            "tail": _TAIL,
        },
        name="auc",
        says=f"{Auc().in_people(reading.value)} {others}",
        reading=reading,
        chance=0.5,
        smallest_detectable=smallest_auc(int(members.sum()), int((~members).sum())),
        threat=_THREAT,
    )


def _features(scores: Floats) -> Floats:
    """Scores as normal quantiles, once whole and once the upper tail; 0 where there are none."""
    from scipy.special import ndtri

    scored = ~np.isnan(scores)
    out = np.zeros((len(scores), 2))
    if scored.any():
        ranks = average_ranks(scores[scored])
        out[scored, 0] = ndtri((ranks - 0.5) / len(ranks))
        out[:, 1] = np.maximum(out[:, 0] - _TAIL, 0.0)
    return out


def _mean(readings: Sequence[Reading]) -> Reading:
    """The mean of the readings of two halves, which share no people."""
    value = sum(reading.value for reading in readings) / len(readings)
    reach = math.hypot(*((reading.high - reading.low) / 2 for reading in readings)) / len(readings)
    return readings[0].model_copy(
        update={
            "value": value,
            "low": max(0.0, value - reach),
            "high": min(1.0, value + reach),
            "n": sum(reading.n for reading in readings),
            "method": "DeLong, mean of two held-out halves",
        }
    )


GOAL = Membership()
MEMBERSHIP_WORDS = RiskWords(
    "Being in the data",
    "Can somebody tell that a person is in the data?",
    "Of {total} people in the data, the attacker recognises {found}",
    "Of {total} people in the data, the attacker recognises {found} {more}",
    name="membership inference",
    says="Whether attackers find out who is in the data.",
    place=1,
    always=True,
    criteria=("presence",),
)

RATES = (0.01, 0.001)
"""The rates of false alarms at which the panel counts the members that an attack names."""


_WORK = 1e9
"""Cells of pairs of records that one attack may compare: about three seconds."""


@dataclass(frozen=True, slots=True)
class AttackChoice:
    """An attack of the panel, and how much of a large pool it gets.

    Parameters
    ----------
    most : the largest number of people, and of released records, that it compares; None means no
        limit. In a larger pool the attack gets a random part, drawn without looking at labels.
    pairwise : whether it compares all pairs of records, which takes too long in a large pool; the
        limit then also depends on the number of columns.
    """

    attack: Attack
    most: int | None = None
    pairwise: bool = False

    def limit(self, rows: int, columns: int) -> int | None:
        """How many of so many records it may get; None if all of them.

        >>> AttackChoice(DcrRatio(), pairwise=True).limit(100_000, columns=50)
        4472
        """
        affordable = int((_WORK / max(1, columns)) ** 0.5) if self.pairwise else rows
        least = min(affordable, rows if self.most is None else self.most)
        return least if least < rows else None

    def sizes(self, rows: int, columns: int) -> tuple[int | None, int | None]:
        """The limit, and how many people it compares targets with; None if with all of them.

        Half of the people say nearly as much about how far away others are.
        """
        limit = self.limit(rows, columns)
        return limit, limit // 2 if self.pairwise and limit is not None else None


CHOICES = (
    AttackChoice(ExactMatch()),
    AttackChoice(Surprise()),
    AttackChoice(NearCopies()),
    AttackChoice(Nearest(), pairwise=True),
    AttackChoice(DcrDifference(), pairwise=True),
    AttackChoice(DcrRatio(), pairwise=True),
    AttackChoice(KnnRatio(), pairwise=True),
    AttackChoice(LocalDensityRatio(), pairwise=True),
    AttackChoice(DensityRatio(), 4_000, pairwise=True),
    AttackChoice(GenLra(), pairwise=True),
    AttackChoice(TreeRatio()),
    AttackChoice(NetworkRatio()),
    AttackChoice(ForestRatio()),
    AttackChoice(Tracing()),
    AttackChoice(ValueTracing()),
    AttackChoice(MomentTracing(), 20_000),
    AttackChoice(RecordLinkage(), 20_000),
    AttackChoice(TwoSample(), 10_000),
    AttackChoice(MamaMia()),
    AttackChoice(MatchedFilter()),
    AttackChoice(ShadowTrained()),
    AttackChoice(JointRatio()),
    AttackChoice(LearnedTracing()),
)
"""Every attack that is the strongest somewhere in the standing table or in the tournament.

The last ones run the sanitizer, which an audit of a release does not have. Every audit names them
as left out, with this reason. So a new winner joins this list, whatever it needs.
"""


def measure_membership(
    pool: Pool,
    release: Release,
    *,
    rng: np.random.Generator,
    choices: Sequence[AttackChoice] = CHOICES,
    added: Added = (),
) -> RiskResult:
    """Ask every attack who of the pool is in the original.

    Attackers get the release and the records of the pool, without labels. So whatever they compute
    is the same for members and others if the release does not depend on who is a member. The last
    finding combines all scores, with weights learned from people whose membership is known; it has
    no evidence of its own.

    Parameters
    ----------
    choices : the attacks.
    added : attacks of the user, which are asked after the others.

    >>> from quintain.testing import example_table, people
    >>> table = people(example_table(rows=200))
    >>> original, control = table.take(range(100)), table.take(range(100, 200))
    >>> pool = Pool.of(original, control, rng=np.random.default_rng(0))
    >>> result = measure_membership(pool, Release(original), rng=np.random.default_rng(1))
    >>> finding = next(f for f in result.findings if f.attack == "tree-ratio")
    >>> finding.name, str(finding.reading), finding.chance
    ('auc', '0.6813 [0.6082, 0.7545]', 0.5)
    """
    questions = MembershipQuestions.of(pool, release, rng, choices, added)
    return questions.join([questions.answers(group) for group in questions.groups()])


@dataclass(frozen=True, slots=True, eq=False)
class MembershipQuestions:
    """What every attack of the panel is asked, with the draws of each.

    Parameters
    ----------
    players : the attacks, each with its draws.
    """

    pool: Pool
    release: Release
    seeds: SeedTree
    players: Sequence[tuple[AttackChoice, np.random.Generator]]

    @classmethod
    def of(
        cls,
        pool: Pool,
        release: Release,
        rng: np.random.Generator,
        choices: Sequence[AttackChoice] = CHOICES,
        added: Added = (),
    ) -> MembershipQuestions:
        """The questions about the columns that pool and release share."""
        seeds, view = SeedTree(rng.bytes(32)), SharedColumns.of(pool, release)
        players = [(choice, seeds.rng(choice.attack.name())) for choice in choices]
        players += [(AttackChoice(attack, pairwise=True), draws) for attack, draws in added]
        return cls(view.pool, view.release, seeds, players)

    def groups(self) -> list[list[int]]:
        """The numbers of attacks that one worker should ask: some share what they search for."""
        pairwise = [choice.pairwise for choice, _ in self.players]
        groups = [[n for n, near in enumerate(pairwise) if near is kind] for kind in (True, False)]
        return [group for group in groups if group]

    def answers(self, group: Sequence[int]) -> list[tuple[int, RiskResult]]:
        """What some of the attacks find, each with its number."""
        largest = max(len(self.pool), len(as_table(self.release.data)))
        columns = len(self.pool.records.schema.attributes)
        sizes = {number: self.players[number][0].sizes(largest, columns) for number in group}
        parts = {
            (most, base): VisiblePool.of(GOAL, self.pool, self.release, most, self.seeds, base)
            for most, base in dict.fromkeys(sizes.values())
        }
        # Others search for several neighbours, of which nearest needs the first.
        order = sorted(group, key=lambda own: isinstance(self.players[own][0].attack, Nearest))
        return [
            (number, _run(choice.attack, parts[sizes[number]], len(self.pool), draws))
            for number, (choice, draws) in ((number, self.players[number]) for number in order)
        ]

    def join(self, groups: Sequence[Sequence[tuple[int, RiskResult]]]) -> RiskResult:
        """All answers in the order of the panel, and last what they say together."""
        numbered = dict(answer for group in groups for answer in group)
        results = [numbered[number] for number in range(len(self.players))]
        evidence = tuple(scores for result in results for scores in result.evidence)
        people = PersonScores.of(self.pool, evidence)  # nobody is in both halves
        rng = self.seeds.rng("stacked")
        stacked = stacked_finding(people.evidence, people.members, rng=rng)
        findings = [finding for result in results for finding in result.findings]
        left_out = [reason for result in results for reason in result.not_computed]
        if isinstance(stacked, Finding):
            findings.append(stacked)
        else:
            left_out.append(stacked)
        return RiskResult(evidence, tuple(findings), tuple(left_out))


def _run(attacker: Attack, shown: VisiblePool, people: int, rng: np.random.Generator) -> RiskResult:
    """What one attack finds, or why it did not run."""
    case = attempt_informed(attacker, shown.situation, base=shown.base, rng=rng)
    if isinstance(case, NotComputed):
        return RiskResult(not_computed=(case,))
    members, scores = members_and_scores(case.truth, case.guess)
    answered = AnsweredAttack(attacker, threat_for(attacker, GOAL), case, shown.limits)
    evidence = Evidence(attacker.name(), shown.spread(scores, people))
    return RiskResult((evidence,), answered.findings(members, scores))


@dataclass(frozen=True, slots=True)
class AnsweredAttack:
    """An attack that has answered.

    Parameters
    ----------
    limits : what the attack left out, in a sentence; empty if nothing.
    """

    attacker: Attack
    threat: ThreatModel
    case: Case
    limits: str

    def findings(self, members: Mask, scores: Floats) -> tuple[Finding, ...]:
        """The readings of the attack, by the measures of the contests."""
        sizes = int(members.sum()), int((~members).sum())
        auc = Auc().measure([self.case], rng=reading_rng())["auc"]
        says = Auc().in_people(auc.value) if auc.measured else ""
        out = [self._finding("auc", says, auc, 0.5, smallest_auc(*sizes))]
        for rate in RATES:
            reading = TprAtFpr(fpr=rate).measure([self.case], rng=reading_rng())["tpr_at_fpr"]
            control = named_others(members, scores, rate)
            least = smallest_rate(rate, *sizes)
            says = _recognition_words(reading, rate)
            finding = self._finding(f"tpr_at_fpr_{rate:g}", says, reading, rate, least)
            out.append(finding.model_copy(update={"control": control}))
        return tuple(out)

    def _finding(
        self, name: str, says: str, reading: Reading, chance: float, least: float
    ) -> Finding:
        return Finding(
            risk="membership",
            attack=self.attacker.name(),
            parameters=self.attacker.parameters(),
            name=name,
            says=f"{says} {self.limits}".strip() if reading.measured else f"{reading}.",
            reading=reading,
            chance=chance,
            smallest_detectable=least,
            threat=threat_sentences(self.threat),
        )


def _recognition_words(reading: Reading, rate: float) -> str:
    """A share of members at a rate of false alarms, in numbers of people."""
    if not reading.measured:
        return ""
    members, others = (round(10_000 * share) for share in (reading.value, rate))
    return (
        f"Of 10,000 people in the data, the attacker recognises {members:,} and mistakes at most "
        f"{others:,} of 10,000 others for members; blind guessing recognises about {others:,}."
    )


def named_others(members: Mask, scores: Floats, rate: float) -> Reading:
    """The share of people outside the data whom the attack names at the same threshold.

    >>> named_others(np.array([True, False, False]), np.array([0.5, 0.9, 0.1]), 0.5).value
    0.5
    """
    others = np.sort(scores[~members])[::-1]
    allowed = int(np.floor(rate * len(others) + 1e-9))
    threshold = others[allowed] if allowed < len(others) else -np.inf
    return proportion(int((others > threshold).sum()), len(others), "lower")


@register("membership-risk-v1")
class MembershipRisk(Risk):
    """Whether attackers can tell who is in a table.

    >>> MembershipRisk().words.question
    'Can somebody tell that a person is in the data?'
    """

    harm: ClassVar[str] = "membership"
    seed: ClassVar[str] = "membership"
    turn: ClassVar[int] = 1
    asks: ClassVar[type[Question]] = MembershipQuestion
    words: ClassVar[RiskWords] = MEMBERSHIP_WORDS
    curves: ClassVar[bool] = True

    def measure(self, audited: AuditedRelease, *, rng: np.random.Generator) -> RiskResult:
        """Ask the attacks of this file, and those that the user adds."""
        added = self.added(audited)
        return measure_membership(audited.table_pool(), audited.release, rng=rng, added=added)

    def pieces(self, audited: AuditedRelease, *, rng: np.random.Generator) -> Sequence[Piece]:
        """One piece for each group of attacks."""
        questions = self._questions(audited, rng)
        return [partial(questions.answers, group) for group in questions.groups()]

    def join(self, audited: AuditedRelease, outcomes: Sequence[Any]) -> RiskResult:
        """The answers of all groups."""
        return self._questions(audited, audited.seeds.rng(self.seed)).join(outcomes)

    def _questions(self, audited: AuditedRelease, rng: np.random.Generator) -> MembershipQuestions:
        added = self.added(audited)
        return MembershipQuestions.of(audited.table_pool(), audited.release, rng, added=added)
