"""Generalisation gap: does a model know the labels of its own records better than of others?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar

import numpy as np

from quintain.data import Data, as_model
from quintain.measures.intervals import difference
from quintain.measures.measure import About, Readings, ReleaseMeasure
from quintain.measures.reading import Direction, Reading
from quintain.measures.utility.model_accuracy import is_right, records_of
from quintain.registry import register


@register("generalisation-gap-v1")
class GeneralisationGap(ReleaseMeasure):
    """How much more often a model is right about its own records than about test records.

    A model that answers with the labels of its training set is right about all of its own records:
    its gap is large, and everybody who asks it learns who was inside. A gate (``at_most``)
    refuses it. A small gap does not say that a model is private.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> table, test = people(example_table(rows=60)), people(example_table(seed=9))
    >>> gaps = {}
    >>> for trainer in ("train-logistic", "train-forest"):
    ...     model = q.sanitize(trainer, table, label="flag", seed=1)
    ...     gaps[trainer] = q.measure("generalisation-gap", table, model, test=test)
    >>> [round(gap["generalisation_gap"].value, 2) for gap in gaps.values()]
    [0.07, 0.13]
    """

    about: ClassVar[About] = "privacy"
    shapes: ClassVar[tuple[str, ...]] = ("model",)
    reads: ClassVar[Mapping[str, Direction]] = {"generalisation_gap": "lower"}
    within: ClassVar[tuple[float, float]] = (-1.0, 1.0)

    def measure(
        self, original: Data, release: Data, test: Data | None, *, rng: np.random.Generator
    ) -> Readings:
        """The difference of two accuracies."""
        (name,) = self.reads
        if test is None or len(test) == 0:
            return {name: Reading.missing("lower", "there are no test records")}
        model = as_model(release)
        own, other = (is_right(model, records_of(model, data)) for data in (original, test))
        hits, false = int(own.sum()), int(other.sum())
        return {name: difference(hits, len(own), false, len(other), "lower")}
