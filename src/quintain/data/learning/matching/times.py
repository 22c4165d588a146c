"""Parts of dates: a release that has months or years where the others have days."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import numpy as np

from quintain.data.arrays import MISSING_TIME, Array, Ints
from quintain.data.learning.matching.match import (
    LEAST_OVERLAP,
    RELEASE,
    Rewriting,
    distinct_texts,
)
from quintain.data.table import Table
from quintain.data.times import TimeUnit, in_seconds, in_units

_QUARTER = re.compile(r"(\d{4})\W*[qQ]([1-4])")


@dataclass(frozen=True, slots=True)
class DatePart:
    """A part of a date: its name, its unit, and how a release may write it."""

    name: str
    unit: TimeUnit
    units: int
    form: str
    spellings: tuple[str, ...]


PARTS = (
    DatePart("year", "Y", 1, "%Y", ("%Y",)),
    DatePart("quarter", "M", 3, "%Y-%m", ("quarter",)),
    DatePart(
        "month",
        "M",
        1,
        "%Y-%m",
        ("%Y-%m", "%Y/%m", "%m/%Y", "%m.%Y", "%m-%Y", "%Y%m", "%b %Y", "%B %Y", "%b-%Y"),
    ),
    DatePart("day", "D", 1, "%Y-%m-%d", ()),
)
"""Parts of dates, the coarsest first."""


@dataclass(frozen=True, slots=True)
class PartOfDate(Rewriting):
    """Times of the others become the part of the date that the release has."""

    part: DatePart
    spelling: str

    def contents(self, read: Table, name: str, role: str) -> Array:
        """The second at which the part of the date begins."""
        if read.schema[name].temporal:
            return truncate(read.columns[name], self.part)
        assert role == RELEASE  # only the release may write a part of a date as a word or a number
        texts, cells = distinct_texts(read, name)
        seconds = [parse_part(text, self.spelling) for text in texts]
        known = [MISSING_TIME if second is None else second for second in seconds]
        return np.array([*known, MISSING_TIME], np.int64)[cells]


def truncate(seconds: Ints, part: DatePart) -> Ints:
    """The seconds at which the parts of dates begin.

    >>> truncate(np.array([0, 86_400 * 40]), PARTS[2]).tolist()
    [0, 2678400]
    """
    units = in_units(np.where(seconds == MISSING_TIME, 0, seconds), part.unit)
    begin = in_seconds(units // part.units * part.units, part.unit)
    return np.where(seconds == MISSING_TIME, MISSING_TIME, begin)


def parse_part(text: str, spelling: str) -> int | None:
    """The second at which a part of a date begins; None if the text is not written like that.

    >>> parse_part("3/1970", "%m/%Y"), parse_part("1970-Q2", "quarter"), parse_part("x", "%Y")
    (5097600, 7776000, None)
    """
    if spelling == "quarter":
        match = _QUARTER.fullmatch(text.strip())
        if match is None:
            return None
        text, spelling = f"{match[1]}-{3 * int(match[2]) - 2:02}", "%Y-%m"
    try:
        return int(datetime.strptime(text.strip(), spelling).replace(tzinfo=UTC).timestamp())
    except ValueError:
        return None


def match_part(
    others: Sequence[Ints], release: Table, name: str
) -> tuple[PartOfDate, float, float] | None:
    """The part of the date that a release has, with the shares of known cells after and before.

    Parameters
    ----------
    others : the times of the other tables, in seconds.
    """
    pool = np.concatenate(list(others))
    pool = pool[pool != MISSING_TIME]
    if release.schema[name].temporal:
        return _match_times(pool, release.columns[name])
    texts, cells = distinct_texts(release, name)
    counts = np.bincount(cells[cells >= 0], minlength=len(texts))
    for part in PARTS:
        have = Counter(truncate(pool, part).tolist())
        for spelling in part.spellings:
            seconds = [parse_part(text, spelling) for text in texts]
            known = [second in have for second in seconds]
            share = float(counts[known].sum() / max(1, counts.sum()))
            if share >= LEAST_OVERLAP:
                return PartOfDate(part, spelling), share, 0.0
    return None


def _match_times(pool: Ints, released: Ints) -> tuple[PartOfDate, float, float] | None:
    """The coarsest part of dates at whose beginning all released times are, if few others are."""
    released = released[released != MISSING_TIME]
    if not len(released) or not len(pool):
        return None
    for part in PARTS:
        begun = truncate(pool, part)
        if (truncate(released, part) == released).all() and (begun == pool).mean() < LEAST_OVERLAP:
            known, before = (float(np.isin(released, own).mean()) for own in (begun, pool))
            return (PartOfDate(part, ""), known, before) if known >= LEAST_OVERLAP else None
    return None
