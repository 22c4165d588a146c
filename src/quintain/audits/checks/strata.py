"""Strata: people who look alike to somebody who asks whether they are in the original.

If the control was not drawn at random, old people, say, are more often in the original, and every
attack that sees the age seems to find its members. Within a stratum of people who are equally
probably in the original, that difference is gone; a leak is not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from quintain.data import Table
from quintain.data.arrays import Codes, Floats, Mask, Rows, Singles
from quintain.kernels.linear_classifiers import log_odds, logistic_weights

STRATA = 10
"""How many strata there are."""
_RIDGE = 10.0
_FEWEST = 10
"""Categories of fewer people than this say too little about who is in the original."""


def propensity_strata(records: Table, members: Mask, person: Rows | None = None) -> Rows:
    """For each person a stratum of people who are about equally probably members.

    A logistic regression learns from everybody who is a member, and everybody is then put into a
    tenth by what it learned about them. It learned from the same people, so it explains too much
    of the difference rather than too little: a test within these strata is conservative, not exact.

    Parameters
    ----------
    records : the people of the original and of the control.
    members : which of the records are of the original.
    person : for each record the number of its person, from 0, if people have several records.

    >>> from quintain.testing import unique_people
    >>> table, members = unique_people(rows=100), np.arange(100) < 50
    >>> np.bincount(propensity_strata(table, members)).tolist()
    [10, 10, 10, 10, 10, 10, 10, 10, 10, 10]
    """
    features = PropensityFeatures.of(records)
    weights = logistic_weights(features, members, _RIDGE)
    odds = log_odds(features, weights)
    if person is not None:
        odds = np.bincount(person, odds) / np.bincount(person)
    # Equal odds stay together, so the order of the records does not matter.
    ends = np.quantile(odds, np.arange(1, STRATA) / STRATA, method="inverted_cdf")
    return np.asarray(np.searchsorted(np.unique(ends), odds, side="left"))


@dataclass(frozen=True, slots=True, eq=False)
class PropensityFeatures:
    """What may tell members from others: numbers in standard deviations, squares, categories.

    A category has a feature for each of its values, so the features of all people would take many
    times the memory of their records. They are laid out for some people at a time.

    Parameters
    ----------
    shape : how many people and how many features there are.
    numbers : features that are numbers, by their place.
    categories : the codes of each category, and for each code, from that of a missing value on,
        the place of its feature; -1 if it has none.
    """

    shape: tuple[int, int]
    numbers: Mapping[int, Singles]
    categories: Sequence[tuple[Codes, Rows]]

    @classmethod
    def of(cls, records: Table) -> PropensityFeatures:
        """The features of these people that are not the same for all."""
        numbers: dict[int, Singles] = {}
        categories, width = [], 0
        for column in records.schema.attributes:
            if column.listed:
                codes = records.columns[column.name]
                counts = np.bincount(codes + 1)  # missing is a category, too
                kept = (counts >= _FEWEST) & (counts < len(codes))
                categories.append((codes, np.where(kept, width - 1 + np.cumsum(kept), -1)))
                width += int(kept.sum())
                continue
            for own in _number_features(records.numbers(column.name)):
                numbers[width] = own
                width += 1
        return cls((len(records), width), numbers, categories)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, some: slice) -> Singles:
        """The features of some people."""
        out = np.zeros((len(range(*some.indices(len(self)))), self.shape[1]), np.float32)
        for place, own in self.numbers.items():
            out[:, place] = own[some]
        for codes, places in self.categories:
            own_places = places[codes[some] + 1]
            there = np.flatnonzero(own_places >= 0)
            out[there, own_places[there]] = 1
        return out


def _number_features(numbers: Floats) -> Iterator[Singles]:
    """Numbers in standard deviations, their squares, and which are missing, where they differ."""
    missing = np.isnan(numbers)
    if missing.all():
        return
    numbers = _standard(np.where(missing, numbers[~missing].mean(), numbers))
    for own in (numbers, numbers**2, missing):
        if own.min() < own.max():
            yield own.astype(np.float32)


def _standard(numbers: Floats) -> Floats:
    spread = numbers.std()
    centred: Floats = numbers - numbers.mean()
    return centred / spread if spread > 0 else centred
