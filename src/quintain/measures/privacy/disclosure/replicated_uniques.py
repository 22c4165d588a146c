"""Replicated uniques: people who are alone in the original and alone in the release, too."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

import numpy as np

from quintain.data import Table
from quintain.measures.intervals import proportion
from quintain.measures.measure import Readings
from quintain.measures.privacy.disclosure.known_columns import KnownColumnsMeasure, class_labels
from quintain.measures.reading import Direction
from quintain.registry import register


@register("replicated-uniques-v1")
class ReplicatedUniques(KnownColumnsMeasure):
    """The share of people who are alone with their known values in both the original and release.

    An attacker who knows these values of such a person finds one released row with them, and may
    take it for the person's. ``replicated_uniques`` is the repU of synthpop, ``original_uniques``
    its UiO: the share of people who are alone in the original, which repU cannot exceed. Both are
    shares of the people in the original; lower is better. Some people are replicated by luck:
    compare with a fresh sample. The intervals take people as independent draws from a population.

    Parameters
    ----------
    knows : the columns that attackers know; by default all.

    References
    ----------
    Raab, Nowok and Dibben, Practical privacy metrics for synthetic data (2024), and the vignette
    "disclosure" of the R package synthpop: UiO and repU.

    Examples
    --------
    Ann and Bob are alone in the original; only Ann is alone in the release:

    >>> import pyarrow as pa
    >>> import quintain as q
    >>> original = pa.table({"age": [20, 30, 40, 40]})
    >>> release = pa.table({"age": [20, 30, 30, 40]})
    >>> readings = q.measure("replicated-uniques", original, release)
    >>> readings["original_uniques"].value, readings["replicated_uniques"].value
    (0.5, 0.25)
    """

    within: ClassVar[tuple[float, float]] = (0.0, 1.0)
    reads: ClassVar[Mapping[str, Direction]] = {
        "replicated_uniques": "lower",
        "original_uniques": "lower",
    }
    captions: ClassVar[Mapping[str, str]] = {
        "replicated_uniques": "Share of people alone with their known values in both tables: repU.",
        "original_uniques": "Share of people alone with their known values in the original: UiO.",
    }

    @classmethod
    def examples(cls) -> list[Self]:
        """All columns known, and two of them."""
        return [cls(), cls(knows=("colour", "size"))]

    def compare(
        self, original: Table, release: Table, test: Table | None, names: tuple[str, ...]
    ) -> Readings:
        """Count each class in both tables, and look the people of the original up."""
        people, rows = class_labels(names, original, release)
        size = 1 + int(max(people.max(initial=-1), rows.max(initial=-1)))
        alone, replicated = (np.bincount(label, minlength=size) == 1 for label in (people, rows))
        return {
            "replicated_uniques": proportion(
                int((alone & replicated)[people].sum()), len(people), "lower"
            ),
            "original_uniques": proportion(int(alone[people].sum()), len(people), "lower"),
        }
