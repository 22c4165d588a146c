"""Copies: what a release says about the original beside what the original says itself.

Nobody outside the data is known, so no attack can be compared with its success on strangers. One
comparison is left. As many people of the original as the release has records stand for a fresh
sample: how often is one of them as near to a person as the release is?
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quintain.audits.checks.made_with_control import scaled_distance
from quintain.audits.results import Finding
from quintain.data import Table
from quintain.data.arrays import Floats, Rows
from quintain.kernels.distances import Distance
from quintain.kernels.neighbours import Neighbours
from quintain.measures import Reading
from quintain.measures.intervals import paired_difference

ASSUMPTION = (
    "This uses no control and rests on an assumption: a release that does not depend on single "
    "people is not much nearer to them than as many other people of the original are."
)
MUCH_NEARER = 0.5
"""A record is much nearer than another if it is at most half as far away."""
MOST_PEOPLE = 20_000
"""How many people, and how many records to compare them with, are looked at."""
FEWEST_SHARE, FEWEST_PEOPLE = 0.01, 10
"""From this share, by its lower bound, and this number of people on, copies make a release
unsafe."""
PROOF = 0.001
"""The p-value that they need for it: a proof counts whatever the other tests say."""
ADVICE = (
    "Without a control, the audit sees copies and near copies alone. Whether attackers can tell "
    "who is in the original, guess secrets, link or describe people cannot be said. To find out, "
    "split a control off before you sanitize: quintain audit split. If everybody is to be "
    "published: quintain audit everybody."
)
_THREAT = (
    "The attacker knows the records of people and looks for them in the release.",
    "The attacker has no control and no access to the sanitizer.",
)


@dataclass(frozen=True, slots=True)
class Closeness:
    """How much nearer the release is to people than other people are.

    Parameters
    ----------
    share : the share of people to whom only the release is near, less the share to whom
        only other people are.
    smallest : the smallest such share that would very probably have been noticed.
    findings : the shares for verbatim copies and for near ones.
    people : how many people the original has.
    p : how probable so many copies or near copies are if the release is a fresh sample.
    """

    share: Reading
    smallest: Reading
    findings: tuple[Finding, ...]
    people: int
    p: float

    def proofs(self) -> tuple[str, ...]:
        """Why the release is unsafe, in sentences; empty if nothing shows it."""
        low = self.share.low
        if self.p > PROOF or low < FEWEST_SHARE:
            return ()
        if round(self.share.value * self.people, 6) < FEWEST_PEOPLE:
            return ()
        return (
            f"The release has copies or near copies of at least {low:.1%} of the people "
            f"({int(low * self.people):,} of {self.people:,}), beyond those that as many other "
            f"people of the original would give by chance. {ASSUMPTION}",
        )


def closeness(original: Table, release: Table, *, rng: np.random.Generator) -> Closeness:
    """Compare the nearest released record of each person with the nearest other person.

    If the release were a fresh sample of the population, it would be the nearer one as often as
    the farther one. Copies and overfitted releases are much nearer, for a share of people that is
    at least the difference. A release that has lost details is farther away, so the difference is
    negative: then nothing was found, and nothing is proved.

    References
    ----------
    The comparison of distances to the training data with distances within it is folklore; the
    count of people of whom only the release has a copy follows Good, The population frequencies
    of species and the estimation of population parameters, Biometrika 40 (1953).

    >>> from quintain.testing import example_table, people
    >>> table = people(example_table(rows=400))
    >>> one, other = table.take(range(200)), table.take(range(200, 400))
    >>> rng = np.random.default_rng(0)
    >>> copied, fresh = closeness(one, one, rng=rng), closeness(one, other, rng=rng)
    >>> round(copied.share.value, 2), round(fresh.share.value, 2)
    (0.06, -0.01)
    """
    people = original.take(_some(len(original), MOST_PEOPLE, rng))
    size = min(len(people), len(release), MOST_PEOPLE)
    others = np.sort(rng.choice(len(people), size, replace=False))
    released = release.take(np.sort(rng.choice(len(release), size, replace=False)))
    # In their own units, large numbers would decide alone, and those of a few people at that.
    distance = scaled_distance(people)
    to_release = Neighbours(released, distance).nearest(people)[0]
    to_people = _to_others(people, others, distance)
    exact, near = (_count_apart(to_release, to_people, ratio) for ratio in (0.0, MUCH_NEARER))
    close = f"a record at most {MUCH_NEARER:g} times as far away"
    findings = (
        _finding("excess_copies", "a verbatim copy", *exact, len(people)),
        _finding("excess_near_copies", close, *near, len(people)),
    )
    p = min(1.0, 2 * min(_chance(*exact), _chance(*near)))  # either of two may be an alarm
    strongest = max((finding.reading for finding in findings), key=lambda reading: reading.low)
    share = strongest.model_copy(update={"note": ASSUMPTION})
    return Closeness(share, _smallest(to_release, to_people), findings, len(original), p)


def identical(original: Table, release: Table) -> tuple[str, ...]:
    """A sentence if the release has exactly the rows of the original, in whatever order.

    Where most rows are shared by several people, equal rows say nothing: a table of few columns,
    or of wide classes, may be an honest release.
    """
    keys = original.row_keys()
    alone = int((np.bincount(keys) == 1).sum())
    if 2 * alone <= len(keys) or not _same_rows(original, release):
        return ()
    return (
        "The release has exactly the rows of the original, in the columns that were compared: "
        "nothing was sanitized.",
    )


def _same_rows(one: Table, other: Table) -> bool:
    """Whether two tables with one schema have the same rows, in any order."""
    if len(one) != len(other):
        return False
    keys = one.concat(other).row_keys()
    return bool(np.array_equal(np.sort(keys[: len(one)]), np.sort(keys[len(one) :])))


def _some(count: int, most: int, rng: np.random.Generator) -> Rows:
    return np.sort(rng.choice(count, min(count, most), replace=False))


def _to_others(people: Table, others: Rows, distance: Distance) -> Floats:
    """For each person the distance to the nearest of some others, never to the person itself.

    NaN where there is no other person: then nothing is nearer or farther.
    """
    near = min(2, len(others))
    distances = Neighbours(people.take(others), distance).k_nearest(people, near)[0]
    padded = np.column_stack([distances, np.full(len(people), np.nan)])
    among = np.zeros(len(people), np.int64)
    among[others] = 1  # the nearest record of people in the base is their own
    return np.asarray(padded[np.arange(len(people)), among])


def _count_apart(to_release: Floats, to_people: Floats, ratio: float) -> tuple[int, int]:
    """How many people have only the release near, and how many only other people."""
    apart = to_release != to_people
    gained = int((apart & (to_release <= ratio * to_people)).sum())
    lost = int((apart & (to_people <= ratio * to_release)).sum())
    return gained, lost


def _chance(gained: int, lost: int) -> float:
    """How probable so many gains are if each of gains and losses is a toss of a coin."""
    from scipy.special import bdtrc

    return float(bdtrc(gained - 1, gained + lost, 0.5)) if gained else 1.0


def _smallest(to_release: Floats, to_people: Floats) -> Reading:
    """Three standard errors of the difference, if both shares were that of other people."""
    lost = int(((to_release != to_people) & (to_people <= MUCH_NEARER * to_release)).sum())
    count = len(to_release)
    value = min(1.0, (3 * np.sqrt(2 * lost + 1) + 3) / count)
    note = "for copies and near copies alone; other leaks cannot be seen without a control"
    return Reading.exact(float(value), count, "lower").model_copy(update={"note": note})


def _finding(name: str, says: str, gained: int, lost: int, people: int) -> Finding:
    return Finding(
        risk="membership",
        attack="nearest",
        name=name,
        says=f"Share of people of whom the release has {says} and other people of the original "
        f"have none, less the share of whom only other people have it. {ASSUMPTION}",
        reading=paired_difference(gained, lost, people, "lower"),
        chance=0.0,
        smallest_detectable=None,
        threat=_THREAT,
    )
