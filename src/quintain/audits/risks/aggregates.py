"""Aggregates: can attackers on tables tell who is in the original, given one row per person?

Every attack on tables looks at single rows. Where people have several rows and the release has
pseudonyms, a person and a pseudonym become one row of aggregates each, and all these attacks play.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from quintain.audits.pool import PeoplePool, Pool
from quintain.audits.risk import Added, AuditedRelease, Risk, RiskResult, RiskWords
from quintain.audits.risks.membership import MEMBERSHIP_WORDS, measure_membership
from quintain.guesses import MembershipQuestion, Question
from quintain.kernels.aggregates import aggregate
from quintain.registry import register
from quintain.releases import Release

_FEWEST = 10
"""Pseudonyms, at least: attacks on tables learn from released rows."""


def measure_aggregates(
    people: PeoplePool, *, rng: np.random.Generator, added: Added = ()
) -> RiskResult:
    """Ask every attack on tables who of the pool is in the original, by their aggregates."""
    if people.shown.size < _FEWEST:
        return RiskResult()
    known, shown = aggregate(people.known, people.shown)
    order = rng.permutation(len(known))
    pool = Pool(known.take(order), people.members[order], order)
    mixed = shown.take(rng.permutation(len(shown)))
    result = measure_membership(pool, Release(mixed), rng=rng, added=added)
    evidence = []
    for given in result.evidence:
        scores = np.empty(len(order))
        scores[order] = given.scores
        evidence.append(replace(given, attack=_name(given.attack), scores=scores, of_people=True))
    findings = [
        finding.model_copy(update={"attack": _name(finding.attack)}) for finding in result.findings
    ]
    # Which attacks cannot play is the same as for single rows, and is said there.
    return RiskResult(tuple(evidence), tuple(findings))


def _name(attack: str) -> str:
    return f"{attack} on aggregates"


@register("aggregates-risk-v1")
class AggregatesRisk(Risk):
    """Whether attacks on tables tell who is in the data, by one row of aggregates per person.

    >>> AggregatesRisk().harm
    'membership'
    """

    harm: ClassVar[str] = "membership"
    seed: ClassVar[str] = "aggregates"
    turn: ClassVar[int] = 6
    asks: ClassVar[type[Question]] = MembershipQuestion
    words: ClassVar[RiskWords] = MEMBERSHIP_WORDS
    several_rows: ClassVar[bool] = True
    curves: ClassVar[bool] = True

    def measure(self, audited: AuditedRelease, *, rng: np.random.Generator) -> RiskResult:
        """Ask the attacks on membership, and those that the user adds."""
        if audited.people is None or audited.tables:
            return RiskResult()  # of several tables, the pool itself has the aggregates
        return measure_aggregates(audited.people, rng=rng, added=self.added(audited))
