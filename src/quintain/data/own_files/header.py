"""Headers: notice a file whose first row is a record and not the names of the columns.

A file does not say it. So the first row is held beside the rows below: how much more probable is it
as another row than as column names? Names are hardly ever numbers, unless they are years or count
up, and hardly ever a value of their own column.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import pyarrow as pa

from quintain.data.learning.time_formats import TimeFormats
from quintain.data.own_files.spelling import MISSING, RARER_MISSING
from quintain.errors import DataError, Fault

LOOKED_AT = 1000
"""How many rows are looked at."""
_ASK = 3.0
"""From this logarithm of the ratio of probabilities on, somebody has to say what it is."""
_NUMBERS_AS_NAMES, _VALUE_AS_NAME = 0.02, 0.01
"""How probable it is that columns of numbers have numbers as names, and that a name is a value."""
_SHOWN = 3


def number_columns(count: int) -> tuple[str, ...]:
    """Names for the columns of a file without names."""
    return tuple(f"column_{place}" for place in range(1, count + 1))


def require_header(file: str, first: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Raise if the first row of a file looks like those below, with the evidence and a way out."""
    if doubt := header_doubt(first, rows):
        message = (
            f"the first row looks like the others, so it may not have the column names: {doubt}. "
            "Say what it is: --header or header=True for column names, --no-header or "
            "header=False for a record"
        )
        raise DataError([Fault(message, file, 1)])


@dataclass(frozen=True, slots=True)
class _Column:
    """The first cell of a column, and the cells with a value below."""

    first: str
    below: list[str]


def header_doubt(first: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """What speaks for a record in the first row; empty if it has the names of the columns.

    >>> header_doubt(["sex", "age"], [["f", "40"], ["m", "17"]])
    ''
    >>> header_doubt(["f", "31"], [["f", "40"], ["m", "17"], ["f", "30"]])
    "'f' occurs below as well; 31 stands where numbers from 17 to 40 stand below"
    """
    width = len(first)
    whole = [row for row in rows[:LOOKED_AT] if len(row) == width]
    if width > 1:  # a header that stands again in the middle says nothing about the first row
        whole = [row for row in whole if list(row) != list(first)]
    columns = [
        _Column(
            name.strip(), [cell for row in whole if (cell := row[place].strip()) not in MISSING]
        )
        for place, name in enumerate(first)
    ]
    columns = [column for column in columns if column.first not in MISSING]
    numbers, odds, evidence = [], 0.0, list[str]()
    for column in columns:
        if _all_numbers(column.below):
            if _number(column.first) is None:
                if column.below and column.first not in RARER_MISSING:
                    return ""  # a word above numbers is a name
                continue
            numbers.append(column)
        elif _all_times(column.below):
            if not _all_times([column.first, *column.below]):
                return ""
            odds -= math.log(_VALUE_AS_NAME)
            evidence.append(f"{column.first!r} is a time like those below")
        else:
            odds += _odds_of_word(column, evidence)
    odds += _odds_of_numbers(numbers, evidence)
    if odds < _ASK or not evidence:
        return ""
    more = f"; so do {len(evidence) - _SHOWN} further cells" if len(evidence) > _SHOWN else ""
    return "; ".join(evidence[:_SHOWN]) + more


def _odds_of_word(column: _Column, evidence: list[str]) -> float:
    """The logarithm of how much more probable the first cell is as a value than as a name."""
    counts = Counter(column.below)
    rare = sum(1 for count in counts.values() if count == 1)
    new = (rare + 1) / (len(column.below) + 2)
    if not counts[column.first]:
        return math.log(new)
    evidence.insert(0, f"{column.first!r} occurs below as well")
    return math.log(max(1 - new, 1e-9) / _VALUE_AS_NAME)


def _odds_of_numbers(columns: Sequence[_Column], evidence: list[str]) -> float:
    """The same for all columns of numbers together: who names one by a number names all so."""
    first = [value for column in columns if (value := _number(column.first)) is not None]
    if not first or _counts_up(first):
        return 0.0
    odds = -math.log(_NUMBERS_AS_NAMES)
    ascending = all(low < high for low, high in pairwise(first))
    chance = 1 / math.factorial(min(len(first), 20))
    odds += math.log(chance / 0.9) if ascending else math.log(max(1 - chance, 1e-9) / 0.1)
    for column, value in zip(columns, first, strict=True):
        below = [number for cell in column.below if (number := _number(cell)) is not None]
        if not below:
            evidence.append(f"{column.first} is a number")
        elif min(below) <= value <= max(below):
            low, high = (f"{bound:g}" for bound in (min(below), max(below)))
            evidence.append(f"{column.first} stands where numbers from {low} to {high} stand below")
        else:
            odds += math.log(min(2 / (len(below) + 1) / 0.7, 1.0))
    return min(odds, 0.0) if all(map(_is_year, first)) else odds


def _counts_up(numbers: Sequence[float]) -> bool:
    """Whether numbers follow each other, as those of questions, days or pixels do."""
    steps = {round(high - low, 9) for low, high in pairwise(numbers)}
    return steps == {1.0} or (len(numbers) > 2 and len(steps) == 1 and steps != {0.0})


def _is_year(number: float) -> bool:
    return number.is_integer() and 1800 <= number <= 2199


def _all_numbers(cells: Sequence[str]) -> bool:
    return all(_number(cell) is not None or cell in RARER_MISSING for cell in cells)


def _number(cell: str) -> float | None:
    """The number that a cell is, also with a decimal comma; None if it is something else."""
    try:
        number = float(cell.replace(",", "."))
    except ValueError:
        return None
    return number if math.isfinite(number) and "_" not in cell else None


def _all_times(cells: Sequence[str]) -> bool:
    formats = TimeFormats()
    formats.narrow(pa.array(list(dict.fromkeys(cells)), pa.string()))
    return bool(cells) and formats.best is not None
