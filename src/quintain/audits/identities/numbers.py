"""Numbers: ids and dates that a release has in another unit, or moved by a constant.

Numbers that count on from each other agree with any others if they are moved, so a relation counts
only if it names far more people than its neighbours do.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime

import numpy as np

from quintain.data.arrays import Floats, Rows
from quintain.measures.pooled.joint_test import chance_of_hits

DAY = 86_400.0
_UNITS = {
    "seconds": 1 / DAY,
    "minutes": 1 / 1440,
    "hours": 1 / 24,
    "days": 1.0,
    "weeks": 7.0,
    "months": 365.25 / 12,
    "years": 365.25,
    "years of 365 days": 365.0,
}
_SOME = 200
"""So many released numbers are compared with those of people to see how far they were moved."""
_MOST = 2_000
_FEWEST = 20
"""Fewer different numbers agree with any others."""
_TIMES_NEIGHBOURS = 3.0
_NEIGHBOURS = 25
_WRONG = 0.1
_MOST_THERE = 0.7
"""So many people are there, or so many released numbers are theirs, if a constant explains them."""


@dataclass(frozen=True, slots=True)
class MovedNumbers:
    """People whose number a release has, in another unit or moved by a constant.

    Parameters
    ----------
    says : what was done to the numbers, in words.
    hits, false : how many people of the original, and of the control, are there.
    inside, outside : of how many.
    p : how probable so many people of the original are by chance.
    """

    says: str
    hits: int
    false: int
    inside: int
    outside: int
    p: float


def as_numbers(cells: Sequence[str]) -> tuple[Floats, bool]:
    """Cells as numbers, dates as days; NaN where there is none. Whether they are dates.

    >>> as_numbers(["1970-01-03", ""])[0].tolist(), as_numbers(["06 12", "C7"])[0].tolist()
    ([719165.0, nan], [612.0, 7.0])
    """
    days = [_day(cell) for cell in cells]
    filled = sum(map(bool, cells))
    if 2 * sum(day is not None for day in days) > filled > 0:
        return np.array([math.nan if day is None else day for day in days]), True
    return np.array([_number(cell) for cell in cells]), False


def _day(cell: str) -> float | None:
    if not (8 <= len(cell) <= 30 and cell[:2].isdecimal()):
        return None
    try:
        moment = datetime.fromisoformat(cell)
    except ValueError:
        parts = cell.replace("/", ".").split(".")
        if len(parts) != 3 or not all(map(str.isdecimal, parts)):
            return None
        try:
            return float(date(int(parts[2]), int(parts[1]), int(parts[0])).toordinal())
        except ValueError:
            return None
    seconds = moment.hour * 3600 + moment.minute * 60 + moment.second
    return moment.toordinal() + seconds / DAY


def _number(cell: str) -> float:
    try:
        number = float(cell)
        return number if math.isfinite(number) else math.nan
    except ValueError:
        digits = "".join(filter(str.isdecimal, cell))
        return float(digits) if 0 < len(digits) < 16 else math.nan


def moved_numbers(
    inside: Sequence[str], outside: Sequence[str], released: Sequence[str]
) -> Iterator[MovedNumbers]:
    """The relations under which a release has numbers of people, one for each unit.

    >>> ids, others = ([str(7919 * n * n % 100_003) for n in range(a, a + 40)] for a in (1, 50))
    >>> coded = [str(37 * int(own) + 1009) for own in ids]
    >>> [own.hits for own in moved_numbers(ids, others, coded)]
    [40]
    """
    known, are_dates = as_numbers([*inside, *outside])
    codes, coded_dates = as_numbers(released)
    members = np.arange(len(known)) < len(inside)
    there = ~np.isnan(known)
    known, members = known[there], members[there]
    codes = np.unique(codes[~np.isnan(codes)])
    sides = [np.unique(known[members]), np.unique(known[~members])]
    if min(map(len, (codes, *sides))) < _FEWEST:
        return
    for words, scaled, people in _scales(codes, sides, are_dates, coded_dates):
        if scaled[-1] - scaled[0] + 1 <= 2 * len(scaled):
            continue  # a numbering, which is like every other one
        best = _judge(words, scaled, people)
        if best is not None:
            yield best


def _scales(
    codes: Floats, sides: Sequence[Floats], are_dates: bool, coded_dates: bool
) -> Iterator[tuple[str, Rows, list[Rows]]]:
    """Released numbers and those of people as whole numbers that differ by a constant."""
    if are_dates:
        people = [np.round(side).astype(np.int64) for side in sides]
        if coded_dates:
            yield "moved by some days", np.unique(np.round(codes).astype(np.int64)), people
            return
        for unit, days in _UNITS.items():
            scaled = codes * days
            if float(np.ptp(scaled)) > 80_000:
                continue  # longer than people live
            phase = np.angle(np.exp(2j * np.pi * scaled).sum()) / (2 * np.pi)
            whole = np.round(scaled - phase)
            if np.quantile(np.abs(scaled - phase - whole), 0.9) > 0.1:
                continue
            for sign in (1, -1):
                yield f"as a number of {unit}", np.unique(sign * whole.astype(np.int64)), people
        return
    values = np.round(codes * DAY) if coded_dates else codes
    whole = _whole(values)
    people = [own for own in map(_whole, sides) if own is not None]
    if whole is None or len(people) < 2 or min(map(len, (whole, *people))) < _FEWEST:
        return
    step = np.gcd.reduce(np.diff(whole))
    own = np.gcd.reduce(np.diff(people[0]))
    for sign in (1, -1):
        yield (
            "multiplied and moved by constants",
            np.unique(sign * (whole // step)),
            [side // own for side in people],
        )


def _whole(values: Floats) -> Rows | None:
    """Values as different whole numbers, with their decimals; None if they have too many."""
    for power in range(10):
        scaled = values * 10.0**power
        if np.abs(scaled).max() > 2**52:
            return None
        if np.abs(scaled - np.round(scaled)).max() < 1e-3:
            return np.unique(np.round(scaled).astype(np.int64))
    return None


def _judge(words: str, codes: Rows, sides: Sequence[Rows]) -> MovedNumbers | None:
    some = codes[np.linspace(0, len(codes) - 1, min(_SOME, len(codes))).astype(int)]
    shifts, tried = set(), 0
    for side in sides:
        people = side[np.linspace(0, len(side) - 1, min(_MOST, len(side))).astype(int)]
        moved, counts = np.unique(some[:, None] - people[None, :], return_counts=True)
        tried += len(moved)
        shifts.add(int(moved[counts.argmax()]))
    best = None
    alone = [np.setdiff1d(side, other) for side, other in (sides, sides[::-1])]
    for shift in sorted(shifts):
        hits, false = (int(np.isin(side + shift, codes).sum()) for side in alone)
        if hits < _MOST_THERE * min(len(sides[0]), len(codes)):
            continue
        near = [
            int(np.isin(alone[0] + shift + step, codes).sum())
            for step in range(-_NEIGHBOURS, _NEIGHBOURS + 1)
            if step
        ]
        if hits < _TIMES_NEIGHBOURS * float(np.mean(near)) or false * len(alone[0]) > (
            _WRONG * hits * len(alone[1])
        ):
            continue
        p = min(1.0, tried * chance_of_hits(hits, false, len(alone[0]), len(alone[1])))
        if best is None or hits > best.hits:
            best = MovedNumbers(words, hits, false, len(alone[0]), len(alone[1]), p)
    return best
