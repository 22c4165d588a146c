"""Logistic regression: weights of evidence that tell two kinds of records apart."""

from __future__ import annotations

import numpy as np

from quintain.data.arrays import Floats, Mask

_STEPS = 30
_NEARLY_NONE = 1e-6  # the penalty on the constant, so that equal labels have a solution


def logistic_weights(evidence: Floats, labels: Mask, ridge: float | Floats) -> Floats:
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
    table = np.column_stack([np.ones(len(evidence)), evidence])
    penalty = np.diag(np.append(_NEARLY_NONE, np.broadcast_to(ridge, evidence.shape[1])))
    weights = np.zeros(table.shape[1])
    for _ in range(_STEPS):
        p = sigmoid(table @ weights)
        slope = table.T @ (labels - p) - penalty @ weights
        curve = (table * (p * (1 - p))[:, None]).T @ table + penalty
        step = np.linalg.solve(curve, slope)
        weights += step
        if np.abs(step).max() < 1e-8:
            break
    return weights


def sigmoid(values: Floats) -> Floats:
    """Turn log odds into probabilities; odds beyond e to the 30 count as that.

    >>> sigmoid(np.array([0.0, 100.0])).round(3).tolist()
    [0.5, 1.0]
    """
    return np.asarray(1 / (1 + np.exp(-np.clip(values, -30, 30))))
