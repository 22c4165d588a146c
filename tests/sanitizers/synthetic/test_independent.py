"""Noisy histograms: the size of the noise, the domain and the claim."""

import math

import numpy as np
import pytest
from scipy.stats import chisquare

from quintain.data import Column, Schema, Table
from quintain.errors import PartError
from quintain.randomness.noise import Noise
from quintain.sanitizers import sanitize
from quintain.sanitizers.synthetic.independent import (
    Independent,
    IndependentModel,
)
from quintain.testing import example, example_table, people


class Recorder(Noise):
    """Test noise that records every request."""

    def __init__(self, key=bytes(32), *, test=True):
        super().__init__(key, test=test)
        self.requests = []

    def laplace(self, scale, size):
        self.requests.append((scale, size))
        return super().laplace(scale, size)


class Flood(Noise):
    """Noise that makes every count negative."""

    def laplace(self, scale, size):
        return np.full(size, -(10**6))


def table(columns, rows=1000):
    """Make columns of four values, of which only the first occurs."""
    schema = Schema(
        columns=tuple(Column(name=f"c{i}", kind="integer", low=0, high=3) for i in range(columns))
    )
    return Table(schema, {name: np.zeros(rows, int) for name in schema.names})


def released(data, *, noise=None, seed=1, **parameters):
    sanitizer = Independent(**parameters)
    rng = np.random.default_rng(seed)
    return sanitizer.sanitize(data, rng=rng, noise=noise or Noise.for_test(seed)).release


def test_each_histogram_gets_noise_of_scale_columns_over_epsilon():
    noise = Recorder()
    released(people(example_table()), noise=noise, epsilon=0.5)
    # Three columns with 4, 12 and 2 values; 3 / 0.5 = 6.
    assert noise.requests == [(6.0, 4), (6.0, 12), (6.0, 2)]


@pytest.mark.parametrize(("columns", "epsilon"), [(1, 0.5), (2, 1.0), (4, 2.0)])
def test_the_number_of_records_varies_as_the_noise_says(columns, epsilon):
    # The size is the mean over d columns of 200 plus four draws of scale d / epsilon, each of
    # variance 2q / (1 - q)**2 with q = exp(-epsilon / d); rounding adds at most 1/12.
    data, repeats, noise = table(columns, rows=200), 600, Noise.for_test(7)
    sanitizer, rng = Independent(epsilon=epsilon), np.random.default_rng(0)
    sizes = np.array(
        [sanitizer.fit(data, rng=rng, noise=noise.child(i)).size for i in range(repeats)]
    )
    q = math.exp(-epsilon / columns)
    expected = 4 / columns * 2 * q / (1 - q) ** 2
    assert abs(sizes.mean() - 200) < 5 * math.sqrt(expected / repeats)
    # Excess kurtosis of a sum of four is at most 3 / 4, so this is more than four standard errors.
    assert 0.7 < sizes.var() / expected < 1.3


def test_with_hardly_any_noise_the_margins_are_kept():
    data = people(example_table(rows=5000))
    release = released(data, epsilon=1e5, rows=20_000).data
    for name in data.schema.names:
        size = data.schema[name].size
        counts = np.bincount(data.columns[name], minlength=size)
        drawn = np.bincount(release.columns[name], minlength=size)
        assert drawn[counts == 0].sum() == 0
        seen = counts > 0
        assert chisquare(drawn[seen], counts[seen] * 20_000 / 5000).pvalue > 1e-4


def test_dependence_between_columns_is_lost():
    columns = tuple(Column(name=name, kind="integer", low=0, high=1) for name in "ab")
    same = np.arange(4000) % 2
    data = Table(Schema(columns=columns), {"a": same, "b": same})
    release = released(data, epsilon=1e5, rows=4000).data
    agree = (release.columns["a"] == release.columns["b"]).mean()
    assert abs(agree - 0.5) < 5 * 0.5 / math.sqrt(4000)


def test_a_category_that_was_never_seen_can_appear():
    data = people(example_table())
    assert "never seen" not in {record["colour"] for record in data.records()}
    colours = {
        record["colour"]
        for seed in range(5)
        for record in released(data, seed=seed, epsilon=0.1).data.records()
    }
    assert "never seen" in colours


@pytest.mark.parametrize("rows", [1, 17, 3000])
def test_the_number_of_records_can_be_set(rows):
    release = released(people(example_table()), rows=rows)
    assert len(release.data) == rows
    assert release.methods[0].rows == rows


def test_the_number_of_records_is_not_the_secret_one():
    data = people(example_table())
    sizes = {len(released(data, epsilon=0.5, seed=seed).data) for seed in range(10)}
    assert len(sizes) > 5


def test_the_claim_is_the_whole_epsilon_for_one_record_more_or_less():
    claim = released(people(example_table()), epsilon=0.7).claim
    assert (claim.epsilon, claim.delta, claim.neighbours) == (0.7, 0.0, "add-remove")


def test_negative_counts_give_one_record_drawn_uniformly():
    values = [
        int(released(table(1), noise=Flood(bytes(32), test=True), seed=seed).data.columns["c0"][0])
        for seed in range(400)
    ]
    assert len(released(table(1), noise=Flood(bytes(32), test=True)).data) == 1
    assert chisquare(np.bincount(values, minlength=4)).pvalue > 1e-4


def test_a_release_has_as_many_missing_values_as_the_data():
    schema = Schema(columns=(Column(name="c", kind="integer", low=0, high=3, nullable=True),))
    data = Table.of(schema, {"c": [None] * 500 + [2] * 500})
    release = released(data, epsilon=10, rows=500).data
    assert (release.columns["c"] == -1).mean() == pytest.approx(0.5, abs=0.08)
    assert np.isin(release.columns["c"], [-1, 2]).mean() > 0.95


def test_the_order_of_the_records_does_not_matter():
    data = people(example_table())
    turned = data.take(np.arange(len(data))[::-1])
    once, again = (
        sanitize(Independent(), d, rng=np.random.default_rng(0), noise=Noise.for_test(1)).release
        for d in (data, turned)
    )
    assert once.data.equals(again.data)


def test_columns_without_bounds_are_refused_all_at_once():
    with pytest.raises(PartError) as caught:
        rows = example("transactions", rows=20)
        released(Table(rows.schema.model_copy(update={"shape": "table"}), rows.columns))
    assert str(caught.value) == (
        "sanitizer/independent-v1 needs bounds for every column: give earliest and latest for "
        "day; give low and high for price; leave out the ids customer"
    )


def test_a_saved_model_draws_the_records_of_the_release():
    data, sanitizer = people(example_table()), Independent(epsilon=1, rows=50)
    release = released(data, epsilon=1, rows=50)
    model = sanitizer.fit(data, rng=np.random.default_rng(1), noise=Noise.for_test(1))
    again = IndependentModel.from_bytes(model.to_bytes())
    assert again.size == model.size
    for one in (model, again):
        assert one.sample(50, rng=np.random.default_rng(1)).equals(release.data)


@pytest.mark.parametrize("name", ["file", "size", "schema", "a/b"])
def test_a_model_can_be_saved_with_any_column_names(name):
    schema = Schema(columns=(Column(name=name, kind="category", values=("a", "b")),))
    data = Table.of(schema, {name: ["a"] * 50})
    model = Independent().fit(data, rng=np.random.default_rng(0), noise=Noise.for_test(1))
    again = IndependentModel.from_bytes(model.to_bytes())
    rng = np.random.default_rng
    assert again.sample(20, rng=rng(1)).equals(model.sample(20, rng=rng(1)))


def test_no_records_give_noise():
    made = sanitize(
        Independent(), table(1, rows=0), rng=np.random.default_rng(0), noise=Noise.for_test(1)
    )
    assert len(made.release.data) >= 1  # a refusal would tell that there is nobody
