"""Moments: synthetic records with the means and covariances of the private data."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import Annotated, Self

import numpy as np
from pydantic import Field

from quintain.data import Data, Table, as_table
from quintain.data.arrays import Array, Floats
from quintain.errors import PartError
from quintain.kernels.dummies import Moments, moments
from quintain.noise import Noise
from quintain.registry import register
from quintain.releases import FocalPoint, Method, Release, Sanitized, Trace
from quintain.sanitizers.masking.columns import as_stored
from quintain.sanitizers.sanitizer import Sanitizer
from quintain.sanitizers.synthesizer import LARGEST_RELEASE
from quintain.sanitizers.synthetic.moments.start import Place, drawn, filled, places
from quintain.sanitizers.synthetic.moments.whitening import Variant, colouring


@register("moments-v1")
class MomentsGenerator(Sanitizer):
    """Makes synthetic records with the same means, variances and covariances as the private data.

    Every category becomes a variable that is 0 or 1. Records with the right values but no
    dependence are drawn, and a linear map gives them exactly the means and covariances wanted
    (given more records than variables). Then the largest variable of a category decides its value,
    and integers are rounded and moved into the range of the private data, which costs some of what
    was exact. Nothing is claimed: the moments, the range and the values that occur are the private
    data's own.

    AMIC made its population with this, and handed it out as a sample anonymizer.

    *Patents.* The authors' company holds patents on generating data by coding categories as 0 and
    1, treating them as numbers and bringing the result back into range while covariances are kept:
    US 12,265,649 B2, JP6904426B2, EP3696704B1 (priority 2017). Both variants may fall under them.
    This is no legal advice. Nothing here runs this part unless an edition names it.

    Parameters
    ----------
    rows : how many records to make; as many as there are if not given.
    variant : "svd" maps principal axes to principal axes, as the organisers did; "zca" starts from
        true categories and moves the records less, which keeps one-way counts better.
    int_kde : whether integers are drawn with standard normal noise, or as they occur.

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
        """Both variants, with fewer and with more records than there were."""
        return [cls(), cls(rows=500, variant="zca"), cls(rows=50, int_kde=False)]

    def sanitize(self, data: Data, *, rng: np.random.Generator, noise: Noise) -> Sanitized:
        """Draw, map and decode, block by block."""
        table = as_table(data)
        self._require_values(table)
        rows = self.rows or len(table)
        out = {
            column.name: np.empty(rows, table.columns[column.name].dtype)
            for column in table.schema.columns
        }
        decoders = [(place, *_range(place, table)) for place in places(table.schema)]
        for first, block in self._mapped(table, noise):
            for place, low, high in decoders:
                held = _decoded(place, block, low, high)
                out[place.column.name][first : first + len(held)] = held
        names = table.schema.names
        method = Method(
            name="synthetic data generation",
            rows=rows,
            detail=f"means and covariances of all variables kept, variant {self.variant}",
        )
        points = tuple(FocalPoint(pair) for pair in combinations(names, 2))
        return Sanitized(Release(Table(table.schema, out), methods=(method,)), Trace(points))

    def continuous(self, data: Table, noise: Noise) -> Floats:
        """The records before they are made discrete: one column for each dummy variable.

        In the order of :func:`quintain.kernels.dummies.dummies`. With the same noise,
        :meth:`sanitize` decodes these.
        """
        self._require_values(data)
        return np.concatenate([block for _, block in self._mapped(data, noise)], axis=1).T

    def _mapped(self, data: Table, noise: Noise) -> Iterator[tuple[int, Floats]]:
        """Blocks of records with the moments of the data, one row a variable."""
        wanted = _moments(data)
        begin = drawn(
            data,
            wanted,
            self.rows or len(data),
            joint=self.variant == "zca",
            kde=self.int_kde,
            noise=noise,
        )
        mean, covariance = begin.moments()
        varies = np.flatnonzero(~wanted.constant)
        # Constant variables have a row of zeros in the map, and so keep their mean, their value.
        mapping = np.zeros((len(wanted.mean), len(varies)))
        target = wanted.covariance[np.ix_(varies, varies)]
        mapping[varies] = colouring(covariance, target, self.variant)
        shift = (wanted.mean - mapping @ mean)[:, None]
        for first, block in begin.blocks():
            mapped = mapping @ block
            mapped += shift
            yield first, mapped

    def _require_values(self, table: Table) -> None:
        other = [c.name for c in table.schema.columns if c.kind in ("id", "time")]
        if other:
            raise PartError(
                f"{self.id} makes categories and numbers, and {', '.join(other)} is neither; "
                "leave it out"
            )


def _moments(data: Table) -> Moments:
    """The moments of the data; somebody alone has a covariance of 0 with themselves."""
    return moments(data if len(data) > 1 else data.concat(data))


def _range(place: Place, data: Table) -> tuple[float, float]:
    """The smallest and the largest number of a column."""
    if place.number is None:
        return 0.0, 0.0
    held = filled(place.column, data)
    return float(held.min()), float(held.max())


def _decoded(place: Place, block: Floats, low: float, high: float) -> Array:
    """A column of a block as a table holds it."""
    column, flags = place.column, block[place.flags]
    if place.number is None:
        code = flags.argmax(axis=0)
        return np.where(code == column.size, -1, code) if column.nullable else code
    value = np.clip(block[place.number], low, high)
    if column.nullable:
        value[flags[0] > 0.5] = np.nan
    return as_stored(column, value)
