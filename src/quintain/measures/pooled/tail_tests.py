"""Tail tests: evidence about a few people, which a test about everybody does not see.

A release may lay ten of a thousand people bare and say nothing of the others. Two tests look at the
top of a ranking and at verbatim copies. They permute labels, so they are exact, and one person
alone never shows: it is as likely as not that this one is a member. The third test therefore asks
whether the release has one record much more often than people near it explain.
"""

from __future__ import annotations

import numpy as np

from quintain.data.arrays import Floats, Mask
from quintain.measures.pooled.joint_test import log_choose


def leading_members(scores: Floats, members: Mask) -> int:
    """How many members have a higher score than everybody outside the data.

    >>> leading_members(np.array([5.0, 3.0, 4.0, 3.0]), np.array([True, True, True, False]))
    2
    """
    highest = scores[~members].max(initial=-np.inf)
    return int((scores[members] > highest).sum())


def run_chance(run: int, members: int, others: int) -> float:
    r"""How probable it is that the first ``run`` people of a random order are all members.

    $$ \prod_{i < run} (n - i) / (n + m - i) $$

    for n members and m others.

    >>> [round(run_chance(run, 1000, 1000), 4) for run in (1, 5, 8, 10)]
    [0.5, 0.0311, 0.0039, 0.001]
    """
    if run > members:
        return 0.0
    first = np.arange(run)
    return float(np.prod((members - first) / (members + others - first)))


def shortest_run(members: int, others: int, level: float) -> int | None:
    """The fewest leading members that a test at this level sees; None if no number is enough.

    >>> shortest_run(1000, 1000, 0.004), shortest_run(4, 4, 0.004)
    (8, None)
    """
    chance = np.cumprod((members - np.arange(members)) / (members + others - np.arange(members)))
    enough = np.flatnonzero(chance <= level)
    return int(enough[0]) + 1 if len(enough) else None


def repetition_chance(copies: int, near: int, people: int, released: int) -> float:
    r"""How probable so many copies of one person are, if the release is drawn like the people.

    Put people and released records in one urn. Of all that are near the person, ``near`` are people
    and ``copies`` are released records. If both were drawn from one population, the number X of
    released ones among them has a hypergeometric law. Only somebody who is copied is looked at, so

    $$ p = P(X >= copies) / P(X >= 1). $$

    Parameters
    ----------
    copies : how often the release has the record of the person.
    near : how many people are near the person, who is one of them.
    people, released : how many there are in all.

    >>> [round(repetition_chance(copies, 1, 1000, 500), 6) for copies in (1, 5, 12)]
    [1.0, 0.019329, 1.6e-05]
    """
    if copies < 1:
        return 1.0
    alike = near + copies
    many = np.arange(1, min(alike, released) + 1)
    ways = log_choose(released, many) + log_choose(people, alike - many)
    mass = np.exp(ways - log_choose(people + released, np.array(alike)))
    return min(1.0, float(mass[copies - 1 :].sum() / mass.sum()))
