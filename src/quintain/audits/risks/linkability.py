"""Linkability: can an attacker join two lists about the same people with help of the release?

This is one of the three risks that the European guidance names. The method is our own: it is the
contest of the goal ``linkability``, which joins halves by the nearest released record and by the
record linkage of Fellegi and Sunter, beside a control group.

References
----------
Article 29 Data Protection Working Party, Opinion 05/2014 on anonymisation techniques. Fellegi and
Sunter, A theory for record linkage, JASA 64 (1969).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np

from quintain.attacks import Attack, HalfLinkage, Nearest
from quintain.audits.asking import SharedColumns, ask, attempt_all, findings_beside_control
from quintain.audits.pool import Evidence, Pool
from quintain.audits.results import Finding, NotComputed
from quintain.audits.risk import Added, AuditedRelease, Risk, RiskResult, RiskWords
from quintain.data import Table
from quintain.data.arrays import Rows
from quintain.guesses import Question
from quintain.guesses.goal import entropy_bits
from quintain.guesses.linkability import Linkability, LinkabilityQuestion, members_and_links
from quintain.measures import Case, reading_rng
from quintain.measures.pooled.detectable import smallest_rate
from quintain.measures.privacy.halves_linked import HalvesLinked
from quintain.plays import Situation
from quintain.registry import register
from quintain.releases import Release

Halves = tuple[Sequence[str], Sequence[str]]

_MEASURE = HalvesLinked()


def measure_linkability(
    pool: Pool,
    release: Release,
    *,
    rng: np.random.Generator,
    targets: int = 2_000,
    added: Added = (),
) -> RiskResult:
    """Cut random people of the pool into two halves, and let attacks join the halves again.

    Parameters
    ----------
    targets : how many random people are cut into halves; more of them make every link harder.
    added : attacks of the user, which are asked after the others.
    """
    view = SharedColumns.of(pool, release)
    rows = rng.choice(len(pool), min(targets, len(pool)), replace=False)
    cut = even_halves(view.released)
    if isinstance(cut, NotComputed):
        return RiskResult(not_computed=(cut,))
    left, right = cut
    shown = [tuple(view.names[name] for name in half) for half in cut]
    goal = Linkability(left=tuple(left), right=tuple(right))
    few = view.at(rows)
    situation = ask(goal, few, shown=Linkability(left=shown[0], right=shown[1]))
    if isinstance(situation, NotComputed):
        return RiskResult(not_computed=(situation,))
    cases, refused = attempt_all((Nearest(), HalfLinkage()), added, situation, rng=rng)
    return RiskResult(
        tuple(_evidence(attacker, situation, case, rows, len(pool)) for attacker, case in cases),
        tuple(f for attacker, case in cases for f in _findings(attacker, situation, case)),
        tuple(refused),
    )


def even_halves(table: Table) -> Halves | NotComputed:
    """Deal out the columns by their entropy: 1st left, 2nd and 3rd right, 4th and 5th left ...

    >>> from quintain.testing import example_table, people
    >>> even_halves(people(example_table()))
    (('size',), ('colour', 'flag'))
    """
    names = table.schema.names
    if len(names) < 2:
        reason = "two halves need two columns that are in the original and in the release"
        return NotComputed(what="linkability", reason=reason)
    bits = [entropy_bits(table.columns[name]) for name in names]
    order = sorted(range(len(names)), key=lambda place: -bits[place])
    left = sorted(place for rank, place in enumerate(order) if rank % 4 in (0, 3))
    right = sorted(place for rank, place in enumerate(order) if rank % 4 in (1, 2))
    return tuple(names[place] for place in left), tuple(names[place] for place in right)


def _evidence(
    attacker: Attack, situation: Situation, case: Case, rows: Rows, size: int
) -> Evidence:
    """For each person asked about: if the right values were joined, how rare these values are."""
    question = situation.question
    assert isinstance(question, LinkabilityQuestion)
    _, truth, guess = members_and_links(case.truth, case.guess)
    keys = question.right_halves().row_keys()
    surprise = -np.log(np.bincount(keys)[keys] / len(keys))
    scores = np.full(size, np.nan)
    scores[rows] = np.where(keys[truth] == keys[guess], surprise[truth], 0.0)
    return Evidence(f"linkability: {attacker.name()}", scores)


def _findings(attacker: Attack, situation: Situation, case: Case) -> Iterator[Finding]:
    readings = _MEASURE.measure([case], rng=reading_rng())
    control = readings["controls_linked"]
    return findings_beside_control(
        "linkability",
        attacker,
        situation.goal,
        _MEASURE,
        readings,
        ("linked_excess", "members_linked"),
        control=control,
        least=smallest_rate(control.value, readings["members_linked"].n, control.n),
        chance=1 / len(case.truth.table),
    )


@register("linkability-risk-v1")
class LinkabilityRisk(Risk):
    """Whether attackers join two lists about the same people with help of the release.

    >>> LinkabilityRisk().words.title
    'Linkability'
    """

    harm: ClassVar[str] = "linkability"
    seed: ClassVar[str] = "linkability"
    turn: ClassVar[int] = 3
    asks: ClassVar[type[Question]] = LinkabilityQuestion
    words: ClassVar[RiskWords] = RiskWords(
        "Linkability",
        "Can somebody join two records about the same person?",
        "Of {total} people in the data, the attacker joins the records of {found}",
        "Of {total} people in the data, the attacker joins the records of {found} {more}",
        says="Whether attackers join two lists of the same people.",
        place=3,
        always=True,
        criteria=("connection",),
    )

    def measure(self, audited: AuditedRelease, *, rng: np.random.Generator) -> RiskResult:
        """Cut people into halves of about equal content."""
        pool, release = audited.table_pool(), audited.mixed_release()
        return measure_linkability(pool, release, rng=rng, added=self.added(audited))
