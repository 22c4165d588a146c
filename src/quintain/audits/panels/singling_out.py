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

import numpy as np

from quintain.attacks import Attack, RowPredicates, ValuePredicates
from quintain.audits.finding import Finding, NotComputed
from quintain.audits.panel import Evidence, PanelResult
from quintain.audits.panels.attempt import Exam, ask, attempt, finding
from quintain.audits.panels.playable import Playable
from quintain.audits.pool import Pool
from quintain.guesses import Conditions
from quintain.guesses.fitting_records import fitting_records
from quintain.guesses.singling_out import SinglingOut
from quintain.measures import Case, reading_rng
from quintain.measures.pooled.detectable import smallest_rate
from quintain.measures.privacy.singling_out.isolation import Isolation
from quintain.releases import Release

_MEASURE = Isolation()
_COMPUTED = 10**9  # so many observations have no spread
_RARE = 3  # the expected number of cases of which 95 % of audits see one
_FEW = 4  # columns of a short description


def singling_out_panel(
    pool: Pool, release: Release, *, rng: np.random.Generator, predicates: int = 500
) -> PanelResult:
    """Describe people by what the release shows, and count who is alone in the original.

    If the control is smaller than the original, only as many people of the original count as the
    control has, drawn at random: luck is measured among people who are not in the original.

    Parameters
    ----------
    predicates : how many descriptions each attack makes.
    """
    play = Playable.of(pool, release)
    goal = SinglingOut(predicates=predicates)
    exam = ask(goal, play.at(_balanced(pool, rng)), shown=goal)
    if isinstance(exam, NotComputed):
        return PanelResult(not_computed=(exam,))
    attacks: list[Attack] = [RowPredicates(), ValuePredicates()]
    if len(play.names) > _FEW:
        attacks.insert(1, RowPredicates(columns=_FEW))
    answered = [(attacker, attempt(attacker, exam, play, rng=rng)) for attacker in attacks]
    cases = [(attacker, case) for attacker, case in answered if isinstance(case, Case)]
    return PanelResult(
        tuple(_evidence(attacker, case, play) for attacker, case in cases),
        tuple(f for attacker, case in cases for f in _findings(attacker, exam, case)),
        tuple(case for _, case in answered if isinstance(case, NotComputed)),
    )


def _balanced(pool: Pool, rng: np.random.Generator) -> np.ndarray:
    """The rows of the pool, with no more members than others."""
    members, others = np.flatnonzero(pool.members), np.flatnonzero(~pool.members)
    if len(members) > len(others):
        members = rng.permutation(members)[: len(others)]
    return np.sort(np.concatenate([members, others]))


def _evidence(attacker: Attack, case: Case, play: Playable) -> Evidence:
    """How many descriptions point to each person; those that fit several are shared by them."""
    records = play.pool.records
    conditions = Conditions.of(case.guess.table, records.schema)
    scores = np.zeros(len(records))
    for rows in fitting_records(conditions, records):
        scores[rows] += 1 / max(1, len(rows))
    return Evidence(f"singling-out: {_described(attacker)}", scores)


def _described(attacker: Attack) -> str:
    columns = attacker.parameters().get("columns")
    return f"{attacker.name()} of {columns} columns" if columns else attacker.name()


def _findings(attacker: Attack, exam: Exam, case: Case) -> Iterator[Finding]:
    readings = _MEASURE.measure([case], rng=reading_rng())
    luck = readings["isolated_by_luck"]
    # The luck of these predicates is computed, so there is no second sample with a spread.
    least = max(smallest_rate(luck.value, luck.n, _COMPUTED), luck.value + _RARE / luck.n)
    for name, chance, detectable in (
        ("isolation_excess", 0.0, least - luck.value),
        ("isolated", luck.value, least),
    ):
        yield finding(
            "singling-out",
            attacker,
            exam.goal,
            _MEASURE,
            name,
            readings[name],
            control=luck,
            chance=chance,
            detectable=detectable,
        )
