"""Diversity: do released series differ from each other as much as the original ones?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.data import Data, as_series
from quintain.data.arrays import Floats
from quintain.kernels.series import PreparedSeries, longest, prepare
from quintain.measures.measure import About, Readings, ReleaseMeasure
from quintain.measures.reading import Direction, Reading
from quintain.registry import register


@register("series-diversity-v1")
class SeriesDiversity(ReleaseMeasure):
    """How widely the values of a release spread, beside those of the original.

    A generator that has collapsed releases nearly the same series again and again. No attack finds
    members in it, because it has nothing of anybody, so its protection says nothing. Read this
    beside every reading of privacy.

    For each feature the standard deviation of the release is divided by that of the original, over
    all rows (``row_diversity``) and over the means of persons (``person_diversity``). A ratio above
    1 is inverted, so 1 is best. The reading is the median over features. Missing values are
    completed first, and values beyond the tails of the original are moved to their ends.

    Parameters
    ----------
    tails : the share of the original's values at either end of a feature that counts as outliers.
    steps : how many rows of a series count, from the first on; if not given, as many as the
        longest series of the original has.

    >>> import quintain as q
    >>> from quintain.testing import example
    >>> stays = example("series", rows=400)
    >>> same = q.sanitize("add-noise", stays, s=0, seed=0).data
    >>> for name, reading in q.measure("series-diversity", stays, same).items():
    ...     print(name, round(reading.value, 2))
    row_diversity 1.0
    person_diversity 1.0
    """

    about: ClassVar[About] = "utility"
    shapes: ClassVar[tuple[str, ...]] = ("series",)
    reads: ClassVar[Mapping[str, Direction]] = {
        "row_diversity": "higher",
        "person_diversity": "higher",
    }
    captions: ClassVar[Mapping[str, str]] = {
        "row_diversity": "Spread of released values beside the original's; near 0 is a collapse.",
        "person_diversity": "Spread of persons' means beside the original's; near 0 is a collapse.",
    }

    tails: Annotated[float, Field(ge=0, lt=0.5)] = 0.01
    steps: Annotated[int, Field(ge=1, le=10_000)] | None = None

    def measure(
        self, original: Data, release: Data, test: Data | None, *, rng: np.random.Generator
    ) -> Readings:
        """Compare standard deviations over rows and over persons."""
        sides = as_series(original), as_series(release)
        if not all(len(side.values) for side in sides):
            note = "there is nothing to compare"
            return {name: Reading.missing(way, note) for name, way in self.reads.items()}
        steps = self.steps or longest(sides[0])
        first = prepare(sides[0], steps)
        second = prepare(sides[1], steps, scaling=first.scaling)
        low, high = np.quantile(first.values[:, 1:], [self.tails, 1 - self.tails], axis=0)
        rows = [np.clip(side.values[:, 1:], low, high) for side in (first, second)]
        means = [_means(side, values) for side, values in zip((first, second), rows, strict=True)]
        return {
            "row_diversity": _fold(*rows),
            "person_diversity": _fold(*means),
        }


def _means(side: PreparedSeries, values: Floats) -> Floats:
    """The mean row of each person who has rows."""
    present = side.lengths > 0
    sums = np.add.reduceat(values, side.offsets[:-1][present], axis=0)
    return np.asarray(sums / side.lengths[present][:, None])


def _fold(original: Floats, release: Floats) -> Reading:
    """The median over features of the ratio of spreads, at most 1."""
    first, second = original.std(axis=0), release.std(axis=0)
    varies = first > 1e-9
    if not varies.any():
        return Reading.missing("higher", "no feature varies")
    ratio = second[varies] / first[varies]
    folded = np.minimum(ratio, 1 / np.maximum(ratio, 1e-12))
    return Reading.exact(float(np.median(folded)), len(release), "higher")
