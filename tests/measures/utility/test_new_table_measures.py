"""Marginals, associations, propensity and training, beside plain references."""

from itertools import combinations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings

import quintain as q
from quintain.data import Column, Schema, Table
from quintain.measures.utility.table import association
from quintain.measures.utility.table.train_on_release import TrainOnRelease
from quintain.testing import example_table, people
from quintain.testing.strategies import tables

MIXED = Schema(
    columns=(
        Column(name="wage", kind="real", nullable=True),
        Column(name="age", kind="integer", low=0, high=99),
        Column(name="town", kind="category", values=("a", "b", "c")),
        Column(name="sex", kind="category", values=("f", "m")),
    )
)


def mixed(rows, seed):
    rng = np.random.default_rng(seed)
    age = rng.integers(0, 8, rows)
    town = (age + rng.integers(0, 2, rows)) % 3
    wage = age + rng.integers(0, 3, rows)
    columns = {
        "wage": wage,
        "age": age,
        "town": town,
        "sex": (town + rng.integers(2, size=rows)) % 2,
    }
    return Table(MIXED, columns)


def plain_distance(original, release, ways):
    distances = []
    for names in combinations(original.schema.names, ways):
        rows = [
            list(zip(*(t.columns[n].tolist() for n in names), strict=True))
            for t in (original, release)
        ]
        cells = {*rows[0], *rows[1]}
        shares = [[r.count(cell) / len(r) for cell in cells] for r in rows]
        distances.append(sum(abs(a - b) for a, b in zip(*shares, strict=True)) / 2)
    return np.mean(distances)


@pytest.mark.parametrize("ways", [1, 2, 3])
def test_marginals_are_those_of_plain_counting(ways):
    original, release = mixed(60, 0), mixed(80, 1)
    reading = q.measure("k-way-marginals", original, release, ways=ways)[f"marginals{ways}"]
    assert reading.value == pytest.approx(plain_distance(original, release, ways))
    assert reading.low <= reading.value <= reading.high


def test_the_interval_of_marginals_holds_for_fresh_samples():
    """The mean over many samples is in about 95 % of the intervals: rarely below 33 of 40."""
    readings = []
    for seed in range(40):
        original, release = mixed(300, 2 * seed), mixed(300, 2 * seed + 1)
        changed = release.replace({"sex": np.zeros(300, np.int32)})
        readings.append(q.measure("k-way-marginals", original, changed, ways=2)["marginals2"])
    truth = np.mean([r.value for r in readings])
    assert sum(r.low <= truth <= r.high for r in readings) >= 33


def cramers_v(a, b):
    from scipy.stats.contingency import association as textbook

    return textbook(
        np.histogram2d(a, b, bins=[np.unique(a).size, np.unique(b).size])[0].astype(int)
    )


def correlation_ratio(numbers, groups):
    from scipy.stats import rankdata

    ranks = rankdata(numbers)
    between = sum(
        (groups == g).sum() * (ranks[groups == g].mean() - ranks.mean()) ** 2
        for g in np.unique(groups)
    )
    return np.sqrt(between / ((ranks - ranks.mean()) ** 2).sum())


def plain_associations(table):
    from scipy.stats import spearmanr

    wage, age, town, sex = (table.columns[n] for n in MIXED.names)
    ratios = [correlation_ratio(x, g) for x in (wage, age) for g in (town, sex)]
    return np.array([spearmanr(wage, age).statistic, *ratios, cramers_v(town, sex)])


def test_associations_are_those_of_the_textbooks():
    original, release = mixed(200, 0), mixed(300, 1)
    gaps = abs(plain_associations(original) - plain_associations(release))
    readings = q.measure("association", original, release)
    assert readings["association"].value == pytest.approx(gaps.mean())
    assert readings["association_worst"].value == pytest.approx(gaps.max())


def test_a_constant_column_is_associated_with_nothing():
    original = mixed(200, 0)
    release = original.replace({"sex": np.zeros(200, np.int32)})
    gaps = q.measure("association", original, release)["association_worst"].value
    assert gaps == pytest.approx(max(plain_associations(original)[[2, 4, 5]]))


def test_propensity_tells_a_changed_column_and_not_a_fresh_sample():
    original, fresh = mixed(1000, 0), mixed(1000, 1)
    changed = fresh.replace({"town": np.random.default_rng(0).permutation(fresh.columns["town"])})
    one, other = (q.measure("propensity", original, r)["propensity_auc"] for r in (fresh, changed))
    assert one.low <= 0.5 <= one.high
    assert other.low > 0.6


def test_propensity_falls_below_one_half_if_records_are_repeated():
    schema = Schema(columns=(Column(name="x", kind="real"), Column(name="y", kind="real")))
    rng = np.random.default_rng(0)
    original = Table(schema, {"x": rng.normal(size=400), "y": rng.normal(size=400)})
    assert q.measure("propensity", original, original)["propensity_auc"].high < 0.5


def test_models_of_a_shuffled_release_know_nothing_but_the_most_common_answer():
    original, test = mixed(1000, 0), mixed(1000, 1)
    rng = np.random.default_rng(2)
    release = original.replace({n: rng.permutation(c) for n, c in original.columns.items()})
    results = TrainOnRelease().results(original, release, test, rng=np.random.default_rng(0))
    town = next(r for r in results if r.label == "town")
    assert town.from_original.mean() > town.most_common + 0.1
    assert abs(town.from_release.mean() - town.most_common) < 0.06
    assert town.loss().high < 0


def test_training_needs_test_records():
    table = mixed(50, 0)
    reading = q.measure("train-on-release", table, table)["train_on_release"]
    assert not reading.measured and "test records" in reading.note


@pytest.mark.parametrize(
    "name", ["k-way-marginals", "association", "propensity", "train-on-release"]
)
@settings(max_examples=10, deadline=None)
@given(table=tables(min_rows=1, max_rows=60))
def test_every_table_is_read_or_refused_in_words(name, table):
    for reading in q.measure(name, table, table, test=table).values():
        assert reading.note or reading.low <= reading.value <= reading.high


def test_frames_of_few_rows_are_not_measured():
    frame = pa.table({"x": [1.5, 2.5], "y": ["a", "b"]})
    assert "fewer than" in q.measure("association", frame, frame)["association"].note
    assert people(example_table(rows=2)) is not None


def test_of_very_many_columns_some_pairs_are_drawn():
    rng = np.random.default_rng(0)
    assert association._pairs(4, rng) == list(combinations(range(4), 2))
    assert len(association._pairs(100, rng)) == association.MOST_PAIRS  # all of them
    drawn = association._pairs(130, rng)
    assert len(set(drawn)) == association.MOST_PAIRS and drawn == sorted(drawn)
    assert all(0 <= one < other < 130 for one, other in drawn)
    assert drawn != association._pairs(130, rng)
