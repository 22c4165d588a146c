"""PrivBayes: the budget and the claim, the released records, and their quality."""

import math
import time

import numpy as np
import pytest
from scipy.stats import chisquare

from quintain.data import Column, Schema, Table
from quintain.data.sources.cps.cps import FILE, Cps
from quintain.errors import PartError, Rejected
from quintain.measures import reading_rng
from quintain.measures.utility.table.marginals import Marginals
from quintain.noise import Noise
from quintain.registry import build
from quintain.samples.targets import Targets
from quintain.sanitizers import sanitize
from quintain.sanitizers.synthetic.pgm import Domain, Measurement
from quintain.sanitizers.synthetic.privbayes import PrivBayes
from quintain.sanitizers.synthetic.privbayes import synthesizer as privbayes
from quintain.sanitizers.synthetic.privbayes.tables import conditionals
from quintain.testing import example, example_table, people
from tests.sanitizers.plain_rows import as_rows
from tests.sanitizers.synthetic.model_cases import assert_survives_its_file, oddly_named


class Recorder(Noise):
    """Test noise that records every request."""

    def __init__(self, seed=0):
        super().__init__(Noise.for_test(seed)._key, test=True)
        self.counts, self.choices = [], []

    def laplace(self, scale, size):
        self.counts.append((scale, size))
        return super().laplace(scale, size)

    def choose(self, scores, epsilon, sensitivity):
        self.choices.append(epsilon)
        return super().choose(scores, epsilon, sensitivity)


def integers(**sizes):
    return Schema(
        columns=tuple(
            Column(name=name, kind="integer", low=0, high=size - 1) for name, size in sizes.items()
        )
    )


def known_network(rows, seed=0):
    """b depends on a; d is nearly always b xor c, so it depends on b and c only together."""
    rng = np.random.default_rng(seed)
    a = rng.choice(4, rows, p=[0.4, 0.3, 0.2, 0.1])
    b = (rng.random(rows) < np.array([0.1, 0.4, 0.6, 0.9])[a]).astype(int)
    c = (rng.random(rows) < 0.5).astype(int)
    d = np.where(rng.random(rows) < 0.95, b ^ c, 1 - (b ^ c))
    return Table(integers(a=4, b=2, c=2, d=2), {"a": a, "b": b, "c": c, "d": d})


def sanitized(data, *, noise=None, seed=1, **parameters):
    rng = np.random.default_rng(seed)
    return PrivBayes(**parameters).sanitize(data, rng=rng, noise=noise or Noise.for_test(seed))


def released(data, **arguments):
    return sanitized(data, **arguments).release


def fitted(data, *, noise=None, seed=1, **parameters):
    rng = np.random.default_rng(seed)
    return PrivBayes(**parameters).fit(data, rng=rng, noise=noise or Noise.for_test(seed))


# --- the budget and the claim ---------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 3.0, 1000.0])
@pytest.mark.parametrize("share", [0.1, 0.5])
def test_all_costs_add_up_to_epsilon(epsilon, share):
    noise = Recorder()
    fitted(known_network(500), noise=noise, epsilon=epsilon, network_share=share)
    (first, one), *tables = noise.counts
    assert one == 1
    assert 1 / first == pytest.approx(0.01 * epsilon)
    assert len(tables) == 4
    spent = 1 / first + sum(1 / scale for scale, _ in tables) + sum(noise.choices)
    assert spent == pytest.approx(epsilon, rel=1e-12)
    if noise.choices:
        assert len(noise.choices) == 3
        assert sum(noise.choices) == pytest.approx(share * epsilon)


def test_tables_share_epsilon_by_the_roots_of_their_cells():
    noise = Recorder()
    fitted(known_network(500), noise=noise, epsilon=100.0)
    spent = [1 / (scale * math.sqrt(cells)) for scale, cells in noise.counts[1:]]
    assert spent == pytest.approx([spent[0]] * 4)


def test_without_a_choice_the_tables_get_the_whole_budget():
    noise = Recorder()
    model = fitted(known_network(20), noise=noise, epsilon=0.5, theta=100.0)
    assert noise.choices == []
    assert sum(1 / scale for scale, _ in noise.counts) == pytest.approx(0.5)
    assert all(not point.given for point in model.focal_points())


def test_the_claim_is_pure_and_for_a_record_more_or_less():
    claim = released(people(example_table()), epsilon=0.7).claim
    assert (claim.epsilon, claim.delta, claim.neighbours) == (0.7, 0.0, "add-remove")


@pytest.mark.parametrize("theta", [1.0, 4.0, 20.0])
@pytest.mark.parametrize("epsilon", [1.0, 30.0])
def test_an_average_count_is_at_least_theta_times_the_noise(theta, epsilon):
    rng = np.random.default_rng(0)
    schema = integers(**{f"c{i}": 2 + i % 4 for i in range(8)})
    data = Table(schema, {c.name: rng.integers(c.size, size=2000) for c in schema.columns})
    noise = Recorder()
    model = fitted(data, noise=noise, epsilon=epsilon, theta=theta)
    # The noisy number of records is not public, but it is within 20 scales of the true one.
    records = 2000 + 20 * noise.counts[0][0]
    bound = records * 0.89 * epsilon / (8 * theta)
    for (point,), parents in ((p.columns, p.given) for p in model.focal_points()):
        if parents:
            assert math.prod(schema[name].size for name in (point, *parents)) <= bound


def test_degree_grows_with_epsilon_and_falls_with_theta():
    data = known_network(3000)

    def degree(**parameters):
        return sum(len(point.given) for point in fitted(data, **parameters).focal_points())

    assert degree(epsilon=0.01) == 0
    assert 0 < degree(epsilon=0.1) < degree(epsilon=1.0)
    assert degree(epsilon=1.0, theta=100) < degree(epsilon=1.0)


def test_tables_stay_small_however_large_epsilon_is(monkeypatch):
    monkeypatch.setattr(privbayes, "MOST_CELLS", 4 * 8)
    noise = Recorder()
    fitted(known_network(3000), noise=noise, epsilon=1e5)
    assert max(cells for _, cells in noise.counts) <= 8


# --- the model ------------------------------------------------------------------------------------


def test_with_hardly_any_noise_a_known_network_is_kept():
    data = known_network(20_000)
    release = released(data, epsilon=1e5, rows=20_000).data
    assert Marginals(ways=1).measure(data, release, None, rng=reading_rng())["tv1"].value < 0.005
    assert Marginals(ways=2).measure(data, release, None, rng=reading_rng())["tv2"].value < 0.01
    drawn = release.columns
    agree = (drawn["d"] == (drawn["b"] ^ drawn["c"])).mean()
    assert agree == pytest.approx(0.95, abs=0.01)
    joint = [np.ravel_multi_index(tuple(t.codes().T), (4, 2, 2, 2)) for t in (data, release)]
    shares = [np.bincount(codes, minlength=32) / 20_000 for codes in joint]
    assert np.abs(shares[0] - shares[1]).sum() / 2 < 0.02


def test_one_column_is_a_noisy_histogram():
    data = Table(integers(a=3), {"a": np.repeat([0, 1, 2], [600, 300, 100])})
    release = released(data, epsilon=1000.0, rows=10_000).data
    assert chisquare(np.bincount(release.columns["a"]), [6000, 3000, 1000]).pvalue > 1e-4


def test_the_size_of_the_data_is_estimated():
    sizes = [fitted(known_network(2000), epsilon=0.5, seed=seed).size for seed in range(8)]
    assert len(set(sizes)) > 4
    assert abs(np.mean(sizes) - 2000) < 100
    assert fitted(known_network(2000), epsilon=1e4).size == 2000


@pytest.mark.parametrize("rows", [1, 17, 5000])
def test_any_number_of_records_can_be_drawn(rows):
    model = fitted(known_network(500))
    assert len(model.sample(rows, rng=np.random.default_rng(0))) == rows
    assert len(model.sample(0, rng=np.random.default_rng(0))) == 0
    assert len(released(known_network(500), rows=rows).data) == rows


def test_the_same_seeds_give_the_same_release():
    data = known_network(500)
    once, again = sanitized(data), sanitized(data)
    assert once.release.data.equals(again.release.data)
    assert once.trace == again.trace
    assert not once.release.data.equals(released(data, noise=Noise.for_test(2)).data)


def test_a_saved_model_is_the_same_model():
    assert_survives_its_file(fitted(oddly_named(high=5), epsilon=50.0))


def test_focal_points_are_columns_given_their_parents_in_order_of_names():
    points = sanitized(known_network(3000), epsilon=100.0).trace.focal_points
    assert sorted(point.columns for point in points) == [(c,) for c in "abcd"]
    assert any(len(point.given) > 1 for point in points)
    assert all(list(point.given) == sorted(point.given) for point in points)


def test_missing_values_are_one_more_value():
    schema = Schema(
        columns=(
            Column(name="a", kind="integer", low=0, high=1, nullable=True),
            Column(name="b", kind="integer", low=0, high=1),
        )
    )
    a = [None, 0, 1, 1] * 1000
    data = Table.of(schema, {"a": a, "b": [int(v is None) for v in a]})
    release = released(data, epsilon=1000.0, rows=4000).data
    missing = release.columns["a"] < 0
    assert missing.mean() == pytest.approx(0.25, abs=0.01)
    assert (release.columns["b"] == missing).mean() > 0.99


# --- rare combinations of parents -----------------------------------------------------------------


def shares_of(counts, scale=1e-3):
    """Compute the conditional of c given a and b from exact counts."""
    counts = np.array(counts, float)
    domain = Domain.of(dict(zip("abc", counts.shape, strict=True)))
    alone = [
        Measurement.of(n, counts.sum(axis=tuple(a for a in range(3) if a != i)), 2 * scale**2)
        for i, n in enumerate("ab")
    ]
    table = Measurement.of("abc", counts, 2 * scale**2)
    return conditionals([*alone, table], domain, counts.sum())["c"]


def test_unseen_combinations_of_parents_follow_the_parent_that_predicts_more():
    # c follows a, and hardly depends on b. No record has a = 1 and b = 1; there c is mostly 1.
    conditional = shares_of([[[80, 0], [18, 2]], [[5, 95], [0, 0]]])
    assert conditional.parents == ("a", "b")
    by_parents = conditional.shares.reshape(2, 2, 2)
    assert by_parents[1, 1] == pytest.approx([0.05, 0.95], abs=1e-3)
    assert by_parents[0, 1] == pytest.approx([0.9, 0.1], abs=1e-3)
    assert by_parents[0, 0] == pytest.approx([1, 0], abs=1e-3)


def test_an_unseen_value_of_a_parent_follows_the_column_alone():
    conditional = shares_of([[[30, 10], [30, 10]], [[0, 0], [0, 0]]])
    for row in conditional.shares:
        assert row == pytest.approx([0.75, 0.25], abs=1e-3)


def test_with_much_noise_small_counts_follow_other_estimates_more():
    counts = [[[800, 0], [180, 20]], [[50, 950], [3, 0]]]
    quiet, loud = (shares_of(counts, scale).shares.reshape(2, 2, 2) for scale in (1e-3, 50.0))
    assert quiet[1, 1, 0] > 0.99
    assert loud[1, 1, 0] < 0.6
    assert loud[0, 0, 0] > 0.98


def test_shares_are_distributions():
    model = fitted(known_network(50), epsilon=0.3)
    for conditional in model.conditionals.values():
        assert (conditional.shares >= 0).all()
        assert conditional.shares.sum(axis=1) == pytest.approx(np.ones(len(conditional.shares)))


def test_counts_and_margins_without_a_cell_in_common_still_give_distributions():
    # By the pair all records have a = 0; by a far more precise table they have a = 1.
    domain = Domain.of({"a": 2, "b": 2})
    tables = [
        Measurement.of("a", [-50.0, 150.0], 1.0),
        Measurement.of("ab", [[60.0, 40.0], [-60.0, -40.0]], 1e9),
    ]
    conditional = conditionals(tables, domain, 100)["b"]
    assert conditional.shares.sum(axis=1) == pytest.approx([1, 1])


# --- odd input ------------------------------------------------------------------------------------


@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("epsilon", [1e-6, 1.0, 1e5])
def test_very_few_records_are_enough(rows, epsilon):
    data = people(example_table()).take(np.arange(rows))
    release = sanitize(
        PrivBayes(epsilon=epsilon, rows=5),
        data,
        rng=np.random.default_rng(0),
        noise=Noise.for_test(0),
    ).release
    assert len(release.data) == 5


def test_constant_columns_cost_nothing():
    schema = integers(a=1, b=4, c=1, d=2)
    data = Table(schema, {name: np.zeros(400, int) for name in schema.names})
    noise = Recorder()
    result = sanitized(data, noise=noise, epsilon=100.0)
    assert len(noise.counts) == 1 + 2
    assert len(noise.choices) == 1
    assert len(result.trace.focal_points) == 4
    assert not result.release.data.codes().any()


def test_only_constant_columns():
    data = Table(integers(a=1, b=1), {"a": np.zeros(40, int), "b": np.zeros(40, int)})
    result = sanitized(data, epsilon=1000.0)
    assert len(result.release.data) == 40
    assert {len(point.given) for point in result.trace.focal_points} == {0}


def test_two_hundred_columns():
    rng = np.random.default_rng(0)
    schema = integers(**{f"c{i:03}": 2 + i % 3 for i in range(200)})
    data = Table(schema, {c.name: rng.integers(c.size, size=300) for c in schema.columns})
    result = sanitized(data, epsilon=500.0, rows=300)
    assert sum(len(point.given) for point in result.trace.focal_points) > 200


def test_a_domain_too_large_to_count_is_refused():
    data = Table(integers(a=6_000_000, b=2), {"a": np.arange(10), "b": np.zeros(10, int)})
    with pytest.raises(PartError, match="have 6,000,002 possible values in all; the limit is"):
        released(data)


def test_a_column_without_a_finite_domain_is_refused():
    with pytest.raises(PartError, match="needs a finite domain for every column"):
        released(as_rows(example("transactions", rows=20)))


def test_a_value_missing_against_the_schema_is_refused():
    data = Table(integers(a=2), {"a": np.array([0, -1])})
    with pytest.raises(PartError, match="column 'a' has missing values, which its schema forbids"):
        released(data)


@pytest.mark.parametrize("epsilon", [0, -1, math.inf, math.nan, 1e6, "much"])
def test_an_invalid_epsilon_is_refused(epsilon):
    with pytest.raises(Rejected, match="epsilon"):
        build("sanitizer", {"use": "privbayes", "epsilon": epsilon})


def test_a_tiny_epsilon_does_not_give_endless_records():
    assert fitted(known_network(50), epsilon=1e-9).size <= privbayes.MOST_RECORDS


# --- real data ------------------------------------------------------------------------------------


@pytest.mark.real_data
def test_quality_and_speed_on_a_task_of_snake(real_data):
    if not (real_data / FILE[0]).is_file():
        pytest.skip(f"no real data: {real_data / FILE[0]} does not exist")
    design = Targets(
        targets=100, unit="household", min_unit_size=5, members="half", background=9460
    )
    population = Cps(real=True, duplicates="keep").load()
    data = design.draw(population, rng=np.random.default_rng(0)).private
    distance, parents = {}, {}
    for epsilon in (1.0, 10.0, 100.0, 1000.0):
        start = time.process_time()
        result = sanitized(data, epsilon=epsilon, rows=10_000)
        assert time.process_time() - start < 3
        distance[epsilon] = (
            Marginals(ways=2)
            .measure(data, result.release.data, None, rng=reading_rng())["tv2"]
            .value
        )
        parents[epsilon] = np.mean([len(point.given) for point in result.trace.focal_points])
    # One run each; the mean of five is .105, .058, .043 and .041, and independent columns have
    # .098 without any noise.
    assert distance[1.0] < 0.12
    assert distance[10.0] < 0.065
    assert distance[100.0] < 0.05
    assert distance[1000.0] <= distance[100.0]
    assert parents[1.0] < parents[10.0] < parents[100.0] < parents[1000.0]
    assert parents[1000.0] > 2.4
