"""Agreement: one column for what several tables write, or the reason why there is none.

A release may write ranges such as [20-30) or 65+ instead of numbers. An attacker who knows that
somebody is 23 looks for the range around it. So does the audit: it replaces the numbers of the
original and the control by the ranges of the release.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import ValidationError

from quintain.data.arrays import Array, Floats, Rows
from quintain.data.codec import parse_texts
from quintain.data.column import Column
from quintain.data.learning.decisions import Decision, number_column, time_column
from quintain.data.learning.input_table import InputTable
from quintain.data.learning.matching.columns import SUPPRESSED, match_column
from quintain.data.learning.matching.match import RELEASE, Match, Rewriting
from quintain.data.own_files.spelling import MISSING
from quintain.data.table import Table

MOST_VALUES = 10_000


LONGEST_TEXT = 1000
"""Longer texts are not categories, and many of them at once would fill the memory."""


_FEW_ODD = 0.05
"""With a larger share of texts that are no times, a column does not look like one of times."""


_FINEST = "%Y-%m-%dT%H:%M:%S"


_PLAIN_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?")
_COMMA_NUMBER = re.compile(r"[-+]?\d+,\d+")


_Columns = Mapping[str, Column]


@dataclass(frozen=True, slots=True)
class Agreed:
    """A column that all tables have.

    Parameters
    ----------
    column : the column under which the tables are compared.
    written : by role, the column as each table writes it: its format of times, its word for
        missing values.
    intervals : the ranges of the release, if it has ranges where the others have numbers.
    rewriting, match : how cells that the release writes otherwise become comparable, and why.
    """

    column: Column = field(repr=False)  # a learned domain has cells in it
    written: Mapping[str, Column] = field(repr=False)
    intervals: Intervals | None = field(default=None, repr=False)
    rewriting: Rewriting | None = field(default=None, repr=False)
    match: Match | None = None

    def contents(self, read: Table, role: str) -> Array:
        """The cells of a table, read as it writes them, under the common column."""
        if self.rewriting is not None:
            return self.rewriting.contents(read, self.column.name, role)
        if self.intervals is None or role == RELEASE:
            return read.columns[self.column.name]
        return self.intervals.codes(read.numbers(self.column.name))


def agree(
    name: str,
    decisions: Mapping[str, Decision],
    tables: Sequence[InputTable],
    *,
    as_written: bool = False,
) -> Agreed | Decision:
    """The common column of all tables, or the decision to leave the column out.

    The first table decides whether the column is an id. With ``as_written``, cells that the release
    writes otherwise than the other tables are not matched.
    """
    first = next(iter(decisions))
    try:
        agreed = _agree(name, decisions, tables)
        if not as_written and RELEASE in decisions and len(decisions) > 1:
            agreed = _match(name, decisions, tables, agreed)
    except ValidationError as problem:
        agreed = str(problem.errors()[0]["msg"]).removeprefix("Value error, ")
    if isinstance(agreed, Agreed):
        return agreed
    decision = decisions[first]
    if decision.column is not None and decision.column.identifying and not agreed:
        column = Column(name=name, kind="id", nullable=decision.column.nullable)
        return Decision(name, column, f"{decision.why}; ids are no attributes of a record")
    return Decision(name, None, f"left out: {agreed}", otherwise=_attribute(decision))


def _agree(
    name: str, decisions: Mapping[str, Decision], tables: Sequence[InputTable]
) -> Agreed | str:
    """The common column; or why there is none, which is empty for an id."""
    columns: dict[str, Column] = {}
    for role, decision in decisions.items():
        if decision.column is None:
            return f"in the {role}, {decision.why}"
        columns[role] = decision.column
        longest = max(map(len, decision.column.values), default=0)
        if longest > LONGEST_TEXT:
            return f"the {role} has texts of up to {longest:,} characters in it"
    if next(iter(columns.values())).identifying:
        return ""
    columns = {
        role: decisions[role].otherwise or c if c.identifying else c for role, c in columns.items()
    }
    if not all(column.plain for column in columns.values()):
        return _of_kind(name, columns)
    if all(column.numeric for column in columns.values()):
        return _numbers(name, decisions, columns)
    if all(column.temporal for column in columns.values()):
        return _times(name, columns)
    if all(column.listed for column in columns.values()):
        return _categories(name, columns)
    others = {role: column for role, column in columns.items() if role != RELEASE}
    numbers = all(column.numeric for column in others.values())
    if RELEASE in columns and columns[RELEASE].listed and numbers:
        return _ranges(name, decisions, columns, tables)
    listed = any(column.listed for column in columns.values())
    if listed and not any(column.temporal for column in columns.values()):
        return _as_words(name, columns, tables)
    different = {column.its_kind.plural: role for role, column in columns.items()}
    kinds_told = "; ".join(f"the {role} has {words}" for words, role in different.items())
    return "; ".join([kinds_told, *_odd_times(name, columns, tables)])


def _of_kind(name: str, columns: _Columns) -> Agreed | str:
    """One kind for all tables; words that are spelled as its values are such, too."""
    kind = next(column.kind for column in columns.values() if not column.plain)
    nullable = any(column.nullable for column in columns.values())
    column = Column(name=name, kind=kind, nullable=nullable)
    for role, own in columns.items():
        if own.kind != kind and not (own.listed and not parse_texts(column, own.values)[1].any()):
            there = own.its_kind.plural
            return f"{column.its_kind.plural} in another table, but {there} in the {role}"
    return Agreed(column, {role: _missing(column, own) for role, own in columns.items()})


def _odd_times(name: str, columns: _Columns, tables: Sequence[InputTable]) -> Iterator[str]:
    """The first cell that is not a time, in tables where almost all cells are times."""
    forms = {column.time_format for column in columns.values() if column.temporal}
    for table in tables:
        if not columns[table.role].listed:
            continue
        texts = table.texts([name])[name] - set(MISSING)
        odd = {text for text in texts if not any(_is_time(text, form) for form in forms)}
        if odd and len(odd) <= max(1, _FEW_ODD * len(texts)):
            cells = table.cells(name)
            row = pc.index(pc.is_in(cells, pa.array(sorted(odd))), True).as_py()
            line = table.faults().line_of(row)
            yield f"{cells[row].as_py()!r} in line {line:,} of the {table.role} is not a time"


def _is_time(text: str, form: str) -> bool:
    try:
        datetime.strptime(text, form)
    except ValueError:
        return False
    return True


def _match(
    name: str,
    decisions: Mapping[str, Decision],
    tables: Sequence[InputTable],
    agreed: Agreed | str,
) -> Agreed | str:
    """The column under a match if the release writes it otherwise; else what was agreed."""
    if isinstance(agreed, Agreed) and agreed.intervals is not None:
        return agreed
    columns: dict[str, Column] = {}
    for role, decision in decisions.items():
        is_id = decision.column is not None and decision.column.identifying
        column = decision.otherwise if is_id else decision.column
        if column is None or (is_id and role == RELEASE and not agreed):
            return agreed  # a text, or an id in the release as well
        if max(map(len, column.values), default=0) > LONGEST_TEXT:
            return agreed
        columns[role] = column
    matched = match_column(name, columns, tables)
    if matched is None or isinstance(matched, str):
        return agreed if matched is None or not agreed else matched
    if not agreed and not matched.match.coarser:
        return agreed  # ids are compared as texts, not as attributes
    return Agreed(matched.column, columns, rewriting=matched.rewriting, match=matched.match)


def _attribute(decision: Decision) -> Column | None:
    """The column of a decision, unless it is an id."""
    return None if decision.left_out else decision.column


def _numbers(name: str, decisions: Mapping[str, Decision], columns: _Columns) -> Agreed:
    known = list(columns.values())
    if all(column == known[0] for column in known):
        return Agreed(known[0], columns)
    bounded = [decisions[role].otherwise or column for role, column in columns.items()]
    lows, highs = [c.low for c in bounded], [c.high for c in bounded]
    nullable = any(c.nullable for c in known)
    if None in lows or None in highs:
        column = Column(name=name, kind="real", nullable=nullable)
    else:
        whole = all(c.whole for c in known)
        low, high = min(v for v in lows if v is not None), max(v for v in highs if v is not None)
        column = number_column(name, low, high, whole=whole, nullable=nullable)
    return Agreed(column, {role: _missing(column, own) for role, own in columns.items()})


def _times(name: str, columns: _Columns) -> Agreed:
    formats = {own.time_format for own in columns.values()}
    form = formats.pop() if len(formats) == 1 else _FINEST
    nullable = any(own.nullable for own in columns.values())
    ends = [own.bounds for own in columns.values()]
    first = [int(low) for low, _ in ends if low is not None]
    last = [int(high) for _, high in ends if high is not None]
    if len(first) == len(last) == len(ends):
        column = time_column(name, min(first), max(last), form, nullable=nullable)
    else:
        column = Column(name=name, kind="time", time_format=form, nullable=nullable)
    free = column.model_copy(update={"earliest": None, "latest": None})
    written = {
        role: _missing(free.model_copy(update={"time_format": own.time_format}), own)
        for role, own in columns.items()
    }
    return Agreed(column, written)


def _categories(name: str, columns: _Columns) -> Agreed:
    known = list(columns.values())
    if all(column == known[0] for column in known):
        return Agreed(known[0], columns)
    others = {v for role, column in columns.items() if role != RELEASE for v in column.values}
    values = others | {v for column in known for v in column.values}
    starred = SUPPRESSED in values and SUPPRESSED not in others
    if starred:
        values.remove(SUPPRESSED)
    order = next((c.values for c in known if c.ordered and values <= set(c.values)), None)
    column = Column(
        name=name,
        kind="category",
        values=tuple(sorted(values)) if order is None else order,
        ordered=order is not None,
        nullable=starred or any(column.nullable for column in known),
    )
    written = {role: _missing(column, own) for role, own in columns.items()}
    if starred:
        written[RELEASE] = column.model_copy(update={"missing": SUPPRESSED})
    return Agreed(column, written)


def _as_words(name: str, columns: _Columns, tables: Sequence[InputTable]) -> Agreed | str:
    """Cells that are numbers in one table and words in another are words in all of them."""
    texts = [table.texts([name])[name] for table in tables]
    values = {text for own in texts for text in own} - set(MISSING)
    if len(values) > MOST_VALUES:
        return f"the files have more than {MOST_VALUES:,} different texts together"
    nullable = any(column.nullable for column in columns.values()) or any(
        own & set(MISSING) for own in texts
    )
    column = Column(name=name, kind="category", values=tuple(sorted(values)), nullable=nullable)
    return Agreed(column, dict.fromkeys(columns, column))


def _ranges(
    name: str,
    decisions: Mapping[str, Decision],
    columns: _Columns,
    tables: Sequence[InputTable],
) -> Agreed | str:
    """Numbers in the other tables, ranges in the release."""
    release = columns[RELEASE]
    others = {role: column for role, column in columns.items() if role != RELEASE}
    values = [value for value in release.values if value != SUPPRESSED]
    if values and not release.ordered and all(map(_PLAIN_NUMBER.fullmatch, values)):
        return _numbers(name, decisions, {**others, RELEASE: _number(release, values)})
    intervals = parse_intervals(values)
    if isinstance(intervals, str):
        # A release may declare ranges that no record has, such as those of another level.
        used = {table.role: table for table in tables}[RELEASE].texts([name])[name]
        again = parse_intervals([value for value in values if value in used])
        if isinstance(again, str) or not again.ranges:
            return (
                "the original has numbers and the release has words, and the audit cannot say "
                f"which numbers they stand for: {_tell_decimal_commas(values) or intervals}"
            )
        intervals = again
    nullable = release.nullable or any(column.nullable for column in others.values())
    column = Column(
        name=name,
        kind="category",
        values=intervals.labels,
        ordered=True,
        nullable=nullable or SUPPRESSED in release.values,
    )
    missing = SUPPRESSED if SUPPRESSED in release.values else release.missing
    written = column.model_copy(update={"missing": missing if column.nullable else ""})
    return Agreed(column, {**others, RELEASE: written}, intervals)


def _tell_decimal_commas(values: Sequence[str]) -> str:
    """What to do if most values look like numbers with a decimal comma; empty if they do not."""
    commas = [value for value in values if _COMMA_NUMBER.fullmatch(value)]
    if 2 * len(commas) <= len(values):
        return ""
    return (
        f"cells such as {commas[0]!r} may be numbers with a decimal comma, which are read only if "
        "semicolons or tabs separate the cells; save the release so"
    )


def _number(column: Column, values: Sequence[str]) -> Column:
    """A category whose values are numbers, as a column of numbers."""
    numbers = list(map(float, values))
    whole = all(map(float.is_integer, numbers))
    nullable = column.nullable or SUPPRESSED in column.values
    return number_column(column.name, min(numbers), max(numbers), whole=whole, nullable=nullable)


def _missing(column: Column, written: Column) -> Column:
    """The column with the word that a file has for missing values."""
    if not column.nullable or written.missing in column.values:
        return column
    return column.model_copy(update={"missing": written.missing})


# --- ranges of numbers ---


OUTSIDE = "(in no range)"
"""The value of numbers that no range of the release contains."""


_NUMBER_TEXT = r"([-+]?\d+(?:\.\d+)?)"


_RANGE = re.compile(rf"([\[(]?)\s*{_NUMBER_TEXT}\s*(?:-|–|,|;|\.\.|to)\s*{_NUMBER_TEXT}\s*([\])]?)")


_BELOW = re.compile(rf"(<=|≤|<)\s*{_NUMBER_TEXT}")


_ABOVE = re.compile(rf"(>=|≥|>)\s*{_NUMBER_TEXT}|{_NUMBER_TEXT}\s*(\+)")


_LESS, _MORE = (
    "(?:less|lower|fewer|smaller|younger|shorter)",
    "(?:more|higher|greater|older|longer)",
)
_IN_WORDS = tuple(
    (re.compile(words, re.IGNORECASE), signs)
    for words, signs in (
        (rf"(?:under|below|{_LESS} than)\s+{_NUMBER_TEXT}", r"<\1"),
        (rf"(?:over|above|{_MORE} than)\s+{_NUMBER_TEXT}", r">\1"),
        (rf"(?:at most|up to|max\.?)\s+{_NUMBER_TEXT}", r"<=\1"),
        (rf"(?:at least|from|min\.?)\s+{_NUMBER_TEXT}", r">=\1"),
        (rf"{_NUMBER_TEXT}\s+(?:or|and)\s+(?:under|below|{_LESS})", r"<=\1"),
        (rf"{_NUMBER_TEXT}\s+(?:or|and)\s+(?:over|above|{_MORE})", r">=\1"),
        (rf"between\s+{_NUMBER_TEXT}\s+and\s+{_NUMBER_TEXT}", r"\1-\2"),
    )
)
"""Ranges in words, and the signs that say the same."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A range of numbers; ``open_low`` and ``open_high`` say whether an end is left out."""

    low: float
    high: float
    open_low: bool = False
    open_high: bool = False

    def holds(self, numbers: Floats) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
        """For each number whether the range contains it."""
        above = numbers > self.low if self.open_low else numbers >= self.low
        below = numbers < self.high if self.open_high else numbers <= self.high
        return np.asarray(above & below, bool)

    def meets(self, other: Interval) -> bool:
        """Whether both have numbers in common; ``other`` does not begin before this one.

        Ranges such as 20-30 and 30-40 meet at 30 alone. It counts as a part of the upper one.
        """
        if other.low != self.high:
            return other.low < self.high
        return self.low == self.high and not other.open_low


def parse_interval(text: str) -> Interval | None:
    """The range that a text means; None if it means none.

    >>> parse_interval("[20-30)")
    Interval(low=20.0, high=30.0, open_low=False, open_high=True)
    >>> parse_interval("65+").high, parse_interval("-5--1").low, parse_interval("young")
    (inf, -5.0, None)
    >>> parse_interval("40 or younger").high, parse_interval("older than 40").open_low
    (40.0, True)
    """
    text = text.strip()
    for words, signs in _IN_WORDS:
        if words.fullmatch(text):
            text = words.sub(signs, text)
    if re.fullmatch(_NUMBER_TEXT, text):
        return Interval(float(text), float(text))
    if match := _RANGE.fullmatch(text):
        opened, low, high, closed = match.groups()
        return Interval(float(low), float(high), opened == "(", closed == ")")
    if match := _BELOW.fullmatch(text):
        return Interval(-math.inf, float(match[2]), open_high=match[1] == "<")
    if match := _ABOVE.fullmatch(text):
        return Interval(float(match[2] or match[3]), math.inf, open_low=match[1] == ">")
    return None


@dataclass(frozen=True, slots=True)
class Intervals:
    """The ranges of a column in ascending order, with their texts.

    Parameters
    ----------
    labels : the texts of the ranges, then one for numbers in no range.
    """

    ranges: tuple[Interval, ...]
    labels: tuple[str, ...]

    def codes(self, numbers: Floats) -> Rows:
        """For each number the position of its range; -1 if the number is missing."""
        out = np.full(len(numbers), len(self.ranges), np.int64)
        for position, interval in enumerate(self.ranges):
            out[interval.holds(numbers)] = position
        out[np.isnan(numbers)] = -1
        return out


def parse_intervals(texts: Collection[str]) -> Intervals | str:
    """The ranges of all texts in ascending order, or why they cannot be used."""
    ranges = {text: parse_interval(text) for text in texts}
    strange = sorted(text for text, interval in ranges.items() if interval is None)
    if strange:
        return f"{strange[0]!r} is neither a number nor a range of numbers"
    known = {text: interval for text, interval in ranges.items() if interval is not None}
    ordered = sorted(known, key=lambda text: (known[text].low, known[text].high, text))
    for text, following in pairwise(ordered):
        if known[text].meets(known[following]):
            return f"{text!r} and {following!r} have numbers in common"
    return Intervals(tuple(known[text] for text in ordered), (*ordered, OUTSIDE))
