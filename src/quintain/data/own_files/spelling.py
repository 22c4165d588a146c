"""Spelling: the many ways in which people write a value, turned into the one that schemas know.

Files of a contest have one spelling for each value. The organisers' own file comes from elsewhere,
so a cell that the schema does not allow as it stands is read again under these rules.
"""

from __future__ import annotations

import re

import pyarrow as pa
import pyarrow.compute as pc

from quintain.data.arrays import Mask
from quintain.data.column import Column
from quintain.data.own_files.number_marks import Marks

MISSING = (
    "", "NA", "N/A", "n/a", "#N/A", "NaN", "nan", "NULL", "null", "<NA>", "?", "-", "--", ".",
)  # fmt: skip
"""How people write that a value is missing."""
RARER_MISSING = ("na", "None", "none", "nil", "Null", "NAN", "Nan", "N.A.", "n.a.", "missing", "*")
"""Words that mean the same among numbers and dates, and may be values among words."""

_ONE_DIGIT = r"\b([0-9])\b"
_WHOLE = "%Y-%m-%d %H:%M:%S"
_PARTS_OF_SECOND = r"([0-9]{2}:[0-9]{2}:[0-9]{2})\.[0-9]+"
_ZONED = (
    r"^(?P<day>[0-9]{4}-[0-9]{2}-[0-9]{2})(?P<between>[ T])(?P<time>[0-9]{2}:[0-9]{2})"
    r"(?P<second>:[0-9]{2})? ?(?P<zone>Z|[+-][0-9]{2}(?::?[0-9]{2})?)$"
)


def without_points(names: pa.Array) -> pa.Array:
    """Names without ``.0``, if all are whole numbers that are written so.

    A program that has numbers with empty cells among them writes 17 as 17.0.

    >>> without_points(pa.array(["17.0", "4.0", ""])).to_pylist()
    ['17', '4', '']
    """
    filled = pc.not_equal(names, "")
    pointed = pc.match_substring_regex(names, r"^-?[0-9]+\.0$")
    whole = pc.all(pc.or_(pointed, pc.invert(filled))).as_py() and pc.any(filled).as_py()
    return pc.replace_substring_regex(names, r"\.0$", "") if whole else names


def without_point(names: pa.Array) -> pa.Array:
    """Names of which each whole number is without ``.0``, whatever the others are.

    >>> without_point(pa.array(["17.0", "a.0", ""])).to_pylist()
    ['17', 'a.0', '']
    """
    return pc.replace_substring_regex(names, r"^(-?[0-9]+)\.0$", r"\1")


def plain_times(texts: pa.Array) -> pa.Array:
    """Times as schemas write them: two digits, whole seconds, and UTC where they name a zone.

    >>> plain_times(pa.array(["2.1.2011 9:05", "2011-01-02 09:05:07.250"])).to_pylist()
    ['02.01.2011 09:05', '2011-01-02 09:05:07']
    >>> plain_times(pa.array(["2011-01-02T00:05:07+02:00", "2011-01-02 00:05Z"])).to_pylist()
    ['2011-01-01T22:05:07Z', '2011-01-02 00:05:00']
    """
    times = pc.replace_substring_regex(texts, _PARTS_OF_SECOND, r"\1")
    times = pc.replace_substring_regex(times, _ONE_DIGIT, r"0\1")
    zoned = pc.fill_null(pc.match_substring_regex(times, _ZONED), False)
    if not pc.any(zoned).as_py():
        return times
    return pc.replace_with_mask(times, zoned, _in_utc(times.filter(zoned)))


def _in_utc(texts: pa.Array) -> pa.Array:
    """Times with a zone in UTC, with the T and the Z of ISO 8601 if they have that T."""
    parts = pc.extract_regex(texts, _ZONED)
    names = ("day", "between", "time", "second", "zone")
    day, between, hour, second, zone = map(parts.field, names)
    hour = pc.binary_join_element_wise(hour, pc.if_else(pc.equal(second, ""), ":00", second), "")
    written = pc.binary_join_element_wise(day, hour, " ")
    local = pc.strptime(written, format=_WHOLE, unit="s", error_is_null=True)
    ahead = pa.array([_seconds_ahead(text) for text in zone.to_pylist()], pa.duration("s"))
    moments = pc.subtract(local, ahead)
    utc = pc.if_else(
        pc.equal(between, "T"),
        pc.strftime(moments, format="%Y-%m-%dT%H:%M:%SZ"),
        pc.strftime(moments, format=_WHOLE),
    )
    # The reader takes February 31 for March 3, so the time must give the text again.
    right = pc.fill_null(pc.equal(pc.strftime(local, format=_WHOLE), written), False)
    return pc.if_else(right, utc, texts)


def _seconds_ahead(zone: str) -> int:
    """How far a zone is ahead of UTC.

    >>> _seconds_ahead("Z"), _seconds_ahead("+02"), _seconds_ahead("-0330")
    (0, 7200, -12600)
    """
    digits = zone.removeprefix("Z")[1:].replace(":", "").ljust(4, "0")
    return (3600 * int(digits[:2]) + 60 * int(digits[2:])) * (-1 if zone[0] == "-" else 1)


def respell(column: Column, texts: pa.Array, marks: Marks) -> pa.Array:
    """The texts in the spelling that the column expects, as far as their meaning is clear.

    >>> age = Column(name="age", kind="integer", low=0, high=99, nullable=True)
    >>> respell(age, pa.array([" 7", "8.0", "+9", "?", "x"]), Marks()).to_pylist()
    ['7', '8', '9', '', 'x']
    """
    texts = pc.utf8_trim_whitespace(texts)
    if column.its_kind.in_digits:
        texts = _numbers(column, marks.plain(texts))
    elif column.temporal:
        texts = plain_times(texts)
        if re.search("%[bB]", column.time_format):
            texts = pc.utf8_title(texts)
    if not column.nullable:
        return texts
    words = MISSING if column.listed or column.identifying else (*MISSING, *RARER_MISSING)
    free = pa.array([word for word in words if word not in column.values], pa.string())
    return pc.if_else(pc.is_in(texts, value_set=free), column.missing, texts)


def _numbers(column: Column, texts: pa.Array) -> pa.Array:
    texts = pc.replace_substring_regex(texts, r"^\+([0-9.])", r"\1")
    if column.fractional:
        return texts
    # 7.0 and 7. are the integer 7; -0 is 0.
    texts = pc.replace_substring_regex(texts, r"^(-?[0-9]+)\.0*$", r"\1")
    return pc.replace_substring_regex(texts, r"^-0$", "0")


def is_missing(texts: pa.Array, words: tuple[str, ...]) -> Mask:
    """For each text whether it means a missing value."""
    value_set = pa.array(words, pa.string())
    mask: Mask = pc.is_in(texts, value_set=value_set).to_numpy(zero_copy_only=False)
    return mask
