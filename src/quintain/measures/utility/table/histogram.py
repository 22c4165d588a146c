"""Histogram: how many records must change their value to restore the counts of an attribute."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.data import Data, Table, as_table
from quintain.kernels.quantile_bins import binned_tables
from quintain.measures.measure import About, Readings, ReleaseMeasure
from quintain.measures.reading import Direction, Reading
from quintain.registry import register


@register("histogram-v1")
class Histogram(ReleaseMeasure):
    r"""How well the counts of values agree, one attribute at a time.

    $$ 1 - 1/2 sum_v |n_{release}(v) - n_{original}(v)| / n_{original} $$

    1 means equal histograms; higher is better. The measure compares counts, not shares: a release
    of another size loses, and a much larger one reads below 0. Numbers and times without a finite
    domain are cut into ``bins`` intervals that are equally common in the original. Any other value
    has its own bin, and a missing value is a value.

    Parameters
    ----------
    each : read the worst attribute instead of the mean over all of them.
    bins : into how many bins a number without a finite domain is cut.

    References
    ----------
    AMIC 2020, "Utility Measure: Histogram".

    Examples
    --------
    One of four wages moved from one class to another, and no sex. The mean of 0.75 and 1 is read:

    >>> import pyarrow as pa
    >>> import quintain as q
    >>> original = pa.table({"wage": [1.5, 2.5, 3.5, 4.5], "sex": ["f", "m", "f", "m"]})
    >>> release = pa.table({"wage": [1.7, 4.2, 3.9, 4.4], "sex": ["f", "m", "f", "m"]})
    >>> print(q.measure("histogram", original, release, bins=2)["histogram"])
    0.875
    """

    about: ClassVar[About] = "utility"

    each: bool = False
    bins: Annotated[int, Field(ge=2, le=10_000)] = 20

    @classmethod
    def examples(cls) -> list[Self]:
        """The mean over attributes, and the worst attribute."""
        return [cls(), cls(each=True)]

    @property
    def reads(self) -> Mapping[str, Direction]:
        """One reading, histogram or histogram_worst; higher is better."""
        return {"histogram_worst" if self.each else "histogram": "higher"}

    @property
    def captions(self) -> Mapping[str, str]:
        """Say whether the mean or the worst attribute counts."""
        over = "the worst attribute" if self.each else "the mean over attributes"
        return dict.fromkeys(self.reads, f"How well the counts of values agree; {over}.")

    def measure(
        self, original: Data, release: Data, test: Data | None, *, rng: np.random.Generator
    ) -> Readings:
        """Compare the counts of every attribute."""
        original, release = binned_tables(as_table(original), as_table(release), self.bins)
        (name,) = self.reads
        if len(original) == 0:
            return {name: Reading.missing("higher", "the original has no records")}
        agreement = 1 - histogram_errors(original, release)
        value = float(agreement.min() if self.each else agreement.mean())
        return {name: Reading.exact(value, len(original), "higher")}


def histogram_errors(original: Table, release: Table) -> npt.NDArray[np.float64]:
    """For each attribute, half of the summed differences of counts over the original's size.

    >>> from quintain.testing import example_table
    >>> table = example_table(rows=10)
    >>> histogram_errors(table, table.take(range(8))).round(3).tolist()
    [0.1, 0.1, 0.1]
    """
    errors = []
    for column in original.schema.attributes:
        one, other = original.columns[column.name], release.columns[column.name]
        if column.discrete:
            counts = [np.bincount(codes + 1, minlength=column.size + 1) for codes in (one, other)]
        else:
            _, code = np.unique(np.concatenate([one, other]), return_inverse=True)
            counts = [
                np.bincount(codes, minlength=code.max(initial=0) + 1)
                for codes in (code[: len(one)], code[len(one) :])
            ]
        errors.append(np.abs(counts[0] - counts[1]).sum() / (2 * len(original)))
    return np.array(errors)
