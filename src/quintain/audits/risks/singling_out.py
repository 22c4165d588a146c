"""Singling out: does the release help to describe people whom nobody else fits?

This is one of the three risks that the European guidance names. The method is our own: it is the
contest of the goal ``singling-out``, which takes isolation, the weight of a predicate and the
baseline of luck from Cohen and Nissim.

References
----------
Article 29 Data Protection Working Party, Opinion 05/2014 on anonymisation techniques. Cohen and
Nissim, Towards formalizing the GDPR's notion of singling out, PNAS 117 (2020).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar

import numpy as np

from quintain.attacks import Attack, RowPredicates, ValuePredicates
from quintain.audits.asking import SharedColumns, ask, attempt_all, findings_beside_control
from quintain.audits.pool import Evidence, Pool
from quintain.audits.results import Finding, NotComputed
from quintain.audits.risk import Added, AuditedRelease, Risk, RiskResult, RiskWords
from quintain.guesses import Conditions, Question
from quintain.guesses.predicates import fitting_records
from quintain.guesses.singling_out import SinglingOut, SinglingOutQuestion
from quintain.measures import Case, reading_rng
from quintain.measures.pooled.detectable import smallest_rate
from quintain.measures.privacy.isolation import Isolation
from quintain.plays import Situation
from quintain.registry import register
from quintain.releases import Release

_MEASURE = Isolation()
_COMPUTED = 10**9  # so many observations have no spread
_RARE = 3  # the expected number of cases of which 95 % of audits see one
_FEW = 4  # columns of a short description


def measure_singling_out(
    pool: Pool,
    release: Release,
    *,
    rng: np.random.Generator,
    predicates: int = 500,
    added: Added = (),
) -> RiskResult:
    """Describe people by what the release shows, and count who is alone in the original.

    If the control is smaller than the original, only as many people of the original count as the
    control has, drawn at random: luck is measured among people who are not in the original.

    Parameters
    ----------
    predicates : how many descriptions each attack makes.
    added : attacks of the user, which are asked after the others.
    """
    view = SharedColumns.of(pool, release)
    goal = SinglingOut(predicates=predicates)
    situation = ask(goal, view.at(_balance(pool, rng)), shown=goal)
    if isinstance(situation, NotComputed):
        return RiskResult(not_computed=(situation,))
    attacks: list[Attack] = [RowPredicates(), ValuePredicates()]
    if len(view.names) > _FEW:
        attacks.insert(1, RowPredicates(columns=_FEW))
    cases, refused = attempt_all(attacks, added, situation, rng=rng)
    return RiskResult(
        tuple(_evidence(attacker, case, view) for attacker, case in cases),
        tuple(f for attacker, case in cases for f in _findings(attacker, situation, case)),
        tuple(refused),
    )


def _balance(pool: Pool, rng: np.random.Generator) -> np.ndarray:
    """The rows of the pool, with no more members than others."""
    members, others = np.flatnonzero(pool.members), np.flatnonzero(~pool.members)
    if len(members) > len(others):
        members = rng.permutation(members)[: len(others)]
    return np.sort(np.concatenate([members, others]))


def _evidence(attacker: Attack, case: Case, view: SharedColumns) -> Evidence:
    """How many descriptions point to each person; those that fit several are shared by them."""
    records = view.pool.records
    conditions = Conditions.of(case.guess.table, records.schema)
    scores = np.zeros(len(records))
    for rows in fitting_records(conditions, records):
        scores[rows] += 1 / max(1, len(rows))
    return Evidence(f"singling-out: {_describe(attacker)}", scores)


def _describe(attacker: Attack) -> str:
    columns = attacker.parameters().get("columns")
    return f"{attacker.name()} of {columns} columns" if columns else attacker.name()


def _findings(attacker: Attack, situation: Situation, case: Case) -> Iterator[Finding]:
    readings = _MEASURE.measure([case], rng=reading_rng())
    luck = readings["isolated_by_luck"]
    # The luck of these predicates is computed, so there is no second sample with a spread.
    least = max(smallest_rate(luck.value, luck.n, _COMPUTED), luck.value + _RARE / luck.n)
    return findings_beside_control(
        "singling-out",
        attacker,
        situation.goal,
        _MEASURE,
        readings,
        ("isolation_excess", "isolated"),
        control=luck,
        least=least,
        chance=luck.value,
    )


@register("singling-out-risk-v1")
class SinglingOutRisk(Risk):
    """Whether attackers describe people so that nobody else fits.

    >>> SinglingOutRisk().words.title
    'Singling out'
    """

    harm: ClassVar[str] = "singling-out"
    seed: ClassVar[str] = "singling-out"
    turn: ClassVar[int] = 4
    asks: ClassVar[type[Question]] = SinglingOutQuestion
    words: ClassVar[RiskWords] = RiskWords(
        "Singling out",
        "Can somebody describe one person so that nobody else fits?",
        "Of {total} descriptions, {found} fit exactly one person in the data",
        "Of {total} descriptions, {found} {more} fit exactly one person in the data",
        "luck alone would give {found}",
        "than luck would",
        says="Whether attackers describe exactly one person.",
        place=2,
        always=True,
        criteria=("isolation",),
    )

    def measure(self, audited: AuditedRelease, *, rng: np.random.Generator) -> RiskResult:
        """Count descriptions that fit one member."""
        pool, release = audited.table_pool(), audited.mixed_release()
        return measure_singling_out(pool, release, rng=rng, added=self.added(audited))
