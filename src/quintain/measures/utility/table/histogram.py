"""Histogram: how many records would have to change their value, one attribute at a time."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from quintain.data import Data, Table, as_table
from quintain.measures.measure import About, Readings, ReleaseMeasure
from quintain.measures.reading import Direction, Reading
from quintain.registry import register


@register("histogram-v1")
class Histogram(ReleaseMeasure):
    r"""How well the counts of values agree, one attribute at a time.

    $$ 1 - 1/2 sum_v |n_{release}(v) - n_{original}(v)| / n_{original} $$

    Counts, not shares: a release of another size loses for it, and a much larger one reads below
    0. One bin per value, also for numbers; a missing value is a value. 1 is the same histograms.

    Parameters
    ----------
    each : read the worst attribute instead of the mean over all of them.

    References: AMIC 2020, "Utility Measure: Histogram".
    """

    about: ClassVar[About] = "utility"

    each: bool = False

    @classmethod
    def examples(cls) -> list[Self]:
        """Both."""
        return [cls(), cls(each=True)]

    @property
    def reads(self) -> Mapping[str, Direction]:
        """histogram or histogram_worst, higher is better."""
        return {"histogram_worst" if self.each else "histogram": "higher"}

    @property
    def captions(self) -> Mapping[str, str]:
        """Over which attributes."""
        over = "the worst attribute" if self.each else "the mean over attributes"
        return dict.fromkeys(self.reads, f"How well the counts of values agree; {over}.")

    def measure(
        self, original: Data, release: Data, test: Data | None, *, rng: np.random.Generator
    ) -> Readings:
        """Compare the counts of every attribute."""
        original, release = as_table(original), as_table(release)
        (name,) = self.reads
        if len(original) == 0:
            return {name: Reading.missing("higher", "the original has no records")}
        agreement = 1 - histogram_errors(original, release)
        value = float(agreement.min() if self.each else agreement.mean())
        return {name: Reading.exact(value, len(original), "higher")}


def histogram_errors(original: Table, release: Table) -> npt.NDArray[np.float64]:
    """For each attribute, half the summed differences of counts over the size of the original.

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
