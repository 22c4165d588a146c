"""Decision tree: would an analyst's classifier, learned from the release, say the same?"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, Literal, Self

import numpy as np
import numpy.typing as npt
from pydantic import Field

from quintain.data import Data, Schema, Table, as_table
from quintain.data.dummies import numbers
from quintain.data.table import Array
from quintain.errors import MissingExtra, PartError
from quintain.measures.intervals import clopper_pearson
from quintain.measures.measure import Readings, UtilityMeasure
from quintain.measures.reading import Direction, Reading
from quintain.registry import register

Flags = npt.NDArray[np.bool_]


@register("decision-tree-v1")
class DecisionTree(UtilityMeasure):
    r"""Agreement of a decision tree learned from the release with one learned from the original.

    Both trees predict the ``target`` of the same test records. With the original's predictions as
    the truth and ``positive`` as the positive class, the reading is the F-measure

    $$ F = 2 TP / (2 TP + FP + FN). $$

    It is 1 if neither tree ever says ``positive``, and 0 if only one of them does. F is a function
    of TP / (TP + FP + FN), a share of the test records that either tree calls positive, and its
    interval is that of this share. Trees are scikit-learn's with ``random_state`` 0; a leaf with as
    many positives as others says no.

    Parameters
    ----------
    target : the column to predict, a category.
    positive : the category that counts as positive.
    binarise : whether the trees learn "positive or not", or to tell all categories apart.
    depth : the largest depth of a tree.
    encoding : "drop-first" gives each category but the alphabetically first a variable, "full"
        each. Numbers come first, then categories in the order of the columns.

    References: AMIC 2020, "Utility Measure: Decision tree analysis": relationship = Husband at
    depth 3 and income at depth 5.
    """

    target: str
    positive: str
    binarise: bool = True
    depth: Annotated[int, Field(ge=1, le=64)] = 5
    encoding: Literal["drop-first", "full"] = "drop-first"

    @classmethod
    def examples(cls) -> list[Self]:
        """On the battery's table, both ways."""
        return [
            cls(target="flag", positive="yes"),
            cls(target="colour", positive="green", binarise=False, depth=3, encoding="full"),
        ]

    @property
    def reads(self) -> Mapping[str, Direction]:
        """tree_<target>, higher is better."""
        return {f"tree_{self.target}": "higher"}

    def measure(self, original: Data, release: Data, test: Data | None) -> Readings:
        """Learn both trees, compare their predictions."""
        (name,) = self.reads
        original, release = as_table(original), as_table(release)
        self._check(original.schema)
        if test is None or len(test) == 0:
            return {name: Reading.missing("higher", "there are no test records")}
        if min(len(original), len(release)) == 0:
            return {name: Reading.missing("higher", "there are no records to learn from")}
        records = self._features(as_table(test).select(original.schema.names))
        expected, got = (self._predict(table, records) for table in (original, release))
        return {name: f_measure(expected, got)}

    def _check(self, schema: Schema) -> None:
        if self.target not in schema or schema[self.target].kind != "category":
            raise PartError(f"{self.id}: the data have no category {self.target!r} to predict")
        if self.positive not in schema[self.target].values:
            raise PartError(f"{self.id}: {self.target!r} has no value {self.positive!r}")
        if len(schema.attributes) < 2:
            raise PartError(f"{self.id}: there is nothing to predict {self.target!r} from")

    def _predict(self, table: Table, records: npt.NDArray[np.float32]) -> Flags:
        """Which records the tree of a table calls positive."""
        try:
            from sklearn.tree import DecisionTreeClassifier
        except ModuleNotFoundError:
            raise MissingExtra("a decision tree", "scikit-learn", "ml") from None
        positive = table.schema[self.target].values.index(self.positive)
        labels = table.columns[self.target]
        if self.binarise:
            labels, positive = (labels == positive).astype(np.int32), 1
        tree: Any = DecisionTreeClassifier(max_depth=self.depth, random_state=0)
        tree.fit(self._features(table), labels)
        return np.asarray(tree.predict(records) == positive)

    def _features(self, table: Table) -> npt.NDArray[np.float32]:
        """Everything but the target, as numbers; a missing number stays missing."""
        columns = [c for c in table.schema.attributes if c.name != self.target]
        parts: list[Array] = [numbers(c, table) for c in columns if c.kind != "category"]
        for column in columns:
            if column.kind == "category":
                held = table.columns[column.name]
                order = np.argsort(column.values)[self.encoding == "drop-first" :]
                parts += [held == code for code in order]
                parts += [held < 0] if column.nullable else []
        # Trees look at one variable at a time, so each lies in one piece.
        out = np.empty((len(table), len(parts)), np.float32, order="F")
        for place, part in enumerate(parts):
            out[:, place] = part
        return out


def f_measure(expected: Flags, got: Flags) -> Reading:
    """The F-measure of predictions, with an exact interval over the records.

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
