"""Laid bare: does a release repeat a few people and say nothing of the others?

One test over everybody hardly notices ten people of a thousand. So a small part of the error rate
of an audit is kept for three tests of their own: about those who stand out most, about verbatim
copies of people whom nobody equals, and about one record that the release has many times.
"""

from __future__ import annotations

import numpy as np

from quintain.audits.checks.made_with_control import scaled_distance
from quintain.audits.results import LaidBare, TailSign
from quintain.audits.verdict import in_audits
from quintain.data import Table
from quintain.data.arrays import Floats, Mask, Rows
from quintain.kernels.distances import Distance, Layout
from quintain.kernels.neighbours import Neighbours
from quintain.measures.pooled.joint_test import chance_of_hits
from quintain.measures.pooled.tail_tests import (
    leading_members,
    repetition_chance,
    run_chance,
    shortest_run,
)

RUN, UNIQUES, MULTIPLICITY = "run", "uniques", "multiplicity"
LEVELS = {RUN: 0.004, UNIQUES: 0.004, MULTIPLICITY: 0.002}
"""How probable a false alarm of each test is at most; the joint test has the rest of the 5 %."""
PROOF_LEVEL, PROOF_PEOPLE = 0.001, 10
"""From here on a release is unsafe: so improbable by chance, and so many people beyond chance."""
ALONE_LEVEL, BESIDE_LEVEL = 0.00002, 0.05
"""A run makes a release unsafe if it is so improbable alone, or if copies of people whom nobody
equals, or nobody is near, speak for it. Otherwise one harmless release in a thousand would be."""
NEIGHBOURS = 5
"""How far somebody is from everybody else: the distance to so many nearest other people."""
NEAR = 0.25
"""Within this squared distance people are near: half a standard deviation, no other category."""
MOST_PEOPLE = 20_000
"""How many people, and how many released records, are looked at."""
MOST_COMPARED = 2_500
"""With how many people everybody is compared to learn how far others are, and how many of those
who are then farthest away are compared with every released record."""
_SMALL = 0.01  # added to distances, so that a copy is near and not infinitely so
_MOST_REPEATED = 20  # how many of the most copied records are looked at


def lay_bare(
    original: Table, release: Table, control: Table, *, rng: np.random.Generator
) -> LaidBare:
    """Count copies, and test whether the release lays a few people of the original bare.

    Nothing but the last step knows who is in the original. So if the release does not depend on
    that, run and uniques raise false alarms at their levels, exactly.

    Parameters
    ----------
    original, control : one row for each person.
    rng : draws people and records where there are too many to compare all pairs.

    >>> from quintain.testing import unique_people
    >>> table = unique_people(rows=600)
    >>> original, control, others = (table.take(range(i, i + 200)) for i in (0, 200, 400))
    >>> release = original.take(range(20)).concat(others.take(range(180)))
    >>> bare = lay_bare(original, release, control, rng=np.random.default_rng(0))
    >>> bare.copied, bare.copied_control, [sign.name for sign in bare.signs if sign.alarm]
    (20, 0, ['uniques'])
    """
    pool = original.concat(control)
    members = np.arange(len(pool)) < len(original)
    distance = scaled_distance(pool)
    keys = pool.concat(release).row_keys()
    people, released = keys[: len(pool)], keys[len(pool) :]
    copied = np.isin(people, released)
    rows = _draw(len(pool), MOST_PEOPLE, rng)
    some = pool.take(rows)
    apart = _isolation(some, distance, rng)
    records = release.take(_draw(len(release), MOST_PEOPLE, rng))
    away = np.full(len(rows), np.inf)
    away[copied[rows]] = 0.0  # the copy may be among the records that were not drawn
    lonely = np.argsort(-apart, kind="stable")[:MOST_COMPARED]
    lonely = lonely[~copied[rows[lonely]]]
    if len(lonely):
        away[lonely] = Neighbours(records, distance).nearest(some.take(lonely))[0] ** 2 / 2
    with np.errstate(divide="ignore"):
        scores = np.log(apart) - np.log(away + _SMALL)
    alone = np.zeros(len(pool), np.bool_)
    alone[rows] = apart > np.median(apart)  # never more than half, also where many are equally far
    return LaidBare(
        people=len(original),
        control=len(control),
        copied=int((copied & members).sum()),
        copied_control=int((copied & ~members).sum()),
        isolated_copied=int((copied & alone & members).sum()),
        isolated_copied_control=int((copied & alone & ~members).sum()),
        signs=(
            _run(scores, members[rows]),
            _uniques(people, copied, members),
            _multiplicity(pool, people, released, members, distance),
        ),
    )


def repetition_alarm(people: Table, release: Table) -> tuple[str, ...]:
    """A sentence if the release has the record of a person far too often, without any control.

    Parameters
    ----------
    people : one row for each person of the original.
    """
    keys = people.concat(release).row_keys()
    known, released = keys[: len(people)], keys[len(people) :]
    everybody = np.ones(len(people), np.bool_)
    sign = _multiplicity(people, known, released, everybody, scaled_distance(people))
    return (f"{sign.says} {_why(sign)}",) if sign.p <= PROOF_LEVEL else ()


def tail_alarms(bare: LaidBare) -> tuple[str, ...]:
    """Why the release is unsafe for a few people, in sentences; empty if nothing shows it."""
    return tuple(f"{sign.says} {_why(sign)}" for sign in bare.signs if _is_proof(sign, bare))


def tail_traces(bare: LaidBare) -> tuple[str, ...]:
    """What is more than luck and touches too few people to make the release unsafe."""
    return tuple(
        f"{sign.says} {_why(sign)}"
        for sign in bare.signs
        if sign.alarm and not _is_proof(sign, bare)
    )


def tail_limit(bare: LaidBare) -> str:
    """How few people can hide from these tests, in a sentence."""
    fewest = shortest_run(bare.people, bare.control, LEVELS[RUN])
    if fewest is None:
        return "So few people are compared that no few of them can be shown to be laid bare."
    five = run_chance(5, bare.people, bare.control)
    return (
        f"If a release lays fewer than {fewest} people bare and says nothing of the others, it may "
        f"pass: even five perfect copies have a p of {five:.2g} at best."
    )


def _is_proof(sign: TailSign, bare: LaidBare) -> bool:
    if sign.p > PROOF_LEVEL:
        return False
    if sign.name == RUN and sign.p > ALONE_LEVEL:
        uniques = next(other.p for other in bare.signs if other.name == UNIQUES)
        copies = bare.isolated_copied, bare.isolated_copied_control
        if min(uniques, chance_of_hits(*copies, bare.people, bare.control)) > BESIDE_LEVEL:
            return False
    expected = (sign.others or 0) * bare.people / max(1, bare.control)
    return sign.name == MULTIPLICITY or sign.people - expected >= PROOF_PEOPLE


def _why(sign: TailSign) -> str:
    """How rare a sign is without any leak."""
    if sign.name == MULTIPLICITY:
        return f"Records drawn like people would do so in {in_audits(sign.p)}."
    return f"Chance alone would look like this in {in_audits(sign.p)}."


def _draw(count: int, most: int, rng: np.random.Generator) -> Rows:
    return np.sort(rng.choice(count, min(count, most), replace=False))


def _isolation(people: Table, distance: Distance, rng: np.random.Generator) -> Floats:
    """For each person the squared distance to the fifth nearest other person, or about that.

    Of many people some are drawn, and fewer neighbours are counted among them.
    """
    others = _draw(len(people), MOST_COMPARED, rng)
    count = min(max(1, round(NEIGHBOURS * len(others) / max(1, len(people)))), len(others) - 1)
    if count < 1:
        return np.zeros(len(people))
    near = Neighbours(people.take(others), distance).k_nearest(people, count + 1)[0] ** 2 / 2
    # The nearest of those who were drawn is the person itself, or one that equals it.
    drawn = np.isin(np.arange(len(people)), others)
    return np.asarray(np.where(drawn, near[:, count], near[:, count - 1]))


def _run(scores: Floats, members: Mask) -> TailSign:
    """The people who stand out most: are they all in the original?"""
    run, counts = leading_members(scores, members), (int(members.sum()), int((~members).sum()))
    who = {
        0: "The person who stands out most is in the control",
        1: "The person who stands out most is in the original, the next one in the control",
    }.get(run, f"The {run:,} people who stand out most are all in the original")
    return _sign(
        RUN,
        f"{who}: those to whom the release is near and everybody else is far.",
        run,
        None,
        run_chance(run, *counts),
        shortest_run(*counts, LEVELS[RUN]),
    )


def _uniques(people: Rows, copied: Mask, members: Mask) -> TailSign:
    """Verbatim copies of people whom nobody else in original and control equals."""
    unique = np.bincount(people)[people] == 1
    counts = int(members.sum()), int((~members).sum())
    hits, false = (int((copied & unique & side).sum()) for side in (members, ~members))
    says = (
        f"Of people whom nobody else equals, the release has verbatim copies of {hits:,} of "
        f"{counts[0]:,} in the original and of {false:,} of {counts[1]:,} in the control."
    )
    p = chance_of_hits(hits, false, *counts)
    return _sign(UNIQUES, says, hits, false, p, shortest_run(*counts, LEVELS[UNIQUES]))


def _multiplicity(
    pool: Table, people: Rows, released: Rows, members: Mask, distance: Distance
) -> TailSign:
    """Whether the release has one record of the original far more often than its neighbours.

    A sanitizer may repeat every record. So copies and records are counted in units of the median
    number of times that released rows appear. And it may repeat a few at random: a record counts
    only if none that nobody in the original has is repeated as often.
    """
    counts = np.bincount(released, minlength=int(people.max(initial=-1)) + 1)
    usual = float(np.median(counts[released])) if len(released) else 1.0
    inside, rows = np.unique(people[members], return_index=True)
    invented = counts.copy()
    invented[inside] = 0
    often = np.flatnonzero((counts[inside] >= 2 * usual) & (counts[inside] > invented.max()))
    often = often[np.argsort(-counts[inside[often]], kind="stable")][:_MOST_REPEATED]
    best = 1.0
    says = "No record of the original is in the release so often that it says who is in the data."
    layout = Layout(pool.schema, distance)
    points = layout.encode(pool)
    for place in often:
        person = points.take(np.flatnonzero(members)[rows[place]][None])
        near = int((layout.finish(layout.costs(points, person)) ** 2 / 2 <= NEAR).sum())
        copies = int(counts[inside[place]])
        units = int(copies / usual), near, len(pool), int(len(released) / usual)
        p = min(1.0, int((counts[inside] > 0).sum()) * repetition_chance(*units))
        if p < best:
            best = p
            says = (
                f"The release has a record of the original {copies:,} times, and {near:,} of "
                f"{len(pool):,} people have such values."
            )
    return _sign(MULTIPLICITY, says, int(best <= LEVELS[MULTIPLICITY]), None, best, None)


def _sign(
    name: str, says: str, people: int, others: int | None, p: float, fewest: int | None
) -> TailSign:
    return TailSign(
        name=name,
        says=says,
        people=people,
        others=others,
        p=p,
        level=LEVELS[name],
        alarm=p <= LEVELS[name],
        smallest_detectable=fewest,
    )
