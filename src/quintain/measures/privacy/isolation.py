"""Isolation: how many predicates fit exactly one person, beyond what luck explains?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

import numpy as np

from quintain.data.arrays import Floats, Mask, Rows
from quintain.guesses import Conditions, Goal
from quintain.guesses.predicates import fitting_records
from quintain.guesses.singling_out import SinglingOut
from quintain.measures.intervals import clopper_pearson, proportion
from quintain.measures.measure import Case, GuessMeasure, Readings
from quintain.measures.reading import Direction, Reading
from quintain.registry import register


@register("isolation-v1")
class Isolation(GuessMeasure):
    r"""The share of predicates that fit exactly one private record, minus the share by luck.

    $$ (|isolated| - \sum_p h(b_p)) / |predicates| $$

    A predicate that fits one in n people of the population isolates a record of n with probability
    1/e = 0.37, without any release. So luck is measured for each predicate: if it fits b of the
    m people who are not in the private data, then h(b) is the probability that exactly one of n
    people drawn from these m fits it. For a predicate that does not depend on the private data, h
    is on average the probability to isolate a private record: 0 is chance, whatever the weight of
    the predicate. If several predicates isolate the same person, one of them counts.
    ``isolated`` and ``isolated_by_luck`` are the two shares. Lower is better for people.

    References
    ----------
    Cohen and Nissim, Towards formalizing the GDPR's notion of singling out, PNAS 117 (2020):
    isolation, the weight of a predicate, and the baseline of 1/e. Article 29 Data Protection
    Working Party, Opinion 05/2014 on anonymisation techniques (the risk of singling out).

    Examples
    --------
    Size 5 fits one of the two members and nobody else. Size 1 fits one member, and also one of two
    others, so it would isolate somebody in every sample of two:

    >>> import quintain as q
    >>> from quintain.testing import case_of
    >>> red = {"colour": ["red"] * 4, "flag": ["no"] * 4}
    >>> case = case_of(
    ...     q.part("singling-out", predicates=2),
    ...     {"member": [1, 1, 0, 0], "size": [5, 1, 1, 2], **red},
    ...     {"predicate": [0, 1], "column": ["size"] * 2, "from": ["5", "1"], "to": ["5", "1"]},
    ... )
    >>> readings = q.measure("isolation", case.guess, case.truth)
    >>> [readings[name].value for name in ("isolated", "isolated_by_luck", "isolation_excess")]
    [1.0, 0.5, 0.5]
    """

    reads_goal: ClassVar[tuple[type[Goal], ...]] = (SinglingOut,)
    within: ClassVar[tuple[float, float]] = (-1.0, 1.0)
    reads: ClassVar[Mapping[str, Direction]] = {
        "isolation_excess": "lower",
        "isolated": "lower",
        "isolated_by_luck": "lower",
    }
    chance: ClassVar[Mapping[str, float]] = {"isolation_excess": 0.0}
    finds_records: ClassVar[bool] = True
    captions: ClassVar[Mapping[str, str]] = {
        "isolation_excess": "Share of predicates that fit exactly one member, minus that by luck.",
        "isolated": "Share of predicates that fit exactly one member.",
        "isolated_by_luck": "Share of predicates that would fit exactly one of as many others.",
    }

    def in_people(self, value: float) -> str:
        """How many of a hundred descriptions single somebody out because of the release."""
        return (
            f"Of 100 descriptions, {round(100 * value)} more fit exactly one person in the data "
            "than would by luck."
        )

    def found_records(self, case: Case) -> Mask:
        """The records of the population that are private and isolated by some predicate."""
        return isolations(case)[0]

    def measure(self, cases: Sequence[Case], *, rng: np.random.Generator) -> Readings:
        """Count isolated records over all repetitions, and add up the luck."""
        counted = [isolations(case) for case in cases]
        hits = sum(int(isolated.sum()) for isolated, _ in counted)
        luck = np.concatenate([shares for _, shares in counted])
        n, expected = len(luck), float(luck.mean())
        low, high = clopper_pearson(hits, n)
        excess = Reading(
            value=hits / n - expected,
            low=low - expected,
            high=high - expected,
            n=n,
            better="lower",
            method="Clopper-Pearson, minus the expected share",
        )
        by_luck = Reading(value=expected, low=expected, high=expected, n=n, better="lower")
        return {
            "isolation_excess": excess,
            "isolated": proportion(hits, n, "lower"),
            "isolated_by_luck": by_luck,
        }


def isolations(case: Case) -> tuple[Mask, Floats]:
    """Which records some predicate isolates among the private ones; the luck of each predicate."""
    inside = case.truth.table.columns["member"] == 1
    records = case.truth.table.drop("member")
    fitting = fitting_records(Conditions.of(case.guess.table, records.schema), records)
    members, others = int(inside.sum()), int((~inside).sum())
    isolated, matches = np.zeros(len(records), bool), []
    for rows in fitting:
        private = rows[inside[rows]]
        matches.append(len(rows) - len(private))
        if len(private) == 1:
            isolated[private] = True
    return isolated, _luck(np.array(matches, np.int64), members, others)


def _luck(matches: Rows, members: int, others: int) -> Floats:
    """How probable it is that exactly one of so many people, drawn from the others, fits."""
    if members == others:  # everybody is drawn
        return np.asarray(matches == 1, np.float64)
    from scipy.stats import hypergeom

    return np.asarray(hypergeom.pmf(1, others, matches, members), np.float64)
