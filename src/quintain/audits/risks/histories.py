"""Histories: does one pseudonym stand out for somebody whose rows are known?

Where people have several rows, a release with pseudonyms tells which rows belong together. An
attacker who knows rows of somebody compares them with all rows of each pseudonym. The control says
how often a pseudonym stands out for people of whom the release knows nothing. How many known rows
are enough is the curve of unicity.

References
----------
Article 29 Data Protection Working Party, Opinion 05/2014 on anonymisation techniques. de Montjoye,
Hidalgo, Verleysen and Blondel, Unique in the crowd, Scientific Reports 3 (2013).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import ClassVar

import numpy as np

from quintain.audits.pool import Evidence, PeoplePool
from quintain.audits.results import Finding, Histories, KnownRows, NotComputed, TableHistories
from quintain.audits.risk import AuditedRelease, Risk, RiskResult, RiskWords
from quintain.audits.risks.membership import named_others
from quintain.data.arrays import Floats, Ints, Mask, Rows
from quintain.figures.format import count, listed
from quintain.guesses import MembershipQuestion, Question
from quintain.kernels.histories import Recognition, keep_rows, recognise
from quintain.kernels.tree_keys import TreeKeys, tree_keys
from quintain.measures import Reading
from quintain.measures.intervals import bounded_mean, proportion
from quintain.measures.pooled.detectable import smallest_auc, smallest_rate
from quintain.measures.privacy.roc_curve import Auc, auc, named_members
from quintain.randomness.seeds import SeedTree
from quintain.registry import register

NAME = "histories"

RATE = 0.01
"""A pseudonym stands out if it does so more clearly than for all but this share of the control."""

KNOWN_ROWS = (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64)
"""How many rows attackers know, along the curve."""

FEWER_ROWS = (1, 2, 3, 4, 8, 16, 32, 64)
"""The same for people with several tables."""

MOST_PEOPLE = 4_000
"""The curve is measured for so many people at most, drawn at random; of several tables, fewer."""

_MANY = 200_000
"""With more released rows than this, traits are chosen once, by all rows of people."""
_COVERED = 0.9  # the curve ends where so many people have no more rows than are known
_HALF = 0.5

_THREAT = (
    "The attacker wants to know which pseudonym is whose.",
    "The attacker is given the release, which tells which rows belong to one pseudonym, and rows "
    "of the people as the original has them.",
    "The attacker is given nothing about the sanitizer.",
)


def measure_histories(people: PeoplePool, *, rng: np.random.Generator) -> RiskResult:
    """Compare everybody with every pseudonym by all their rows, and by fewer of them.

    Scores do not depend on who is a member. So they join the one test of the audit, in which
    people are permuted.
    """
    if people.shown.size < 2:
        reason = "the release has fewer than two pseudonyms"
        return RiskResult(not_computed=(NotComputed(what=NAME, reason=reason),))
    seeds = SeedTree(rng.bytes(32))
    whole = recognise(people.known, people.shown, rng=seeds.rng("all rows"))
    some, chosen = draw_people(people, seeds)
    chosen_once = (
        len(people.known.tables) > 1 or sum(map(len, people.shown.tables.values())) > _MANY
    )
    curve = tuple(_curve(some, seeds, whole.traits if chosen_once else ()))
    shares = standing_share(people.members, whole.margin)
    right, wrong_ids = _right_share(people, whole, shares[0])
    keys = tree_keys(people.known, people.shown)
    tables, evidence = _each_table(people, some, chosen, keys, seeds)
    if right is None:
        curve = tuple(point.model_copy(update={"right": None}) for point in curve)
        tables = tuple(own.model_copy(update={"right": None}) for own in tables)
    every = [branch.lengths() for branch in people.known.tables.values()]
    lengths: Ints = np.sum(every, axis=0)
    copied = _copied_people(people, keys, lengths)
    histories = Histories(
        tried=True,
        says="",
        pseudonyms=people.shown.size,
        rows=float(np.median(lengths)),
        traits=whole.traits,
        stands_out=shares[0],
        control=shares[1],
        right=right,
        enough=_enough(curve, shares[0], int(np.max(lengths, initial=0))),
        known_rows=curve,
        lost=whole.lost,
        copied=copied[0],
        copied_control=copied[1],
        tables=tables,
    )
    histories = histories.model_copy(update={"says": " ".join(_sentences(histories))})
    return RiskResult(
        (
            Evidence(NAME, whole.best, of_people=True),
            Evidence(NAME, whole.margin, of_people=True),
            *evidence,
        ),
        tuple(_findings(people, whole, histories)),
        wrong_ids,
        histories,
    )


def recognise_members(people: PeoplePool, *, rng: np.random.Generator) -> RiskResult:
    """Compare everybody with every pseudonym by all their rows, and nothing more."""
    if people.shown.size < 2:
        return RiskResult()
    whole = recognise(people.known, people.shown, rng=rng)
    scores = (whole.best, whole.margin)
    evidence = tuple(Evidence(NAME, own, of_people=True) for own in scores)
    return RiskResult(evidence, (_auc_finding(people, whole),))


def name_people(people: PeoplePool, *, rng: np.random.Generator) -> Reading | None:
    """The share of people of the original whose own pseudonym fits best.

    It needs no control: an attacker who guesses blindly names one person, on average. None if
    nobody knows which pseudonym is whose.
    """
    if people.right is None or people.shown.size < 2:
        return None
    return _named_rightly(people, recognise(people.known, people.shown, rng=rng))


def standing_share(members: Mask, margins: Floats) -> tuple[Reading, Reading]:
    """For which share of members, and of others, a pseudonym stands out.

    The threshold comes from the others. The interval of the members takes it as given; that of the
    others says how many people outside the data really pass it.

    >>> members = np.arange(400) < 200
    >>> print(*standing_share(members, np.where(members, 2.0, np.linspace(0, 1, 400))))
    1 [0.9817, 1] 0.01 [0.001213, 0.03565]
    """
    reading = proportion(named_members(members, margins, RATE), int(members.sum()), "lower")
    if reading.measured:
        method = f"{reading.method}, given the threshold"
        reading = reading.model_copy(update={"method": method})
    return reading, named_others(members, margins, RATE)


def _right_share(
    people: PeoplePool, whole: Recognition, stands_out: Reading
) -> tuple[Reading | None, tuple[NotComputed, ...]]:
    """How many people are named rightly; None if nobody can tell.

    Pseudonyms that are ids of the original may belong to other people there: the release may just
    number them anew. Then the right ones are not known.
    """
    reading = _named_rightly(people, whole)
    if reading is None or reading.value >= _HALF * stands_out.value - RATE:
        return reading, ()
    reason = (
        "most pseudonyms are ids of the original, but those of other people; give --key to count"
    )
    return None, (NotComputed(what="people named rightly by histories", reason=reason),)


def _named_rightly(people: PeoplePool, recognition: Recognition) -> Reading | None:
    if people.right is None:
        return None
    there = people.members & (people.right >= 0)
    hits = int((recognition.first == people.right)[there].sum())
    return proportion(hits, int(there.sum()), "lower")


def draw_people(people: PeoplePool, seeds: SeedTree) -> tuple[PeoplePool, Rows]:
    """Some people if there are many, and their places among all of them."""
    known = people.known
    most = MOST_PEOPLE if len(known.tables) == 1 else MOST_PEOPLE // 4
    if known.size <= most:
        return people, np.arange(known.size)
    chosen = np.sort(seeds.rng("people").choice(known.size, most, replace=False))
    right = None if people.right is None else people.right[chosen]
    return PeoplePool(known.take(chosen), people.shown, people.members[chosen], right), chosen


def _copied_people(people: PeoplePool, keys: TreeKeys, lengths: Ints) -> tuple[Reading, Reading]:
    """The shares of people of original and control whose rows are all those of one pseudonym."""
    several = lengths > 1  # of people with one row, copies are those of rows
    copied = several & np.isin(keys.known, keys.shown)
    sides = (several & people.members, several & ~people.members)
    readings = [proportion(int((copied & side).sum()), int(side.sum()), "lower") for side in sides]
    return readings[0], readings[1]


def _each_table(
    people: PeoplePool, some: PeoplePool, chosen: Rows, keys: TreeKeys, seeds: SeedTree
) -> tuple[tuple[TableHistories, ...], list[Evidence]]:
    """What each of several tables gives away alone, and what it says of some people."""
    tables: list[TableHistories] = []
    evidence: list[Evidence] = []
    names = [name for name in people.known.tables if len(people.known.tables) > 1]
    for name in names:
        known, shown = some.known.select(name), some.shown.select(name)
        recognition = recognise(known, shown, rng=seeds.rng("table", name), quick=True)
        margins = np.full(people.known.size, np.nan)
        margins[chosen] = recognition.margin
        evidence.append(Evidence(f"{NAME} of {name}", margins, of_people=True))
        shares = standing_share(some.members, recognition.margin)
        copied = _copied_rows(people, keys, name)
        tables.append(
            TableHistories(
                table=name,
                rows=float(np.median(people.known.tables[name].lengths())),
                traits=recognition.traits,
                stands_out=shares[0],
                control=shares[1],
                right=_named_rightly(some, recognition),
                copied=copied[0],
                copied_control=copied[1],
            )
        )
    return tuple(tables), evidence


def _copied_rows(people: PeoplePool, keys: TreeKeys, name: str) -> tuple[Reading, Reading]:
    """The mean share of a person's rows in a table that the release has as they are."""
    branch, (known, shown) = people.known.tables[name], keys.rows[name]
    owned = branch.person >= 0
    hits = np.bincount(branch.person[owned & np.isin(known, shown)], minlength=branch.people)
    lengths = branch.lengths()
    there = lengths > 0
    shares = hits / np.maximum(lengths, 1)
    sides = (there & people.members, there & ~people.members)
    readings = [bounded_mean(shares[side], "lower") for side in sides]
    return readings[0], readings[1]


def _curve(some: PeoplePool, seeds: SeedTree, traits: Sequence[str]) -> Iterator[KnownRows]:
    """The shares for attackers who know a few rows of each person.

    Parameters
    ----------
    traits : what they compare; if it is empty, what fits the rows that they know.
    """
    lengths = sum(branch.lengths() for branch in some.known.tables.values())
    end = np.quantile(lengths, _COVERED)
    for rows in KNOWN_ROWS if len(some.known.tables) == 1 else FEWER_ROWS:
        if rows >= end:
            break
        draws = seeds.rng("known rows", rows)
        part = keep_rows(some.known, rows, rng=draws)
        recognition = recognise(part, some.shown, rng=draws, whole=False, only=traits)
        shares = standing_share(some.members, recognition.margin)
        yield KnownRows(
            rows=rows,
            stands_out=shares[0],
            control=shares[1],
            right=_named_rightly(some, recognition),
        )


def _enough(curve: tuple[KnownRows, ...], whole: Reading, most: int) -> int | None:
    """How many known rows are enough for half of the people; None if no number is."""
    points = [(point.rows, point.stands_out.value) for point in curve]
    return next((rows for rows, share in [*points, (most, whole.value)] if share >= _HALF), None)


def _sentences(histories: Histories) -> Iterator[str]:
    """What an attacker finds, for people who decide."""
    assert histories.stands_out is not None and histories.control is not None  # it was tried
    inside, outside = (round(100 * r.value) for r in (histories.stands_out, histories.control))
    yield (
        "An attacker who knows all rows of somebody (half of the people have at most "
        f"{histories.rows:g}) finds one pseudonym that stands out in {inside} of 100 cases, and "
        f"for {outside} of 100 people outside the data."
    )
    copied, others = histories.copied, histories.copied_control
    if copied is not None and others is not None and copied.value > histories.stands_out.value:
        yield (
            f"For {round(100 * copied.value)} of 100 people with several rows, one pseudonym has "
            f"exactly their rows, and for {round(100 * others.value)} of 100 outside the data: "
            "an attacker who compares whole rows finds it."
        )
    if histories.right is not None:
        yield (
            f"The best pseudonym is the right one in {round(100 * histories.right.value)} of 100 "
            "cases."
        )
    if histories.tables:
        alone = sorted(histories.tables, key=lambda own: -own.stands_out.value)
        shares = [f"{own.table} ({round(100 * own.stands_out.value)} of 100)" for own in alone]
        yield f"By one table alone: {listed(shares, 8)}."
    if histories.enough is not None and histories.known_rows:
        few = histories.enough <= histories.known_rows[-1].rows
        known = count(histories.enough, "known row is", "known rows are")
        yield f"{known if few else 'All rows together are'} enough for half of the people."


def _findings(people: PeoplePool, whole: Recognition, histories: Histories) -> Iterator[Finding]:
    """The shares of people, and how well the margin tells who is in the data."""
    sizes = int(people.members.sum()), int((~people.members).sum())
    assert histories.stands_out is not None  # it was tried
    yield _finding(
        whole,
        "stands_out",
        histories.says,
        histories.stands_out,
        RATE,
        smallest_rate(RATE, *sizes),
        histories.control,
    )
    if histories.right is not None:
        chance = 1 / people.shown.size
        yield _finding(whole, "rightly_named", histories.says, histories.right, chance)
    yield _auc_finding(people, whole)


def _auc_finding(people: PeoplePool, whole: Recognition) -> Finding:
    """How well the margin tells who is in the data."""
    reading = auc(people.members, whole.margin)
    least = smallest_auc(int(people.members.sum()), int((~people.members).sum()))
    return _finding(whole, "auc", Auc().in_people(reading.value), reading, 0.5, least)


def _finding(
    whole: Recognition,
    name: str,
    says: str,
    reading: Reading,
    chance: float,
    least: float | None = None,
    control: Reading | None = None,
) -> Finding:
    parameters = {"traits": ", ".join(whole.traits)}
    if whole.lost:
        parameters["missed to save time"] = f"{whole.lost:.1%}"
    return Finding(
        risk=NAME,
        attack=NAME,
        parameters=parameters,
        name=name,
        says=says,
        reading=reading,
        chance=chance,
        control=control,
        smallest_detectable=least,
        threat=_THREAT,
    )


@register("histories-risk-v1")
class HistoriesRisk(Risk):
    """Whether attackers recognise people by all their rows, where a release has pseudonyms.

    >>> HistoriesRisk().words.title
    'Histories'
    """

    harm: ClassVar[str] = NAME
    seed: ClassVar[str] = NAME
    turn: ClassVar[int] = 5
    asks: ClassVar[type[Question]] = MembershipQuestion
    words: ClassVar[RiskWords] = RiskWords(
        "Histories",
        "Can somebody who knows rows of a person find all rows of that person?",
        "Of {total} people in the data, one pseudonym stands out for {found}",
        "Of {total} people in the data, one pseudonym stands out for {found} {more}",
        place=6,
        criteria=("connection",),
    )
    several_rows: ClassVar[bool] = True

    def measure(self, audited: AuditedRelease, *, rng: np.random.Generator) -> RiskResult:
        """Compare people with pseudonyms, if the release has any."""
        if audited.people is None:
            return RiskResult()
        return measure_histories(audited.people, rng=rng)
