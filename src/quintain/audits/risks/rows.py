"""Rows: of people with several tables, does a single row of one table tell who is in the original?

The attacks on membership of tables play on the rows of each table, and a person counts by the
highest and by the mean score of their rows.
"""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

import numpy as np

from quintain.audits.pool import Evidence, RowsOfTable, by_person
from quintain.audits.results import Finding, NotComputed
from quintain.audits.risk import Added, AuditedRelease, Risk, RiskResult, RiskWords
from quintain.audits.risks.membership import MEMBERSHIP_WORDS, measure_membership
from quintain.data import as_table
from quintain.guesses import MembershipQuestion, Question
from quintain.registry import register

_FEWEST = 10
"""Released rows, at least: attacks on tables learn from them."""


def measure_rows(
    table: str,
    rows: RowsOfTable,
    people: int,
    *,
    rng: np.random.Generator,
    added: Added = (),
) -> RiskResult:
    """Ask every attack on membership about the rows of one table.

    Parameters
    ----------
    people : how many people there are; the units of the pool are their places.
    """
    released, pool = as_table(rows.release.data), rows.pool
    if pool is None:
        reason = (
            f"with {rows.size:,} rows it takes too long; people are compared by "
            "all their rows and by aggregates"
        )
        left_out = NotComputed(what=f"attacks on single rows of {table}", reason=reason)
        return RiskResult(not_computed=(left_out,), without_rows=(table,))
    if len(released) < _FEWEST or not len(pool) or pool.units is None:
        return RiskResult(without_rows=(table,))
    mixed = replace(rows.release, data=released.take(rng.permutation(len(released))))
    result = measure_membership(pool, mixed, rng=rng, added=added)
    evidence = []
    for given in result.evidence:
        mean, highest, _ = by_person(given.scores, pool.units, people)
        name = _name(given.attack, table)
        evidence += [Evidence(name, scores, of_people=True) for scores in (mean, highest)]
    return RiskResult(tuple(evidence), tuple(_rename(f, table) for f in result.findings))


def _name(attack: str, table: str) -> str:
    return f"{attack} on {table}"


def _rename(finding: Finding, table: str) -> Finding:
    return finding.model_copy(update={"attack": _name(finding.attack, table)})


@register("rows-risk-v1")
class RowsRisk(Risk):
    """Whether attacks on tables tell who is in the data by single rows of one of several tables.

    >>> RowsRisk().harm
    'membership'
    """

    harm: ClassVar[str] = "membership"
    seed: ClassVar[str] = "rows of tables"
    turn: ClassVar[int] = 7
    asks: ClassVar[type[Question]] = MembershipQuestion
    words: ClassVar[RiskWords] = MEMBERSHIP_WORDS
    several_rows: ClassVar[bool] = True
    curves: ClassVar[bool] = True

    def measure(self, audited: AuditedRelease, *, rng: np.random.Generator) -> RiskResult:
        """Ask the attacks on membership about each table."""
        if audited.people is None or not audited.tables:
            return RiskResult()
        results = [
            measure_rows(table, rows, audited.people.known.size, rng=rng, added=self.added(audited))
            for table, rows in audited.tables.items()
        ]
        return RiskResult(
            tuple(evidence for result in results for evidence in result.evidence),
            tuple(finding for result in results for finding in result.findings),
            tuple(left for result in results for left in result.not_computed),
            without_rows=tuple(name for result in results for name in result.without_rows),
        )
