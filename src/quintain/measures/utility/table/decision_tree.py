"""Decision tree: does a classifier that learned from the release predict like the original's?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, ClassVar, Self

import numpy as np
from pydantic import Field

from quintain.data import Data, Schema, Table, as_table
from quintain.data.arrays import Mask
from quintain.kernels.trees import Encoding, FittedTree, require_target
from quintain.measures.intervals import clopper_pearson
from quintain.measures.measure import About, Readings, ReleaseMeasure
from quintain.measures.reading import Direction, Reading
from quintain.registry import register
from quintain.wording.languages import say


@register("decision-tree-v1")
class DecisionTree(ReleaseMeasure):
    r"""Agreement of a decision tree learned from the release with one learned from the original.

    Both trees predict the ``target`` of the same test records. The original's predictions count as
    the truth and ``positive`` as the positive class. The reading is the F-measure

    $$ F = 2 TP / (2 TP + FP + FN). $$

    It is 1 if neither tree ever predicts ``positive``, and 0 if only one of them does; higher is
    better. F is a function of TP / (TP + FP + FN), a share of the test records that either tree
    calls positive, and its interval comes from the interval of that share. The trees are
    scikit-learn's with ``random_state`` 0; a leaf with as many positives as others predicts no.
    Times are numbers of seconds. A missing number follows the branch that fits better.

    Parameters
    ----------
    target : the column to predict, a category.
    positive : the category that counts as positive.
    binarise : whether the trees learn "positive or not", or to distinguish all categories.
    depth : the largest depth of a tree.
    encoding : "full" gives every category a variable; "drop-first" gives none to the
        alphabetically first. Numbers come first, then categories in the order of the columns.

    References
    ----------
    AMIC 2020, "Utility Measure: Decision tree analysis": relationship = Husband at depth 3 and
    income at depth 5.

    Examples
    --------
    The original says that people of 40 are ill. The release lost one of them, and its tree misses
    one of the two ill test persons:

    >>> import pyarrow as pa
    >>> import quintain as q
    >>> original = pa.table({"age": [20, 30, 40, 50], "ill": ["no", "no", "yes", "yes"]})
    >>> release = pa.table({"age": [20, 30, 40, 50], "ill": ["no", "no", "no", "yes"]})
    >>> part = q.part("decision-tree", target="ill", positive="yes")
    >>> print(q.measure(part, original, release, test=original)["tree_ill"])
    0.6667 [0.02485, 0.9937]
    """

    about: ClassVar[About] = "utility"

    target: str
    positive: str
    binarise: bool = True
    depth: Annotated[int, Field(ge=1, le=64)] = 5
    encoding: Encoding = "drop-first"

    @classmethod
    def examples(cls) -> list[Self]:
        """Two trees for the table of the battery: binarised, and with all categories."""
        return [
            cls(target="flag", positive="yes"),
            cls(target="colour", positive="green", binarise=False, depth=3, encoding="full"),
        ]

    @property
    def reads(self) -> Mapping[str, Direction]:
        """One reading, tree_<target>; higher is better."""
        return {f"tree_{self.target}": "higher"}

    @property
    def captions(self) -> Mapping[str, str]:
        """Say what the trees predict."""
        caption = say(
            "Agreement of two decision trees on whether %(column)s is %(value)s.",
            column=self.target,
            value=self.positive,
        )
        return dict.fromkeys(self.reads, caption)

    def require(self, schema: Schema) -> None:
        """The column to predict must be a category with the positive value."""
        super().require(schema)
        require_target(self.id, schema, self.target, self.positive)

    def measure(
        self, original: Data, release: Data, test: Data | None, *, rng: np.random.Generator
    ) -> Readings:
        """Learn both trees and compare their predictions for the test records."""
        (name,) = self.reads
        original, release = as_table(original), as_table(release)
        self.require(original.schema)
        if test is None or len(test) == 0:
            return {name: Reading.missing("higher", "there are no test records")}
        if min(len(original), len(release)) == 0:
            return {name: Reading.missing("higher", "there are no records to learn from")}
        records = as_table(test).select(original.schema.names)
        expected, got = (
            self._tree(table).predicts_positive(records) for table in (original, release)
        )
        return {name: f_measure(expected, got)}

    def _tree(self, table: Table) -> FittedTree:
        return FittedTree.learn(
            table,
            self.target,
            self.positive,
            depth=self.depth,
            binarise=self.binarise,
            encoding=self.encoding,
        )


def f_measure(expected: Mask, got: Mask) -> Reading:
    """The F-measure of two lists of predictions, with an exact interval over the records.

    >>> str(f_measure(np.array([True, True, False]), np.array([True, False, False])))
    '0.6667 [0.02485, 0.9937]'
    """
    both, either = int((expected & got).sum()), int((expected | got).sum())
    if either == 0:
        return Reading.exact(1.0, len(expected), "higher")
    low, high = clopper_pearson(both, either)
    value, low, high = (2 * share / (1 + share) for share in (both / either, low, high))
    method = "Clopper-Pearson, through F"
    return Reading(value=value, low=low, high=high, n=len(expected), better="higher", method=method)
