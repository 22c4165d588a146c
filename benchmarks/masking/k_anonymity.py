"""What k-anonymity costs by generalisation and by deletion, on the people of Adult; prints tables.

    QUINTAIN_DATA=folder-with-adult.data python -m benchmarks.masking.k_anonymity

The release of each method is compared with all 30,162 records, or with the stand-in if the real
data are missing. "Kept" is the share of records in the release. "TV 1" and "TV 2" are the mean
distances of one-way and two-way counts, with ages and hours in classes of five; lower is better.
"F" is the agreement of a decision tree for incomes above 50,000 with that of the original, on the
test records; higher is better. The accuracy is that of the tree's predictions of these incomes.
"""

from __future__ import annotations

import time
from typing import Any

import numpy as np

import benchmarks.bench.one_thread  # noqa: F401  NumPy must not be loaded yet
from benchmarks.bench.machine import people, real_data
from quintain.data import Column, Schema, Table, as_table
from quintain.data.sources.adult import TRAIN, Adult
from quintain.kernels.trees import FittedTree as Tree
from quintain.measures import ReleaseMeasure, reading_rng
from quintain.measures.utility.table.decision_tree import DecisionTree
from quintain.measures.utility.table.marginals import Marginals
from quintain.randomness.noise import Noise
from quintain.registry import build
from quintain.sanitizers import Sanitizer, sanitize

WIDTH = 5
QUASI = {
    "four columns": ["age", "education", "marital-status", "sex"],
    "six columns": ["age", "workclass", "education", "marital-status", "occupation", "sex"],
    "eight columns": [
        "age", "workclass", "education", "marital-status", "occupation", "relationship", "sex",
        "hours-per-week",
    ],
}  # fmt: skip
METHODS: dict[str, dict[str, Any]] = {
    "deletion": {"use": "small-class-deletion"},
    "local": {"use": "k-anonymity"},
    "global": {"use": "k-anonymity", "method": "global"},
    "global, 5 % deleted": {"use": "k-anonymity", "method": "global", "suppress": 0.05},
}
TREE = DecisionTree(target="income", positive=">50K", depth=5)


def coarse(table: Table) -> Table:
    """The table with its numbers in classes of five."""
    columns, contents = [], dict(table.columns)
    for column in table.schema.columns:
        if column.kind == "integer":
            low = column.offset // WIDTH
            contents[column.name] = table.numbers(column.name) // WIDTH - low
            high = int(column.high or 0) // WIDTH
            column = Column(name=column.name, kind="integer", low=low, high=high)
        columns.append(column)
    return Table(Schema(columns=tuple(columns)), contents)


def reading(measure: ReleaseMeasure, original: Table, release: Table, test: Table) -> float:
    """The value of a measure that has one reading."""
    (value,) = measure.measure(original, release, test, rng=reading_rng()).values()
    return float(value.value or 0.0)


def accuracy(release: Table, test: Table) -> float:
    """The share of test records whose income a tree that learned from the release predicts."""
    tree = Tree.learn(release, "income", ">50K", depth=5, binarise=True, encoding="drop-first")
    predicted = tree.predicts_positive(test)
    code = test.schema["income"].values.index(">50K")
    return float((predicted == (test.columns["income"] == code)).mean())


def lines(original: Table, test: Table, names: list[str]) -> list[str]:
    """One line of a table for each method."""
    out = []
    for title, spec in {"private data": {"use": "identity"}, **METHODS}.items():
        chosen = {"columns": names, "k": 5} if spec["use"] != "identity" else {}
        part = build("sanitizer", {**spec, **chosen})
        assert isinstance(part, Sanitizer)
        start = time.process_time()
        made = sanitize(part, original, rng=np.random.default_rng(0), noise=Noise.for_test(0))
        seconds = time.process_time() - start
        release = as_table(made.release.data)
        distances = [
            reading(Marginals(ways=ways), coarse(original), coarse(release), test)
            for ways in (1, 2)
        ]
        tree = reading(TREE, original, release, test)
        out.append(
            f"| {title} | {len(release) / len(original):.1%} | {distances[0]:.3f} "
            f"| {distances[1]:.3f} | {tree:.3f} | {accuracy(release, test):.3f} | {seconds:.1f} |"
        )
    return out


def main() -> None:
    """Print one table for each choice of columns."""
    real = real_data(TRAIN[0])
    source = Adult(real=real)
    original = as_table(source.data(np.random.default_rng(0)))
    test = source.test_data(np.random.default_rng(1))
    print(f"{people(real)}, {len(original):,} records, k = 5\n")
    for title, names in QUASI.items():
        print(f"{title}: {', '.join(names)}\n")
        print("| method | kept | TV 1 | TV 2 | F | accuracy | CPU s |")
        print("|---|---:|---:|---:|---:|---:|---:|")
        print("\n".join(lines(original, test, names)) + "\n")


if __name__ == "__main__":
    main()
