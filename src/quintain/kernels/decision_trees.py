"""Decision trees, learned from a table, that predict a category of a column."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from quintain.data.arrays import Array, Rows
from quintain.data.schema import Schema
from quintain.data.table import Table
from quintain.errors import MissingExtra, PartError
from quintain.kernels.dummies import numbers

Encoding = Literal["drop-first", "full"]
Features = npt.NDArray[np.float32]

_LARGEST = 3e38  # larger numbers do not fit a float32


def require_target(part: str, schema: Schema, target: str, positive: str) -> None:
    """Refuse a target that is not a category of the data, or lacks the positive value."""
    if target not in schema or schema[target].kind != "category":
        raise PartError(f"{part}: the data have no category {target!r} to predict")
    if positive not in schema[target].values:
        raise PartError(f"{part}: {target!r} has no value {positive!r}")
    if len(schema.attributes) < 2:
        raise PartError(f"{part}: no other column is left to predict {target!r} from")


def features(table: Table, target: str, encoding: Encoding) -> Features:
    """All columns except the target, as numbers; a missing number stays missing.

    Numbers come first. Then "full" has one variable per category; "drop-first" leaves out the
    alphabetically first category of each column.
    """
    columns = [c for c in table.schema.attributes if c.name != target]
    parts: list[Array] = [
        np.clip(numbers(c, table), -_LARGEST, _LARGEST) for c in columns if c.kind != "category"
    ]
    for column in columns:
        if column.kind == "category":
            codes = table.columns[column.name]
            order = np.argsort(column.values)[encoding == "drop-first" :]
            parts += [codes == code for code in order]
            parts += [codes < 0] if column.nullable else []
    # Trees read one variable at a time, so each variable is contiguous in memory.
    out = np.empty((len(table), len(parts)), np.float32, order="F")
    for place, part in enumerate(parts):
        out[:, place] = part
    return out


@dataclass(frozen=True, slots=True, eq=False)
class FittedTree:
    """A tree of scikit-learn, ``random_state`` 0, that predicts a category of a column."""

    target: str
    encoding: Encoding
    positive: int
    fitted: Any

    @classmethod
    def learn(
        cls,
        table: Table,
        target: str,
        positive: str,
        *,
        depth: int,
        binarise: bool = True,
        encoding: Encoding = "drop-first",
    ) -> FittedTree:
        """Learn to predict "positive or not", or each of the categories."""
        try:
            from sklearn.tree import DecisionTreeClassifier
        except ModuleNotFoundError:
            raise MissingExtra("a decision tree", "scikit-learn", "ml") from None
        code, labels = table.schema[target].values.index(positive), table.columns[target]
        if binarise:
            labels, code = (labels == code).astype(np.int32), 1
        tree = DecisionTreeClassifier(max_depth=depth, random_state=0)
        return cls(target, encoding, code, tree.fit(features(table, target, encoding), labels))

    def predicts_positive(self, records: Table) -> npt.NDArray[np.bool_]:
        """Whether the tree predicts the positive value, for each record."""
        predicted = self.fitted.predict(features(records, self.target, self.encoding))
        return np.asarray(predicted == self.positive)

    def branches(self, records: Table) -> Iterator[tuple[Rows, npt.NDArray[np.bool_]]]:
        """Yield the records of each splitting node, and which of them go to the likelier branch.

        Parents come first. The likelier branch has the larger share of positives in training.
        """
        tree = self.fitted.tree_
        path = self.fitted.decision_path(features(records, self.target, self.encoding)).tocsc()
        positive = list(self.fitted.classes_).index(self.positive) if tree.node_count > 1 else 0
        for node in np.flatnonzero(tree.children_left >= 0):
            sides = tree.children_left[node], tree.children_right[node]
            likelier = max(sides, key=lambda side: tree.value[side, 0, positive])
            rows, likelier_rows = (
                path.indices[path.indptr[n] : path.indptr[n + 1]] for n in (node, likelier)
            )
            yield np.asarray(rows, np.int64), np.isin(rows, likelier_rows)

    def leaves(self, records: Table) -> Rows:
        """The number of the leaf that each record reaches."""
        predicted = self.fitted.apply(features(records, self.target, self.encoding))
        return np.asarray(predicted, np.int64)
