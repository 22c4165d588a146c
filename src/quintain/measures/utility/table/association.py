"""Association: how far the strength of the relation between two columns is off, for any columns."""

from __future__ import annotations

import math
from collections.abc import Mapping
from itertools import combinations
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.data import Data, as_table
from quintain.data.arrays import Floats, Ints
from quintain.kernels.value_classes import ValueClasses
from quintain.measures.measure import About, Readings, ReleaseMeasure
from quintain.measures.reading import Direction, Reading
from quintain.measures.utility.table.jackknife import GROUPS, CodedTables, jackknife
from quintain.registry import register

MOST_PAIRS = 4_950
"""So many pairs have 100 columns."""


@register("association-v1")
class Association(ReleaseMeasure):
    r"""How far the association of two columns is off: on average, and for the worst pair.

    $$ mean_{i<j} |a^{release}_{ij} - a^{original}_{ij}| $$

    The association of two numbers is Spearman's rank correlation, from -1 to 1. That of a number
    and a category is the correlation ratio of the ranks, and that of two categories is Cramér's V,
    both from 0 to 1. Times and ordered categories count as numbers. A column that never changes is
    associated with nothing. All columns are put into at most ``classes`` classes first; ranks are
    those of the classes. 0 means equal associations; lower is better. Records with a missing number
    are left out of the pair; a missing category is a category.

    The interval is a jackknife that leaves out each of ten groups of records. Of more than 100
    columns, 4,950 pairs are compared, drawn at random.

    Parameters
    ----------
    classes : into how many classes a column is put at most.

    References
    ----------
    Cramér, Mathematical Methods of Statistics (1946), section 21.9. Kendall, Rank Correlation
    Methods (1948): Spearman's coefficient with ties. Pearson, On the general theory of skew
    correlation and non-linear regression (1905): the correlation ratio.

    Examples
    --------
    In the original, age and sex have nothing to do with each other. In the release they have:

    >>> import pyarrow as pa
    >>> import quintain as q
    >>> original = pa.table({"age": [30, 30, 40, 40] * 10, "sex": ["f", "m", "f", "m"] * 10})
    >>> release = pa.table({"age": [30, 30, 40, 40] * 10, "sex": ["f", "f", "f", "m"] * 10})
    >>> round(q.measure("association", original, release)["association_worst"].value, 4)
    0.5774
    """

    about: ClassVar[About] = "utility"
    within: ClassVar[tuple[float, float]] = (0.0, 2.0)
    reads: ClassVar[Mapping[str, Direction]] = {
        "association": "lower",
        "association_worst": "lower",
    }
    captions: ClassVar[Mapping[str, str]] = {
        "association": "How far the association of two columns is off, on average over all pairs.",
        "association_worst": "How far the association of two columns is off, for the worst pair.",
    }

    classes: Annotated[int, Field(ge=2, le=100)] = 20

    def measure(
        self, original: Data, release: Data, test: Data | None, *, rng: np.random.Generator
    ) -> Readings:
        """Compare the associations of all pairs, with all records and without each group."""
        if min(len(original), len(release)) < GROUPS:
            return self._missing(f"a table has fewer than {GROUPS} records")
        if len(as_table(original).schema.attributes) < 2:
            return self._missing("the table has only one column")
        tables = CodedTables.of(original, release, self.classes)
        pair, shown = tables.group(rng=rng), tables.classes
        gaps = np.array(
            [
                np.subtract(*(_association(t.counts((i, j)), shown[i], shown[j]) for t in pair))
                for i, j in _pairs(len(shown), rng)
            ]
        )
        series = {"association": np.abs(gaps).mean(axis=0), "association_worst": abs(gaps).max(0)}
        return {
            name: jackknife(whole, without, tables.n, "lower", within=self.within)
            for name, (whole, *without) in ((n, row.tolist()) for n, row in series.items())
        }

    def _missing(self, note: str) -> Readings:
        return {name: Reading.missing("lower", note) for name in self.reads}


def _pairs(columns: int, rng: np.random.Generator) -> list[tuple[int, int]]:
    """All pairs of columns, or of very many as many as there is time for, drawn at random."""
    every = math.comb(columns, 2)
    if every <= MOST_PAIRS:
        return list(combinations(range(columns), 2))
    drawn = np.sort(rng.choice(every, MOST_PAIRS, replace=False))
    first, second = np.triu_indices(columns, 1)
    return list(zip(first[drawn].tolist(), second[drawn].tolist(), strict=True))


def _association(counts: Ints, one: ValueClasses, other: ValueClasses) -> Floats:
    """The association of two columns in each row of counts."""
    tables = counts.reshape(len(counts), one.size, other.size).astype(np.float64)
    tables = tables[:, : _used_classes(one), : _used_classes(other)]
    if one.ordered and other.ordered:
        return _rank_correlation(tables)
    if one.ordered:
        return _correlation_ratio(tables)
    return _correlation_ratio(tables.swapaxes(1, 2)) if other.ordered else _cramers_v(tables)


def _used_classes(classes: ValueClasses) -> int:
    """The number of classes that count: of ranks, all but the missing ones."""
    return classes.size - (classes.ordered and classes.column.nullable)


def _centred_ranks(margins: Floats) -> Floats:
    """For each class its average rank, as a share of the records, less the mean."""
    total = margins.sum(axis=1, keepdims=True)
    ranks = (margins.cumsum(axis=1) - margins / 2) / np.maximum(total, 1)
    return np.asarray(ranks - 0.5)


def _rank_correlation(tables: Floats) -> Floats:
    a, b = tables.sum(axis=2), tables.sum(axis=1)
    u, v = _centred_ranks(a), _centred_ranks(b)
    product = np.einsum("kab,ka,kb->k", tables, u, v)
    return _ratio(product, np.sqrt((a * u**2).sum(axis=1) * (b * v**2).sum(axis=1)))


def _correlation_ratio(tables: Floats) -> Floats:
    """Of the ranks along the first axis, given the category along the second."""
    ranks = _centred_ranks(tables.sum(axis=2))
    sums, sizes = np.einsum("kab,ka->kb", tables, ranks), tables.sum(axis=1)
    between = _ratio(sums**2, sizes).sum(axis=1)
    return np.sqrt(_ratio(between, (tables.sum(axis=2) * ranks**2).sum(axis=1)))


def _cramers_v(tables: Floats) -> Floats:
    a, b = tables.sum(axis=2), tables.sum(axis=1)
    expected = a[:, :, None] * b[:, None, :]
    # Chi squared over the number of records.
    square = _ratio(tables**2, expected).sum(axis=(1, 2)) - (a.sum(axis=1) > 0)
    most = np.minimum((a > 0).sum(axis=1), (b > 0).sum(axis=1)) - 1.0
    return np.sqrt(np.maximum(_ratio(square, most), 0))


def _ratio(over: Floats, under: Floats) -> Floats:
    """A quotient; 0 where nothing varies."""
    return np.divide(over, under, out=np.zeros_like(over), where=under > 1e-12)
