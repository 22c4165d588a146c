"""Synthetic records with the means, variances and covariances of the private ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Annotated, Literal, NamedTuple, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.data import Column, Data, Schema, Table, as_table
from quintain.data.arrays import MISSING_TIME, Array, Floats, Mask, Rows
from quintain.data.codec import missing_cells
from quintain.data.times import in_seconds, in_units, smallest_unit
from quintain.errors import PartError
from quintain.kernels.dummies import Moments, moments, numbers
from quintain.randomness.noise import Noise
from quintain.registry import register
from quintain.releases import FocalPoint, Method, Release, Sanitized, Trace
from quintain.sanitizers.masking.mask import as_stored
from quintain.sanitizers.sanitizer import Sanitizer
from quintain.sanitizers.shuffling import permutation
from quintain.sanitizers.synthesizer import LARGEST_RELEASE

# The first draft of the moments generator: records with the right values and no dependence.
#
# Variables that are 0 or 1 are stored as bits, so that a million records of AMIC take 25 MB. They
# become a matrix of floats block by block.


BLOCK = 1 << 14
"""The number of records per block; a multiple of 8, so that a block starts at a whole byte."""


class MomentPlace(NamedTuple):
    """Where a column is among the dummy variables: its number, and its 0-or-1 variables."""

    column: Column
    number: int | None
    flags: slice


def places(schema: Schema) -> list[MomentPlace]:
    """List the places of the columns, in the order of :func:`quintain.kernels.dummies.dummies`."""
    out, at = [], 0
    for column in schema.columns:
        number = None if column.listed else at
        first = at if number is None else at + 1
        at = first + len(column.values) + column.nullable
        out.append(MomentPlace(column, number, slice(first, at)))
    return out


@dataclass(frozen=True, slots=True, eq=False)
class Start:
    """The records to start from, with one row per variable that is not constant.

    Parameters
    ----------
    rows : the number of records.
    numeric : which variables are numbers.
    numbers : the numbers, relative to their mean in the original.
    bits : the other variables, eight records per byte.
    """

    rows: int
    numeric: Mask
    numbers: Floats
    bits: npt.NDArray[np.uint8]

    def blocks(self) -> Iterator[tuple[int, Floats]]:
        """Give all records in blocks, each with the number of its first record."""
        for first in range(0, self.rows, BLOCK):
            count = min(BLOCK, self.rows - first)
            block = np.empty((len(self.numeric), count))
            block[self.numeric] = self.numbers[:, first : first + count]
            packed = self.bits[:, first // 8 : (first + count + 7) // 8]
            block[~self.numeric] = np.unpackbits(packed, axis=1, count=count)
            yield first, block

    def moments(self) -> tuple[Floats, Floats]:
        """Compute the mean and the sample covariance of the variables."""
        total = np.zeros(len(self.numeric))
        products = np.zeros((len(total), len(total)))
        for _, block in self.blocks():
            total += block.sum(axis=1)
            products += block @ block.T
        mean = total / self.rows
        return mean, (products - self.rows * np.outer(mean, mean)) / max(1, self.rows - 1)


def draw_start(
    data: Table, wanted: Moments, rows: int, *, joint: bool, kde: bool, noise: Noise
) -> Start:
    """Draw the records to start from.

    For up to as many records as the data has, each column is permuted. For more, its values are
    drawn at random.

    Parameters
    ----------
    wanted : the moments of the data.
    joint : whether exactly one value of a category is 1; otherwise each is drawn on its own.
    kde : whether standard normal noise is added to integers.
    """
    numeric: list[bool] = []
    columns: list[Floats] = []
    bits: list[npt.NDArray[np.uint8]] = []
    for place in places(data.schema):
        at = place.number
        if at is not None and not wanted.constant[at]:
            values = fill_missing(place.column, data) - wanted.mean[at]
            columns.append(values[_pick(len(data), rows, noise)])
            if kde and place.column.whole:
                columns[-1] += _normal(rows, noise)
            numeric.append(True)
        varying = np.flatnonzero(~wanted.constant[place.flags])
        if len(varying):
            draw = _joint if joint else _independent
            flags = draw(_codes(place, data), varying, rows, noise)
            bits += [np.packbits(flag) for flag in flags]
            numeric += [False] * len(varying)
    return Start(
        rows,
        np.array(numeric, bool),
        np.array(columns).reshape(len(columns), rows),
        np.array(bits, np.uint8).reshape(len(bits), (rows + 7) // 8),
    )


def fill_missing(column: Column, data: Table) -> Floats:
    """Give a numeric column with the mean in place of missing values."""
    values = numbers(column, data)
    missing = np.isnan(values)
    return np.where(missing, values[~missing].mean() if not missing.all() else 0.0, values)


def _codes(place: MomentPlace, data: Table) -> Rows:
    """Give the number of the flag that is 1 in each record; a number past the last if none is."""
    if place.number is not None:
        return np.where(np.isnan(numbers(place.column, data)), 0, 1)
    codes = data.columns[place.column.name]
    return np.where(codes < 0, place.column.size, codes).astype(np.int64)


def _pick(size: int, rows: int, noise: Noise) -> Rows:
    return permutation(size, noise)[:rows] if rows <= size else noise.integers(size, rows)


def _independent(codes: Rows, varying: Rows, rows: int, noise: Noise) -> Iterator[Mask]:
    """Draw every flag on its own, as often 1 as in the data; no flag becomes constant."""
    for value in varying:
        flag = codes == value
        if rows <= len(codes):
            flag = flag[permutation(len(codes), noise)[:rows]]
        else:
            # 32 random bits are enough, since the map corrects shares; 64 would be twice the work.
            coins = np.frombuffer(noise.bytes(4 * rows), "<u4")
            flag = coins < np.uint32(round(flag.mean() * 2**32))
        if flag.all() or not flag.any():
            flag[noise.integers(rows, 1)] ^= True
        yield flag


def _joint(codes: Rows, varying: Rows, rows: int, noise: Noise) -> Iterator[Mask]:
    """Draw the values of random records; no value is lost if there are enough records."""
    picked = codes[_pick(len(codes), rows, noise)]
    values = np.unique(codes)
    if len(values) <= rows and len(np.unique(picked)) < len(values):
        picked[permutation(rows, noise)[: len(values)]] = values
    for value in varying:
        yield picked == value


def _normal(size: int, noise: Noise) -> Floats:
    from scipy.special import ndtri

    draws: Floats = ndtri(np.maximum(noise.uniform(size), 2.0**-54))
    return draws


# Linear maps that turn data with one covariance into data with another.


Variant = Literal["svd", "zca"]


def colouring(start: Floats, target: Floats, variant: Variant) -> Floats:
    r"""Give the matrix $M$ with $M \Sigma_{start} M^T = \Sigma_{target}$.

    With $\Sigma = U \Lambda U^T$, "svd" is $U_t \Lambda_t^{1/2} \Lambda_s^{-1/2} U_s^T$: principal
    axes go to principal axes in the order of their variances. "zca" is
    $\Sigma_t^{1/2} \Sigma_s^{-1/2}$, which moves the data less. Directions that start without
    variance stay without variance.

    >>> colouring(np.diag([4.0, 1.0]), np.diag([9.0, 1.0]), "svd").tolist()
    [[1.5, 0.0], [0.0, 1.0]]
    """
    if not len(start):
        return np.zeros((0, 0))
    spread, axes = principal_axes(start)
    wanted, aims = principal_axes(target)
    inverse = np.divide(1.0, np.sqrt(spread), out=np.zeros_like(spread), where=spread > 0)
    whitened, coloured = (axes * inverse).T, aims * np.sqrt(wanted)
    turned = whitened if variant == "svd" else aims.T @ axes @ whitened
    mapped: Floats = coloured @ turned
    return mapped


def principal_axes(covariance: Floats) -> tuple[Floats, Floats]:
    """Give the variances along the principal axes, largest first, and the axes as columns.

    The sign of an axis is arbitrary, and libraries differ in it. Here its largest component (the
    first one, if several are equal) is positive. Variances that are 0 up to rounding become 0.
    """
    variances, axes = np.linalg.eigh(covariance)
    variances, axes = variances[::-1], axes[:, ::-1]
    # Rounded, so that components that should be equal do not decide by their last bits.
    largest = np.round(np.abs(axes), 9).argmax(axis=0)
    signs = np.where(np.take_along_axis(axes, largest[None], 0) < 0, -1.0, 1.0)
    noise = len(covariance) * np.finfo(np.float64).eps * variances.max(initial=0.0)
    return np.where(variances > noise, variances, 0.0), axes * signs


# Moments: synthetic records that keep the means and covariances of the private data.


@register("moments-v1")
class MomentsGenerator(Sanitizer):
    """Makes synthetic records with the same means, variances and covariances as the private data.

    Every value of a category becomes a variable that is 0 or 1. The part draws records whose
    columns have the right values but do not depend on each other. A linear map then gives them
    exactly the wanted means and covariances (given more records than variables). Finally the
    largest variable of a category decides its value, and integers are rounded and moved into the
    range of the private data, so the moments of the release are only approximate. The part claims
    no privacy: the moments, the range and the values that occur are those of the private data.

    AMIC made its population with this method, and gave it to teams as a sample anonymizer.

    *Patents.* The authors' company holds patents on generating data by coding categories as 0 and
    1, treating them as numbers and bringing the result back into range while covariances are kept:
    US 12,265,649 B2, JP6904426B2, EP3696704B1 (priority 2017). Both variants may fall under them.
    This is not legal advice. Quintain runs this part only if an edition or a caller names it.

    Parameters
    ----------
    rows : how many records to make; if not given, as many as the private data has.
    variant : "svd" maps principal axes to principal axes, as the organisers did; "zca" starts from
        true categories and moves the records less, which keeps one-way counts better.
    int_kde : whether standard normal noise is added to the integers that are drawn.

    The mean size is exact before rounding, and close in the release:

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> table = people(example_table())
    >>> before = MomentsGenerator().continuous(table, q.Noise.for_test(1))
    >>> after = q.sanitize("moments", table, seed=1).data.numbers("size")
    >>> [round(float(sizes.mean()), 2) for sizes in (table.numbers("size"), before[:, 4], after)]
    [2.04, 2.04, 2.06]

    References
    ----------
    Okada et al., Privacy preserved synthetic datasets generation by using statistics, CSS 2017,
    3F3-4 (in Japanese; "OMTH17"). AMIC (PWSCup 2020), "Synthetic Data Generation Algorithm Used in
    AMIC" and sample code "synthetic.py".
    """

    rows: Annotated[int, Field(ge=1, le=LARGEST_RELEASE)] | None = None
    variant: Variant = "svd"
    int_kde: bool = True

    @classmethod
    def examples(cls) -> list[Self]:
        """List both variants, with fewer and with more records than the private data."""
        return [cls(), cls(rows=500, variant="zca"), cls(rows=50, int_kde=False)]

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Draw records, map them to the wanted moments and decode them, block by block."""
        private = as_table(data)
        self._require_values(private)
        table = _times_as_numbers(private)
        rows = self.rows or len(table)
        out = {
            column.name: np.empty(rows, table.columns[column.name].dtype)
            for column in table.schema.columns
        }
        decoders = [(place, *_range(place, table)) for place in places(table.schema)]
        for first, block in self._map_blocks(table, noise):
            for place, low, high in decoders:
                values = _decode(place, block, low, high)
                out[place.column.name][first : first + len(values)] = values
        method = Method(
            name="synthetic data generation",
            rows=rows,
            detail=f"means and covariances of all variables kept, variant {self.variant}",
        )
        trace = Trace(self.choice(data, noise=noise))
        return Sanitized(Release(_with_times(private.schema, out), methods=(method,)), trace)

    def choice(self, data: Data, *, noise: Noise) -> tuple[FocalPoint, ...]:
        """Give every pair of columns: there is nothing to choose."""
        return tuple(FocalPoint(pair) for pair in combinations(data.schema.names, 2))

    def continuous(self, data: Table, noise: Noise) -> Floats:
        """Make the records before they become discrete: one column for each dummy variable.

        The order is that of :func:`quintain.kernels.dummies.dummies`. With the same noise,
        :meth:`sanitize` decodes these records.
        """
        self._require_values(data)
        table = _times_as_numbers(data)
        return np.concatenate([block for _, block in self._map_blocks(table, noise)], axis=1).T

    def _map_blocks(self, data: Table, noise: Noise) -> Iterator[tuple[int, Floats]]:
        """Make blocks of records with the moments of the data; one row per variable."""
        wanted = _moments(data)
        begin = draw_start(
            data,
            wanted,
            self.rows or len(data),
            joint=self.variant == "zca",
            kde=self.int_kde,
            noise=noise,
        )
        mean, covariance = begin.moments()
        varies = np.flatnonzero(~wanted.constant)
        # Constant variables have a row of zeros in the map, so the shift alone gives their value.
        mapping = np.zeros((len(wanted.mean), len(varies)))
        target = wanted.covariance[np.ix_(varies, varies)]
        mapping[varies] = colouring(covariance, target, self.variant)
        shift = (wanted.mean - mapping @ mean)[:, None]
        for first, block in begin.blocks():
            mapped = mapping @ block
            mapped += shift
            yield first, mapped

    def _require_values(self, table: Table) -> None:
        other = [c.name for c in table.schema.columns if c.identifying]
        if other:
            raise PartError(f"{self.id} makes no ids; leave them out: {', '.join(other)}")


def _times_as_numbers(table: Table) -> Table:
    """Give times as real numbers, in the smallest unit that their format writes."""
    times = [column for column in table.schema.columns if column.temporal]
    if not times:
        return table
    columns, contents = dict(zip(table.schema.names, table.schema.columns, strict=True)), {}
    for column in times:
        columns[column.name] = Column(name=column.name, kind="real", nullable=column.nullable)
        seconds = table.columns[column.name]
        missing = missing_cells(column, seconds)
        units = in_units(np.where(missing, 0, seconds), smallest_unit(column.time_format))
        contents[column.name] = np.where(missing, np.nan, units)
    schema = table.schema.model_copy(update={"columns": tuple(columns.values())})
    return Table(schema, {**table.columns, **contents})


def _with_times(schema: Schema, contents: dict[str, Array]) -> Table:
    """Make the table in which numbers are times again."""
    for column in schema.columns:
        if column.temporal:
            numbers = contents[column.name]
            missing = np.isnan(numbers)
            units = np.rint(np.where(missing, 0, numbers)).astype(np.int64)
            seconds = in_seconds(units, smallest_unit(column.time_format))
            contents[column.name] = np.where(missing, MISSING_TIME, seconds)
    return Table(schema, contents)


def _moments(data: Table) -> Moments:
    """Compute the moments of the data; a single record has covariances of 0."""
    return moments(data if len(data) > 1 else data.concat(data))


def _range(place: MomentPlace, data: Table) -> tuple[float, float]:
    """Give the smallest and the largest number of a column."""
    if place.number is None:
        return 0.0, 0.0
    values = fill_missing(place.column, data)
    return float(values.min()), float(values.max())


def _decode(place: MomentPlace, block: Floats, low: float, high: float) -> Array:
    """Turn the variables of one column back into the values that a table stores."""
    column, flags = place.column, block[place.flags]
    if place.number is None:
        code = flags.argmax(axis=0)
        return np.where(code == column.size, -1, code) if column.nullable else code
    value = np.clip(block[place.number], low, high)
    if column.nullable:
        value[flags[0] > 0.5] = np.nan
    return as_stored(column, value)
