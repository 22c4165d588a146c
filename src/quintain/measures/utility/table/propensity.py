"""Propensity: can a classifier tell the release from the original?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar

import numpy as np
from pydantic import Field

from quintain.data import Data, Table, as_table
from quintain.data.arrays import Floats, Ints, Mask
from quintain.kernels.trees import BoostedTrees
from quintain.kernels.value_classes import ValueClasses
from quintain.measures.intervals import mean_of_records
from quintain.measures.measure import About, Readings, ReleaseMeasure
from quintain.measures.privacy.roc_curve import auc
from quintain.measures.reading import Direction, Reading
from quintain.registry import register

FOLDS = 2
_FEWEST = 20


@register("propensity-v1")
class Propensity(ReleaseMeasure):
    r"""Whether a classifier can tell released records from those of the original.

    Boosted trees learn the difference from half of the records and give every record of the other
    half a probability p that it is a released one; then the halves change their roles. As many
    records of both tables are used.

    propensity_auc is the probability that a released record gets a higher p than one of the
    original. One half means that the classifier cannot tell them; lower is better. It falls below
    one half if the release repeats records of the original: what was learned for one of two equal
    records is wrong for the other.

    propensity_error is the mean squared distance of p from one half, as a share of the largest
    possible one. 0 means that the classifier sees no difference; lower is better.

    $$ 4/n sum_i (p_i - 1/2)^2 $$

    The intervals hold for the classifiers that were learned.

    Parameters
    ----------
    records : how many records of each table are used at most; they are drawn at random.
    classes : into how many classes a column is put at most.

    References
    ----------
    Snoke, Raab, Nowok, Dibben and Slavkovic, General and specific utility measures for synthetic
    data, Journal of the Royal Statistical Society A 181 (2018): the mean squared error of
    propensity scores.

    Examples
    --------
    >>> import quintain as q
    >>> from quintain.testing import example_table, people
    >>> original, fresh = (people(example_table(rows=500, seed=s)) for s in (0, 1))
    >>> changed = fresh.replace({"flag": 1 - fresh.columns["flag"]})
    >>> for release in (fresh, changed):
    ...     print(q.measure("propensity", original, release)["propensity_auc"])
    0.5226 [0.4868, 0.5584]
    0.7591 [0.7293, 0.789]
    """

    about: ClassVar[About] = "utility"
    within: ClassVar[tuple[float, float]] = (0.0, 1.0)
    reads: ClassVar[Mapping[str, Direction]] = {
        "propensity_auc": "lower",
        "propensity_error": "lower",
    }
    captions: ClassVar[Mapping[str, str]] = {
        "propensity_auc": "How often a classifier picks the released one of two records.",
        "propensity_error": "How far a classifier is from not knowing which records are released.",
    }
    chance: ClassVar[Mapping[str, float]] = {"propensity_auc": 0.5}

    records: Annotated[int, Field(ge=_FEWEST)] = 5_000
    classes: Annotated[int, Field(ge=2, le=1000)] = 64

    def measure(
        self, original: Data, release: Data, test: Data | None, *, rng: np.random.Generator
    ) -> Readings:
        """Learn to tell the tables apart, and ask about records that were not learned from."""
        size = min(len(original), len(release), self.records)
        if size < _FEWEST or not as_table(original).schema.attributes:
            note = f"a table has no columns but ids, or fewer than {_FEWEST} records"
            return {name: Reading.missing("lower", note) for name in self.reads}
        original, release = (_drawn(as_table(data), size, rng=rng) for data in (original, release))
        released = np.repeat([False, True], size)
        odds = self._log_odds(original.concat(release), released, rng=rng)
        return {
            "propensity_auc": auc(released, odds),
            "propensity_error": mean_of_records(
                4 * (1 / (1 + np.exp(-odds)) - 0.5) ** 2,
                "lower",
                self.within,
                "normal, over records",
            ),
        }

    def _log_odds(self, both: Table, released: Mask, *, rng: np.random.Generator) -> Floats:
        """For each record, the log odds from the classifier that did not learn from it."""
        classes = [ValueClasses.of(both, c.name, self.classes) for c in both.schema.attributes]
        codes, sizes = np.stack([c.encode(both) for c in classes]), [c.size for c in classes]
        fold = np.concatenate([_folds(len(released) // 2, rng=rng) for _ in range(2)])
        odds = np.zeros(len(released))
        for held_out in range(FOLDS):
            trees = BoostedTrees.learn(
                codes[:, fold != held_out], sizes, released[fold != held_out]
            )
            odds[fold == held_out] = trees.log_odds(codes[:, fold == held_out])
        return odds


def _drawn(table: Table, size: int, *, rng: np.random.Generator) -> Table:
    return table.take(table.order()[rng.choice(len(table), size, replace=False)])


def _folds(records: int, *, rng: np.random.Generator) -> Ints:
    return rng.permutation(records) % FOLDS
