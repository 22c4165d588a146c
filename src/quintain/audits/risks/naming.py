"""Transactions: can attackers name the people behind pseudonyms?"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from quintain.attacks import Attack, ThreatModel
from quintain.attacks.linkage.evidence_assignment import EvidenceAssignment, ShadowEvidence
from quintain.attacks.linkage.profile_assignment import ProfileAssignment
from quintain.attacks.linkage.swap_aware import SwapAware
from quintain.audits.asking import threat_sentences
from quintain.audits.results import Finding, NotComputed
from quintain.audits.risk import Added, AuditedRelease, Risk, RiskResult, RiskWords
from quintain.data import Transactions
from quintain.data.arrays import distinct
from quintain.errors import QuintainError
from quintain.guesses import Question
from quintain.guesses.linkage import Linkage, LinkageQuestion
from quintain.kernels.purchases import Purchases, months_of
from quintain.measures import Case, ReleaseMeasure, reading_rng
from quintain.measures.privacy.content_link import ContentLink
from quintain.measures.privacy.reidentification import Reidentification
from quintain.measures.privacy.row_baselines import ShoppingBaselines
from quintain.measures.privacy.unicity import Unicity
from quintain.plays import Refusal, Situation, play
from quintain.randomness.seeds import SeedTree
from quintain.registry import register
from quintain.releases import Release, publish
from quintain.samples.sample import Whole

ATTACKS: tuple[Attack, ...] = (
    ProfileAssignment(),
    EvidenceAssignment(),
    SwapAware(),
    ShadowEvidence(),
)
MEASURES: tuple[ReleaseMeasure, ...] = (
    ShoppingBaselines(),
    ContentLink(counted=("names", "rows", "persons")),
    ContentLink(by="whole", counted=("names", "rows", "persons")),
    Unicity(known=(("item",), ("item", "day"))),
)
"""The attacks and the measures about privacy of DARC.

The last attack runs the sanitizer, which an audit of a release does not have: it is named as left
out.
"""

KNOWN = "The attacker knows all original transactions, with the names of their people."


def measure_naming(
    original: Transactions,
    release: Transactions,
    *,
    rng: np.random.Generator,
    added: Added = (),
) -> RiskResult:
    """Ask every attack of DARC for the pseudonym of each person in each month.

    Row i of the release stands for row i of the original; a deleted row has no person. The truth
    comes from there. Attackers get the released rows in random order, without deleted ones. No
    test with a control is possible: who is in the data is known to everybody here.
    """
    seeds = SeedTree(rng.bytes(32))
    goal = Linkage.of_all_months(original)
    sample = Whole().draw(original, rng=seeds.rng("sample"))
    question, truth = goal.ask(sample, Release(release))
    shown = Release(publish(release, rng=seeds.rng("publish")))
    threat = ThreatModel.giving(goal, frozenset({"base"}))
    findings, left_out = [], []
    players = [(attack, seeds.rng("attack", number)) for number, attack in enumerate(ATTACKS)]
    for attacker, draws in [*players, *added]:
        situation = Situation(goal, shown, threat.knowledge(question, base=original))
        guess = play(attacker, situation, rng=draws)
        if isinstance(guess, Refusal):
            left_out.append(NotComputed(what=guess.part, reason=guess.reason))
            continue
        findings.append(_naming_finding(attacker, threat, Case(truth, guess), blind_share(release)))
    for measure in MEASURES:
        try:
            findings += _look_ups(measure, original, release)
        except QuintainError as error:
            left_out.append(NotComputed(what=measure.name(), reason=str(error)))
    return RiskResult((), tuple(findings), tuple(left_out))


def pseudonyms_by_month(release: Transactions) -> list[int]:
    """How many pseudonyms each month of the release has."""
    shown = Purchases.of(release).live_rows()
    months = months_of(shown.day)
    return [len(distinct(shown.person[months == month])) for month in distinct(months)]


def blind_share(release: Transactions) -> float:
    """The share of pseudonyms that a blind guess names: one per month, on average."""
    counts = pseudonyms_by_month(release)
    return len(counts) / sum(counts) if counts else 0.0


def _naming_finding(attacker: Attack, threat: ThreatModel, case: Case, chance: float) -> Finding:
    measure = Reidentification()
    reading = measure.measure([case], rng=reading_rng())["reid"]
    return Finding(
        risk="re-identification",
        attack=attacker.name(),
        parameters=attacker.parameters(),
        name="reid",
        says=measure.in_people(reading.value) if reading.measured else f"{reading}.",
        reading=reading,
        chance=chance,
        threat=threat_sentences(threat),
    )


def _look_ups(
    measure: ReleaseMeasure, original: Transactions, release: Transactions
) -> list[Finding]:
    """What simple look-ups find; they compare the release with the original itself."""
    measure.require(original.schema)
    readings = measure.measure(original, release, None, rng=reading_rng())
    return [
        Finding(
            risk="re-identification",
            attack=measure.name(),
            parameters=measure.parameters(),
            name=name,
            says=measure.caption(name),
            reading=reading,
            threat=(KNOWN,),
        )
        for name, reading in readings.items()
    ]


@register("naming-risk-v1")
class NamingRisk(Risk):
    """Whether attackers put names to the pseudonyms of transactions.

    >>> NamingRisk().harm
    're-identification'
    """

    shapes: ClassVar[tuple[str, ...]] = ("transactions",)
    harm: ClassVar[str] = "re-identification"
    seed: ClassVar[str] = "linkage"
    turn: ClassVar[int] = 1
    asks: ClassVar[type[Question]] = LinkageQuestion
    words: ClassVar[RiskWords] = RiskWords(
        "Re-identification",
        "Can somebody put a name to a record of the release?",
        "Of {total} people in the data, the attacker names {found}",
        "Of {total} people in the data, the attacker names {found} {more}",
        place=5,
    )
    needs_control: ClassVar[bool] = False

    def measure(self, audited: AuditedRelease, *, rng: np.random.Generator) -> RiskResult:
        """Ask the attacks of DARC, and those that the user adds."""
        original, release = self.see(audited.original), self.see(audited.release.data)
        return measure_naming(original, release, rng=rng, added=self.added(audited))
