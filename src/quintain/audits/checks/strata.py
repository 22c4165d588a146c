"""Strata: people who look alike to somebody who asks whether they are in the original.

If the control was not drawn at random, old people, say, are more often in the original, and every
attack that sees the age seems to find its members. Within a stratum of people who are equally
probably in the original, that difference is gone; a leak is not.
"""

from __future__ import annotations

import numpy as np

from quintain.data import Table
from quintain.data.arrays import Array, Floats, Mask, Rows, Singles
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
    features = propensity_features(records)
    weights = logistic_weights(features, members, _RIDGE)
    odds = log_odds(features, weights)
    if person is not None:
        odds = np.bincount(person, odds) / np.bincount(person)
    # Equal odds stay together, so the order of the records does not matter.
    ends = np.quantile(odds, np.arange(1, STRATA) / STRATA, method="inverted_cdf")
    return np.asarray(np.searchsorted(np.unique(ends), odds, side="left"))


def propensity_features(records: Table) -> Singles:
    """What may tell members from others: numbers in standard deviations, squares, categories."""
    columns: list[Array] = []
    for column in records.schema.attributes:
        if column.kind == "category":
            codes = records.columns[column.name].astype(np.int64) + 1  # missing is a category, too
            common = np.flatnonzero(np.bincount(codes) >= _FEWEST)
            columns += [codes == code for code in common]
        else:
            numbers = records.numbers(column.name)
            missing = np.isnan(numbers)
            if missing.all():
                continue
            numbers = _standard(np.where(missing, numbers[~missing].mean(), numbers))
            columns += [numbers, numbers**2, missing]
    kept = [own for own in columns if own.min() < own.max()]
    features = np.empty((len(records), len(kept)), np.float32)
    for place, own in enumerate(kept):
        features[:, place] = own
    return features


def _standard(numbers: Floats) -> Floats:
    spread = numbers.std()
    centred: Floats = numbers - numbers.mean()
    return centred / spread if spread > 0 else centred
