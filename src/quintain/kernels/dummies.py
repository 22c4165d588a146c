"""Dummy variables: numbers as they are, and for each category a variable that is 0 or 1.

A missing category is one more category. A missing number counts as the mean of the others, and one
more variable marks it as missing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import MISSING_TIME, Array, Floats
from quintain.data.column import Column
from quintain.data.schema import Schema
from quintain.data.table import Table
from quintain.errors import PartError

_MOST = 20_000  # a covariance matrix of more variables takes more than 3.2 GB


class Dummy(NamedTuple):
    """One variable: a number (``value`` None), a category, or whether a value is missing ("")."""

    column: str
    value: str | None = None


def dummies(schema: Schema) -> list[Dummy]:
    """The variables of a schema, column by column; ids have none.

    >>> from quintain.testing.examples import TABLE
    >>> dummies(TABLE)[3:5]
    [Dummy(column='colour', value='never seen'), Dummy(column='size', value=None)]
    """
    out = []
    for column in schema.attributes:
        values = column.values if column.listed else (None,)
        out += [Dummy(column.name, value) for value in values]
        out += [Dummy(column.name, "")] if column.nullable else []
    return out


def require_few(part: str, schema: Schema) -> None:
    """Refuse columns with so many categories that their covariances fill the memory."""
    sizes = {c.name: len(c.values) for c in schema.attributes if c.listed}
    total = len(dummies(schema))
    if total > _MOST:
        largest = max(sizes, key=lambda name: sizes[name])
        raise PartError(
            f"{part} compares all pairs of {total} dummy variables; the limit is {_MOST}: group "
            f"the {sizes[largest]} values of {largest!r}, or leave the column out"
        )


@dataclass(frozen=True, slots=True, eq=False)
class Moments:
    """Means and the sample covariance matrix of dummy variables.

    ``total`` has their sums, each counted from a zero near its values; ``constant`` marks the
    variables that have the same value in every record.
    """

    rows: int
    total: Floats
    mean: Floats
    covariance: Floats
    constant: npt.NDArray[np.bool_]

    def correlation(self) -> Floats:
        """Correlation coefficients, NaN where a variable is constant."""
        spread = np.sqrt(np.diag(self.covariance))
        spread[self.constant] = np.nan
        return np.asarray(self.covariance / np.outer(spread, spread))


def moments(table: Table) -> Moments:
    """Means and covariances of all dummy variables of a table with at least two rows.

    Counts pairs of columns and never builds the dummy variables themselves. The order of the rows
    does not change the last bit: either all sums are of integers, or rows are sorted by content.
    """
    rows = len(table)
    if rows < 2:
        raise ValueError("a covariance needs at least two rows")
    if not _sums_are_whole(table.schema):
        table = table.take(table.order())
    blocks, places = _lay_out(table)
    total = np.concatenate([block.total() for block in blocks])
    covariance = np.zeros((len(total), len(total)))
    for i, j in combinations_with_replacement(range(len(blocks)), 2):
        one, other = places[i], places[j]
        products = blocks[i].products(blocks[j])
        covariance[one, other] = _covariance(products, total[one], total[other], rows)
        covariance[other, one] = covariance[one, other].T
    zero = np.repeat([block.zero for block in blocks], [block.width for block in blocks])
    constant = np.concatenate([block.constant() for block in blocks])
    return Moments(rows, total, total / rows + zero, covariance, constant)


def moments_after_swaps(before: Moments, table: Table, name: str) -> Moments:
    """Moments of a table in which records swapped values of one column.

    Only the covariances of this column with others change; the result has the same bits as
    :func:`moments` of the table.

    >>> from quintain.testing import example_table
    >>> table = example_table(rows=9).select(["colour", "flag"])
    >>> swapped = table.replace({"flag": table.columns["flag"][::-1]})
    >>> after = moments_after_swaps(moments(table), swapped, "flag")
    >>> bool((after.covariance == moments(swapped).covariance).all())
    True
    """
    if not _sums_are_whole(table.schema):
        return moments(table)
    blocks, places = _lay_out(table)
    number = [column.name for column in table.schema.attributes].index(name)
    own, covariance, total = places[number], before.covariance.copy(), before.total
    for block, other in zip(blocks, places, strict=True):
        if other != own:
            products = blocks[number].products(block)
            covariance[own, other] = _covariance(products, total[own], total[other], before.rows)
            covariance[other, own] = covariance[own, other].T
    return replace(before, covariance=covariance)


def _sums_are_whole(schema: Schema) -> bool:
    """Say whether every column is one block whose sums are of integers, so exact in any order."""
    return all(c.listed or (c.discrete and not c.nullable) for c in schema.attributes)


def _lay_out(table: Table) -> tuple[list[_Block], list[slice]]:
    """The blocks of all columns, and where their variables are among all."""
    blocks = [block for column in table.schema.attributes for block in _blocks(column, table)]
    ends = np.cumsum([block.width for block in blocks]).tolist()
    places = [slice(end - block.width, end) for block, end in zip(blocks, ends, strict=True)]
    return blocks, places


def _covariance(products: Floats, total: Floats, other_total: Floats, rows: int) -> Floats:
    """Sample covariances of the variables of two blocks from sums over all records."""
    return np.asarray((rows * products - np.outer(total, other_total)) / (rows * (rows - 1.0)))


def correlation_gaps(original: Moments, other: Moments) -> Floats:
    """How much larger every correlation coefficient is in the other table.

    The coefficient of a constant variable is not defined. If it is undefined in both tables the
    difference is 0; if it is undefined in one of them the difference is 1.
    """
    one, two = original.correlation(), other.correlation()
    gaps = two - one
    gaps[np.isnan(one) != np.isnan(two)] = 1.0
    gaps[np.isnan(one) & np.isnan(two)] = 0.0
    np.fill_diagonal(gaps, 0.0)
    return np.asarray(gaps)


def weighted_sums(table: Table, weights: Floats) -> Floats:
    """For each row, the sum over its variables of weight times value.

    >>> from quintain.testing import example_table
    >>> table = example_table(rows=3).select(["flag", "size"])
    >>> weighted_sums(table, np.array([0.5, 0.0, 10.0])) - 10 * table.numbers("size")
    array([0.5, 0.5, 0.5])
    """
    out, at = np.zeros(len(table)), 0
    for column in table.schema.attributes:
        for block in _blocks(column, table):
            own_weights = weights[at : at + block.width]
            out += (
                own_weights[block.values]
                if block.size
                else own_weights[0] * (block.values + block.zero)
            )
            at += block.width
    return out


class _Block(NamedTuple):
    """One variable counted from ``zero``, or the values of a category with ``size`` of them."""

    values: Array
    size: int = 0
    zero: float = 0.0

    @property
    def width(self) -> int:
        return self.size or 1

    def total(self) -> Floats:
        if self.size:
            return np.bincount(self.values, minlength=self.size).astype(np.float64)
        return np.array([self.values.sum()])

    def products(self, other: _Block) -> Floats:
        """Sum the products of all pairs of variables of two blocks over the records."""
        if self.size and other.size:
            pairs = np.bincount(
                self.values * other.size + other.values, minlength=self.size * other.size
            )
            return pairs.reshape(self.size, other.size).astype(np.float64)
        if self.size:
            sums = np.bincount(self.values, weights=other.values, minlength=self.size)
            return np.asarray(sums[:, None], np.float64)
        return other.products(self).T if other.size else np.array([[self.values @ other.values]])

    def constant(self) -> npt.NDArray[np.bool_]:
        if self.size:
            return np.isin(self.total(), (0, len(self.values)))
        return np.array([bool((self.values == self.values[0]).all())])


def _blocks(column: Column, table: Table) -> list[_Block]:
    values = table.columns[column.name]
    if column.listed:
        size = len(column.values) + column.nullable
        return [_Block(np.where(values < 0, size - 1, values).astype(np.int64), size)]
    if column.discrete and not column.nullable:
        return [_Block(values.astype(np.float64), zero=column.offset)]
    number = numbers(column, table)
    missing = np.isnan(number)
    # Centre first: far from 0, rounding would destroy the covariance.
    middle = float(number[~missing].mean()) if not missing.all() else 0.0
    blocks = [_Block(np.where(missing, 0.0, number - middle), zero=middle)]
    return blocks + ([_Block(missing.astype(np.float64))] if column.nullable else [])


def numbers(column: Column, table: Table) -> Floats:
    """Read a column of numbers or times, with NaN for missing values."""
    out = table.numbers(column.name)
    if column.temporal:
        out[table.columns[column.name] == MISSING_TIME] = np.nan
    return out
