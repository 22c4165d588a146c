"""Two samples: a classifier learns to tell released records from other people."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, ClassVar

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.attacks.membership.copies import row_hashes
from quintain.attacks.membership.record_scores import RecordScores
from quintain.data import Table
from quintain.data.arrays import Floats
from quintain.errors import MissingExtra
from quintain.kernels.dummies import numbers
from quintain.registry import register

_LARGEST = 1e30  # a float32 has room for the sum of many, which the forest computes
_LEAF = 2  # records in a leaf, at least


@register("two-sample-v1")
class TwoSample(RecordScores):
    """Scores a record by how sure a classifier is that it comes from the release.

    A forest of extremely random trees learns to tell released records from people of the base data.
    Members are nearer to the release, so the classifier takes them for released records more often.
    It never scores a record that it has seen: the base data are split by content, and people are
    scored by a forest that was trained without their part. A missing number counts as the lowest
    one. Needs scikit-learn.

    Parameters
    ----------
    trees : how many trees a forest has.
    parts : into how many parts the base data are split.

    References
    ----------
    Geurts, Ernst and Wehenkel, Extremely randomized trees, Machine Learning 63 (2006). Lopez-Paz
    and Oquab, Revisiting classifier two-sample tests, ICLR 2017.

    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> everybody = people(example_table(rows=400))
    >>> release = everybody.take(range(200))  # the first 200 are members
    >>> guess = q.attack("two-sample", release, targets=everybody, population=everybody, seed=0)
    >>> auc = q.measure("auc", guess, [True] * 200 + [False] * 200)["auc"].value
    >>> f"AUC {auc:.2f}; chance is 0.50"
    'AUC 0.53; chance is 0.50'
    """

    bins: ClassVar[int] = 0

    trees: Annotated[int, Field(ge=1, le=1000)] = 30
    parts: Annotated[int, Field(ge=2, le=20)] = 2

    def scores(
        self, release: Table, base: Table, records: Table, *, rng: np.random.Generator
    ) -> Floats:
        """Train one forest without each part, and let it score the records of that part."""
        try:
            from sklearn.ensemble import ExtraTreesClassifier
        except ModuleNotFoundError:
            raise MissingExtra("attack/two-sample-v1", "scikit-learn", "ml") from None
        if not len(release) or not len(base):
            return np.zeros(len(records))
        # The order of rows must not change the draws of the trees.
        release, base = (table.take(table.order()) for table in (release, base))
        other, own = (hashes % self.parts for hashes in row_hashes(base, records))
        shown, people, asked_about = _features([release, base, records])
        out, seed = np.zeros(len(records)), int(rng.integers(2**31))
        for part in range(self.parts):
            training = people[other != part]
            if not len(training) or not (own == part).any():
                continue
            forest = ExtraTreesClassifier(self.trees, min_samples_leaf=_LEAF, random_state=seed)
            labels = np.repeat([True, False], [len(shown), len(training)])
            forest.fit(np.concatenate([shown, training]), labels)
            out[own == part] = forest.predict_proba(asked_about[own == part])[:, 1]
        return out


def _features(tables: Sequence[Table]) -> list[npt.NDArray[np.float32]]:
    """The columns of tables as numbers; a missing one is below all others."""
    out = [np.empty((len(table), len(table.schema.attributes)), np.float32) for table in tables]
    for place, column in enumerate(tables[0].schema.attributes):
        values = [
            table.columns[column.name].astype(float)
            if column.listed
            else np.clip(numbers(column, table), -_LARGEST, _LARGEST)
            for table in tables
        ]
        lowest = min((float(np.nanmin(v)) for v in values if not np.isnan(v).all()), default=0.0)
        for matrix, number in zip(out, values, strict=True):
            matrix[:, place] = np.where(np.isnan(number), lowest - abs(lowest) - 1, number)
    return out
