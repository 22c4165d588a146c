"""Privacy models: what an equivalence class must be like.

A model answers for each class by itself. All models here are closed under merging: if two classes
satisfy a model, so does their union. A search can therefore stop at the first satisfying classes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol

import numpy as np

from quintain.data.arrays import Floats, Mask, Rows
from quintain.sanitizers.masking.generalisation.classes import Classes, DistinctValues, Shares
from quintain.sanitizers.masking.generalisation.hierarchies import Hierarchy

ROUNDING = 1e-9
"""A distance or an entropy may miss its bound by this much, because sums of floats are rounded."""


class Model(Protocol):
    """What a privacy model must offer."""

    @property
    def least(self) -> int:
        """The smallest number of records that a class can have."""

    def holds(self, classes: Classes) -> Mask:
        """For each class whether it satisfies the model."""


def all_hold(models: Sequence[Model], classes: Classes) -> Mask:
    """For each class whether it satisfies all models; quick models first."""
    good = np.ones(classes.count, bool)
    for model in models:
        good &= model.holds(classes)
    return good


@dataclass(frozen=True, slots=True)
class Anonymous:
    """A class has at least k records.

    References
    ----------
    Samarati, Protecting respondents' identities in microdata release, IEEE TKDE 13 (2001).
    """

    k: int

    @property
    def least(self) -> int:
        """A class has k records or more."""
        return self.k

    def holds(self, classes: Classes) -> Mask:
        """Count the records of each class."""
        return classes.sizes >= self.k


@dataclass(frozen=True, slots=True)
class Diverse:
    """A class has at least l well-represented values in a sensitive column.

    Parameters
    ----------
    column : the number of the sensitive column.
    l : how many values a class must have.
    kind : what well represented means: "distinct" counts the values; "entropy" asks that the
        entropy is at least log l; "recursive" asks that the most frequent value is less frequent
        than c times all values together from the l-th most frequent on.
    c : the constant of "recursive".

    References
    ----------
    Machanavajjhala, Kifer, Gehrke and Venkitasubramaniam, l-diversity: privacy beyond k-anonymity,
    ACM TKDD 1 (2007).
    """

    column: int
    l: int  # noqa: E741
    kind: Literal["distinct", "entropy", "recursive"]
    c: float

    @property
    def least(self) -> int:
        """A class has at least one record for each value."""
        return self.l

    def holds(self, classes: Classes) -> Mask:
        """Look at the values of each class, and at how often they occur."""
        shares = classes.shares(self.column)
        if self.kind == "distinct":
            return np.bincount(shares.label, minlength=classes.count) >= self.l
        if self.kind == "entropy":
            entropy = shares.total(-shares.share * np.log(shares.share))
            return np.asarray(entropy >= np.log(self.l) - ROUNDING)
        return self._recursive(shares)

    def _recursive(self, shares: Shares) -> Mask:
        order = np.lexsort((-shares.count, shares.label))
        label, count = shares.label[order], shares.count[order]
        place = np.arange(len(label)) - np.searchsorted(label, label)
        classes = len(shares.sizes)
        most = np.bincount(label, count * (place == 0), minlength=classes)
        rest = np.bincount(label, count * (place >= self.l - 1), minlength=classes)
        return np.asarray(most < self.c * rest)


@dataclass(frozen=True, slots=True)
class Close:
    """The values of a sensitive column are spread in a class almost as in all released records.

    The distance of the two distributions is the least work that turns one into the other (earth
    mover's distance), and at most t.

    Parameters
    ----------
    column : the number of the sensitive column.
    t : the largest distance.
    levels : the groups of the codes at each level below the top. The distance of two values is the
        lowest level at which they are in one group, divided by the number of levels. One level of
        single values makes all values equally distant. Empty: values are in order, and the distance
        is the number of steps between them, divided by the number of values minus 1.

    References
    ----------
    Li, Li and Venkatasubramanian, t-closeness: privacy beyond k-anonymity and l-diversity, ICDE
    (2007).
    """

    column: int
    t: float
    levels: tuple[Rows, ...]

    @property
    def least(self) -> int:
        """A class needs one record."""
        return 1

    def holds(self, classes: Classes) -> Mask:
        """Compare the distance of each class with t."""
        return np.asarray(self.distances(classes) <= self.t + ROUNDING)

    def distances(self, classes: Classes) -> Floats:
        """How far each class is from all records together."""
        if not self.levels:
            return ordered_distance(classes.shares(self.column))
        # In a tree the work splits into one equal-distance problem per level.
        each = [equal_distance(classes.shares(self.column, groups)) for groups in self.levels]
        return np.asarray(np.mean(each, axis=0))


def equal_distance(shares: Shares) -> Floats:
    """Half the sum of all differences of shares: the distance if all values are equally distant."""
    overall = shares.overall[shares.value]
    return np.asarray((shares.total(np.abs(shares.share - overall) - overall) + 1) / 2)


def ordered_distance(shares: Shares) -> Floats:
    """The mean difference of cumulative shares, over all values but the last."""
    occurring = shares.overall > 0
    steps = int(occurring.sum()) - 1
    if steps < 1:
        return np.zeros(len(shares.sizes))
    overall = np.cumsum(shares.overall[occurring])
    value = (np.cumsum(occurring) - 1)[shares.value]
    # Between two values of a class its cumulative share is constant: one term per such stretch.
    cumulative = np.cumsum(shares.share)
    first = np.flatnonzero(np.diff(shares.label, prepend=-1))
    cumulative -= np.repeat(
        cumulative[first] - shares.share[first], np.diff(np.append(first, len(value)))
    )
    end = np.append(value[1:], 0)
    end[np.append(first[1:] - 1, len(value) - 1)] = steps + 1
    sums = np.concatenate([[0.0], np.cumsum(overall)])
    crossing = np.clip(np.searchsorted(overall, cumulative), value, end)
    below = cumulative * (crossing - value) - (sums[crossing] - sums[value])
    above = (sums[end] - sums[crossing]) - cumulative * (end - crossing)
    work = shares.total(below + above)
    work[shares.label[first]] += sums[value[first]]  # before its first value a class has share 0
    return np.asarray(work / steps)


# Task: the columns to generalise with their hierarchies, and the models to satisfy.


@dataclass(frozen=True, slots=True, eq=False)
class RecodingTask:
    """What a search gets.

    Parameters
    ----------
    columns : the quasi-identifying columns.
    hierarchies : the hierarchy of each of them.
    models : what every class must satisfy.
    sensitive : for each sensitive column the code of every record.
    suppress : how many records may be deleted.
    """

    columns: tuple[DistinctValues, ...]
    hierarchies: tuple[Hierarchy, ...]
    models: tuple[Model, ...]
    sensitive: tuple[Rows, ...] = ()
    suppress: int = 0

    def __len__(self) -> int:
        return len(self.columns[0].codes)

    @property
    def least(self) -> int:
        """The smallest number of records that a class can have."""
        return max((model.least for model in self.models), default=1)


@dataclass(frozen=True, slots=True, eq=False)
class Generalised:
    """What a search gives back.

    Parameters
    ----------
    codes : for each column the new code of every record.
    kept : the rows of the records that stay.
    detail : how the records were generalised, in words.
    """

    codes: tuple[Rows, ...]
    kept: Rows
    detail: str

    @classmethod
    def everyone(cls, codes: tuple[Rows, ...], detail: str) -> Generalised:
        """A result that deletes nobody."""
        return cls(codes, np.arange(len(codes[0])), detail)
