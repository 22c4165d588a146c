"""Membership: can attackers tell who is in the original?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from quintain.attacks import Attack, ThreatModel
from quintain.attacks.membership.exact_match import ExactMatch
from quintain.attacks.membership.forest_ratio import ForestRatio
from quintain.attacks.membership.mama_mia import MamaMia
from quintain.attacks.membership.matched_filter import MatchedFilter
from quintain.attacks.membership.neighbours.copies import NearCopies, Surprise
from quintain.attacks.membership.neighbours.distance_ratio import DcrDifference, DcrRatio
from quintain.attacks.membership.neighbours.gen_lra import GenLra
from quintain.attacks.membership.neighbours.knn_ratio import KnnRatio, LocalDensityRatio
from quintain.attacks.membership.network.ratio import NetworkRatio
from quintain.attacks.membership.record_linkage import RecordLinkage
from quintain.attacks.membership.tracing import Tracing
from quintain.attacks.membership.tree_ratio import TreeRatio
from quintain.attacks.membership.two_sample import TwoSample
from quintain.attacks.nearest import Nearest
from quintain.attacks.threat import SanitizerCode
from quintain.audits.finding import Finding, NotComputed
from quintain.audits.panel import Evidence, PanelResult
from quintain.audits.panels.inquiry import Inquiry
from quintain.audits.panels.playable import Playable
from quintain.audits.panels.shown_pool import ShownPool
from quintain.audits.panels.stacking import stacked_finding
from quintain.audits.pool import Pool
from quintain.data import as_table
from quintain.data.arrays import Floats, Mask
from quintain.guesses.membership import Membership, members_and_scores
from quintain.measures import Case, Reading, reading_rng
from quintain.measures.intervals import proportion
from quintain.measures.pooled.detectable import smallest_auc, smallest_rate
from quintain.measures.privacy.membership.auc import Auc
from quintain.measures.privacy.membership.tpr_at_fpr import TprAtFpr2
from quintain.releases import Release
from quintain.seeds import SeedTree

GOAL = Membership()

RATES = (0.01, 0.001)
"""The rates of false alarms at which the panel counts the members that an attack names."""


_WORK = 5e9
"""Cells of pairs of records that one attack may compare: about twenty seconds."""


@dataclass(frozen=True, slots=True)
class Choice:
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

        >>> Choice(DcrRatio(), pairwise=True).limit(100_000, columns=50)
        10000
        """
        affordable = int((_WORK / max(1, columns)) ** 0.5) if self.pairwise else rows
        least = min(affordable, rows if self.most is None else self.most)
        return least if least < rows else None


CHOICES = (
    Choice(ExactMatch()),
    Choice(Surprise()),
    Choice(NearCopies()),
    Choice(Nearest(), pairwise=True),
    Choice(DcrDifference(), pairwise=True),
    Choice(DcrRatio(), pairwise=True),
    Choice(KnnRatio(), pairwise=True),
    Choice(LocalDensityRatio(), pairwise=True),
    Choice(GenLra(), pairwise=True),
    Choice(TreeRatio()),
    Choice(NetworkRatio()),
    Choice(ForestRatio()),
    Choice(Tracing()),
    Choice(RecordLinkage(), 20_000),
    Choice(TwoSample(), 50_000),
    Choice(MamaMia()),
    Choice(MatchedFilter()),
)
"""The attacks, those that need more than the release among them: they are named as left out."""


def membership_panel(
    pool: Pool,
    release: Release,
    *,
    rng: np.random.Generator,
    choices: Sequence[Choice] = CHOICES,
    code: SanitizerCode | None = None,
) -> PanelResult:
    """Ask every attack who of the pool is in the original.

    Attackers get the release and the records of the pool, without labels. So whatever they compute
    is the same for members and others if the release does not depend on who is a member. The last
    finding combines all scores, with weights learned from people whose membership is known; it has
    no evidence of its own.

    Parameters
    ----------
    choices : the attacks.
    code : the sanitizer, for attacks that run it on other data.

    >>> from quintain.testing import example_table, people
    >>> table = people(example_table(rows=200))
    >>> original, control = table.take(range(100)), table.take(range(100, 200))
    >>> pool = Pool.of(original, control, rng=np.random.default_rng(0))
    >>> result = membership_panel(pool, Release(original), rng=np.random.default_rng(1))
    >>> finding = next(f for f in result.findings if f.attack == "tree-ratio")
    >>> finding.name, str(finding.reading), finding.chance
    ('auc', '0.6813 [0.6082, 0.7545]', 0.5)
    """
    seeds, play = SeedTree(rng.bytes(32)), Playable.of(pool, release)
    pool, release = play.pool, play.release
    largest = max(len(pool), len(as_table(release.data)))
    columns = len(pool.records.schema.attributes)
    limits = [choice.limit(largest, columns) for choice in choices]
    shown = {most: ShownPool.of(GOAL, pool, release, most, seeds) for most in dict.fromkeys(limits)}
    results = [
        _run(choice.attack, shown[most], len(pool), code, seeds.rng(choice.attack.name()))
        for choice, most in zip(choices, limits, strict=True)
    ]
    evidence = tuple(one for result in results for one in result.evidence)
    stacked = stacked_finding(evidence, pool.members, rng=seeds.rng("stacked"))
    findings = [one for result in results for one in result.findings]
    left_out = [one for result in results for one in result.not_computed]
    if isinstance(stacked, Finding):
        findings.append(stacked)
    else:
        left_out.append(stacked)
    return PanelResult(evidence, tuple(findings), tuple(left_out))


def _run(
    attacker: Attack,
    shown: ShownPool,
    people: int,
    code: SanitizerCode | None,
    rng: np.random.Generator,
) -> PanelResult:
    """What one attack finds, or why it did not run."""
    inquiry = Inquiry(GOAL, shown.question, shown.truth, shown.release, shown.pool.records, code)
    case = inquiry.answer(attacker, rng=rng)
    if isinstance(case, NotComputed):
        return PanelResult(not_computed=(case,))
    members, scores = members_and_scores(case.truth, case.guess)
    answered = Answered(attacker, inquiry.threat(attacker), case, shown.limits)
    evidence = Evidence(attacker.name(), shown.spread(scores, people))
    return PanelResult((evidence,), answered.findings(members, scores))


@dataclass(frozen=True, slots=True)
class Answered:
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
            reading = TprAtFpr2(fpr=rate).measure([self.case], rng=reading_rng())["tpr_at_fpr"]
            control = named_others(members, scores, rate)
            least = smallest_rate(rate, *sizes)
            says = _recognised(reading, rate)
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
            threat=tuple(sentence for _, sentence in self.threat.rows()),
        )


def _recognised(reading: Reading, rate: float) -> str:
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
