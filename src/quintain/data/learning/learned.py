"""Learned: a schema made from the cells of data frames, for users who have no schema.

A domain that is learned from private data reveals something about the people in them: the largest
age is somebody's age. :class:`Learned` names the columns whose domain was learned.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pydantic import ValidationError

from quintain.data.arrays import Floats
from quintain.data.arrow import to_arrow
from quintain.data.frames import arrow_of
from quintain.data.learning.decisions import FEWEST_IDS, number_column, time_column
from quintain.data.schema import Column, Schema
from quintain.data.schema.times import parse_time
from quintain.data.series import Series
from quintain.data.table import Table
from quintain.data.transactions import Transactions
from quintain.errors import DataError, Faults

_ID_NAME = re.compile(r"(?:.*[_ -])?(?:id|uuid|guid)", re.IGNORECASE)
_DAY, _SECOND = "%Y-%m-%d", "%Y-%m-%dT%H:%M:%S"


class LearnedDomain(UserWarning):
    """A domain was learned from data that may be private."""


@dataclass(frozen=True, slots=True)
class Learned:
    """A schema, and the columns whose domain was learned from the cells of data frames."""

    schema: Schema
    columns: tuple[str, ...]

    @property
    def warning(self) -> str:
        """What to consider before you publish anything made with this schema; may be empty."""
        if not self.columns:
            return ""
        return (
            f"the domains of {', '.join(self.columns)} were learned from the data; if the data are "
            "private, a release shows which values occur in them, including the smallest and the "
            "largest, and no privacy claim covers that: give schema=Schema(...) with public domains"
        )

    def _repr_html_(self) -> str:
        return f"{self.schema._repr_html_()}<p>{escape(self.warning)}</p>"


def learn_schema(*frames: Any) -> Learned:
    """The schema of data frames with the same columns, learned over all of them together.

    Texts become categories (or ids, if no text appears twice). Whole numbers become bounded
    integers, other numbers bounded reals, and dates times. A column with a missing cell is
    nullable. Data that have a schema keep their domains.

    >>> import pyarrow as pa
    >>> learned = learn_schema(pa.table({"age": [40, 17], "sex": ["f", None]}))
    >>> [(c.name, c.kind, c.nullable) for c in learned.schema.columns], learned.columns
    ([('age', 'integer', False), ('sex', 'category', True)], ('age', 'sex'))
    """
    faults = Faults("data frames")
    if not frames:
        faults.add("give at least one data frame")
    given = [frame for frame in frames if isinstance(frame, Table | Transactions | Series)]
    tables = [_plain(frame) for frame in frames]
    names = list(dict.fromkeys(name for table in tables for name in table.column_names))
    columns, learned = [], []
    for name in names:
        if any(name not in table.column_names for table in tables):
            faults.add("this column is not in all of the data frames", column=name)
            continue
        known = [data.schema[name] for data in given]
        try:
            column = _column(name, [table.column(name) for table in tables], known)
        except (ValueError, ValidationError, pa.ArrowException) as problem:
            faults.add(f"no domain can be learned: {_first_line(problem)}", column=name)
            continue
        columns.append(column)
        if column.kind != "id" and column.values != ("False", "True") and column not in known:
            learned.append(name)
    faults.raise_if_any(DataError)
    return Learned(Schema(columns=tuple(columns)), tuple(learned))


def _plain(frame: Any) -> pa.Table:
    data: bool = isinstance(frame, Table | Transactions | Series)
    return to_arrow(frame) if data else arrow_of(frame)


def _first_line(problem: Exception) -> str:
    if isinstance(problem, ValidationError):
        return str(problem.errors()[0]["msg"]).removeprefix("Value error, ")
    return str(problem).split("\n")[0]


def _column(name: str, parts: list[pa.ChunkedArray], known: list[Column]) -> Column:
    if len(known) == len(parts) and all(column == known[0] for column in known):
        return known[0]
    if any(column.kind == "id" for column in known):
        return Column(name=name, kind="id")
    nullable = any(_missing(part) for part in parts) or any(c.nullable for c in known)
    kinds = {_kind(part) for part in parts if part.null_count < len(part)}
    if not kinds:
        raise ValueError("every cell is missing")
    if kinds <= {"whole", "real"}:
        return _number(name, parts, known, kinds, nullable)
    if kinds == {"time"}:
        return _time(name, parts, nullable)
    if kinds == {"boolean"}:
        return Column(name=name, kind="category", values=("False", "True"), nullable=nullable)
    return _texts(name, parts, nullable, ordered=any(c.ordered for c in known))


def _missing(part: pa.ChunkedArray) -> bool:
    floating = pa.types.is_floating(part.type) and bool(pc.any(pc.is_nan(part)).as_py())
    empty = _is_text(part) and bool(pc.any(pc.equal(part.cast(pa.string()), "")).as_py())
    return part.null_count > 0 or floating or empty


def _is_text(part: pa.ChunkedArray) -> bool:
    kind = part.type
    return bool(
        pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_dictionary(kind)
    )


def _kind(part: pa.ChunkedArray) -> str:
    kind = part.type
    if pa.types.is_boolean(kind):
        return "boolean"
    if pa.types.is_integer(kind):
        return "whole"
    if pa.types.is_floating(kind) or pa.types.is_decimal(kind):
        numbers = _numbers(part)
        return "whole" if (numbers == np.floor(numbers)).all() else "real"
    if pa.types.is_nested(kind) or pa.types.is_binary(kind):
        raise ValueError(f"expected texts, numbers, dates or true and false, not {kind}")
    return "time" if pa.types.is_temporal(kind) else "text"


def _numbers(part: pa.ChunkedArray) -> Floats:
    numbers: Floats = part.cast(pa.float64()).drop_null().to_numpy()
    if np.isinf(numbers).any():
        raise ValueError("a column cannot hold infinity")
    return numbers[~np.isnan(numbers)]


def _number(
    name: str, parts: list[pa.ChunkedArray], known: list[Column], kinds: set[str], nullable: bool
) -> Column:
    if kinds == {"whole"} and not nullable and _ID_NAME.fullmatch(name) and _distinct(parts):
        return Column(name=name, kind="id")
    numbers = np.concatenate([_numbers(part) for part in parts])
    bounds = [b for c in known for b in (c.low, c.high) if b is not None]
    low, high = min([*bounds, float(numbers.min())]), max([*bounds, float(numbers.max())])
    return number_column(name, low, high, whole=kinds == {"whole"}, nullable=nullable)


def _time(name: str, parts: list[pa.ChunkedArray], nullable: bool) -> Column:
    moments = [part.cast(pa.timestamp("s"), safe=False).cast(pa.int64()) for part in parts]
    seconds = np.concatenate([one.drop_null().to_numpy() for one in moments])
    form = _DAY if (seconds % 86_400 == 0).all() else _SECOND
    low, high = int(seconds.min()), int(seconds.max())
    return time_column(name, low, high, form, nullable=nullable)


def _texts(name: str, parts: list[pa.ChunkedArray], nullable: bool, *, ordered: bool) -> Column:
    listed = [_listed(part) for part in parts]
    texts = list(dict.fromkeys(text for one in listed for text in one if text))
    if all(parse_time(text, _DAY) is not None for text in texts):
        days = [parse_time(text, _DAY) or 0 for text in texts]
        return time_column(name, min(days), max(days), _DAY, nullable=nullable)
    if len(texts) >= FEWEST_IDS and not nullable and _distinct(parts):
        return Column(name=name, kind="id")
    domains = [part.type for part in parts if pa.types.is_dictionary(part.type)]
    if len(domains) < len(parts):
        texts = sorted(texts)
    ordered = ordered or any(domain.ordered for domain in domains)
    values = tuple(texts)
    return Column(name=name, kind="category", values=values, ordered=ordered, nullable=nullable)


def _listed(part: pa.ChunkedArray) -> list[str]:
    """The values of a column; a dictionary gives all its values in its order, used or not."""
    if pa.types.is_dictionary(part.type):
        if not part.num_chunks:
            return []
        values = part.unify_dictionaries().chunk(0).dictionary.to_pylist()
        return [str(value) for value in values if value is not None]
    return [str(text) for text in pc.unique(part.cast(pa.string())).drop_null().to_pylist()]


def _distinct(parts: list[pa.ChunkedArray]) -> bool:
    return all(pc.count_distinct(part.cast(pa.string())).as_py() == len(part) for part in parts)
