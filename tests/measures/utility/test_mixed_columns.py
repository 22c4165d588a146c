"""Utility measures on real numbers, times and missing values."""

import numpy as np
import pytest

from quintain.data import Column, Schema, Table
from quintain.data.arrays import MISSING_TIME
from quintain.measures import reading_rng
from quintain.measures.utility.table.covariance import Correlation, Covariance
from quintain.measures.utility.table.decision_tree import DecisionTree
from quintain.measures.utility.table.marginals import Histogram, Marginals, cells

SCHEMA = Schema(
    columns=(
        Column(name="flag", kind="category", values=("no", "yes"), nullable=True),
        Column(name="wage", kind="real", nullable=True),
        Column(name="since", kind="time", nullable=True),
        Column(name="visits", kind="integer"),
        Column(name="share", kind="real", low=0, high=1),
    )
)
MEASURES = [
    Marginals(ways=1), Marginals(ways=2), Histogram(), Histogram(each=True),
    Correlation(), Covariance(), DecisionTree(target="flag", positive="yes"),
]  # fmt: skip


def mixed(rows: int = 200, seed: int = 0) -> Table:
    """Records of every kind of column; a tenth of the cells that may be missing are."""
    rng = np.random.default_rng(seed)
    missing = rng.random((3, rows)) < 0.1
    return Table(
        SCHEMA,
        {
            "flag": np.where(missing[0], -1, rng.integers(0, 2, rows)),
            "wage": np.where(missing[1], np.nan, rng.lognormal(8, 1, rows)),
            "since": np.where(missing[2], MISSING_TIME, 86_400 * rng.integers(0, 20_000, rows)),
            "visits": rng.poisson(1_000, rows),
            "share": rng.random(rows),
        },
    )


def read(measure, original, release):
    """The only reading of a measure."""
    (reading,) = measure.measure(original, release, original, rng=reading_rng()).values()
    return reading


@pytest.mark.parametrize("measure", MEASURES, ids=lambda measure: str(measure.spec()))
def test_the_original_itself_reads_best_and_another_sample_worse(measure):
    original, other = mixed(), mixed(seed=1)
    assert measure.refusal(SCHEMA) == ""
    best, worse = read(measure, original, original), read(measure, original, other)
    assert best.value in (0, 1, np.inf)
    assert worse.value < best.value if best.better == "higher" else worse.value > best.value


def test_a_little_noise_hardly_moves_the_classes_of_a_number():
    original = mixed(2_000)
    noisy = original.replace({"share": (original.columns["share"] + 0.001) % 1})
    assert read(Marginals(), original, noisy).value < 0.01
    assert read(Histogram(), original, noisy).value > 0.99


def test_the_classes_are_those_of_the_original():
    schema = Schema(columns=(Column(name="x", kind="real"),))
    original = Table(schema, {"x": np.array([1.0, 2.0, 3.0, 4.0])})
    release = Table(schema, {"x": np.array([10.0, 20.0, 30.0, 2.9])})
    # Two classes: below 3, and the rest. Three of four released values are in the second.
    assert read(Marginals(bins=2), original, release).value == 0.25


def test_pairs_of_big_categories_are_counted_without_a_table_of_all_pairs():
    values = tuple(str(number) for number in range(5_000))
    columns = tuple(Column(name=name, kind="category", values=values) for name in "ab")
    a, b = np.array([0, 1, 4_999]), np.array([7, 7, 3])
    original = Table(Schema(columns=columns), {"a": a, "b": b})
    release = original.replace({"b": np.array([7, 8, 3])})
    counts = cells(original, release, ("a", "b"))
    assert [count.tolist() for count in counts] == [[1, 1, 0, 1], [1, 0, 1, 1]]
    assert read(Marginals(ways=2), original, release).value == pytest.approx(1 / 3)
