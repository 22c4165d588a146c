"""Linked parts: does a release join two lists with different rows about the same people?

One list has the visits of people, another their purchases; or one has what people did in the first
half of a period, the other the rest. An attacker looks for the pseudonym that fits a person of the
first list best, and for the one that fits a person of the second list. Where it is the same one,
the release joins them. The control says how often that happens by chance.

References
----------
Article 29 Data Protection Working Party, Opinion 05/2014 on anonymisation techniques.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import ClassVar

import numpy as np

from quintain.audits.asking import findings_about_people
from quintain.audits.pool import Evidence, PeoplePool
from quintain.audits.risk import AuditedRelease, Risk, RiskResult, RiskWords
from quintain.audits.risks.histories import draw_people
from quintain.audits.risks.linkability import LinkabilityRisk
from quintain.data.arrays import Mask
from quintain.data.people import Branch, People
from quintain.guesses import MembershipQuestion, Question
from quintain.kernels.histories import Recognition, recognise
from quintain.randomness.seeds import SeedTree
from quintain.registry import register

NAME = "linked parts"

MOST_PARTS = 3
"""Of more tables than this, those with the most rows are joined."""


@dataclass(frozen=True, slots=True, eq=False)
class HistoryPart:
    """Some rows of everybody, and the pseudonyms with the rows of the same tables."""

    name: str
    known: People
    shown: People

    def recognise(self, seeds: SeedTree) -> Recognition:
        """The pseudonym that fits each person best by these rows."""
        draws = seeds.rng("part", self.name)
        return recognise(self.known, self.shown, rng=draws, whole=False, quick=True)


def measure_linked_parts(people: PeoplePool, *, rng: np.random.Generator) -> RiskResult:
    """Join tables with each other; of people with one table, both halves of their time."""
    if people.shown.size < 2:
        return RiskResult()
    seeds = SeedTree(rng.bytes(32))
    some, chosen = draw_people(people, seeds)
    parts = [(part.name, part.recognise(seeds)) for part in history_parts(some)]
    result = RiskResult()
    for (left, by_left), (right, by_right) in combinations(parts, 2):
        if not by_left.traits or not by_right.traits:
            continue  # nothing can be compared
        linked = by_left.first == by_right.first
        scores = np.full(people.known.size, np.nan)
        scores[chosen] = linked
        findings = findings_about_people(
            LinkabilityRisk.harm,
            NAME,
            ("linked_excess", "members_linked"),
            linked,
            some.members,
            chance=1 / people.shown.size,
            says="The attacker joins two lists with different rows about the same person.",
            threat=(
                f"The attacker wants to join two lists about people: {left}, and {right}.",
                "The attacker is given the release, which tells which rows belong to one "
                "pseudonym, and both lists as the original has them.",
            ),
            columns=(left, right),
        )
        result = RiskResult(
            (*result.evidence, Evidence(f"{NAME}: {left}, {right}", scores, of_people=True)),
            (*result.findings, *findings),
        )
    return result


def history_parts(people: PeoplePool) -> Iterator[HistoryPart]:
    """Each table with several rows per person, or the halves of the one that has an order."""
    known, shown = people.known, people.shown
    tables = [
        table.name
        for table in known.schema.tables
        if table.reference is not None and table.name in shown.tables
    ]
    if len(tables) > 1:
        largest = sorted(tables, key=lambda name: -len(known.tables[name]))[:MOST_PARTS]
        for name in tables:
            if name in largest:
                yield HistoryPart(name, known.select(name), shown.select(name))
    elif tables and known.tables[tables[0]].order:
        only = known.select(*tables)
        early = _early_rows(only.tables[tables[0]])
        for words, kept in (("the first half", early), ("the second half", ~early)):
            name = f"{words} of the rows of {tables[0]}"
            yield HistoryPart(name, only.keep({tables[0]: kept}), shown.select(*tables))


def _early_rows(branch: Branch) -> Mask:
    """Which rows are in the first half of a person's rows, by their order."""
    index = branch.index()
    early = np.zeros(len(branch), bool)
    lengths = index.lengths()
    place = np.arange(len(index.order)) - np.repeat(index.offsets[:-1], lengths)
    early[index.order] = place < np.repeat((lengths + 1) // 2, lengths)
    return early


@register("linked-parts-risk-v1")
class LinkedPartsRisk(Risk):
    """Whether a release with pseudonyms joins lists with different rows about the same people.

    >>> LinkedPartsRisk().harm
    'linkability'
    """

    harm: ClassVar[str] = LinkabilityRisk.harm
    seed: ClassVar[str] = NAME
    turn: ClassVar[int] = 9
    asks: ClassVar[type[Question]] = MembershipQuestion
    words: ClassVar[RiskWords] = LinkabilityRisk.words
    several_rows: ClassVar[bool] = True

    def measure(self, audited: AuditedRelease, *, rng: np.random.Generator) -> RiskResult:
        """Join parts of people's rows, if the release has pseudonyms."""
        if audited.people is None:
            return RiskResult()
        return measure_linked_parts(audited.people, rng=rng)
