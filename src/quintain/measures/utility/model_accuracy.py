"""Model accuracy: how well a released model predicts the labels of people it never saw."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from quintain.data import Data, Table, TrainedModel, as_model, as_table
from quintain.data.arrays import Floats, Rows
from quintain.data.models import labels
from quintain.kernels.classifiers import confidences, label_confidence
from quintain.measures.intervals import clopper_pearson, mean_of_records, proportion
from quintain.measures.measure import About, Readings, ReleaseMeasure
from quintain.measures.reading import LEVEL, Direction, Reading
from quintain.registry import register


def records_of(model: TrainedModel, data: Data) -> Table:
    """Records with the columns that a model knows."""
    return as_table(data).select(model.schema.records.names)


@register("model-accuracy-v1")
class ModelAccuracy(ReleaseMeasure):
    """How often a released model predicts the right label of test records.

    ``accuracy`` is the share of right predictions. ``balanced_accuracy`` is the mean of this share
    over the values of the label that occur, so a model that always names the most common value
    gains nothing; each share has the exact interval of a level at which all of them hold together.
    ``log_loss`` is the mean of minus the logarithm of the confidence in the true label; it is
    cut at 16.12, a confidence of 1e-7.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> table = people(example_table())
    >>> model = q.sanitize("train-logistic", table, label="flag", seed=1)
    >>> test = people(example_table(seed=9))
    >>> print(q.measure("model-accuracy", table, model, test=test)["accuracy"])
    0.7 [0.6314, 0.7626]
    """

    about: ClassVar[About] = "utility"
    shapes: ClassVar[tuple[str, ...]] = ("model",)
    reads: ClassVar[Mapping[str, Direction]] = {
        "accuracy": "higher",
        "balanced_accuracy": "higher",
        "log_loss": "lower",
    }

    @property
    def captions(self) -> Mapping[str, str]:
        """What each of the readings says."""
        return {
            "accuracy": "The share of test records whose label the model predicts.",
            "balanced_accuracy": "The same share for each value of the label, then their mean.",
            "log_loss": "How unsure the model is of the true labels of test records.",
        }

    def measure(
        self, original: Data, release: Data, test: Data | None, *, rng: np.random.Generator
    ) -> Readings:
        """Ask the model about every test record."""
        if test is None or len(test) < 2:
            note = "there are no test records"
            return {name: Reading.missing(better, note) for name, better in self.reads.items()}
        model = as_model(release)
        records = records_of(model, test)
        right = is_right(model, records)
        loss = -np.log(label_confidence(model, records))
        return {
            "accuracy": proportion(int(right.sum()), len(right), "higher"),
            "balanced_accuracy": _mean_of_classes(right, labels(model.form, records)),
            "log_loss": mean_of_records(loss, "lower", (0.0, 17.0), "normal"),
        }


def is_right(model: TrainedModel, records: Table) -> Floats:
    """1 for each record whose label the model predicts, else 0."""
    predicted = confidences(model, records).argmax(axis=1)
    return np.asarray(predicted == labels(model.form, records), np.float64)


def _mean_of_classes(right: Floats, known: Rows) -> Reading:
    """The mean over classes of the share of right predictions."""
    classes = np.unique(known)
    level = LEVEL ** (1 / len(classes))
    shares, lows, highs = [], [], []
    for number in classes:
        own = right[known == number]
        low, high = clopper_pearson(int(own.sum()), len(own), level)
        shares.append(own.mean())
        lows.append(low)
        highs.append(high)
    value, low, high = (float(np.mean(ends)) for ends in (shares, lows, highs))
    method = "Clopper-Pearson, all classes"
    return Reading(value=value, low=low, high=high, n=len(right), better="higher", method=method)
