"""Reconstruction: does the release help to rebuild several secrets of a person at once?

Inference hides one column after the other, and attackers know the rest. Here all secret columns are
hidden together, so attackers know less, and what they rebuild belongs to one person. The control
shows what anybody could learn from the release about people who are not in it.

The risk is asked for by the user, with two secret columns or more and with the attacks that rebuild
them. An audit without these has the same figures as if there were no such risk.

References
----------
arXiv:2606.08372 (reconstruction from synthetic data, and the test of what is memorised).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np

from quintain.attacks import Attack
from quintain.audits.asking import (
    NOT_COMPARED,
    SharedColumns,
    ask,
    attempt_all,
    findings_beside_control,
)
from quintain.audits.pool import Evidence, Pool
from quintain.audits.results import Finding, NotComputed
from quintain.audits.risk import Added, AuditedRelease, Risk, RiskResult, RiskWords
from quintain.data.arrays import Rows
from quintain.guesses import Question, ReconstructionQuestion
from quintain.guesses.reconstruction import Reconstruction
from quintain.measures import Case, reading_rng
from quintain.measures.privacy.cells_rebuilt import CellsNear
from quintain.registry import register
from quintain.releases import Release

_FEWEST = 2  # secret columns; one alone is inference
_TARGETS = 2_000  # random people of the pool that attackers are asked about
_NOTICED = 1.68  # half-widths of a 95 % interval: missed in 5 % of audits, if alarms are 5 %


def measure_reconstruction(
    pool: Pool,
    release: Release,
    *,
    known: Sequence[str] | None,
    secrets: Sequence[str],
    rng: np.random.Generator,
    added: Added,
) -> RiskResult:
    """Hide all secret columns at once, and let attacks rebuild them.

    Parameters
    ----------
    known : the columns that attackers know; by default all but the secrets.
    added : the attacks of the user.
    """
    view = SharedColumns.of(pool, release)
    names = list(view.names.values())
    unknown = [name for name in dict.fromkeys([*(known or ()), *secrets]) if name not in names]
    hidden = tuple(name for name in names if name in secrets)
    shown = tuple(n for n in names if n not in hidden and (known is None or n in known))
    faults = [_not_asked(name, NOT_COMPARED) for name in unknown]
    if len(hidden) < _FEWEST or not shown:
        reason = "it needs two secret columns or more in the release, and a column that is known"
        return RiskResult(not_computed=(*faults, NotComputed(what="reconstruction", reason=reason)))
    rows = rng.choice(len(pool), min(_TARGETS, len(pool)), replace=False)
    few, inside = view.at(rows), view.inside
    for name in hidden:
        few = few.with_bounds(inside[name])
    goal = Reconstruction(
        columns=tuple(inside[name] for name in hidden), knows=tuple(inside[name] for name in shown)
    )
    question = Reconstruction(columns=hidden, knows=shown)
    situation = ask(goal, few, shown=question)
    if isinstance(situation, NotComputed):
        return RiskResult(not_computed=(*faults, situation))
    cases, refused = attempt_all((), added, situation, rng=rng)
    return RiskResult(
        tuple(_evidence(attacker, case, rows, len(pool)) for attacker, case in cases),
        tuple(f for attacker, case in cases for f in _findings(attacker, question, case)),
        (*faults, *refused),
    )


def _not_asked(name: str, reason: str) -> NotComputed:
    return NotComputed(what=f"reconstruction with the column {name!r}", reason=reason)


def _evidence(attacker: Attack, case: Case, rows: Rows, size: int) -> Evidence:
    """How surprising all right cells of a person are together, members or not."""
    scores = np.full(size, np.nan)
    scores[rows] = CellsNear().surprise(case)
    return Evidence(f"reconstruction: {attacker.name()}", scores)


def _findings(attacker: Attack, goal: Reconstruction, case: Case) -> Iterator[Finding]:
    measure = CellsNear()
    readings = measure.measure([case], rng=reading_rng())
    excess, over_blind, members, controls = readings.values()
    if not controls.measured:
        return iter(())
    memorised, _, share, _ = readings
    return findings_beside_control(
        "reconstruction",
        attacker,
        goal,
        measure,
        readings,
        (memorised, share),
        control=controls,
        least=controls.value + _NOTICED * (excess.high - excess.low) / 2,
        chance=members.value - over_blind.value,
        columns=goal.columns,
    )


@register("reconstruction-risk-v1")
class ReconstructionRisk(Risk):
    """Whether attackers rebuild several secrets of a person at once, from what they know.

    >>> ReconstructionRisk().words.title
    'Reconstruction'
    """

    harm: ClassVar[str] = "reconstruction"
    seed: ClassVar[str] = "reconstruction"
    asks: ClassVar[type[Question]] = ReconstructionQuestion
    words: ClassVar[RiskWords] = RiskWords(
        "Reconstruction",
        "Can somebody rebuild several secrets of a person at once?",
        "Of {total} hidden values of people in the data, the attacker rebuilds {found}",
        "Of {total} hidden values of people in the data, the attacker rebuilds {found} {more}",
        "of {total} hidden values of people outside the data, {found}",
        criteria=("deduction",),
    )
    only_added: ClassVar[bool] = True

    def measure(self, audited: AuditedRelease, *, rng: np.random.Generator) -> RiskResult:
        """Hide all secrets together, if the user names several and adds attacks on them."""
        added, secrets = self.added(audited), audited.secrets or ()
        if len(secrets) < _FEWEST or not added:
            return RiskResult()
        return measure_reconstruction(
            audited.table_pool(),
            audited.mixed_release(),
            known=audited.known,
            secrets=secrets,
            rng=rng,
            added=added,
        )
