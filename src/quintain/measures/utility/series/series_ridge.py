"""Ridge regression on series: one pass over the rows collects sums, the rest is small matrices.

The description of a row is the row itself, the row before it and a 1; the first row serves as its
own predecessor. Sums of products of descriptions are enough to fit a model and to compute its
squared error on other data. So predicting each of seventy features costs seventy small solves.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from quintain.data.arrays import Floats, Rows
from quintain.kernels.series_preparation import Prepared

_ROWS = 1 << 16
"""About how many rows are described at a time."""


@dataclass(frozen=True, slots=True, eq=False)
class Sums:
    """Sums of products over rows; d columns give descriptions of 2 d + 1 numbers.

    Parameters
    ----------
    now : description x description, over all rows.
    before : description x description, over the rows that have a next one.
    next_row : description x next row, over the rows that have a next one.
    squares : squared columns of the next row, over the rows that have a next one.
    """

    now: Floats
    before: Floats
    next_row: Floats
    squares: Floats

    @property
    def columns(self) -> int:
        """How many columns a row has, time among them."""
        return len(self.squares)

    def plus(self, other: Sums) -> Sums:
        """The sums over both sets of rows."""
        return Sums(
            self.now + other.now,
            self.before + other.before,
            self.next_row + other.next_row,
            self.squares + other.squares,
        )


def sums(prepared: Prepared, persons: Rows) -> Sums:
    """The sums over the rows of some persons."""
    columns = prepared.values.shape[1]
    wide = 2 * columns + 1
    total = Sums(
        np.zeros((wide, wide)), np.zeros((wide, wide)), np.zeros((wide, columns)), np.zeros(columns)
    )
    step = max(1, _ROWS // prepared.steps)
    for start in range(0, len(persons), step):
        block = persons[start : start + step]
        lengths = prepared.lengths[block]
        ends = np.cumsum(lengths)
        rows = np.repeat(prepared.offsets[block] - (ends - lengths), lengths) + np.arange(
            lengths.sum()
        )
        first, last = np.zeros(len(rows), bool), np.zeros(len(rows), bool)
        first[(ends - lengths)[lengths > 0]] = True
        last[(ends - 1)[lengths > 0]] = True
        current = prepared.values[rows]
        described = np.hstack([current, prepared.values[rows - ~first], np.ones((len(rows), 1))])
        earlier, later = described[~last], prepared.values[rows[~last] + 1]
        total = total.plus(
            Sums(
                described.T @ described,
                earlier.T @ earlier,
                earlier.T @ later,
                np.einsum("ij,ij->j", later, later),
            )
        )
    return total


@dataclass(frozen=True, slots=True, eq=False)
class Models:
    """Weights of linear models that predict columns from a description.

    Parameters
    ----------
    columns : the columns that are predicted from the others.
    feature : description x these columns; a column does not predict itself, so its own weight and
        that of its past are 0.
    step : description x all columns of the next row.
    """

    columns: list[int]
    feature: Floats
    step: Floats

    def feature_errors(self, test: Sums) -> Floats:
        """The squared error of the prediction of each column, summed over rows."""
        cross, squares = test.now[:, self.columns], np.diag(test.now)[self.columns]
        return _squared_errors(self.feature, test.now, cross, squares)

    def step_errors(self, test: Sums) -> Floats:
        """The squared error of the prediction of each column of the next row, summed over rows."""
        return _squared_errors(self.step, test.before, test.next_row, test.squares)


def fit(train: Sums, columns: list[int], ridge: float) -> Models:
    """Fit ridge models for some columns and for the next row."""
    wide = 2 * train.columns
    feature = np.zeros((wide + 1, len(columns)))
    for place, column in enumerate(columns):
        kept = np.delete(np.arange(wide + 1), [column, train.columns + column])
        cross = train.now[kept, column, None]
        feature[kept, place] = _solve(train.now[np.ix_(kept, kept)], cross, ridge)[:, 0]
    return Models(columns, feature, _solve(train.before, train.next_row, ridge))


def fit_mean(train: Sums, columns: list[int]) -> Models:
    """The mean as a model: the best constant prediction."""
    feature = np.zeros((2 * train.columns + 1, len(columns)))
    step = np.zeros_like(train.next_row)
    feature[-1] = train.now[-1, columns] / max(train.now[-1, -1], 1)
    step[-1] = train.next_row[-1] / max(train.before[-1, -1], 1)
    return Models(columns, feature, step)


def _squared_errors(weights: Floats, gram: Floats, cross: Floats, squares: Floats) -> Floats:
    fitted = (weights * (gram @ weights)).sum(axis=0)
    return np.asarray(squares - 2 * (weights * cross).sum(axis=0) + fitted)


def _solve(gram: Floats, cross: Floats, ridge: float) -> Floats:
    """Ridge weights from sums; the last column is the 1, whose weight is not shrunk.

    The penalty of a column is proportional to its variance, so units do not matter.
    """
    count = max(gram[-1, -1], 1.0)
    mean, target = gram[:-1, -1] / count, cross[-1] / count
    spread = gram[:-1, :-1] / count - np.outer(mean, mean)
    shared = cross[:-1] / count - np.outer(mean, target)
    variance = np.maximum(np.diag(spread), 0)
    # A column that does not vary gets weight 0: its shared variation is rounding, its penalty 1.
    penalty = np.where(variance > 1e-12 * (1 + mean**2), ridge * variance, 1.0)
    weights = np.linalg.solve(spread + np.diag(penalty), shared)
    return np.vstack([weights, target - mean @ weights])
