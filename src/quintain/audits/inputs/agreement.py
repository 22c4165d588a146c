"""Agreement: one column for what several files write, or the reason why there is none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pydantic import ValidationError

from quintain.audits.inputs.intervals import Intervals, parse_intervals
from quintain.audits.inputs.source import Role, Source
from quintain.data.learning.decisions import Decision, number_column, time_column
from quintain.data.own_files.spelling import MISSING
from quintain.data.schema import Column

MOST_VALUES = 10_000
LONGEST_TEXT = 1000
"""Longer texts are no categories, and many of them at once would fill the memory."""
_FINEST = "%Y-%m-%dT%H:%M:%S"
_SUPPRESSED = "*"
_WORDS = {"integer": "whole numbers", "real": "numbers", "category": "words", "time": "times"}
_Columns = Mapping[Role, Column]


@dataclass(frozen=True, slots=True)
class Agreed:
    """A column that all files have.

    Parameters
    ----------
    column : the column under which the files are compared.
    written : the column as each file writes it: its format of times, its word for missing values.
    intervals : the ranges of the release, if it has ranges where the others have numbers.
    """

    column: Column
    written: Mapping[Role, Column]
    intervals: Intervals | None = None


def agree(name: str, decisions: Mapping[Role, Decision], sources: Sequence[Source]) -> Agreed | str:
    """The common column of all files, or why the audit has to leave the column out."""
    try:
        return _agree(name, decisions, sources)
    except ValidationError as problem:
        return str(problem.errors()[0]["msg"]).removeprefix("Value error, ")


def _agree(
    name: str, decisions: Mapping[Role, Decision], sources: Sequence[Source]
) -> Agreed | str:
    columns: dict[Role, Column] = {}
    for role, decision in decisions.items():
        if decision.column is None:
            return f"in the {role}, {_reason(decision).removeprefix('left out: ')}"
        columns[role] = decision.column
        longest = max(map(len, decision.column.values), default=0)
        if longest > LONGEST_TEXT:
            return f"the {role} has texts of up to {longest:,} characters in it"
    kinds = {column.kind for column in columns.values()}
    if columns["original"].kind == "id":
        return f"{_reason(decisions['original'])}; ids are no attributes of a record"
    if kinds <= {"integer", "real"}:
        return _numbers(name, columns)
    if kinds == {"time"}:
        return _times(name, columns)
    if kinds == {"category"}:
        return _categories(name, columns)
    if columns["release"].kind == "category" and kinds <= {"integer", "real", "category"}:
        others: dict[Role, Column] = {r: one for r, one in columns.items() if r != "release"}
        if all(one.kind != "category" for one in others.values()):
            return _ranges(name, others, columns["release"])
    if "category" in kinds and "time" not in kinds:
        return _as_words(name, columns, sources)
    different = {_WORDS.get(one.kind, "ids"): role for role, one in columns.items()}
    return "; ".join(f"the {role} has {words}" for words, role in different.items())


def _reason(decision: Decision) -> str:
    """The reason of a decision without its hints, which quote cells: a report quotes none."""
    return decision.reason.split("; ")[0]


def _numbers(name: str, columns: _Columns) -> Agreed:
    known = list(columns.values())
    if all(column == known[0] for column in known):
        return Agreed(known[0], columns)
    lows, highs = [c.low for c in known], [c.high for c in known]
    nullable = any(c.nullable for c in known)
    if None in lows or None in highs:
        column = Column(name=name, kind="real", nullable=nullable)
    else:
        whole = all(c.kind == "integer" for c in known)
        low, high = min(v for v in lows if v is not None), max(v for v in highs if v is not None)
        column = number_column(name, low, high, whole=whole, nullable=nullable)
    return Agreed(column, {role: _missing(column, one) for role, one in columns.items()})


def _times(name: str, columns: _Columns) -> Agreed:
    formats = {one.time_format for one in columns.values()}
    form = formats.pop() if len(formats) == 1 else _FINEST
    nullable = any(one.nullable for one in columns.values())
    ends = [one.bounds for one in columns.values()]
    first = [int(low) for low, _ in ends if low is not None]
    last = [int(high) for _, high in ends if high is not None]
    if len(first) == len(last) == len(ends):
        column = time_column(name, min(first), max(last), form, nullable=nullable)
    else:
        column = Column(name=name, kind="time", time_format=form, nullable=nullable)
    free = column.model_copy(update={"earliest": None, "latest": None})
    written = {
        role: _missing(free.model_copy(update={"time_format": one.time_format}), one)
        for role, one in columns.items()
    }
    return Agreed(column, written)


def _categories(name: str, columns: _Columns) -> Agreed:
    known = list(columns.values())
    if all(column == known[0] for column in known):
        return Agreed(known[0], columns)
    others = {v for role, one in columns.items() if role != "release" for v in one.values}
    values = others | set(columns["release"].values)
    starred = _SUPPRESSED in values and _SUPPRESSED not in others
    if starred:
        values.remove(_SUPPRESSED)
    ordered = all(one.ordered and one.values == known[0].values for one in known)
    column = Column(
        name=name,
        kind="category",
        values=known[0].values if ordered else tuple(sorted(values)),
        ordered=ordered,
        nullable=starred or any(one.nullable for one in known),
    )
    written = {role: _missing(column, one) for role, one in columns.items()}
    if starred:
        written["release"] = column.model_copy(update={"missing": _SUPPRESSED})
    return Agreed(column, written)


def _as_words(name: str, columns: _Columns, sources: Sequence[Source]) -> Agreed | str:
    """Cells that are numbers in one file and words in another are words in all of them."""
    texts = [source.texts([name])[name] for source in sources]
    values = {text for one in texts for text in one} - set(MISSING)
    if len(values) > MOST_VALUES:
        return f"the files have more than {MOST_VALUES:,} different texts together"
    nullable = any(one.nullable for one in columns.values()) or any(
        text & set(MISSING) for text in texts
    )
    column = Column(name=name, kind="category", values=tuple(sorted(values)), nullable=nullable)
    return Agreed(column, dict.fromkeys(columns, column))


def _ranges(name: str, others: _Columns, release: Column) -> Agreed | str:
    """Numbers in the original, ranges in the release."""
    texts = [value for value in release.values if value != _SUPPRESSED]
    intervals = parse_intervals(texts)
    if isinstance(intervals, str):
        return (
            f"the original has numbers and the release has words, and the audit cannot say which "
            f"numbers they stand for: {intervals}"
        )
    nullable = release.nullable or any(one.nullable for one in others.values())
    column = Column(
        name=name,
        kind="category",
        values=intervals.labels,
        ordered=True,
        nullable=nullable or _SUPPRESSED in release.values,
    )
    missing = _SUPPRESSED if _SUPPRESSED in release.values else release.missing
    written = column.model_copy(update={"missing": missing if column.nullable else ""})
    return Agreed(column, {**others, "release": written}, intervals)


def _missing(column: Column, written: Column) -> Column:
    """The column with the word that a file has for missing values."""
    if not column.nullable or written.missing in column.values:
        return column
    return column.model_copy(update={"missing": written.missing})
