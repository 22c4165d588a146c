"""DiSCO: what is read off a release about people whom others know, and is right."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

import numpy as np

from quintain.data import Table
from quintain.data.arrays import Mask, Rows
from quintain.data.schema import Schema
from quintain.measures.intervals import proportion
from quintain.measures.measure import Readings
from quintain.measures.privacy.disclosure.known_columns import KnownColumnsMeasure, class_labels
from quintain.measures.privacy.disclosure.smallest_class import require_secrets
from quintain.measures.reading import Direction, Reading
from quintain.registry import register


@register("disco-v1")
class Disco(KnownColumnsMeasure):
    """The share of people whose secret is read off the release with certainty, and rightly.

    Attackers who know some values of a person look them up in the release. If all released rows
    with these values agree on the secret, the release is disclosive there. ``disco`` is the share
    of people of the original for whom it is so and the secret is right: disclosive in synthetic,
    correct in original. ``original_disclosive`` is what the original itself would disclose, the
    Dorig of synthpop. Lower is better in both.

    Much of it can be common knowledge: where nearly everybody has the same secret, every release
    discloses it. Compare with a fresh sample. The intervals take people as independent draws from a
    population.

    Parameters
    ----------
    column : the secret column, which attackers want to know.
    knows : the columns that attackers know; by default all but the secret one.

    References
    ----------
    Raab, Nowok and Dibben, Practical privacy metrics for synthetic data (2024), and the vignette
    "disclosure" of the R package synthpop: DiSCO and Dorig. Nothing is excluded here.

    Examples
    --------
    The release agrees on the illness of people of 20 and of 30, and is right about the former:

    >>> import pyarrow as pa
    >>> import quintain as q
    >>> original = pa.table({"age": [20, 20, 30, 40], "ill": ["flu", "flu", "cough", "flu"]})
    >>> release = pa.table({"age": [20, 30, 40, 40], "ill": ["flu", "flu", "flu", "cough"]})
    >>> q.measure("disco", original, release, column="ill")["disco"].value
    0.5
    """

    within: ClassVar[tuple[float, float]] = (0.0, 1.0)
    reads: ClassVar[Mapping[str, Direction]] = {"disco": "lower", "original_disclosive": "lower"}
    captions: ClassVar[Mapping[str, str]] = {
        "disco": "Share of people whose secret all released rows like them agree on, rightly.",
        "original_disclosive": "Share of people whose secret all people like them share: Dorig.",
    }

    column: str

    @classmethod
    def examples(cls) -> list[Self]:
        """All other columns known, and one of them."""
        return [cls(column="colour"), cls(column="size", knows=("flag",))]

    def secret_columns(self, schema: Schema) -> tuple[str, ...]:
        """The secret column; raises if the data do not have it."""
        return require_secrets(self.id, schema, (self.column,))

    def compare(
        self, original: Table, release: Table, test: Table | None, names: tuple[str, ...]
    ) -> Readings:
        """Look the people of the original up, in the release and in the original itself."""
        people, rows = class_labels(names, original, release)
        secret, released = class_labels((self.column,), original, release)
        return {
            "disco": _share(read_off(rows, released, people, secret)),
            "original_disclosive": _share(read_off(people, secret, people, secret)),
        }


def read_off(label: Rows, secret: Rows, people: Rows, truth: Rows) -> Mask:
    """For whom all rows of their class agree on a secret, and it is theirs.

    Parameters
    ----------
    label, secret : class and secret of each row that is read.
    people, truth : class and secret of each person.

    >>> label, secret = np.array([0, 0, 1, 1]), np.array([5, 5, 5, 6])
    >>> read_off(label, secret, np.array([0, 0, 1, 2]), np.array([5, 6, 5, 5])).tolist()
    [True, False, False, False]
    """
    size = 1 + int(max(label.max(initial=-1), people.max(initial=-1)))
    agreed = np.full(size, -1)
    agreed[label] = secret  # one of the secrets of each class
    disputed = np.zeros(size, bool)
    disputed[label[agreed[label] != secret]] = True
    right: Mask = (agreed[people] == truth) & ~disputed[people]
    return right


def _share(right: Mask) -> Reading:
    return proportion(int(right.sum()), len(right), "lower")
