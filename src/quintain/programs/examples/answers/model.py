"""A model that answers: a logistic regression, if its weights are beside this file.

Train at home on your private sample and save a matrix with ``numpy.save("weights.npy", ...)``: one
row per class, one column per variable, and the bias in the last column. Without it, every answer is
that all classes are equally likely.
"""

from pathlib import Path
from typing import Any

import numpy as np


def answer(input_dict: dict[str, Any]) -> Any:
    """The share of each class, one row per record.

    ``records`` has one row per record and one column per variable; ``classes`` is the number of
    values of the label.
    """
    records, classes = input_dict["records"], input_dict["classes"]
    place = Path(__file__).with_name("weights.npy")
    weights = np.load(place) if place.is_file() else np.zeros((classes, records.shape[1] + 1))
    scores = records @ weights[:, :-1].T + weights[:, -1]
    raised = np.exp(scores - scores.max(axis=1, keepdims=True))
    return raised / raised.sum(axis=1, keepdims=True)
