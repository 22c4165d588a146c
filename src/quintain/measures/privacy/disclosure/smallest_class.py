"""Smallest class: the k and the l of a release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import ClassVar, Self

import numpy as np

from quintain.data import Table
from quintain.data.schema import ColumnNames, Schema
from quintain.errors import PartError
from quintain.measures.measure import Readings
from quintain.measures.privacy.disclosure.known_columns import KnownColumnsMeasure, class_labels
from quintain.measures.reading import Direction, Reading
from quintain.registry import register


@register("smallest-class-v1")
class SmallestClass(KnownColumnsMeasure):
    """How few released rows share what attackers know, and how few secrets such rows have.

    A class is all released rows with the same values in the known columns. The smallest one is the
    k of the release. Its l is the smallest number of different values that the rows of one class
    have in a secret column, over all classes and secret columns. If l is 1, attackers who know the
    columns read a secret off some class without any doubt. Higher is better in both.

    Both numbers say how the release looks, and not what attackers learn: classes of synthetic
    people may be small without harm.

    Parameters
    ----------
    knows : the columns that attackers know; by default all but the secret ones.
    secrets : the secret columns; without one, l is not measured.

    References
    ----------
    Samarati, Protecting respondents' identities in microdata release, IEEE TKDE 13 (2001).
    Machanavajjhala et al., l-diversity: privacy beyond k-anonymity, ACM TKDD 1 (2007): distinct
    l-diversity.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import quintain as q
    >>> ages, ills = ["20s", "20s", "30s", "30s"], ["flu", "cough", "flu", "flu"]
    >>> release = pa.table({"age": ages, "ill": ills})
    >>> readings = q.measure("smallest-class", release, release, secrets=["ill"])
    >>> print(readings["smallest_class"], readings["fewest_secrets"])
    2 1
    """

    within: ClassVar[tuple[float, float]] = (0.0, np.inf)
    reads: ClassVar[Mapping[str, Direction]] = {
        "smallest_class": "higher",
        "fewest_secrets": "higher",
    }
    captions: ClassVar[Mapping[str, str]] = {
        "smallest_class": "The fewest released rows that share all known values: k.",
        "fewest_secrets": "The fewest different secrets among rows that share all known values: l.",
    }

    secrets: ColumnNames | None = None

    @classmethod
    def examples(cls) -> list[Self]:
        """All columns known, and two columns of which one is secret."""
        return [cls(), cls(knows=("flag",), secrets=("colour",))]

    def secret_columns(self, schema: Schema) -> tuple[str, ...]:
        """The secret columns; raises if the data do not have one of them."""
        return require_secrets(self.id, schema, self.secrets or ())

    def compare(
        self, original: Table, release: Table, test: Table | None, names: tuple[str, ...]
    ) -> Readings:
        """Count the rows of each class, and the secrets among them."""
        if not len(release):
            missing = Reading.missing("higher", "the release has no rows")
            return dict.fromkeys(self.reads, missing)
        (label,) = class_labels(names, release)
        smallest = int(np.bincount(label).min())
        fewest = Reading.missing("higher", "no column is said to be secret")
        if self.secrets:
            each = [_fewest_values(names, name, release) for name in self.secrets]
            fewest = Reading.exact(min(each), len(release), "higher")
        return {
            "smallest_class": Reading.exact(smallest, len(release), "higher"),
            "fewest_secrets": fewest,
        }


def _fewest_values(names: tuple[str, ...], secret: str, release: Table) -> int:
    """The fewest different values of a secret in a class."""
    (label,), (pair,) = class_labels(names, release), class_labels((*names, secret), release)
    _, first = np.unique(pair, return_index=True)
    return int(np.bincount(label[first]).min())


def require_secrets(part: str, schema: Schema, secrets: tuple[str, ...]) -> tuple[str, ...]:
    """The secret columns; raises if the data do not have one of them."""
    available = [column.name for column in schema.attributes]
    for name in secrets:
        if name not in available:
            raise PartError(f"{part}: no column {name!r}; available: {', '.join(available)}")
    return secrets
