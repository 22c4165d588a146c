"""Logistic regression: weights of evidence that tell two kinds of records apart."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from quintain.data.arrays import Codes, Floats, Ints, Mask
from quintain.kernels.associated_pairs import MANY_COLUMNS

# Ridge classifiers: for every column, a linear model that predicts it from all the others.


PENALTY = 1.0


@dataclass(frozen=True, slots=True, eq=False)
class OneHot:
    """Coded columns as variables that are 0 or 1, one per class.

    >>> OneHot.of(np.array([[0, 1], [2, 0]]), [2, 3]).matrix.toarray().astype(int).tolist()
    [[1, 0, 0, 0, 1], [0, 1, 1, 0, 0]]
    """

    matrix: Any
    ends: Ints

    @classmethod
    def of(cls, codes: Codes, sizes: list[int]) -> OneHot:
        """The variables of some records; ``codes`` has one row per column."""
        from scipy.sparse import csr_array

        columns, rows = codes.shape
        places = (codes + np.cumsum([0, *sizes[:-1]])[:, None]).T.ravel()
        starts = np.arange(0, rows * columns + 1, columns)
        content = (np.ones(len(places)), places, starts)
        return cls(csr_array(content, shape=(rows, sum(sizes))), np.cumsum(sizes))

    def places(self, column: int) -> slice:
        """Where the variables of a column are."""
        return slice(self.ends[column - 1] if column else 0, self.ends[column])


@dataclass(frozen=True, slots=True, eq=False)
class RidgeClassifiers:
    """Least squares with a penalty, for the indicator of each class of a label.

    All labels share the inverse of one matrix of products, and each takes its own column out of
    it. So a model for every column costs little more than one for a single column. In a wide table
    of few records, the products of records make a smaller matrix, and the same models.

    Parameters
    ----------
    inverse : of the products of variables with the penalty, or of the products of records.
    by_records : which of the two.

    >>> codes = np.array([[0, 0, 1, 1, 2, 2], [1, 1, 0, 0, 1, 1]])
    >>> models = RidgeClassifiers.learn(OneHot.of(codes, [3, 2]))
    >>> models.predict(OneHot.of(codes, [3, 2]), 1, codes[1], 2).tolist()
    [1, 1, 0, 0, 1, 1]
    """

    records: OneHot
    inverse: Floats
    by_records: bool = False

    @classmethod
    def learn(cls, records: OneHot) -> RidgeClassifiers:
        """Compute what all models need."""
        rows, variables = records.matrix.shape
        by_records = len(records.ends) > MANY_COLUMNS and rows < variables
        one, other = records.matrix, records.matrix.T
        products = (one @ other if by_records else other @ one).toarray()
        inverse = np.linalg.inv(products + PENALTY * np.eye(len(products)))
        return cls(records, inverse, by_records)

    def predict(self, others: OneHot, column: int, labels: Codes, classes: int) -> Codes:
        """The likeliest class of a column, for other records, from their other columns.

        Parameters
        ----------
        labels : the class of the records that the model learns from.
        """
        if len(self.records.ends) == 1:
            return np.full(others.matrix.shape[0], np.bincount(labels).argmax(), np.int32)
        weights = self.weights(column, labels, classes)
        return np.asarray((others.matrix @ weights).argmax(axis=1), np.int32)

    def weights(self, column: int, labels: Codes, classes: int) -> Floats:
        """The weights of all variables for each class; those of the column itself are 0."""
        own = self.records.places(column)
        right = self.records.matrix.T @ np.eye(classes)[labels]
        right[own] = 0
        weights = self._solve(right)
        if self.by_records:
            alone = np.zeros((len(right), own.stop - own.start))
            alone[own] = np.eye(alone.shape[1])
            lines = self._solve(alone)
        else:
            lines = self.inverse[:, own]
        weights -= lines @ np.linalg.solve(lines[own], weights[own])
        weights[own] = 0  # but for rounding
        return weights

    def _solve(self, right: Floats) -> Floats:
        """The inverse of the products of variables, times a matrix."""
        if not self.by_records:
            return np.asarray(self.inverse @ right)
        matrix = self.records.matrix
        return np.asarray((right - matrix.T @ (self.inverse @ (matrix @ right))) / PENALTY)


_STEPS = 30
_BLOCK = 1 << 12  # records whose evidence is laid out at a time
_NEARLY_NONE = 1e-6  # the penalty on the constant, so that equal labels have a solution


class EvidenceLines(Protocol):
    """One line of numbers per record: an array, or what lays out those of some records."""

    @property
    def shape(self) -> tuple[int, ...]:
        """How many records there are, and how many numbers of each."""

    def __len__(self) -> int: ...

    def __getitem__(self, some: slice, /) -> Any:
        """The lines of some records as an array."""


def logistic_weights(evidence: EvidenceLines, labels: Mask, ridge: float | Floats) -> Floats:
    """Fit a logistic regression by Newton's method; the constant comes first.

    Parameters
    ----------
    evidence : one row per record.
    labels : which records are of the second kind.
    ridge : how strongly the weight of each column is pulled towards zero; the constant is not.

    >>> weights = logistic_weights(np.array([[1.0], [2.0], [3.0], [4.0]]), np.arange(4) > 1, 0.1)
    >>> weights.round(3).tolist()
    [-6.628, 2.651]
    """
    penalty = np.diag(np.append(_NEARLY_NONE, np.broadcast_to(ridge, evidence.shape[1])))
    weights = np.zeros(len(penalty))
    for _ in range(_STEPS):
        slope, curve = np.zeros(len(weights)), np.zeros(penalty.shape)
        for start in range(0, len(evidence), _BLOCK):
            some = slice(start, start + _BLOCK)
            lines = evidence[some]
            table: Floats = np.column_stack([np.ones(len(lines)), lines])
            p = sigmoid(table @ weights)
            slope += table.T @ (labels[some] - p)
            table *= np.sqrt(p * (1 - p))[:, None]
            curve += table.T @ table  # the product with itself is symmetric: half the work
        step = np.linalg.solve(curve + penalty, slope - penalty @ weights)
        weights += step
        if np.abs(step).max() < 1e-8:
            break
    return weights


def log_odds(evidence: EvidenceLines, weights: Floats) -> Floats:
    """What a logistic regression says of each record, in log odds.

    >>> log_odds(np.array([[1.0], [4.0]]), np.array([-6.628, 2.651])).round(3).tolist()
    [-3.977, 3.976]
    """
    odds = np.full(len(evidence), weights[0])
    for start in range(0, len(evidence), _BLOCK):
        some = slice(start, start + _BLOCK)
        odds[some] += evidence[some] @ weights[1:]
    return odds


def sigmoid(values: Floats) -> Floats:
    """Turn log odds into probabilities; odds beyond e to the 30 count as that.

    >>> sigmoid(np.array([0.0, 100.0])).round(3).tolist()
    [0.5, 1.0]
    """
    return np.asarray(1 / (1 + np.exp(-np.clip(values, -30, 30))))
