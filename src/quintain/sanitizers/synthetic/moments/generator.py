"""Moments: synthetic records that keep the means and covariances of the private data."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Annotated, Self

import numpy as np
from pydantic import Field

from quintain.data import Column, Data, Schema, Table, as_table
from quintain.data.arrays import MISSING_TIME, Array, Floats
from quintain.data.codec import missing_cells
from quintain.data.schema.times import in_seconds, in_units, smallest_unit
from quintain.errors import PartError
from quintain.kernels.dummies import Moments, moments
from quintain.noise import Noise
from quintain.registry import register
from quintain.releases import FocalPoint, Method, Release, Sanitized, Trace
from quintain.sanitizers.masking.columns import as_stored
from quintain.sanitizers.sanitizer import Sanitizer
from quintain.sanitizers.synthesizer import LARGEST_RELEASE
from quintain.sanitizers.synthetic.moments.start import Place, draw_start, fill_missing, places
from quintain.sanitizers.synthetic.moments.whitening import Variant, colouring


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
    This is no legal advice. Quintain runs this part only if an edition or a caller names it.

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
        for first, block in self._mapped(table, noise):
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
        return np.concatenate([block for _, block in self._mapped(table, noise)], axis=1).T

    def _mapped(self, data: Table, noise: Noise) -> Iterator[tuple[int, Floats]]:
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
        other = [c.name for c in table.schema.columns if c.kind == "id"]
        if other:
            raise PartError(f"{self.id} makes no ids; leave them out: {', '.join(other)}")


def _times_as_numbers(table: Table) -> Table:
    """Give times as real numbers, in the smallest unit that their format writes."""
    times = [column for column in table.schema.columns if column.kind == "time"]
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
        if column.kind == "time":
            numbers = contents[column.name]
            missing = np.isnan(numbers)
            units = np.rint(np.where(missing, 0, numbers)).astype(np.int64)
            seconds = in_seconds(units, smallest_unit(column.time_format))
            contents[column.name] = np.where(missing, MISSING_TIME, seconds)
    return Table(schema, contents)


def _moments(data: Table) -> Moments:
    """Compute the moments of the data; a single record has covariances of 0."""
    return moments(data if len(data) > 1 else data.concat(data))


def _range(place: Place, data: Table) -> tuple[float, float]:
    """Give the smallest and the largest number of a column."""
    if place.number is None:
        return 0.0, 0.0
    values = fill_missing(place.column, data)
    return float(values.min()), float(values.max())


def _decode(place: Place, block: Floats, low: float, high: float) -> Array:
    """Turn the variables of one column back into the values that a table stores."""
    column, flags = place.column, block[place.flags]
    if place.number is None:
        code = flags.argmax(axis=0)
        return np.where(code == column.size, -1, code) if column.nullable else code
    value = np.clip(block[place.number], low, high)
    if column.nullable:
        value[flags[0] > 0.5] = np.nan
    return as_stored(column, value)
