"""How far apart two records are, and records as points that make this quick to compute.

Missing values are a value of their own under every distance: two missing values agree, and a
missing value against a present one costs as much as two different categories, also in a number.
Distances are summed in float64: all mismatches first, then the numbers in column order.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, NamedTuple, get_args

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import MISSING_TIME, Array, Floats, Ints
from quintain.data.column import Column
from quintain.data.schema import Schema
from quintain.data.table import Table
from quintain.errors import PartError
from quintain.kernels.dummies import numbers

Bits = npt.NDArray[np.uint64]
Metric = Literal["euclidean", "manhattan", "gower"]

_WORD = 64
_LARGEST = 1e150  # the square of a larger number overflows float64

_LEAST = 1e-150  # a column whose numbers are closer together than this says nothing


@dataclass(frozen=True, slots=True)
class Distance:
    r"""How far apart two records are.

    With differences $\Delta_j$ of numbers, their weights $w_j$, and $m$ differing categories:

    - euclidean: $\sqrt{\sum_j (w_j \Delta_j)^2 + 2m}$, the Euclidean distance of the full one-hot
      encoding with numbers as they are (AMIC 2020, attack.py);
    - manhattan: $\sum_j |w_j \Delta_j| + m$ (AMIC 2020, rules);
    - gower: $(\sum_j |w_j \Delta_j| + m)$ over the number of columns, with $w_j$ one over the
      width of the column's domain, so that each column counts between 0 and 1.

    Parameters
    ----------
    kind : the formula.
    weights : factors for some numeric columns, in place of 1 (gower: of one over the width).
    """

    kind: Metric = "euclidean"
    weights: Mapping[str, float] = field(default_factory=dict, hash=False)

    def __post_init__(self) -> None:
        if self.kind not in get_args(Metric):
            raise ValueError(
                f"unknown distance {self.kind!r}; available: {', '.join(get_args(Metric))}"
            )
        for name, weight in self.weights.items():
            if not (math.isfinite(weight) and weight >= 0):
                raise ValueError(f"the weight of {name!r} is {weight}: expected 0 or more")

    @property
    def mismatch(self) -> float:
        """What one differing category adds to the sum."""
        return 2.0 if self.kind == "euclidean" else 1.0

    def weight(self, column: Column) -> float:
        """The factor of a numeric column."""
        if column.name in self.weights or self.kind != "gower":
            return float(self.weights.get(column.name, 1.0))
        if column.low is None or column.high is None:
            raise ValueError(
                f"{column.name!r} has no bounds in the schema, so gower needs a weight for it"
            )
        # In a domain of one value there is no difference to weigh.
        return 1.0 / (column.high - column.low) if column.high > column.low else 0.0


def gower(schema: Schema, tables: Sequence[Table]) -> Distance:
    """The distance in which every column counts between 0 and 1.

    A number or time is scaled by the range of the schema, or else by its range in some tables.

    >>> from quintain.data import Column, Schema, Table
    >>> schema = Schema(columns=(Column(name="wage", kind="real"),))
    >>> gower(schema, [Table.of(schema, {"wage": [10.0, 20.0]})]).weights
    {'wage': 0.1}
    """
    unbounded = [c.name for c in schema.attributes if None in (c.low, c.high)]
    widths = spans(schema.select(unbounded), tables)
    return Distance(
        "gower", {name: 1 / width if width > _LEAST else 0.0 for name, width in widths.items()}
    )


class RecordPoints(NamedTuple):
    """Records, one per column: the bits of categories, then numbers and codes."""

    bits: Bits
    values: Floats

    @property
    def columns(self) -> tuple[Array, ...]:
        """All arrays, bits first."""
        return (*self.bits, *self.values)

    def take(self, rows: Ints) -> RecordPoints:
        """Some of the records."""
        return RecordPoints(self.bits[:, rows], self.values[:, rows])


class NumberScale(NamedTuple):
    """A numeric column of a point."""

    column: Column
    weight: float


# A number that is 0 in every record, where there is no other number that is never missing. A
# search tree tells the padding of its blocks from records by an infinite number.
_GUARD = NumberScale(Column(name="", kind="id"), 1.0)


class Layout:
    """Where each column of a schema goes in a point, and what its differences cost.

    Narrow categories have one bit per value, within one 64-bit word; wide ones are stored as codes,
    after the numbers. A number that may be missing has two more bits: present, missing.
    """

    def __init__(self, schema: Schema, distance: Distance) -> None:
        self.columns, self.distance = schema.attributes, distance
        numeric = [c for c in self.columns if not c.listed]
        unknown = sorted(set(distance.weights) - {c.name for c in numeric})
        if not self.columns:
            raise ValueError("the schema has no columns to compare, only ids")
        if unknown:
            raise ValueError(f"weights for columns that are not numeric: {', '.join(unknown)}")
        weighed = [NumberScale(c, distance.weight(c)) for c in numeric]
        self.numbers = [number for number in weighed if number.weight > 0]
        self.categories = [c for c in self.columns if c.listed]
        self.wide = [c for c in self.categories if slots(c) > _WORD]
        if all(number.column.nullable for number in self.numbers):
            self.numbers.append(_GUARD)
        fits = [c for c in self.categories if c not in self.wide]
        self.places, self.words = _places(fits + [c for c in numeric if c.nullable])

    def encode(self, table: Table) -> RecordPoints:
        """The records of a table."""
        if table.schema.attributes != self.columns:
            raise ValueError("the two tables do not have the same columns")
        bits = np.zeros((self.words, len(table)), np.uint64)
        for column, word, bit in self.places:
            bits[word] |= np.left_shift(np.uint64(1), _slot(column, table) + np.uint64(bit))
        values = np.zeros((len(self.numbers) + len(self.wide), len(table)))
        for row, (column, weight) in enumerate(self.numbers):
            values[row] = _values(column, table)
            if np.fmax.reduce(np.abs(values[row]), initial=0) * weight > _LARGEST:
                raise PartError(
                    f"{column.name!r} has numbers above {_LARGEST:g}, which are too large to "
                    "compare: scale the column"
                )
        for row, column in enumerate(self.wide, len(self.numbers)):
            values[row] = _values(column, table)
        return RecordPoints(bits, values)

    def features(self, table: Table) -> list[Array]:
        """One array per column, numbers first: the keys to sort records by."""
        numbers = [_values(n.column, table) for n in self.numbers]
        return numbers + [table.columns[c.name] for c in self.categories]

    def price(self, number: int, gap: Floats) -> Floats:
        """What absolute differences in a number cost; computed in place."""
        column, weight = self.numbers[number]
        if column.nullable:
            np.fmax(gap, 0, out=gap)  # missing (NaN) does not differ here: its bits differ
        if weight != 1:
            gap *= weight
        if self.distance.kind == "euclidean":
            gap *= gap
        return gap

    def costs(self, points: RecordPoints, others: RecordPoints) -> Floats:
        """The summed costs of pairs of records, one record of each side."""
        differing = np.zeros(points.values.shape[1], np.int64)
        for bits, other in zip(points.bits, others.bits, strict=True):
            differing += np.bitwise_count(bits & ~other)
        gaps = np.abs(others.values - points.values)
        differing += (gaps[len(self.numbers) :] > 0).sum(axis=0)
        total = np.asarray(self.distance.mismatch * differing, np.float64)
        for number, gap in enumerate(gaps[: len(self.numbers)]):
            total += self.price(number, gap)
        return total

    @property
    def separates(self) -> bool:
        """Whether only equal records cost nothing: small differences have a square of 0."""
        return all(not c.fractional and weight * weight > 0 for c, weight in self.numbers)

    def finish(self, costs: Floats) -> Floats:
        """Distances from summed costs."""
        if self.distance.kind == "euclidean":
            return np.sqrt(costs)
        return costs / len(self.columns) if self.distance.kind == "gower" else costs


def slots(column: Column) -> int:
    """How many bits a column needs."""
    return (len(column.values) or 1) + column.nullable


def _places(columns: list[Column]) -> tuple[list[tuple[Column, int, int]], int]:
    """The word and the lowest bit of each column, and the number of words."""
    places, word, bit = [], 0, 0
    for column in columns:
        if bit + slots(column) > _WORD:
            word, bit = word + 1, 0
        places.append((column, word, bit))
        bit += slots(column)
    return places, word + 1 if columns else 0


def _slot(column: Column, table: Table) -> Bits:
    """Which of its bits a column sets in each record; the last one where it is missing."""
    if column.listed:
        codes = _values(column, table)
        slot = np.where(codes < 0, slots(column) - 1, codes)
    else:
        slot = np.isnan(_values(column, table))
    return slot.astype(np.uint64)


def _values(column: Column, table: Table) -> Array:
    """A column as numbers, NaN where missing; categories as codes, -1 where missing."""
    if column.identifying:
        return np.zeros(len(table))
    stored = table.columns[column.name]
    values = stored if column.listed else table.numbers(column.name)
    if column.temporal:
        values[stored == MISSING_TIME] = np.nan
    missing = stored < 0 if column.listed else np.isnan(values)
    if not column.nullable and missing.any():
        raise ValueError(f"{column.name!r} is missing in a row, but the schema says it never is")
    return values


def span(column: Column, tables: Sequence[Table]) -> float:
    """The width of a column's range: between the bounds of the schema, or else of some tables.

    >>> from quintain.data import Column, Schema, Table
    >>> wage = Column(name="wage", kind="real", low=0)
    >>> span(wage, [Table.of(Schema(columns=(wage,)), {"wage": [12.5, 20.0]})])
    20.0
    """
    low, high = column.bounds
    if low is None or high is None:
        values = np.concatenate([numbers(column, table) for table in tables])
        values = values[~np.isnan(values)]
        if not len(values):
            return 0.0
        low = values.min() if low is None else low
        high = values.max() if high is None else high
    width = max(0.0, float(high) - float(low))
    if width == np.inf:
        raise PartError(f"{column.name!r} has numbers too large to compare: scale the column")
    return width


def spans(schema: Schema, tables: Sequence[Table]) -> dict[str, float]:
    """The width of the range of every number and time of a schema."""
    numeric = [column for column in schema.attributes if not column.listed]
    return {column.name: span(column, tables) for column in numeric}
