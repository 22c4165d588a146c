"""Made with the control: does a release know people whom it must not know?

A control measures what a release says of people who were not sanitized. If somebody sanitized
original and control together, attacks find both alike, and every release passes. The original
tells: it was drawn apart from the control, so a release that does not know the control should not
be nearer to these people than the original is.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from quintain.audits.results import ControlSign
from quintain.audits.verdict import Judgement, in_audits
from quintain.data import Table
from quintain.data.arrays import Array, Floats, Mask, Rows, number_values
from quintain.kernels.distances import Distance
from quintain.kernels.value_classes import bin_starts

LEVEL, FIT_LEVEL = 0.0033, 0.01
"""The levels of the three comparisons with the original, and of the fit."""
MUCH_NEARER = 0.5
"""A record is much nearer if its squared distance is at most this share of the other's."""
MOST_PEOPLE, MOST_RECORDS = 2_000, 5_000
"""How many people of the control are compared with how many records of each side."""
DRAWS = 999
_BINS = 8
_CELLS = 1 << 15  # distances at a time: as many as fit the cache
_PROOFS = ("copies", "near copies", "passages", "identities")
_PROOF_SHARE = 0.05  # of the people of the control: odd ways of choosing rows may copy fewer
_ROWS_SHARE = 0.3  # the same where rows of one person count as people, and are copied together
ADVICE = (
    "Sanitize only people who are not in the control (quintain audit split writes both files) and "
    "audit that release. If everybody is to be published, run the sanitizer without some people "
    "each time (quintain audit everybody), or audit the sanitizer itself (quintain audit "
    "sanitizer)."
)


def control_signs(
    original: Table, release: Table, control: Table, *, rng: np.random.Generator
) -> tuple[ControlSign, ...]:
    """Signs that the release was made with the control: copies, near copies, links and fit.

    As many different records are drawn at random from the release as from the original. For each
    person of the control, one of the two may win: it has a copy, it is much nearer, or its record
    that is nearest by half of the columns is nearest by the others as well (equally near ones at
    random). If the release does not know the control, neither side wins more often than by the
    toss of a coin. The fit compares the shares of single values in the release with those in the
    control: who does not know the control misses them by the luck of its drawing, or by more.

    >>> from quintain.testing import example_table, people
    >>> table = people(example_table(rows=600))
    >>> original, control, others = (table.take(range(i, i + 200)) for i in (0, 200, 400))
    >>> rng = np.random.default_rng(0)
    >>> [sign.name for sign in control_signs(original, others, control, rng=rng) if sign.alarm]
    []
    """
    if not min(len(original), len(release), len(control)):
        return ()
    sides = _sides([release, original], rng)
    copies = _copies(control, *sides)
    people = control.take(_draw(len(control), MOST_PEOPLE, rng))
    scales = number_scales(original, control)
    few = [side.take(_draw(len(side), MOST_RECORDS, rng)) for side in sides]
    looks = [_Look(people, side, scales, rng) for side in few]
    near = _count_wins("near copies", looks, [_much_nearer(*looks), _much_nearer(*looks[::-1])])
    signs = [copies, near]
    if len(original.schema.attributes) > 1:
        linked = [look.linked for look in looks]
        signs.append(_count_wins("links", looks, [linked[0] & ~linked[1], linked[1] & ~linked[0]]))
    return (*signs, _fit(original, release, control, rng))


def sign_proofs(signs: Sequence[ControlSign], *, by_rows: bool = False) -> tuple[str, ...]:
    """Why a release that repeats people of the control is unsafe, in sentences.

    Parameters
    ----------
    by_rows : whether people seem to have several rows, and nobody said whose they are.
    """
    share = _ROWS_SHARE if by_rows else _PROOF_SHARE
    alarms = [s for s in signs if s.alarm and s.name in _PROOFS and _is_large(s, share)]
    if not alarms:
        return ()
    return (
        f"{alarms[0].says} It repeats real people, and seems to have been made with the control. "
        f"{ADVICE}",
    )


def _is_large(sign: ControlSign, share: float) -> bool:
    """Whether the release repeats many people, or what was counted are no people."""
    if sign.only_release is None or sign.only_original is None:
        return True
    return sign.only_release - sign.only_original >= share * sign.people


def doubt_known_control(verdict: Judgement, signs: Sequence[ControlSign]) -> Judgement:
    """The verdict, or "cannot-say" where the release knows the control."""
    alarms = [sign for sign in signs if sign.alarm]
    if not alarms:
        return verdict
    doubted = verdict.with_doubt("the release seems to have been made with the control")
    if verdict.verdict not in ("nothing-found", "some-leakage"):
        return doubted
    reason = (
        f"The release seems to have been made with the control. {alarms[0].says} Without it, a "
        f"release would look like this in {in_audits(alarms[0].p)}. The audit looks for what the "
        "release says of the original and not of the control, so it overlooks what a release gives "
        f"away about both. {ADVICE}"
    )
    return doubted.cannot_say(reason, "control")


def coin_sign(name: str, words: str, gained: int, lost: int, people: int) -> ControlSign:
    """A sign by the toss of a coin: people for whom only the release wins, or only the original.

    >>> coin_sign("copies", "a copy", 12, 1, 100).alarm
    True
    """
    from scipy.stats import binom

    p = float(binom.sf(gained - 1, gained + lost, 0.5)) if gained else 1.0
    return ControlSign(
        name=name,
        says=f"For {gained:,} of {people:,} people of the control, the release has {words} and as "
        f"many records of the original have none; for {lost:,}, it is the other way round.",
        people=people,
        only_release=gained,
        only_original=lost,
        p=p,
        level=LEVEL,
        alarm=p <= LEVEL,
    )


_WORDS = {
    "copies": "a verbatim copy of the person",
    "near copies": "a record that is much nearer than the nearest one of the other side",
    "links": "a record that is nearest by one half of the columns and by the other half, too",
}


def _copies(control: Table, release: Table, original: Table) -> ControlSign:
    """Who has a copy on one side only; people with equal records count as one."""
    keys = control.concat(release).concat(original).row_keys()
    people, released, inside = np.split(keys, np.cumsum([len(control), len(release)]))
    gained = np.intersect1d(people, np.setdiff1d(released, inside))
    lost = np.intersect1d(people, np.setdiff1d(inside, released))
    return coin_sign("copies", _WORDS["copies"], len(gained), len(lost), len(control))


def _count_wins(name: str, looks: Sequence[_Look], won: Sequence[Mask]) -> ControlSign:
    """For whom one side alone wins; a record that wins for several people counts once."""
    gained, lost = (
        len(np.unique(look.records[name][people])) for look, people in zip(looks, won, strict=True)
    )
    return coin_sign(name, _WORDS[name], gained, lost, len(won[0]))


def _draw(count: int, most: int, rng: np.random.Generator) -> Rows:
    return np.sort(rng.choice(count, min(count, most), replace=False))


def _sides(tables: Sequence[Table], rng: np.random.Generator) -> list[Table]:
    """As many different records of each table, at most as many as the smaller one has rows.

    Repeated records would be ties that hide links, and a release that shows every possible record
    once would have copies of more people than the original, for every original.
    """
    drawn = [table.take(_draw(len(table), min(map(len, tables)), rng)) for table in tables]
    firsts = [np.unique(table.row_keys(), return_index=True)[1] for table in drawn]
    size = min(map(len, firsts))
    return [
        table.take(first[_draw(len(first), size, rng)])
        for table, first in zip(drawn, firsts, strict=True)
    ]


def _much_nearer(look: _Look, other: _Look) -> Mask:
    near, far = look.nearest, other.nearest
    return np.asarray((near != far) & (near <= MUCH_NEARER * far))


def number_scales(*tables: Table) -> dict[str, float]:
    """The standard deviation of each number in some tables; 1 where all values are equal."""
    scales = {}
    for column in tables[0].schema.attributes:
        if not column.listed:
            numbers = np.concatenate([table.numbers(column.name) for table in tables])
            spread = float(np.nanstd(numbers)) if np.isfinite(numbers).any() else 0.0
            scales[column.name] = spread if np.isfinite(spread) and spread > 0 else 1.0
    return scales


def scaled_distance(*tables: Table) -> Distance:
    """The root of twice the squared differences in standard deviations, and 2 for each category."""
    scales = number_scales(*tables)
    return Distance("euclidean", {name: np.sqrt(2) / scale for name, scale in scales.items()})


class _Look:
    """How near the records of one side are to people.

    Parameters
    ----------
    nearest : for each person the squared distance to the nearest record.
    linked : for each person whether one record is nearest by both halves of the columns.
    records : for each person the record that decides, by the name of the sign.
    """

    def __init__(
        self,
        people: Table,
        records: Table,
        scales: dict[str, float],
        rng: np.random.Generator,
    ) -> None:
        names = [column.name for column in people.schema.attributes]
        halves = [_features(people, records, names[start::2], scales) for start in (0, 1)]
        step = max(1, _CELLS // max(1, len(records)))
        nearest, chances, closest, joined = [], [], [], []
        for start in range(0, len(people), step):
            part = slice(start, min(len(people), start + step))
            shape = part.stop - part.start, len(records)
            left, right = (_distances(half, part, shape) for half in halves)
            whole = left + right
            closest.append(whole.argmin(axis=1))
            nearest.append(whole.min(axis=1))
            both, chance = _links(left, right)
            joined.append(both)
            chances.append(chance)
        self.nearest: Floats = np.concatenate(nearest)
        self.linked: Mask = rng.random(len(people)) < np.concatenate(chances)
        self.records = {"near copies": np.concatenate(closest), "links": np.concatenate(joined)}


_Feature = tuple[Array, Array, bool]


def _features(
    people: Table, records: Table, names: Sequence[str], scales: dict[str, float]
) -> list[_Feature]:
    """The cells of both sides, and whether their differences are squared."""
    out: list[_Feature] = []
    for name in names:
        if name not in scales:
            out.append((people.columns[name], records.columns[name], False))
            continue
        numbers = [table.numbers(name) / scales[name] for table in (people, records)]
        absent = [np.isnan(side) for side in numbers]
        if any(side.any() for side in absent):
            out.append((absent[0], absent[1], False))
        out.append((np.nan_to_num(numbers[0], nan=0.0), np.nan_to_num(numbers[1], nan=0.0), True))
    return out


def _distances(features: Sequence[_Feature], rows: slice, shape: tuple[int, int]) -> Floats:
    """Squared differences of numbers in standard deviations, and 1 for each other category.

    Half of the columns of a table with one column has none: then everybody is equally near.
    """
    total = np.zeros(shape)
    gap, differs = np.empty(shape), np.empty(shape, np.bool_)  # used by every column
    for person, record, squared in features:
        if squared:
            np.subtract(person[rows, None], record, out=gap)
            total += np.square(gap, out=gap)
        else:
            total += np.not_equal(person[rows, None], record, out=differs)
    return total


def _links(left: Floats, right: Floats) -> tuple[Rows, Floats]:
    """A record that is nearest by both halves, and the chance to choose one such record twice."""
    near = [half == half.min(axis=1, keepdims=True) for half in (left, right)]
    both = near[0] & near[1]
    chance = both.sum(axis=1) / (near[0].sum(axis=1) * near[1].sum(axis=1))
    return both.argmax(axis=1), np.asarray(chance)


def _fit(original: Table, release: Table, control: Table, rng: np.random.Generator) -> ControlSign:
    """Whether the release has the shares of the control more exactly than luck allows."""
    codes, cells = _cells([original, release, control])
    inside, released, outside = np.split(codes, np.cumsum([len(original), len(release)]))
    pool = np.concatenate([inside, outside])
    weight = 1 / (_shares(pool, cells) + 2 / len(pool))
    truth = _shares(outside, cells)
    misfit = _misfit(_shares(released, cells), truth, weight)
    # Of a large control a part is drawn anew; the misfit shrinks as the number of people grows.
    size = min(len(outside), MOST_PEOPLE)
    middle, shrink = _shares(pool, cells), size / len(outside)
    drawn = np.array(
        [
            shrink
            * _misfit(_shares(pool[rng.integers(len(pool), size=size)], cells), middle, weight)
            for _ in range(DRAWS)
        ]
    )
    p = _share_below(drawn, misfit)
    # A control that was drawn to be like the original fits everything that is like the original.
    matched = _share_below(drawn, _misfit(_shares(inside, cells), truth, weight)) <= FIT_LEVEL
    return ControlSign(
        name="fit",
        says="The release has the shares of single values in the control as exactly as "
        f"{_of_thousand(p)} samples of the same people have them by luck.",
        people=len(control),
        p=p,
        level=FIT_LEVEL,
        alarm=p <= FIT_LEVEL and not matched,
    )


def _of_thousand(p: float) -> str:
    return f"{max(1, round(1000 * p)):,} of 1,000"


def _share_below(drawn: Floats, value: float) -> float:
    return float((1 + (drawn <= value).sum()) / (1 + len(drawn)))


def _cells(tables: Sequence[Table]) -> tuple[Rows, int]:
    """For each record and column the number of its cell: a category, or a quantile of numbers."""
    columns, cells = [], 0
    for codes in _column_codes(tables):
        places = number_values(codes)
        columns.append(places + cells)
        cells += int(places.max(initial=0)) + 1
    return np.column_stack(columns), cells


def _column_codes(tables: Sequence[Table]) -> Iterator[Rows]:
    original, _, control = tables
    for column in original.schema.attributes:
        name = column.name
        if column.listed:
            yield np.concatenate([table.columns[name] for table in tables]).astype(np.int64)
            continue
        numbers = np.concatenate([table.numbers(name) for table in tables])
        known = np.concatenate([original.numbers(name), control.numbers(name)])
        known = known[~np.isnan(known)]
        starts = bin_starts(known, _BINS) if len(known) else np.zeros(0)
        bins = np.searchsorted(starts, numbers, side="right")
        yield np.where(np.isnan(numbers), -1, bins)


def _shares(codes: Rows, cells: int) -> Floats:
    return np.asarray(np.bincount(codes.ravel(), minlength=cells) / max(1, len(codes)))


def _misfit(shares: Floats, truth: Floats, weight: Floats) -> float:
    return float(((shares - truth) ** 2 * weight).sum())
